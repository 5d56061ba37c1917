// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "nets.hpp"

/// Recurrent layers in plain loops, in double: an independent reference for the modules.
namespace test::recurrent {

enum class kind { rnn_tanh, rnn_relu, lstm, gru, gru_reset_before };
using numbers_of = std::vector<double>;

constexpr int gates_of(kind k) { return k == kind::lstm ? 4 : k >= kind::gru ? 3 : 1; }

/// The weights of one cell: (in, gates hidden), (hidden, gates hidden), and biases.
struct cell {
  numbers_of w_ih, w_hh, b_ih, b_hh;
};
inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// x w + b of one row.
inline numbers_of product(numbers_of const& x, numbers_of const& w, numbers_of const& b, std::size_t columns) {
  numbers_of y(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    y[j] = b.empty() ? 0 : b[j];
    for (std::size_t i = 0; i < x.size(); ++i) y[j] += x[i] * w[i * columns + j];
  }
  return y;
}

/// One step for one sample: h and c become the next ones.
inline void step(kind k, cell const& w, numbers_of const& x, numbers_of& h, numbers_of& c) {
  std::size_t const n = h.size(), columns = n * static_cast<std::size_t>(gates_of(k));
  numbers_of const from_x = product(x, w.w_ih, w.b_ih, columns), from_h = product(h, w.w_hh, w.b_hh, columns);
  numbers_of const before = h;
  if (k == kind::lstm) {
    for (std::size_t i = 0; i < n; ++i) {
      auto const gate = [&](std::size_t g) { return from_x[g * n + i] + from_h[g * n + i]; };
      c[i] = logistic(gate(1)) * c[i] + logistic(gate(0)) * std::tanh(gate(2));
      h[i] = logistic(gate(3)) * std::tanh(c[i]);
    }
  } else if (k == kind::gru || k == kind::gru_reset_before) {
    numbers_of reset(n);
    for (std::size_t i = 0; i < n; ++i) reset[i] = logistic(from_x[i] + from_h[i]) * before[i];
    numbers_of const from_reset = product(reset, w.w_hh, w.b_hh, columns);
    for (std::size_t i = 0; i < n; ++i) {
      double const z = logistic(from_x[n + i] + from_h[n + i]);
      double const inside =
          k == kind::gru ? logistic(from_x[i] + from_h[i]) * from_h[2 * n + i] : from_reset[2 * n + i];
      h[i] = (1 - z) * std::tanh(from_x[2 * n + i] + inside) + z * before[i];
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      double const sum = from_x[i] + from_h[i];
      h[i] = k == kind::rnn_relu ? std::fmax(sum, 0) : std::tanh(sum);
    }
  }
}

struct result {
  numbers_of y, h, c;  ///< (steps, batch, directions hidden), (layers directions, batch, hidden) twice
};
struct sizes {
  std::size_t steps, batch, in, hidden, layers = 1, directions = 1;
};

/// All layers over sequences (steps, batch, in), with the weights of a model by PyTorch's names.
template <class Model>
result layers(kind k, sizes s, Model& model, numbers_of x, numbers_of h, numbers_of c) {
  auto const named = [&](std::string const& name) {
    numbers_of r;
    if (auto const p = model.find_parameter(name.c_str()))
      for (auto const v : p.span()) r.push_back(static_cast<double>(v));
    return r;
  };
  std::size_t in = s.in;
  result r;
  for (std::size_t layer = 0; layer < s.layers; ++layer) {
    numbers_of y(s.steps * s.batch * s.directions * s.hidden);
    for (std::size_t d = 0; d < s.directions; ++d) {
      std::string const end = "_l" + std::to_string(layer) + (d == 1 ? "_reverse" : "");
      cell const w{named("weight_ih" + end), named("weight_hh" + end), named("bias_ih" + end), named("bias_hh" + end)};
      for (std::size_t n = 0; n < s.batch; ++n) {
        std::ptrdiff_t const at = static_cast<std::ptrdiff_t>(((layer * s.directions + d) * s.batch + n) * s.hidden);
        std::ptrdiff_t const width = static_cast<std::ptrdiff_t>(s.hidden);
        numbers_of state(h.begin() + at, h.begin() + at + width), memory(c.begin() + at, c.begin() + at + width);
        for (std::size_t i = 0; i < s.steps; ++i) {
          std::size_t const t = d == 0 ? i : s.steps - 1 - i;
          std::ptrdiff_t const row = static_cast<std::ptrdiff_t>((t * s.batch + n) * in);
          step(k, w, numbers_of(x.begin() + row, x.begin() + row + static_cast<std::ptrdiff_t>(in)), state, memory);
          for (std::size_t j = 0; j < s.hidden; ++j)
            y[((t * s.batch + n) * s.directions + d) * s.hidden + j] = state[j];
        }
        r.h.insert(r.h.end(), state.begin(), state.end());
        r.c.insert(r.c.end(), memory.begin(), memory.end());
      }
    }
    x = y;
    in = s.directions * s.hidden;
  }
  r.y = x;
  return r;
}

/// Whether a tensor has these numbers.
bool agrees(auto const& got, numbers_of const& expected) {
  if (got.size() != static_cast<std::int64_t>(expected.size())) return false;
  double const allowed = tolerance<std::remove_const_t<std::remove_reference_t<decltype(got[0])>>>;
  for (std::int64_t i = 0; i < got.size(); ++i)
    if (!(std::fabs(static_cast<double>(got.data()[i]) - expected[static_cast<std::size_t>(i)]) <= allowed))
      return false;
  return true;
}
numbers_of listed(auto const& x) {
  numbers_of r;
  for (std::int64_t i = 0; i < x.size(); ++i) r.push_back(static_cast<double>(x.data()[i]));
  return r;
}

/// A net of one layer, steps first, against the loops: from zeros and from a given state.
template <class Net, class T, int T_, int N, int In, int Hidden, int Layers = 1, int Directions = 1>
void check_layer(kind k) {
  using state = esp::shape<Layers * Directions, N, Hidden>;
  esp::model<Net, esp::cpu, T> model{esp::seed{3}};
  auto const x = numbers<T, esp::shape<T_, N, In>>(1);
  auto const h = numbers<T, state>(2), c = numbers<T, state>(3);
  sizes const s{T_, N, In, Hidden, Layers, Directions};
  auto const check = [&](auto const& got, result const& expected) {
    BOOST_TEST(agrees(std::get<0>(got), expected.y));
    BOOST_TEST(agrees(std::get<1>(got), expected.h));
    if constexpr (std::tuple_size_v<std::remove_cvref_t<decltype(got)>> == 3)
      BOOST_TEST(agrees(std::get<2>(got), expected.c));
  };
  check(model(x), layers(k, s, model, listed(x), numbers_of(state::size), numbers_of(state::size)));
  auto const expected = layers(k, s, model, listed(x), listed(h), listed(c));
  if constexpr (std::tuple_size_v<decltype(model(x))> == 3) check(model(x, h, c), expected);
  else check(model(x, h), expected);
}

/// sum(outputs w), and the squares of the states, of a net, x, w and a state.
struct weighted_outputs {
  template <class... State>
  constexpr auto operator()(auto net, auto x, auto w, State... state) const {
    return std::apply([&](auto y, auto... last) { return (sum(y * w) + ... + sum(last * last)); }, net(x, state...));
  }
};
/// The gradients of all parameters, x and the state against a difference along one direction. A net without dropout.
template <class Net, int... In, int... Out, class... State>
void check_gradient(esp::shape<In...>, esp::shape<Out...>, State... state) {
  esp::model<Net, esp::cpu, double> model{esp::seed{5}};
  auto x = doubles<In...>(1);
  auto const w = doubles<Out...>(2);
  auto const gradients = [&]<int... I>(std::integer_sequence<int, I...>) {
    return esp::grad<0, 1, 3 + I...>(weighted_outputs{})(model, x, w, state...);
  }
  (std::make_integer_sequence<int, static_cast<int>(sizeof...(State))>{});
  double along = 0, size = 0;
  auto const add = [&](auto const& gradient, auto const& direction) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(gradient.size()); ++i) {
      along += gradient[i] * direction[i];
      size += std::fabs(gradient[i] * direction[i]);
    }
  };
  std::vector<numbers_of> directions;
  model.for_each_parameter([&](char const*, esp::extents const&, auto span) {
    numbers_of d;
    for (std::int64_t i = 0; i < span.size(); ++i) d.push_back(doubles<1>(100 * directions.size() + d.size())[0]);
    directions.push_back(d);
  });
  std::size_t k = 0;
  std::get<0>(gradients).for_each_parameter(
      [&](char const*, esp::extents const&, auto g) { add(g, directions[k++].data()); });
  auto const x_direction = doubles<In...>(7);
  auto const state_directions = std::tuple{numbers<double, esp::shape_of<State>>(8)...};
  add(std::get<1>(gradients), x_direction);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add(std::get<2 + I>(gradients), std::get<I>(state_directions)), ...);
  }
  (std::index_sequence_for<State...>{});

  auto const moved_value = [&](double by) {
    esp::model<Net, esp::cpu, double> moved{esp::seed{5}};
    std::size_t p = 0;
    moved.for_each_parameter([&](char const*, esp::extents const&, auto span) {
      for (std::int64_t i = 0; i < span.size(); ++i) span[i] += by * directions[p][static_cast<std::size_t>(i)];
      ++p;
    });
    auto const ahead = [&](auto y, auto const& direction) {
      for (std::int64_t i = 0; i < y.size(); ++i) y[i] += by * direction[i];
      return y;
    };
    auto const results = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return moved(ahead(x, x_direction), ahead(state, std::get<I>(state_directions))...);
    }
    (std::index_sequence_for<State...>{});
    return std::apply(
        [&](auto const& y, auto const&... last) {
          double sum = 0;
          for (std::int64_t i = 0; i < y.size(); ++i) sum += y.data()[i] * w.data()[i];
          auto const squares = [&](auto const& h) {
            for (std::int64_t i = 0; i < h.size(); ++i) sum += h.data()[i] * h.data()[i];
          };
          (squares(last), ...);
          return sum;
        },
        results);
  };
  double const h = 1e-5, difference = (moved_value(h) - moved_value(-h)) / (2 * h);
  BOOST_TEST(std::fabs(along - difference) <= 1e-7 * size);
}

}  // namespace test::recurrent
