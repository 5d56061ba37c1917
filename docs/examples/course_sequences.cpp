// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's page 14: LayerNorm in recurrent nets.
#include <espalier.hpp>

#include <cmath>
#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

namespace {

using state = tensor<double, shape<1, 32>>;
using matrix = tensor<double, shape<32, 32>>;

// [steps]
// The same layer a hundred times, without an activation, and the same with a LayerNorm in each step.
inline constexpr auto plain = [](auto h, auto w) {
  return esp::repeat<100>([&](auto const& s) { return matmul(s, w); }, h);
};
inline constexpr auto normed = [](auto h, auto w) {
  return esp::repeat<100>([&](auto const& s) { return esp::normalize<-1>(matmul(s, w), 0.0); }, h);
};
// [/steps]

/// Root mean square of all elements.
template <class X>
double size_of(X const& x) {
  double const mean_square = evaluate(mean(x * x));
  return std::sqrt(mean_square);
}

/// Normal weights, so that a step keeps the size of its input on average if the factor is 1.
matrix weights(double factor) {
  matrix w;
  nn::init::fill(nn::init::normal{}, w.span(), {.seed = 1});
  return w * (factor / std::sqrt(32.0));
}

// [gradient]
/// The gradient of y . dy with respect to the first state.
template <auto Steps>
inline constexpr auto weighted = [](auto h, auto w, auto dy) { return sum(Steps(h, w) * dy); };
// [/gradient]

// [moving]
// 2048 sequences of independent standard normal inputs x, and the state h = 0.95 h + x of each: its variance after each
// step, over the sequences.
inline constexpr auto variances = [](auto xs) {
  auto const [last, hs] = esp::scan(
      [](auto const& h, auto const& x) {
        auto const next = 0.95 * h + x;
        return std::tuple{next, next};
      },
      esp::zeros<shape<2048>>(xs), xs);
  auto const centred = hs - esp::reshape<60, 1>(mean<1>(hs));
  return mean<1>(centred * centred);
};
// [/moving]

}  // namespace

namespace {
examples::recorded out;
}

int main(int count, char** words) {
  state h, dy;
  nn::init::fill(nn::init::normal{}, h.span(), {.seed = 2});
  nn::init::fill(nn::init::normal{}, dy.span(), {.seed = 3});
  out.print("size of the state after 100 steps\n");
  for (double const factor : {0.8, 1.0, 1.2}) {
    matrix const w = weights(factor);
    state a, b;
    esp::compiled{plain, h, w}(h, w, a);
    esp::compiled{normed, h, w}(h, w, b);
    out.print("  weights times %.1f: %.1e plain, %.3f with LayerNorm\n", factor, size_of(a), size_of(b));
  }

  tensor<double, shape<60, 2048>> xs;
  nn::init::fill(nn::init::normal{}, xs.span(), {.seed = 4});
  tensor<double, shape<60>> found;
  esp::compiled{variances, xs}(xs, found);
  out.print("variance of a state after 1, 5, 20 and 60 steps: %.1f, %.1f, %.1f, %.1f\n", found[0], found[4], found[19],
            found[59]);

  out.print("gradient of the first of 100 states\n");
  for (double const factor : {0.8, 1.0, 1.2}) {
    matrix const w = weights(factor);
    auto const by_plain = esp::grad<0>(weighted<plain>)(h, w, dy);
    auto const by_normed = esp::grad<0>(weighted<normed>)(h, w, dy);
    out.print("  weights times %.1f: %.1e plain, %.1e with LayerNorm\n", factor, size_of(by_plain), size_of(by_normed));
  }
  return out.finish(count, words);
}
