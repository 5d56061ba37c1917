// SPDX-License-Identifier: BSL-1.0
// The products in oneDNN: dnnl_sgemm.
#include <dnnl.h>

#include "harness.hpp"
#include "matmul.hpp"

namespace {

#define ROW(NAME, TA, TB, M, N, K)                                                                                   \
  {NAME, "onednn",                                                                                                   \
   [](bench::operands o) -> bench::work {                                                                            \
     return {bench::repeated([=] {                                                                                   \
       dnnl_sgemm(TA ? 'T' : 'N', TB ? 'T' : 'N', M, N, K, 1, o.in[0], TA ? M : K, o.in[1], TB ? K : N, 0, o.out[0], \
                  N);                                                                                                \
     })};                                                                                                            \
   },                                                                                                                \
   bench::library},
bench::implementation const all[] = {BENCH_MATMUL_ROWS(ROW)};

}  // namespace
