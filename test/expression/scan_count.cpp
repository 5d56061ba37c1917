// SPDX-License-Identifier: BSL-1.0
// Loops that run a number of steps which is an argument: values and gradients of the first and second order are those
// of the same loop over all steps with a mask.
#define BOOST_TEST_MODULE expression_scan_count
#include <espalier/expression/scan.hpp>

#include "support/counted_loop.hpp"

using namespace test;
using esp::direction, esp::shape, esp::tensor;

namespace {

template <bool C>
struct recurrent {
  constexpr auto operator()(auto w, auto u, auto h, auto xs, auto n, auto ts) const {
    auto const [last, hs] = loop<C>::scan(
        [&](auto const& state, auto const& x) {
          auto const next = tanh(matmul(state, u) + matmul(x, w));
          return std::tuple{next, next};
        },
        h, xs, n, ts);
    return exp(hs) * last;
  }
};
template <bool C>
struct from_the_end {
  constexpr auto operator()(auto w, auto u, auto h, auto xs, auto n, auto ts) const {
    auto const [last, hs] = loop<C>::template scan<direction::backwards>(
        [&](auto const& state, auto const& x) {
          auto const next = tanh(matmul(state, u) + matmul(x, w)) + 0.5 * state;
          return std::tuple{next, exp(next) * x};
        },
        h, xs, n, ts);
    return (hs + 0.25) * last;
  }
};
// Results behind the loop, which are not finite where there is no step; the state is read before and after the step.
template <bool C>
struct with_output_layer {
  constexpr auto operator()(auto w, auto u, auto h, auto xs, auto n, auto ts) const {
    auto const [last, ys] = loop<C>::scan(
        [&](auto const& state, auto const& x) {
          auto const next = sigmoid(state * x + matmul(x, u));
          auto const y = matmul(next, w) + u;
          return std::tuple{next,
                            std::tuple{sqrt(sum<-1>(square(next))), log(sum<-1>(square(matmul(next, w)))), y, state}};
        },
        h, xs, n, ts);
    auto const& [norm, logs, y, before] = ys;
    return esp::broadcast_to<shape<5, 3, 3>>(esp::reshape<5, 3, 1>(norm + logs)) + (y + before) * last;
  }
};
// Products of more than a sequence, results of no state, and values that all steps share.
template <bool C>
struct hoisted {
  constexpr auto operator()(auto w, auto u, auto h, auto xs, auto n, auto ts) const {
    auto const [last, ys] = loop<C>::scan(
        [&](auto const& state, auto const& x) {
          auto const a = matmul(x * w + x, u), b = matmul(log(x), u);
          return std::tuple{0.5 * state + a * b, std::tuple{a, b, x, w, state, sum<0>(x)}};
        },
        h, xs, n, ts);
    auto const& [a, b, x, y, before, s] = ys;
    return (a + b * x + y + before) * last + esp::broadcast_to<shape<5, 3, 3>>(esp::reshape<5, 1, 3>(s));
  }
};
template <bool C>
struct no_state {
  constexpr auto operator()(auto w, auto xs, auto n, auto ts) const {
    auto const [s, ys] = loop<C>::scan(
        [&](auto const&, auto const& x) {
          return std::tuple{std::tuple{}, std::tuple{tanh(matmul(x, w)) * x, x + w, matmul(x, w)}};
        },
        std::tuple{}, xs, n, ts);
    auto const& [a, b, c] = ys;
    return a * b + c;
  }
};
// States that change places; one that stays as it is.
template <bool C>
struct swaps {
  constexpr auto operator()(auto a, auto b, auto xs, auto n, auto ts) const {
    auto const [s, ys] = loop<C>::scan(
        [&](auto const& st, auto const& x) {
          auto const& [p, q, r] = st;
          return std::tuple{std::tuple{q, x, r}, std::tuple{p * q, p, x, a, r * x}};
        },
        std::tuple{a, b, a}, xs, n, ts);
    auto const& [y0, y1, y2, y3, y4] = ys;
    auto const& [p, q, r] = s;
    return sum<0>(y0 + y1 * y2 + y3 * 0.5 + y4) + p * q * r;
  }
};
template <bool C>
struct repeated {
  constexpr auto operator()(auto w, auto h, auto n, auto ts) const {
    if constexpr (C) {
      return esp::repeat<5>([&](auto const& s) { return tanh(matmul(s, w)) + h; }, h, n);
    } else {
      auto const r = loop<false>::scan(
          [&](auto const& s, auto const&) {
            return std::tuple{tanh(matmul(s, w)) + h, std::tuple{}};
          },
          h, ts, n, ts);
      return std::get<0>(r);
    }
  }
};

// In a constant expression: s1 = 2 h + x0, s2 = 2 s1 + x1, and the loss is s2^2 / 2 + s1 + s2.
inline constexpr auto affine = [](auto h, auto xs, auto n) {
  auto const [last, all] = esp::scan(
      [](auto const& s, auto const& x) {
        auto const next = 2 * s + x;
        return std::tuple{next, next};
      },
      h, xs, n);
  return 0.5 * sum(last * last) + sum(all);
};
constexpr auto gradients = esp::grad<0, 1>(affine)(
    tensor<double, shape<1>>{1}, tensor<double, shape<3, 1>>{{1}, {3}, {5}}, tensor<std::int32_t, shape<>>{2});
static_assert(std::get<0>(gradients)[0] == 42);
static_assert(std::get<1>(gradients) == tensor<double, shape<3, 1>>{{21}, {10}, {0}});

}  // namespace

BOOST_AUTO_TEST_CASE(a_count_is_a_mask) {
  auto const w = doubles<3, 3>(1), u = doubles<3, 3>(2), h = doubles<3, 3>(3);
  auto const xs = doubles<5, 3, 3>(4);
  auto const ts = positions<5>();
  for (int n : {0, 1, 3, 5}) {
    BOOST_TEST_CONTEXT("steps " << n) {
      check_count<recurrent>("a recurrent layer", w, u, h, xs, count_of(n), ts);
      check_count<from_the_end>("from the last position to the first", w, u, h, xs, count_of(n), ts);
      check_count<with_output_layer>("results behind the loop", w, u, h, xs, count_of(n), ts);
      check_count<hoisted>("products before the loop", w, u, h, numbers<double, shape<5, 3, 3>>(4, 0.5, 1.5),
                           count_of(n), ts);
      check_count<no_state>("no state", w, xs, count_of(n), ts);
      check_count<swaps>("states that change places", w, h, xs, count_of(n), ts);
      check_count<repeated>("repeat", w, h, count_of(n), ts);
    }
  }
}
