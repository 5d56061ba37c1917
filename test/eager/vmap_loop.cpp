// SPDX-License-Identifier: BSL-1.0
// vmap of functions with loops: values and gradients of the first and second order, against the function of each
// sample.
#define BOOST_TEST_MODULE eager_vmap_loop
#include <espalier/eager/vmap.hpp>
#include <espalier/expression/scan.hpp>
#include "support/nets.hpp"

using namespace test;
using esp::direction, esp::shape, esp::tensor;

namespace {
/// Sample i of a tensor of all samples, if it is mapped.
template <bool Mapped, class X>
auto sample(X const& x, int i) {
  if constexpr (Mapped) {
    return [&]<int N, int... E>(shape<N, E...>) {
      tensor<typename X::value_type, shape<E...>> r;
      for (std::int64_t k = 0; k < r.size(); ++k) r[k] = x[i * r.size() + k];
      return r;
    }
    (typename X::shape_type{});
  } else {
    return x;
  }
}
template <int I, int... K>
constexpr bool is_one_of = ((I == K) || ...);

/// The value, and a tuple of the gradients by the arguments D.
template <class F, int... D>
struct with_gradients {
  constexpr auto operator()(auto const&... x) const {
    auto const all = esp::value_and_grad<D...>(F{})(x...);
    return std::tuple_cat(std::tuple{std::get<0>(all)}, std::get<1>(all));
  }
};
/// The sum of the squares of all gradients, of one sample and by sample: its gradient has second derivatives of the
/// loop.
template <class F, int... D>
struct norm_of_gradients {
  constexpr auto operator()(auto const&... x) const {
    return std::apply([](auto const&... g) { return (sum(square(g)) + ...); }, esp::grad<D...>(F{})(x...));
  }
};
template <class F, class Differentiated, int... K>
struct norm_of_samples;
template <class F, int... D, int... K>
struct norm_of_samples<F, std::integer_sequence<int, D...>, K...> {
  constexpr auto operator()(auto const&... x) const {
    return std::apply([](auto const&... g) { return (sum(square(g)) + ...); },
                      esp::vmap<K...>(esp::grad<D...>(F{}))(x...));
  }
};
template <class F, int... K>
struct sum_over_samples {
  constexpr auto operator()(auto const&... x) const { return sum(esp::vmap<K...>(F{})(x...)); }
};

enum class orders { first, second };

/// A scalar f of which the arguments K are mapped, differentiated by the arguments D, at least two.
template <class Differentiated, int... K>
struct check_vmap;
template <int... D, int... K>
struct check_vmap<std::integer_sequence<int, D...>, K...> {
  /// Gradients of a sum over samples: of a mapped argument those of each sample, of a shared one their sum.
  template <std::size_t... I>
  static void totals(char const* what, std::index_sequence<I...>, int count, auto const& got, auto const& of_sample) {
    auto const total = [&]<std::size_t At, int By>(std::integral_constant<std::size_t, At>,
                                                   std::integral_constant<int, By>) {
      auto expected = std::get<At>(of_sample(0));
      for (int i = 0; i < count; ++i) {
        auto const more = std::get<At>(of_sample(i));
        if constexpr (is_one_of<By, K...>) check_close(what, sample<true>(std::get<At>(got), i), more);
        else if (i > 0)
          for (std::int64_t k = 0; k < expected.size(); ++k) expected[k] += more[k];
      }
      if constexpr (!is_one_of<By, K...>) check_close(what, std::get<At>(got), expected);
    };
    (total(std::integral_constant<std::size_t, I>{}, std::integral_constant<int, D>{}), ...);
  }
  template <orders Orders = orders::first, class F, class... X>
  static void of(F, X const&... x) {
    constexpr auto first = static_cast<std::size_t>(std::get<0>(std::tuple{K...}));
    constexpr int count = std::tuple_element_t<first, std::tuple<X...>>::shape_type::value.at[0];
    constexpr auto each = std::make_index_sequence<sizeof...(D)>{};
    auto const sample_of = [&](auto const& f, int i) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return f(sample<is_one_of<static_cast<int>(I), K...>>(x, i)...);
      }
      (std::index_sequence_for<X...>{});
    };
    auto const one = [&](int i) { return sample_of(esp::value_and_grad<D...>(F{}), i); };
    auto const all = esp::vmap<K...>(with_gradients<F, D...>{})(x...);
    for (int i = 0; i < count; ++i) {
      auto const [value, gradients] = one(i);
      BOOST_TEST(near(std::get<0>(all)[i], value));
      [&]<std::size_t... I>(std::index_sequence<I...>, auto const& expected) {
        (check_close("vmap of grad", sample<true>(std::get<I + 1>(all), i), std::get<I>(expected)), ...);
      }
      (each, gradients);
    }
    totals("grad of vmap", each, count, esp::grad<D...>(sum_over_samples<F, K...>{})(x...),
           [&](int i) { return one(i).second; });
    if constexpr (Orders == orders::second)
      totals("grad of vmap of grad", each, count,
             esp::grad<D...>(norm_of_samples<F, std::integer_sequence<int, D...>, K...>{})(x...),
             [&](int i) { return sample_of(esp::grad<D...>(norm_of_gradients<F, D...>{}), i); });
  }
};
template <int... D>
using by = std::integer_sequence<int, D...>;

