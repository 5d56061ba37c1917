// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

#include <espalier/eager/vmap.hpp>
#include <espalier/tracing/interpret.hpp>

#include <espalier.hpp>

#include "numbers.hpp"
#include "program_copy.hpp"

/// Every op under vmap, against a plain loop over samples: the value, the gradients of sum(dy value) for every operand,
/// and the gradients of each sample. All operands are mapped, then one at a time, then all twice. Programs run in the
/// interpreter, in double, so the two sides differ by rounding only.
namespace every_op {

using namespace test;

inline constexpr int samples = 3;
using array = std::vector<double>;

struct flag {
  bool value;  // std::vector<bool> has no addresses
};
/// The numbers, integers or booleans of an operand.
struct operand {
  array real;
  std::vector<std::int32_t> integers;
  std::vector<flag> flags;
};
template <class T, class S>
operand operand_of(esp::tensor<T, S> const& x) {
  if constexpr (std::is_same_v<T, float>) return {{x.begin(), x.end()}, {}, {}};
  if constexpr (std::is_same_v<T, std::int32_t>) return {{}, {x.begin(), x.end()}, {}};
  operand r;
  if constexpr (std::is_same_v<T, bool>)
    for (bool each : x) r.flags.push_back({each});
  return r;
}
/// The elements of x in another order, so that each sample differs and all are in the range of x.
inline operand sample_of(operand x, int number) {
  auto const rotate = [&](auto& all) {
    if (all.empty()) return;
    std::size_t const by = static_cast<std::size_t>(number) * (all.size() / 3 + 1) % all.size();
    auto const before = all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = before[(i + by) % all.size()];
  };
  rotate(x.real);
  rotate(x.integers);
  rotate(x.flags);
  return x;
}
inline void append(operand& to, operand const& x) {
  to.real.insert(to.real.end(), x.real.begin(), x.real.end());
  to.integers.insert(to.integers.end(), x.integers.begin(), x.integers.end());
  to.flags.insert(to.flags.end(), x.flags.begin(), x.flags.end());
}

/// The results of a program, in order.
inline std::vector<array> results_of(esp::graph::program const& p, std::vector<operand> const& operands) {
  std::vector<double const*> real;
  std::vector<std::int32_t const*> integers;
  std::vector<bool const*> flags;
  for (operand const& x : operands) {
    real.push_back(x.real.data());
    integers.push_back(x.integers.data());
    flags.push_back(x.flags.empty() ? nullptr : &x.flags.data()->value);
  }
  std::vector<int> roots;
  for (int i = 0; i < p.output_count; ++i) roots.push_back(p.outputs[i].id);
  esp::tracing::interpreter<double> run{p.nodes, roots.data(), p.output_count};
  run.run({real.data(), integers.data(), flags.data(), nullptr, nullptr, nullptr, nullptr});
  std::vector<array> r(static_cast<std::size_t>(p.output_count));
  for (int i = 0; i < p.output_count; ++i) {
    double const* const x = run.value(p.outputs[i].id);
    r[static_cast<std::size_t>(p.outputs[i].index)].assign(x, x + p.nodes[p.outputs[i].id].shape.size());
  }
  return r;
}

inline void compare(std::string const& what, array const& got, array const& expected) {
  BOOST_REQUIRE_MESSAGE(got.size() == expected.size(), what << ": " << got.size() << " elements");
  double largest = 1;
  for (double x : expected)
    if (std::isfinite(x)) largest = std::fmax(largest, std::fabs(x));
  for (std::size_t i = 0; i < got.size(); ++i) {
    bool const same = got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])) ||
                      std::fabs(got[i] - expected[i]) <= 1e-11 * largest;
    if (same) continue;
    BOOST_ERROR(what << ", element " << i << " of " << got.size() << ": " << got[i] << ", expected " << expected[i]);
    break;
  }
}

/// An argument of all samples.
template <int Count, class Leaf>
struct with_samples;
template <int Count, class T, int... E>
struct with_samples<Count, esp::borrowed<T, esp::shape<E...>>> {
  using type = esp::borrowed<T, esp::shape<Count, E...>>;
};
template <int Count, bool Mapped, class Leaf>
using with_samples_if = typename std::conditional_t<Mapped, with_samples<Count, Leaf>, std::type_identity<Leaf>>::type;

template <unsigned Mapped, class Positions, class... Leaf>
struct arguments_of_all;
template <unsigned Mapped, std::size_t... I, class... Leaf>
struct arguments_of_all<Mapped, std::index_sequence<I...>, Leaf...> {
  template <int Count, template <class...> class Use, class... Before>
  using in = Use<Before..., with_samples_if<Count, (Mapped >> I & 1u) != 0, Leaf>...>;
};
template <unsigned Mapped, class... Leaf>
using all_of = arguments_of_all<Mapped, std::index_sequence_for<Leaf...>, Leaf...>;

/// f and its gradients for all real operands; the last argument is dy.
template <class F, class... Leaf>
using value_and_gradients = esp::detail::gradient_program<F, esp::detail::all_differentiated<Leaf...>(), true, Leaf...>;
/// The results of f.
template <class F, class... Leaf>
using value_only = esp::detail::gradient_program<F, 0u, false, Leaf...>;
/// (dy, x...) -> the gradients for x.
template <class F>
struct gradients_of {
  template <class Dy, class... X>
  constexpr auto operator()(Dy const& dy, X const&... x) const {
    return esp::vjp(F{})(x...)(dy);
  }
};

inline bool has_fault(std::string const& what, esp::graph::program const& p) {
  if (p.nodes.found == esp::graph::fault::none) return false;
  BOOST_ERROR(what << ": fault " << static_cast<int>(p.nodes.found) << " of "
                   << (p.nodes.op_with_fault != nullptr ? p.nodes.op_with_fault->name : "no op"));
  return true;
}

