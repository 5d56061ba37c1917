// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE expression_leaf
#include <boost/test/unit_test.hpp>

#include <espalier/expression/leaf.hpp>
#include <espalier/storage/tensor.hpp>

using namespace espalier;
using detail::keep;
using detail::kept;

namespace {
using s = shape<2, 3>;
using matrix = tensor<float, s>;
using window = view<float const, s>;
struct initializer {
  static constexpr int value = 0;
};
struct formula {
  using is_expression = void;
  using shape_type = s;
  using element_type = float;
};
}  // namespace

// A named tensor is borrowed, a temporary one is owned, so that no formula outlives its tensors by accident.
BOOST_AUTO_TEST_CASE(how_operands_are_kept) {
  static_assert(std::is_same_v<kept<matrix&>, borrowed<float, s>> &&
                std::is_same_v<kept<matrix const&>, borrowed<float, s>>);
  static_assert(std::is_same_v<kept<matrix>, owned<matrix>>);
  static_assert(std::is_same_v<kept<window&>, borrowed<float, s>> && std::is_same_v<kept<window>, borrowed<float, s>>);
  static_assert(std::is_same_v<kept<double const&>, number<double>> && std::is_same_v<kept<int>, number<int>>);
  static_assert(std::is_same_v<kept<formula&>, formula> && std::is_same_v<kept<formula const>, formula>);
  static_assert(detail::kept_as_they_are<formula&, formula> && !detail::kept_as_they_are<formula&, matrix&>);
}

BOOST_AUTO_TEST_CASE(kept_tensors) {
  matrix a{};
  a(1, 2) = 7;
  auto const borrowed_a = keep(a);
  BOOST_TEST(borrowed_a.data == a.data());
  matrix copy = a;
  auto const owned_copy = keep(std::move(copy));
  BOOST_TEST(owned_copy.value(1, 2) == 7);
  BOOST_TEST(keep(2.5).value == 2.5);
  window const v{a.data()};
  BOOST_TEST(keep(v).data == a.data());
  BOOST_TEST(keep(v).since == detail::unchecked);  // a view does not tell when its tensor ends
}

// A formula remembers when it was made, so that a tensor that ends later is found.
BOOST_AUTO_TEST_CASE(borrowed_tensors_have_a_time) {
  matrix a{};
  auto const before = keep(a);
  { matrix const another{}; }
  auto const after = keep(a);
#if defined(NDEBUG)
  BOOST_TEST((before.since == detail::unchecked && after.since == detail::unchecked));
#else
  BOOST_TEST(after.since > before.since);
#endif
}

BOOST_AUTO_TEST_CASE(what_leaves_are) {
  static_assert(number<float>::shape_type::rank == 0 && !number<float>::eager &&
                std::is_void_v<element_of<number<float>>>);
  static_assert(borrowed<double, s>::eager && owned<matrix>::eager && std::is_same_v<owned<matrix>::shape_type, s>);
  static_assert(!parameter<s, void>::eager && std::is_same_v<shape_of<buffer<s, void>>, s>);
  static_assert(std::is_same_v<device_of<borrowed<float, s, cuda>>, cuda> &&
                std::is_same_v<device_of<owned<matrix>>, cpu>);
  static_assert(std::is_void_v<device_of<parameter<s, void>>>);
  constexpr parameter<s, void> unnumbered{};
  static_assert(unnumbered.slot == 0 && unnumbered.tracer == nullptr);
}

BOOST_AUTO_TEST_CASE(initializers) {
  static_assert(detail::initializes<initializer> && detail::initializes<void> && !detail::initializes<formula>);
}