inline constexpr auto recurrent = [](auto w, auto u, auto h, auto xs) {
  auto const [last, hs] = esp::scan(
      [&](auto const& state, auto const& x) {
        auto const next = tanh(matmul(state, w) + matmul(x, u));
        return std::tuple{next, next};
      },
      h, xs);
  return sum(exp(hs)) + sum(square(last));
};
// Results that are the input, the state and a product; two states, the first of which is the same for all samples.
inline constexpr auto several = [](auto w, auto h, auto xs, auto c) {
  auto const [last, ys] = esp::scan<direction::backwards>(
      [&](auto const& state, auto const& in) {
        auto const& [x, z] = in;
        auto const& [scale, s, passed] = state;
        auto const next = tanh(s * scale + x) * z;
        return std::tuple{std::tuple{scale * 0.5 + sum(z), next, s * 2}, std::tuple{s, x, matmul(next, w), scale, c}};
      },
      std::tuple{mean(c), h, h}, std::tuple{xs, esp::reshape<4, 1>(c)});
  auto const& [states, inputs, products, scales, same] = ys;
  auto const& [scale, s, passed] = last;
  return sum(states * inputs) + sum(square(products)) + sum(scales) * scale + sum(s * passed) + mean(same);
};
inline constexpr auto numbers_only = [](auto a, auto xs) {
  auto const [last, ys] = esp::scan([](auto const& s, auto const& x) { return std::tuple{sin(s) * x, s + x}; }, a, xs);
  return last * last + sum(square(ys));
};
inline constexpr auto repeated = [](auto w, auto x) {
  return sum(esp::repeat<5>([&](auto s) { return tanh(matmul(s, w)) + s * 0.5; }, x));
};
// The inner loop begins with a value of the outer one, and there is one that no mapped argument changes.
inline constexpr auto nested = [](auto w, auto h, auto xs) {
  auto const [last, ys] = esp::scan(
      [&](auto const& state, auto const& x) {
        auto const inner = esp::scan(
            [&](auto const& s, auto const& v) {
              auto const next = tanh(s * v + sum(w * x));
              return std::tuple{next, next * v};
            },
            state, x);
        auto const same = esp::repeat<3>([](auto s) { return sin(s) + s; }, w);
        return std::tuple{std::get<0>(inner) * sum(same), sum(std::get<1>(inner)) + state * sum(w * same)};
      },
      h, xs);
  return sum(ys * ys) + last * last;
};
inline constexpr auto counted = [](auto w, auto h, auto xs, auto n) {
  auto const [last, hs] = esp::scan(
      [&](auto const& state, auto const& x) {
        auto const next = tanh(matmul(state, w) + x);
        return std::tuple{next, std::tuple{next, x, esp::reshape<1, 2, 3>(x)}};
      },
      h, xs, n);
  auto const& [a, b, c] = hs;
  return sum(exp(a) * b) + sum(square(last)) + sum(exp(c));
};
inline constexpr auto with_checkpoint = [](auto w, auto h, auto xs) {
  auto const [last, hs] = esp::scan(
      [&](auto const& state, auto const& x) {
        auto const next =
            esp::checkpoint([&](auto s, auto in) { return tanh(matmul(tanh(matmul(s, w)), w) + in); }, state, x);
        return std::tuple{next, next * x};
      },
      h, xs);
  return sum(exp(hs)) + sum(square(last));
};
inline constexpr auto words = [](auto table, auto h, auto indices) {
  auto const [last, hs] = esp::scan(
      [&](auto const& state, auto const& i) {
        auto const next = tanh(state + esp::index_select<0>(table, esp::reshape<1>(i)));
        return std::tuple{next, next};
      },
      h, indices);
  return sum(exp(hs)) + sum(square(last));
};
inline constexpr auto of_five_axes = [](auto h, auto xs) {
  auto const [last, hs] = esp::scan(
      [](auto const& state, auto const& x) {
        auto const next = tanh(state * x + sum<1>(x, esp::keepdims));
        return std::tuple{next, next};
      },
      h, xs);
  return sum(exp(hs)) + sum(square(last));
};
inline constexpr auto in_a_step = [](auto w, auto h, auto xs) {
  auto const [last, hs] = esp::scan(
      [&](auto const& state, auto const& x) {
        auto const next = esp::vmap<1, 2>([](auto weight, auto s, auto in) {
          return esp::repeat<2>([&](auto a) { return tanh(matmul(a, weight) + in); }, s);
        })(w, state, x);
        return std::tuple{next, next};
      },
      h, xs);
  return sum(exp(hs)) + sum(square(last));
};
inline constexpr auto in_a_step_by_hand = [](auto w, auto h, auto xs) {
  auto const [last, hs] = esp::scan(
      [&](auto const& state, auto const& x) {
        auto const one = tanh(matmul(state, w) + x), next = tanh(matmul(one, w) + x);
        return std::tuple{next, next};
      },
      h, xs);
  return sum(exp(hs)) + sum(square(last));
};
// Twice mapped, against a loop whose state has all samples.
inline constexpr auto walk = [](auto w, auto x) {
  return std::get<1>(esp::scan(
      [&](auto const& s, auto const& v) {
        auto const next = tanh(s * w + v);
        return std::tuple{next, next};
      },
      w, x));
};
inline constexpr auto pairs = [](auto ws, auto xs) {
  return esp::vmap<0>([](auto w, auto all) { return esp::vmap<1>(walk)(w, all); })(ws, xs);
};
inline constexpr auto pairs_by_hand = [](auto ws, auto xs) {
  auto const w = esp::broadcast_to<shape<2, 3>>(esp::reshape<2, 1>(ws));
  auto const steps = esp::permute<2, 0, 1>(esp::broadcast_to<shape<2, 3, 5>>(xs));
  return esp::permute<1, 2, 0>(walk(w, steps));
};
inline constexpr auto sum_of_squares = [](auto... y) { return (sum(square(y)) + ...); };
inline constexpr auto of_one = [](auto layer, auto x) {
  return esp::reshape<4, 6>(std::get<0>(layer(esp::reshape<4, 1, 2>(x))));
};
inline constexpr auto sum_of_one = [](auto layer, auto all) {
  return sum_of_squares(esp::vmap<1>(of_one)(layer, all));
};
inline constexpr auto sum_of_all = [](auto layer, auto all) {
  return sum_of_squares(std::get<0>(layer(esp::permute<1, 0, 2>(all))));
};
}  // namespace

