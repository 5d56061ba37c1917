// SPDX-License-Identifier: BSL-1.0
// Norms in float on data far from zero: mean 1e4, standard deviation 1. Statistics, outputs and slopes lose no more than 1e-5.
#define BOOST_TEST_MODULE law_norm_numerics
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
constexpr double limit = 1e-5;

template <class S>
tensor<float, S> far_data(std::uint64_t seed) {
  auto const drawn = numbers<double, S>(seed, -std::sqrt(3.0), std::sqrt(3.0));
  tensor<float, S> x;
  for (std::int64_t i = 0; i < S::size; ++i) x[i] = static_cast<float>(1e4 + drawn[i]);
  return x;
}
template <class S>
tensor<double, S> in_double(tensor<float, S> const& x) {
  tensor<double, S> r;
  for (std::int64_t i = 0; i < S::size; ++i) r[i] = static_cast<double>(x[i]);
  return r;
}
/// The largest difference, relative to the largest element.
double distance(auto const& got, auto const& wanted) {
  double most = 0, largest = 0;
  for (std::int64_t i = 0; i < wanted.size(); ++i) {
    most = std::fmax(most, std::fabs(static_cast<double>(got[i]) - wanted[i]));
    largest = std::fmax(largest, std::fabs(wanted[i]));
  }
  return most / largest;
}

/// Output, slope of sum(y k), and the running statistics where there are any, against loops in double. group: the statistic an element belongs to.
template <class M, class S>
void check(char const* name, auto group) {
  auto const x = far_data<S>(1);
  auto const k = numbers<float, S>(2);
  auto const exact = in_double(x), weights = in_double(k);
  auto const of = moments_of(exact, group);
  auto const normal = normalized_by(exact, of, 1e-5, group);
  std::vector<double> sums(of.size()), products(of.size());
  for (int i = 0; i < S::size; ++i) {
    auto const g = static_cast<std::size_t>(group(i));
    sums[g] += weights[i] / of[g].count;
    products[g] += weights[i] * normal[i] / of[g].count;
  }
  tensor<double, S> dx;
  for (int i = 0; i < S::size; ++i) {
    auto const g = static_cast<std::size_t>(group(i));
    dx[i] = (weights[i] - sums[g] - normal[i] * products[g]) / std::sqrt(of[g].variance + 1e-5);
  }

  esp::model<watched<M, S>> model;
  auto const slopes = esp::value_and_grad(model, Weighted{})(x, k).slopes;
  BOOST_TEST_CONTEXT(name) {
    BOOST_TEST(distance(model.buffer("output").span(), normal) < limit);
    BOOST_TEST(distance(slopes.parameter("shift").span(), dx) < limit);
    auto const mean = model.buffer("net.running_mean"), variance = model.buffer("net.running_var");
    if (!mean) return;
    int const channels = static_cast<int>(mean.span().size());
    for (int c = 0; c < channels; ++c) {  // those of a channel are c, c + channels, ...
      double m = 0, v = 0, examples = static_cast<double>(of.size()) / channels;
      for (std::size_t i = static_cast<std::size_t>(c); i < of.size(); i += static_cast<std::size_t>(channels)) {
        m += of[i].mean / examples;
        v += of[i].variance / examples;
      }
      BOOST_TEST(static_cast<double>(mean.span()[c]) == m, boost::test_tools::tolerance(limit));
      BOOST_TEST(static_cast<double>(variance.span()[c]) == v, boost::test_tools::tolerance(limit));
    }
  }
}
constexpr nn::norm observed{.momentum = 1}, kept{.momentum = 1, .tracked = true};
}  // namespace

BOOST_AUTO_TEST_CASE(layer_norm) {
  check<nn::LayerNorm1d<64>, shape<32, 64>>("rows", [](int at) { return at / 64; });
  check<nn::LayerNorm<shape<4099>>, shape<3, 4099>>("long rows", [](int at) { return at / 4099; });
  check<nn::LayerNorm<shape<8, 33>>, shape<4, 8, 33>>("two axes", [](int at) { return at / 264; });
}
BOOST_AUTO_TEST_CASE(batch_norm) {
  check<nn::BatchNorm1d<48, observed>, shape<256, 48>>("columns", [](int at) { return at % 48; });
  check<nn::BatchNorm1d<7, observed>, shape<8192, 7>>("long columns", [](int at) { return at % 7; });
  check<nn::BatchNorm2d<5, observed>, shape<32, 5, 16, 16>>("images", [](int at) { return at / 256 % 5; });
  check<nn::BatchNorm<16, -1, observed>, shape<16, 28, 28, 16>>("images, channels last", [](int at) { return at % 16; });
}
BOOST_AUTO_TEST_CASE(group_norm) {
  check<nn::GroupNorm<4, 16>, shape<4, 16, 9, 9>>("groups", [](int at) { return at / 324; });
}
BOOST_AUTO_TEST_CASE(instance_norm) {
  check<nn::InstanceNorm<3>, shape<4, 3, 16, 16>>("instances", [](int at) { return at / 256; });
  check<nn::InstanceNorm<3, kept>, shape<4, 3, 100>>("tracked", [](int at) { return at / 100; });
}
