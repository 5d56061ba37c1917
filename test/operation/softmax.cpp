// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_softmax
#include "support/axes.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int Axis>
struct soft {
  constexpr auto operator()(auto x) const { return softmax<Axis>(x); }
};
template <int Axis>
struct log_soft {
  constexpr auto operator()(auto x) const { return log_softmax<Axis>(x); }
};
/// What they expand to, differentiated as it stands.
template <int Axis>
struct soft_expansion {
  constexpr auto operator()(auto x) const {
    return esp::rule<esp::softmax_>::expand(x, std::integral_constant<unsigned, 1u << Axis>{});
  }
};
template <int Axis>
struct log_soft_expansion {
  constexpr auto operator()(auto x) const {
    return x - esp::rule<esp::logsumexp_>::expand(x, std::integral_constant<unsigned, 1u << Axis>{});
  }
};
template <int Axis, class X>
void check_axis(X const& x) {
  auto const dy = numbers<double, typename X::shape_type>(2);
  auto const y = interpreted(soft<Axis>{}, false, dy, x), expected = interpreted(soft_expansion<Axis>{}, false, dy, x);
  check_close("softmax", y.value, expected.value);
  check_close("softmax, closed form", std::get<0>(y.gradients), std::get<0>(expected.gradients));
  auto const z = interpreted(log_soft<Axis>{}, false, dy, x),
             log_expected = interpreted(log_soft_expansion<Axis>{}, false, dy, x);
  check_close("log_softmax", z.value, log_expected.value);
  check_close("log_softmax, closed form", std::get<0>(z.gradients), std::get<0>(log_expected.gradients));
  for (std::int64_t i = 0; i < x.size(); ++i)
    BOOST_TEST(std::exp(z.value[i]) == y.value[i], boost::test_tools::tolerance(1e-12));
  check_pullback("softmax", soft<Axis>{}, x);
  check_pullback("log_softmax", log_soft<Axis>{}, x);
}
}  // namespace

BOOST_AUTO_TEST_CASE(every_axis) {
  auto const x = doubles<2, 3, 4>(1, -2, 2);
  check_axis<0>(x);
  check_axis<1>(x);
  check_axis<2>(x);
}

BOOST_AUTO_TEST_CASE(values_and_large_logits) {
  float const inf = HUGE_VALF;
  esp::tensor<float, esp::shape<4, 3>> const x{{1, 1, 1}, {1000, 0, -1000}, {-1e30f, -1e30f, -1e30f}, {-inf, 0, 0}};
  float const third = 1 / 3.0f;
  esp::tensor<float, esp::shape<4, 3>> const y = softmax(x), expected{{third, third, third},
                                                                      {1, 0, 0},
                                                                      {third, third, third},
                                                                      {0, 0.5f, 0.5f}};
  check_close("softmax", y, expected, 1e-6);
  esp::tensor<float, esp::shape<4, 3>> const z = log_softmax(x);
  BOOST_TEST(z(1, 0) == 0);
  BOOST_TEST(z(1, 1) == -1000);
  BOOST_TEST(z(1, 2) == -2000);
  BOOST_TEST(z(3, 0) == -inf);
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", soft<-1>{}, floats<7, 33>(1));
  check_kernels("rows of one", soft<-1>{}, doubles<7, 1>(1));
  check_kernels("columns", soft<0>{}, floats<33, 17>(1));
  check_kernels("middle", soft<1>{}, doubles<3, 5, 7>(1));
  check_kernels("rows", log_soft<-1>{}, floats<7, 33>(1));
  check_kernels("columns", log_soft<0>{}, doubles<33, 17>(1));
  check_kernels("middle", log_soft<1>{}, doubles<3, 5, 7>(1));
  check_kernels("one row", soft<-1>{}, floats<100>(1));
}
