// SPDX-License-Identifier: BSL-1.0
// Factors that are the same for everything that a sum adds leave it.
#define BOOST_TEST_MODULE operation_factors
#include "support/axes.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
struct row {
  constexpr auto operator()(auto x, auto k) const { return sum<1>(x * k); }
};
struct factor_first {
  constexpr auto operator()(auto x, auto k) const { return sum<1>(k * x); }
};
struct column {
  constexpr auto operator()(auto x, auto k) const { return sum<0>(x * k); }
};
struct everything {
  constexpr auto operator()(auto x, auto k) const { return sum(x * k); }
};
struct channels {
  constexpr auto operator()(auto x, auto k) const { return sum<0, 2>(x * k); }
};
struct middle {
  constexpr auto operator()(auto x, auto k) const { return sum<1>(x * k); }
};
struct nested {
  constexpr auto operator()(auto x, auto k, auto l) const { return sum<1>(k * (x * l) * (x * k)); }
};
struct only_factors {
  constexpr auto operator()(auto x, auto k) const { return sum<1>(x * x * 0.5 * (k * k)); }
};
/// k is another number for each element that a row adds.
struct not_a_factor {
  constexpr auto operator()(auto x, auto k) const { return sum<1>(x * k); }
};

/// How many nodes the program of f has that multiply full values, simplified or as it was written.
template <class F, class... X>
int full_products(bool plain, std::int64_t size) {
  auto const p = written<F, X...>::build(plain);
  // Only what the value needs: the backward pass multiplies, too.
  std::vector<bool> needed(static_cast<std::size_t>(p->nodes.size), false);
  needed[static_cast<std::size_t>(p->outputs[0].id)] = true;
  int count = 0;
  for (int i = p->outputs[0].id; i > 0; --i) {
    if (!needed[static_cast<std::size_t>(i)]) continue;
    graph::node const& n = p->nodes[i];
    for (int k = 0; k < n.op->arity; ++k) needed[static_cast<std::size_t>(n.operand[k])] = true;
    count += n.op == &esp::described<esp::multiply_> && n.shape.size() == size;
  }
  return count;
}
template <class F, class... X>
void check_products(char const* name, int left, int as_written, F, X const&... x) {
  std::int64_t const size = std::get<0>(std::tie(x...)).size();
  int const simplified = full_products<F, X...>(false, size), plain = full_products<F, X...>(true, size);
  BOOST_TEST(simplified == left, name << ": " << simplified << " products of full values");
  BOOST_TEST(plain == as_written, name << ", plain: " << plain << " products of full values");
}
}  // namespace

BOOST_AUTO_TEST_CASE(factors_leave) {
  check_products("row", 0, 1, row{}, doubles<5, 7>(1), doubles<5, 1>(2));
  check_products("factor first", 0, 1, factor_first{}, doubles<5, 7>(1), doubles<5, 1>(2));
  check_products("column", 0, 1, column{}, doubles<5, 7>(1), doubles<7>(2));
  check_products("everything", 0, 1, everything{}, doubles<5, 7>(1), doubles<1, 1>(2));
  check_products("channels", 0, 1, channels{}, doubles<2, 5, 7>(1), doubles<1, 5, 1>(2));
  check_products("middle", 0, 1, middle{}, doubles<3, 5, 7>(1), doubles<3, 1, 7>(2));
  check_products("nested", 1, 4, nested{}, doubles<5, 7>(1), doubles<5, 1>(2), doubles<5, 1>(3));
}
// What differs among the elements stays, and so does a literal: who divides before adding may fear to exceed the range.
BOOST_AUTO_TEST_CASE(others_stay) {
  check_products("a number for each element of a row", 1, 1, not_a_factor{}, doubles<5, 7>(1), doubles<7>(2));
  check_products("literals", 2, 3, only_factors{}, doubles<5, 7>(1), doubles<5, 1>(2));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("row", row{}, floats<7, 33>(1), floats<7, 1>(2));
  check_kernels("column", column{}, doubles<33, 17>(1), doubles<17>(2));
  check_kernels("everything", everything{}, doubles<5, 7>(1), doubles<1, 1>(2));
  check_kernels("channels", channels{}, doubles<3, 5, 7>(1), doubles<1, 5, 1>(2));
  check_kernels("middle", middle{}, floats<3, 5, 7>(1), floats<3, 1, 7>(2));
  check_kernels("nested", nested{}, doubles<7, 33>(1), doubles<7, 1>(2), doubles<7, 1>(3));
  check_kernels("squares", only_factors{}, doubles<7, 33>(1), doubles<7, 1>(2));
  check_kernels("no factor", not_a_factor{}, doubles<7, 33>(1), doubles<33>(2));
}

// First and second gradients, of x and of the factors.
BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("row", row{}, doubles<4, 6>(1), doubles<4, 1>(2));
  check_pullback("column", column{}, doubles<4, 6>(1), doubles<6>(2));
  check_pullback("everything", everything{}, doubles<4, 6>(1), doubles<1, 1>(2));
  check_pullback("channels", channels{}, doubles<2, 3, 4>(1), doubles<1, 3, 1>(2));
  check_pullback("nested", nested{}, doubles<4, 6>(1), doubles<4, 1>(2), doubles<4, 1>(3));
}

// In a backward pass a composite is looked into: the sum is then a factor times the sum of what is left of the
// composite's value.
namespace {
struct weighed {
  constexpr auto operator()(auto b, auto x, auto z) const { return sum((x + b) * esp::softmax<0>(z)); }
};
}  // namespace
BOOST_AUTO_TEST_CASE(a_composite_by_itself) {
  auto const b = doubles<7>(1);
  auto const x = doubles<5, 7>(2), z = doubles<5, 7>(3);
  check_pullback("sum of a softmax", weighed{}, b, x, z);
  // Each column of a softmax adds up to 1.
  check_close("gradient of what is added", std::get<1>(esp::value_and_grad<0>(weighed{})(b, x, z)),
              esp::tensor<double, esp::shape<7>>{1, 1, 1, 1, 1, 1, 1}, 1e-14);
}
