// Each board's own: outputs with a timer, voltages, UARTs, external interrupts, EEPROM, the width of int. The
// body file decides by A0 which half is looked at: 0 V, the interrupts; else, the rest.
#include <EEPROM.h>

#if defined ARDUINO_AVR_MEGA2560
const uint8_t RIGHT = 22, WRAPS = 23, ANALOGS = 16;
const uint8_t PWM[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 44, 45, 46}, EDGE[] = {2, 3, 18, 19, 20, 21};
HardwareSerial *const ports[] = {&Serial, &Serial1, &Serial2, &Serial3};
const int EEPROM_SIZE = 4096;
#elif defined ARDUINO_AVR_LEONARDO
const uint8_t RIGHT = 8, WRAPS = 12, ANALOGS = 6;
const uint8_t PWM[] = {3, 5, 6, 9, 10, 11, 13}, EDGE[] = {2, 3, 7}; // 0 and 1 are Serial1
HardwareSerial *const ports[] = {&Serial1};
const int EEPROM_SIZE = 1024;
#else
const uint8_t RIGHT = 8, WRAPS = 12, ANALOGS = 6;
const uint8_t PWM[] = {3, 5, 6, 9, 10, 11}, EDGE[] = {2, 3};
HardwareSerial *const ports[] = {&Serial};
const int EEPROM_SIZE = 1024;
#endif

bool is_edges;
volatile uint8_t edges[sizeof EDGE];
volatile int16_t wide = 20000;

void edge0() { edges[0]++; }
void edge1() { edges[1]++; }
#ifndef ARDUINO_AVR_UNO
void edge2() { edges[2]++; }
#endif
#ifdef ARDUINO_AVR_MEGA2560
void edge3() { edges[3]++; }
void edge4() { edges[4]++; }
void edge5() { edges[5]++; }
#endif
void (*const handlers[])() = {edge0, edge1,
#ifndef ARDUINO_AVR_UNO
                              edge2,
#endif
#ifdef ARDUINO_AVR_MEGA2560
                              edge3, edge4, edge5,
#endif
};

// Volts of analog input number I, in tenths: as the body file wires the battery.
bool reads(uint8_t i) {
  int read = analogRead(A0 + i), meant = (i + 1) * 1023L * 3 / 50;
  return read >= meant - 2 && read <= meant + 2;
}

void setup() {
  int plain = wide;
  plain += wide;
  pinMode(RIGHT, OUTPUT);
  pinMode(WRAPS, OUTPUT);
  digitalWrite(WRAPS, plain < 0);
  is_edges = analogRead(A0) == 0;
  for (uint8_t i = 0; is_edges && i < sizeof EDGE; i++) {
    pinMode(EDGE[i], INPUT_PULLUP);
    attachInterrupt(digitalPinToInterrupt(EDGE[i]), handlers[i], CHANGE);
  }
  for (uint8_t i = 0; !is_edges && i < sizeof PWM; i++)
    analogWrite(PWM[i], 51 + 8 * i);
  for (uint8_t i = 0; !is_edges && i < sizeof ports / sizeof *ports; i++)
    ports[i]->begin(9600L << i);
}

void loop() {
  bool is_right = (int)EEPROM.length() == EEPROM_SIZE;
  for (uint8_t i = 0; is_edges && i < sizeof EDGE; i++)
    is_right = is_right && edges[i] == 2; // pressed once, and let go
  for (uint8_t i = 0; !is_edges && i < ANALOGS; i++)
    is_right = is_right && reads(i);
  EEPROM.write(EEPROM_SIZE - 1, 0x5a);
  is_right = is_right && EEPROM.read(EEPROM_SIZE - 1) == 0x5a;
  digitalWrite(RIGHT, is_right);
  for (uint8_t i = 0; !is_edges && i < sizeof ports / sizeof *ports; i++)
    while (ports[i]->available() > 0)
      ports[i]->write(ports[i]->read() + 1 + i);
}
