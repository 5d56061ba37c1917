// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../../../base/host_device.hpp"

namespace espalier {
namespace on_cpu::detail {

/// The control bits of the processor for subnormal numbers and rounding. Threads that help (parallel.hpp) copy them
/// from the caller, because they change results.
#if defined(__SSE__)
// without the exception flags
ESPALIER_INLINE std::uint64_t float_control() { return __builtin_ia32_stmxcsr() & ~0x3fu; }
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

#if defined(ESPALIER_SEPARATE_ROUNDING)
inline constexpr std::uint64_t subnormals_to_zero = 0;  // not every processor can
#elif defined(__SSE__)
inline constexpr std::uint64_t subnormals_to_zero = 0x8040;  // results (FTZ) and operands (DAZ)
#elif defined(__aarch64__)
inline constexpr std::uint64_t subnormals_to_zero = std::uint64_t{1} << 24;
#else
inline constexpr std::uint64_t subnormals_to_zero = 0;
#endif
/// Whether subnormal operands and results are 0 already. On x86, reading the control bits waits for all arithmetic
/// before it, whose exceptions are in the same register: that takes a stream of an LSTM 10 ns a step. Two operations
/// whose results depend on the bits do not wait.
ESPALIER_INLINE bool flushes_subnormals() {
#if defined(__SSE__) && !defined(ESPALIER_SEPARATE_ROUNDING)
  float subnormal = 0x1p-130f, smallest = 0x1p-126f;
  __asm__ volatile("" : "+x"(subnormal), "+x"(smallest));
  if (subnormal != 0) return false;
  float half = smallest * 0.5f;
  __asm__ volatile("" : "+x"(half));
  return __builtin_bit_cast(unsigned, half) == 0;
#else
  return (float_control() & subnormals_to_zero) == subnormals_to_zero;
#endif
}
/// A compiler barrier: computations on memory stay on their side of it.
ESPALIER_INLINE void keep_order() { __asm__ volatile("" : : : "memory"); }

}  // namespace on_cpu::detail

/// While an object of this class exists, the thread that made it treats subnormal operands and results as 0. Arithmetic
/// with them is up to a hundred times slower on many processors, which delays a real-time callback when its input falls
/// silent.
///
///     void callback() noexcept { esp::flush_subnormals const flushing; predict(input, output); }
///
/// inside   the life of another one, and where the bits are set anyway, it sets nothing and costs almost nothing
/// range    on processors other than x86-64 (SSE) and aarch64, and with ESPALIER_SEPARATE_ROUNDING, it does nothing,
///          and `flushes` is false
/// threads  only the thread that constructs it, and those that help it (cpu_parallel); destroy it in the same thread
/// source   Intel 64 Software Developer's Manual, MXCSR; Arm Architecture Reference Manual, FPCR
class flush_subnormals {
 public:
  static constexpr bool flushes = on_cpu::detail::subnormals_to_zero != 0;

  ESPALIER_INLINE flush_subnormals() noexcept : sets_{!on_cpu::detail::flushes_subnormals()} {
    if (sets_) {
      before_ = on_cpu::detail::float_control();
      on_cpu::detail::float_control(before_ | on_cpu::detail::subnormals_to_zero);
    }
    on_cpu::detail::keep_order();
  }
  ESPALIER_INLINE ~flush_subnormals() {
    on_cpu::detail::keep_order();
    if (sets_) on_cpu::detail::float_control(before_);
  }
  flush_subnormals(flush_subnormals const&) = delete;
  flush_subnormals& operator=(flush_subnormals const&) = delete;

 private:
  bool sets_;  ///< not inside the life of another object
  std::uint64_t before_ = 0;
};

}  // namespace espalier
#include "../../../base/diagnostics_pop.hpp"
