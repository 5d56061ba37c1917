// SPDX-License-Identifier: BSL-1.0
// A training by several processes that test/mpi/run.py starts, interrupts and compares:
//   train STEPS [--checkpoint FILE EVERY] [--end RANK STEP] [--hang RANK STEP] [--reject RANK STEP] [--throw RANK STEP] [--limit SECONDS]
// Each process prints "rank R steps S loss L parameters HASH" at the end, or "rank R error: TEXT".
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/safetensors.hpp>
#include <espalier/mpi.hpp>
#if defined(ON_DEVICE)
#include <espalier/simulated_cuda_distributed.hpp>
#endif

#include <signal.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace data = espalier::data;

#if defined(ON_DEVICE)
using device = esp::distributed<esp::simulated_cuda, 4096>;
#else
using device = esp::distributed<esp::cpu, 4096>;
#endif
#if defined(OTHER_NET)
using activation = nn::Tanh;
#else
using activation = nn::ReLU;
#endif
#if !defined(SYNC)
#define SYNC false
#endif
#if defined(SHARDED)
using optimizer = esp::optim::sharded<esp::optim::Adam>;
constexpr bool saves_together = true;
#else
using optimizer = esp::optim::Adam;
constexpr bool saves_together = false;
#endif
#if !defined(BATCH)
#define BATCH 16
#endif
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 100>, nn::BatchNorm1d<100, nn::norm{.sync = SYNC}>, activation,
                           nn::Dropout<0.2>, nn::Linear<100, 10>>;
using batch = esp::batch<BATCH, 8, 8>;

struct at_step {
  int rank = -1, step = -1;
  bool is(int r, std::int64_t s) const { return r == rank && s == step; }
};

int rank = -1;  // for the error, which comes when MPI has left

void run(int count, char** words) {
  esp::mpi processes;
  rank = processes.rank();
  int const steps = std::atoi(words[1]);
  char const* checkpoint = nullptr;
  int every = 0;
  at_step ends, hangs, rejects, throws;
  for (int i = 2; i < count; ++i) {
    auto const next = [&] { return ++i < count ? words[i] : ""; };
    auto const read = [&](at_step& to) {
      to.rank = std::atoi(next());
      to.step = std::atoi(next());
    };
    if (std::strcmp(words[i], "--checkpoint") == 0) checkpoint = next(), every = std::atoi(next());
    else if (std::strcmp(words[i], "--end") == 0) read(ends);
    else if (std::strcmp(words[i], "--hang") == 0) read(hangs);
    else if (std::strcmp(words[i], "--reject") == 0) read(rejects);
    else if (std::strcmp(words[i], "--throw") == 0) read(throws);
    else if (std::strcmp(words[i], "--limit") == 0) processes.set_time_limit(std::atof(next()));
  }
  data::dataset<float, esp::shape<8, 8>> const pictures{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                        ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                        {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  esp::model<Net, device> model{esp::seed{1}, processes};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer{esp::optim::Adam{.learning_rate = 4e-3f}}, batch{}};
  data::loader batches{pictures, batch{}, data::sharded(data::shuffled{1}, processes), data::drop_last};
  if (checkpoint != nullptr && std::filesystem::exists(checkpoint))
    esp::io::load_safetensors(checkpoint, model, trainer);
  float loss = 0;
  while (trainer.steps() < steps) {
    std::int64_t number = 0;
    for (auto const& [images, labels] : batches.epoch(trainer.steps() / batches.batches())) {
      if (number++ < trainer.steps() % batches.batches() || trainer.steps() == steps) continue;
      std::int64_t const step = trainer.steps() + 1;
      if (ends.is(processes.rank(), step)) ::kill(::getpid(), SIGKILL);
      if (throws.is(processes.rank(), step)) throw std::runtime_error{"of this process alone"};
      if (hangs.is(processes.rank(), step)) ::sleep(1000);
      esp::tensor<std::int32_t, esp::shape<BATCH>> own = labels;
      if (rejects.is(processes.rank(), step)) own.data()[0] = 10;
      loss = trainer.step(images, own);
      if (checkpoint != nullptr && trainer.steps() % every == 0 && (saves_together || processes.rank() == 0))
        esp::io::save_safetensors(checkpoint, model, trainer);
    }
  }
  std::uint64_t hash = 0xcbf29ce484222325u;
  auto const add = [&](auto const&, auto const&, auto span) {
    for (float const& x : span)
      for (std::size_t i = 0; i < sizeof x; ++i)
        hash = (hash ^ reinterpret_cast<unsigned char const*>(&x)[i]) * 0x100000001b3u;
  };
  model.for_each_parameter(add);
  if (SYNC) model.for_each_buffer(add);  // otherwise those of each process
  std::printf("rank %d steps %lld loss %.6f parameters %016" PRIx64 "\n", processes.rank(),
              static_cast<long long>(trainer.steps()), static_cast<double>(loss), hash);
}

int main(int count, char** words) try { run(count, words); } catch (std::exception const& error) {
  std::printf("rank %d error: %s\n", rank, error.what());
  return 1;
}
