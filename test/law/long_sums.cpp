// SPDX-License-Identifier: BSL-1.0
// Sums of many terms of one sign keep their digits, in every kernel that adds: a chain of additions would lose half of
// them. Terms are equal here, so roundings of a chain have one direction.
#define BOOST_TEST_MODULE law_long_sums
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/up_to.hpp>

#include <cmath>
#include <span>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

namespace {

/// The largest relative error of sums of so many terms.
double bound(double terms) { return 4e-7 * (terms < 4096 ? 1 : 1 + std::log2(terms / 4096)); }
/// Products add up to 256 terms in registers.
double bound_of_products(double terms) { return std::fmax(1e-6, bound(terms)); }
constexpr float each = 0.1f;
constexpr double exact = each;

template <class S>
tensor<float, S> equal() {
  tensor<float, S> x;
  for (float& number : x) number = each;
  return x;
}
void check(char const* name, double most, auto const& got, double expected) {
  double error = 0;
  for (float const number : got) {
    double const e = std::fabs(static_cast<double>(number) / expected - 1);
    error = e <= error ? error : e;  // also what is not a number
  }
  BOOST_TEST(error <= most, name << ": error " << error << ", at most " << most);
}

template <int Rows, int Columns>
void columns(char const* name) {
  auto const x = equal<shape<Rows, Columns>>();
  tensor<float, shape<Columns>> const y = sum<0>(x);
  check(name, bound(Rows), y, Rows * exact);
}
/// A few thousand terms, of each kind of sums.
template <int N>
void kinds() {
  check("all", bound(N), tensor<float, shape<>>{sum(equal<shape<N>>())}, N * exact);
  check("rows", bound(N), tensor<float, shape<3>>{sum<1>(equal<shape<3, N>>())}, N * exact);
  columns<N, 2>("2 columns");
  columns<N, 33>("33 columns");
  constexpr int some = N / 8;
  check("segments", bound(N), tensor<float, shape<3>>{sum<0, 2>(equal<shape<8, 3, some>>())}, N * exact);
  check("strided", bound(N), tensor<float, shape<3>>{sum<0, 2>(equal<shape<some, 3, 8>>())}, N * exact);
  check("middle", bound(N), tensor<float, shape<3, 20>>{sum<1>(equal<shape<3, N, 20>>())}, N * exact);
  check("softmax", bound(N), tensor<float, shape<2, N>>{esp::softmax<1>(equal<shape<2, N>>())}, 1.0 / N);
  check("softmax down columns", bound(N), tensor<float, shape<N, 3>>{esp::softmax<0>(equal<shape<N, 3>>())}, 1.0 / N);
}
/// Rows, whose sums are added to sums of columns and of all elements.
template <int Rows, int Columns>
void rows_and_columns(char const* name) {
  auto const x = equal<shape<Rows, Columns>>();
  auto const y = esp::softmax<1>(x);
  tensor<float, shape<Columns>> const of_columns = sum<0>(y);
  check(name, bound(Rows), of_columns, double{Rows} / Columns);
  tensor<float, shape<>> const all{sum(esp::square(y))};
  check(name, bound(double{Rows} * Columns), all, double{Rows} / Columns);
}
/// All four ways to store the operands.
template <int M, int N, int K>
void products(char const* name) {
  double const expected = K * exact * exact, most = bound_of_products(K);
  auto const a = equal<shape<M, K>>();
  auto const b = equal<shape<K, N>>();
  auto const across_a = equal<shape<K, M>>();
  auto const across_b = equal<shape<N, K>>();
  check(name, most, tensor<float, shape<M, N>>{matmul(a, b)}, expected);
  check(name, most, tensor<float, shape<M, N>>{matmul(transpose(across_a), b)}, expected);
  check(name, most, tensor<float, shape<M, N>>{matmul(a, transpose(across_b))}, expected);
  check(name, most, tensor<float, shape<M, N>>{matmul(transpose(across_a), transpose(across_b))}, expected);
}

template <esp::convolution Options>
struct of_convolution {
  constexpr auto operator()(auto x, auto w, auto b, auto dy) const {
    return sum((esp::conv2d<Options>(x, w) + b) * dy);
  }
};
/// The gradients of kernels and biases, of images without padding.
template <esp::convolution Options, class X, class W, class Y>
void convolutions(char const* name) {
  using B = shape<Y::template extent<-1>()>;
  auto const gradients = esp::grad<1, 2>(of_convolution<Options>{})(equal<X>(), equal<W>(), equal<B>(), equal<Y>());
  double const n = static_cast<double>(Y::size / B::size);
  check(name, bound_of_products(n), std::get<0>(gradients), n * exact * exact);
  check(name, bound(n), std::get<1>(gradients), n * exact);
}
struct lookup {
  constexpr auto operator()(auto table, auto index, auto dy) const { return sum(index_select<0>(table, index) * dy); }
};

// Numbers of bytes and of nearly 2^31 elements are computed without overflow: these programs compile. No machine of the
// tests has the memory to run them.
template <class S>
using numbers = tensor<float, S> const;
[[maybe_unused]] void largest_extents(numbers<shape<2'000'000'000, 1>>& column, numbers<shape<3, 700'000'000>>& rows,
                                      numbers<shape<3, 100'000'000, 7>>& images, numbers<shape<2'000'000, 1000>>& right,
                                      numbers<shape<10, 2'000'000>>& left, tensor<float, shape<3, 700'000'000>>& y) {
  tensor<float, shape<1>> const of_column = sum<0>(column);
  tensor<float, shape<3>> const of_rows = mean<1>(rows), of_images = sum<1, 2>(images);
  tensor<float, shape<3, 7>> const middle = sum<1>(images);
  tensor<float, shape<10, 1000>> const product = matmul(left, right);
  evaluate_into(esp::softmax<1>(rows), y);
  (void)of_column, (void)of_rows, (void)of_images, (void)middle, (void)product;
}
}  // namespace

