// SPDX-License-Identifier: BSL-1.0
// Macros as widespread headers define them, for header_alone.py: espalier compiles behind them, and they are the same
// behind it. Of headers that contradict each other, the first one counts.

// windows.h without NOMINMAX.
#define near
#define far
#define small char
#define interface struct
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define IN
#define OUT
#define OPTIONAL
#define ERROR 0
#define DELETE (0x00010000L)
#define TRANSPARENT 1
#define Size 4

// complex.h with GNU extensions.
#define complex _Complex
#define I (__extension__ 1.0iF)

// Arduino.h.
#define abs(x) ((x) > 0 ? (x) : -(x))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define bit(b) (1UL << (b))
#define word(...) makeWord(__VA_ARGS__)
#define F(string_literal) (reinterpret_cast<__FlashStringHelper const*>(PSTR(string_literal)))
#define sq(x) ((x) * (x))
#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))
#define radians(deg) ((deg)*DEG_TO_RAD)
#define degrees(rad) ((rad)*RAD_TO_DEG)
#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define DEFAULT 1
#define B0 0
#define B1 1
#define B11111111 255
#define isnan __builtin_isnan
#define isinf __builtin_isinf

// X11/X.h, X11/Xlib.h.
#define Bool int
#define Status int
#define True 1
#define False 0
#define None 0L
#define Success 0
#define Always 2
#define Complex 0
#define Convex 2
#define Above 0
#define Below 1
#define Data 1

// ncurses.h without NCURSES_NOMACROS.
#define box(win, v, h) wborder(win, v, v, h, h, 0, 0, 0, 0)
#define clear() wclear(stdscr)
#define erase() werase(stdscr)
#define move(y, x) wmove(stdscr, (y), (x))
#define timeout(delay) wtimeout(stdscr, (delay))
#define echo() wecho()
#define columns CUR Numbers[0]
#define lines CUR Numbers[2]

// Qt.
#define signals public
#define slots
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)

// Unreal Engine, glog, test frameworks.
#define check(expr)                \
  {                                \
    if (!(expr)) __builtin_trap(); \
  }
#define verify(expr)               \
  {                                \
    if (!(expr)) __builtin_trap(); \
  }
#define ensure(expr) (expr)
#define TEXT(x) L##x
#define CHECK(condition) (condition)
#define LOG(severity) severity
#define REQUIRE(...) (__VA_ARGS__)
#define require(assertion, label) \
  if (!(assertion)) goto label
#define fail() __builtin_trap()

// Rinternals.h without R_NO_REMAP, perl.h, gettext.
#define length Rf_length
#define error Rf_error
#define warning Rf_warning
#define eval Rf_eval
#define match Rf_match
#define install Rf_install
#define duplicate Rf_duplicate
#define seed() Perl_seed(aTHX)
#define _(text) gettext(text)

// sys/sysmacros.h, the compilers' own, and what programs define.
#define major(dev) gnu_dev_major(dev)
#define minor(dev) gnu_dev_minor(dev)
#define unix 1
#define linux 1
#define N 64
#define M 3
#define T float
#define all(x) (x).begin(), (x).end()
#define sz(x) (int)(x).size()
#define rows 8
#define value 1
#define likely(x) __builtin_expect(!!(x), 1)
#define PI 3.1415926535897932384626433832795
#define swap(a, b) \
  do {             \
    auto t = a;    \
    a = b;         \
    b = t;         \
  } while (0)
