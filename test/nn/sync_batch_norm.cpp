// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE sync_batch_norm
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/parallel.hpp>
#include <espalier/simulated_cuda.hpp>

#include "support/thread_processes.hpp"

namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace esp = espalier;

namespace {

constexpr nn::norm synchronized{.sync = true};

template <class Norm>
using dense = nn::Sequential<nn::Linear<12, 20>, Norm, nn::ReLU, nn::Linear<20, 5>>;
template <nn::norm Options>
using images = nn::Sequential<nn::Conv<3, 8, esp::rows_columns{3, 3}>, nn::BatchNorm2d<8, Options>, nn::ReLU,
                              nn::Conv<8, 9, esp::rows_columns{3, 3}>, nn::BatchNorm<9, 1, Options>, nn::ReLU,
                              nn::Flatten, nn::Linear<9 * 10 * 10, 5>>;

/// Samples that depend on their number alone, far from 0 in some features.
template <class T, class Sample, int N>
struct samples;
template <class T, int... Sample, int N>
struct samples<T, esp::shape<Sample...>, N> {
  esp::tensor<T, esp::shape<N, Sample...>> x;
  esp::tensor<std::int32_t, esp::shape<N>> labels;
  explicit samples(int first) {
    constexpr int size = (Sample * ... * 1);
    for (int i = 0; i < N; ++i) {
      labels.data()[i] = ((first + i) * 7 + 3) % 5;
      for (int j = 0; j < size; ++j)
        x.data()[i * size + j] =
            static_cast<T>(((first + i) * size + j) * 7919 % 1009) / T(500) - 1 + static_cast<T>(j % 3);
    }
  }
};

struct result {
  std::vector<double> losses, gradients, parameters, buffers;
};
template <class Model, class Trainer>
void record(result& r, Model const& model, Trainer const& trainer) {
  r.gradients.assign(trainer.gradients().begin(), trainer.gradients().end());
  r.parameters.assign(model.parameters().begin(), model.parameters().end());
  r.buffers.assign(model.buffers().begin(), model.buffers().end());
}
template <class S, int N>
struct batch_of;
template <int... Sample, int N>
struct batch_of<esp::shape<Sample...>, N> {
  using type = esp::batch<N, Sample...>;
};

/// Trains P processes with N samples each.
template <class Net, class T, class Sample, int P, int N, class Device = esp::distributed<>>
std::vector<result> train(int steps) {
  std::vector<result> r(P);
  auto const errors = test::as_processes(P, [&](test::thread_process& all) {
    esp::model<Net, Device, T> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f},
                         typename batch_of<Sample, N>::type{}};
    auto& own = r[static_cast<std::size_t>(all.rank())];
    for (int s = 0; s < steps; ++s) {
      samples<T, Sample, N> const batch{(s * P + all.rank()) * N};
      own.losses.push_back(static_cast<double>(trainer.step(batch.x, batch.labels)));
    }
    record(own, model, trainer);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  return r;
}
/// Trains one process with the same samples.
template <class Net, class T, class Sample, int N>
result train_alone(int steps) {
  result r;
  esp::model<Net, esp::cpu, T> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f},
                       typename batch_of<Sample, N>::type{}};
  for (int s = 0; s < steps; ++s) {
    samples<T, Sample, N> const batch{s * N};
    r.losses.push_back(static_cast<double>(trainer.step(batch.x, batch.labels)));
  }
  record(r, model, trainer);
  return r;
}
double distance(std::vector<double> const& a, std::vector<double> const& b) {
  BOOST_TEST_REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const d = std::abs(a[i] - b[i]);
    most = d <= most ? most : d;  // NaN counts
  }
  return most;
}
void same(result const& a, result const& b) {
  BOOST_TEST(a.losses == b.losses);
  BOOST_TEST(a.gradients == b.gradients);
  BOOST_TEST(a.parameters == b.parameters);
  BOOST_TEST(a.buffers == b.buffers);
}
void close(result const& a, result const& b, double tolerance) {
  BOOST_TEST(distance(a.losses, b.losses) < tolerance);
  BOOST_TEST(distance(a.gradients, b.gradients) < tolerance);
  BOOST_TEST(distance(a.parameters, b.parameters) < tolerance);
  BOOST_TEST(distance(a.buffers, b.buffers) < tolerance);
}
/// Two and three processes with parts of a batch, and one process with the whole batch and BatchNorm.
template <class Together, class Alone, class T, class Sample>
void equals_one_process(double tolerance) {
  auto const alone = train_alone<Alone, T, Sample, 12>(4);
  auto const two = train<Together, T, Sample, 2, 6>(4), again = train<Together, T, Sample, 2, 6>(4),
             three = train<Together, T, Sample, 3, 4>(4);
  same(two[0], two[1]);
  same(two[0], again[0]);
  same(three[0], three[1]);
  same(three[0], three[2]);
  close(two[0], alone, tolerance);
  close(three[0], alone, tolerance);
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_one_process_with_all_samples) {
  equals_one_process<dense<nn::SyncBatchNorm<20>>, dense<nn::BatchNorm<20>>, double, esp::shape<12>>(1e-12);
  equals_one_process<dense<nn::BatchNorm1d<20, synchronized>>, dense<nn::BatchNorm1d<20>>, float, esp::shape<12>>(2e-5);
  equals_one_process<images<synchronized>, images<nn::norm{}>, double, esp::shape<3, 10, 10>>(1e-11);
}
// Without the exchange the processes differ, so that the test above tests it.
BOOST_AUTO_TEST_CASE(batch_norm_is_not) {
  auto const alone = train_alone<dense<nn::BatchNorm<20>>, double, esp::shape<12>, 12>(4);
  auto const two = train<dense<nn::BatchNorm<20>>, double, esp::shape<12>, 2, 6>(4);
  BOOST_TEST(distance(two[0].buffers, two[1].buffers) > 1e-3);
  BOOST_TEST(distance(two[0].parameters, alone.parameters) > 1e-3);
}
#if defined(ESPALIER_TEST_ALL)  // these differ little, and cost a compiler much (support/longer_run.hpp)
BOOST_AUTO_TEST_CASE(options) {
  constexpr nn::norm unbiased{.eps = 1e-3, .momentum = 0.3, .variance = nn::unbiased},
      untracked{.affine = false, .untracked = true};
  equals_one_process<dense<nn::SyncBatchNorm<20, 1, unbiased>>, dense<nn::BatchNorm<20, 1, unbiased>>, double,
                     esp::shape<12>>(1e-12);
  equals_one_process<dense<nn::SyncBatchNorm<20, -1, untracked>>, dense<nn::BatchNorm<20, -1, untracked>>, double,
                     esp::shape<12>>(1e-12);
  using last =
      nn::Sequential<nn::Linear<4, 6>, nn::SyncBatchNorm<6, -1, unbiased>, nn::Tanh, nn::Flatten, nn::Linear<18, 5>>;
  using last_alone =
      nn::Sequential<nn::Linear<4, 6>, nn::BatchNorm<6, -1, unbiased>, nn::Tanh, nn::Flatten, nn::Linear<18, 5>>;
  equals_one_process<last, last_alone, double, esp::shape<3, 4>>(1e-12);
}
// A layer that is called twice, and one in a block that the backward pass computes again.
struct twice {
  nn::Linear<12, 12> linear{};
  nn::SyncBatchNorm<12> norm{};
  nn::Linear<12, 5> last{};
  ESPALIER_MODULE(twice, linear, norm, last)
  constexpr auto forward(auto x) const { return last(tanh(norm(linear(tanh(norm(linear(x))))))); }
};
struct twice_alone {
  nn::Linear<12, 12> linear{};
  nn::BatchNorm<12> norm{};
  nn::Linear<12, 5> last{};
  ESPALIER_MODULE(twice_alone, linear, norm, last)
  constexpr auto forward(auto x) const { return last(tanh(norm(linear(tanh(norm(linear(x))))))); }
};
BOOST_AUTO_TEST_CASE(called_twice_and_recomputed) {
  equals_one_process<twice, twice_alone, double, esp::shape<12>>(1e-11);
  using block = nn::Sequential<nn::Linear<12, 20>, nn::SyncBatchNorm<20>, nn::Tanh>;
  using block_alone = nn::Sequential<nn::Linear<12, 20>, nn::BatchNorm<20>, nn::Tanh>;
  equals_one_process<nn::Sequential<nn::Checkpoint<block>, nn::Linear<20, 5>>,
                     nn::Sequential<nn::Checkpoint<block_alone>, nn::Linear<20, 5>>, double, esp::shape<12>>(1e-12);
}
#endif
BOOST_AUTO_TEST_CASE(threads_in_each_process) {
  auto const
      one = train<images<synchronized>, float, esp::shape<3, 10, 10>, 2, 4>(3),
      several =
          train<images<synchronized>, float, esp::shape<3, 10, 10>, 2, 4, esp::distributed<esp::cpu_parallel<2>>>(3);
  same(several[0], several[1]);
  close(one[0], several[0], 1e-4);
}