BOOST_AUTO_TEST_CASE(of_all_elements) {
  auto const x = equal<shape<3, 1'000'001>>();
  check("sum", bound(3e6), tensor<float, shape<>>{sum(x)}, 3'000'003 * exact);
  check("mean", bound(3e6), tensor<float, shape<>>{mean(x * x)}, exact * exact);
  check("sum<1>", bound(1e6), tensor<float, shape<3>>{sum<1>(x)}, 1'000'001 * exact);
}
BOOST_AUTO_TEST_CASE(of_a_few_thousand_terms) {
  kinds<4096>();
  kinds<6000>();
  kinds<12'000>();
}
BOOST_AUTO_TEST_CASE(down_columns) {
  columns<1'000'000, 2>("2 columns");
  columns<100'000, 33>("33 columns");
  columns<30'000, 200>("200 columns");
  rows_and_columns<1'000'000, 3>("rows of 3");
  rows_and_columns<100'000, 50>("rows of 50");
  tensor<float, shape<2>> const logarithms = esp::logsumexp<0>(equal<shape<1'000'000, 2>>());
  BOOST_TEST(std::fabs(static_cast<double>(logarithms[0]) - std::log(1e6) - exact) < 3e-6);
}
BOOST_AUTO_TEST_CASE(over_axes_apart) {
  auto const images = equal<shape<100, 3, 10'000>>();
  check("segments", bound(1e6), tensor<float, shape<3>>{sum<0, 2>(images)}, 1'000'000 * exact);
  check("middle", bound(1e5), tensor<float, shape<10, 4>>{sum<1>(equal<shape<10, 100'000, 4>>())}, 100'000 * exact);
  check("strided", bound(1.6e6), tensor<float, shape<3>>{sum<0, 2>(equal<shape<100'000, 3, 16>>())}, 1'600'000 * exact);
  check("four axes", bound(8e5), tensor<float, shape<3>>{sum<0, 1, 3>(equal<shape<200, 500, 3, 8>>())},
        800'000 * exact);
}
BOOST_AUTO_TEST_CASE(inner_extents_of_products) {
  products<1, 1, 1'000'000>("a number");
  products<1, 4, 5000>("a row of 4");
  products<1, 300, 5000>("a row of 300");
  products<2, 3, 1'000'000>("2 x 3");
  products<2, 33, 8192>("2 x 33");
  products<1, 40, 40'000>("a row");
  products<40, 1, 40'000>("a column");
  products<64, 40, 40'000>("64 x 40");
  products<200, 100, 20'000>("200 x 100");
}
#ifdef ESPALIER_TEST_ALL
BOOST_AUTO_TEST_CASE(longest) {
  columns<20'000'000, 2>("20 million rows");
  columns<200'000'000, 1>("200 million numbers");
  auto const x = equal<shape<70'000'001, 3>>();
  check("sum", bound(2.1e8), tensor<float, shape<>>{sum(x)}, 210'000'003 * exact);
  check("x^T x", bound_of_products(7e7), tensor<float, shape<3, 3>>{matmul(transpose(x), x)},
        70'000'001 * exact * exact);
  auto const wide = equal<shape<150'000, 130>>();  // a level of its product takes more than 64 KiB
  check("130 x 130", bound_of_products(1.5e5), tensor<float, shape<130, 130>>{matmul(transpose(wide), wide)},
        150'000 * exact * exact);
}
#endif
BOOST_AUTO_TEST_CASE(gradients_of_convolutions) {
  convolutions<esp::convolution{}, shape<50, 66, 66, 3>, shape<3, 3, 3, 8>, shape<50, 64, 64, 8>>("3 channels");
  convolutions<esp::convolution{}, shape<50, 64, 64, 4>, shape<1, 1, 4, 8>, shape<50, 64, 64, 8>>("pixels");
  convolutions<esp::convolution{.groups = 4}, shape<50, 66, 66, 4>, shape<3, 3, 1, 4>, shape<50, 64, 64, 4>>(
      "4 groups");
  convolutions<esp::convolution{}, shape<30, 34, 34, 32>, shape<3, 3, 32, 32>, shape<30, 32, 32, 32>>("32 channels");
}
BOOST_AUTO_TEST_CASE(many_of_one_index) {
  tensor<std::int32_t, shape<1'000'000>> index;
  for (int i = 0; i < 1'000'000; ++i) index[i] = i % 2;
  check("gradient of index_select", bound(5e5),
        esp::grad<0>(lookup{})(equal<shape<2, 3>>(), index, equal<shape<1'000'000, 3>>()), 500'000 * exact);
  check("scatter_add", bound(5e5),
        tensor<float, shape<2>>{scatter_add<0>(tensor<float, shape<2>>{}, index, equal<shape<1'000'000>>())},
        500'000 * exact);
}
// From zeros, a step of gradient descent leaves the negative gradient of the mean of squares.
BOOST_AUTO_TEST_CASE(batches_of_any_size) {
  using batch = esp::batch<esp::up_to<20'000>, 2>;
  constexpr int samples = 15'001;
  esp::model<nn::Linear<2, 3>> model{esp::seed{1}};
  for (float& parameter : model.parameters()) parameter = 0;
  esp::trainer trainer{model, nn::MeanSquaredError{}, esp::optim::SGD{.learning_rate = 1}, batch{}};
  auto const x = equal<shape<20'000, 2>>();
  auto const y = equal<shape<20'000, 3>>();
  float const loss = trainer.step(esp::view<float const, batch>{x.data(), samples},
                                  esp::view<float const, shape<esp::up_to<20'000>, 3>>{y.data(), samples});
  check("loss", bound(3 * samples), tensor<float, shape<>>{loss}, exact * exact);
  std::span<float const> const parameters = model.parameters();  // each begins a cache line
  check("weights", bound_of_products(samples), parameters.first(6), 2.0 / 3 * exact * exact);
  check("biases", bound(samples), parameters.subspan(16, 3), 2.0 / 3 * exact);
}
