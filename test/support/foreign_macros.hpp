// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Macros of widespread headers, defined to what no header survives. The library avoids these names; it hides those of
/// test/tools/hidden_macros.txt.
#define ESPALIER_GARBAGE )] \
  }                         \
  garbage of a foreign macro

// windows.h.
#undef interface
#define interface ESPALIER_GARBAGE
#undef hyper
#define hyper ESPALIER_GARBAGE
#undef pascal
#define pascal ESPALIER_GARBAGE
#undef cdecl
#define cdecl ESPALIER_GARBAGE
#undef IN
#define IN ESPALIER_GARBAGE
#undef OUT
#define OUT ESPALIER_GARBAGE
#undef OPTIONAL
#define OPTIONAL ESPALIER_GARBAGE
#undef ERROR
#define ERROR ESPALIER_GARBAGE
#undef NO_ERROR
#define NO_ERROR ESPALIER_GARBAGE
#undef TRUE
#define TRUE ESPALIER_GARBAGE
#undef FALSE
#define FALSE ESPALIER_GARBAGE
#undef DELETE
#define DELETE ESPALIER_GARBAGE
#undef CONST
#define CONST ESPALIER_GARBAGE
#undef VOID
#define VOID ESPALIER_GARBAGE
#undef STRICT
#define STRICT ESPALIER_GARBAGE
#undef THIS
#define THIS ESPALIER_GARBAGE
#undef ABSOLUTE
#define ABSOLUTE ESPALIER_GARBAGE
#undef RELATIVE
#define RELATIVE ESPALIER_GARBAGE
#undef TRANSPARENT
#define TRANSPARENT ESPALIER_GARBAGE
#undef OPAQUE
#define OPAQUE ESPALIER_GARBAGE
#undef DOMAIN
#define DOMAIN ESPALIER_GARBAGE
#undef OVERFLOW
#define OVERFLOW ESPALIER_GARBAGE
#undef UNDERFLOW
#define UNDERFLOW ESPALIER_GARBAGE
#undef DIFFERENCE
#define DIFFERENCE ESPALIER_GARBAGE
#undef IGNORE
#define IGNORE ESPALIER_GARBAGE
#undef INFINITE
#define INFINITE ESPALIER_GARBAGE
#undef MAX_PATH
#define MAX_PATH ESPALIER_GARBAGE
#undef CALLBACK
#define CALLBACK ESPALIER_GARBAGE
#undef WINAPI
#define WINAPI ESPALIER_GARBAGE

// Arduino.h.
#undef sq
#define sq(x) ESPALIER_GARBAGE
#undef constrain
#define constrain(a, b, c) ESPALIER_GARBAGE
#undef bitRead
#define bitRead ESPALIER_GARBAGE
#undef bitSet
#define bitSet ESPALIER_GARBAGE
#undef bitClear
#define bitClear ESPALIER_GARBAGE
#undef bitWrite
#define bitWrite ESPALIER_GARBAGE
#undef lowByte
#define lowByte ESPALIER_GARBAGE
#undef highByte
#define highByte ESPALIER_GARBAGE
#undef PI
#define PI ESPALIER_GARBAGE
#undef HALF_PI
#define HALF_PI ESPALIER_GARBAGE
#undef TWO_PI
#define TWO_PI ESPALIER_GARBAGE
#undef EULER
#define EULER ESPALIER_GARBAGE
#undef DEFAULT
#define DEFAULT ESPALIER_GARBAGE
#undef INTERNAL
#define INTERNAL ESPALIER_GARBAGE
#undef EXTERNAL
#define EXTERNAL ESPALIER_GARBAGE
#undef INPUT
#define INPUT ESPALIER_GARBAGE
#undef OUTPUT
#define OUTPUT ESPALIER_GARBAGE
#undef INPUT_PULLUP
#define INPUT_PULLUP ESPALIER_GARBAGE
#undef HIGH
#define HIGH ESPALIER_GARBAGE
#undef LOW
#define LOW ESPALIER_GARBAGE
#undef CHANGE
#define CHANGE ESPALIER_GARBAGE
#undef RISING
#define RISING ESPALIER_GARBAGE
#undef FALLING
#define FALLING ESPALIER_GARBAGE
#undef SERIAL
#define SERIAL ESPALIER_GARBAGE
#undef DISPLAY
#define DISPLAY ESPALIER_GARBAGE
#undef LSBFIRST
#define LSBFIRST ESPALIER_GARBAGE
#undef MSBFIRST
#define MSBFIRST ESPALIER_GARBAGE
#undef _BV
#define _BV ESPALIER_GARBAGE
#undef B0
#define B0 ESPALIER_GARBAGE
#undef B1
#define B1 ESPALIER_GARBAGE
#undef B00
#define B00 ESPALIER_GARBAGE
#undef B01
#define B01 ESPALIER_GARBAGE
#undef B10
#define B10 ESPALIER_GARBAGE
#undef B11
#define B11 ESPALIER_GARBAGE
#undef B101
#define B101 ESPALIER_GARBAGE
#undef B11111111
#define B11111111 ESPALIER_GARBAGE
#undef radians
#define radians ESPALIER_GARBAGE
#undef degrees
#define degrees ESPALIER_GARBAGE
#undef cli
#define cli ESPALIER_GARBAGE
#undef sei
#define sei ESPALIER_GARBAGE
#undef interrupts
#define interrupts ESPALIER_GARBAGE
#undef noInterrupts
#define noInterrupts ESPALIER_GARBAGE
#undef A0
#define A0 ESPALIER_GARBAGE
#undef A1
#define A1 ESPALIER_GARBAGE
#undef A2
#define A2 ESPALIER_GARBAGE
#undef A3
#define A3 ESPALIER_GARBAGE
#undef A4
#define A4 ESPALIER_GARBAGE
#undef A5
#define A5 ESPALIER_GARBAGE

