// SPDX-License-Identifier: BSL-1.0
// Trains a residual net on 1,437 handwritten digits of 8x8 pixels and tests it on 360 digits that other people wrote.
//   digits [--seed N] [--epochs N] [--data DIR] [--out DIR] [--save FILE] [--load FILE]
#include <espalier/data/loader.hpp>

#include "support/classifier.hpp"
#include "support/train.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

int main(int count, char** words) try {
  auto const chosen = examples::parse(count, words, {.data = ESPALIER_DATA, .files = digits::has_files});

  // Both files are read and checked: their format, the size of a picture, every label. Pixels 0 to 16 become -1 to 1.
  data::dataset<float, esp::shape<8, 8>> const pictures{examples::path{chosen.data, "optdigits-images-idx3-ubyte"}.text,
                                                        examples::path{chosen.data, "optdigits-labels-idx1-ubyte"}.text,
                                                        {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [training, test] = pictures.split(1437);

  digits::Model model{esp::seed{chosen.seed}};
  digits::Trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f, .weight_decay = 1e-3f},
                          digits::batch{}};
  if constexpr (digits::has_files)
    if (chosen.load != nullptr) digits::load(chosen.load, model, trainer);

  // Each epoch has an order of its own and leaves out the 29 pictures that do not fill a batch. Testing pads its last
  // batch instead.
  data::loader batches{training, digits::batch{}, data::shuffled{model.initial_seed().value}, data::drop_last};
  data::loader training_batches{training, digits::batch{}, data::in_order{}, data::padded};
  data::loader test_batches{test, digits::batch{}, data::in_order{}, data::padded};
  examples::train(trainer, batches, training_batches, test_batches, chosen);
  if constexpr (digits::has_files)
    if (chosen.save != nullptr) digits::save(chosen.save, model, trainer);
} catch (std::exception const& error) {
  std::fprintf(stderr, "digits: %s\n", error.what());
  return 1;
}
