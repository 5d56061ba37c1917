// SPDX-License-Identifier: BSL-1.0
// The products in Eigen.
#include <Eigen/Core>

#include "harness.hpp"
#include "matmul.hpp"

namespace {

using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using input_map = Eigen::Map<matrix const, Eigen::Aligned64>;

template <bool TA, bool TB, int M, int N, int K>
void product(float const* a, float const* b, float* c) {
  input_map const A(a, TA ? K : M, TA ? M : K), B(b, TB ? N : K, TB ? K : N);
  Eigen::Map<matrix, Eigen::Aligned64> C(c, M, N);
  if constexpr (TA && TB) C.noalias() = A.transpose() * B.transpose();
  else if constexpr (TA) C.noalias() = A.transpose() * B;
  else if constexpr (TB) C.noalias() = A * B.transpose();
  else C.noalias() = A * B;
}

#define ROW(NAME, TA, TB, M, N, K)                                                            \
  {NAME, "eigen", [](bench::operands o) -> bench::work {                                      \
     return {bench::repeated([=] { product<TA, TB, M, N, K>(o.in[0], o.in[1], o.out[0]); })}; \
   }},
bench::implementation const all[] = {BENCH_MATMUL_ROWS(ROW)};

}  // namespace
