#!/bin/sh
# Compiles a sketch, as `ptybot arduino -o F.cpp` writes it, with Debian's core of Arduino for the chip of
# a board, as the IDE does: avr_build.sh F.cpp FOLDER_OF_SKETCH BOARD OUT.elf. Exits with 77 where this
# machine has no avr-gcc or no core.
set -eu
source=$1 folder=$2 board=$3 out=$4
core=/usr/share/arduino/hardware/arduino/avr
command -v avr-g++ >/dev/null && [ -d $core/cores/arduino ] || exit 77
case $board in
uno) mcu=atmega328p variant=standard define=ARDUINO_AVR_UNO more= ;;
leonardo) mcu=atmega32u4 variant=leonardo define=ARDUINO_AVR_LEONARDO more='-DUSB_VID=0x2341 -DUSB_PID=0x8036' ;;
mega) mcu=atmega2560 variant=mega define=ARDUINO_AVR_MEGA2560 more= ;;
*) echo "no board $board" >&2; exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-mmcu=$mcu -DF_CPU=16000000L -DARDUINO=10819 -DDECIMAL_DIG=__DECIMAL_DIG__ -D$define -DARDUINO_ARCH_AVR $more -Os -w -ffunction-sections
    -fdata-sections -I$core/cores/arduino -I$core/variants/$variant -I$core/libraries/EEPROM/src -I$folder"
cd "$work"
for file in "$core"/cores/arduino/*.c "$core"/cores/arduino/*.S; do
    # shellcheck disable=SC2086 # words are meant
    avr-gcc $flags -std=gnu11 -c "$file" -o "${file##*/}.o"
done
for file in "$core"/cores/arduino/*.cpp "$source"; do
    # shellcheck disable=SC2086
    avr-g++ $flags -std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics -c "$file" -o "${file##*/}.o"
done
avr-gcc -mmcu=$mcu -Os -Wl,--gc-sections -o "$out" ./*.o -lm
