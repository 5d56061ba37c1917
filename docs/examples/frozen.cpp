// SPDX-License-Identifier: BSL-1.0
// A small net learns a curve, is frozen, and answers one sample at a time without its model.
#include <espalier.hpp>
#include <espalier/model/frozen.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

// [net]
using Net = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Linear<32, 32>, nn::BatchNorm1d<32>,
                           nn::ReLU, nn::Linear<32, 4>>;
using one = esp::batch<1, 16>;
// [/net]
using Bare = nn::Sequential<nn::Linear<16, 32>, nn::ReLU, nn::Linear<32, 32>, nn::ReLU, nn::Linear<32, 4>>;

// [facts]
using frozen_net = esp::frozen<esp::model<Net>, one>;
static_assert(frozen_net::kernel_count == 3);  // one for each Linear: its norm and its ReLU are in it
static_assert(frozen_net::parameter_bytes == esp::frozen<esp::model<Bare>, one>::parameter_bytes);
// [/facts]

namespace {

/// Four waves over sixteen places, each sample shifted.
void fill(float shift, float* x, float* y) {
  for (int i = 0; i < 16; ++i) x[i] = std::sin(shift + 0.4f * static_cast<float>(i));
  for (int i = 0; i < 4; ++i) y[i] = std::cos(shift * static_cast<float>(i + 1));
}
template <class F>
double nanoseconds(F&& f) {
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) f();
    double const elapsed =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / 1000;
    best = elapsed < best ? elapsed : best;
  }
  return best;
}

}  // namespace

int main() {
  auto model = std::make_unique<esp::model<Net>>(esp::seed{0});
  {
    esp::trainer trainer{*model, nn::MeanSquaredError{}, optim::Adam{.learning_rate = 1e-2}, esp::batch<64, 16>{}};
    esp::tensor<float, esp::shape<64, 16>> x;
    esp::tensor<float, esp::shape<64, 4>> y;
    for (int step = 0; step < 400; ++step) {
      for (int n = 0; n < 64; ++n)
        fill(0.1f * static_cast<float>((n * 37 + step * 11) % 63), x.data() + 16 * n, y.data() + 4 * n);
      trainer.step(x, y);
    }
  }
  esp::tensor<float, one> x;
  esp::tensor<float, esp::shape<1, 4>> reference, scores, expected;
  fill(0.7f, x.data(), reference.data());

  // [frozen]
  esp::predictor predict{*model, one{}};
  esp::frozen net{*model, one{}};  // computes what the parameters alone decide, and keeps it
  predict(x, expected);
  net(x, scores);  // noexcept, never allocates; the same up to rounding
  // [/frozen]
  bool right = esp::all_close(scores, expected, 1e-4, 1e-4);
  std::printf("predictor %.1f ns, frozen %.1f ns\n", nanoseconds([&] { predict(x, expected); }),
              nanoseconds([&] { net(x, scores); }));

  // [narrow]
  esp::model<Net, esp::cpu, esp::bfloat16> narrow;
  copy(*model, narrow);  // every number rounded
  esp::predictor smaller{narrow, one{}};
  smaller(x, scores);  // inputs, sums and results are float
  // [/narrow]
  right = right && esp::all_close(scores, expected, 0.1, 0.1);

  model.reset();
  for (float& score : scores.span()) score = 0;
  net(x, scores);
  right = right && esp::all_close(scores, expected, 1e-4, 1e-4);
  for (int i = 0; i < 4; ++i)
    std::printf("%7.3f expected, %7.3f found\n", static_cast<double>(reference[i]), static_cast<double>(scores[i]));
  return right ? 0 : 1;
}