BOOST_AUTO_TEST_CASE(inside_a_step_and_of_vmap) {
  auto const w = doubles<3, 3>(1);
  auto const h = doubles<2, 3>(2);
  auto const xs = doubles<4, 2, 3>(3);
  // One row is a matrix of one row.
  auto const gradients = esp::grad<0, 1, 2>([](auto a, auto b, auto c) {
    return in_a_step(a, esp::reshape<2, 1, 3>(b), esp::reshape<4, 2, 1, 3>(c));
  })(w, h, xs);
  auto const expected = esp::grad<0, 1, 2>(in_a_step_by_hand)(w, h, xs);
  check_close("weight", std::get<0>(gradients), std::get<0>(expected));
  check_close("state", std::get<1>(gradients), std::get<1>(expected));
  check_close("sequence", std::get<2>(gradients), std::get<2>(expected));

  auto const ws = doubles<2>(4);
  auto const all = doubles<3, 5>(5);
  esp::compiled mapped{pairs, ws, all};
  esp::compiled by_hand{pairs_by_hand, ws, all};
  static_assert(decltype(mapped)::kernel_count <= decltype(by_hand)::kernel_count);
  tensor<double, shape<2, 3, 5>> got, wanted;
  mapped(ws, all, got);
  by_hand(ws, all, wanted);
  check_close("pairs", got, wanted);
  auto const of_pairs = esp::grad<0, 1>([](auto a, auto b) { return sum_of_squares(pairs(a, b)); })(ws, all);
  auto const of_hand = esp::grad<0, 1>([](auto a, auto b) { return sum_of_squares(pairs_by_hand(a, b)); })(ws, all);
  check_close("first", std::get<0>(of_pairs), std::get<0>(of_hand));
  check_close("second", std::get<1>(of_pairs), std::get<1>(of_hand));
}
// A layer of a net, for one sequence without an axis of samples, against the layer for all sequences.
BOOST_AUTO_TEST_CASE(a_recurrent_layer) {
  using Layer = nn::LSTM<2, 3, nn::lstm{.layers = 2, .bidirectional = true}>;
  esp::model<Layer, esp::cpu, double> const net{esp::seed{1}};
  auto const x = doubles<3, 4, 2>(1);
  auto const [value, gradients] = esp::value_and_grad<0>(sum_of_one)(net, x);
  auto const [expected, of_layer] = esp::value_and_grad<0>(sum_of_all)(net, x);
  BOOST_TEST(near(value, expected));
  for (std::int64_t i = 0; i < of_layer.span().size(); ++i) BOOST_TEST(near(gradients.span()[i], of_layer.span()[i]));
}
BOOST_AUTO_TEST_CASE(states_sequences_and_weights) {
  auto const w = doubles<3, 3>(1);
  auto const u = doubles<2, 3>(2);
  check_vmap<by<0, 1, 2, 3>, 3>::of<orders::second>(recurrent, w, u, doubles<2, 3>(4), doubles<3, 4, 2, 2>(7));
  check_vmap<by<0, 2, 3>, 2>::of(recurrent, w, u, doubles<3, 2, 3>(5), doubles<4, 2, 2>(6));
  check_vmap<by<0, 2, 3>, 0>::of(recurrent, doubles<3, 3, 3>(3), u, doubles<2, 3>(4), doubles<4, 2, 2>(6));
}
BOOST_AUTO_TEST_CASE(a_state_of_one_row) {
  check_vmap<by<0, 3>, 2, 3>::of(recurrent, doubles<3, 3>(1), doubles<2, 3>(2), doubles<3, 1, 3>(5),
                                 doubles<3, 4, 1, 2>(7));
}
BOOST_AUTO_TEST_CASE(states_and_results_that_are_the_same_for_all_samples) {
  auto const w = doubles<3, 3>(1);
  auto const c = doubles<4>(2);
  check_vmap<by<0, 1, 2, 3>, 2>::of(several, w, doubles<2, 3>(3), doubles<3, 4, 2, 3>(4), c);
  check_vmap<by<0, 1, 3>, 1>::of<orders::second>(several, w, doubles<3, 2, 3>(3), doubles<4, 2, 3>(4), c);
}
BOOST_AUTO_TEST_CASE(numbers_as_states) {
  check_vmap<by<0, 1>, 0, 1>::of<orders::second>(numbers_only, doubles<3>(1), doubles<3, 4>(2));
  check_vmap<by<0, 1>, 1>::of(numbers_only, tensor<double, shape<>>{0.5}, doubles<3, 4>(2));
  check_vmap<by<0, 1>, 0>::of(numbers_only, doubles<3>(1), doubles<4>(2));
}
BOOST_AUTO_TEST_CASE(repeats) {
  check_vmap<by<0, 1>, 1>::of<orders::second>(repeated, doubles<3, 3>(1), doubles<4, 2, 3>(2));
  check_vmap<by<0, 1>, 0>::of(repeated, doubles<4, 3, 3>(1), doubles<2, 3>(2));
}
BOOST_AUTO_TEST_CASE(loops_in_loops) {
  auto const w = doubles<3>(1);
  check_vmap<by<0, 1, 2>, 2>::of(nested, w, tensor<double, shape<>>{0.5}, doubles<2, 4, 3>(2));
  check_vmap<by<0, 1>, 1>::of(nested, w, doubles<2>(3), doubles<4, 3>(2));
}
BOOST_AUTO_TEST_CASE(a_count_for_all_samples) {
  auto const h = doubles<2, 2, 3>(2);
  auto const xs = doubles<2, 4, 2, 3>(3);
  for (int n : {0, 2, 4})
    check_vmap<by<0, 1, 2>, 1, 2>::of(counted, doubles<3, 3>(1), h, xs, tensor<std::int32_t, shape<>>{n});
}
BOOST_AUTO_TEST_CASE(checkpoints_in_steps) {
  check_vmap<by<0, 1, 2>, 1, 2>::of(with_checkpoint, doubles<3, 3>(1), doubles<2, 2, 3>(2), doubles<2, 4, 2, 3>(3));
}
BOOST_AUTO_TEST_CASE(sequences_of_indices) {
  tensor<std::int32_t, shape<2, 4>> const indices{{0, 4, 1, 1}, {3, 0, 2, 4}};
  check_vmap<by<0, 1>, 2>::of(words, doubles<5, 3>(1), doubles<1, 3>(2), indices);
}
BOOST_AUTO_TEST_CASE(values_with_five_axes) {
  check_vmap<by<0, 1>, 0, 1>::of(of_five_axes, doubles<2, 2, 1, 2, 1>(1), doubles<2, 3, 2, 1, 2, 1>(2));
}
