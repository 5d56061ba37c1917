// SPDX-License-Identifier: BSL-1.0
// Training by processes with a simulated device each, against the same training on one device.
#define BOOST_TEST_MODULE device_cuda_distributed_engine
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/simulated_cuda_distributed.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/divided_samples.hpp"
#include "support/thread_processes.hpp"

namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace esp = espalier;

namespace {

template <std::size_t BucketBytes = 256>
using device = esp::distributed<esp::simulated_cuda, BucketBytes>;
using plain = nn::Sequential<nn::Linear<6, 20>, nn::ReLU, nn::Linear<20, 17>, nn::Tanh, nn::Linear<17, 5>>;
using normalized = nn::Sequential<nn::Linear<6, 20>, nn::BatchNorm1d<20>, nn::ReLU, nn::Linear<20, 5>>;
using dropped = nn::Sequential<nn::Linear<6, 64>, nn::Dropout<0.5>, nn::Linear<64, 5>>;

template <int N, class T = float>
using samples = test::divided_samples<N, 6, T>;

template <class Span>
auto on_host(Span const& elements) {
  std::vector<double> r(static_cast<std::size_t>(elements.size()));
  std::vector<std::remove_const_t<typename Span::element_type>> own(r.size());
  elements.to_host({own.data(), elements.size()});
  for (std::size_t i = 0; i < r.size(); ++i)
    r[i] = static_cast<double>(
        static_cast<esp::on_cuda::compute_type<std::remove_const_t<typename Span::element_type>>>(own[i]));
  return r;
}
template <class Model>
std::vector<double> parameters_of(Model const& model) {
  return on_host(model.parameters());
}

struct result {
  std::vector<double> parameters, buffers, losses, gradients;
};
template <class Net, class Device, int P, int N, class T = float, class Optimizer = optim::Adam>
std::vector<result> train(int steps, Optimizer optimizer = {.learning_rate = 0.01f}) {
  std::vector<result> r(P);
  auto const errors = test::as_processes(P, [&](test::thread_process& all) {
    esp::model<Net, Device, T> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<N, 6>{}};
    auto& own = r[static_cast<std::size_t>(all.rank())];
    for (int s = 0; s < steps; ++s) {
      samples<N, T> const batch{(s * P + all.rank()) * N};
      own.losses.push_back(static_cast<double>(trainer.step(batch.images, batch.labels)));
    }
    own.parameters = parameters_of(model);
    own.buffers = on_host(model.buffers());
    own.gradients = on_host(trainer.gradients());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  return r;
}
template <class Net, int N, class T = float, class Optimizer = optim::Adam>
result train_alone(int steps, Optimizer optimizer = {.learning_rate = 0.01f}) {
  esp::model<Net, esp::simulated_cuda, T> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<N, 6>{}};
  result r;
  for (int s = 0; s < steps; ++s) {
    samples<N, T> const batch{s * N};
    r.losses.push_back(static_cast<double>(trainer.step(batch.images, batch.labels)));
  }
  r.parameters = parameters_of(model);
  r.buffers = on_host(model.buffers());
  r.gradients = on_host(trainer.gradients());
  return r;
}
double distance(std::vector<double> const& a, std::vector<double> const& b) {
  BOOST_TEST_REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

// A distributed model of one process is a model.
BOOST_AUTO_TEST_CASE(one_process) {
  auto const together = train<dropped, device<>, 1, 12>(5);
  auto const alone = train_alone<dropped, 12>(5);
  BOOST_TEST(together[0].parameters == alone.parameters);
  BOOST_TEST(together[0].losses == alone.losses);
}

// Every process ends with the same bits, in every run; but for rounding, they are those of one device with all samples.
BOOST_AUTO_TEST_CASE(same_bits_on_all) {
  auto const two = train<plain, device<>, 2, 12>(6), again = train<plain, device<>, 2, 12>(6);
  auto const three = train<plain, device<4096>, 3, 8>(6);
  auto const alone = train_alone<plain, 24>(6);
  BOOST_TEST(two[0].parameters == again[0].parameters);
  for (auto const* some : {&two, &three})
    for (auto const& r : *some) {
      BOOST_TEST(r.parameters == (*some)[0].parameters);
      BOOST_TEST(r.gradients == (*some)[0].gradients);
      BOOST_TEST(r.losses == (*some)[0].losses);
      BOOST_TEST(distance(r.parameters, alone.parameters) < 2e-4);
      BOOST_TEST(distance(r.losses, alone.losses) < 1e-5);
    }
}

BOOST_AUTO_TEST_CASE(other_element_types) {
  auto const wide = train<plain, device<>, 2, 12, double>(3);
  auto const alone = train_alone<plain, 24, double>(3);
  BOOST_TEST(wide[0].parameters == wide[1].parameters);
  BOOST_TEST(distance(wide[0].parameters, alone.parameters) < 1e-9);
  auto const narrow = train<plain, device<>, 2, 12, esp::half>(3, optim::scale_loss{optim::SGD{.learning_rate = 0.1f}});
  auto const narrow_alone = train_alone<plain, 24, esp::half>(3, optim::scale_loss{optim::SGD{.learning_rate = 0.1f}});
  BOOST_TEST(narrow[0].parameters == narrow[1].parameters);
  BOOST_TEST(distance(narrow[0].parameters, narrow_alone.parameters) < 4e-3);
}

// Running statistics are those of each process; dropout has other numbers in each.
BOOST_AUTO_TEST_CASE(what_differs) {
  auto const r = train<normalized, device<>, 2, 12>(3);
  BOOST_TEST(r[0].parameters == r[1].parameters);
  BOOST_TEST(r[0].buffers != r[1].buffers);
  std::vector<std::vector<double>> masks(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    // Both processes have the same samples, so that only dropout makes their own gradients differ.
    using net = nn::Sequential<nn::Dropout<0.5>, nn::Linear<6, 5>>;
    esp::model<net, device<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 6>{}};
    samples<8> const batch{0};
    trainer.step(batch.images, batch.labels);
    masks[static_cast<std::size_t>(all.rank())] = on_host(trainer.gradients());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  esp::model<nn::Sequential<nn::Dropout<0.5>, nn::Linear<6, 5>>, esp::simulated_cuda> model{esp::seed{5}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 6>{}};
  trainer.step(samples<8>{0}.images, samples<8>{0}.labels);
  BOOST_TEST(masks[0] == masks[1]);
  BOOST_TEST(distance(masks[0], on_host(trainer.gradients())) > 1e-3);
}

// Batches of different sizes: the mean over all samples.
BOOST_AUTO_TEST_CASE(weights_are_numbers_of_samples) {
  std::vector<double> losses(2);
  std::vector<std::vector<double>> parameters(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<plain, device<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<18, 6>{},
                         esp::batch<6, 6>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    if (r == 0) losses[r] = static_cast<double>(trainer.step(samples<18>{0}.images, samples<18>{0}.labels));
    else losses[r] = static_cast<double>(trainer.step(samples<6>{18}.images, samples<6>{18}.labels));
    parameters[r] = parameters_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  auto const alone = train_alone<plain, 24>(1, optim::SGD{.learning_rate = 0.1f});
  BOOST_TEST(losses[0] == losses[1]);
  BOOST_TEST(std::abs(alone.losses[0] - losses[0]) < 1e-6);
  BOOST_TEST(parameters[0] == parameters[1]);
  BOOST_TEST(distance(parameters[0], alone.parameters) < 1e-6);
}

// A process with fewer batches joins: what its gradients still have is not read, even if it is NaN.
BOOST_AUTO_TEST_CASE(joins) {
  std::vector<std::vector<double>> parameters(3);
  std::vector<std::int64_t> joined(3), steps(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    esp::model<normalized, device<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::Adam{.learning_rate = 0.01f}},
                         esp::batch<8, 6>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (int s = 0; s < 2 + all.rank(); ++s) {
        samples<8> const batch{s * 24 + all.rank() * 8};
        if (epoch == 0) trainer.step(batch.images, batch.labels);
        else trainer.step(batch.images, batch.labels, esp::queued{});
      }
      auto const gradients = trainer.gradients();
      std::vector<float> const nan(6 * 20, std::numeric_limits<float>::quiet_NaN());  // of the first weight
      model.engine().to_device(const_cast<float*>(gradients.data()), nan.data(), nan.size() * sizeof(float));
      joined[r] += trainer.join();
    }
    steps[r] = trainer.steps();
    parameters[r] = parameters_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(joined == (std::vector<std::int64_t>{4, 2, 0}));
  BOOST_TEST(steps == (std::vector<std::int64_t>{8, 8, 8}));
  BOOST_TEST(parameters[0] == parameters[1]);
  BOOST_TEST(parameters[0] == parameters[2]);
  for (double const x : parameters[0]) BOOST_TEST(std::isfinite(x));
}

// A process that has joined counts what the others count: here an update that is skipped on all.
BOOST_AUTO_TEST_CASE(skipped_while_joined) {
  std::vector<std::vector<double>> before(2), after(2);
  std::vector<std::int64_t> steps(2), skipped(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<plain, device<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::SGD{.learning_rate = 0.1f}},
                         esp::batch<8, 6>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    samples<8> batch{all.rank() * 8};
    trainer.step(batch.images, batch.labels);
    before[r] = parameters_of(model);
    if (all.rank() == 1) {
      batch.images.data()[7] = std::numeric_limits<float>::quiet_NaN();
      trainer.step(batch.images, batch.labels);
    }
    trainer.join();
    after[r] = parameters_of(model);
    steps[r] = trainer.steps();
    skipped[r] = trainer.skipped_updates();
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(before == after);
  BOOST_TEST(steps == (std::vector<std::int64_t>{1, 1}));
  BOOST_TEST(skipped == (std::vector<std::int64_t>{1, 1}));
}

// A batch that one process rejects changes nothing on any, and training goes on.
template <class Net>
void reject_a_batch() {
  std::vector<std::vector<double>> before(2), after(2), later(2);
  std::vector<std::string> texts(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<Net, device<>> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 6>{}};
    auto const r = static_cast<std::size_t>(all.rank());
    samples<8> batch{all.rank() * 8};
    auto const numbers = [&] {
      auto x = parameters_of(model);
      auto const y = on_host(model.buffers());
      x.insert(x.end(), y.begin(), y.end());
      return x;
    };
    trainer.step(batch.images, batch.labels);
    before[r] = numbers();
    auto const random_steps = model.random_steps();
    std::int32_t const right = batch.labels.data()[3];
    if (all.rank() == 1) batch.labels.data()[3] = 5;
    try {
      trainer.step(batch.images, batch.labels);
    } catch (std::exception const& error) {
      texts[r] = error.what();
    }
    after[r] = numbers();
    test::expect(model.random_steps() == random_steps, "the random numbers of the next step");
    test::expect(trainer.steps() == 1, "one step");
    batch.labels.data()[3] = right;
    trainer.step(batch.images, batch.labels);
    later[r] = parameters_of(model);
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
  reject_a_batch<normalized>();
  reject_a_batch<plain>();
}

// What processes must agree on.
BOOST_AUTO_TEST_CASE(differences_are_errors) {
  auto const errors_of = [](auto change) {
    return test::as_processes(2, [&](test::thread_process& all) {
      esp::model<plain, device<>> model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 6>{}};
      samples<8> const batch{all.rank() * 8};
      for (int s = 0; s < 20; ++s) {
        if (s == 2 && all.rank() == 1) change(model, trainer);
        trainer.step(batch.images, batch.labels);
      }
    });
  };
  for (auto const& e : errors_of([](auto&, auto& trainer) { trainer.learning_rate() = 0.02f; }))
    BOOST_TEST(e ==
               "process 1 of 2 has another learning rate or hyperparameter of the optimizer than process 0 at step 3");
  for (auto const& e : errors_of([](auto&, auto& trainer) { trainer.continue_after(7); }))
    BOOST_TEST(
        e ==
        "process 1 of 2 is at step 8, process 0 at step 3; all have to train equally often (trainer.join() at the end)");
  for (auto const &e : errors_of([](auto&model, auto&) {
         std::vector<float> x(static_cast<std::size_t>(model.parameters().size()), 1.0f);
         model.parameters().from_host({x.data(), model.parameters().size()});
       }))
    BOOST_TEST(e.find("process 1 of 2 has other parameters than process 0 at step 3") == 0, e);
}
BOOST_AUTO_TEST_CASE(other_programs_are_errors) {
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    if (all.rank() == 0) {
      esp::model<plain, device<>> model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 6>{}};
    } else {
      esp::model<dropped, device<>> model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 6>{}};
    }
  });
  for (auto const& e : errors)
    BOOST_TEST(e ==
               "process 1 of 2 runs another program than process 0: another executable, net, loss, optimizer or batch");
}

