// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_evaluate
#include <cmath>
#include <sstream>
#include <string>

#include <espalier/storage/print.hpp>

#include "support/check_kernels.hpp"

using namespace test;

namespace {

template <int... E>
esp::tensor<float, esp::shape<E...>> make(float value) {
  esp::tensor<float, esp::shape<E...>> x;
  x.fill(value);
  return x;
}

template <class X, class F>
auto each(X const& x, F f) {
  X y;
  for (std::int64_t i = 0; i < x.size(); ++i) y[i] = f(i);
  return y;
}

}  // namespace

// An expression owns the tensors that would be gone, and refers to those that stay.
BOOST_AUTO_TEST_CASE(temporaries_live_as_long_as_the_expression) {
  auto const a = floats<33, 65>(1);
  auto const e = a * make<33, 65>(2) + make<65>(1);
  auto const large = make<33, 65>(3) * make<33, 65>(2);
  esp::tensor<float, esp::shape<33, 65>> const y = e, again = e, six = large;
  check_close("value", y, each(a, [&](auto i) { return 2 * a[i] + 1; }), 0);
  BOOST_TEST((y == again));
  BOOST_TEST((six == make<33, 65>(6)));
  auto const copy = e;
  esp::tensor<float, esp::shape<33, 65>> const of_copy = copy;
  BOOST_TEST((of_copy == y));
}

BOOST_AUTO_TEST_CASE(lvalues_are_read_when_it_runs) {
  auto a = make<3>(1);
  auto const e = a + 1;
  a.fill(5);
  esp::tensor<float, esp::shape<3>> const y = e;
  BOOST_TEST((y == make<3>(6)));
}

BOOST_AUTO_TEST_CASE(an_operand_may_be_the_result) {
  auto a = floats<37>(1), b = floats<37>(2);
  auto const a0 = a;
  a = a * b + a;
  check_close("a * b + a", a, each(a, [&](auto i) { return a0[i] * b[i] + a0[i]; }), 1e-6);

  auto s = floats<33, 33>(3);
  auto const s0 = s;
  s = s + transpose(s);
  for (int i = 0; i < 33; ++i)
    for (int j = 0; j < 33; ++j) BOOST_TEST(s(i, j) == s0(i, j) + s0(j, i));

  auto p = floats<17, 17>(3);
  auto const p0 = p;
  p = matmul(p, p);
  esp::tensor<float, esp::shape<17, 17>> const product = matmul(p0, p0);
  BOOST_TEST((p == product));

  auto r = floats<7, 9>(4);
  auto const r0 = r;
  r = r / sum<1>(r * r, esp::keepdims);
  esp::tensor<float, esp::shape<7, 9>> const ratio = r0 / sum<1>(r0 * r0, esp::keepdims);
  BOOST_TEST((r == ratio));
  r = r0;
  r = r - mean<0>(r);
  esp::tensor<float, esp::shape<7, 9>> const centred = r0 - mean<0>(r0);
  BOOST_TEST((r == centred));
  r = r0;
  r = softmax(r) + r;
  esp::tensor<float, esp::shape<7, 9>> const soft = softmax(r0) + r0;
  BOOST_TEST((r == soft));
}

// Views of a part of the result, or of what lies across its end.
BOOST_AUTO_TEST_CASE(an_operand_may_overlap_the_result) {
  auto a = floats<8, 16>(1);
  auto const a0 = a;
  esp::view<float const, esp::shape<16>> const first_row{a.data()};
  a = a + first_row;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 16; ++j) BOOST_TEST(a(i, j) == a0(i, j) + a0(0, j));

  a = a0;
  esp::view<float const, esp::shape<1>> const first{a.data()};
  a = a * first;
  for (int i = 0; i < 128; ++i) BOOST_TEST(a[i] == a0[i] * a0[0]);

  a = a0;
  esp::view<float const, esp::shape<8, 1>> const start_column{a.data()};
  a = a - start_column;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 16; ++j) BOOST_TEST(a(i, j) == a0(i, j) - a0[i]);

  // Shifted by one element.
  esp::tensor<float, esp::shape<129>> line = floats<129>(2);
  auto const line0 = line;
  esp::tensor<float, esp::shape<128>> out;
  esp::view<float const, esp::shape<128>> const shifted{line.data() + 1}, still{line.data()};
  out = shifted - still;
  for (int i = 0; i < 128; ++i) BOOST_TEST(out[i] == line0[i + 1] - line0[i]);

  // The same memory under another shape.
  auto m = floats<4, 6>(3);
  auto const m0 = m;
  esp::view<float const, esp::shape<6, 4>> const other{m.data()};
  m = m * transpose(other);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) BOOST_TEST(m(i, j) == m0(i, j) * m0[j * 4 + i]);
  m = m0;
  m = m * reshape<4, 6>(other);
  for (int i = 0; i < 24; ++i) BOOST_TEST(m[i] == m0[i] * m0[i]);
}

