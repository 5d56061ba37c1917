// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "check_pullback.hpp"

/// Loops with a count against loops over all steps with a mask.
namespace test {

/// where(taken, a, b) of values and of tuples of them. b may be 0.
template <class T, class A, class B>
constexpr auto select(T const& taken, A const& a, B const& b) {
  if constexpr (requires { std::tuple_size<A>::value; }) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::is_arithmetic_v<B>) return std::tuple{select(taken, std::get<I>(a), b)...};
      else return std::tuple{select(taken, std::get<I>(a), std::get<I>(b))...};
    }
    (std::make_index_sequence<std::tuple_size_v<A>>{});
  } else {
    return where(taken, a, b);
  }
}

// Each function twice: with a count, and with a mask. ts are the positions 0, 1, 2, ...
template <bool Counted>
struct loop {
  template <esp::direction D = esp::direction::forwards, class Step, class State, class Xs, class N, class Ts>
  static constexpr auto scan(Step const& step, State const& state, Xs const& xs, N const& n, Ts const& ts) {
    if constexpr (Counted) {
      return esp::scan<D>(step, state, xs, n);
    } else {
      auto const masked = [&](auto const& s, auto const& in) {
        auto const& [x, t] = in;
        auto const [next, y] = step(s, x);
        auto const taken = t < esp::reshape<>(n);
        return std::tuple{select(taken, next, s), select(taken, y, 0)};
      };
      return esp::scan<D>(masked, state, std::tuple{xs, ts});
    }
  }
};

template <template <bool> class F, class... X, std::size_t... I>
void check_second_order(char const* name, std::index_sequence<I...>, X const&... x) {
  constexpr unsigned differentiated = esp::detail::all_differentiated<X...>();
  auto const w = numbers<double, shape_of_result<F<true>, X...>>(2000, 0.5, 1.5);
  esp::tensor<double, esp::shape<>> const one{1.0};
  std::tuple<X...> const u{detail::direction(x, 1000 + I)...};
  auto const of = [&]<class G>(G g) { return fused(g, one, x..., std::get<I>(u)..., w); };
  auto const counted = of(directional<F<true>, differentiated>{}), masked = of(directional<F<false>, differentiated>{});
  using all = std::make_index_sequence<std::tuple_size_v<decltype(counted.gradients)>>;
  check_same(name, " (second order, count against mask)", counted, masked, 1e-11, all{});
}
template <template <bool> class F, class... X>
void check_count(char const* name, X const&... x) {
  auto const dy = numbers<double, shape_of_result<F<true>, X...>>(99, 0.5, 1.5);
  auto const counted = fused(F<true>{}, dy, x...), masked = fused(F<false>{}, dy, x...);
  using index = std::make_index_sequence<std::tuple_size_v<decltype(counted.gradients)>>;
  check_same(name, " (count against mask)", counted, masked, 1e-12, index{});
  check_second_order<F>(name, std::index_sequence_for<X...>{}, x...);
  check_kernels(name, F<true>{}, x...);
  check_pullback(name, F<true>{}, x...);
}

template <int N>
esp::tensor<double, esp::shape<N>> positions() {
  esp::tensor<double, esp::shape<N>> r;
  for (int i = 0; i < N; ++i) r[i] = i;
  return r;
}
inline esp::tensor<std::int32_t, esp::shape<>> count_of(int n) { return esp::tensor<std::int32_t, esp::shape<>>{n}; }

}  // namespace test
