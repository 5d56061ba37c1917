// SPDX-License-Identifier: BSL-1.0
// The products in OpenBLAS.
#include <cblas.h>

#include "harness.hpp"
#include "matmul.hpp"

namespace {

#define ROW(NAME, TA, TB, M, N, K)                                                                                     \
  {NAME, "openblas",                                                                                                   \
   [](bench::operands o) -> bench::work {                                                                              \
     return {bench::repeated([=] {                                                                                     \
       cblas_sgemm(CblasRowMajor, TA ? CblasTrans : CblasNoTrans, TB ? CblasTrans : CblasNoTrans, M, N, K, 1, o.in[0], \
                   TA ? M : K, o.in[1], TB ? K : N, 0, o.out[0], N);                                                   \
     })};                                                                                                              \
   },                                                                                                                  \
   bench::library},
bench::implementation const all[] = {BENCH_MATMUL_ROWS(ROW)};

}  // namespace
