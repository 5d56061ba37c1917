// SPDX-License-Identifier: BSL-1.0
// Pullbacks held to differences by the compiler: the library's own, those of modules' formulas, and wrong ones, which
// are found.
#define BOOST_TEST_MODULE constexpr_gradient_agrees
#include <boost/test/unit_test.hpp>

#include <espalier/eager/gradient_agrees.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

// Three ops of a user's. Each is right in its value; the last two have a mistake that is made easily.
namespace own {
struct cubed_ {};
struct cubed_but_for_its_factor_ {};
struct cubed_but_for_one_side_ {};
}  // namespace own

template <>
struct espalier::rule<own::cubed_> : espalier::elementwise {
  static constexpr char const* name = "cubed";
  template <class T>
  static constexpr T apply(T x) {
    return x * x * x;
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * x * x * math::number<T>(3);
  }
};
template <>
struct espalier::rule<own::cubed_but_for_its_factor_> : espalier::rule<own::cubed_> {
  static constexpr char const* name = "cubed_but_for_its_factor";
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * x * x * math::number<T>(2.99);
  }
};
template <>
struct espalier::rule<own::cubed_but_for_one_side_> : espalier::rule<own::cubed_> {
  static constexpr char const* name = "cubed_but_for_one_side";
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * x * abs(x) * math::number<T>(3);
  }
};

namespace {

template <int... N>
using doubles = esp::tensor<double, esp::shape<N...>>;
template <int... N>
using floats = esp::tensor<float, esp::shape<N...>>;

template <class Op>
struct of_op {
  constexpr auto operator()(auto x) const { return esp::apply<Op>(x); }
};

constexpr doubles<5> right_side{0.5, 1, 2, 3, 4}, both_sides{0.5, 1, -2, 3, 4};
static_assert(esp::gradient_agrees(of_op<own::cubed_>{})(both_sides));
static_assert(!esp::gradient_agrees(of_op<own::cubed_but_for_its_factor_>{})(both_sides));
static_assert(esp::gradient_agrees(of_op<own::cubed_but_for_one_side_>{})(right_side));
static_assert(!esp::gradient_agrees(of_op<own::cubed_but_for_one_side_>{})(both_sides));

// In float, too, and in the middle of a formula.
template <class Op>
struct inside {
  constexpr auto operator()(auto x, auto w, auto b) const { return sum(tanh(esp::apply<Op>(matmul(x, w) + b))); }
};
constexpr floats<2, 3> x{{0.5f, -0.25f, 0.75f}, {0.1f, 0.2f, -0.9f}};
constexpr floats<3, 2> w{{1, -0.5f}, {0.25f, 0.75f}, {-0.5f, 0.5f}};
constexpr floats<2> b{0.25f, -0.125f};
static_assert(esp::gradient_agrees(inside<own::cubed_>{})(x, w, b));
static_assert(!esp::gradient_agrees(inside<own::cubed_but_for_its_factor_>{})(x, w, b));
// What is held constant is not moved: through x alone the wrong factor is found as well.
static_assert(esp::gradient_agrees(inside<own::cubed_>{})(x, esp::constant(w), esp::constant(b)));
static_assert(!esp::gradient_agrees(inside<own::cubed_but_for_its_factor_>{})(x, esp::constant(w), esp::constant(b)));

// What was found, in numbers: the gradient is too small by a third of a percent, and a ten-thousandth of a percent is
// allowed.
constexpr auto found = esp::gradient_agrees(of_op<own::cubed_but_for_its_factor_>{})(right_side);
static_assert(esp::math::abs(found.derivative / found.difference - 2.99 / 3) < 1e-9);
static_assert(found.allowed < 1e-5 * esp::math::abs(found.difference));

// Any direction serves; a tolerance may be said.
static_assert(esp::gradient_agrees(of_op<own::cubed_>{}, {.seed = 7})(both_sides));
static_assert(esp::gradient_agrees(of_op<own::cubed_but_for_its_factor_>{}, {.tolerance = 0.01})(right_side));

// The library's ops and composites.
constexpr doubles<3, 4> m{{0.3, -1.2, 0.8, 2.1}, {1.4, 0.2, -0.7, 0.9}, {-0.4, 1.6, 0.5, -1.1}};
struct norm_and_softmax {
  constexpr auto operator()(auto v) const { return softmax(esp::normalize<-1>(v, 1e-5) * 2); }
};
struct formulas {
  constexpr auto operator()(auto v) const {
    return exp(v) + log(v * v + 1) + sqrt(v * v + 0.5) + sigmoid(v) * esp::sin(v);
  }
};
struct by_label {
  constexpr auto operator()(auto v, auto label) const { return esp::cross_entropy(v, label); }
};
constexpr esp::tensor<std::int32_t, esp::shape<3>> labels{3, 0, 2};
static_assert(esp::gradient_agrees(norm_and_softmax{})(m));
static_assert(esp::gradient_agrees(formulas{})(m));
static_assert(esp::gradient_agrees(by_label{})(m, labels));

// A gradient of gradients is a function like any other.
struct gradient_of_formulas {
  constexpr auto operator()(auto v) const { return esp::grad(total{})(v); }
  struct total {
    constexpr auto operator()(auto v) const { return sum(formulas{}(v)); }
  };
};
static_assert(esp::gradient_agrees(gradient_of_formulas{})(m));

// A gradient that is lost: detach says on purpose that there is none, which no difference knows.
struct detached {
  constexpr auto operator()(auto v) const { return v * detach(v); }
};
static_assert(!esp::gradient_agrees(detached{})(m));
static_assert(esp::gradient_agrees([](auto v) { return v * 0 + 1; })(m));

}  // namespace

// The same check at run time says the same, to the last digit but for fused operations.
BOOST_AUTO_TEST_CASE(run_time_agrees) {
  auto const now = esp::gradient_agrees(of_op<own::cubed_but_for_its_factor_>{})(right_side);
  BOOST_TEST(!now);
  BOOST_TEST(now.derivative == found.derivative, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(now.difference == found.difference, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(now.allowed == found.allowed, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(static_cast<bool>(esp::gradient_agrees(norm_and_softmax{})(m)));
}

BOOST_AUTO_TEST_CASE(options_outside_their_range) {
  constexpr double nan = __builtin_nan("");
  BOOST_CHECK_THROW((void)esp::gradient_agrees(norm_and_softmax{}, {.step = 0}), esp::option_error);
  BOOST_CHECK_THROW((void)esp::gradient_agrees(norm_and_softmax{}, {.step = nan}), esp::option_error);
  BOOST_CHECK_THROW((void)esp::gradient_agrees(norm_and_softmax{}, {.tolerance = -1}), esp::option_error);
}
