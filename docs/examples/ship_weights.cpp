// SPDX-License-Identifier: BSL-1.0
// Trains a small net on handwritten digits and writes its weights as a header of C++, which shipped_weights.cpp runs
// without files, heap and exceptions.
//   ship_weights [FILE]
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/header.hpp>

#include <cstdio>

#include "support/digits_net.hpp"

namespace esp = espalier;
namespace optim = espalier::optim;
namespace data = espalier::data;
namespace io = espalier::io;

int main(int count, char** words) try {
  char const* const path = count > 1 ? words[1] : "digits_weights.hpp";
  data::dataset<float, esp::shape<8, 8>> const digits{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                      ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                      {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [training, test] = digits.split(1437);
  data::loader batches{training, esp::batch<32, 8, 8>{}, data::shuffled{0}, data::drop_last};
  data::loader test_batches{test, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};

  // [train]
  esp::model<DigitsNet> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 3e-3f, .weight_decay = 1e-3f},
                       esp::batch<32, 8, 8>{}};
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);
  // [/train]

  std::int64_t correct = 0;
  for (auto const& [images, labels, rows] : test_batches.epoch(0))
    correct += trainer.evaluate(images, labels, rows).correct;
  double const accuracy = static_cast<double>(correct) / static_cast<double>(test.size());
  std::printf("%.3f of the test digits right\n", accuracy);

  // [write]
  io::write_header(path, model, "digits_weights");
  // [/write]
  std::printf("%lld parameters: %s\n", static_cast<long long>(esp::parameter_count<DigitsNet>), path);
  return accuracy > 0.86 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "ship_weights: %s\n", error.what());
  return 1;
}