// Alone, the layer is BatchNorm, with the same bits; among processes that are one, up to rounding.
BOOST_AUTO_TEST_CASE(one_process) {
  auto const plain = train_alone<dense<nn::BatchNorm<20>>, float, esp::shape<12>, 12>(5),
             alone = train_alone<dense<nn::SyncBatchNorm<20>>, float, esp::shape<12>, 12>(5);
  same(alone, plain);
  close(train<dense<nn::SyncBatchNorm<20>>, float, esp::shape<12>, 1, 12>(5)[0], plain, 1e-5);
}

// Other devices have no kernel for it: there it is BatchNorm.
template <class Norm>
std::vector<double> losses_on_cuda() {
  std::vector<double> r;
  esp::model<dense<Norm>, esp::simulated_cuda> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<12, 12>{}};
  samples<float, esp::shape<12>, 12> const batch{0};
  for (int s = 0; s < 3; ++s) r.push_back(static_cast<double>(trainer.step(batch.x, batch.labels)));
  r.push_back(trainer.evaluate(batch.x, batch.labels).loss);
  return r;
}
BOOST_AUTO_TEST_CASE(other_devices) {
  auto const losses = losses_on_cuda<nn::SyncBatchNorm<20>>();
  BOOST_TEST(losses == losses_on_cuda<nn::BatchNorm<20>>());
  BOOST_TEST(losses[2] < losses[0]);
}

