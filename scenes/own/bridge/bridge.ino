// A motor board with the protocol of ros_arduino_bridge, for an Arduino Mega: the same bytes as the
// built-in robot. Requests are here, wheels in wheels.ino. Numbers have the widths that they need
// by name, so that the sketch is the same on a PC, where int is wider.
#include "wheels.h"

const uint8_t TRIGGER = 24, ECHO = 25;
const uint8_t ARGUMENT_MAX = 15;

char letter;
char argument[2][ARGUMENT_MAX + 1];
uint8_t used[2], word_number;
unsigned long command_ms, next_pid_ms;

void setup() {
  Serial.begin(57600);
  pinMode(TRIGGER, OUTPUT);
  begin_wheels();
  next_pid_ms = PID_MS;
}

void loop() {
  while (Serial.available() > 0)
    take(Serial.read());
  while (millis() > next_pid_ms) {
    update_pid();
    next_pid_ms += PID_MS;
  }
  if (millis() - command_ms > AUTO_STOP_MS) {
    set_motors(0, 0);
    is_moving = false;
  }
}

// ---- Lines ----

void take(char c) {
  if (c == '\r') {
    obey();
    forget();
  } else if (c == ' ') {
    if (word_number < 2)
      word_number++;
  } else if (word_number == 0) {
    letter = c;
  } else if (used[word_number - 1] < ARGUMENT_MAX) {
    argument[word_number - 1][used[word_number - 1]++] = c;
  }
}

void forget() {
  letter = '\0';
  memset(argument, 0, sizeof argument);
  used[0] = used[1] = word_number = 0;
}

// 16 bits on any machine.
int16_t number(const char *text) {
  while (*text == '\t' || *text == '\n' || *text == '\v' || *text == '\f')
    text++;
  bool is_negative = *text == '-';
  if (*text == '-' || *text == '+')
    text++;
  uint16_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++)
    value = value * 10u + (uint16_t)(*text - '0');
  return is_negative ? -value : value;
}

// ---- Requests ----

void obey() {
  int16_t one = number(argument[0]), two = number(argument[1]);
  switch (letter) {
  case 'e':
    Serial.print(count_of(LEFT));
    Serial.print(" ");
    Serial.println(count_of(RIGHT));
    return;
  case 'b':
    Serial.println(57600L);
    return;
  case 'a':
    Serial.println(one >= 0 && one < 8 ? analogRead(A0 + one) : 0);
    return;
  case 'd':
    Serial.println(digitalRead(one));
    return;
  case 'p':
    Serial.println(ping_cm());
    return;
  case 'r':
    reset_encoders();
    break;
  case 'm':
  case 'o':
    drive(one, two);
    break;
  case 'u':
    set_gains(argument[0]);
    break;
  case 'x':
    analogWrite(one, two);
    break;
  case 'w':
    if (two == 0 || two == 1)
      digitalWrite(one, two);
    break;
  case 'c':
    if (two == 0 || two == 1)
      pinMode(one, two == 1 ? OUTPUT : INPUT);
    break;
  default:
    Serial.println("Invalid Command");
    return;
  }
  Serial.println("OK");
}

void drive(int16_t left, int16_t right) {
  command_ms = millis();
  is_moving = letter == 'm' && (left != 0 || right != 0);
  if (!is_moving) {
    reset_pid();
    set_motors(left, right);
  }
  if (letter == 'm')
    set_targets(left, right);
}

// Kp:Kd:Ki:Ko; what is missing stays.
void set_gains(const char *text) {
  for (uint8_t i = 0; i < 4; i++) {
    while (*text == ':')
      text++;
    if (*text == '\0')
      return;
    gains[i] = number(text);
    while (*text != ':' && *text != '\0')
      text++;
  }
}

// An HC-SR04; 0: no echo within 4 m. By micros(), since interrupts of fast wheels slow the loop of pulseIn.
int ping_cm() {
  digitalWrite(TRIGGER, HIGH);
  delayMicroseconds(10);
  digitalWrite(TRIGGER, LOW);
  unsigned long us = pulseInLong(ECHO, HIGH, 25000);
  return us * 343UL / 20000;
}
