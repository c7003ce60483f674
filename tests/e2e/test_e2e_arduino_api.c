/* One small sketch for each part of the Arduino API: it compiles, and its lamp shows whether the
 * chip behaves as the Arduino reference says. Long: ./dev nightly avr. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

/* The sketch is GLOBALS, then a setup() that runs SETUP; it sets `is_right`. */
static const struct probe {
    const char *name, *globals, *setup;
} probes[] = {
    {"string_concat", "", "String s = String(\"a\") + 1 + 'b' + 2.5; is_right = s == \"a1b2.50\";"},
    {"string_parts", "",
     "String s(\"one,two\"); int at = s.indexOf(','); s.replace(\"two\", \"2\"); "
     "is_right = s.substring(at + 1).toInt() == 2 && s.startsWith(\"one\") && s.length() == 5;"},
    {"string_formats", "",
     "is_right = String(255, HEX) == \"ff\" && String(5, BIN) == \"101\" && String(1.236, 2) == "
     "\"1.24\";"},
    {"string_case", "",
     "String s = \"  AbC \"; s.trim(); s.toLowerCase(); is_right = s == \"abc\" && s[2] == 'c';"},
    {"string_to_float", "", "is_right = String(\"-2.5e1\").toFloat() == -25;"},
    {"flash_string", "const char letters[] PROGMEM = \"flash\";",
     "char out[8]; strcpy_P(out, letters); String s = F(\"text\"); "
     "is_right = strcmp(out, \"flash\") == 0 && s.length() == 4;"},
    {"progmem_table", "const uint16_t table[] PROGMEM = {1, 300, 65535}; volatile byte two = 2;",
     "is_right = pgm_read_word(&table[two]) == 65535 && pgm_read_word(&table[1]) == 300;"},
    {"snprintf", "",
     "char out[24]; snprintf(out, sizeof out, \"%d %ld %x\", -3, 100000L, 255u); "
     "is_right = strcmp(out, \"-3 100000 ff\") == 0;"},
    {"dtostrf", "",
     "char out[12]; is_right = strcmp(dtostrf(3.14159, 7, 3, out), \"  3.142\") == 0;"},
    {"print_formats",
     "struct Tape : Print { String text; size_t write(uint8_t c) { text += (char)c; return 1; } } "
     "tape;",
     "tape.print(255, HEX); tape.print(5, BIN); tape.print(-7); tape.print(1.5, 1); "
     "tape.println(true); "
     "is_right = tape.text == \"FF101-71.51\\r\\n\";"},
    {"printable",
     "struct P : Printable { size_t printTo(Print &p) const { return p.print(\"pp\"); } } it; "
     "struct Tape : Print { int n; size_t write(uint8_t) { n++; return 1; } } tape;",
     "is_right = tape.print(it) == 2 && tape.n == 2;"},
    {"stream_parse",
     "struct Text : Stream { const char *at; int available() { return strlen(at); } "
     "int read() { return *at ? *at++ : -1; } int peek() { return *at ? *at : -1; } "
     "size_t write(uint8_t) { return 1; } void flush() {} } text;",
     "text.setTimeout(5); text.at = \"x 12 -3.5 end\"; "
     "is_right = text.parseInt() == 12 && text.parseFloat() == -3.5 && text.find((char *)\"en\");"},
    {"serial_event",
     "volatile int heard; void serialEvent() { while (Serial.available()) heard = Serial.read(); }",
     "Serial.begin(9600); is_right = Serial.availableForWrite() > 60 && sizeof heard == 2;"},
    {"serial_write_time", "",
     "Serial.begin(9600); long t = micros(); for (int i = 0; i < 80; i++) Serial.write('x'); "
     "Serial.flush(); t = micros() - t; is_right = t > 80 * 1000L && t < 80 * 1080L;"},
    {"software_serial", "#include <SoftwareSerial.h>\nSoftwareSerial port(10, 11);",
     "port.begin(9600); long t = micros(); port.write('x'); t = micros() - t; "
     "is_right = t > 900 && t < 1150 && port.available() == 0;"},
    {"millis_and_delay", "",
     "long t = millis(); delay(50); t = millis() - t; is_right = t >= 49 && t <= 51;"},
    {"micros_and_delay", "",
     "long t = micros(); delayMicroseconds(500); t = micros() - t; is_right = t >= 496 && t <= "
     "520;"},
    {"millis_overflow", "extern volatile unsigned long timer0_millis;",
     "noInterrupts(); timer0_millis = 0xfffffff0UL; interrupts(); unsigned long from = millis(); "
     "while (millis() > 100) {} is_right = millis() - from >= 16 && millis() - from < 20;"},
    {"tone_on_timer_2", "",
     "tone(8, 1000); delay(3); TIMSK2 & 2 ? is_right = true : 0; noTone(8);"},
    {"tone_ends", "", "tone(8, 2000, 10); delay(20); is_right = !(TIMSK2 & 2) && !digitalRead(8);"},
    {"attach_interrupt", "void edge() {}",
     "attachInterrupt(digitalPinToInterrupt(2), edge, CHANGE); bool was = EIMSK == 1 && EICRA == "
     "1; "
     "detachInterrupt(digitalPinToInterrupt(2)); is_right = was && EIMSK == 0;"},
    {"interrupt_by_an_output", "volatile int edges; void edge() { edges++; }",
     "pinMode(3, OUTPUT); attachInterrupt(digitalPinToInterrupt(3), edge, RISING); "
     "for (int i = 0; i < 3; i++) { digitalWrite(3, HIGH); digitalWrite(3, LOW); } "
     "bool was = edges == 3; attachInterrupt(digitalPinToInterrupt(3), edge, CHANGE); "
     "digitalWrite(3, HIGH); digitalWrite(4, HIGH); digitalWrite(3, HIGH); "
     "is_right = was && edges == 4;"},
    {"no_interrupts", "volatile int ticks; ISR(TIMER2_OVF_vect) { ticks++; }",
     "TCCR2A = 0; TCCR2B = 1; noInterrupts(); TIMSK2 = 1; delayMicroseconds(100); "
     "bool was = ticks == 0; interrupts(); delay(1); TIMSK2 = 0; is_right = was && ticks > 0;"},
    {"pin_change", "volatile int edges; ISR(PCINT0_vect) { edges++; }",
     "pinMode(9, OUTPUT); PCICR = 1; PCMSK0 = 2; digitalWrite(9, HIGH); delay(1); "
     "digitalWrite(9, LOW); delay(1); is_right = edges == 2;"},
    {"timer_1", "volatile int ticks; ISR(TIMER1_COMPA_vect) { ticks++; }",
     "TCCR1A = 0; TCCR1B = 1 << WGM12 | 3; OCR1A = 249; TIMSK1 = 2; delay(20); TIMSK1 = 0; "
     "is_right = ticks >= 19 && ticks <= 21;"},
    {"pulse_in_times_out", "",
     "long t = micros(); long got = pulseIn(7, HIGH, 3000); t = micros() - t; "
     "is_right = got == 0 && t > 2000 && t < 5000;"},
    {"pulse_in_long", "", "is_right = pulseInLong(7, HIGH, 2000) == 0;"},
    {"shift_out", "",
     "pinMode(5, OUTPUT); pinMode(6, OUTPUT); shiftOut(5, 6, MSBFIRST, 0x81); is_right = "
     "digitalRead(5);"},
    {"shift_in", "",
     "pinMode(6, OUTPUT); pinMode(5, INPUT_PULLUP); is_right = shiftIn(5, 6, LSBFIRST) == 0xff;"},
    {"eeprom", "#include <EEPROM.h>\nstruct S { int a; float b; };",
     "S in = {7, 1.5}, out; EEPROM.put(4, in); EEPROM.get(4, out); EEPROM.update(0, 9); EEPROM[1] "
     "= 3; "
     "is_right = out.a == 7 && out.b == 1.5 && EEPROM.read(0) == 9 && EEPROM[1] == 3 && "
     "EEPROM.length() == 1024;"},
    {"wire_without_a_device", "#include <Wire.h>",
     "Wire.begin(); Wire.setClock(400000); Wire.beginTransmission(0x3c); Wire.write(1); "
     "is_right = Wire.endTransmission() == 2 && Wire.requestFrom(0x3c, 2) == 0;"},
    {"spi", "#include <SPI.h>",
     "SPI.begin(); SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0)); "
     "SPI.transfer(0x55); "
     "SPI.endTransaction(); SPI.end(); is_right = true;"},
    {"analog_write_ends", "",
     "analogWrite(9, 0); bool low = !digitalRead(9); analogWrite(9, 255); is_right = low && "
     "digitalRead(9);"},
    {"analog_write_timer", "", "analogWrite(9, 100); is_right = OCR1A == 100 && (TCCR1A & 0x80);"},
    {"analog_read", "", "analogReference(DEFAULT); is_right = analogRead(A0) >= 810;"},
    {"digital_pull_up", "",
     "pinMode(7, INPUT_PULLUP); is_right = digitalRead(7) == HIGH && digitalPinToPort(7) == 4;"},
    {"random", "",
     "randomSeed(42); long a = random(10, 20); randomSeed(42); is_right = a == random(10, 20) && a "
     ">= 10 && a < 20;"},
    {"map_and_constrain", "",
     "is_right = map(512, 0, 1024, 0, 100) == 50 && constrain(300, 0, 255) == 255 && min(2, 3) == "
     "2 && "
     "abs(-3) == 3 && sq(4) == 16 && round(2.5) == 3;"},
    {"bits", "",
     "byte b = 0; bitSet(b, 3); bitWrite(b, 0, 1); is_right = b == 9 && bitRead(b, 3) && "
     "highByte(0x1234) == 0x12 && "
     "lowByte(0x1234) == 0x34 && bit(4) == 16 && word(1, 2) == 258;"},
    {"characters", "",
     "is_right = isDigit('7') && isAlpha('x') && isSpace(' ') && isHexadecimalDigit('f') && "
     "!isPunct('a');"},
    {"types", "",
     "is_right = sizeof(int) == 2 && sizeof(long) == 4 && sizeof(double) == 4 && sizeof(word) == 2 "
     "&& "
     "sizeof(boolean) == 1 && (byte)256 == 0;"},
    {"math", "",
     "is_right = fabs(sin(PI / 6) - 0.5) < 1e-5 && fabs(radians(180) - PI) < 1e-5 && pow(2, 8) > "
     "255.9 && "
     "fabs(atan2(1, 1) - HALF_PI / 2) < 1e-5;"},
    {"new_and_delete", "struct A { int n; A() : n(5) {} virtual ~A() {} };",
     "A *a = new A; int *many = new int[4]; is_right = a->n == 5 && many; delete a; delete[] "
     "many;"},
    {"templates_and_lambdas", "template <typename T> T twice(T v) { return v + v; }",
     "auto add = [](int a, int b) { return a + b; }; is_right = twice(2.5f) == 5 && add(2, 3) == "
     "5;"},
    {"watchdog", "#include <avr/wdt.h>",
     "wdt_enable(WDTO_2S); wdt_reset(); wdt_disable(); is_right = true;"},
    {"names_of_the_c_library", "int index = 3; long send = 4; int y1 = 1;",
     "is_right = index + send + y1 == 8;"},
    {"prototypes_are_added", "int first() { return second(); }\nint second() { return 2; }",
     "is_right = first() == 2;"},
};
enum { PROBES = sizeof probes / sizeof *probes };