// Means that are far from 0 compared with the deviation keep the digits that BatchNorm keeps.
BOOST_AUTO_TEST_CASE(far_from_zero) {
  using net = nn::Sequential<nn::SyncBatchNorm<12>, nn::Linear<12, 5>>;
  std::vector<std::vector<float>> buffers(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<net, esp::distributed<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<50, 12>{}};
    samples<float, esp::shape<12>, 50> batch{50 * all.rank()};
    for (float& x : batch.x) x += 3000;
    trainer.step(batch.x, batch.labels);
    buffers[static_cast<std::size_t>(all.rank())].assign(model.buffers().begin(), model.buffers().end());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  esp::model<nn::Sequential<nn::BatchNorm<12>, nn::Linear<12, 5>>, esp::cpu, double> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<100, 12>{}};
  samples<double, esp::shape<12>, 100> batch{0};
  for (double& x : batch.x) x = static_cast<double>(static_cast<float>(x) + 3000.0f);
  trainer.step(batch.x, batch.labels);
  BOOST_TEST(buffers[0] == buffers[1]);
  std::vector<double> const expected(model.buffers().begin(), model.buffers().end());
  BOOST_TEST_REQUIRE(expected.size() == buffers[0].size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(std::abs(static_cast<double>(buffers[0][i]) - expected[i]) < 1e-5 * (std::abs(expected[i]) + 0.1));
}

