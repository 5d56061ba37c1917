// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "check_kernels.hpp"

/// First and second order checks of a captureless function of tensors of double against a central difference along a
/// random direction. Labels (tensors of integers or booleans) may stand among the arguments.
namespace test {

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

struct steps {
  double step = 1e-5;
  double first = 1e-7;  ///< allowed, relative to the sum of magnitudes
  double second = 1e-6;
};

namespace detail {

template <class X>
X moved(X x, X const& along, double step) {
  if constexpr (std::is_same_v<typename X::value_type, double>)
    for (std::int64_t i = 0; i < x.size(); ++i) x[i] += step * along[i];
  return x;
}
template <class X>
X direction(X const& like, std::uint64_t seed) {
  if constexpr (std::is_same_v<typename X::value_type, double>)
    return numbers<double, typename X::shape_type>(seed, -1, 1);
  else return like;
}

template <class F, class... X, std::size_t... I>
void check_pullback_at(char const* name, F, steps const& options, std::index_sequence<I...>, X const&... x) {
  std::tuple<X...> const u{direction(x, 1000 + I)...};
  auto const w = numbers<double, shape_of_result<F, X...>>(2000, 0.5, 1.5);
  double const h = options.step;
  esp::tensor<double, esp::shape<>> const one{1.0};
  auto const scalar = [&](auto const&... at) { return interpreted(weighted<F>{}, false, one, at..., w); };
  auto const at_x = scalar(x...);
  auto const ahead = scalar(moved(x, std::get<I>(u), h)...), behind = scalar(moved(x, std::get<I>(u), -h)...);

  // One number: how s changes along u.
  constexpr unsigned differentiated = esp::detail::all_differentiated<X...>();
  double along = 0, size = 1;
  auto const project = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    if constexpr (differentiated >> K & 1u) {
      auto const& gradient =
          std::get<static_cast<std::size_t>(std::popcount(differentiated & ((1u << K) - 1u)))>(at_x.gradients);
      for (std::int64_t i = 0; i < gradient.size(); ++i) {
        along += gradient[i] * std::get<K>(u)[i];
        size += std::fabs(gradient[i] * std::get<K>(u)[i]);
      }
    }
  };
  (project(std::integral_constant<std::size_t, I>{}), ...);
  double const measured = (ahead.value[0] - behind.value[0]) / (2 * h);
  BOOST_CHECK_MESSAGE(std::fabs(along - measured) <= options.first * size,
                      name << ", first order: gradient along a direction " << along << ", by differences " << measured);

  // One number for each element: how the gradient changes along u, which is the gradient of <ds/dx, u> since second
  // derivatives commute.
  auto const second = interpreted(directional<F, differentiated>{}, false, one, x..., std::get<I>(u)..., w);
  auto const compare = [&](std::size_t i, auto const& got, auto const& after, auto const& before) {
    std::remove_cvref_t<decltype(got)> expected_change;
    for (std::int64_t e = 0; e < got.size(); ++e) expected_change[e] = (after[e] - before[e]) / (2 * h);
    std::string const text = difference(got, expected_change, options.second);
    BOOST_CHECK_MESSAGE(text.empty(), name << ", second order, argument " << i << ": " << text);
  };
  [&]<std::size_t... G>(std::index_sequence<G...>) {
    (compare(G, std::get<G>(second.gradients), std::get<G>(ahead.gradients), std::get<G>(behind.gradients)), ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(std::popcount(differentiated))>{});
}

}  // namespace detail

/// Checks the gradients of f at x, and the gradients of its gradients.
template <class F, class... X>
void check_pullback(char const* name, F f, steps const& options, X const&... x) {
  detail::check_pullback_at(name, f, options, std::index_sequence_for<X...>{}, x...);
}
template <class F, class X, class... More>
  requires esp::Stored<X>
void check_pullback(char const* name, F f, X const& x, More const&... more) {
  check_pullback(name, f, steps{}, x, more...);
}

}  // namespace test
