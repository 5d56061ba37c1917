// SPDX-License-Identifier: BSL-1.0
// The net of digits.cpp on pictures of 28x28 pixels: MNIST's four files, or others of that form (Fashion-MNIST),
// unpacked.
//   mnist --data DIR [--seed N] [--epochs N] [--out DIR]
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include "support/train.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

using Classifier = nn::Sequential<nn::Flatten, nn::MLPResNet<28 * 28, 64, 3, 10>>;
using pictures = data::dataset<float, esp::shape<28, 28>>;

int main(int count, char** words) try {
  auto const chosen = examples::parse(count, words, {.epochs = 5});

  data::reading const options{.classes = 10, .scale = 2.0 / 255, .shift = -1};
  pictures const training{examples::path{chosen.data, "train-images-idx3-ubyte"}.text,
                          examples::path{chosen.data, "train-labels-idx1-ubyte"}.text, options};
  pictures const test{examples::path{chosen.data, "t10k-images-idx3-ubyte"}.text,
                      examples::path{chosen.data, "t10k-labels-idx1-ubyte"}.text, options};

  esp::model<Classifier> model{esp::seed{chosen.seed}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f, .weight_decay = 1e-3f},
                       esp::batch<32, 28, 28>{}};

  data::loader batches{training, esp::batch<32, 28, 28>{}, data::shuffled{chosen.seed}, data::drop_last};
  data::loader training_batches{training, esp::batch<32, 28, 28>{}, data::in_order{}, data::padded};
  data::loader test_batches{test, esp::batch<32, 28, 28>{}, data::in_order{}, data::padded};
  examples::train(trainer, batches, training_batches, test_batches, chosen);
} catch (std::exception const& error) {
  std::fprintf(stderr, "mnist: %s\n", error.what());
  return 1;
}
