// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_tensor
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <tuple>
#include <utility>

#include <espalier/storage/tensor.hpp>

#include "support/last_words.hpp"

using espalier::shape;
using espalier::tensor;
using espalier::view;

// ---- in constant expressions

constexpr tensor<float, shape<3>> row{1, 2.0, 3u};
static_assert(row == tensor<float, shape<3>>{1, 2, 3} && row != tensor<float, shape<3>>{1, 2, 4});
static_assert(tensor<float, shape<2, 3>>{} == tensor<float, shape<2, 3>>{{0, 0, 0}, {0, 0, 0}});
constexpr tensor<float, shape<2, 3>> matrix{{1, 2, 3}, {4, 5, 6}};
static_assert(matrix(0, 0) == 1 && matrix(1, 2) == 6 && matrix[3] == 4);
static_assert(tensor<double, shape<2, 1, 3>>{{{1, 2, 3}}, {{4, 5, 6}}}(1, 0, 2) == 6);
static_assert(tensor<double, shape<2, 1, 2, 1>>{{{{1}, {2}}}, {{{3}, {4}}}}(1, 0, 1, 0) == 4);
static_assert(tensor<double, shape<1, 2, 1, 1, 2>>{{{{{1, 2}}}, {{{3, 4}}}}}(0, 1, 0, 0, 1) == 4);
static_assert(tensor<double, shape<1, 2, 1, 1, 2, 1>>{{{{{{1}, {2}}}}, {{{{3}, {4}}}}}}(0, 1, 0, 0, 1, 0) == 4);
static_assert(tensor<float, shape<1, 1>>{{7}}(0, 0) == 7 && tensor<float, shape<1>>{7}(0) == 7);
static_assert(tensor<std::int32_t, shape<2>>{1, -2}[1] == -2 && tensor<bool, shape<2>>{1, 0}[0]);

// A scalar is its element, in both directions.
constexpr tensor<float, shape<>> scalar = 2.5f;
static_assert(scalar == 2.5f && scalar() == 2.5f && scalar[0] < 3 && scalar * 2 == 5);

static_assert(tensor<double, shape<3>>(row) == tensor<double, shape<3>>{1, 2, 3});
// Another element type or another shape is refused in words: compile_fail/tensor_of_another_element and
// tensor_of_another_shape.

// What is too large to stay inside the tensor can still be computed with, though not kept, by the compiler.
constexpr float large_in_passing() {
  tensor<float, shape<40, 40>> a, b;
  a(3, 4) = 2;
  b = a;
  b(0, 0) = 1;
  tensor<float, shape<40, 40>> c = std::move(b);
  a = std::move(c);
  return a(3, 4) + a(0, 0);
}
static_assert(large_in_passing() == 3);

// ---- what the type promises

static_assert(sizeof(tensor<float, shape<32, 32>>) == 4096 && alignof(tensor<float, shape<>>) == 64);
static_assert(sizeof(tensor<float, shape<32, 33>>) == sizeof(float*));
static_assert(!std::is_trivially_destructible_v<tensor<float, shape<8, 8>>> &&
                  std::is_nothrow_destructible_v<tensor<float, shape<8, 8>>>,
              "passed by address: an argument by value lives as long as the caller's full expression");
static_assert(std::is_nothrow_move_constructible_v<tensor<float, shape<64, 64>>> &&
              std::is_nothrow_move_assignable_v<tensor<float, shape<64, 64>>>);
static_assert(std::is_same_v<tensor<float, shape<2>>::value_type, float> &&
              std::is_same_v<tensor<float, shape<2>>::shape_type, shape<2>>);
static_assert(std::is_same_v<tensor<float, shape<2>>::device_type, espalier::cpu> &&
              tensor<float, shape<2, 3>>::size() == 6);

using small = tensor<float, shape<4, 5>>;
using large = tensor<float, shape<64, 65>>;
using both = std::tuple<small, large>;