static int shell(struct stage *stage, const char *line)
{
    const char *const words[] = {"/bin/sh", "-c", line, NULL};
    program_start(&stage->ptybot, &stage->folder, "shell", words, 0);
    while (program_is_running(&stage->ptybot))
        usleep(10000);
    return program_wait(&stage->ptybot);
}

static const char BODY[] = "firmware: {avr: %s.elf, board: uno}\n"
                           "body: {shape: disc, radius: 0.05, height: 0.1, mass: 1}\n"
                           "battery: {empty: 6, full: 8}\nsignals: [{name: lamp}]\n"
                           "channels: [{name: uart, baud: 9600}]\npins:\n"
                           "- {pin: 13, is: signal, of: lamp}\n"
                           "- {pin: A0, is: battery, scale: 0.5}\n";

/* Compiles the probe for the robot of the same name. */
static bool make_probe(struct stage *stage, const struct probe *probe)
{
    char name[80], line[256];
    snprintf(line, sizeof line, "mkdir %s", probe->name);
    assert_int_equal(shell(stage, line), 0);
    snprintf(name, sizeof name, "%s/%s.ino", probe->name, probe->name);
    folder_write(&stage->folder, name,
                 "%s\nvoid setup() {\n  bool is_right = false;\n  %s\n  pinMode(13, OUTPUT);\n"
                 "  digitalWrite(13, is_right);\n}\nvoid loop() {}\n",
                 probe->globals, probe->setup);
    snprintf(name, sizeof name, "%s.yaml", probe->name);
    folder_write(&stage->folder, name, BODY, probe->name);
    snprintf(line, sizeof line, "%s arduino %s %s.yaml -o %s.elf", PTYBOT_BINARY, probe->name,
             probe->name, probe->name);
    bool is_made = shell(stage, line) == 0;
    if (!is_made)
        print_error("%s does not compile\n", probe->name);
    return is_made;
}

