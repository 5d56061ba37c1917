// SPDX-License-Identifier: BSL-1.0
// The program of the README. It is started in the root of the repository, where the digits are at docs/examples/data.
// [program]
#include <cstdio>
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
namespace esp = espalier;
namespace nn = espalier::nn;
namespace data = espalier::data;

using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::BatchNorm1d<32>, nn::ReLU,
                           nn::Residual<nn::Sequential<nn::Linear<32, 32>, nn::ReLU>>, nn::Linear<32, 10>>;
static_assert(esp::output_shape<Net, esp::shape<32, 8, 8>> == esp::shape<32, 10>{});

int main() {
  data::dataset<float, esp::shape<8, 8>> const digits{"docs/examples/data/optdigits-images-idx3-ubyte", "docs/examples/data/optdigits-labels-idx1-ubyte",
                                                      {.classes = 10, .scale = 0.125, .shift = -1}};  // pixels 0 to 16 become -1 to 1
  auto const [known, unseen] = digits.split(1437);
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-3}, esp::batch<32, 8, 8>{}};
  data::loader batches{known, esp::batch<32, 8, 8>{}, data::shuffled{0}, data::drop_last};
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);
  data::loader tests{unseen, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  int correct = 0;
  for (auto const& [images, labels, count] : tests.epoch(0)) correct += static_cast<int>(trainer.evaluate(images, labels, count).correct);
  std::printf("%d of 360 digits of other writers read correctly\n", correct);
}
// [/program]
