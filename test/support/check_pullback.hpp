// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "check_kernels.hpp"

/// First and second order checks of a captureless function of tensors of double against a central difference along a
/// random direction. Labels (tensors of integers or booleans) may stand among the arguments.
namespace test {

struct steps {
  double step = 1e-5;
  double first = 1e-7;  ///< allowed, relative to the sum of magnitudes
  double second = 1e-6;
};

/// s(x...) = sum(f(x...) w), which is one number, with a weight for each element of the result. Arguments of both
/// programs: x..., then w, and u... in the second.
struct pullback_programs {
  std::unique_ptr<graph::program> first;   ///< s, and ds/dx
  std::unique_ptr<graph::program> second;  ///< sum of <ds/dx, u>, and its derivatives by x
  espalier::extents result;                ///< of f
};

namespace detail {

inline int sum_of_products(graph::node_table& g, int a, int b) {
  int const y = (espalier::handle{&g, a} * espalier::handle{&g, b}).id, rank = g[y].shape.rank;
  return rank == 0 ? y : espalier::detail::reduce<espalier::sum_>(g, y, (1u << rank) - 1u, espalier::extents{});
}
/// Adds the derivatives of y, a number, by the arguments that are wanted: their adjoints.
inline std::unique_ptr<espalier::derivative::adjoints> differentiate(graph::node_table& g, int y, int const* id,
                                                                     int count, unsigned wanted) {
  using espalier::derivative::mark;
  auto m = std::make_unique<espalier::derivative::marks>();
  for (int i = 0; i < count; ++i) m->at[id[i]] = wanted >> i & 1u ? mark::differentiated : mark::constant;
  auto a = std::make_unique<espalier::derivative::adjoints>();
  espalier::derivative::reverse(g, y, operation::emit_constant(g, 1, espalier::extents{}).id, *m, *a);
  for (int i = 0; i < count; ++i)
    if ((wanted >> i & 1u) && a->of[id[i]] == 0) a->of[id[i]] = operation::emit_constant(g, 0, g[id[i]].shape).id;
  return a;
}
/// y: f's result, id: its arguments.
inline pullback_programs weigh(std::unique_ptr<graph::program> p, tracing::tracer& t, int y, int const* id,
                               unsigned wanted) {
  graph::node_table& g = p->nodes;
  int const count = t.next_argument;
  pullback_programs r{nullptr, nullptr, g[y].shape};
  int const s = sum_of_products(g, y, tracing::add_argument<float>(t, count, g[y].shape));
  auto const a = differentiate(g, s, id, count, wanted);
  r.second = std::make_unique<graph::program>(*p);
  int result = 0;
  p->add_output(s, graph::destination::result, result++);
  for (int i = 0; i < count; ++i)
    if (wanted >> i & 1u) p->add_output(a->of[id[i]], graph::destination::result, result++);
  r.first = std::move(p);

  graph::node_table& h = r.second->nodes;
  tracing::tracer u{*r.second, tracing::mode::training, false, 0, 0};
  int z = 0, position = count + 1;
  for (int i = 0; i < count; ++i) {
    if (!(wanted >> i & 1u)) continue;
    int const part = sum_of_products(h, a->of[id[i]], tracing::add_argument<float>(u, position++, h[id[i]].shape));
    z = z == 0 ? part : (espalier::handle{&h, z} + espalier::handle{&h, part}).id;
  }
  auto const b = differentiate(h, z, id, count, wanted);
  result = 0;
  r.second->add_output(z, graph::destination::result, result++);
  for (int i = 0; i < count; ++i)
    if (wanted >> i & 1u) r.second->add_output(b->of[id[i]], graph::destination::result, result++);
  return r;
}
template <class F, class... X, std::size_t... I>
pullback_programs build_pullback(std::index_sequence<I...>) {
  auto p = std::make_unique<graph::program>();
  tracing::tracer t{*p, tracing::mode::training, false, 0, 0};
  auto const own = arguments_of<X...>(t);
  int const y = tracing::trace_operand(t, std::apply(F{}, own));
  int const id[]{std::get<I>(own).id..., 0};
  return weigh(std::move(p), t, y, id, esp::detail::all_differentiated<X...>());
}

inline shaped_values<double> drawn(espalier::extents const& shape, std::uint64_t seed, double low, double high) {
  shaped_values<double> x{shape};
  draw_numbers(x.data(), x.size(), seed, low, high);
  return x;
}

/// in: the arguments x, of some shapes.
inline void check_pullback_of(char const* name, pullback_programs const& programs, steps const& options,
                              esp::detail::eager_inputs<double> in, espalier::extents const* shapes, unsigned wanted) {
  using list = std::vector<shaped_values<double>>;
  int const count = in.arguments;
  list x, u;
  std::vector<int> argument;
  for (int i = 0; i < count; ++i) {
    if (!(wanted >> i & 1u)) continue;
    argument.push_back(i);
    x.emplace_back(shapes[i]);
    std::copy_n(in.real[i], x.back().size(), x.back().data());
    u.push_back(drawn(shapes[i], 1000u + static_cast<unsigned>(i), -1, 1));
  }
  auto const w = drawn(programs.result, 2000, 0.5, 1.5);
  double const h = options.step;
  in.add(w.data());
  // A number, and the derivatives by x, at x + step u.
  auto const at = [&](graph::program const& p, double step) {
    list moved = x, results{shaped_values<double>{{}}};
    esp::detail::eager_inputs<double> all = in;
    std::vector<double*> to{results[0].data()};
    results.reserve(1 + x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (std::int64_t i = 0; i < x[k].size(); ++i) moved[k][i] += step * u[k][i];
      all.real[argument[k]] = moved[k].data();
      results.emplace_back(x[k].shape);
      to.push_back(results.back().data());
    }
    for (auto const& direction : u) all.add(direction.data());
    interpret<double>(p, all, to.data());
    return results;
  };
  list const here = at(*programs.first, 0), ahead = at(*programs.first, h), behind = at(*programs.first, -h);

  // One number: how s changes along u.
  double along = 0, size = 1;
  for (std::size_t k = 0; k < u.size(); ++k) {
    for (std::int64_t i = 0; i < u[k].size(); ++i) {
      along += here[k + 1][i] * u[k][i];
      size += std::fabs(here[k + 1][i] * u[k][i]);
    }
  }
  double const measured = (ahead[0][0] - behind[0][0]) / (2 * h);
  BOOST_CHECK_MESSAGE(std::fabs(along - measured) <= options.first * size,
                      name << ", first order: gradient along a direction " << along << ", by differences " << measured);

  // One number for each element: how the gradient changes along u, which is the gradient of <ds/dx, u> since second
  // derivatives commute.
  list const second = at(*programs.second, 0);
  for (std::size_t k = 1; k <= u.size(); ++k) {
    shaped_values<double> change{second[k].shape};
    for (std::int64_t e = 0; e < change.size(); ++e) change[e] = (ahead[k][e] - behind[k][e]) / (2 * h);
    std::string const text = difference(second[k], change, options.second);
    BOOST_CHECK_MESSAGE(text.empty(), name << ", second order, argument " << argument[k - 1] << ": " << text);
  }
}

}  // namespace detail

/// Checks the gradients of f at x, and the gradients of its gradients.
template <class F, class... X>
void check_pullback(char const* name, F f, steps const& options, X const&... x) {
  (void)f;
  auto const programs = detail::build_pullback<F, X...>(std::index_sequence_for<X...>{});
  esp::detail::eager_inputs<double> in{};
  (in.add(x.data()), ...);
  constexpr espalier::extents shapes[]{esp::shape_of<X>::value...};
  detail::check_pullback_of(name, programs, options, in, shapes, esp::detail::all_differentiated<X...>());
}
template <class F, class X, class... More>
  requires esp::Stored<X>
void check_pullback(char const* name, F f, X const& x, More const&... more) {
  check_pullback(name, f, steps{}, x, more...);
}

}  // namespace test
