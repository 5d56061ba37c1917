// SPDX-License-Identifier: BSL-1.0
// Loops: values and gradients of the first and second order are those of the steps, one after the other.
#define BOOST_TEST_MODULE expression_scan
#include <espalier/expression/scan.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::direction;

namespace {

// Each function twice: with a loop, and with its steps written out.
template <bool Loop>
struct sequence {
  template <direction D = direction::forwards, class Step, class State, class Xs>
  static constexpr auto scan(Step const& step, State const& state, Xs const& xs) {
    if constexpr (Loop) {
      return esp::scan<D>(step, state, xs);
    } else {
      auto const parts = esp::split<0>(xs);
      constexpr std::size_t count = std::tuple_size_v<std::remove_const_t<decltype(parts)>>;
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto s = state;
        auto const one = [&](auto const& x) {
          auto const [next, y] = step(s, x);
          s = next;
          return y;
        };
        // Elements of a braced list are evaluated in their order.
        constexpr auto at = [](std::size_t i) { return D == direction::forwards ? i : count - 1 - i; };
        std::tuple const ys{one(std::get<at(I)>(parts))...};
        auto const all = esp::stack<0>(std::get<at(I)>(ys)...);
        return std::tuple{s, all};
      }
      (std::make_index_sequence<count>{});
    }
  }
};

template <bool L>
struct recurrent {
  constexpr auto operator()(auto w, auto u, auto h, auto xs) const {
    auto const [last, hs] = sequence<L>::scan(
        [&](auto const& state, auto const& x) {
          auto const next = tanh(matmul(state, u) + matmul(x, w));
          return std::tuple{next, next};
        },
        h, xs);
    return sum<0>(hs) * last;
  }
};
template <bool L>
struct from_the_end {
  constexpr auto operator()(auto w, auto u, auto h, auto xs) const {
    auto const [last, hs] = sequence<L>::template scan<direction::backwards>(
        [&](auto const& state, auto const& x) {
          auto const next = tanh(matmul(state, u) + matmul(x, w)) + 0.5 * state;
          return std::tuple{next, exp(next) * x};
        },
        h, xs);
    return hs * last;
  }
};
// A result that no state depends on: a product and a norm behind the loop. The state is read before and after the step.
template <bool L>
struct with_output_layer {
  constexpr auto operator()(auto w, auto u, auto h, auto xs) const {
    auto const [last, ys] = sequence<L>::scan(
        [&](auto const& state, auto const& x) {
          auto const next = sigmoid(state * x + matmul(x, u));
          return std::tuple{next, normalize<-1>(matmul(next, w) + state, 1e-3)};
        },
        h, xs);
    return ys + last;
  }
};
// Weights that are broadcast, reduced and moved inside of the step.
template <bool L>
struct with_movements {
  constexpr auto operator()(auto b, auto h, auto xs) const {
    auto const [last, ys] = sequence<L>::scan(
        [&](auto const& state, auto const& x) {
          auto const turned = transpose(state);
          auto const next = tanh(transpose(turned * exp(transpose(x))) + b) - sum<0>(x * b);
          return std::tuple{next, softmax<-1>(flip<1>(next) * b)};
        },
        h, xs);
    return ys * last;
  }
};
// The gradient of a step within a step.
template <bool L>
struct descent {
  struct energy {
    constexpr auto operator()(auto a, auto b) const { return sum(square(a * b)) + sum(exp(a)); }
  };
  constexpr auto operator()(auto h, auto xs) const {
    auto const [last, ys] = sequence<L>::scan(
        [](auto const& state, auto const& x) {
          auto const next = state - 0.1 * esp::grad<0>(energy{})(state, x);
          return std::tuple{next, next * x};
        },
        h, xs);
    return ys + last;
  }
};
// A loop over the columns within a loop over the rows, whose weights and state come from outside.
template <bool L>
struct nested {
  constexpr auto operator()(auto u, auto h, auto xs) const {
    auto const [last, ys] = sequence<L>::scan(
        [&](auto const& state, auto const& rows) {
          auto const [inner, zs] = sequence<L>::scan(
              [&](auto const& s, auto const& x) {
                auto const next = tanh(matmul(s, u) + x * state);
                return std::tuple{next, next * s};
              },
              state * 0.5, rows);
          return std::tuple{inner + 0.1 * state, sum<0>(zs) + matmul(inner, u)};
        },
        h, xs);
    return ys * last;
  }
};

template <template <bool> class F, class... X>
void check(char const* name, X const&... x) {
  auto const dy = numbers<double, shape_of_result<F<true>, X...>>(99, 0.5, 1.5);
  auto const loop = fused(F<true>{}, dy, x...), steps = fused(F<false>{}, dy, x...);
  check_same(name, " (loop against steps)", loop, steps, 1e-12);
  check_kernels(name, F<true>{}, x...);
  check_pullback(name, F<true>{}, x...);
}

}  // namespace

BOOST_AUTO_TEST_CASE(loops_are_their_steps) {
  auto const w = doubles<3, 3>(1), u = doubles<3, 3>(2);
  auto const h = doubles<2, 3>(3);
  auto const xs = doubles<4, 2, 3>(4);
  check<recurrent>("a recurrent layer", w, u, h, xs);
  check<from_the_end>("from the last position to the first", w, u, h, xs);
  check<with_output_layer>("an output layer", w, u, h, xs);
  check<with_movements>("movements", doubles<2, 3>(5), h, xs);
  check<descent>("a gradient within a step", h, xs);
}

BOOST_AUTO_TEST_CASE(loops_within_loops) {
  check<nested>("a loop within a loop", doubles<3, 3>(2), doubles<2, 3>(3), doubles<3, 4, 2, 3>(4));
}
