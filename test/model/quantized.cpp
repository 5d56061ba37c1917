// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_quantized
#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>
#include <vector>

#include <espalier/model/frozen.hpp>
#include <espalier/model/quantized.hpp>

#include "support/allocation_counter.hpp"
#include "support/nets.hpp"
#include "support/simulated_int8.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

/// The numbers of all parameters of a model, in order.
template <class Net>
std::vector<std::vector<float>> parameters_of(esp::model<Net> const& model) {
  std::vector<std::vector<float>> r;
  model.for_each_parameter(
      [&](char const*, esp::extents const&, auto span) { r.emplace_back(span.begin(), span.end()); });
  return r;
}
template <class Ranges>
simulated_range range_of(Ranges const& ranges, int product) {
  return {ranges[2 * product], ranges[2 * product + 1]};
}
template <class T>
std::vector<float> vector_of(T const& x) {
  return {x.data(), x.data() + x.size()};
}
int differing(std::vector<float> const& a, float const* b) {
  int n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) n += !(a[i] == b[i]);
  return n;
}

/// The largest error of a quantized net, as a part of the largest result.
template <class Net, int... N>
double error(shape<N...> batch) {
  esp::model<Net> model{esp::seed{2}};
  scramble(model);
  auto const x = numbers<float, shape<N...>>(7);
  esp::calibration calibration{model, batch};
  calibration(x);
  esp::quantized net{model, calibration, batch};
  esp::frozen reference{model, batch};
  static_assert(std::is_same_v<typename decltype(net)::output_shape, typename decltype(reference)::output_shape>);
  tensor<float, typename decltype(net)::output_shape> scores, expected;
  net(x, scores);
  reference(x, expected);
  double worst = 0, largest = 0;
  for (std::int64_t i = 0; i < scores.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(scores[i] - expected[i])));
    largest = std::max(largest, std::fabs(static_cast<double>(expected[i])));
  }
  return worst / largest;
}

using Small = nn::Sequential<nn::Linear<16, 33>, nn::ReLU, nn::Linear<33, 5>>;

std::string message(auto&& f) {
  try {
    f();
  } catch (esp::quantization_error const& e) {
    return e.what();
  }
  return "nothing thrown";
}

}  // namespace

BOOST_AUTO_TEST_CASE(linear_layers_are_the_simulation_bit_for_bit) {
  esp::model<Small> model{esp::seed{1}};
  auto const x = numbers<float, shape<9, 16>>(3);
  esp::calibration calibration{model, esp::batch<9, 16>{}};
  calibration(x);
  esp::quantized net{model, calibration, esp::batch<9, 16>{}};
  static_assert(decltype(net)::products == 2);
  tensor<float, shape<9, 5>> y;
  net(x, y);
  auto const p = parameters_of(model);
  auto const hidden = simulated_convolution{.of = {9, 16, 1, 1}, .rows = 1, .columns = 1, .outputs = 33, .relu = true}(
      vector_of(x), p[0], p[1], range_of(calibration.ranges(), 0));
  auto const expected = simulated_convolution{.of = {9, 33, 1, 1}, .rows = 1, .columns = 1, .outputs = 5}(
      hidden, p[2], p[3], range_of(calibration.ranges(), 1));
  BOOST_TEST(differing(expected, y.data()) == 0);
}

BOOST_AUTO_TEST_CASE(convolutions_are_the_simulation_bit_for_bit) {
  using Net = nn::Sequential<nn::Conv<3, 16, 3>, nn::ReLU, nn::Conv<16, 24, 3, nn::conv{.stride = 2, .groups = 4}>,
                             nn::ReLU, nn::Conv<24, 24, 3, nn::conv{.groups = 24}>, nn::ReLU,
                             nn::Conv<24, 5, 3, nn::conv{.dilation = 2}>>;
  esp::model<Net> model{esp::seed{1}};
  auto const x = numbers<float, shape<2, 3, 9, 8>>(4);
  esp::calibration calibration{model, esp::batch<2, 3, 9, 8>{}};
  calibration(x);
  esp::quantized net{model, calibration, esp::batch<2, 3, 9, 8>{}};
  static_assert(decltype(net)::products == 4);
  tensor<float, typename decltype(net)::output_shape> y;
  net(x, y);
  auto const p = parameters_of(model);
  auto const& r = calibration.ranges();
  auto const a =
      simulated_convolution{.of = {2, 3, 9, 8}, .rows = 3, .columns = 3, .outputs = 16, .padding = 1, .relu = true}(
          vector_of(x), p[0], p[1], range_of(r, 0));
  simulated_convolution const second{.of = {2, 16, 9, 8},
                                     .rows = 3,
                                     .columns = 3,
                                     .outputs = 24,
                                     .stride = 2,
                                     .padding = 1,
                                     .groups = 4,
                                     .relu = true,
                                     .adds_bias_in_float = true};
  auto const b = second(a, p[2], p[3], range_of(r, 1));
  auto const c =
      simulated_convolution{
          .of = {2, 24, 5, 4}, .rows = 3, .columns = 3, .outputs = 24, .padding = 1, .groups = 24, .relu = true}(
          b, p[4], p[5], range_of(r, 2));
  auto const d =
      simulated_convolution{.of = {2, 24, 5, 4}, .rows = 3, .columns = 3, .outputs = 5, .padding = 2, .dilation = 2}(
          c, p[6], p[7], range_of(r, 3));
  BOOST_TEST(d.size() == static_cast<std::size_t>(y.size()));
  BOOST_TEST(differing(d, y.data()) == 0);
}

