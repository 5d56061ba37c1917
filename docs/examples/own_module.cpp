// SPDX-License-Identifier: BSL-1.0
// Modules of your own: parameters and a formula; a buffer that training updates; modules inside modules.
#include <cstdio>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

// [gated]
/// y = value(x) sigmoid(gate(x)).
/// shape   (..., In) -> (..., Out)
template <int In, int Out>
struct Gated {
  nn::Linear<In, Out> value, gate;
  ESPALIER_MODULE(Gated, value, gate)
  constexpr auto forward(auto x) const { return value(x) * sigmoid(gate(x)); }
};
// [/gated]

// [rescale]
/// y = x scale / peak, where peak is the largest |x| of the batch while training and its running mean while evaluating.
/// shape   S -> S; scale (1), peak (1)
struct Rescale {
  esp::parameter<esp::shape<1>, nn::init::initialized_by<nn::init::constant{2}>> scale{};
  esp::buffer<esp::shape<1>, nn::init::initialized_by<nn::init::ones{}>> peak{};
  ESPALIER_MODULE(Rescale, scale, peak)
  constexpr auto forward(auto x) const {
    if constexpr (esp::is_invalid<decltype(x)>) {
      return x;  // an error of an earlier layer: pass it on to the root, which reports it
    } else {
      auto const largest = esp::reshape<1>(max(maximum(x, -x)));
      auto const observed = [&] { return with_update(x * scale / detach(largest), peak, peak * 0.9 + largest * 0.1); };
      return by_mode(x, observed, [&] { return x * scale / peak; });
    }
  }
};
// [/rescale]

// [net]
using Net = nn::Sequential<Rescale, Gated<4, 8>, nn::Residual<Gated<8, 8>>, nn::Linear<8, 2>>;
static_assert(esp::output_shape<Net, esp::shape<16, 4>> == esp::shape<16, 2>{} &&
              esp::parameter_count<Gated<4, 8>> == 2 * (4 * 8 + 8));
// [/net]

int main() {
  esp::tensor<float, esp::shape<16, 4>> x;
  esp::tensor<float, esp::shape<16, 2>> y;
  nn::init::fill(nn::init::uniform{-4, 4}, x.span(), {.seed = 1});
  nn::init::fill(nn::init::uniform{-1, 1}, y.span(), {.seed = 2});
  // [run]
  esp::model<Net> model{esp::seed{0}};
  model.for_each_parameter(
      [](char const* name, esp::extents const& shape, auto) { std::printf("%s (%d axes)\n", name, shape.rank); });
  esp::trainer trainer{model, nn::MeanSquaredError{}, esp::optim::Adam{.learning_rate = 0.01}, esp::batch<16, 4>{}};
  // 0.9 of 1, where it starts, and 0.1 of the largest |x|
  float const before = trainer.step(x, y), peak = model.buffer("0.peak").span()[0];
  // [/run]
  float const largest = evaluate(max(maximum(x, -x)));
  float after = before;
  for (int i = 0; i < 300; ++i) after = trainer.step(x, y);
  std::printf("peak after a step %.4f; loss %.2f, after 300 more %s\n", static_cast<double>(peak),
              static_cast<double>(before), after < 0.01f ? "below 0.01" : "not");
  return esp::is_close(peak, 0.9f + 0.1f * largest) && model.parameter("0.scale").span()[0] != 2 ? 0 : 1;
}
