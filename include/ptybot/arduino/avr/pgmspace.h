/* Constants in program memory: on a PC all memory is one. */
#ifndef PTYBOT_ARDUINO_AVR_PGMSPACE_H
#define PTYBOT_ARDUINO_AVR_PGMSPACE_H

#include <stdint.h>
#include <string.h>

#define PROGMEM
#define PSTR(text)              (text)
#define PGM_P                   const char *
#define pgm_read_byte(address)  (*(const uint8_t *)(address))
#define pgm_read_word(address)  (*(const uint16_t *)(address))
#define pgm_read_dword(address) (*(const uint32_t *)(address))
#define pgm_read_float(address) (*(const float *)(address))
#define pgm_read_ptr(address)   (*(void *const *)(address))
#define strlen_P                strlen
#define strcpy_P                strcpy
#define strcmp_P                strcmp
#define strncmp_P               strncmp
#define memcpy_P                memcpy
#define sprintf_P               sprintf
#define snprintf_P              snprintf

#endif