BOOST_AUTO_TEST_CASE(twelve_tensors) {
  auto const a = floats<3, 17>(1), b = floats<3, 17>(2), c = floats<3, 17>(3), d = floats<3, 17>(4),
             e = floats<3, 17>(5), f = floats<3, 17>(6);
  auto const g = floats<17>(7), h = floats<17>(8);
  auto const i = floats<3, 1>(9), j = floats<3, 1>(10);
  auto const k = floats<3, 17>(11), l = floats<3, 17>(12);
  esp::tensor<float, esp::shape<3, 17>> const y =
      (a + b) * c - d / (e * e + 1) + f * g - h * l * i + j * k * 2 + 3 * l - a * 0.5f;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 17; ++s) {
      float const expected = (a(r, s) + b(r, s)) * c(r, s) - d(r, s) / (e(r, s) * e(r, s) + 1) + f(r, s) * g[s] -
                             h[s] * l(r, s) * i(r, 0) + j(r, 0) * k(r, s) * 2 + 3 * l(r, s) - a(r, s) * 0.5f;
      BOOST_TEST(y(r, s) == expected, boost::test_tools::tolerance(1e-4f));
    }
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_order) {
  esp::tensor<float, esp::shape<2>> const x{1, 2}, y = ((x * 2 + 3) * 5 - 7) / 11 + 13 - 17 * x;
  BOOST_TEST(y[0] == ((1.0f * 2 + 3) * 5 - 7) / 11 + 13 - 17, boost::test_tools::tolerance(1e-5f));
  BOOST_TEST(y[1] == ((2.0f * 2 + 3) * 5 - 7) / 11 + 13 - 34, boost::test_tools::tolerance(1e-5f));
  // The same expression type with other numbers is the same program.
  auto const line = [&](float slope, float offset) { return esp::tensor<float, esp::shape<2>>(x * slope + offset); };
  BOOST_TEST((line(2, 3) == esp::tensor<float, esp::shape<2>>{5, 7}));
  BOOST_TEST((line(-1, 0) == esp::tensor<float, esp::shape<2>>{-1, -2}));
}

BOOST_AUTO_TEST_CASE(other_elements) {
  auto const x = doubles<3, 5>(1);
  esp::tensor<double, esp::shape<3, 5>> const y = exp(x) * 2 - mean<1>(x, esp::keepdims);
  for (int i = 0; i < 15; ++i) {
    double mean = 0;
    for (int k = 0; k < 5; ++k) mean += x(i / 5, k) / 5;
    BOOST_TEST(y[i] == std::exp(x[i]) * 2 - mean, boost::test_tools::tolerance(1e-12));
  }
  esp::tensor<std::int32_t, esp::shape<3>> const whole{1, 2, 3};
  esp::tensor<bool, esp::shape<3>> const flag{true, false, true};
  esp::tensor<float, esp::shape<3>> const weight{0.5f, 0.25f, 0.125f}, mixed = whole * weight + flag;
  BOOST_TEST((mixed == esp::tensor<float, esp::shape<3>>{1.5f, 0.5f, 1.375f}));
  esp::tensor<bool, esp::shape<3>> const flipped = equal(flag, 0);
  BOOST_TEST((flipped == esp::tensor<bool, esp::shape<3>>{false, true, false}));
}

BOOST_AUTO_TEST_CASE(evaluate_names_no_type) {
  auto const x = doubles<3, 5>(1);
  auto const y = esp::evaluate(sum<0>(x * x));
  static_assert(std::is_same_v<decltype(y), esp::tensor<double, esp::shape<5>> const>);
  auto const moved = esp::evaluate(transpose(x));
  static_assert(std::is_same_v<decltype(moved), esp::tensor<double, esp::shape<5, 3>> const>);
  for (int k = 0; k < 5; ++k) BOOST_TEST(moved(k, 1) == x(1, k));
}