/// Convolutions of many channels have tiles where there are vector registers, but not in drafts: their sums are the
/// same.
BOOST_AUTO_TEST_CASE(convolutions_by_tiles_are_the_simulation_bit_for_bit) {
  using Net = nn::Sequential<nn::Conv<48, 128, 3>, nn::ReLU, nn::Conv<128, 24, 3, nn::conv{.padding = 0}>>;
  using batch = esp::batch<2, 48, 14, 11>;
  esp::model<Net> model{esp::seed{3}};
  auto const x = numbers<float, shape<2, 48, 14, 11>>(5);
  esp::calibration calibration{model, batch{}};
  calibration(x);
  esp::quantized net{model, calibration, batch{}};
  using arch = esp::on_cpu::default_arch;
  constexpr bool by_tiles = !esp::is_draft && esp::on_cpu::detail::int8_register < arch >> 4;
  static_assert(esp::detail::product_of_int8<Net, batch, 0, arch>::by_tiles == by_tiles);
  static_assert(esp::detail::product_of_int8<Net, batch, 1, arch>::by_tiles == by_tiles);
  tensor<float, typename decltype(net)::output_shape> y;
  net(x, y);
  auto const p = parameters_of(model);
  auto const& r = calibration.ranges();
  auto const a =
      simulated_convolution{.of = {2, 48, 14, 11}, .rows = 3, .columns = 3, .outputs = 128, .padding = 1, .relu = true}(
          vector_of(x), p[0], p[1], range_of(r, 0));
  auto const b = simulated_convolution{.of = {2, 128, 14, 11}, .rows = 3, .columns = 3, .outputs = 24}(a, p[2], p[3],
                                                                                                       range_of(r, 1));
  BOOST_TEST(b.size() == static_cast<std::size_t>(y.size()));
  BOOST_TEST(differing(b, y.data()) == 0);
}

BOOST_AUTO_TEST_CASE(nets_are_near_their_float_selves) {
  BOOST_TEST(error<Small>(shape<8, 16>{}) < 0.02);
  using Normed = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU,
                                nn::Residual<nn::Sequential<nn::Linear<32, 32>, nn::LayerNorm1d<32>, nn::Tanh>>,
                                nn::Linear<32, 4>, nn::Softmax<>>;
  BOOST_TEST(error<Normed>(shape<8, 16>{}) < 0.05);
  using Pictures = nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Conv<8, 16, 3, nn::conv{.groups = 2}>,
                                  nn::ReLU, nn::AvgPool2d<2>, nn::Flatten, nn::Linear<16 * 2 * 2, 10>>;
  BOOST_TEST(error<Pictures>(shape<3, 3, 8, 8>{}) < 0.05);
  using Signals = nn::Sequential<nn::Conv1d<2, 8, 5>, nn::ReLU, nn::Conv1d<8, 3, 3>>;
  BOOST_TEST(error<Signals>(shape<2, 2, 20>{}) < 0.03);
  using Attention = nn::MultiheadAttention<32, 4>;
  BOOST_TEST(error<Attention>(shape<2, 6, 32>{}) < 0.05);
}