// The gradient is the derivative of the loss of all processes, through the statistics of all.
BOOST_AUTO_TEST_CASE(derivative_of_the_loss_of_all) {
  using net = nn::Sequential<nn::Linear<12, 20>, nn::SyncBatchNorm<20>, nn::Tanh, nn::Linear<20, 14>,
                             nn::BatchNorm1d<14, synchronized>, nn::Tanh, nn::Linear<14, 5>>;
  constexpr double h = 1e-5;
  std::vector<double> difference(3), along(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    esp::model<net, esp::distributed<>, double> model{esp::seed{5}, all};
    // Other numbers of samples in each process, and so other weights.
    esp::trainer trainer{model,
                         nn::SoftmaxLoss{},
                         optim::SGD{.learning_rate = 0.0f},
                         esp::batch<3, 12>{},
                         esp::batch<5, 12>{},
                         esp::batch<9, 12>{}};
    samples<double, esp::shape<12>, 3> const three{0};
    samples<double, esp::shape<12>, 5> const five{3};
    samples<double, esp::shape<12>, 9> const nine{8};
    auto const step = [&] {
      return all.rank() == 0   ? trainer.step(three.x, three.labels)
             : all.rank() == 1 ? trainer.step(five.x, five.labels)
                               : trainer.step(nine.x, nine.labels);
    };
    auto const direction = [](std::size_t i) { return std::sin(static_cast<double>(i * i % 97) + 0.5); };
    std::vector<double> const at(model.parameters().begin(), model.parameters().end());
    auto const loss_at = [&](double t) {
      for (std::size_t i = 0; i < at.size(); ++i) model.parameters().data()[i] = at[i] + t * direction(i);
      return static_cast<double>(step());
    };
    auto const r = static_cast<std::size_t>(all.rank());
    difference[r] = (loss_at(h) - loss_at(-h)) / (2 * h);
    loss_at(0);
    for (std::size_t i = 0; i < at.size(); ++i) along[r] += trainer.gradients().data()[i] * direction(i);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  for (std::size_t r = 0; r < 3; ++r) {
    BOOST_TEST(std::abs(along[r]) > 1e-2);
    BOOST_TEST(std::abs(difference[r] - along[r]) < 1e-7);
  }
}

// Processes with other batch sizes: weights are numbers of samples.
BOOST_AUTO_TEST_CASE(second_batch_size) {
  std::vector<result> r(2);
  constexpr nn::norm options{.variance = nn::unbiased, .sync = true}, own{.variance = nn::unbiased};
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<dense<nn::BatchNorm<20, 1, options>>, esp::distributed<>, double> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<18, 12>{},
                         esp::batch<6, 12>{}};
    auto& mine = r[static_cast<std::size_t>(all.rank())];
    samples<double, esp::shape<12>, 18> const many{0};
    samples<double, esp::shape<12>, 6> const few{18};
    mine.losses.push_back(all.rank() == 0 ? trainer.step(many.x, many.labels) : trainer.step(few.x, few.labels));
    record(mine, model, trainer);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  result alone;
  esp::model<dense<nn::BatchNorm<20, 1, own>>, esp::cpu, double> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<24, 12>{}};
  samples<double, esp::shape<12>, 24> const all{0};
  alone.losses.push_back(trainer.step(all.x, all.labels));
  record(alone, model, trainer);
  same(r[0], r[1]);
  close(r[0], alone, 1e-12);
}