template <class Tensor>
Tensor counting() {
  Tensor t;
  for (std::int64_t i = 0; i < Tensor::size(); ++i) t[i] = static_cast<float>(i);
  return t;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(elements, Tensor, both) {
  Tensor t;
  for (float const x : t) BOOST_TEST(x == 0.0f);
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0u);
  t(1, 2) = 3;
  BOOST_TEST(t[t.shape()[1] + 2] == 3.0f);
  BOOST_TEST(t.span().size() == Tensor::size());
  BOOST_TEST(t.end() - t.begin() == Tensor::size());
  std::size_t const i = 1;
  std::int64_t const j = 2;
  BOOST_TEST(std::as_const(t)(i, j) == 3.0f);
  t.fill(7);
  for (float const x : std::as_const(t)) BOOST_TEST(x == 7.0f);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(copies_are_deep, Tensor, both) {
  Tensor const a = counting<Tensor>();
  Tensor b = a;
  BOOST_TEST((a == b));
  b(0, 0) = -1;
  BOOST_TEST(a(0, 0) == 0.0f);
  float const* const where = b.data();
  b = a;
  BOOST_TEST((a == b));
  BOOST_TEST(b.data() == where, "copy assignment keeps its storage");
  Tensor& same = b;
  b = same;
  BOOST_TEST((a == b));
}

BOOST_AUTO_TEST_CASE(moves_hand_over_the_allocation) {
  large a = counting<large>();
  float const* const where = a.data();
  large b = std::move(a);
  BOOST_TEST(b.data() == where);
  large const none = a;
#if !defined(NDEBUG)
  auto const moved = [](auto f) { return test::has(test::last_words(f), "this tensor was moved from"); };
  BOOST_TEST(moved([&] { return a.data(); }));
  BOOST_TEST(moved([&] { a.fill(1); }));
  BOOST_TEST(moved([&] { return a == b; }));
  BOOST_TEST(moved([&] { return none.span()[0]; }));
#endif
  a = b;
  BOOST_TEST((a == b));
  large c;
  c = std::move(b);
  BOOST_TEST(c.data() == where);
  BOOST_TEST((c == a));
  large& same = c;
  c = std::move(same);
  BOOST_TEST((c == a));
  c = none;
  c = view<float const, shape<64, 65>>(a);
  BOOST_TEST((c == a));
  std::swap(a, b);
  BOOST_TEST((b == c));
}

float sum_of(espalier::span<float const> elements) {
  float r = 0;
  for (float const x : elements) r += x;
  return r;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(temporaries, Tensor, both) {
  Tensor const expected = counting<Tensor>();
  auto const elements = counting<Tensor>().span();
  BOOST_TEST(elements.size() == Tensor::size());
  BOOST_TEST(sum_of(elements) == sum_of(expected.span()));
  BOOST_TEST(sum_of(counting<Tensor>().span()) == sum_of(expected.span()));
  std::int64_t i = 0;
  for (float const x : counting<Tensor>().span()) BOOST_TEST(x == expected[i++]);
  auto const& element = counting<Tensor>()(1, 2);
  auto&& last = counting<Tensor>()[Tensor::size() - 1];
  BOOST_TEST(element == expected(1, 2));
  BOOST_TEST(last == expected[Tensor::size() - 1]);
}

BOOST_AUTO_TEST_CASE(conversions_of_elements) {
  tensor<double, shape<3>> const exact{0.1, 1e300, -2};
  tensor<float, shape<3>> const rounded(exact);
  BOOST_TEST((rounded[0] == 0.1f && rounded[1] == __builtin_huge_valf() && rounded[2] == -2.0f));
  BOOST_TEST(
      (tensor<std::int32_t, shape<2>>(tensor<float, shape<2>>{1.75f, -3.0f}) == tensor<std::int32_t, shape<2>>{1, -3}));
  static_assert(tensor<std::int32_t, shape<2>>(tensor<double, shape<2>>{-2147483648.5, 2147483647.5}) ==
                tensor<std::int32_t, shape<2>>{-2147483647 - 1, 2147483647});
}

BOOST_AUTO_TEST_CASE(copies_of_views) {
  float memory[]{1, 2, 3, 4};
  view<float, shape<2, 2>> const v(memory);
  tensor<float, shape<2, 2>> t(v);
  BOOST_TEST((t == v));
  BOOST_TEST((tensor<double, shape<2, 2>>(v) == tensor<double, shape<2, 2>>{{1, 2}, {3, 4}}));
  memory[0] = 5;
  BOOST_TEST(t(0, 0) == 1.0f);
  t = v;
  BOOST_TEST(t(0, 0) == 5.0f);
  t = view<float const, shape<2, 2>>(t);
  BOOST_TEST((t == v));
}

// ---- the door for expressions

namespace formulas {
struct twice {
  tensor<float, shape<3>> const& of;
};
constexpr void evaluate_into(twice const& e, tensor<float, shape<3>>& to) {
  for (int i = 0; i < 3; ++i) to[i] = 2 * e.of[i];
}
struct ramp {};
template <class T>
void evaluate_into(ramp, T& to) {
  for (std::int64_t i = 0; i < T::size(); ++i) to[i] = static_cast<typename T::value_type>(i);
}
}  // namespace formulas

static_assert(tensor<float, shape<3>>(formulas::twice{row}) == tensor<float, shape<3>>{2, 4, 6});
static_assert(!std::is_constructible_v<tensor<float, shape<2>>, formulas::twice>);

BOOST_AUTO_TEST_CASE(an_expression_evaluates_into_a_tensor) {
  large t = formulas::ramp{};
  BOOST_TEST((t == counting<large>()));
  large const moved = std::move(t);
  t = formulas::ramp{};
  BOOST_TEST((t == moved));
}
