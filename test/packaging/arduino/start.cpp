// SPDX-License-Identifier: BSL-1.0
// The beginning of a program on a Cortex-M4 in an emulator: the table that the processor reads at address 0, and a
// function that switches the arithmetic unit for floating point on before the C library starts.
#include <stdint.h>

extern "C" {
void _start();
[[noreturn]] void stopped() {
  for (;;) {}
}
void reset() {
  *reinterpret_cast<uint32_t volatile*>(0xE000ED88u) |= 0xFu << 20;  // CPACR: full access to coprocessors 10 and 11
  __asm__ volatile("dsb\n isb");
  _start();
}
extern void (*const vectors[16])();
__attribute__((section(".vectors"))) void (*const vectors[16])() = {
    reinterpret_cast<void (*)()>(0x20400000u), reset, stopped, stopped, stopped, stopped, stopped};
}
