// SPDX-License-Identifier: BSL-1.0
// Softmax with cross-entropy in Eigen: a loop over rows, each row's exponentials computed once.
#include <Eigen/Core>

#include "harness.hpp"
#include "softmax.hpp"

namespace {

template <int N, int C>
void forward_backward(float const* scores, std::int32_t const* labels, float* loss, float* gradient) {
  // An extent that the compiler knows makes Eigen choose the widest vector that divides it: of no use for long rows of
  // 50257.
  constexpr int extent = C % 16 == 0 || C < 64 ? C : static_cast<int>(Eigen::Dynamic);
  using row = Eigen::Array<float, extent, 1>;
  float sum_of_losses = 0;
  for (int i = 0; i < N; ++i) {
    Eigen::Map<row const> const z(scores + i * C, C);
    Eigen::Map<row> d(gradient + i * C, C);
    float const most = z.maxCoeff();
    d = (z - most).exp();
    float const sum = d.sum();
    sum_of_losses += std::log(sum) - (z[labels[i]] - most);
    d *= 1 / (sum * N);
    d[labels[i]] -= 1.f / N;
  }
  *loss = sum_of_losses / N;
}

#define ROW(N, C)                                                                                         \
  {"softmax_cross_entropy_forward_backward/" #N "x" #C, "eigen", [](bench::operands o) -> bench::work {   \
     return {bench::repeated([=] { forward_backward<N, C>(o.in[0], o.labels(1), o.out[0], o.out[1]); })}; \
   }},
bench::implementation const all[] = {BENCH_SOFTMAX_SHAPES(ROW)};

}  // namespace