// X11.
#undef None
#define None ESPALIER_GARBAGE
#undef Bool
#define Bool ESPALIER_GARBAGE
#undef Status
#define Status ESPALIER_GARBAGE
#undef Success
#define Success ESPALIER_GARBAGE
#undef Above
#define Above ESPALIER_GARBAGE
#undef Below
#define Below ESPALIER_GARBAGE
#undef Convex
#define Convex ESPALIER_GARBAGE
#undef Complex
#define Complex ESPALIER_GARBAGE
#undef Nonconvex
#define Nonconvex ESPALIER_GARBAGE
#undef Unsorted
#define Unsorted ESPALIER_GARBAGE
#undef GrayScale
#define GrayScale ESPALIER_GARBAGE
#undef KeyPress
#define KeyPress ESPALIER_GARBAGE
#undef FocusIn
#define FocusIn ESPALIER_GARBAGE
#undef FocusOut
#define FocusOut ESPALIER_GARBAGE
#undef Expose
#define Expose ESPALIER_GARBAGE
#undef CurrentTime
#define CurrentTime ESPALIER_GARBAGE
#undef Button1
#define Button1 ESPALIER_GARBAGE

// termios.h, the compilers' own with GNU extensions, Qt, sys/param.h.
#undef ECHO
#define ECHO ESPALIER_GARBAGE
#undef CR0
#define CR0 ESPALIER_GARBAGE
#undef CR1
#define CR1 ESPALIER_GARBAGE
#undef CR2
#define CR2 ESPALIER_GARBAGE
#undef CR3
#define CR3 ESPALIER_GARBAGE
#undef NL0
#define NL0 ESPALIER_GARBAGE
#undef NL1
#define NL1 ESPALIER_GARBAGE
#undef TAB0
#define TAB0 ESPALIER_GARBAGE
#undef TAB1
#define TAB1 ESPALIER_GARBAGE
#undef TAB2
#define TAB2 ESPALIER_GARBAGE
#undef TAB3
#define TAB3 ESPALIER_GARBAGE
#undef BS0
#define BS0 ESPALIER_GARBAGE
#undef BS1
#define BS1 ESPALIER_GARBAGE
#undef VT0
#define VT0 ESPALIER_GARBAGE
#undef VT1
#define VT1 ESPALIER_GARBAGE
#undef FF0
#define FF0 ESPALIER_GARBAGE
#undef FF1
#define FF1 ESPALIER_GARBAGE
#undef B50
#define B50 ESPALIER_GARBAGE
#undef B75
#define B75 ESPALIER_GARBAGE
#undef B110
#define B110 ESPALIER_GARBAGE
#undef B9600
#define B9600 ESPALIER_GARBAGE
#undef linux
#define linux ESPALIER_GARBAGE
#undef unix
#define unix ESPALIER_GARBAGE
#undef foreach
#define foreach ESPALIER_GARBAGE
#undef forever
#define forever ESPALIER_GARBAGE
#undef howmany
#define howmany ESPALIER_GARBAGE
#undef roundup
#define roundup ESPALIER_GARBAGE
