// SPDX-License-Identifier: BSL-1.0
// Trains a residual net on 1,437 handwritten digits of 8x8 pixels and tests it on 360 digits that other people wrote.
//   digits [--seed N] [--epochs N] [--data DIR] [--out DIR]
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#if defined(ESPALIER_DIGITS_CUDA)
#include <espalier/cuda.hpp>
#endif

#include "support/train.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

// One line changes the normalisation of a whole net: the programs digits and digits_layernorm are the same source.
#if defined(ESPALIER_DIGITS_LAYERNORM)
using Norm = nn::use_layer_norm;
#else
using Norm = nn::use_batch_norm;
#endif

// And one chooses the device: the program digits_cuda is this source, too.
#if defined(ESPALIER_DIGITS_CUDA)
using Device = esp::cuda;
#else
using Device = esp::cpu;
#endif

using Classifier = nn::Sequential<nn::Flatten, nn::MLPResNet<8 * 8, 64, 3, 10, Norm>>;

int main(int count, char** words) try {
  auto const chosen = examples::parse(count, words, {.data = ESPALIER_DATA});

  // Both files are read and checked: their format, the size of a picture, every label. Pixels 0 to 16 become -1 to 1.
  data::dataset<float, esp::shape<8, 8>> const digits{examples::path{chosen.data, "optdigits-images-idx3-ubyte"}.text,
                                                      examples::path{chosen.data, "optdigits-labels-idx1-ubyte"}.text,
                                                      {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [training, test] = digits.split(1437);

  esp::model<Classifier, Device> model{esp::seed{chosen.seed}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f, .weight_decay = 1e-3f}, esp::batch<32, 8, 8>{}};

  // Each epoch has an order of its own and leaves out the 29 pictures that do not fill a batch. Testing pads its last batch instead.
  data::loader batches{training, esp::batch<32, 8, 8>{}, data::shuffled{chosen.seed}, data::drop_last};
  data::loader seen{training, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  data::loader unseen{test, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  examples::train(trainer, batches, seen, unseen, chosen);
} catch (std::exception const& error) {
  std::fprintf(stderr, "digits: %s\n", error.what());
  return 1;
}
