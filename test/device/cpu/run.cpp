// SPDX-License-Identifier: BSL-1.0
// Short programs, of which one function is compiled, and copies of runs whose length the compiler knows.
#define BOOST_TEST_MODULE device_cpu_run
#include <espalier/device/cpu/run.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <espalier.hpp>
#include <espalier/stream.hpp>

#include "support/numbers.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

template <int Hidden>
using cell = nn::Sequential<nn::Outputs<nn::LSTM<1, Hidden, nn::lstm{.batch_first = true}>>, nn::Linear<Hidden, 1>>;
using causal =
    nn::Sequential<nn::Conv1d<1, 4, 3, nn::conv{.padding = {0, 4, 0, 0}, .dilation = 2, .layout = esp::nhwc}>, nn::Tanh,
                   nn::Linear<4, 1>>;
using sample = esp::batch<1, 1, 1>;
template <class Net>
using step_of = esp::detail::stream_program<Net, sample, 1, 0>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What a cell of these parameters (weight_ih, weight_hh, both biases, weight, bias) gives for each number.
std::vector<double> by_hand(std::vector<std::vector<double>> const& p, std::vector<double> const& x) {
  std::size_t const n = p[4].size();
  std::vector<double> h(n), c(n), y;
  for (double const each : x) {
    std::vector<double> gate(4 * n);
    for (std::size_t j = 0; j < 4 * n; ++j) {
      gate[j] = each * p[0][j] + p[2][j] + p[3][j];
      for (std::size_t k = 0; k < n; ++k) gate[j] += h[k] * p[1][k * 4 * n + j];
    }
    double out = p[5][0];
    for (std::size_t k = 0; k < n; ++k) {
      c[k] = sigmoid(gate[n + k]) * c[k] + sigmoid(gate[k]) * std::tanh(gate[2 * n + k]);
      h[k] = sigmoid(gate[3 * n + k]) * std::tanh(c[k]);
      out += h[k] * p[4][k];
    }
    y.push_back(out);
  }
  return y;
}

template <int Hidden>
void check_cell() {
  esp::model<cell<Hidden>> model{esp::seed{Hidden}};
  std::vector<std::vector<double>> parameters;
  model.for_each_parameter(
      [&](char const*, esp::extents const&, auto values) { parameters.emplace_back(values.begin(), values.end()); });
  BOOST_REQUIRE(parameters.size() == 6);
  std::vector<double> x;
  for (int i = 0; i < 24; ++i) x.push_back(std::sin(0.7 * i));
  std::vector<double> const expected = by_hand(parameters, x);
  esp::stream stream{model, sample{}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    esp::tensor<float, esp::shape<1, 1, 1>> const in{{{static_cast<float>(x[i])}}};
    esp::tensor<float, esp::shape<1, 1, 1>> out;
    stream(in, out);
    BOOST_TEST(std::abs(out[0] - expected[i]) < 2e-6, "hidden " << Hidden << ", step " << i);
  }
  esp::tensor<float, esp::shape<1, 24, 1>> whole;
  for (int i = 0; i < 24; ++i) whole[i] = static_cast<float>(x[static_cast<std::size_t>(i)]);
  auto const all = model(whole);
  for (int i = 0; i < 24; ++i)
    BOOST_TEST(std::abs(all[i] - expected[static_cast<std::size_t>(i)]) < 2e-6,
               "hidden " << Hidden << ", step " << i << " of a loop");
}

template <std::int64_t N>
void check_copy() {
  float from[40], to[41];
  for (int i = 0; i < 40; ++i) from[i] = static_cast<float>(i + 1);
  for (float& each : to) each = -1;
  esp::on_cpu::detail::copy_run<float, esp::on_cpu::default_arch, N>(to, from);
  for (int i = 0; i < 41; ++i) BOOST_TEST(to[i] == (i < N ? static_cast<float>(i + 1) : -1.0f), N << " at " << i);
}
template <std::int64_t... N>
void check_copies(std::integer_sequence<std::int64_t, N...>) {
  (check_copy<N>(), ...);
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_of_small_nets_are_short_programs) {
  using esp::on_cpu::detail::is_short, esp::on_cpu::detail::has_short_programs;
  BOOST_TEST((is_short<step_of<cell<5>>>() == has_short_programs));
  BOOST_TEST((is_short<step_of<cell<64>>>() == has_short_programs));
  BOOST_TEST((is_short<step_of<causal>>() == has_short_programs));
  BOOST_TEST(!(is_short<step_of<cell<72>>>()), "kernels of 72 elements are called");
  BOOST_TEST(!(is_short<esp::detail::stream_program<cell<8>, esp::batch<1, 4, 1>, 1, 0>>()), "blocks have a loop");
  BOOST_TEST(!(is_short<esp::detail::stream_program<cell<8>, esp::batch<2, 1, 1>, 1, 0>>()), "products of two rows");
}

// As steps of streams and of loops, whose programs have bases of their own. With parts of registers, which go from
// kernel to kernel in memory, and with whole ones.
BOOST_AUTO_TEST_CASE(short_programs_compute_what_plain_loops_compute) {
  check_cell<3>();
  check_cell<8>();
  check_cell<16>();
  check_cell<20>();
  check_cell<32>();
  check_cell<64>();  // matrices in parts, forwards and backwards in turns
}

BOOST_AUTO_TEST_CASE(runs_of_a_known_length_are_copied_and_nothing_behind_them) {
  check_copies(std::make_integer_sequence<std::int64_t, 41>{});
}
