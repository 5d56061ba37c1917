// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_view
#include <boost/test/unit_test.hpp>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::span;
using espalier::tensor;
using espalier::view;

using S = shape<2, 3>;
static_assert(sizeof(view<float, S>) == sizeof(float*) && std::is_trivially_copyable_v<view<float, S>>);
static_assert(std::is_convertible_v<tensor<float, S>&, view<float, S>>);
static_assert(std::is_convertible_v<tensor<float, S> const&, view<float const, S>>);
static_assert(!std::is_convertible_v<tensor<float, S> const&, view<float, S>>,
              "a constant tensor has no writable view");
static_assert(std::is_convertible_v<view<float, S>, view<float const, S>>);
static_assert(!std::is_convertible_v<view<float const, S>, view<float, S>>);
static_assert(!std::is_convertible_v<float*, view<float, S>>, "a pointer says nothing about its shape: only in words");
static_assert(std::is_constructible_v<view<float const, S>, float const*> &&
              !std::is_constructible_v<view<float, S>, float const*>);
static_assert(!std::is_constructible_v<view<float, S>, double*> &&
              !std::is_constructible_v<view<float, S>, tensor<float, shape<3, 2>>&>);

constexpr float numbers[]{1, 2, 3, 4, 5, 6};
constexpr view<float const, S> seen(numbers);
static_assert(seen(1, 0) == 4 && seen[5] == 6 && seen.size() == 6 && seen.rank == 2 && seen.shape() == S::value);

BOOST_AUTO_TEST_CASE(a_view_of_a_pointer_an_array_a_span_and_a_tensor) {
  float memory[]{1, 2, 3, 4, 5, 6};
  view<float, S> const from_array(memory), from_pointer(&memory[0]), from_span(span<float>{memory, 6});
  BOOST_TEST((from_array.data() == memory && from_pointer.data() == memory && from_span.data() == memory));
  tensor<float, S> t{{1, 2, 3}, {4, 5, 6}};
  view<float, S> const of_tensor = t;
  BOOST_TEST((of_tensor == from_array));
  of_tensor(0, 1) = 9;
  BOOST_TEST(t(0, 1) == 9.0f);
  BOOST_TEST((of_tensor != from_array));
}

BOOST_AUTO_TEST_CASE(a_view_is_written_through) {
  float memory[6]{};
  view<float, S> const v(memory);
  v.fill(2);
  v(1, 2) = 5;
  float sum = 0;
  for (float const x : v) sum += x;
  BOOST_TEST(sum == 15.0f);
  BOOST_TEST(v.span().size() == 6);
  BOOST_TEST(v.end() - v.begin() == 6);
}

BOOST_AUTO_TEST_CASE(comparison_reads_elements_not_addresses) {
  float a[]{1, 2, 3, 4, 5, 6}, b[]{1, 2, 3, 4, 5, 6};
  BOOST_TEST((view<float, S>(a) == view<float const, S>(b)));
  b[5] = 7;
  BOOST_TEST((view<float, S>(a) != view<float const, S>(b)));
  a[0] = b[0] = __builtin_nanf("");
  b[5] = 6;
  BOOST_TEST((view<float, S>(a) != view<float, S>(b)));
}

BOOST_AUTO_TEST_CASE(a_scalar_and_one_element) {
  double x = 3;
  view<double, shape<>> const scalar(&x);
  BOOST_TEST(scalar() == 3.0);
  view<double, shape<1, 1>> const one(&x);
  BOOST_TEST(one(0, 0) == 3.0);
}
