// Encoders by interrupts, and the integer PID of ros_arduino_bridge.

const int16_t PWM_MAX = 255;
const uint8_t ENCODER_A[] = {2, 18}, ENCODER_B[] = {3, 19};
const uint8_t FORWARD[] = {5, 7}, BACKWARD[] = {6, 8};

struct Wheel {
  int32_t previous, target, output;
  int16_t input, i_term;
};

Wheel wheels[2];
int16_t gains[4] = {20, 12, 0, 50};
bool is_moving;
volatile int32_t counts[2];
volatile uint8_t phases[2];

// ---- Encoders ----

// The count moves on by the two channels, of which A leads forward.
void step_encoder(enum side side) {
  static const int8_t moves[] = {0, 1, -1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 0, -1, 1, 0};
  uint8_t phase = digitalRead(ENCODER_A[side]) | digitalRead(ENCODER_B[side]) << 1;
  counts[side] += moves[phases[side] << 2 | phase];
  phases[side] = phase;
}

void step_left() {
  step_encoder(LEFT);
}

void step_right() {
  step_encoder(RIGHT);
}

int32_t count_of(enum side side) {
  noInterrupts();
  int32_t count = counts[side];
  interrupts();
  return count;
}

void begin_wheels() {
  for (uint8_t i = 0; i < 2; i++) {
    void (*step)() = i == LEFT ? step_left : step_right;
    pinMode(FORWARD[i], OUTPUT);
    pinMode(BACKWARD[i], OUTPUT);
    phases[i] = digitalRead(ENCODER_A[i]) | digitalRead(ENCODER_B[i]) << 1;
    attachInterrupt(digitalPinToInterrupt(ENCODER_A[i]), step, CHANGE);
    attachInterrupt(digitalPinToInterrupt(ENCODER_B[i]), step, CHANGE);
  }
}

void reset_encoders() {
  noInterrupts();
  counts[LEFT] = counts[RIGHT] = 0;
  interrupts();
  reset_pid();
}

// ---- Motors ----

int16_t limit(int32_t value) {
  return constrain(value, -PWM_MAX, PWM_MAX);
}

void set_motor(enum side side, int32_t pwm) {
  analogWrite(FORWARD[side], max(limit(pwm), 0));
  analogWrite(BACKWARD[side], max(-limit(pwm), 0));
}

void set_motors(int32_t left, int32_t right) {
  set_motor(LEFT, left);
  set_motor(RIGHT, right);
}

// ---- PID ----

void set_targets(int16_t left, int16_t right) {
  wheels[LEFT].target = left;
  wheels[RIGHT].target = right;
}

void reset_pid() {
  for (uint8_t i = 0; i < 2; i++) {
    wheels[i] = Wheel();
    wheels[i].previous = count_of((enum side)i);
  }
}

void do_pid(enum side side) {
  Wheel &wheel = wheels[side];
  int32_t count = count_of(side);
  int16_t input = count - wheel.previous;
  int32_t error = wheel.target - input;
  int16_t slope = (int32_t)gains[1] * (int16_t)(input - wheel.input);
  int32_t sum = gains[0] * error - slope + wheel.i_term;
  int32_t output = (gains[3] != 0 ? sum / gains[3] : 0) + wheel.output;
  wheel.previous = count;
  if (output > -PWM_MAX && output < PWM_MAX)
    wheel.i_term = wheel.i_term + gains[2] * error;
  wheel.output = limit(output);
  wheel.input = input;
}

void update_pid() {
  if (!is_moving) {
    if (wheels[LEFT].input != 0 || wheels[RIGHT].input != 0)
      reset_pid();
    return;
  }
  do_pid(LEFT);
  do_pid(RIGHT);
  set_motors(wheels[LEFT].output, wheels[RIGHT].output);
}