// All continue with the numbers of process 0; a clone and an evaluation belong to the same processes.
BOOST_AUTO_TEST_CASE(begins_with_the_numbers_of_process_0) {
  std::vector<std::vector<double>> parameters(2), buffers(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<normalized, device<>> model{esp::seed{static_cast<std::uint64_t>(5 + all.rank())}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, esp::batch<8, 6>{}};
    parameters[static_cast<std::size_t>(all.rank())] = parameters_of(model);
    buffers[static_cast<std::size_t>(all.rank())] = on_host(model.buffers());
    auto const copied = model.clone();
    test::expect(parameters_of(copied) == parameters_of(model), "a clone with the same parameters");
    samples<8> const batch{0};
    test::expect(trainer.evaluate(batch.images, batch.labels).count == 8, "8 samples");
    auto const y = model(batch.images), z = copied(batch.images);
    for (int i = 0; i < 40; ++i) test::expect(y.data()[i] == z.data()[i], "equal outputs");
    esp::predictor predictor{model, esp::batch<8, 6>{}};
    esp::tensor<float, esp::shape<8, 5>> scores;
    predictor(batch.images, scores);
    for (int i = 0; i < 40; ++i) test::expect(y.data()[i] == scores.data()[i], "the scores of a predictor");
    esp::model<normalized> on_processor{esp::seed{9}};
    copy(model, on_processor);
    test::expect(
        parameters_of(model) == std::vector<double>(on_processor.parameters().begin(), on_processor.parameters().end()),
        "a copy on the processor");
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  esp::model<normalized> const first{esp::seed{5}};
  BOOST_TEST(parameters[0] == std::vector<double>(first.parameters().begin(), first.parameters().end()));
  BOOST_TEST(parameters[1] == parameters[0]);
  BOOST_TEST(buffers[1] == buffers[0]);
}

// A process that ends leaves no other one waiting, wherever in a step it ends: before it, or in an exchange.
template <class Net>
void end_a_process(long scatters) {
  std::vector<std::vector<double>> before(2), after(2);
  std::string later;
  auto const errors = test::as_processes(
      2,
      [&](test::thread_process& all) {
        esp::model<Net, device<>> model{esp::seed{5}, all};
        esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f}, esp::batch<8, 6>{}};
        samples<8> const batch{all.rank() * 8};
        auto const r = static_cast<std::size_t>(all.rank());
        trainer.step(batch.images, batch.labels);
        before[r] = parameters_of(model);
        if (all.rank() == 1) {
          if (scatters < 0) return;
          all.scatters_left = scatters;
        }
        try {
          trainer.step(batch.images, batch.labels);
        } catch (esp::distributed_error const&) {
          after[r] = parameters_of(model);
          try {
            trainer.step(batch.images, batch.labels);
          } catch (esp::distributed_error const& error) {
            later = error.what();
          }
          throw;
        }
      },
      0.3);
  BOOST_TEST(errors[1] == (scatters < 0 ? "" : "this process ends"));
  BOOST_TEST(
      errors[0] ==
      "process 0 of 2: another process has not answered for the time limit of 300 ms at step 2 (set_time_limit)");
  BOOST_TEST(before[0] == after[0]);
  if (scatters >= 0)
    BOOST_TEST(later == "process 0 of 2: nothing can be exchanged any more, because an exchange has failed");
}
BOOST_AUTO_TEST_CASE(ended_process) {
  end_a_process<plain>(-1);
  end_a_process<plain>(0);
  end_a_process<plain>(1);
  end_a_process<normalized>(-1);
  end_a_process<normalized>(1);
}
