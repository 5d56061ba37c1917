// SPDX-License-Identifier: BSL-1.0
// Norms in float on data far from zero: mean 1e4, standard deviation 1. Statistics, outputs and gradients lose no more
// than 1e-5, also where one element of each statistic lies far from the others, wherever it stands. Numbers
// whose squares overflow lose no more than 1e-6.
#define BOOST_TEST_MODULE law_norm_numerics
#include <boost/test/unit_test.hpp>

#include "support/large_numbers.hpp"
#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

template <class S>
tensor<float, S> far_data(std::uint64_t seed) {
  auto const random_values = numbers<double, S>(seed, -std::sqrt(3.0), std::sqrt(3.0));
  tensor<float, S> x;
  for (std::int64_t i = 0; i < S::size; ++i) x[i] = static_cast<float>(1e4 + random_values[i]);
  return x;
}
/// A net of a parameter, which lies in memory when it begins; `watched` adds what it computes first.
template <class M, class S>
struct of_parameter {
  espalier::parameter<S, nn::init::initialized_by<nn::init::zeros{}>> shift{};
  M net{};
  espalier::buffer<S, nn::init::initialized_by<nn::init::zeros{}>> output{};
  static constexpr bool reads_parameter = true;
  ESPALIER_MODULE(of_parameter, shift, net, output)
  constexpr auto forward(auto) const {
    auto const y = net(shift);
    return with_update(y, output, y);
  }
};
/// Another value for one element of each statistic: the first that belongs to it, one in the midst, or the last.
enum class which { none, first, midst, last };
template <class S>
void spoil(tensor<float, S>& x, which at, float value, auto group) {
  std::vector<std::vector<int>> of;
  for (int i = 0; i < S::size; ++i) {
    auto const g = static_cast<std::size_t>(group(i));
    if (g >= of.size()) of.resize(g + 1);
    of[g].push_back(i);
  }
  for (auto const& those : of) {
    std::size_t const last = those.size() - 1;
    if (at != which::none) x[those[at == which::first ? 0 : at == which::midst ? those.size() / 2 : last]] = value;
  }
}
/// Output, gradients of sum(y k), and the running statistics where there are any, against loops in double. group: the
/// statistic an element belongs to. Centered: whether the mean is subtracted.
template <class Net, bool Centered = true, class S>
void check_one(char const* name, tensor<float, S> const& x, auto group, auto channel, double limit = 1e-5) {
  auto const k = numbers<float, S>(2);
  auto const exact = in_double(x), weights = in_double(k);
  auto const of = moments_of<Centered>(exact, group);
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
    dx[i] = (weights[i] - (Centered ? sums[g] : 0) - normal[i] * products[g]) / std::sqrt(of[g].variance + 1e-5);
  }

  esp::model<Net> model;
  if constexpr (requires { Net::reads_parameter; })
    for (std::int64_t i = 0; i < S::size; ++i) model.parameter("shift").span()[static_cast<int>(i)] = x[i];
  auto const gradients = esp::value_and_grad(model, Weighted{})(x, k).gradients;
  BOOST_TEST_CONTEXT(name) {
    BOOST_TEST(distance(model.buffer("output").span(), normal) < limit);
    BOOST_TEST(distance(gradients.parameter("shift").span(), dx) < limit);
    if (auto const weight = gradients.find_parameter("net.weight")) {
      std::vector<double> dweight(static_cast<std::size_t>(weight.span().size()));
      for (int i = 0; i < S::size; ++i) dweight[static_cast<std::size_t>(channel(i))] += weights[i] * normal[i];
      BOOST_TEST(distance(weight.span(), dweight) < limit);
    }
    auto const mean = model.find_buffer("net.running_mean"), variance = model.find_buffer("net.running_var");
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
template <class M, class S>
void check(char const* name, auto group, auto channel) {
  check_one<watched<M, S>>(name, far_data<S>(1), group, channel);
  check_one<of_parameter<M, S>>(name, far_data<S>(1), group, channel);
  for (which const at : {which::first, which::midst, which::last}) {
    for (float const value : {1e4f + 10, 1e4f + 100, 0.f, 1e7f, -1e17f}) {
      BOOST_TEST_CONTEXT(value << " at place " << static_cast<int>(at)) {
        auto x = far_data<S>(1);
        spoil(x, at, value, group);
        check_one<of_parameter<M, S>>(name, x, group, channel);
      }
    }
  }
}
/// Numbers whose squares overflow, alone and beside small ones, and numbers below eps.
template <class M, class S, bool Centered = true>
void check_sizes(char const* name, auto group, auto channel) {
  for (double const size : {1e-30, 1.0, 1e20, 1e30, 1e36})
    for (bool const beside : {false, true}) {
      BOOST_TEST_CONTEXT("numbers of " << size << (beside ? ", beside small ones" : "")) {
        auto const x = test::large_numbers<S>(1, size, beside);
        check_one<watched<M, S>, Centered>(name, x, group, channel, 1e-6);
        check_one<of_parameter<M, S>, Centered>(name, x, group, channel, 1e-6);
      }
    }
}
constexpr nn::norm observed{.momentum = 1}, kept{.momentum = 1, .tracked = true};
}  // namespace

