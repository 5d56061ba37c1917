// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/bits.hpp"
#include "../../../base/host_device.hpp"

ESPALIER_PRECISE_BEGIN
namespace espalier::on_cpu::detail {

/// a * b + c of one lane, with the fused instruction if the processor has it and the program permits it.
#if defined(__FP_FAST_FMAF) && !defined(ESPALIER_SEPARATE_ROUNDING)
ESPALIER_INLINE float fused_lane(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
ESPALIER_INLINE float fused_lane(float a, float b, float c) { return ESPALIER_AS_WRITTEN(a * b + c); }
#endif
#if defined(__FP_FAST_FMA) && !defined(ESPALIER_SEPARATE_ROUNDING)
ESPALIER_INLINE double fused_lane(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
ESPALIER_INLINE double fused_lane(double a, double b, double c) { return ESPALIER_AS_WRITTEN(a * b + c); }
#endif

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
