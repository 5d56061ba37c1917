// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_index_copy
#include <limits>
#include <string>

#include <espalier/eager/compiled.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <int Axis>
struct copied {
  constexpr auto operator()(auto x, auto index, auto source) const {
    return index_copy<Axis>(x * x, index, source * source * source);
  }
};
template <int Axis>
struct copied_to {
  constexpr auto operator()(auto x, auto index, auto source) const { return index_copy<Axis>(x, index, source); }
};

constexpr tensor<float, shape<3, 2>> x{{1, 2}, {3, 4}, {5, 6}};
static_assert(tensor<float, shape<3, 2>>{index_copy<0>(x, tensor<std::int32_t, shape<2>>{2, 0},
                                                       tensor<float, shape<2, 2>>{{10, 20}, {30, 40}})} ==
              tensor<float, shape<3, 2>>{{30, 40}, {3, 4}, {10, 20}});
static_assert(tensor<float, shape<3, 2>>{
                  index_copy<-1>(x, tensor<std::int32_t, shape<1>>{1}, tensor<float, shape<3, 1>>{{7}, {8}, {9}})} ==
              tensor<float, shape<3, 2>>{{1, 7}, {3, 8}, {5, 9}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const to = doubles<3, 7, 5>(1);
  auto const from = doubles<3, 4, 5>(2);
  tensor<std::int32_t, shape<4>> const at{6, 0, 3, 2};
  tensor<double, shape<3, 7, 5>> const y = index_copy<1>(to, at, from);
  tensor<double, shape<3, 7, 5>> expected = to;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 5; ++c) expected(a, at[b], c) = from(a, b, c);
  check_close("index_copy", y, expected);
  // Infinite numbers of one side do not reach the other.
  double const infinite = std::numeric_limits<double>::infinity();
  tensor<double, shape<3>> const z = index_copy<0>(tensor<double, shape<3>>{infinite, 1, 2},
                                                   tensor<std::int32_t, shape<1>>{0}, tensor<double, shape<1>>{5});
  BOOST_TEST((z == tensor<double, shape<3>>{5, 1, 2}));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("first axis", copied<0>{}, floats<5, 9>(1), tensor<std::int32_t, shape<2>>{4, 1}, floats<2, 9>(3));
  check_kernels("middle axis", copied<1>{}, doubles<3, 4, 5>(1), tensor<std::int32_t, shape<3>>{3, 0, 1},
                doubles<3, 3, 5>(3));
  check_kernels("one slice", copied_to<2>{}, floats<1, 2, 6, 4>(1), tensor<std::int32_t, shape<1>>{5},
                floats<1, 2, 1, 4>(3));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("first axis", copied<0>{}, doubles<5, 3>(1), tensor<std::int32_t, shape<2>>{4, 1}, doubles<2, 3>(3));
  check_pullback("one slice", copied<-1>{}, doubles<2, 4>(1), tensor<std::int32_t, shape<1>>{2}, doubles<2, 1>(3));
}

BOOST_AUTO_TEST_CASE(indices_outside_the_axis) {
  tensor<float, shape<4>> const zeros{};
  tensor<float, shape<1>> const one{1};
  std::string text;
  try {
    (void)evaluate(index_copy<0>(zeros, tensor<std::int32_t, shape<1>>{4}, one));
  } catch (esp::index_error const& error) {
    text = error.what();
  }
  BOOST_TEST(text == "indices: expected 0 to 3, got 4 at position 0");
}

// A cache that a step reads and returns is updated where it is.
BOOST_AUTO_TEST_CASE(in_place) {
  tensor<float, shape<600, 4>> cache{};
  tensor<std::int32_t, shape<1>> at{};
  tensor<float, shape<1, 4>> row{{1, 2, 3, 4}};
  esp::compiled update{copied_to<0>{}, cache, at, row};
  for (int i : {400, 1}) {
    at[0] = i;
    update(cache, at, row, cache);
  }
  for (int i = 0; i < 600; ++i)
    for (int k = 0; k < 4; ++k) BOOST_TEST(cache(i, k) == (i == 400 || i == 1 ? static_cast<float>(k + 1) : 0.0f));
}
