// SPDX-License-Identifier: BSL-1.0
// One small net for the handwritten digits with seven choices of normalisation, and what each reaches with inputs of
// two scales.
//   norms_together [--seed N] [--epochs N] [--data DIR]
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include "support/train.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

// [net]
// A digit is an image of one channel.
struct AsImages {
  ESPALIER_MODULE(AsImages)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 1, 8, 8>(x); }
};
using Convolution = nn::Conv<1, 8, 3, nn::conv{.stride = 2}>;  // (N, 1, 8, 8) -> (N, 8, 4, 4)
using Hidden = nn::Linear<8 * 4 * 4, 32>;

// Convolution, norm, ReLU; Linear, norm, ReLU; Linear.
template <class AfterConvolution, class AfterLinear, class First = Convolution, class Second = Hidden>
using Net = nn::Sequential<AsImages, First, AfterConvolution, nn::ReLU, nn::Flatten, Second, AfterLinear, nn::ReLU,
                           nn::Linear<32, 10>>;
// [/net]

// [choices]
using Plain = Net<nn::Identity, nn::Identity>;
using Batch = Net<nn::BatchNorm2d<8>, nn::BatchNorm1d<32>>;
using Layer = Net<nn::LayerNorm<esp::shape<8, 4, 4>>, nn::LayerNorm1d<32>>;

// By layer type: the convolution's channels over the batch, the features of the linear layer in each example.
using ByLayerType = Net<nn::BatchNorm2d<8>, nn::LayerNorm1d<32>>;

// One after the other: LayerNorm normalises the result of BatchNorm again, example by example.
using OneAfterTheOther = Net<nn::Sequential<nn::BatchNorm2d<8>, nn::LayerNorm<esp::shape<8, 4, 4>>>,
                             nn::Sequential<nn::BatchNorm1d<32>, nn::LayerNorm1d<32>>>;

// No statistics of a batch: two groups of four channels, and the features of the linear layer.
using Groups = Net<nn::GroupNorm<2, 8>, nn::LayerNorm1d<32>>;

// Weight normalisation is no layer: it wraps layers that have weights.
using Weights = Net<nn::Identity, nn::Identity, nn::WeightNorm<Convolution>, nn::WeightNorm<Hidden>>;
// [/choices]

// [training]
/// Trains four fresh nets by plain gradient descent and returns the mean share of the test digits that they get right.
template <class Choice, class Digits>
double accuracy_of(Digits const& digits, examples::arguments const& chosen) {
  auto const [training, test] = digits.split(1437);
  double accuracy = 0;
  for (std::uint64_t seed = chosen.seed; seed < chosen.seed + 4; ++seed) {
    esp::model<Choice> model{esp::seed{seed}};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0.1}, esp::batch<32, 8, 8>{}};
    data::loader batches{training, esp::batch<32, 8, 8>{}, data::shuffled{seed}, data::drop_last};
    data::loader test_batches{test, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
    for (int epoch = 0; epoch < chosen.epochs; ++epoch)
      for (auto const& [pictures, labels] : batches.epoch(epoch)) trainer.step(pictures, labels);
    accuracy += examples::accuracy(trainer, test_batches) / 4;
  }
  return accuracy;
}
// [/training]

int main(int count, char** words) try {
  auto const chosen = examples::parse(count, words, {.epochs = 10, .data = ESPALIER_DATA});
  examples::path const pictures{chosen.data, "optdigits-images-idx3-ubyte"},
      labels{chosen.data, "optdigits-labels-idx1-ubyte"};

  // The same pictures twice: pixels from -1 to 1, and from -64 to 64.
  using digits = data::dataset<float, esp::shape<8, 8>>;
  digits const usual{pictures.text, labels.text, {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  digits const large{pictures.text, labels.text, {.classes = 10, .scale = 8, .shift = -64}};

  bool good = true;
  std::printf("mean test accuracy of four nets           pixels -1 to 1   -64 to 64\n");
  auto const compare = [&]<class Choice>(std::type_identity<Choice>, char const* name, bool scale_counts) {
    double const with_usual = accuracy_of<Choice>(usual, chosen), with_large = accuracy_of<Choice>(large, chosen);
    std::printf("%-32s %19.3f %14.3f\n", name, with_usual, with_large);
    std::fflush(stdout);
    good = good && with_usual > 0.5 && scale_counts == !(with_large > 0.5);
  };
  compare(std::type_identity<Plain>{}, "no norm", true);
  compare(std::type_identity<Weights>{}, "weight norm", true);
  compare(std::type_identity<Batch>{}, "batch norm", false);
  compare(std::type_identity<Layer>{}, "layer norm", false);
  compare(std::type_identity<Groups>{}, "group norm, layer norm", false);
  compare(std::type_identity<ByLayerType>{}, "batch and layer, by layer type", false);
  compare(std::type_identity<OneAfterTheOther>{}, "batch, then layer", false);
  return good ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "norms_together: %s\n", error.what());
  return 1;
}