// Above 4 KiB a tensor's elements are on the heap; above 16 KiB so is the workspace of a call.
BOOST_AUTO_TEST_CASE(large_tensors) {
  auto const x = floats<100, 100>(1);
  esp::tensor<float, esp::shape<100, 100>> const y = softmax(matmul(x, transpose(x))) - normalize<0>(x, 1e-5);
  esp::tensor<float, esp::shape<100>> const rows = sum<1>(y);
  esp::tensor<float, esp::shape<100>> const normalized = sum<1>(normalize<0>(x, 1e-5));
  for (int i = 0; i < 100; ++i) BOOST_TEST(std::fabs(rows[i] - (1 - normalized[i])) < 1e-3f);
}

// A formula of rank 0 is a number where one is asked for, and a formula everywhere else.
BOOST_AUTO_TEST_CASE(a_formula_of_one_number_is_a_number) {
  esp::tensor<double, esp::shape<3>> const x{1, 2, 3};
  esp::tensor<float, esp::shape<3>> const y{1, 2, 4};
  esp::tensor<std::int32_t, esp::shape<3>> const i{1, 2, 5};
  double const s = sum(x), twice = 2 * sum(x) + 1, rounded = sum(y);
  float const f = sum(y);
  double const of_integers = sum(i);
  BOOST_TEST(s == 6);
  BOOST_TEST(twice == 13);
  BOOST_TEST(rounded == 7);
  BOOST_TEST(f == 7);
  BOOST_TEST(of_integers == 8);
  BOOST_TEST(std::sqrt(sum(x)) == std::sqrt(6.0));
  BOOST_TEST((sum(x) > 5 ? 1 : 2) == 1);
  BOOST_TEST((sum(x) > 6 ? 1 : 2) == 2);
  double total = 1;
  total += sum(x);
  BOOST_TEST(total == 7);
  static_assert(std::is_same_v<decltype(sum(x) * 2.0), decltype(sum(x) * 3.0)> &&
                !std::is_arithmetic_v<decltype(sum(x) * 2.0)>);
  static_assert(!std::is_convertible_v<decltype(x * 2), double>);
  constexpr double known = sum(esp::tensor<double, esp::shape<3>>{1, 2, 4});
  BOOST_TEST(known == 7);
}

// A formula is printed as the tensor that it stands for.
BOOST_AUTO_TEST_CASE(formulas_are_printed) {
  esp::tensor<double, esp::shape<3>> const x{1, 2, 3};
  auto const text = [](auto const& formula) {
    std::ostringstream out;
    out << formula << ';';
    return out.str();
  };
  BOOST_TEST(text(x * 2) == "[2, 4, 6];");
  BOOST_TEST(text(sum(x)) == "6;");
  BOOST_TEST(text(x > 1) == "[0, 1, 1];");
  BOOST_TEST(text(esp::reshape<3, 1>(x)) == text(esp::evaluate(esp::reshape<3, 1>(x))));
}

