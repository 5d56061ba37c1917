// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE gradient_average
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

// More than one piece of gradients.
using net = nn::Sequential<nn::Linear<12, 300>, nn::ReLU, nn::Linear<300, 250>, nn::Tanh, nn::Linear<250, 5>>;

template <int N>
using samples = test::divided_samples<N, 12>;
template <class Model>
std::vector<float> numbers_of(Model const& model) {
  return {model.parameters().begin(), model.parameters().end()};
}
float distance(std::vector<float> const& a, std::vector<float> const& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return a.size() == b.size() ? most : 1e30f;
}
constexpr int steps = 5;

/// The parameters of one process that trains on the samples of P processes with N each.
template <int N>
std::vector<float> alone() {
  esp::model<net> model{esp::seed{1}};
  optim::updater adam{model, optim::Adam{.learning_rate = 0.01f}};
  auto gradient_of = esp::value_and_grad(model, nn::SoftmaxLoss{});
  for (int s = 0; s < steps; ++s) {
    samples<N> const batch{s * N};
    adam.update(model, gradient_of(batch.images, batch.labels).gradients);
  }
  return numbers_of(model);
}

inline constexpr auto loss_of = [](auto m, auto x, auto y) { return nn::SoftmaxLoss{}(m(x), y); };
inline constexpr auto add_batch = [](auto m, auto total, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(m, x, y);
  accumulate(total, gradients);
  return loss;
};

}  // namespace

// Two processes with batches of 16 learn what one does with 32, and end with the same bits.
BOOST_AUTO_TEST_CASE(two_processes_are_one) {
  std::vector<std::vector<float>> found(2);
  std::vector<float> losses[2];
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    auto const me = static_cast<std::size_t>(all.rank());
    esp::model<net> model{esp::seed{static_cast<std::uint64_t>(1 + all.rank())}};  // continues with that of process 0
    optim::updater adam{model, optim::Adam{.learning_rate = 0.01f}};
    esp::gradient_average average{all, model};
    auto gradient_of = esp::value_and_grad(model, nn::SoftmaxLoss{});
    for (int s = 0; s < steps; ++s) {
      samples<16> const batch{(s * 2 + all.rank()) * 16};
      auto r = gradient_of(batch.images, batch.labels);
      losses[me].push_back(average(r.gradients, 16, r.loss));
      adam.update(model, r.gradients);
    }
    found[me] = numbers_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(found[0] == found[1]);
  BOOST_TEST(losses[0] == losses[1]);
  BOOST_TEST(distance(found[0], alone<32>()) < 1e-4f);
}

// The same steps as those of a trainer of a distributed model: the same sums in the same order.
BOOST_AUTO_TEST_CASE(bits_of_a_trainer) {
  std::vector<float> by_hand, by_trainer;
  for (bool const trains : {false, true}) {
    auto const errors = test::as_processes(3, [&](test::thread_process& all) {
      samples<16> const batch{all.rank() * 16};
      if (trains) {
        esp::model<net, esp::distributed<>> model{esp::seed{1}, all};
        esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.5f}, esp::batch<16, 12>{}};
        trainer.step(batch.images, batch.labels);
        if (all.rank() == 0) by_trainer = numbers_of(model);
      } else {
        esp::model<net, esp::cpu_parallel<2>> model{esp::seed{1}};
        optim::updater sgd{model, optim::SGD{.learning_rate = 0.5f}};
        esp::gradient_average average{all, model};
        auto r = esp::value_and_grad(model, nn::SoftmaxLoss{})(batch.images, batch.labels);
        average(r.gradients, 16);
        sgd.update(model, r.gradients);
        if (all.rank() == 0) by_hand = numbers_of(model);
      }
    });
    for (auto const& e : errors) BOOST_TEST(e == "");
  }
  BOOST_TEST(distance(by_hand, by_trainer) < 1e-6f);
}

