// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_print
#include <boost/test/unit_test.hpp>

#include <iomanip>
#include <sstream>
#include <string>

#include <espalier/storage/print.hpp>

using espalier::extents;
using espalier::shape;
using espalier::tensor;

template <class X>
std::string text(X const& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

BOOST_AUTO_TEST_CASE(shapes) {
  BOOST_TEST(text(shape<2, 3>{}) == "shape<2, 3>");
  BOOST_TEST(text(shape<>{}) == "shape<>");
  BOOST_TEST(text(extents{2, {32, 10}}) == "(32, 10)");
  BOOST_TEST(text(extents{}) == "()");
}

BOOST_AUTO_TEST_CASE(scalars_rows_and_matrices) {
  BOOST_TEST(text(tensor<float, shape<>>{2.5}) == "2.5");
  BOOST_TEST(text(tensor<float, shape<3>>{1, 2, 3}) == "[1, 2, 3]");
  BOOST_TEST(text(tensor<bool, shape<3>>{1, 0, 1}) == "[ true, false,  true]");
  BOOST_TEST(text(tensor<std::int32_t, shape<2, 2>>{{1, 20}, {-300, 4}}) == "[[   1,   20],\n [-300,    4]]");
  BOOST_TEST(text(tensor<float, shape<2, 2>>{{1, -2.5f}, {1e-7f, 1.0f / 3}}) ==
             "[[       1,     -2.5],\n [   1e-07, 0.333333]]");
}

BOOST_AUTO_TEST_CASE(slabs_are_separated) {
  BOOST_TEST(text(tensor<float, shape<2, 2, 1>>{{{1}, {2}}, {{3}, {4}}}) == "[[[1],\n  [2]],\n\n [[3],\n  [4]]]");
}

BOOST_AUTO_TEST_CASE(what_is_no_number) {
  float const inf = __builtin_huge_valf();
  BOOST_TEST(text(tensor<float, shape<3>>{inf, -inf, __builtin_nanf("")}) == "[ inf, -inf,  nan]");
}

BOOST_AUTO_TEST_CASE(the_streams_precision_counts_and_its_state_stays) {
  std::ostringstream out;
  out << std::setprecision(3) << std::setw(20) << std::setfill('*') << tensor<double, shape<2>>{1.0 / 3, 2}
      << std::setw(0) << 1.0 / 3;
  BOOST_TEST(out.str() == "[0.333,     2]0.333");
}

BOOST_AUTO_TEST_CASE(large_tensors_are_abbreviated) {
  tensor<std::int32_t, shape<40, 50>> t;
  for (int i = 0; i < 2000; ++i) t[i] = i;
  BOOST_TEST(
      text(t) ==
      "[[   0,    1,    2, ...,   47,   48,   49],\n [  50,   51,   52, ...,   97,   98,   99],\n [ 100,  101,  102, ...,  147,  "
      "148,  149],\n ...,\n"
      " [1850, 1851, 1852, ..., 1897, 1898, 1899],\n [1900, 1901, 1902, ..., 1947, 1948, 1949],\n [1950, 1951, 1952, ..., 1997, "
      "1998, 1999]]");
  BOOST_TEST(text(espalier::view<std::int32_t const, shape<2, 1000>>(t.data())) ==
             "[[   0,    1,    2, ...,  997,  998,  999],\n [1000, 1001, 1002, ..., 1997, 1998, 1999]]");
}

BOOST_AUTO_TEST_CASE(a_test_can_print_what_differs) {
  BOOST_TEST((tensor<float, shape<2>>{1, 2}) == (tensor<float, shape<2>>{1, 2}));
}