// Processes that have joined take part in the exchanges without samples. In the end they have the running statistics
// of those that trained longer.
BOOST_AUTO_TEST_CASE(joins) {
  std::vector<result> r(3);
  std::vector<std::int64_t> joined(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    esp::model<dense<nn::SyncBatchNorm<20>>, esp::distributed<>, double> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
    auto const me = static_cast<std::size_t>(all.rank());
    // Process 0 has three batches, process 1 two, and process 2 one.
    for (int s = 0; s < 3 - all.rank(); ++s) {
      samples<double, esp::shape<12>, 8> const batch{s * 24 + all.rank() * 8};
      trainer.step(batch.x, batch.labels);
    }
    joined[me] = trainer.join();
    joined[me] += trainer.join() * 100;  // no process trains
    record(r[me], model, trainer);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(joined == (std::vector<std::int64_t>{0, 1, 2}));
  same(r[0], r[1]);
  same(r[0], r[2]);
  // One process: batches of 24, 16 and 8 samples.
  result alone;
  esp::model<dense<nn::BatchNorm<20>>, esp::cpu, double> model{esp::seed{5}};
  esp::trainer trainer{model,
                       nn::SoftmaxLoss{},
                       optim::SGD{.learning_rate = 0.1f},
                       esp::batch<24, 12>{},
                       esp::batch<16, 12>{},
                       esp::batch<8, 12>{}};
  samples<double, esp::shape<12>, 24> const first{0};
  samples<double, esp::shape<12>, 16> const second{24};
  samples<double, esp::shape<12>, 8> const third{48};
  trainer.step(first.x, first.labels);
  trainer.step(second.x, second.labels);
  trainer.step(third.x, third.labels);
  record(alone, model, trainer);
  close(r[0], alone, 1e-12);
}
// The last process of the ranks trains longest.
BOOST_AUTO_TEST_CASE(joins_in_the_other_order) {
  std::vector<result> r(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    esp::model<dense<nn::SyncBatchNorm<20>>, esp::distributed<>, double> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (int s = 0; s < all.rank(); ++s) {
        samples<double, esp::shape<12>, 8> const batch{s * 24 + all.rank() * 8};
        trainer.step(batch.x, batch.labels, esp::queued{});
      }
      trainer.join();
    }
    record(r[static_cast<std::size_t>(all.rank())], model, trainer);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  same(r[0], r[1]);
  same(r[0], r[2]);
}

// A batch that one process rejects changes nothing on any.
BOOST_AUTO_TEST_CASE(rejected_batch) {
  std::vector<result> before(2), after(2), later(2);
  std::vector<std::string> texts(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<dense<nn::SyncBatchNorm<20>>, esp::distributed<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 12>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    samples<float, esp::shape<12>, 8> batch{all.rank() * 8};
    trainer.step(batch.x, batch.labels);
    record(before[r], model, trainer);
    std::int32_t const right = batch.labels.data()[3];
    if (all.rank() == 1) batch.labels.data()[3] = 5;
    try {
      trainer.step(batch.x, batch.labels);
    } catch (std::exception const& error) {
      texts[r] = error.what();
    }
    record(after[r], model, trainer);
    batch.labels.data()[3] = right;
    trainer.step(batch.x, batch.labels);
    record(later[r], model, trainer);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  for (std::size_t k = 0; k < 2; ++k) {
    BOOST_TEST(before[k].parameters == after[k].parameters);
    BOOST_TEST(before[k].buffers == after[k].buffers);
  }
  BOOST_TEST(
      texts[0] ==
      "process 1 of 2 rejected its batch at step 2, and its own error says why; no process has changed its model");
  BOOST_TEST(texts[1].find("expected 0 to 4, got 5") != std::string::npos, texts[1]);
  same(later[0], later[1]);
}

// A net with BatchNorm in its place is another program.
BOOST_AUTO_TEST_CASE(other_programs_are_errors) {
  auto const train_with = [](auto& model) {
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
  };
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    if (all.rank() == 0) {
      esp::model<dense<nn::SyncBatchNorm<20>>, esp::distributed<>> model{esp::seed{5}, all};
      train_with(model);
    } else {
      esp::model<dense<nn::BatchNorm<20>>, esp::distributed<>> model{esp::seed{5}, all};
      train_with(model);
    }
  });
  for (auto const& e : errors)
    BOOST_TEST(e ==
               "process 1 of 2 runs another program than process 0: another executable, net, loss, optimizer or batch");
}

