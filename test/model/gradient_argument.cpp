// SPDX-License-Identifier: BSL-1.0
// Gradients of several batches before one update: sums on the outside and in compiled functions.
#define BOOST_TEST_MODULE model_gradient_argument
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net =
    nn::Sequential<nn::Linear<4, 6>, nn::Tanh, nn::Frozen<nn::Linear<6, 6>>, nn::LayerNorm1d<6>, nn::Linear<6, 3>>;
using model = esp::model<Net, esp::cpu, double>;
using sums = esp::gradients<Net, double>;
constexpr int batches = 3, samples = 5;

double distance(auto const& a, auto const& b) {
  double most = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return a.size() == b.size() ? most : 1e300;
}

/// Batches, and all of their samples in one.
struct samples_in_batches {
  tensor<double, shape<batches * samples, 4>> all_x = doubles<batches * samples, 4>(1);
  tensor<std::int32_t, shape<batches* samples>> all_y = labels<batches * samples>(2, 3);
  esp::view<double const, shape<samples, 4>> x(int batch) const {
    return esp::view<double const, shape<samples, 4>>(all_x.data() + batch * samples * 4);
  }
  esp::view<std::int32_t const, shape<samples>> y(int batch) const {
    return esp::view<std::int32_t const, shape<samples>>(all_y.data() + batch * samples);
  }
};

inline constexpr auto classify = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto summed = [](auto net, auto total, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(classify)(net, x, y);
  accumulate(total, gradients);
  return loss;
};
// The last batch: its update is along the mean of all, and the next sum begins.
inline constexpr auto summed_and_updated = [](auto net, auto total, auto optimizer, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(classify)(net, x, y);
  auto const mean = esp::map_parameters([](auto sum, auto g) { return (sum + g) / batches; }, total, gradients);
  optimizer.update(net, mean);
  assign(total, esp::map_parameters([](auto sum) { return sum * 0; }, total));
  return loss;
};
inline constexpr auto product = [](auto net, auto total) {
  return esp::sum_parameters([](auto p, auto g) { return sum(p * g); }, net, total);
};
}  // namespace

BOOST_AUTO_TEST_CASE(the_mean_over_batches_is_the_gradient_of_one_batch_of_all) {
  samples_in_batches const data;
  model a{esp::seed{1}}, b{esp::seed{1}};
  optim::updater first{a, optim::Adam{1e-2}}, second{b, optim::Adam{1e-2}};
  sums total;
  for (int step = 0; step < 4; ++step) {
    total.fill(0);
    for (int i = 0; i < batches; ++i)
      total += esp::value_and_grad(a, nn::SoftmaxLoss{})(data.x(i), data.y(i)).gradients;
    total *= 1.0 / batches;
    auto const whole = esp::value_and_grad(b, nn::SoftmaxLoss{})(data.all_x, data.all_y).gradients;
    BOOST_TEST(distance(total.span(), whole.span()) < 1e-15);
    first.update(a, total);
    second.update(b, whole);
    BOOST_TEST(distance(a.parameters(), b.parameters()) < 1e-12);
  }
}
BOOST_AUTO_TEST_CASE(compiled_sums_are_the_same) {
  samples_in_batches const data;
  model a{esp::seed{1}}, b{esp::seed{1}};
  optim::updater first{a, optim::Adam{1e-2}}, second{b, optim::Adam{1e-2}};
  sums total;
  esp::compiled accumulate{summed, a, total, data.x(0), data.y(0)};
  tensor<double, shape<>> loss;
  for (int step = 0; step < 4; ++step) {
    total.fill(0);
    double mean = 0;
    for (int i = 0; i < batches; ++i) {
      accumulate(data.x(i), data.y(i), loss);
      mean += static_cast<double>(loss) / batches;
    }
    total *= 1.0 / batches;
    first.update(a, total);
    auto const whole = esp::value_and_grad(b, nn::SoftmaxLoss{})(data.all_x, data.all_y);
    second.update(b, whole.gradients);
    BOOST_TEST(mean == whole.loss, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(distance(a.parameters(), b.parameters()) < 1e-12);
  }
}
BOOST_AUTO_TEST_CASE(so_are_those_that_end_with_an_update) {
  samples_in_batches const data;
  model a{esp::seed{1}}, b{esp::seed{1}};
  optim::updater first{a, optim::Adam{1e-2}}, second{b, optim::Adam{1e-2}};
  sums total;
  total.fill(0);
  esp::compiled accumulate{summed, a, total, data.x(0), data.y(0)};
  esp::compiled update{summed_and_updated, a, total, first, data.x(0), data.y(0)};
  tensor<double, shape<>> loss;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i + 1 < batches; ++i) accumulate(data.x(i), data.y(i), loss);
    update(data.x(batches - 1), data.y(batches - 1), loss);
    second.update(b, esp::value_and_grad(b, nn::SoftmaxLoss{})(data.all_x, data.all_y).gradients);
    BOOST_TEST(distance(a.parameters(), b.parameters()) < 1e-12);
  }
  for (double g : total.span()) BOOST_TEST(g == 0);
  BOOST_TEST(first.steps() == 4);
}

BOOST_AUTO_TEST_CASE(what_was_in_them_is_forgotten) {
  sums total;
  for (double& g : total.span()) g = std::nan("");
  total.fill(0.5);
  total *= 2;
  for (double g : total.span()) BOOST_TEST(g == 1);
}
BOOST_AUTO_TEST_CASE(functions_read_them) {
  model const a{esp::seed{1}};
  sums const total = [] {
    sums r;
    r.fill(2);
    return r;
  }();
  tensor<double, shape<>> got;
  esp::compiled{product, a, total}(got);
  double expected = 0;
  total.for_each_parameter([&](char const* name, esp::extents const&, auto) {
    for (double p : a.parameter(name).span()) expected += 2 * p;
  });
  BOOST_TEST(static_cast<double>(got) == expected, boost::test_tools::tolerance(1e-12));
}
BOOST_AUTO_TEST_CASE(twice_the_same_sum_throws) {
  model a{esp::seed{1}};
  sums total;
  auto const both = [](auto first, auto second) {
    accumulate(first, second);
    return esp::sum_parameters([](auto p) { return sum(p); }, second);
  };
  BOOST_CHECK_THROW((esp::compiled{both, total, total}), esp::model_error);
}
