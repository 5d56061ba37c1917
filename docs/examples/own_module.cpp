// SPDX-License-Identifier: BSL-1.0
// Modules of one's own: parameters and a formula; a buffer that training updates; modules inside modules.
#include <espalier.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace init = espalier::nn::init;

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
  esp::parameter<esp::shape<1>, init::initialized_by<init::constant{2}>> scale{};
  esp::buffer<esp::shape<1>, init::initialized_by<init::ones{}>> peak{};
  ESPALIER_MODULE(Rescale, scale, peak)

  constexpr auto forward(auto x) const {
    if constexpr (esp::is_refused<decltype(x)>) {
      return x;  // a mistake further up: let it travel to the one place that says it
    } else {
      auto const largest = esp::reshape<1>(max(maximum(x, -x)));
      auto const training = with_update(x * scale / detach(largest), peak, peak * 0.9 + largest * 0.1);
      return by_mode(training, x * scale / peak);
    }
  }
};
// [/rescale]

// [net]
using Net = nn::Sequential<Gated<4, 8>, Rescale, nn::Residual<Gated<8, 8>>, nn::Linear<8, 2>>;

static_assert(esp::output_shape<Net, esp::shape<16, 4>> == esp::shape<16, 2>{});
static_assert(esp::parameter_count<Gated<4, 8>> == 2 * (4 * 8 + 8));
static_assert(esp::parameter_count<Net> == 80 + 1 + 144 + 18);
// [/net]

int main() {
  // [run]
  esp::model<Net> model{esp::seed{0}};
  model.for_each_parameter([](char const* name, esp::extents const& shape, auto) { std::printf("%s (%d axes)\n", name, shape.rank); });
  bool good = model.parameter("0.gate.bias").shape() == esp::extents{2, {1, 8}} && model.parameter("1.scale").span()[0] == 2;
  good = good && model.buffer("1.peak").span()[0] == 1;

  esp::trainer trainer{model, nn::MeanSquaredError{}, esp::optim::Adam{.learning_rate = 0.01}, esp::batch<16, 4>{}};
  // [/run]
  esp::tensor<float, esp::shape<16, 4>> x;
  esp::tensor<float, esp::shape<16, 2>> y;
  init::fill(init::uniform{-1, 1}, x.span(), {.seed = 1});
  init::fill(init::uniform{-1, 1}, y.span(), {.seed = 2});

  // What the first step will observe: the largest absolute value that layer 0 gives.
  esp::model<Gated<4, 8>> first{esp::seed{0}};
  for (auto const* name : {"value.weight", "value.bias", "gate.weight", "gate.bias"}) {
    char path[32];
    std::snprintf(path, sizeof path, "0.%s", name);
    auto const to = first.parameter(name).span();
    auto const from = model.parameter(path).span();
    for (int i = 0; i < to.size(); ++i) to[i] = from[i];
  }
  esp::tensor<float, esp::shape<>> const largest = max(maximum(first(x), -first(x)));

  float const before = trainer.step(x, y);
  float const peak = model.buffer("1.peak").span()[0];
  good = good && esp::math::abs(peak - (0.9f + 0.1f * largest[0])) < 1e-5f;
  float after = before;
  for (int i = 0; i < 300; ++i) after = trainer.step(x, y);
  std::printf("peak after a step %.4f; loss %.4f, after 300 more %.4f\n", static_cast<double>(peak), static_cast<double>(before),
              static_cast<double>(after));
  return good && after < 0.2f * before && model.parameter("1.scale").span()[0] != 2 ? 0 : 1;
}
