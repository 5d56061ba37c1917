// SPDX-License-Identifier: BSL-1.0
// Nets whose frames stack_frames.py measures: large products in both directions, convolutions by Winograd's method, by
// tiles, by taps and in groups, loops over rows.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

template <int Samples, class Batch, class Net>
void use(float const* images, std::int32_t const* labels, float* scores) {
  static esp::model<Net> model{esp::seed{0}};
  static esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, Batch{}};
  static esp::predictor predictor{model, Batch{}};
  static esp::frozen frozen{model, Batch{}};
  esp::view<float const, Batch> const x{images};
  esp::view<float, esp::shape<Samples, 10>> const y{scores};
  trainer.step(x, esp::view<std::int32_t const, esp::shape<Samples>>{labels});
  predictor(x, y);
  frozen(x, y);
}

using Perceptron = nn::Sequential<nn::Linear<784, 512>, nn::ReLU, nn::Linear<512, 512>, nn::ReLU, nn::Linear<512, 10>>;
using Normed =
    nn::Sequential<nn::Linear<13, 64>, nn::Tanh, nn::LayerNorm1d<64>, nn::Linear<64, 64>, nn::Tanh, nn::Linear<64, 10>>;
using Images = nn::Sequential<nn::ConvBN<1, 16, 3>, nn::ConvBN<16, 32, 3, nn::conv{.stride = 2}>, nn::ConvBN<32, 32, 3>,
                              nn::ConvBN<32, 32, 5>, nn::Flatten, nn::Linear<32 * 14 * 14, 10>>;
using Groups = nn::Sequential<nn::ConvBN<8, 32, 1>, nn::ConvBN<32, 32, 3, nn::conv{.groups = 32}>,
                              nn::ConvBN<32, 64, 3, nn::conv{.stride = 2, .groups = 4}>, nn::ConvBN<64, 64, 3>,
                              nn::Flatten, nn::Linear<64 * 4 * 4, 10>>;

}  // namespace

void use_all(float const* images, std::int32_t const* labels, float* scores) {
  use<64, esp::batch<64, 784>, Perceptron>(images, labels, scores);
  use<8, esp::batch<8, 13>, Normed>(images, labels, scores);
  use<8, esp::batch<8, 1, 28, 28>, Images>(images, labels, scores);
  use<8, esp::batch<8, 8, 8, 8>, Groups>(images, labels, scores);
}
