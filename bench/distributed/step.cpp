// SPDX-License-Identifier: BSL-1.0
// The steps of one process of several (or of one alone), as a line of JSON:  step NET STEPS
//   NET  mlp: 784-512-512-10; resnet: needle's MLPResNet, 784-100. The batch of each process: 128 and 100, or 2 times
//        that if ALONE is defined, which trains a model of one process on the same work as two. SHARDED: the states of
//        the optimizer are divided among the processes
// Peer: step_torch.py. run.py interleaves both.
#include <espalier.hpp>
#include <espalier/mpi.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using mlp = nn::Sequential<nn::Linear<784, 512>, nn::ReLU, nn::Linear<512, 512>, nn::ReLU, nn::Linear<512, 10>>;
using resnet = nn::MLPResNet<784, 100, 3, 10, nn::use_batch_norm>;

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// Mean times of the ranges of a step, to draw a timeline of the typical step and not of one.
struct timeline {
  std::vector<esp::range_times> ranges;
  double backward = 0, ended = 0, hidden = 0;
  int steps = 0;
  void add(esp::exchange_times const& t) {
    ranges.resize(static_cast<std::size_t>(t.ranges.size()));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      auto const& r = t.ranges[static_cast<std::int64_t>(i)];
      ranges[i].bytes = r.bytes;
      ranges[i].ready += r.ready;
      ranges[i].started += r.started;
      ranges[i].summed += r.summed;
      ranges[i].finished += r.finished;
    }
    backward += t.backward_ended;
    ended += t.ended;
    hidden += t.hidden();
    ++steps;
  }
  void print() const {
    double const to_us = 1e6 / steps;
    std::printf(", \"backward_ended\": %.1f, \"ended\": %.1f, \"hidden\": %.3f, \"ranges\": [", backward * to_us,
                ended * to_us, hidden / steps);
    for (std::size_t i = 0; i < ranges.size(); ++i)
      std::printf("%s[%lld, %.1f, %.1f, %.1f, %.1f]", i > 0 ? ", " : "", static_cast<long long>(ranges[i].bytes),
                  ranges[i].ready * to_us, ranges[i].started * to_us, ranges[i].summed * to_us,
                  ranges[i].finished * to_us);
    std::printf("]");
  }
};

template <class Net, int N>
void run(int steps) {
  esp::mpi processes;
  using batch = esp::batch<N, 784>;
#if defined(ALONE)
  esp::model<Net> model{esp::seed{1}};
#else
  esp::model<Net, esp::distributed<>> model{esp::seed{1}, processes};
#endif
  esp::optim::Adam const adam{.learning_rate = 1e-3f};
#if defined(SHARDED)
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::sharded{adam}, batch{}};
#else
  esp::trainer trainer{model, nn::SoftmaxLoss{}, adam, batch{}};
#endif
  esp::tensor<float, batch> x;
  esp::tensor<std::int32_t, esp::shape<N>> y;
  for (std::int64_t i = 0; i < batch::size; ++i)
    x.data()[i] = static_cast<float>((i * 7919 + processes.rank() * 31) % 1000) / 1000 - 0.5f;
  for (int i = 0; i < N; ++i) y.data()[i] = (i * 3 + processes.rank()) % 10;
  std::vector<double> times;
  timeline drawn;
  float loss = 0;
  for (int s = 0; s < steps; ++s) {
    double const begun = processes.now();
    loss = trainer.step(x, y);
    times.push_back((processes.now() - begun) * 1e6);
#if !defined(ALONE)
    if (s >= steps / 4) drawn.add(trainer.exchange_times());
#endif
  }
  if (processes.rank() != 0) return;
  std::printf("{\"least\": %.1f, \"median\": %.1f, \"loss\": %.4f", *std::min_element(times.begin(), times.end()),
              median(times), static_cast<double>(loss));
#if !defined(ALONE)
  std::printf(", \"bytes\": %lld", static_cast<long long>(trainer.exchange_times().bytes));
  if (drawn.steps > 0) drawn.print();
#endif
  std::printf(", \"parameters\": %lld}\n", static_cast<long long>(esp::model<Net>::parameter_count));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "step NET STEPS\n"), 2;
#if defined(ALONE)
  constexpr int times = 2;
#else
  constexpr int times = 1;
#endif
  if (std::string_view{words[1]} == "mlp") run<mlp, 128 * times>(std::atoi(words[2]));
  else run<resnet, 100 * times>(std::atoi(words[2]));
}
