// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_composite
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>

namespace esp = espalier;

namespace own {
struct plain_ {};
struct closed_ {};
struct generic_ {};
}  // namespace own
using own::plain_, own::closed_, own::generic_;

namespace {
using s = esp::shape<3>;
/// The formula x + x as a composite.
template <class Op, class X>
constexpr auto twice(X&& x) {
  return esp::detail::make_node<Op, 0, esp::shape_of<X>>(static_cast<X&&>(x));
}
template <class Op>
constexpr auto gradient(esp::tensor<float, s> const& x) {
  return esp::grad<0>([](auto a) { return esp::sum(twice<Op>(a)); })(x);
}
}  // namespace

template <>
struct esp::rule<plain_> : esp::composite {
  static constexpr char const* name = "plain";
  static constexpr auto expand(auto x, auto) { return x + x; }
};
// A wrong gradient shows that it is used.
template <>
struct esp::rule<closed_> : esp::composite {
  static constexpr char const* name = "closed";
  static constexpr auto expand(auto x, auto) { return x + x; }
  static constexpr handle pullback(handle dy, handle, handle, unsigned) { return dy * 3; }
};
template <>
struct esp::rule<generic_> : esp::composite {
  static constexpr char const* name = "generic";
  static constexpr auto expand(auto x, auto) { return x + x; }
  static constexpr auto pullback(auto dy, auto, auto, auto) { return dy * 5; }
};

static_assert(!esp::ClosedForm<plain_> && esp::ClosedForm<closed_> && esp::ClosedForm<generic_>);
static_assert(esp::ClosedForm<esp::softmax_> && !esp::ClosedForm<esp::square_> && !esp::ClosedForm<esp::add_>);

BOOST_AUTO_TEST_CASE(a_composite_without_pullback_is_differentiated_by_its_formula) {
  BOOST_TEST((gradient<plain_>({1, 2, 3}) == esp::tensor<float, s>{2, 2, 2}));
}

BOOST_AUTO_TEST_CASE(a_pullback_is_the_closed_form) {
  BOOST_TEST((gradient<closed_>({1, 2, 3}) == esp::tensor<float, s>{3, 3, 3}));
  BOOST_TEST((gradient<generic_>({1, 2, 3}) == esp::tensor<float, s>{5, 5, 5}));
}
