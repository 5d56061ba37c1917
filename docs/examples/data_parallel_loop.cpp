// SPDX-License-Identifier: BSL-1.0
// A training loop of your own in several processes: mpirun -n 2 data_parallel_loop
// A compiled function adds the gradients of two batches, all processes average them, and an updater applies them.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/mpi.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace data = espalier::data;

using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 100>, nn::ReLU, nn::Linear<100, 10>>;
using batch = esp::batch<16, 8, 8>;  // of each process

// [function]
inline constexpr auto loss_of = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto add_batch = [](auto net, auto total, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(net, x, y);
  accumulate(total, gradients);
  return loss;
};
// [/function]

int main() try {
  esp::mpi processes;
  data::dataset<float, esp::shape<8, 8>> const pictures{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                        ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                        {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [training, test] = pictures.split(1437);
  data::loader batches{training, batch{}, data::sharded(data::shuffled{1}, processes), data::drop_last};
  esp::tensor<float, batch> const x;
  esp::tensor<std::int32_t, esp::shape<16>> const y;

  // [loop]
  esp::model<Net> model{esp::seed{1}};
  esp::optim::updater adam{model, esp::optim::Adam{}};
  esp::gradient_average average{processes, model};  // all continue with the parameters of process 0
  esp::gradients<Net> total;
  esp::tensor<float, esp::shape<>> loss;
  esp::compiled add{add_batch, model, total, x, y};
  float mean = 0;
  for (std::int64_t epoch = 0, summed = 0; epoch < 10; ++epoch) {
    for (auto const& [images, labels] : batches.epoch(epoch)) {
      if (summed == 0) total.fill(0);
      add(images, labels, loss);
      if (++summed < 2) continue;
      summed = 0;
      total *= 0.5f;
      mean = average(total, 32, loss());  // the same gradients in all processes
      adam.update(model, total);
    }
  }
  if (processes.rank() == 0) std::printf("%d processes: loss %.4f\n", processes.size(), static_cast<double>(mean));
  // [/loop]
} catch (std::exception const& error) {
  return std::fprintf(stderr, "data_parallel_loop: %s\n", error.what()), 1;
}