// x += y is x = x + y, with the same rules for operands that overlap x.
BOOST_AUTO_TEST_CASE(compound_assignment) {
  esp::tensor<double, esp::shape<3>> const x{1, 2, 4};
  auto y = x;
  y += x * 2;
  BOOST_TEST((y == esp::tensor<double, esp::shape<3>>{3, 6, 12}));
  (y -= 1) *= 2;
  BOOST_TEST((y == esp::tensor<double, esp::shape<3>>{4, 10, 22}));
  y /= x;
  BOOST_TEST((y == esp::tensor<double, esp::shape<3>>{4, 5, 5.5}));
  y += y[2];
  y += sum(x);
  BOOST_TEST((y == esp::tensor<double, esp::shape<3>>{16.5, 17.5, 18}));
  esp::tensor<float, esp::shape<17, 17>> s = floats<17, 17>(3);
  auto const s0 = s;
  s += transpose(s);
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 17; ++j) BOOST_TEST(s(i, j) == s0(i, j) + s0(j, i));
  esp::tensor<double, esp::shape<2, 3>> rows{{1, 2, 3}, {4, 5, 6}};
  rows -= x;
  BOOST_TEST((rows == esp::tensor<double, esp::shape<2, 3>>{{0, 0, -1}, {3, 3, 2}}));
  // Views, also one that is a temporary, and one that overlaps its operand otherwise than element by element.
  double numbers[5] = {1, 2, 3, 4, 5};
  esp::view<double, esp::shape<3>> const first{&numbers[0]};
  first += 1;
  esp::view<double, esp::shape<3>>(&numbers[1]) *= first;
  double const expected[5] = {2, 6, 12, 16, 5};
  for (int i = 0; i < 5; ++i) BOOST_TEST(numbers[i] == expected[i]);
  constexpr auto known = [] {
    esp::tensor<double, esp::shape<2>> a{1, 2};
    a += a * 2;
    return a;
  }();
  BOOST_TEST((known == esp::tensor<double, esp::shape<2>>{3, 6}));
}
// Formulas of integers are computed in double, where every std::int32_t is exact. 16777217 is the first that float
// rounds.
// Moves and sums of products are exact, too.
BOOST_AUTO_TEST_CASE(integers_that_are_moved) {
  using table = espalier::tensor<std::int32_t, espalier::shape<2, 2>>;
  table const t{{16777217, 0}, {0, 1}};
  espalier::tensor<std::int32_t, espalier::shape<2>> const i{0, 1};
  static_assert(std::is_same_v<decltype(evaluate(index_select<0>(t, i)))::value_type, double>);
  static_assert(std::is_same_v<decltype(evaluate(equal(t, 1)))::value_type, float>);
  BOOST_TEST(evaluate(index_select<0>(t, i))[0] == 16777217.0);
  BOOST_TEST(evaluate(pick(t, i))[0] == 16777217.0);
  BOOST_TEST(evaluate(espalier::detach(t))[0] == 16777217.0);
  BOOST_TEST(evaluate(matmul(t, t))[0] == 16777217.0 * 16777217.0);
}
// The rule of a composite says what it makes of integers, before it is an op of a program.
BOOST_AUTO_TEST_CASE(squares_of_integers) {
  espalier::tensor<std::int32_t, espalier::shape<2>> const x{1, 65537};
  espalier::tensor<double, espalier::shape<2>> const y = square(x) + 1;
  BOOST_TEST(y[0] == 2.0);
  BOOST_TEST(y[1] == 65537.0 * 65537.0 + 1);
}
BOOST_AUTO_TEST_CASE(integers_are_exact) {
  using esp::tensor, esp::shape;
  constexpr tensor<std::int32_t, shape<2>> a{16777217, 3}, b{16777216, 4};
  constexpr tensor<bool, shape<2>> mask{true, false};
  constexpr auto in_constants = evaluate(a + b);
  static_assert(in_constants == tensor<double, shape<2>>{33554433, 7});
  BOOST_TEST((evaluate(a + b) == in_constants));
  BOOST_TEST((evaluate(-esp::where(mask, a - 1, b) * 2) == tensor<double, shape<2>>{-33554432, -8}));
  BOOST_TEST((evaluate(esp::flip<0>(esp::reshape<2>(a))) == tensor<double, shape<2>>{3, 16777217}));
  double const total = sum(a), largest = max(a);
  BOOST_TEST(total == 16777220);
  BOOST_TEST(largest == 16777217);
  tensor<bool, shape<2>> const same = equal(a, b), larger = a > b;
  BOOST_TEST((same == tensor<bool, shape<2>>{false, false}));
  BOOST_TEST((larger == tensor<bool, shape<2>>{true, false}));
  tensor<std::int32_t, shape<2>> const back{evaluate(a + 1)};
  BOOST_TEST((back == tensor<std::int32_t, shape<2>>{16777218, 4}));
  // Truth and other numbers are float, and a float tensor or number makes the formula one of floats.
  tensor<float, shape<2>> x{1, 2}, y = a - b;
  BOOST_TEST((y == tensor<float, shape<2>>{1, -1}));
  static_assert(std::is_same_v<decltype(evaluate(equal(a, b))), tensor<float, shape<2>>>);
  static_assert(std::is_same_v<decltype(evaluate(1 - mask)), tensor<float, shape<2>>>);
  static_assert(std::is_same_v<decltype(evaluate(esp::one_hot<5>(a))), tensor<float, shape<2, 5>>>);
  static_assert(std::is_same_v<decltype(evaluate(exp(a))), tensor<float, shape<2>>>);
  static_assert(std::is_same_v<decltype(evaluate(a * 0.5)), tensor<float, shape<2>>>);
  static_assert(std::is_same_v<decltype(evaluate(mean(mask))), tensor<float, shape<>>>);
  static_assert(std::is_same_v<decltype(evaluate(sum(mask))), tensor<double, shape<>>>);
  static_assert(std::is_same_v<decltype(evaluate(a * x)), tensor<float, shape<2>>>);
}
