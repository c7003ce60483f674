/* An inertial sensor MPU6050 on an I2C bus: its registers and readings, without its FIFO, motion
 * processor and interrupt. "RM": InvenSense, MPU-6000 register map, revision 4.2. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct mpu6050 {
    uint8_t registers[128];
    uint8_t at;
    bool is_selected, has_address; /* has_address: the register number has been received */
};

void mpu6050_reset(struct mpu6050 *self);

/* Sets the next readings, in the axes of the sensor. */
void mpu6050_feel(struct mpu6050 *self, const double accel_m_s2[3], const double gyro_rad_s[3],
                  double temperature_c);

/* A start condition with the first byte on the bus, and then bytes in either direction. */
void mpu6050_select(struct mpu6050 *self, uint8_t first);
void mpu6050_write(struct mpu6050 *self, uint8_t byte);
uint8_t mpu6050_read(struct mpu6050 *self);
