// SPDX-License-Identifier: BSL-1.0
// Trains a small convolutional net on 1,437 handwritten digits of 8x8 pixels and tests it on 360 digits that other
// people wrote.
//   digits_resnet [--seed N] [--epochs N] [--data DIR] [--out DIR]
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include "support/train.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

// A picture is an image of one channel. Channels last is how convolutions read images at speed, and with one channel it
// is the same memory.
struct AsImages {
  ESPALIER_MODULE(AsImages)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 8, 8, 1>(x); }
};

template <int Channels>
using Block = nn::Residual<nn::Sequential<nn::ConvBN<Channels, Channels, 3, nn::conv{.layout = esp::nhwc}>,
                                          nn::ConvBN<Channels, Channels, 3, nn::conv{.layout = esp::nhwc}>>>;

using Classifier = nn::Sequential<AsImages, nn::ConvBN<1, 16, 3, nn::conv{.layout = esp::nhwc}>, Block<16>,
                                  nn::ConvBN<16, 32, 3, nn::conv{.stride = 2, .layout = esp::nhwc}>, Block<32>,
                                  nn::GlobalAvgPool<esp::nhwc>, nn::Linear<32, 10>>;
static_assert(esp::output_shape<Classifier, esp::shape<32, 8, 8>> == esp::shape<32, 10>{});

int main(int count, char** words) try {
  auto const chosen = examples::parse(count, words, {.data = ESPALIER_DATA});

  data::dataset<float, esp::shape<8, 8>> const digits{examples::path{chosen.data, "optdigits-images-idx3-ubyte"}.text,
                                                      examples::path{chosen.data, "optdigits-labels-idx1-ubyte"}.text,
                                                      {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [training, test] = digits.split(1437);

  esp::model<Classifier> model{esp::seed{chosen.seed}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f}, esp::batch<32, 8, 8>{}};

  data::loader batches{training, esp::batch<32, 8, 8>{}, data::shuffled{chosen.seed}, data::drop_last};
  data::loader training_batches{training, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  data::loader test_batches{test, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  examples::train(trainer, batches, training_batches, test_batches, chosen);
} catch (std::exception const& error) {
  std::fprintf(stderr, "digits_resnet: %s\n", error.what());
  return 1;
}