static void the_interface_of_arduino_does_what_it_promises(void **state)
{
    struct stage *stage = *state;
    if (!getenv("PTYBOT_SKETCH_LINES") ||
        shell(stage, "command -v avr-g++ && [ -d /usr/share/arduino/hardware/arduino/avr ] && "
                     "[ -x '" PTYBOT_AVR "' ]") != 0)
        skip();
    static char scene[PROBES * 256];
    size_t made = 0;
    size_t used = (size_t)snprintf(scene, sizeof scene, "world: {size: {x: 20, y: 4}}\nrobots:\n");
    for (size_t i = 0; i < PROBES; i++) {
        made += make_probe(stage, &probes[i]);
        used += (size_t)snprintf(scene + used, sizeof scene - used,
                                 "- {name: %s, type: ./%s.yaml, pose: {x: %g, y: %d}}\n",
                                 probes[i].name, probes[i].name, 0.5 + 0.3 * (double)i, 2);
    }
    assert_int_equal(made, PROBES);
    used += (size_t)snprintf(scene + used, sizeof scene - used, "expect:\n");
    for (size_t i = 0; i < PROBES; i++)
        used += (size_t)snprintf(scene + used, sizeof scene - used,
                                 "- {that: %s.lamp == 1, at_end: true}\n", probes[i].name);
    folder_write(&stage->folder, "probes.yaml", "%s", scene);
    int code =
        shell(stage, PTYBOT_BINARY " run probes.yaml --fast --private --for 2 >said 2>errors");
    if (code != 0) {
        shell(stage, "grep -hi fail said errors | head -60");
        char *said = program_out(&stage->ptybot);
        print_error("%s", said);
        free(said);
    }
    assert_int_equal(code, 0);
    assert_int_equal(shell(stage, "! grep \"$(printf '\\033')\" said errors"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(the_interface_of_arduino_does_what_it_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
