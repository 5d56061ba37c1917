// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_sharded
#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/io/npz.hpp>
#include <espalier/io/safetensors.hpp>
#include <espalier/parallel.hpp>

#include "support/divided_samples.hpp"
#include "support/thread_processes.hpp"

namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace esp = espalier;

namespace {

// Parts of several sizes: lines, blocks of 1024 elements, and a bias of 5.
using net =
    nn::Sequential<nn::Linear<12, 300>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<300, 33>, nn::Tanh, nn::Linear<33, 5>>;

template <int N, class T = float>
using samples = test::divided_samples<N, 12, T>;

template <class T>
struct result {
  std::vector<T> parameters, losses;
};
template <class Device, class Net = net, class T = float, class Optimizer>
std::vector<result<T>> train(int count, int steps, Optimizer optimizer) {
  std::vector<result<T>> r(static_cast<std::size_t>(count));
  auto const errors = test::as_processes(count, [&](test::thread_process& all) {
    esp::model<Net, Device, T> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<6, 12>{}};
    auto& own = r[static_cast<std::size_t>(all.rank())];
    for (int s = 0; s < steps; ++s) {
      samples<6, T> const batch{(s * all.size() + all.rank()) * 6};
      own.losses.push_back(trainer.step(batch.images, batch.labels));
    }
    own.parameters.assign(model.parameters().begin(), model.parameters().end());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  return r;
}
template <class Device, class Optimizer>
void check_same_bits(Optimizer optimizer) {
  for (int count : {1, 2, 3, 4}) {
    auto const whole = train<Device>(count, 5, optimizer);
    auto const sharded = train<Device>(count, 5, optim::sharded{optimizer});
    for (std::size_t k = 0; k < whole.size(); ++k) {
      BOOST_TEST(sharded[k].parameters == whole[k].parameters);
      BOOST_TEST(sharded[k].losses == whole[k].losses);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(same_bits_with_adam) {
  check_same_bits<esp::distributed<esp::cpu, 4096>>(optim::Adam{.learning_rate = 0.01, .weight_decay = 0.01});
}
BOOST_AUTO_TEST_CASE(same_bits_with_every_optimizer) {
  using device = esp::distributed<>;
  check_same_bits<device>(optim::SGD{.learning_rate = 0.1, .weight_decay = 0.01});
  check_same_bits<device>(optim::SGD{.learning_rate = 0.1, .momentum = optim::heavy_ball{}});
  check_same_bits<device>(optim::SGD{.learning_rate = 0.1, .momentum = optim::nesterov{}});
  check_same_bits<device>(optim::RMSProp{.learning_rate = 0.01});
  check_same_bits<device>(optim::amsgrad{optim::Adam{.learning_rate = 0.01}});
  check_same_bits<device>(optim::AdamW{.learning_rate = 0.01, .weight_decay = 0.1});
}
BOOST_AUTO_TEST_CASE(same_bits_with_wrappers) {
  using device = esp::distributed<esp::cpu, 256>;
  check_same_bits<device>(optim::clip_by_value{optim::Adam{.learning_rate = 0.01}, 0.01});
  check_same_bits<device>(optim::penalized{optim::SGD{.learning_rate = 0.1}, 1e-3, 1e-2, true});
  check_same_bits<device>(optim::decay_only<optim::weights>(optim::AdamW{.learning_rate = 0.01, .weight_decay = 0.5}));
}
// Parts that do not end with a line's 8 numbers, and parts of the largest blocks.
BOOST_AUTO_TEST_CASE(same_bits_in_double) {
  auto const optimizer = optim::Adam{.learning_rate = 0.01};
  auto const whole = train<esp::distributed<>, net, double>(3, 4, optimizer);
  auto const sharded = train<esp::distributed<>, net, double>(3, 4, optim::sharded{optimizer});
  for (std::size_t k = 0; k < 3; ++k) BOOST_TEST(sharded[k].parameters == whole[k].parameters);
}
BOOST_AUTO_TEST_CASE(same_bits_of_a_large_net) {
  using large = nn::Sequential<nn::Linear<12, 600>, nn::ReLU, nn::Linear<600, 300>, nn::ReLU, nn::Linear<300, 5>>;
  auto const optimizer = optim::AdamW{.learning_rate = 0.01};
  for (int count : {1, 2}) {
    auto const whole = train<esp::distributed<>, large>(count, 3, optimizer);
    auto const sharded = train<esp::distributed<>, large>(count, 3, optim::sharded{optimizer});
    for (std::size_t k = 0; k < whole.size(); ++k) BOOST_TEST(sharded[k].parameters == whole[k].parameters);
  }
}
BOOST_AUTO_TEST_CASE(same_bits_with_threads) {
  check_same_bits<esp::distributed<esp::cpu_parallel<2>>>(optim::Adam{.learning_rate = 0.01});
}

namespace {

std::vector<char> bytes_of_file(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}
using device = esp::distributed<esp::cpu, 4096>;
/// Trains from a file, or from the start, and saves.
template <class Optimizer, class Save, class Load>
std::vector<float> go_on(int count, int steps, std::string const& from, std::string const& to, Optimizer optimizer,
                         Save const& save, Load const& load) {
  std::vector<float> parameters;
  auto const errors = test::as_processes(count, [&](test::thread_process& all) {
    esp::model<net, device> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<6, 12>{}};
    if (!from.empty()) load(from.c_str(), model, trainer);
    for (int s = 0; s < steps; ++s) {
      // All processes have the same samples, so that their number changes nothing but the rounding of a mean.
      samples<6> const batch{static_cast<int>(trainer.steps()) * 6};
      trainer.step(batch.images, batch.labels);
    }
    if (esp::io::ShardedTraining<decltype(trainer)> || all.rank() == 0) save(to.c_str(), model, trainer);
    if (all.rank() == 0) parameters.assign(model.parameters().begin(), model.parameters().end());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  return parameters;
}
template <class Optimizer, class Save, class Load>
void check_files(std::string const& ending, Optimizer optimizer, Save const& save, Load const& load) {
  auto const folder = std::filesystem::temp_directory_path() / ("espalier_sharded_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  auto const path = [&](std::string const& name) { return (folder / (name + ending)).string(); };
  auto const sharded = optim::sharded{optimizer};
  // The same files, and a training goes on with the same bits, whichever number of processes wrote them.
  go_on(3, 3, "", path("whole"), optimizer, save, load);
  go_on(3, 3, "", path("sharded"), sharded, save, load);
  BOOST_TEST(bytes_of_file(path("whole")).size() > 1000u);
  BOOST_TEST(bytes_of_file(path("whole")) == bytes_of_file(path("sharded")));
  for (int count : {1, 2, 4}) {
    auto const expected = go_on(count, 2, path("whole"), path("whole_later"), optimizer, save, load);
    auto const found = go_on(count, 2, path("sharded"), path("sharded_later"), sharded, save, load);
    BOOST_TEST(expected == found);
    BOOST_TEST(bytes_of_file(path("whole_later")) == bytes_of_file(path("sharded_later")));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

BOOST_AUTO_TEST_CASE(files_of_safetensors) {
  auto const save = [](auto&&... x) { esp::io::save_safetensors(x...); };
  auto const load = [](auto&&... x) { esp::io::load_safetensors(x...); };
  check_files(".safetensors", optim::Adam{.learning_rate = 0.01}, save, load);
  check_files(".safetensors",
              optim::decay_only<optim::weights>(optim::AdamW{.learning_rate = 0.01, .weight_decay = 0.5}), save, load);
  check_files(".safetensors", optim::SGD{.learning_rate = 0.01}, save, load);
}
BOOST_AUTO_TEST_CASE(files_of_npz) {
  auto const save = [](auto&&... x) { esp::io::save_npz(x...); };
  auto const load = [](auto&&... x) { esp::io::load_npz(x...); };
  check_files(".npz", optim::SGD{.learning_rate = 0.1, .momentum = optim::heavy_ball{}}, save, load);
}

// A file that process 0 cannot write is an error on all, and training goes on.
BOOST_AUTO_TEST_CASE(file_that_cannot_be_written) {
  std::vector<std::string> texts(3);
  std::vector<std::vector<float>> later(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    auto const r = static_cast<std::size_t>(all.rank());
    esp::model<net, device> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::sharded{optim::Adam{}}, esp::batch<6, 12>{}};
    samples<6> const batch{all.rank() * 6};
    trainer.step(batch.images, batch.labels);
    try {
      esp::io::save_safetensors("/no/such/folder/file", model, trainer);
    } catch (std::exception const& error) {
      texts[r] = error.what();
    }
    trainer.step(batch.images, batch.labels);
    later[r].assign(model.parameters().begin(), model.parameters().end());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(texts[0].find("/no/such/folder/file") != std::string::npos, texts[0]);
  BOOST_TEST(texts[1] == "process 1 of 3: process 0 could not write the file, and its own error says why");
  BOOST_TEST(texts[2] == "process 2 of 3: process 0 could not write the file, and its own error says why");
  BOOST_TEST(later[0] == later[1]);
  BOOST_TEST(later[0] == later[2]);
}
// What one process saves alone, while the others train, is an error on all.
BOOST_AUTO_TEST_CASE(saved_by_one_process) {
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    esp::model<net, device> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::sharded{optim::Adam{}}, esp::batch<6, 12>{}};
    samples<6> const batch{all.rank() * 6};
    trainer.step(batch.images, batch.labels);
    if (all.rank() == 0) esp::io::save_safetensors("/no/such/folder/file", model, trainer);
    trainer.step(batch.images, batch.labels);
  });
  for (auto const& e : errors)
    BOOST_TEST(e ==
               "process 1 of 3 trains, and process 0 saves the states of a sharded optimizer, at step 2; all processes "
               "have to save together");
}

// A process with fewer batches joins. A batch that one rejects changes nothing.
BOOST_AUTO_TEST_CASE(joins_and_rejects) {
  std::vector<std::vector<float>> sharded(3), whole(3);
  auto const train_with = [&](auto optimizer, auto& parameters) {
    return test::as_processes(3, [&](test::thread_process& all) {
      esp::model<net, device> model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<6, 12>{}};
      for (int s = 0; s < 2 + all.rank(); ++s) {
        samples<6> batch{s * 18 + all.rank() * 6};
        if (s == 1) {
          std::int32_t const right = batch.labels.data()[2];
          if (all.rank() == 1) batch.labels.data()[2] = 9;
          std::vector<float> const before(model.parameters().begin(), model.parameters().end());
          auto const states = trainer.states();
          std::vector<float> const states_before(states.begin(), states.end());
          bool rejected = false;
          try {
            trainer.step(batch.images, batch.labels);
          } catch (std::exception const&) {
            rejected = true;
          }
          test::expect(rejected, "a batch that is rejected");
          test::expect(std::equal(before.begin(), before.end(), model.parameters().begin()), "the same parameters");
          test::expect(std::equal(states_before.begin(), states_before.end(), states.begin()), "the same states");
          batch.labels.data()[2] = right;
        }
        trainer.step(batch.images, batch.labels, esp::queued{});
      }
      trainer.join();
      parameters[static_cast<std::size_t>(all.rank())].assign(model.parameters().begin(), model.parameters().end());
    });
  };
  for (auto const& e : train_with(optim::sharded{optim::Adam{.learning_rate = 0.01}}, sharded)) BOOST_TEST(e == "");
  for (auto const& e : train_with(optim::Adam{.learning_rate = 0.01}, whole)) BOOST_TEST(e == "");
  BOOST_TEST(sharded == whole);
}

// A process that ends leaves the others with the parameters of the last step, which they can save. Their states are
// lost, and they say so.
BOOST_AUTO_TEST_CASE(ended_process) {
  std::vector<std::vector<float>> before(3), after(3);
  std::vector<std::string> later(3);
  auto const errors = test::as_processes(
      3,
      [&](test::thread_process& all) {
        esp::model<net, device> model{esp::seed{5}, all};
        esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::sharded{optim::Adam{}}, esp::batch<6, 12>{}};
        samples<6> const batch{all.rank() * 6};
        auto const r = static_cast<std::size_t>(all.rank());
        trainer.step(batch.images, batch.labels);
        before[r].assign(model.parameters().begin(), model.parameters().end());
        if (all.rank() == 1) return;
        try {
          trainer.step(batch.images, batch.labels);
        } catch (esp::distributed_error const&) {
          after[r].assign(model.parameters().begin(), model.parameters().end());
          try {
            esp::io::save_safetensors("/no/such/folder/file", model, trainer);
          } catch (esp::distributed_error const& error) {
            later[r] = error.what();
          }
          throw;
        }
      },
      0.3);
  BOOST_TEST(errors[1] == "");
  for (std::size_t r : {std::size_t{0}, std::size_t{2}}) {
    BOOST_TEST(errors[r].find("another process has not answered") != std::string::npos, errors[r]);
    BOOST_TEST(before[r] == after[r]);
    BOOST_TEST(later[r] == "process " + std::to_string(r) +
                               " of 3: the exchange of step 2 was cut off; its trainer can neither go on nor save the "
                               "optimizer's states");
  }
}

namespace {
/// A process that ends when it is about to send new parameters for the second time in the second step.
class ending_process : public esp::processes {
 public:
  explicit ending_process(test::thread_process& of) : of_{of} {
    rank_ = of.rank();
    size_ = of.size();
    time_limit_ = of.time_limit();
  }
  void scatter(transfer& t, channel c, void const* from, pieces sent, void* to, pieces received) override {
    of_.scatter(t, c, from, sent, to, received);
  }
  void gather(transfer& t, channel c, void* at, pieces all) override {
    if (c == channel::wholes && --left_ == 0 && rank_ == 1) throw std::runtime_error{"the end of process 1"};
    of_.gather(t, c, at, all);
  }
  bool is_complete(transfer& t) override { return of_.is_complete(t); }
  double now() override { return of_.now(); }
  void yield() override { of_.yield(); }
  void ends_after(int gathers) { left_ = gathers; }

 private:
  test::thread_process& of_;
  int left_ = 1000;
};
}  // namespace

// A process that ends while new parameters are sent: no other one has taken any of them.
BOOST_AUTO_TEST_CASE(ended_while_parameters_are_sent) {
  std::vector<std::vector<float>> before(3), after(3);
  std::vector<std::string> later(3);
  // A process has memory of its own. These are threads, which keep theirs until all have ended.
  std::atomic<int> ended{0};
  auto const errors = test::as_processes(
      3,
      [&](test::thread_process& inner) {
        ending_process all{inner};
        esp::model<net, esp::distributed<esp::cpu, 256>> model{esp::seed{5}, all};
        esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::sharded{optim::Adam{}}, esp::batch<6, 12>{}};
        samples<6> const batch{all.rank() * 6};
        auto const r = static_cast<std::size_t>(all.rank());
        trainer.step(batch.images, batch.labels);
        test::expect(trainer.exchange_times().ranges.size() >= 2, "several ranges");
        all.ends_after(2);
        before[r].assign(model.parameters().begin(), model.parameters().end());
        try {
          trainer.step(batch.images, batch.labels);
        } catch (std::exception const&) {
          after[r].assign(model.parameters().begin(), model.parameters().end());
          test::expect(trainer.steps() == 1, "one step");
          if (all.rank() != 1) try {
              trainer.step(batch.images, batch.labels);
            } catch (esp::distributed_error const& error) {
              later[r] = error.what();
            }
          ++ended;
          while (ended < 3) std::this_thread::yield();
          throw;
        }
      },
      0.3);
  BOOST_TEST(errors[1] == "the end of process 1");
  BOOST_TEST(before == after);
  for (std::size_t r : {std::size_t{0}, std::size_t{2}}) {
    BOOST_TEST(errors[r].find("another process has not answered") != std::string::npos, errors[r]);
    BOOST_TEST(later[r].find("the exchange of step 2 was cut off") != std::string::npos, later[r]);
  }
}
