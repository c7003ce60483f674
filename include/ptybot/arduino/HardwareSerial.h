/* Printing, reading, and the serial ports. */
#ifndef PTYBOT_ARDUINO_HARDWARESERIAL_H
#define PTYBOT_ARDUINO_HARDWARESERIAL_H

#include "../arduino_core.h"
#include "WString.h"

#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2

#define SERIAL_8N1 0x06

class Print
{
  public:
    virtual ~Print() {}
    virtual size_t write(uint8_t byte) = 0;
    virtual size_t write(const uint8_t *bytes, size_t size)
    {
        size_t done = 0;
        while (done < size && write(bytes[done]))
            done++;
        return done;
    }
    size_t write(const char *bytes, size_t size) { return write((const uint8_t *)bytes, size); }
    size_t write(const char *text) { return text ? write(text, strlen(text)) : 0; }
    virtual int availableForWrite() { return 0; }
    virtual void flush() {}

    size_t print(const char *text) { return write(text); }
    size_t print(const __FlashStringHelper *text) { return write((const char *)text); }
    size_t print(const String &text) { return write(text.c_str(), text.length()); }
    size_t print(char c) { return write((uint8_t)c); }
    size_t print(unsigned char n, int base = DEC) { return print((unsigned long)n, base); }
    size_t print(int n, int base = DEC) { return print((long)n, base); }
    size_t print(unsigned n, int base = DEC) { return print((unsigned long)n, base); }
    size_t print(long n, int base = DEC)
    {
        return base == 0 ? write((uint8_t)n) : print(String(ptybot_integer(n, base, 32)));
    }
    size_t print(unsigned long n, int base = DEC)
    {
        return base == 0 ? write((uint8_t)n) : print(String(ptybot_digits(n, base, false)));
    }
    size_t print(double n, int digits = 2) { return print(String(n, digits)); }

    size_t println() { return write("\r\n"); }
    template <typename T> size_t println(const T &what)
    {
        size_t size = print(what);
        return size + println();
    }
    template <typename T> size_t println(const T &what, int how)
    {
        size_t size = print(what, how);
        return size + println();
    }
};

class Stream : public Print
{
  public:
    virtual int available() = 0;
    virtual int read() = 0;
    virtual int peek() = 0;

    void setTimeout(unsigned long ms) { timeout_ms = ms; }
    size_t readBytes(char *to, size_t size)
    {
        size_t done = 0;
        for (int c; done < size && (c = wait(true)) >= 0;)
            to[done++] = (char)c;
        return done;
    }
    size_t readBytes(uint8_t *to, size_t size) { return readBytes((char *)to, size); }
    size_t readBytesUntil(char end, char *to, size_t size)
    {
        size_t done = 0;
        for (int c; done < size && (c = wait(true)) >= 0 && c != end;)
            to[done++] = (char)c;
        return done;
    }
    String readString()
    {
        String text;
        for (int c; (c = wait(true)) >= 0;)
            text += (char)c;
        return text;
    }
    String readStringUntil(char end)
    {
        String text;
        for (int c; (c = wait(true)) >= 0 && c != (unsigned char)end;)
            text += (char)c;
        return text;
    }
    bool find(const char *what)
    {
        size_t met = 0, size = strlen(what);
        for (int c; met < size && (c = wait(true)) >= 0;)
            met = c == (unsigned char)what[met] ? met + 1 : c == (unsigned char)what[0];
        return met == size;
    }
    long parseInt() { return atol(number(false).c_str()); }
    float parseFloat() { return (float)atof(number(true).c_str()); }

  private:
    unsigned long timeout_ms = 1000;

    /* The next byte, which is waited for; -1: none has come in time. */
    int wait(bool is_taken)
    {
        unsigned long began = millis();
        do {
            int c = is_taken ? read() : peek();
            if (c >= 0)
                return c;
        } while (millis() - began < timeout_ms);
        return -1;
    }
    /* What is none before it is skipped. */
    String number(bool has_point)
    {
        String text;
        int c = wait(false);
        for (; c >= 0 && c != '-' && !isdigit(c); c = wait(false))
            read();
        for (; isdigit(c) || (c == '-' && text.length() == 0) || (c == '.' && has_point);
             c = wait(false))
            text += (char)read();
        return text;
    }
};

class HardwareSerial : public Stream
{
  public:
    explicit HardwareSerial(unsigned number) : number(number) {}
    void begin(unsigned long baud, uint8_t = SERIAL_8N1) { core_serial_begin(number, baud); }
    void end() { core_serial_begin(number, 0); }
    int available() override { return core_serial_available(number); }
    int read() override { return core_serial_read(number, false); }
    int peek() override { return core_serial_read(number, true); }
    int availableForWrite() override { return core_serial_room(number); }
    void flush() override { core_serial_flush(number); }
    using Print::write;
    size_t write(uint8_t byte) override
    {
        core_serial_write(number, byte);
        return 1;
    }
    operator bool() { return true; }

  private:
    unsigned number;
};

/* One of each in a sketch of several files, too. */
template <unsigned Number> struct ptybot_serial {
    static HardwareSerial port;
};
template <unsigned Number> HardwareSerial ptybot_serial<Number>::port(Number);
static HardwareSerial &Serial __attribute__((unused)) = ptybot_serial<0>::port;
static HardwareSerial &Serial1 __attribute__((unused)) = ptybot_serial<1>::port;
static HardwareSerial &Serial2 __attribute__((unused)) = ptybot_serial<2>::port;
static HardwareSerial &Serial3 __attribute__((unused)) = ptybot_serial<3>::port;

#endif
