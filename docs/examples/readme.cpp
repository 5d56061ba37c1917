// SPDX-License-Identifier: BSL-1.0
// The program of README.md. Run it in the root of the repository.
// [program]
#include <cstdio>
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
namespace esp = espalier;
namespace nn = espalier::nn;
namespace data = espalier::data;

using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Dropout<0.1>,
                           nn::Linear<32, 10>>;
static_assert(esp::output_shape<Net, esp::batch<32, 8, 8>> == esp::shape<32, 10>{});

int main() {
  data::dataset<float, esp::shape<8, 8>> const digits{"docs/examples/data/optdigits-images-idx3-ubyte",
                                                      "docs/examples/data/optdigits-labels-idx1-ubyte",
                                                      {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [train_set, test_set] = digits.split(1437);
  data::loader batches{train_set, esp::batch<32, 8, 8>{}, data::shuffled{0}, data::drop_last};
  data::loader tests{test_set, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};

  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-3}, esp::batch<32, 8, 8>{}};
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);

  std::int64_t correct = 0;
  for (auto const& [images, labels, count] : tests.epoch(0)) correct += trainer.evaluate(images, labels, count).correct;
  std::printf("accuracy %.3f on 360 digits by other writers\n", static_cast<double>(correct) / 360);
}
// [/program]