/// A norm behind a layer is part of its weights, and a ReLU part of the product.
BOOST_AUTO_TEST_CASE(norms_and_relus_are_parts_of_products) {
  using Net = nn::Sequential<nn::ConvBN<3, 8, 3>, nn::Flatten, nn::Linear<8 * 16, 10>>;
  constexpr auto const& split = esp::detail::quantized_split_of<Net, shape<1, 3, 4, 4>>;
  static_assert(split.count == 2 && split.products[0].relu && split.products[0].bias >= 0 &&
                split.products[0].windowed && split.products[1].bias >= 0 && !split.products[1].relu);
}

BOOST_AUTO_TEST_CASE(batches_of_any_size_share_the_ranges_of_one) {
  esp::model<Small> model{esp::seed{1}};
  auto const x = numbers<float, shape<4, 16>>(3);
  esp::calibration calibration{model, esp::batch<4, 16>{}};
  calibration(x);
  auto const stored = calibration.ranges();
  esp::quantized four{model, stored, esp::batch<4, 16>{}};
  esp::quantized one{model, calibration, esp::batch<1, 16>{}};
  tensor<float, shape<4, 5>> y;
  four(x, y);
  for (int n = 0; n < 4; ++n) {
    tensor<float, shape<1, 16>> sample;
    std::copy_n(x.data() + 16 * n, 16, sample.data());
    std::vector<float> scores(5);
    one(sample, scores);
    for (int i = 0; i < 5; ++i) BOOST_TEST(scores[static_cast<std::size_t>(i)] == y[5 * n + i]);
  }
}

BOOST_AUTO_TEST_CASE(calls_do_not_allocate_and_need_no_model) {
  auto model = std::make_unique<esp::model<Small>>(esp::seed{1});
  auto const x = numbers<float, shape<4, 16>>(3);
  esp::calibration calibration{*model, esp::batch<4, 16>{}};
  calibration(x);
  esp::quantized net{*model, calibration, esp::batch<4, 16>{}};
  tensor<float, shape<4, 5>> before, y;
  net(x, before);
  scramble(*model);
  model.reset();
  long const count = espalier_test::allocations();
  net(x, y);
  BOOST_TEST(espalier_test::allocations() == count);
  for (std::int64_t i = 0; i < y.size(); ++i) BOOST_TEST(y[i] == before[i]);
}

BOOST_AUTO_TEST_CASE(memory_may_be_yours) {
  esp::model<Small> const model{esp::seed{1}};
  using batch = esp::batch<4, 16>;
  auto const x = numbers<float, batch>(3);
  esp::calibration calibration{model, batch{}};
  calibration(x);
  esp::quantized net{model, calibration, batch{}};
  static esp::bytes<decltype(net)::bytes> room;
  tensor<float, shape<4, 5>> expected, y;
  net(x, expected);
  long const count = espalier_test::allocations();
  esp::quantized in_room{model, calibration, batch{}, room};
  in_room(x, y);
  BOOST_TEST(espalier_test::allocations() == count);
  BOOST_TEST(differing(vector_of(expected), y.data()) == 0);
}

/// One value is read by two products, a residual and a result.
struct Cell {
  nn::Linear<8, 8> first, second;
  nn::Linear<8, 8> third;
  ESPALIER_MODULE(Cell, first, second, third)
  constexpr auto forward(auto x, auto h) const {
    auto const y = first(x) + second(h);
    return std::tuple{third(tanh(y)) + x, y};
  }
};
BOOST_AUTO_TEST_CASE(nets_of_several_inputs_and_results_run_in_place) {
  using batch = esp::batch<3, 8>;
  esp::model<Cell> model{esp::seed{1}};
  auto x = numbers<float, batch>(1), h = numbers<float, batch>(2);
  esp::calibration calibration{model, batch{}, batch{}};
  calibration(x, h);
  static esp::bytes<100000> room;
  esp::quantized net{model, calibration, batch{}, batch{}, room};
  esp::frozen reference{model, batch{}, batch{}};
  tensor<float, batch> y, next, expected, expected_next;
  reference(x, h, expected, expected_next);
  net(x, h, y, next);
  for (std::int64_t i = 0; i < y.size(); ++i) {
    BOOST_TEST(std::fabs(y[i] - expected[i]) < 0.05f);
    BOOST_TEST(std::fabs(next[i] - expected_next[i]) < 0.05f);
  }
  // Results over inputs, in either order.
  auto x2 = x, h2 = h;
  net(x2, h2, h2, x2);
  BOOST_TEST(differing(vector_of(y), h2.data()) == 0);
  BOOST_TEST(differing(vector_of(next), x2.data()) == 0);
  net(x, h, x, h);
  BOOST_TEST(differing(vector_of(y), x.data()) == 0);
  BOOST_TEST(differing(vector_of(next), h.data()) == 0);
}

