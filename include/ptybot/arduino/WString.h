/* Text in a sketch. */
#ifndef PTYBOT_ARDUINO_WSTRING_H
#define PTYBOT_ARDUINO_WSTRING_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <string>

#undef abs
#undef round

class __FlashStringHelper;
#define F(text) (reinterpret_cast<const __FlashStringHelper *>(text))

/* A number in a base from 2 to 36, as Print writes it; and with digits behind the point. */
inline std::string ptybot_digits(unsigned long long value, int base, bool is_negative)
{
    std::string text;
    base = base < 2 ? 10 : base;
    do {
        int digit = (int)(value % (unsigned)base);
        text.insert(text.begin(), (char)(digit < 10 ? '0' + digit : 'A' + digit - 10));
        value /= (unsigned)base;
    } while (value != 0);
    return is_negative ? "-" + text : text;
}
/* As many bits as on an AVR: a negative number in another base than ten. */
inline std::string ptybot_integer(long long value, int base, int bits)
{
    if (base == 10)
        return ptybot_digits(value < 0 ? 0ULL - (unsigned long long)value
                                       : (unsigned long long)value,
                             10, value < 0);
    return ptybot_digits((unsigned long long)value & (bits < 64 ? (1ULL << bits) - 1 : ~0ULL), base,
                         false);
}
inline std::string ptybot_fraction(double value, int digits)
{
    char text[64];
    if (value != value)
        return "nan";
    if (value - value != 0)
        return "inf";
    if (value > 4294967040.0 || value < -4294967040.0)
        return "ovf";
    snprintf(text, sizeof text, "%.*f", digits < 40 ? digits : 40, value);
    return text;
}

class String
{
  public:
    String(const char *text = "") : text(text ? text : "") {}
    String(const std::string &text) : text(text) {}
    String(const __FlashStringHelper *text) : text(reinterpret_cast<const char *>(text)) {}
    explicit String(char c) : text(1, c) {}
    explicit String(int value, int base = 10) : text(ptybot_integer(value, base, 16)) {}
    explicit String(unsigned value, int base = 10) : text(ptybot_digits(value, base, false)) {}
    explicit String(long value, int base = 10) : text(ptybot_integer(value, base, 32)) {}
    explicit String(unsigned long value, int base = 10) : text(ptybot_digits(value, base, false)) {}
    explicit String(double value, int digits = 2) : text(ptybot_fraction(value, digits)) {}

    unsigned length() const { return (unsigned)text.size(); }
    const char *c_str() const { return text.c_str(); }
    bool reserve(unsigned) { return true; }
    char charAt(unsigned i) const { return i < text.size() ? text[i] : '\0'; }
    void setCharAt(unsigned i, char c)
    {
        if (i < text.size())
            text[i] = c;
    }
    char operator[](unsigned i) const { return charAt(i); }
    char &operator[](unsigned i)
    {
        static char none;
        return i < text.size() ? text[i] : (none = '\0');
    }

    template <typename T> bool concat(const T &more)
    {
        text += String(more).text;
        return true;
    }
    template <typename T> String &operator+=(const T &more)
    {
        concat(more);
        return *this;
    }
    template <typename T> String operator+(const T &more) const
    {
        return String(text + String(more).text);
    }
    friend String operator+(const char *first, const String &second)
    {
        return String(first + second.text);
    }

    int compareTo(const String &other) const { return text.compare(other.text); }
    bool equals(const String &other) const { return text == other.text; }
    bool equalsIgnoreCase(const String &other) const
    {
        return strcasecmp(c_str(), other.c_str()) == 0;
    }
    bool operator==(const String &other) const { return text == other.text; }
    bool operator!=(const String &other) const { return text != other.text; }
    bool operator<(const String &other) const { return text < other.text; }
    bool operator>(const String &other) const { return text > other.text; }
    bool startsWith(const String &start) const
    {
        return text.compare(0, start.text.size(), start.text) == 0;
    }
    bool endsWith(const String &end) const
    {
        return text.size() >= end.text.size() &&
               text.compare(text.size() - end.text.size(), std::string::npos, end.text) == 0;
    }

    int indexOf(const String &what, unsigned from = 0) const
    {
        return (int)text.find(what.text, from);
    }
    int indexOf(char what, unsigned from = 0) const { return (int)text.find(what, from); }
    int lastIndexOf(const String &what) const { return (int)text.rfind(what.text); }
    int lastIndexOf(char what) const { return (int)text.rfind(what); }
    String substring(unsigned from) const { return substring(from, length()); }
    String substring(unsigned from, unsigned to) const
    {
        if (from > to)
            std::swap(from, to);
        return from > text.size() ? String() : String(text.substr(from, to - from));
    }

    void replace(const String &what, const String &with)
    {
        for (size_t at = 0; !what.text.empty() && (at = text.find(what.text, at)) != text.npos;
             at += with.text.size())
            text.replace(at, what.text.size(), with.text);
    }
    void remove(unsigned from, unsigned count = ~0u)
    {
        if (from < text.size())
            text.erase(from, count);
    }
    void toLowerCase()
    {
        for (char &c : text)
            c = (char)tolower((unsigned char)c);
    }
    void toUpperCase()
    {
        for (char &c : text)
            c = (char)toupper((unsigned char)c);
    }
    void trim()
    {
        static const char blanks[] = " \t\n\v\f\r";
        text.erase(0, text.find_first_not_of(blanks));
        text.erase(text.find_last_not_of(blanks) + 1);
    }
    long toInt() const { return atol(c_str()); }
    float toFloat() const { return (float)atof(c_str()); }
    double toDouble() const { return atof(c_str()); }
    void toCharArray(char *to, unsigned size, unsigned from = 0) const
    {
        if (size > 0)
            snprintf(to, size, "%s", from < text.size() ? c_str() + from : "");
    }

  private:
    std::string text;
};

#endif
