// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../../base/everywhere.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {
namespace on_cpu::detail {

/// What the processor does with subnormal numbers and roundings. Threads that help (parallel.hpp) take it over from the caller, since it changes
/// results.
#if defined(__SSE__)
ESPALIER_INLINE std::uint64_t float_control() { return __builtin_ia32_stmxcsr() & ~0x3fu; }  // without the flags that say what happened
ESPALIER_INLINE void float_control(std::uint64_t bits) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
ESPALIER_INLINE std::uint64_t float_control() {
  std::uint64_t bits;
  __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
  return bits;
}
ESPALIER_INLINE void float_control(std::uint64_t bits) { __asm__ volatile("msr fpcr, %0" : : "r"(bits)); }
#else
ESPALIER_INLINE std::uint64_t float_control() { return 0; }
ESPALIER_INLINE void float_control(std::uint64_t) {}
#endif

#if defined(__SSE__)
inline constexpr std::uint64_t subnormals_to_zero = 0x8040;  // results (FTZ) and operands (DAZ)
#elif defined(__aarch64__)
inline constexpr std::uint64_t subnormals_to_zero = std::uint64_t{1} << 24;
#else
inline constexpr std::uint64_t subnormals_to_zero = 0;
#endif
/// Computations on memory stay on their side of it.
ESPALIER_INLINE void keep_order() { __asm__ volatile("" : : : "memory"); }

}  // namespace on_cpu::detail

/// While it lives, the thread that made it takes subnormal numbers, operands and results, for 0: arithmetic with them is up to a hundred times slower on many
/// processors, which a real-time callback notices when its input falls silent.
///
///     void callback() noexcept { esp::flush_subnormals const flushing; predict(input, output); }
///
/// range    on processors other than x86-64 (SSE) and aarch64 it does nothing, and `flushes` is false
/// threads  that of the construction alone, and those that help it (cpu_parallel); it ends where it began
/// source   Intel 64 Software Developer's Manual, MXCSR; Arm Architecture Reference Manual, FPCR
class flush_subnormals {
 public:
  static constexpr bool flushes = on_cpu::detail::subnormals_to_zero != 0;

  flush_subnormals() noexcept : before_{on_cpu::detail::float_control()} {
    on_cpu::detail::float_control(before_ | on_cpu::detail::subnormals_to_zero);
    on_cpu::detail::keep_order();
  }
  ~flush_subnormals() {
    on_cpu::detail::keep_order();
    on_cpu::detail::float_control(before_);
  }
  flush_subnormals(flush_subnormals const&) = delete;
  flush_subnormals& operator=(flush_subnormals const&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace espalier
#pragma GCC diagnostic pop
