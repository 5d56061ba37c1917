// SPDX-License-Identifier: BSL-1.0
#pragma once
// A stand-in for Arduino.h of a core with the old macros: names that a library must bear, and the functions that the
// examples call. What is printed goes to the standard output, which semihosting leads out of the emulator.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define INPUT_PULLUP 0x2
#define PI 3.1415926535897932384626433832795
#define HALF_PI 1.5707963267948966192313216916398
#define TWO_PI 6.283185307179586476925286766559
#define DEG_TO_RAD 0.017453292519943295769236907684886
#define RAD_TO_DEG 57.295779513082320876798154814105
#define EULER 2.718281828459045235360287471352
#define SERIAL 0x0
#define DISPLAY 0x1
#define LSBFIRST 0
#define MSBFIRST 1
#define CHANGE 1
#define FALLING 2
#define RISING 3
#define INTERNAL 3
#define DEFAULT 1
#define EXTERNAL 0
#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2
#define B0 0
#define B1 1
#define B00 0
#define B01 1
#define B10 2
#define B11 3
#define B101 5
#define B0000 0
#define B1111 15
#define B11111111 255
#ifdef abs
#undef abs
#endif
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define abs(x) ((x) > 0 ? (x) : -(x))
#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define radians(deg) ((deg)*DEG_TO_RAD)
#define degrees(rad) ((rad)*RAD_TO_DEG)
#define sq(x) ((x) * (x))
#define interrupts() ((void)0)
#define noInterrupts() ((void)0)
#define lowByte(w) ((uint8_t)((w)&0xff))
#define highByte(w) ((uint8_t)((w) >> 8))
#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#define bitSet(value, bit) ((value) |= (1UL << (bit)))
#define bitClear(value, bit) ((value) &= ~(1UL << (bit)))
#define bitToggle(value, bit) ((value) ^= (1UL << (bit)))
#define bitWrite(value, bit, bitvalue) (bitvalue ? bitSet(value, bit) : bitClear(value, bit))
#define bit(b) (1UL << (b))
#define word(high, low) ((uint16_t)((high) << 8 | (low)))
#define PSTR(s) (s)
#define F(string_literal) (string_literal)

typedef bool boolean;
typedef uint8_t byte;

inline long random(long low, long high) { return low + rand() % (high - low); }
inline void delay(unsigned long) {}

struct SerialPort {
  void begin(unsigned long) {}
  void print(char const* text) { fputs(text, stdout); }
  void println(int number) { printf("%d\n", number); }
  void println(double number, int places) { printf("%.*f\n", places, number); }
};
static SerialPort Serial;

void setup();
void loop();
