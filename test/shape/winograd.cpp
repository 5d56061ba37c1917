// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_winograd
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <espalier/shape/winograd.hpp>

namespace {

/// The largest difference between a convolution of one axis by its matrices and by the definition.
template <int M, int K>
double worst_difference() {
  auto const& m = espalier::detail::winograd_of<M, K>;
  constexpr int n = M + K - 1;
  double x[static_cast<unsigned>(n)]{}, w[static_cast<unsigned>(K)]{}, products[static_cast<unsigned>(n)]{};
  for (int i = 0; i < n; ++i) x[i] = std::sin(1. + 2 * i);
  for (int k = 0; k < K; ++k) w[k] = std::cos(3. + k);
  for (int j = 0; j < n; ++j) {
    double of_x = 0, of_w = 0;
    for (int i = 0; i < n; ++i) of_x += m.inputs[j][i] * x[i];
    for (int k = 0; k < K; ++k) of_w += m.kernels[j][k] * w[k];
    products[j] = of_x * of_w;
  }
  double worst = 0;
  for (int i = 0; i < M; ++i) {
    double by_matrices = 0, defined = 0;
    for (int j = 0; j < n; ++j) by_matrices += m.results[i][j] * products[j];
    for (int k = 0; k < K; ++k) defined += x[i + k] * w[k];
    worst = std::fmax(worst, std::fabs(by_matrices - defined));
  }
  return worst;
}

using espalier::convolution_sizes;
using espalier::fastest_tile;
using espalier::winograd_error;
using espalier::winograd_error_of_kernels;
using espalier::winograd_tile;

constexpr winograd_tile three{0, 0, 3, 3}, along_columns{0, 0, 1, 3};

}  // namespace

BOOST_AUTO_TEST_CASE(matrices_convolve) {
  BOOST_TEST((worst_difference<1, 1>() < 1e-14));
  BOOST_TEST((worst_difference<2, 3>() < 1e-14));
  BOOST_TEST((worst_difference<4, 3>() < 1e-14));
  BOOST_TEST((worst_difference<6, 3>() < 1e-13));
  BOOST_TEST((worst_difference<2, 5>() < 1e-14));
  BOOST_TEST((worst_difference<4, 5>() < 1e-13));
}

BOOST_AUTO_TEST_CASE(a_tile_of_one_result_is_the_direct_method) {
  static_assert(winograd_error({1, 1, 1, 1}, {1, 1, 1, 1 << 30, 1}) < 1.001);
  static_assert(winograd_tile{4, 4, 3, 3}.products() == 36);
}

BOOST_AUTO_TEST_CASE(larger_tiles_have_larger_errors) {
  constexpr convolution_sizes s{32, 28, 28, 64, 64}, few{32, 28, 28, 8, 64}, many{32, 28, 28, 256, 64};
  static_assert(winograd_error({2, 2, 3, 3}, s) < 1);
  static_assert(winograd_error({2, 2, 3, 3}, s) < winograd_error({4, 4, 3, 3}, s));
  static_assert(winograd_error({4, 4, 3, 3}, s) < 4);
  static_assert(winograd_error({6, 6, 3, 3}, s) > 4);
  static_assert(winograd_error({1, 6, 1, 3}, s) < 4);
  static_assert(winograd_error({4, 4, 3, 3}, few) > winograd_error({4, 4, 3, 3}, many));
  static_assert(winograd_error_of_kernels({2, 2, 3, 3}, s) < winograd_error_of_kernels({6, 6, 3, 3}, s));
}

BOOST_AUTO_TEST_CASE(the_bound_chooses_the_tile) {
  constexpr convolution_sizes s{32, 28, 28, 64, 64};
  static_assert(fastest_tile(three, s, 4, false, false) == winograd_tile{4, 4, 3, 3});
  static_assert(fastest_tile(three, s, 1, false, false) == winograd_tile{2, 2, 3, 3});
  static_assert(fastest_tile(three, s, .1, false, false).rows == 0);
  static_assert(fastest_tile({0, 0, 1, 1}, s, 4, false, false).rows == 0);
  static_assert(fastest_tile({0, 0, 7, 7}, s, 4, false, false).rows == 0);
  static_assert(fastest_tile(along_columns, {16, 1, 256, 64, 64}, 4, false, false).rows == 1);
}

BOOST_AUTO_TEST_CASE(small_convolutions_are_computed_directly) {
  static_assert(fastest_tile(three, {32, 28, 28, 3, 64}, 4, false, false).rows == 0);
  static_assert(fastest_tile(three, {1, 4, 4, 64, 64}, 4, false, false).rows == 0);
  // A block of tiles would not fit on the stack.
  static_assert(fastest_tile(three, {32, 28, 28, 4096, 4096}, 4, false, false).rows == 0);
  // Constant kernels are transformed once.
  static_assert(fastest_tile(three, {1, 12, 12, 64, 64}, 4, false, false).rows == 0 ||
                fastest_tile(three, {1, 12, 12, 64, 64}, 4, false, true).rows > 0);
}
