// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

// g++ says whether the processor has fused instructions; clang does not, on every processor.
#if defined(ESPALIER_SEPARATE_ROUNDING) && !defined(__CUDACC__) && \
    (defined(__clang__) || defined(__FP_FAST_FMA) || defined(__FP_FAST_FMAF))
/// 1 if the compiler may fuse a product and a sum where the program writes both.
#define ESPALIER_MAY_FUSE 1
#include <exception>

#include "host_device.hpp"
#include "raise.hpp"
#else
#define ESPALIER_MAY_FUSE 0
#endif

/// ESPALIER_SEPARATE_ROUNDING: define it for every source file of a program, and its numbers have the same bits on
/// every processor of IEEE 754, whatever its registers. Products and sums are rounded separately, kernels have packs of
/// 16 bytes, which fix the order of sums, and no function of the C library takes part. Subnormal numbers are kept.
///
/// compiler  -ffp-contract=off is required where the processor has fused instructions; -ffast-math does not compile
/// errors    rounding_error if the compiler fuses: models, trainers and predictors test it when they get their memory
/// range     sin and cos beyond one million are those of the C library
/// cost      kernels have no registers wider than 16 bytes and no fused instructions; sin, cos and pow are computed in
///           double, number by number
namespace espalier {

#if ESPALIER_MAY_FUSE
/// rounding_error: ESPALIER_SEPARATE_ROUNDING is defined, but the compiler fuses products and sums.
class rounding_error : public std::exception {
 public:
  [[nodiscard]] char const* what() const noexcept override {
    return "espalier: with ESPALIER_SEPARATE_ROUNDING, expected products and sums that are rounded separately, but the compiler "
           "fuses them: compile with -ffp-contract=off";
  }
};
#endif

namespace detail {

/// Tests whether this translation unit rounds (1 + e)(1 - e) before it subtracts 1. No macro of the compilers
/// tells.
#if ESPALIER_MAY_FUSE
ESPALIER_INLINE void check_separate_rounding() {
  double above = 1 + 0x1p-30, below = 1 - 0x1p-30, one = 1;
  asm volatile("" : "+m"(above), "+m"(below), "+m"(one));
  double const rest = above * below - one;
  if (rest != 0) raise(rounding_error{});
}
#else
constexpr void check_separate_rounding() {}
#endif

}  // namespace detail
}  // namespace espalier
#include "diagnostics_pop.hpp"
