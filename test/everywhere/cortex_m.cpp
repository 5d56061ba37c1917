// SPDX-License-Identifier: BSL-1.0
// What a Cortex-M needs before the C library's start: the table with the first stack and the entry, and a
// floating-point unit that is switched on.
#include <cstdint>

extern "C" {
void _start();  // of newlib: takes stack and heap from the emulator, and calls main()

void everywhere_reset() {
#if defined(__ARM_FP)
  *reinterpret_cast<std::uint32_t volatile*>(0xe000ed88u) |= 0xfu << 20;  // CPACR: coprocessors 10 and 11
  asm volatile("dsb\n\tisb" ::: "memory");
#endif
  _start();
}
/// A fault ends the program by the emulator's call "exit", with a reason that is no success.
[[noreturn]] void everywhere_fault() {
  asm volatile("mov r0, #0x18\n\tmov r1, #1\n\tbkpt 0xab" ::: "r0", "r1", "memory");
  for (;;) {}
}
#define FAULT reinterpret_cast<void const*>(&everywhere_fault)
[[gnu::section(".vectors"), gnu::used]] extern void const* const everywhere_vectors[16] = {
    reinterpret_cast<void const*>(EVERYWHERE_FIRST_STACK),
    reinterpret_cast<void const*>(&everywhere_reset),
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT,
    FAULT};
}
