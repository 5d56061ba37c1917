// SPDX-License-Identifier: BSL-1.0
// Several processes train one model, each on its part of every batch: mpirun -n 2 data_parallel
// It goes on from its last checkpoint.
//   data_parallel [CHECKPOINT [EPOCHS]]
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/safetensors.hpp>
#include <espalier/mpi.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace data = espalier::data;

// [net]
using Net = nn::Sequential<nn::Flatten, nn::MLPResNet<64, 100, 3, 10, nn::use_batch_norm>>;
using batch = esp::batch<32, 8, 8>;  // of each process
// [/net]

int main(int count, char** words) try {
  esp::mpi processes;
  char const* const path = count > 1 ? words[1] : nullptr;
  data::dataset<float, esp::shape<8, 8>> const pictures{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                        ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                        {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [training, test] = pictures.split(1437);

  // [train]
  esp::model<Net, esp::distributed<>> model{esp::seed{1}, processes};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{.weight_decay = 1e-3f}, batch{}};
  data::loader batches{training, batch{}, data::sharded(data::shuffled{1}, processes), data::drop_last};
  data::loader test_batches{test, batch{}, data::sharded(data::in_order{}, processes), data::padded};
  if (path != nullptr && std::filesystem::exists(path)) esp::io::load_safetensors(path, model, trainer);

  std::int64_t const epochs = count > 2 ? std::atoi(words[2]) : 5;
  for (auto epoch = trainer.steps() / batches.batches(); epoch < epochs; ++epoch) {
    float loss = 0;
    for (auto const& [images, labels] : batches.epoch(epoch)) loss = trainer.step(images, labels);
    esp::evaluation own;
    for (auto const& [images, labels, real] : test_batches.epoch(0)) own += trainer.evaluate(images, labels, real);
    esp::evaluation const all = esp::all_reduce(processes, own);
    if (processes.rank() == 0)
      std::printf("%d processes, epoch %lld: loss %.4f, test accuracy %.3f\n", processes.size(),
                  static_cast<long long>(epoch) + 1, static_cast<double>(loss), all.accuracy());
    if (processes.rank() == 0 && path != nullptr) esp::io::save_safetensors(path, model, trainer);
  }
  // [/train]
} catch (std::exception const& error) {
  std::fprintf(stderr, "data_parallel: %s\n", error.what());
  return 1;
}
