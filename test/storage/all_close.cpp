// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_all_close
#include <boost/test/unit_test.hpp>

#include <espalier/storage/all_close.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::is_close;
using espalier::shape;
using espalier::tensor;

constexpr double inf = __builtin_huge_val(), not_a_number = __builtin_nan(""), largest = __DBL_MAX__;

static_assert(is_close(1, 1 + 1e-6) && !is_close(1, 1 + 1e-4) && is_close(1, 1.1, 0.1) && is_close(0, 1e-9) &&
              !is_close(0, 1e-7));
static_assert(is_close(9, 10, 0.1, 0) && !is_close(10, 9, 0.1, 0), "relative to the second");
static_assert(is_close(inf, inf) && !is_close(inf, -inf) && !is_close(inf, 1) && !is_close(1, inf) &&
              !is_close(inf, 1, 1e300, inf));
static_assert(!is_close(not_a_number, not_a_number) && !is_close(not_a_number, 1) && !is_close(1, not_a_number) &&
              !is_close(not_a_number, 1, 1, inf));
static_assert(!is_close(largest, -largest) && !is_close(-largest, largest, 1.5) && is_close(largest, -largest, 2) &&
              is_close(largest, largest));
static_assert(is_close(largest, largest*(1 - 1e-6)) && !is_close(largest, largest / 2));
static_assert(is_close(5e-324, 0) && !is_close(5e-324, 0, 0, 0) && is_close(0, -0.0, 0, 0));
static_assert(all_close(tensor<float, shape<2>>{0.1f, 2}, tensor<double, shape<2>>{0.1, 2}, 1e-7));
static_assert(all_close(tensor<float, shape<>>{3}, tensor<std::int32_t, shape<>>{3}, 0, 0));

BOOST_AUTO_TEST_CASE(one_element_decides) {
  tensor<float, shape<70, 70>> a, b;
  BOOST_TEST(all_close(a, b));
  b(69, 69) = 1e-3f;
  BOOST_TEST(!all_close(a, b));
  BOOST_TEST(all_close(a, b, 0, 1e-2));
  b(69, 69) = __builtin_nanf("");
  BOOST_TEST(!all_close(a, b, 0, 1e-2));
  BOOST_TEST(!all_close(b, b));
}