/// Checks the programs of all samples against that of one.
inline void check_programs(std::string const& name, unsigned mapped, std::vector<operand> const& x,
                           esp::graph::program const& one, esp::graph::program const& all,
                           esp::graph::program const& gradients) {
  std::string const what = name + " with arguments " + std::to_string(mapped);
  if (has_fault(what, one) || has_fault(what, all) || has_fault(what + ", gradients", gradients)) return;
  std::size_t const size = static_cast<std::size_t>(one.nodes[one.outputs[0].id].shape.size());
  auto const weights = doubles<16384>(99, 0.5, 1.5);
  std::vector<operand> of_all(x.size() + 1);
  std::vector<array> expected(static_cast<std::size_t>(one.output_count));
  for (int i = 0; i < samples; ++i) {
    std::vector<operand> of_one;
    for (std::size_t k = 0; k < x.size(); ++k) {
      bool const varies = (mapped >> k & 1u) != 0;
      of_one.push_back(sample_of(x[k], varies ? i : 0));
      if (varies || i == 0) append(of_all[k], of_one[k]);
    }
    double const* const dy = weights.data() + static_cast<std::size_t>(i) * size;
    of_one.push_back({array(dy, dy + size), {}, {}});
    append(of_all.back(), of_one.back());
    std::vector<array> const r = results_of(one, of_one);
    std::size_t result = 0;
    expected[result].insert(expected[result].end(), r[result].begin(), r[result].end());
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x[k].real.empty()) continue;
      array& to = expected[++result];
      if ((mapped >> k & 1u) != 0) {
        to.insert(to.end(), r[result].begin(), r[result].end());
      } else {
        to.resize(r[result].size());
        for (std::size_t e = 0; e < to.size(); ++e) to[e] += r[result][e];
      }
    }
  }
  std::vector<array> const got = results_of(all, of_all);
  for (std::size_t r = 0; r < expected.size(); ++r)
    compare(what + (r == 0 ? ", value" : ", gradient " + std::to_string(r - 1)), got[r], expected[r]);
  // (dy, x...)
  std::vector<operand> arguments{of_all.back()};
  arguments.insert(arguments.end(), of_all.begin(), of_all.end() - 1);
  std::vector<array> const by_sample = results_of(gradients, arguments);
  std::size_t result = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k].real.empty()) continue;
    array sum = by_sample[k];
    ++result;
    if ((mapped >> k & 1u) == 0) {
      sum.assign(expected[result].size(), 0);
      for (std::size_t e = 0; e < by_sample[k].size(); ++e) sum[e % sum.size()] += by_sample[k][e];
    }
    compare(what + ", gradient by sample " + std::to_string(k), sum, expected[result]);
  }
}
/// vmap of vmap against vmap of the same samples.
inline void check_nested(std::string const& name, std::vector<operand> const& x, esp::graph::program const& all,
                         esp::graph::program const& nested) {
  if (has_fault(name + ", nested", nested)) return;
  std::vector<operand> of_all(x.size());
  for (int i = 0; i < 2 * samples; ++i)
    for (std::size_t k = 0; k < x.size(); ++k) append(of_all[k], sample_of(x[k], i));
  compare(name + ", nested", results_of(nested, of_all)[0], results_of(all, of_all)[0]);
}

template <unsigned Mapped, class F, class... Leaf>
void check_mapped(char const* name, std::vector<operand> const& x) {
  using One = value_and_gradients<F, Leaf...>;
  using All = typename all_of<Mapped, Leaf...>::template in<samples, value_and_gradients,
                                                            esp::detail::batched_function<F, Mapped>>;
  using Result = esp::borrowed<float, esp::shape_of<typename One::body>>;
  using Gradients = typename all_of<Mapped << 1 | 1u, Result, Leaf...>::template in<
      samples, value_only, esp::detail::batched_function<gradients_of<F>, Mapped << 1 | 1u>>;
  check_programs(name, Mapped, x, *program_copy<One>(), *program_copy<All>(), *program_copy<Gradients>());
}
template <class F, class... Leaf>
void check_twice(char const* name, std::vector<operand> const& x) {
  constexpr unsigned every = ~0u >> (32 - sizeof...(Leaf));
  using Once = esp::detail::batched_function<F, every>;
  using Six = typename all_of<every, Leaf...>::template in<2 * samples, value_only, Once>;
  using Nested = typename all_of<every, typename with_samples<samples, Leaf>::type...>::template in<
      2, value_only, esp::detail::batched_function<Once, every>>;
  check_nested(name, x, *program_copy<Six>(), *program_copy<Nested>());
}

/// f, of numbers and labels.
template <class F, class... X>
void check(char const* name, F, X const&... x) {
  std::vector<operand> const operands{operand_of(x)...};
  constexpr unsigned every = ~0u >> (32 - sizeof...(X));
  check_mapped<every, F, esp::detail::eager_leaf<X>...>(name, operands);
  if constexpr (sizeof...(X) > 1) [&]<std::size_t... I>(std::index_sequence<I...>) {
      (check_mapped<1u << I, F, esp::detail::eager_leaf<X>...>(name, operands), ...);
    }
  (std::index_sequence_for<X...>{});
  using Result = esp::shape_of<typename value_only<F, esp::detail::eager_leaf<X>...>::body>;
  if constexpr (((X::shape_type::rank < 5) && ...) && Result::rank < 5)
    check_twice<F, esp::detail::eager_leaf<X>...>(name, operands);
}

}  // namespace every_op