BOOST_AUTO_TEST_CASE(tables_of_words_stay_in_float) {
  using Net = nn::Sequential<nn::Embedding<10, 16>, nn::Flatten, nn::Linear<3 * 16, 5>>;
  esp::model<Net> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<2, 3>{}};
  tensor<std::int32_t, shape<2, 3>> words{};
  for (int i = 0; i < 6; ++i) words[i] = i;
  calibration(words);
  esp::quantized net{model, calibration, esp::batch<2, 3>{}};
  esp::frozen reference{model, esp::batch<2, 3>{}};
  tensor<float, shape<2, 5>> y, expected;
  net(words, y);
  reference(words, expected);
  for (std::int64_t i = 0; i < y.size(); ++i) BOOST_TEST(std::fabs(y[i] - expected[i]) < 0.05f);
  words[4] = 10;
  BOOST_CHECK_THROW(net(words, y), esp::index_error);
  BOOST_CHECK_THROW(calibration(words), esp::index_error);
}

BOOST_AUTO_TEST_CASE(what_lies_outside_the_range_is_cut) {
  using Net = nn::Linear<4, 1>;
  esp::model<Net> model{esp::seed{1}};
  model.for_each_parameter([](char const*, esp::extents const&, auto span) {
    for (float& w : span) w = span.size() == 1 ? 0.0f : 1.0f;
  });
  tensor<float, shape<1, 2>> ranges;
  ranges[0] = -1;
  ranges[1] = 1;
  esp::quantized net{model, ranges, esp::batch<1, 4>{}};
  tensor<float, shape<1, 4>> x{};
  tensor<float, shape<1, 1>> y;
  float const infinity = std::numeric_limits<float>::infinity();
  for (float const far : {2.0f, 1e30f, infinity}) {
    x.fill(far);
    net(x, y);
    BOOST_TEST(std::fabs(y[0] - 4) < 0.05f);
    x.fill(-far);
    net(x, y);
    BOOST_TEST(std::fabs(y[0] + 4) < 0.05f);
  }
}

/// A bias far above the sums makes the steps of its column coarser, in place of a sum that does not fit.
BOOST_AUTO_TEST_CASE(a_large_bias_beside_small_weights_stays_right) {
  using Net = nn::Linear<4, 2>;
  esp::model<Net> model{esp::seed{1}};
  model.for_each_parameter([](char const*, esp::extents const&, auto span) {
    for (float& w : span) w = span.size() == 2 ? 1e6f : 1e-8f;
  });
  tensor<float, shape<1, 4>> x;
  x.fill(1);
  esp::calibration calibration{model, esp::batch<1, 4>{}};
  calibration(x);
  esp::quantized net{model, calibration, esp::batch<1, 4>{}};
  tensor<float, shape<1, 2>> y;
  net(x, y);
  BOOST_TEST(std::fabs(y[0] - 1e6f) < 1.0f);
}

BOOST_AUTO_TEST_CASE(wrong_ranges_and_parameters_are_refused_in_words) {
  esp::model<Small> model{esp::seed{1}};
  using batch = esp::batch<4, 16>;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  esp::calibration calibration{model, batch{}};
  BOOST_TEST(
      message([&] {
        esp::quantized net{model, calibration, batch{}};
      }) ==
      "quantized{model, ranges, batch}: product 0: expected a calibration that evaluated a batch, got one without "
      "data");
  calibration(numbers<float, batch>(3));
  auto ranges = calibration.ranges();
  ranges[2] = ranges[3] = 0;
  BOOST_TEST(message([&] {
               esp::quantized net{model, ranges, batch{}};
             }) == "quantized{model, ranges, batch}: product 1: expected a range of some width, got one that is all 0");
  ranges[2] = 1;
  ranges[3] = 2;
  BOOST_TEST(message([&] {
               esp::quantized net{model, ranges, batch{}};
             }) == "quantized{model, ranges, batch}: product 1: its range does not contain 0, which padding needs");
  ranges[2] = nan;
  BOOST_TEST(message([&] {
               esp::quantized net{model, ranges, batch{}};
             }) == "quantized{model, ranges, batch}: product 1: its range is not finite");
  model.for_each_parameter([&](char const*, esp::extents const&, auto span) { span[0] = nan; });
  BOOST_TEST(message([&] {
               esp::quantized net{model, calibration, batch{}};
             }) == "quantized{model, ranges, batch}: product 0: a weight or a bias is a NaN or an infinity");
}