BOOST_AUTO_TEST_CASE(layer_norm) {
  check<nn::LayerNorm1d<64>, shape<32, 64>>(
      "rows", [](int at) { return at / 64; }, [](int at) { return at % 64; });
  check<nn::LayerNorm<shape<4099>>, shape<3, 4099>>(
      "long rows", [](int at) { return at / 4099; }, [](int at) { return at % 4099; });
  check<nn::LayerNorm<shape<8, 33>>, shape<4, 8, 33>>(
      "two axes", [](int at) { return at / 264; }, [](int at) { return at % 264; });
}
BOOST_AUTO_TEST_CASE(batch_norm) {
  check<nn::BatchNorm1d<48, observed>, shape<256, 48>>(
      "columns", [](int at) { return at % 48; }, [](int at) { return at % 48; });
  check<nn::BatchNorm1d<7, observed>, shape<8192, 7>>(
      "long columns", [](int at) { return at % 7; }, [](int at) { return at % 7; });
  check<nn::BatchNorm2d<5, observed>, shape<32, 5, 16, 16>>(
      "images", [](int at) { return at / 256 % 5; }, [](int at) { return at / 256 % 5; });
  check<nn::BatchNorm<16, -1, observed>, shape<16, 28, 28, 16>>(
      "images, channels last", [](int at) { return at % 16; }, [](int at) { return at % 16; });
}
BOOST_AUTO_TEST_CASE(group_norm) {
  check<nn::GroupNorm<4, 16>, shape<4, 16, 9, 9>>(
      "groups", [](int at) { return at / 324; }, [](int at) { return at / 81 % 16; });
}
BOOST_AUTO_TEST_CASE(instance_norm) {
  check<nn::InstanceNorm<3>, shape<4, 3, 16, 16>>(
      "instances", [](int at) { return at / 256; }, [](int at) { return at / 256 % 3; });
  check<nn::InstanceNorm<3, kept>, shape<4, 3, 100>>(
      "tracked", [](int at) { return at / 100; }, [](int at) { return at / 100 % 3; });
}

BOOST_AUTO_TEST_CASE(squares_out_of_range) {
  check_sizes<nn::LayerNorm1d<64>, shape<32, 64>>(
      "layer norm", [](int at) { return at / 64; }, [](int at) { return at % 64; });
  check_sizes<nn::RMSNorm<shape<64>>, shape<32, 64>, false>(
      "RMS norm", [](int at) { return at / 64; }, [](int at) { return at % 64; });
  check_sizes<nn::GroupNorm<4, 16>, shape<4, 16, 5, 5>>(
      "group norm", [](int at) { return at / 100; }, [](int at) { return at / 25 % 16; });
  check_sizes<nn::InstanceNorm<3>, shape<4, 3, 8, 8>>(
      "instance norm", [](int at) { return at / 64; }, [](int at) { return at / 64 % 3; });
}
