// SPDX-License-Identifier: BSL-1.0
// Loops with a count within loops and with tables: as the same loops with a mask. What lies behind the count is not
// read.
#define BOOST_TEST_MODULE operation_loop_count
#include <limits>

#include <espalier/expression/scan.hpp>
#include <espalier/operation/operation.hpp>

#include "support/counted_loop.hpp"

using namespace test;
using esp::direction, esp::shape, esp::tensor;

namespace {

// A loop within a loop, whose counts are of one argument or of two.
template <bool C>
struct nested {
  constexpr auto operator()(auto u, auto h, auto xs, auto n, auto ts, auto m, auto us) const {
    auto const [last, ys] = loop<C>::scan(
        [&](auto const& state, auto const& rows) {
          auto const [inner, zs] = loop<C>::template scan<direction::backwards>(
              [&](auto const& s, auto const& x) {
                auto const next = tanh(matmul(s, u) + x * state);
                return std::tuple{next, next * s};
              },
              state * 0.5, rows, m, us);
          return std::tuple{inner + 0.1 * state, sum<0>(zs) + matmul(inner, u)};
        },
        h, xs, n, ts);
    return ys * last;
  }
};
template <bool C>
struct one_count_for_two {
  constexpr auto operator()(auto u, auto h, auto xs, auto n, auto ts) const {
    return nested<C>{}(u, h, xs, n, ts, n, ts);
  }
};
// A table that is read at the positions of a sequence of integers, and the gradient of a step within a step.
template <bool C>
struct tokens {
  struct energy {
    constexpr auto operator()(auto a, auto b) const { return sum(square(a * b)) + sum(exp(a)); }
  };
  constexpr auto operator()(auto table, auto w, auto h, auto indices, auto n, auto ts) const {
    auto const [last, ys] = loop<C>::scan(
        [&](auto const& s, auto const& i) {
          auto const row = esp::index_select<0>(table, i);
          auto const next = s - 0.1 * esp::grad<0>(energy{})(s, matmul(row, w));
          return std::tuple{next, next * row};
        },
        h, indices, n, ts);
    return ys + last;
  }
};
// Products of a sequence, before the loop and behind it.
struct with_products {
  constexpr auto operator()(auto w, auto u, auto h, auto xs, auto n) const {
    auto const [last, ys] = esp::scan(
        [&](auto const& state, auto const& x) {
          auto const next = tanh(matmul(state, u) + matmul(x, w));
          return std::tuple{next, std::tuple{matmul(next, u), matmul(x, u), x}};
        },
        h, xs, n);
    auto const& [a, b, c] = ys;
    return (a + b + c) * last;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(loops_of_loops) {
  auto const u = doubles<3, 3>(1);
  auto const h = doubles<2, 3>(3);
  auto const ts = positions<4>();
  [[maybe_unused]] auto const us = positions<4>();
  auto const xs = doubles<4, 4, 2, 3>(4);
  for (int n : {0, 1, 3, 4}) {
    BOOST_TEST_CONTEXT("steps " << n) {
#if defined(ESPALIER_TEST_ALL)  // support/longer_run.hpp
      check_count<one_count_for_two>("one count", u, h, xs, count_of(n), ts);
#endif
#if !defined(ESPALIER_TEST_ALL) || ESPALIER_IS_DRAFT
      check_count<nested>("two counts", u, h, xs, count_of(n), ts, tensor<std::int32_t, shape<1>>{2}, us);
#endif
    }
  }
#if !defined(ESPALIER_TEST_ALL) || ESPALIER_IS_DRAFT
  check_count<nested>("no inner step", u, h, xs, count_of(2), ts, tensor<std::int32_t, shape<1>>{0}, us);
#endif
}

#if defined(ESPALIER_TEST_ALL)
BOOST_AUTO_TEST_CASE(tables_and_gradients_in_steps) {
  tensor<std::int32_t, shape<4, 2>> const indices{{1, 4}, {0, 4}, {2, 2}, {3, 1}};
  for (int n : {0, 1, 3, 4}) BOOST_TEST_CONTEXT("steps " << n)
  check_count<tokens>("a table", doubles<5, 3>(1), doubles<3, 3>(2), doubles<2, 3>(3), indices, count_of(n),
                      positions<4>());
}
#endif

// Infinite values behind the count change nothing.
BOOST_AUTO_TEST_CASE(values_behind_the_count) {
  auto const w = doubles<3, 3>(1), u = doubles<3, 3>(2);
  auto const h = doubles<2, 3>(3);
  auto xs = doubles<4, 2, 3>(4);
  auto const dy = doubles<4, 2, 3>(99);
  auto const wanted = fused(with_products{}, dy, w, u, h, xs, count_of(2));
  auto const by_nodes = interpreted(with_products{}, false, dy, w, u, h, xs, count_of(2));
  for (int i = 12; i < 24; ++i)
    xs[i] = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  auto const found = fused(with_products{}, dy, w, u, h, xs, count_of(2));
  check_same("infinite values", " (kernels)", found, wanted, 0);
  check_same("infinite values", " (interpreter)", interpreted(with_products{}, false, dy, w, u, h, xs, count_of(2)),
             by_nodes, 0);
  for (int i = 12; i < 24; ++i) BOOST_TEST(std::get<3>(found.gradients)[i] == 0);
}
