// SPDX-License-Identifier: BSL-1.0
// One half of a program of two: -DUNIT names its only function. Uses eager expressions, a gradient, training and
// prediction.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

int UNIT(float* results);

namespace {
template <class Tensor>
void append(float*& out, Tensor const& values) {
  for (float value : values) *out++ = value;
}
}  // namespace

inline constexpr auto energy = [](auto a, auto b) { return sum(a * b + exp(a)); };

using Net = nn::Sequential<nn::Linear<8, 6>, nn::LayerNorm1d<6>,
                           nn::Residual<nn::Sequential<nn::Linear<6, 6>, nn::ReLU>>, nn::Linear<6, 3>>;

/// Writes everything it computed, and returns how many numbers that are.
int UNIT(float* results) {
  float* out = results;

  esp::tensor<float, esp::shape<2, 4>> a{{0.1f, 0.2f, 0.3f, 0.4f}, {0.5f, 0.6f, 0.7f, 0.8f}};
  esp::tensor<float, esp::shape<2, 4>> b{{1, 2, 3, 4}, {5, 6, 7, 8}};
  esp::tensor<float, esp::shape<2, 4>> c = tanh(a * b + exp(a));
  append(out, c);
  auto [da, db] = esp::grad(energy)(a, b);
  append(out, da);
  append(out, db);

  esp::model<Net> model{esp::seed{7}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-2f}, esp::batch<4, 8>{}};
  esp::tensor<float, esp::shape<4, 8>> x;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) x(i, j) = static_cast<float>((i * 5 + j * 3) % 7) * 0.25f - 0.5f;
  esp::tensor<std::int32_t, esp::shape<4>> labels{0, 2, 1, 2};
  for (int step = 0; step < 3; ++step) *out++ = trainer.step(x, labels);

  esp::tensor<float, esp::shape<4, 3>> scores;
  esp::predictor predict{model, esp::batch<4, 8>{}};
  predict(x, scores);
  append(out, scores);
  return static_cast<int>(out - results);
}
