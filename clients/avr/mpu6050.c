#include "clients/avr/mpu6050.h"

#include <math.h>
#include <string.h>

/* Registers: RM 3 and the sections of each register. */
enum {
    ADDRESS = 0x68, /* pin AD0 low */
    GYRO_CONFIG = 0x1b,
    ACCEL_CONFIG = 0x1c,
    ACCEL_OUT = 0x3b,
    TEMP_OUT = 0x41,
    GYRO_OUT = 0x43,
    PWR_MGMT_1 = 0x6b,
    RESET = 0x80,
    SLEEP = 0x40,
    WHO_AM_I = 0x75,
};
static const double ACCEL_LSB = 16384 / 9.80665;        /* for 1 m/s2 in the range of 2 g */
static const double GYRO_LSB = 131 * 57.29577951308232; /* for 1 rad/s in the range of 250 deg/s */

void mpu6050_reset(struct mpu6050 *self)
{
    memset(self, 0, sizeof *self);
    self->registers[PWR_MGMT_1] = SLEEP;
    self->registers[WHO_AM_I] = ADDRESS;
}

static void put(struct mpu6050 *self, unsigned at, double value)
{
    uint16_t word = (uint16_t)(int16_t)fmax(INT16_MIN, fmin(INT16_MAX, round(value)));
    self->registers[at] = (uint8_t)(word >> 8);
    self->registers[at + 1] = (uint8_t)word;
}

void mpu6050_feel(struct mpu6050 *self, const double accel_m_s2[3], const double gyro_rad_s[3],
                  double temperature_c)
{
    unsigned accel_range = self->registers[ACCEL_CONFIG] >> 3 & 3u;
    unsigned gyro_range = self->registers[GYRO_CONFIG] >> 3 & 3u;
    if (self->registers[PWR_MGMT_1] & SLEEP)
        return;
    for (unsigned i = 0; i < 3; i++) {
        put(self, ACCEL_OUT + 2 * i, accel_m_s2[i] * ACCEL_LSB / (1u << accel_range));
        put(self, GYRO_OUT + 2 * i, gyro_rad_s[i] * GYRO_LSB / (1u << gyro_range));
    }
    put(self, TEMP_OUT, (temperature_c - 36.53) * 340); /* RM 4.18 */
}

void mpu6050_select(struct mpu6050 *self, uint8_t first)
{
    self->is_selected = first >> 1 == ADDRESS;
    self->has_address = false;
}

/* The first byte is the number of a register. The following bytes are the values of this register
 * and the next ones. */
void mpu6050_write(struct mpu6050 *self, uint8_t byte)
{
    bool is_number = !self->has_address;
    self->has_address = true;
    if (is_number)
        self->at = byte & 127u;
    else if (self->at == PWR_MGMT_1 && byte & RESET)
        mpu6050_reset(self), self->is_selected = self->has_address = true;
    else if (self->at != WHO_AM_I && (self->at < ACCEL_OUT || self->at > GYRO_OUT + 5))
        self->registers[self->at] = byte;
    self->at = is_number ? self->at : (self->at + 1) & 127u;
}

uint8_t mpu6050_read(struct mpu6050 *self)
{
    uint8_t byte = self->registers[self->at];
    self->at = (self->at + 1) & 127u;
    return byte;
}
