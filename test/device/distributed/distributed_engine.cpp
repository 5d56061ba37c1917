// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE distributed_engine
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/parallel.hpp>

#include "support/divided_samples.hpp"
#include "support/thread_processes.hpp"

namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace esp = espalier;

namespace {

using net = nn::Sequential<nn::Linear<12, 40>, nn::BatchNorm1d<40>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<40, 33>,
                           nn::Tanh, nn::Linear<33, 5>>;
using plain_net =
    nn::Sequential<nn::Linear<12, 40>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<40, 33>, nn::Tanh, nn::Linear<33, 5>>;

template <int N>
using samples = test::divided_samples<N, 12>;

template <class Model>
std::vector<float> numbers_of(Model const& model) {
  std::vector<float> r(model.parameters().begin(), model.parameters().end());
  r.insert(r.end(), model.buffers().begin(), model.buffers().end());
  return r;
}

struct result {
  std::vector<float> numbers, losses;
};
/// Trains on `steps` batches of N samples for each of P processes. Returns the numbers of each, and its losses.
template <class Net, class Device, int P, int N>
std::vector<result> train(int steps) {
  std::vector<result> r(P);
  auto const errors = test::as_processes(P, [&](test::thread_process& all) {
    esp::model<Net, Device> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<N, 12>{}};
    auto& own = r[static_cast<std::size_t>(all.rank())];
    for (int s = 0; s < steps; ++s) {
      samples<N> const batch{(s * P + all.rank()) * N};
      own.losses.push_back(trainer.step(batch.images, batch.labels));
    }
    own.numbers = numbers_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  return r;
}
template <class Net, int N>
auto train_alone(int steps) {
  esp::model<Net> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<N, 12>{}};
  std::vector<float> losses;
  for (int s = 0; s < steps; ++s) {
    samples<N> const batch{s * N};
    losses.push_back(trainer.step(batch.images, batch.labels));
  }
  return std::pair{numbers_of(model), losses};
}
double distance(std::vector<float> const& a, std::vector<float> const& b) {
  BOOST_TEST_REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, static_cast<double>(std::abs(a[i] - b[i])));
  return most;
}

}  // namespace

// A distributed model of one process is a model.
BOOST_AUTO_TEST_CASE(one_process) {
  auto const together = train<net, esp::distributed<>, 1, 24>(7);
  auto const [numbers, losses] = train_alone<net, 24>(7);
  BOOST_TEST(together[0].numbers == numbers);
  BOOST_TEST(together[0].losses == losses);
}

