// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/supported.hpp"

/// Computes large matrix products with a CBLAS if ESPALIER_CBLAS is defined and one is linked. The shape decides at
/// compile time.

#include <cstdint>

#if defined(ESPALIER_CBLAS)
#include <cblas.h>
#endif

namespace espalier::on_cpu::detail {

#if defined(ESPALIER_CBLAS)

/// From about 640 x 640 x 640 on, a BLAS may measure faster (docs/benchmarks). Below, the kernels of this folder are as
/// fast or faster, and need no library call. They also apply the epilogue while the result is in the L1 cache.
template <class T, std::int64_t M, std::int64_t N, std::int64_t K>
inline constexpr bool by_cblas = M* N* K >= (std::int64_t{1} << 28) && M >= 64 && N >= 64 && K >= 64;

/// c[m, n] = op(a) op(b), row-major, with the operands of `contract`.
inline void cblas_product(bool transpose_a, bool transpose_b, int m, int n, int k, float const* a, float const* b,
                          float* c) {
  cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, m, n, k,
              1, a, transpose_a ? m : k, b, transpose_b ? k : n, 0, c, n);
}
inline void cblas_product(bool transpose_a, bool transpose_b, int m, int n, int k, double const* a, double const* b,
                          double* c) {
  cblas_dgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, m, n, k,
              1, a, transpose_a ? m : k, b, transpose_b ? k : n, 0, c, n);
}

#else

template <class T, std::int64_t M, std::int64_t N, std::int64_t K>
inline constexpr bool by_cblas = false;
template <class T>
void cblas_product(bool, bool, int, int, int, T const*, T const*, T*) {}

#endif

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