// A compiled function adds the gradients of two batches; processes may have batches of other sizes, or none in the end.
BOOST_AUTO_TEST_CASE(compiled_function_and_uneven_ends) {
  std::vector<std::vector<float>> found(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<net> model{esp::seed{1}};
    optim::updater sgd{model, optim::SGD{.learning_rate = 0.5f}};
    esp::gradient_average average{all, model};
    esp::gradients<net> total;
    auto const train = [&]<int N>(std::integral_constant<int, N>, int batches) {
      samples<N> const first{all.rank() * 100};
      esp::tensor<float, esp::shape<>> loss;
      esp::compiled add{add_batch, model, total, first.images, first.labels};
      for (int s = 0; s < batches; ++s) {
        total.fill(0);
        for (int half = 0; half < 2; ++half) {
          samples<N> const batch{all.rank() * 100 + (s * 2 + half) * N};
          add(batch.images, batch.labels, loss);
        }
        total *= 0.5f;
        average(total, 2 * N);
        sgd.update(model, total);
      }
    };
    if (all.rank() == 0) train(std::integral_constant<int, 8>{}, 5);
    else train(std::integral_constant<int, 4>{}, 2);
    while (average.join(total)) sgd.update(model, total);
    found[static_cast<std::size_t>(all.rank())] = numbers_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(found[0] == found[1]);

  // The same by one model: weights of 16 and 8 samples, then process 0 alone.
  esp::model<net> model{esp::seed{1}};
  optim::updater sgd{model, optim::SGD{.learning_rate = 0.5f}};
  auto gradient_of = esp::value_and_grad(model, nn::SoftmaxLoss{});
  for (int s = 0; s < 5; ++s) {
    esp::gradients<net> total;
    total.fill(0);
    for (int half = 0; half < 2; ++half) {
      samples<8> const large{(s * 2 + half) * 8};
      auto r = gradient_of(large.images, large.labels).gradients;
      r *= s < 2 ? 8.0f / 24 : 0.5f;
      total += r;
      if (s >= 2) continue;
      samples<4> const small{100 + (s * 2 + half) * 4};
      auto other = gradient_of(small.images, small.labels).gradients;
      other *= 4.0f / 24;
      total += other;
    }
    sgd.update(model, total);
  }
  BOOST_TEST(distance(found[0], numbers_of(model)) < 1e-4f);
}

// A mean loss below 0 is no sign that all have joined, and a model may be moved.
BOOST_AUTO_TEST_CASE(negative_loss_and_a_moved_model) {
  std::vector<std::vector<float>> found(2);
  auto const errors = test::as_processes(2, [&](test::thread_process& all) {
    esp::model<net> first{esp::seed{1}};
    esp::gradient_average average{all, first};
    esp::model<net> model{std::move(first)};
    optim::updater sgd{model, optim::SGD{.learning_rate = 0.5f}};
    esp::gradients<net> total;
    total.fill(0.25f);
    int joined = 0;
    if (all.rank() == 0)
      for (int s = 0; s < 3; ++s) {
        test::expect(average(total, 4, -2.0f) == -2, "the loss of the only process");
        sgd.update(model, total);
      }
    for (; average.join(total); ++joined) sgd.update(model, total);
    test::expect(joined == (all.rank() == 0 ? 0 : 3), "as many steps as the others have");
    found[static_cast<std::size_t>(all.rank())] = numbers_of(model);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(found[0] == found[1]);
}

// What one process alone does is an error on all.
BOOST_AUTO_TEST_CASE(errors) {
  auto const run = [](auto const& step) {
    return test::as_processes(
        2,
        [&](test::thread_process& all) {
          esp::model<net> model{esp::seed{1}};
          esp::gradient_average average{all, model};
          samples<16> const batch{0};
          auto r = esp::value_and_grad(model, nn::SoftmaxLoss{})(batch.images, batch.labels);
          std::vector<float> const before(r.gradients.span().begin(), r.gradients.span().end());
          try {
            step(all.rank(), model, average, r.gradients);
          } catch (esp::distributed_error const&) {
            test::expect(std::equal(before.begin(), before.end(), r.gradients.span().begin()), "unchanged gradients");
            throw;
          }
        },
        0.3);
  };
  auto const both = [](std::vector<std::string> const& found, std::string const& text) {
    for (auto const& e : found) BOOST_TEST(e.find(text) != std::string::npos, e);
  };
  both(run([](int rank, auto& model, auto& average, auto& gradients) {
         if (rank == 1)
           for (float& x : model.parameters()) x += 1;
         average(gradients, 16);
       }),
       "process 1 of 2 has other parameters than process 0 at step 1");
  auto const ended = run([](int rank, auto&, auto& average, auto& gradients) {
    average(gradients, 16);
    if (rank == 0) average(gradients, 16);
  });
  BOOST_TEST(
      ended[0].find("another process has not answered for the time limit of 300 ms at step 2") != std::string::npos,
      ended[0]);
  BOOST_TEST(ended[1] == "");
  auto const no_samples =
      run([](int rank, auto&, auto& average, auto& gradients) { average(gradients, rank == 0 ? 16 : 0); });
  BOOST_TEST(no_samples[0].find("process 1 of 2 rejected its batch at step 1") != std::string::npos, no_samples[0]);
  BOOST_TEST(no_samples[1] ==
             "gradient_average: expected the gradients of at least 1 sample (join(gradients) takes none), got 0");
  both(run([](int rank, auto&, auto& average, auto& gradients) {
         if (rank == 0) average(gradients, 16);
         else average(gradients, 16, 1.0f);
       }),
       "process 1 of 2 differs from process 0");
  auto const rejected = run([](int rank, auto&, auto& average, auto& gradients) {
    if (rank == 1) average.reject();
    else average(gradients, 16);
  });
  BOOST_TEST(rejected[0].find("process 1 of 2 rejected its batch at step 1") != std::string::npos, rejected[0]);
  BOOST_TEST(rejected[1] == "");
  // Another net.
  auto const other = test::as_processes(2, [&](test::thread_process& all) {
    if (all.rank() == 0) {
      esp::model<net> model{esp::seed{1}};
      esp::gradient_average average{all, model};
    } else {
      esp::model<nn::Linear<12, 5>> model{esp::seed{1}};
      esp::gradient_average average{all, model};
    }
  });
  both(other, "process 1 of 2 runs another program than process 0");
}