// Every process ends with the same bits, in every run, and they are those of one process with all samples but for
// rounding, dropout included.
BOOST_AUTO_TEST_CASE(same_bits_on_all) {
  auto const two = train<plain_net, esp::distributed<esp::cpu, 256>, 2, 12>(9),
             again = train<plain_net, esp::distributed<esp::cpu, 256>, 2, 12>(9);
  auto const three = train<plain_net, esp::distributed<esp::cpu, 256>, 3, 8>(9);
  auto const four = train<plain_net, esp::distributed<>, 4, 6>(9);
  auto const [numbers, losses] = train_alone<plain_net, 24>(9);
  BOOST_TEST(two[0].numbers == two[1].numbers);
  BOOST_TEST(two[0].losses == two[1].losses);
  BOOST_TEST(two[0].numbers == again[0].numbers);
  for (auto const& r : three) BOOST_TEST(r.numbers == three[0].numbers);
  for (auto const& r : four) BOOST_TEST(r.numbers == four[0].numbers);
  for (auto const* some : {&two[0], &three[0], &four[0]}) {
    BOOST_TEST(distance(some->numbers, numbers) < 2e-4);
    BOOST_TEST(distance(some->losses, losses) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(threads_in_each_process) {
  auto const one = train<net, esp::distributed<>, 2, 12>(3),
             several = train<net, esp::distributed<esp::cpu_parallel<2>>, 2, 12>(3);
  BOOST_TEST(distance(one[0].numbers, several[0].numbers) < 1e-4);
  BOOST_TEST(several[0].losses == several[1].losses);
}

// Running statistics are those of each process; parameters are the same.
BOOST_AUTO_TEST_CASE(statistics_of_each_process) {
  auto const r = train<net, esp::distributed<>, 2, 12>(3);
  constexpr auto parameters = static_cast<std::size_t>(esp::model<net>::parameter_bytes / sizeof(float));
  BOOST_TEST(std::vector<float>(r[0].numbers.begin(), r[0].numbers.begin() + parameters) ==
             std::vector<float>(r[1].numbers.begin(), r[1].numbers.begin() + parameters));
  BOOST_TEST(r[0].numbers != r[1].numbers);
}

// Batches of different sizes: the mean over all samples.
BOOST_AUTO_TEST_CASE(weights_are_numbers_of_samples) {
  std::vector<float> together(2);
  std::vector<std::vector<float>> numbers(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<plain_net, esp::distributed<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<18, 12>{},
                         esp::batch<6, 12>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    if (r == 0) together[r] = trainer.step(samples<18>{0}.images, samples<18>{0}.labels);
    else together[r] = trainer.step(samples<6>{18}.images, samples<6>{18}.labels);
    numbers[r] = numbers_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  esp::model<plain_net> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<24, 12>{}};
  samples<24> const all{0};
  float const loss = trainer.step(all.images, all.labels);
  BOOST_TEST(together[0] == together[1]);
  BOOST_TEST(std::abs(loss - together[0]) < 1e-6);
  BOOST_TEST(numbers[0] == numbers[1]);
  BOOST_TEST(distance(numbers[0], numbers_of(model)) < 1e-6);
}

// A process with fewer batches joins, and the others train with theirs alone.
BOOST_AUTO_TEST_CASE(joins) {
  std::vector<std::vector<float>> numbers(3);
  std::vector<std::int64_t> joined(3), steps(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    esp::model<net, esp::distributed<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 12>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (int s = 0; s < 2 + all.rank(); ++s) {
        samples<8> const batch{s * 24 + all.rank() * 8};
        if (epoch == 0) trainer.step(batch.images, batch.labels);
        else trainer.step(batch.images, batch.labels, esp::queued{});
      }
      joined[r] += trainer.join();
    }
    steps[r] = trainer.steps();
    numbers[r].assign(model.parameters().begin(), model.parameters().end());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(joined == (std::vector<std::int64_t>{4, 2, 0}));
  BOOST_TEST(steps == (std::vector<std::int64_t>{8, 8, 8}));
  BOOST_TEST(numbers[0] == numbers[1]);
  BOOST_TEST(numbers[0] == numbers[2]);
}

// A batch that one process rejects changes nothing on any, and training goes on.
template <class Net>
void reject_a_batch() {
  std::vector<std::vector<float>> before(2), after(2), later(2);
  std::vector<std::string> texts(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<Net, esp::distributed<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 12>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    samples<8> batch{all.rank() * 8};
    trainer.step(batch.images, batch.labels);
    before[r] = numbers_of(model);
    auto const random_steps = model.random_steps();
    std::int32_t const right = batch.labels.data()[3];
    if (all.rank() == 1) batch.labels.data()[3] = 5;
    try {
      trainer.step(batch.images, batch.labels);
    } catch (std::exception const& error) {
      texts[r] = error.what();
    }
    after[r] = numbers_of(model);
    test::expect(model.random_steps() == random_steps, "the random numbers of the next step");
    test::expect(trainer.steps() == 1, "one step");
    batch.labels.data()[3] = right;
    trainer.step(batch.images, batch.labels);
    later[r].assign(model.parameters().begin(), model.parameters().end());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(before == after);
  BOOST_TEST(
      texts[0] ==
      "process 1 of 2 rejected its batch at step 2, and its own error says why; no process has changed its model");
  BOOST_TEST(texts[1].find("expected 0 to 4, got 5") != std::string::npos, texts[1]);
  BOOST_TEST(later[0] == later[1]);
}
BOOST_AUTO_TEST_CASE(rejected_batch) {
  reject_a_batch<net>();
  reject_a_batch<plain_net>();
}

// What processes must agree on.
BOOST_AUTO_TEST_CASE(differences_are_errors) {
  auto const errors_of = [](auto change) {
    return test::as_processes(3, [&](test::thread_process& all) {
      esp::model<plain_net, esp::distributed<>> model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 12>{}};
      samples<8> const batch{all.rank() * 8};
      for (int s = 0; s < 40; ++s) {
        if (s == 2 && all.rank() == 2) change(model, trainer);
        trainer.step(batch.images, batch.labels);
      }
    });
  };
  for (auto const& e : errors_of([](auto&, auto& trainer) { trainer.learning_rate() = 0.02f; }))
    BOOST_TEST(e ==
               "process 2 of 3 has another learning rate or hyperparameter of the optimizer than process 0 at step 3");
  for (auto const& e : errors_of([](auto&, auto& trainer) { trainer.continue_after(7); }))
    BOOST_TEST(
        e ==
        "process 2 of 3 is at step 8, process 0 at step 3; all have to train equally often (trainer.join() at the end)");
  for (auto const &e : errors_of([](auto&model, auto&) {
         for (float& x : model.parameters()) x += 1;
       }))
    BOOST_TEST(e.find("process 2 of 3 has other parameters than process 0 at step 3") == 0, e);
}

// All continue with the numbers of process 0.
BOOST_AUTO_TEST_CASE(begins_with_the_numbers_of_process_0) {
  std::vector<std::vector<float>> numbers(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    esp::model<net, esp::distributed<>> model{esp::seed{static_cast<std::uint64_t>(5 + all.rank())}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
    numbers[static_cast<std::size_t>(all.rank())] = numbers_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  esp::model<net> const first{esp::seed{5}};
  for (auto const& n : numbers) BOOST_TEST(n == numbers_of(first));
}

// Nets of the same shapes with another activation are other programs.
BOOST_AUTO_TEST_CASE(other_programs_are_errors) {
  using relu = nn::Sequential<nn::Linear<12, 8>, nn::ReLU, nn::Linear<8, 5>>;
  using tanh_net = nn::Sequential<nn::Linear<12, 8>, nn::Tanh, nn::Linear<8, 5>>;
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    if (all.rank() == 0) {
      esp::model<relu, esp::distributed<>> model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
    } else {
      esp::model<tanh_net, esp::distributed<>> model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 12>{}};
    }
  });
  for (auto const& e : errors)
    BOOST_TEST(e ==
               "process 1 of 2 runs another program than process 0: another executable, net, loss, optimizer or batch");
}

// A process that ends leaves no other one waiting.
BOOST_AUTO_TEST_CASE(ended_process) {
  std::vector<std::vector<float>> before(3), after(3);
  auto const errors = test::as_processes(
      3,
      [&](test::thread_process& all) {
        esp::model<net, esp::distributed<>> model{esp::seed{5}, all};
        esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 12>{}};
        samples<8> const batch{all.rank() * 8};
        auto const r = static_cast<std::size_t>(all.rank());
        trainer.step(batch.images, batch.labels);
        before[r] = numbers_of(model);
        if (all.rank() == 1) return;
        try {
          trainer.step(batch.images, batch.labels);
        } catch (esp::distributed_error const&) {
          after[r] = numbers_of(model);
          throw;
        }
      },
      0.3);
  BOOST_TEST(errors[1] == "");
  for (std::size_t r : {std::size_t{0}, std::size_t{2}}) {
    BOOST_TEST(errors[r] ==
               "process " + std::to_string(r) +
                   " of 3: another process has not answered for the time limit of 300 ms at step 2 (set_time_limit)");
    BOOST_TEST(before[r] == after[r]);
  }
}

// Gradients are exchanged while the backward pass continues, and only the least bytes are sent.
BOOST_AUTO_TEST_CASE(exchange_during_the_backward_pass) {
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    using wide = nn::Sequential<nn::Linear<12, 512>, nn::ReLU, nn::Linear<512, 512>, nn::ReLU, nn::Linear<512, 5>>;
    esp::model<wide, esp::distributed<esp::cpu, 4096>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<64, 12>{}};
    samples<64> const batch{all.rank() * 64};
    for (int s = 0; s < 3; ++s) trainer.step(batch.images, batch.labels);
    auto const times = trainer.exchange_times();
    test::expect(times.ranges.size() >= 2, "times.ranges.size() >= 2");
    test::expect(times.ranges[0].ready < times.backward_ended, "times.ranges[0].ready < times.backward_ended");
    test::expect(times.bytes >= static_cast<std::int64_t>(esp::model<wide>::parameter_count * 4),
                 "times.bytes >= static_cast<std::int64_t>(esp::model<wide>::parameter_count * 4)");
    test::expect(times.bytes <= static_cast<std::int64_t>(esp::model<wide>::parameter_bytes + 32768),
                 "times.bytes <= static_cast<std::int64_t>(esp::model<wide>::parameter_bytes + 32768)");
    for (auto const& r : times.ranges) {
      test::expect(r.ready <= r.started, "r.ready <= r.started");
      test::expect(r.started <= r.summed, "r.started <= r.summed");
      test::expect(r.summed <= r.finished, "r.summed <= r.finished");
      test::expect(r.finished <= times.ended, "r.finished <= times.ended");
    }
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
}

BOOST_AUTO_TEST_CASE(sums_of_all_processes) {
  std::vector<double> sums(3);
  std::vector<esp::evaluation> evaluations(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    auto const r = static_cast<std::size_t>(all.rank());
    sums[r] = esp::all_reduce(all, 0.1 * (all.rank() + 1));
    esp::evaluation own;
    own.loss = all.rank() + 1;
    own.count = 10 * all.rank();
    own.correct = all.rank();
    evaluations[r] = esp::all_reduce(all, own);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  for (std::size_t r = 0; r < 3; ++r) {
    BOOST_TEST(sums[r] == 0.1 + 0.2 + 0.1 * 3);
    BOOST_TEST(evaluations[r].count == 30);
    BOOST_TEST(evaluations[r].correct == 3);
    BOOST_TEST(std::abs(evaluations[r].loss - (2 * 10 + 3 * 20) / 30.0) < 1e-12);
  }
}
