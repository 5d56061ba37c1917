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

/// s(x...) = sum(f(x...) w): one number, with a weight for each element of the result. w is the last argument.
template <class F>
struct weighted {
  template <class... A>
  constexpr auto operator()(A... a) const {
    return with(std::tuple<A...>{a...}, std::make_index_sequence<sizeof...(A) - 1>{});
  }

 private:
  template <class Arguments, std::size_t... I>
  static constexpr auto with(Arguments a, std::index_sequence<I...>) {
    return sum(F{}(std::get<I>(a)...) * std::get<sizeof...(I)>(a));
  }
};

/// The gradient of s along directions u: sum over the real arguments of <ds/dx, u>. Arguments: x..., u..., w.
template <class F, unsigned Differentiated>
struct directional {
  template <class... A>
  constexpr auto operator()(A... a) const {
    return with(std::tuple<A...>{a...}, std::make_index_sequence<(sizeof...(A) - 1) / 2>{});
  }

 private:
  template <class Arguments, std::size_t... I>
  static constexpr auto with(Arguments a, std::index_sequence<I...> all) {
    return (along<I>(a, all) + ...);
  }
  template <std::size_t K, class Arguments, std::size_t... I>
  static constexpr auto along(Arguments a, std::index_sequence<I...>) {
    if constexpr (Differentiated >> K & 1u)
      return sum(esp::grad<static_cast<int>(K)>(weighted<F>{})(std::get<I>(a)..., std::get<2 * sizeof...(I)>(a)) *
                 std::get<sizeof...(I) + K>(a));
    else return 0.0;
  }
};

template <class X>
X direction(X const& like, std::uint64_t seed) {
  if constexpr (std::is_same_v<typename X::value_type, double>)
    return numbers<double, typename X::shape_type>(seed, -1, 1);
  else return like;
}
template <template <bool> class F, class... X, std::size_t... I>
void check_second_order(char const* name, std::index_sequence<I...>, X const&... x) {
  constexpr unsigned differentiated = esp::detail::all_differentiated<X...>();
  auto const w = numbers<double, shape_of_result<F<true>, X...>>(2000, 0.5, 1.5);
  esp::tensor<double, esp::shape<>> const one{1.0};
  std::tuple<X...> const u{direction(x, 1000 + I)...};
  auto const of = [&]<class G>(G g) { return fused(g, one, x..., std::get<I>(u)..., w); };
  auto const counted = of(directional<F<true>, differentiated>{}), masked = of(directional<F<false>, differentiated>{});
  check_same(name, " (second order, count against mask)", counted, masked, 1e-11);
}
template <template <bool> class F, class... X>
void check_count(char const* name, X const&... x) {
  auto const dy = numbers<double, shape_of_result<F<true>, X...>>(99, 0.5, 1.5);
  auto const counted = fused(F<true>{}, dy, x...), masked = fused(F<false>{}, dy, x...);
  check_same(name, " (count against mask)", counted, masked, 1e-12);
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
