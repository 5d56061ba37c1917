// SPDX-License-Identifier: BSL-1.0
// expect: the gradient of twice is wrong
#include <espalier/eager/gradient_agrees.hpp>
#include <espalier/operation/operation.hpp>

struct twice_ {};
template <>
struct espalier::rule<twice_> : espalier::elementwise {
  static constexpr char const* name = "twice";
  template <class T>
  static constexpr T apply(T x) {
    return x + x;
  }
  template <class T>
  static constexpr T pullback(T dy, T, T) {
#ifdef SHOULD_FAIL
    return dy;
#else
    return dy + dy;
#endif
  }
};

constexpr auto twice = [](auto x) { return espalier::apply<twice_>(x); };
static_assert(espalier::gradient_agrees(twice)(espalier::tensor<double, espalier::shape<3>>{1, 2, 3}),
              "the gradient of twice is wrong");