namespace {
/// A process that ends within the exchange of a value: after so many collectives of channel `others`.
class ending_process : public test::thread_process {
 public:
  using thread_process::thread_process;
  int ends_after = std::numeric_limits<int>::max();
  void gather(transfer& t, channel c, void* at, pieces all) override {
    if (c == channel::others && ends_after-- == 0) throw std::runtime_error{"ended"};
    thread_process::gather(t, c, at, all);
  }
};
/// Lets process 1 of 3 end within the first exchange of step 2, or within the second. Returns the errors.
template <class Net>
void end_within(int exchange) {
  auto const where = std::make_shared<test::meeting>(3);
  std::vector<std::string> errors(3);
  std::vector<result> before(3), after(3);
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      auto const r = static_cast<std::size_t>(k);
      ending_process all{where, k};
      all.set_time_limit(0.4);
      try {
        esp::model<Net, esp::distributed<>> model{esp::seed{5}, all};
        esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 12>{}};
        samples<float, esp::shape<12>, 8> const batch{k * 8};
        trainer.step(batch.x, batch.labels);
        record(before[r], model, trainer);
        if (k == 1) all.ends_after = exchange;
        try {
          trainer.step(batch.x, batch.labels);
        } catch (std::exception const&) {
          record(after[r], model, trainer);
          throw;
        }
      } catch (std::exception const& error) {
        errors[r] = error.what();
      }
    });
  for (auto& t : threads) t.join();
  BOOST_TEST(errors[1] == "ended");
  for (std::size_t k = 0; k < 3; ++k) {
    if (k != 1)
      BOOST_TEST(errors[k] ==
                 "process " + std::to_string(k) +
                     " of 3: another process has not answered for the time limit of 400 ms at step 2 (set_time_limit)");
    BOOST_TEST(before[k].parameters == after[k].parameters);
    BOOST_TEST(before[k].buffers == after[k].buffers);
    BOOST_TEST(!before[k].buffers.empty());
  }
}
}  // namespace
BOOST_AUTO_TEST_CASE(ended_process) {
  using net =
      nn::Sequential<nn::Linear<12, 20>, nn::SyncBatchNorm<20>, nn::ReLU, nn::SyncBatchNorm<20>, nn::Linear<20, 5>>;
  for (int exchange : {0, 1, 2, 3}) end_within<net>(exchange);
}

// Evaluation reads the running statistics, in each process alone.
BOOST_AUTO_TEST_CASE(evaluation_is_that_of_batch_norm) {
  using plain = dense<nn::BatchNorm<20>>;
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<dense<nn::SyncBatchNorm<20>>, esp::distributed<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
    samples<float, esp::shape<12>, 8> const batch{8 * all.rank()};
    trainer.step(batch.x, batch.labels);
    esp::model<plain> other{esp::seed{6}};
    for (std::int64_t i = 0; i < other.parameters().size(); ++i)
      other.parameters().data()[i] = model.parameters().data()[i];
    for (std::int64_t i = 0; i < other.buffers().size(); ++i) other.buffers().data()[i] = model.buffers().data()[i];
    esp::trainer evaluated{other, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
    if (all.rank() == 0) {
      auto const a = trainer.evaluate(batch.x, batch.labels), b = evaluated.evaluate(batch.x, batch.labels);
      test::expect(a.loss == b.loss && a.correct == b.correct, "the evaluation of BatchNorm");
    }
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
}

// An update that is skipped changes no running statistics on any process; a scale of the loss leaves the gradients.
BOOST_AUTO_TEST_CASE(scaled_losses_and_skipped_updates) {
  std::vector<result> first(2), second(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<dense<nn::SyncBatchNorm<20>>, esp::distributed<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::scale_loss{optim::SGD{.learning_rate = 0.1f}, 1024.0f},
                         esp::batch<6, 12>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    samples<float, esp::shape<12>, 6> batch{6 * all.rank()};
    trainer.step(batch.x, batch.labels);
    record(first[r], model, trainer);
    if (all.rank() == 1) batch.x.data()[7] = std::numeric_limits<float>::infinity();
    trainer.step(batch.x, batch.labels);
    test::expect(trainer.skipped_updates() == 1, "a skipped update");
    record(second[r], model, trainer);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  auto const alone = train_alone<dense<nn::BatchNorm<20>>, float, esp::shape<12>, 12>(1);
  BOOST_TEST(distance(first[0].parameters, alone.parameters) < 1e-5);
  BOOST_TEST(distance(first[0].buffers, alone.buffers) < 1e-5);
  for (std::size_t r = 0; r < 2; ++r) {
    BOOST_TEST(first[r].parameters == second[r].parameters);
    BOOST_TEST(first[r].buffers == second[r].buffers);
  }
}
