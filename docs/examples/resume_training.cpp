// SPDX-License-Identifier: BSL-1.0
// Training that is interrupted and goes on from a file ends with the same bits as training that never stopped.
//   resume_training [FILE]
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/safetensors.hpp>

#include <cstdio>
#include <cstring>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;
namespace io = espalier::io;

// Dropout draws, BatchNorm observes, Adam remembers: all of that has to come back, too.
using Net = nn::Sequential<nn::Flatten, nn::Linear<8 * 8, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Dropout<0.2>,
                           nn::Linear<32, 10>>;
using batch = esp::batch<32, 8, 8>;
using digits = data::dataset<float, esp::shape<8, 8>>;

constexpr int epochs = 6, interrupted_after = 2;
constexpr auto rate = optim::cosine{.from = 4e-3, .to = 1e-4, .over = epochs * 56};

// [train]
// Where training stands is said by the trainer's steps: the epoch, its order of samples and the learning rate follow
// from them.
template <class Trainer>
void train(Trainer& trainer, auto const& samples, int until) {
  data::loader batches{samples, batch{}, data::shuffled{1}, data::drop_last};
  for (auto epoch = trainer.steps() / batches.batches(); epoch < until; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) {
      trainer.learning_rate() = rate(trainer.steps());
      trainer.step(images, labels);
    }
}
// [/train]

int main(int count, char** words) try {
  char const* const path = count > 1 ? words[1] : "resume_training.safetensors";
  digits const pictures{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                        ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                        {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const adam = optim::Adam{.weight_decay = 1e-3f};

  esp::model<Net> straight{esp::seed{3}};
  esp::trainer whole{straight, nn::SoftmaxLoss{}, adam, batch{}};
  train(whole, pictures, epochs);

  // [save]
  {
    esp::model<Net> model{esp::seed{3}};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, adam, batch{}};
    train(trainer, pictures, interrupted_after);
    io::save_safetensors(path, model, trainer);
  }  // The program could end here.
  // [/save]

  // [load]
  esp::model<Net> model;
  esp::trainer trainer{model, nn::SoftmaxLoss{}, adam, batch{}};
  io::load_safetensors(path, model, trainer);
  train(trainer, pictures, epochs);
  // [/load]

  auto const same = [](auto const& a, auto const& b) {
    return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
  };
  bool const right = same(straight.parameters(), model.parameters()) && same(straight.buffers(), model.buffers()) &&
                     whole.steps() == trainer.steps();
  std::printf("%lld steps without a stop, %lld with one after epoch %d: %s bits\n",
              static_cast<long long>(whole.steps()), static_cast<long long>(trainer.steps()), interrupted_after,
              right ? "the same" : "other");
  return right ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "resume_training: %s\n", error.what());
  return 1;
}
