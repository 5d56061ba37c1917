// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_gather
#include <string>

#include <espalier/eager/compiled.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <int Axis>
struct gathered {
  constexpr auto operator()(auto x, auto index) const { return gather<Axis>(x, index); }
};
/// The value and its operand are computed, so that neither is an argument of the kernel.
template <int Axis>
struct gathered_square {
  constexpr auto operator()(auto x, auto index) const { return tanh(gather<Axis>(x * x * x, index)) * 2; }
};
/// The same indices under another shape.
struct by_reshaped_index {
  constexpr auto operator()(auto x, auto index) const { return gather<1>(x, esp::reshape<2, 3>(index)) * x; }
};

inline constexpr auto both = [](auto x, auto y, auto index) {
  return std::tuple{gather<0>(x, index), gather<0>(y, index)};
};
inline constexpr auto summed = [](auto x, auto index) { return sum(gather<0>(x, index)); };
inline constexpr auto unused = [](auto x, auto index) {
  static_cast<void>(gather<0>(x, index));
  return x * 2;
};

constexpr tensor<float, shape<2, 3>> rows{{1, 2, 3}, {4, 5, 6}};
constexpr tensor<std::int32_t, shape<2, 2>> places{{2, 0}, {1, 1}};
static_assert(tensor<float, shape<2, 2>>{gather<1>(rows, places)} == tensor<float, shape<2, 2>>{{3, 1}, {5, 5}});
static_assert(tensor<float, shape<2, 2>>{gather<-1>(rows, places)} == tensor<float, shape<2, 2>>{{3, 1}, {5, 5}});
static_assert(esp::grad<0>([](auto x, auto index) { return sum(gather<1>(x * x, index)); })(rows, places) ==
              tensor<float, shape<2, 3>>{{2, 0, 6}, {0, 20, 0}});

template <class X, class I>
std::string error_of(X const& x, I const& index) {
  try {
    (void)evaluate(gather<0>(x, index));
  } catch (esp::index_error const& error) {
    return error.what();
  }
  return "";
}
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = floats<3, 7, 5>(1);
  auto const i = labels<2, 9, 4>(2, 7);
  tensor<float, shape<2, 9, 4>> const y = gather<1>(x, i);
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 9; ++b)
      for (int c = 0; c < 4; ++c) BOOST_TEST(y(a, b, c) == x(a, i(a, b, c), c));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("first axis", gathered<0>{}, floats<5, 9>(1), labels<7, 9>(2, 5));
  check_kernels("last axis", gathered_square<1>{}, doubles<5, 9>(1), labels<5, 20>(2, 9));
  check_kernels("middle axis", gathered_square<1>{}, floats<3, 4, 5>(1), labels<3, 6, 5>(2, 4));
  check_kernels("part of x", gathered_square<2>{}, doubles<3, 4, 5, 6>(1), labels<2, 4, 7, 3>(2, 5));
  check_kernels("one element", gathered<0>{}, doubles<4>(1), labels<1>(2, 4));
  check_kernels("repeated along rows", gathered_square<0>{}, floats<6, 4>(1), labels<8, 1>(2, 6));
  check_kernels("reshaped index", by_reshaped_index{}, doubles<2, 3>(1), labels<6>(2, 3));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("first axis", gathered_square<0>{}, doubles<5, 3>(1), labels<7, 3>(2, 5));
  check_pullback("middle axis", gathered_square<1>{}, doubles<2, 4, 3>(1), labels<2, 6, 3>(2, 4));
  check_pullback("part of x", gathered_square<1>{}, doubles<3, 4, 5>(1), labels<2, 2, 4>(2, 4));
  check_pullback("reshaped index", by_reshaped_index{}, doubles<2, 3>(1), labels<6>(2, 3));
}

// An index is read as an integer: float represents no odd number above 2^24.
BOOST_AUTO_TEST_CASE(beyond_the_whole_numbers_of_float) {
  constexpr int count = (1 << 24) + 4;
  tensor<float, shape<count>> x;
  for (int i = count - 8; i < count; ++i) x[i] = static_cast<float>(i - count);
  tensor<std::int32_t, shape<3>> const i{(1 << 24) + 1, (1 << 24) + 3, (1 << 24) - 1};
  tensor<float, shape<3>> const y = gather<0>(x, i);
  BOOST_TEST((y == tensor<float, shape<3>>{-3, -1, -5}));
}

BOOST_AUTO_TEST_CASE(indices_outside_the_axis) {
  auto const x = doubles<4>(1);
  BOOST_TEST(error_of(x, tensor<std::int32_t, shape<2>>{0, 3}) == "");
  BOOST_TEST(error_of(x, tensor<std::int32_t, shape<3>>{0, 3, 4}) == "indices: expected 0 to 3, got 4 at position 2");
  BOOST_TEST(error_of(x * 2, tensor<std::int32_t, shape<1>>{-1}) == "indices: expected 0 to 3, got -1 at position 0");
}
// The smallest axis of all that an argument indexes counts, also where the value is not used.
BOOST_AUTO_TEST_CASE(indices_of_functions) {
  auto const x = doubles<6>(1);
  auto const y = doubles<4>(2);
  tensor<std::int32_t, shape<2>> index{1, 3};
  esp::compiled run{both, x, y, index};
  tensor<double, shape<2>> a{-1, -1}, b{-1, -1};
  run(x, y, index, a, b);
  BOOST_TEST((a[1] == x[3] && b[0] == y[1]));
  tensor<double, shape<2>> const before = a;
  index[0] = 4;
  BOOST_CHECK_THROW(run(x, y, index, a, b), esp::index_error);
  BOOST_TEST((a == before));
  BOOST_CHECK_THROW(esp::grad<0>(summed)(y, index), esp::index_error);
  esp::compiled without{unused, y, index};
  tensor<double, shape<4>> z;
  BOOST_CHECK_THROW(without(y, index, z), esp::index_error);
}
