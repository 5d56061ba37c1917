// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <bit>
#include <memory>
#include <string>

#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

#include "numbers.hpp"
// 1 + the order in which threads run: the kernels of the graphics processor instead, thread by thread
#if defined(ESPALIER_TEST_CUDA_KERNELS)
#include "kernel_backend.hpp"
#endif
// the plan of an op when its test runs
#if defined(ESPALIER_TEST_PLANNED)
#include "planned_program.hpp"
#endif

/// A fused kernel equals its expansion: a captureless function of tensors, its value and its vector-Jacobian products,
/// computed by planned kernels and by the interpreter from the program as it was written.
namespace test {

namespace graph = espalier::graph;
namespace operation = espalier::operation;
namespace tracing = espalier::tracing;

template <class X>
using leaf_of = esp::detail::eager_leaf<X>;

/// The arguments of a function in its body.
template <class... X>
auto arguments_of(tracing::tracer& t) {
  return esp::detail::function_state<leaf_of<X>...>{}.add_arguments(t);
}
/// The results of a program: y, and the cotangents of the arguments that are wanted.
inline void add_results(tracing::tracer& t, int y, int const* id, int count, unsigned wanted) {
  graph::program& p = t.program;
  graph::node_table& g = p.nodes;
  auto m = std::make_unique<espalier::derivative::marks>();
  using espalier::derivative::mark;
  for (int i = 0; i < count; ++i) m->at[id[i]] = wanted >> i & 1u ? mark::differentiated : mark::constant;
  auto a = std::make_unique<espalier::derivative::adjoints>();
  espalier::derivative::reverse(g, y, tracing::add_argument<float>(t, count, g[y].shape), *m, *a);
  int result = 0;
  p.add_output(y, graph::destination::result, result++);
  for (int i = 0; i < count; ++i) {
    if (!(wanted >> i & 1u)) continue;
    int const d = a->of[id[i]];
    p.add_output(d != 0 ? d : operation::emit_constant(g, 0, g[id[i]].shape).id, graph::destination::result, result++);
  }
}
/// The program of a function that returns any shape: the value, then the cotangent of each real argument. The last
/// argument is dy.
template <class F, class... X>
struct written {
  static constexpr unsigned wanted = esp::detail::all_differentiated<X...>();

  /// The program is traced when the test runs, so that the compiler pays nothing for it. Plain: as it was written, with
  /// no simplification.
  static std::unique_ptr<graph::program> build(bool plain) { return build(plain, std::index_sequence_for<X...>{}); }

 private:
  template <std::size_t... I>
  static std::unique_ptr<graph::program> build(bool plain, std::index_sequence<I...>) {
    auto p = std::make_unique<graph::program>();
    p->nodes.plain = plain;
    tracing::tracer t{*p, tracing::mode::training, false, 0, 0};
    auto const own = arguments_of<X...>(t);
    int const y = tracing::trace_operand(t, std::apply(F{}, own));
    int const id[]{std::get<I>(own).id..., 0};
    add_results(t, y, id, t.next_argument, wanted);
    return p;
  }
};

/// A value and cotangents.
template <class T, class S, std::size_t Gradients>
struct computed {
  esp::tensor<T, S> value;
  std::array<shaped_values<T>, Gradients> gradients;

  std::array<T*, 1 + Gradients> results() {
    std::array<T*, 1 + Gradients> r{value.data()};
    for (std::size_t i = 0; i < Gradients; ++i) r[i + 1] = gradients[i].data();
    return r;
  }
};

template <class F, class... X>
using shape_of_result = esp::shape_of<typename esp::derivative::body_of_function<F, leaf_of<X>...>::type>;
template <class... X>
using element_of_arguments = typename esp::detail::shared_element<X...>::type;
/// Where the value and the gradients of f at x... go.
template <class F, class... X>
auto room_for() {
  using T = element_of_arguments<X...>;
  constexpr unsigned wanted = esp::detail::all_differentiated<X...>();
  constexpr esp::extents shapes[]{esp::shape_of<X>::value...};
  return [&]<std::size_t... G>(std::index_sequence<G...>) {
    auto const shape = [&](std::size_t gradient) {
      std::size_t i = 0;
      for (std::size_t n = 0;; ++i)
        if ((wanted >> i & 1u) && n++ == gradient) return shapes[i];
    };
    return computed<T, shape_of_result<F, X...>, sizeof...(G)>{{}, {shaped_values<T>{shape(G)}...}};
  }
  (std::make_index_sequence<static_cast<std::size_t>(std::popcount(wanted))>{});
}

/// The results of a program by the interpreter.
template <class T>
void interpret(graph::program const& p, esp::detail::eager_inputs<T> const& in, T* const* to) {
  int roots[esp::plan::base::max_results]{};
  for (int i = 0; i < p.output_count; ++i) roots[i] = p.outputs[i].id;
  tracing::interpreter<T> run{p.nodes, roots, p.output_count};
  run.run(tracing::leaf_values<T>{in.real, in.labels, in.flags, nullptr, nullptr, nullptr, in.numbers});
  for (int i = 0; i < p.output_count; ++i) {
    std::int64_t const size = p.nodes[p.outputs[i].id].shape.size();
    for (std::int64_t k = 0; k < size; ++k) to[p.outputs[i].index][k] = run.value(p.outputs[i].id)[k];
  }
}

/// By the interpreter.
template <class F, class Dy, class... X>
auto interpreted(F, bool plain, Dy const& dy, X const&... x) {
  using T = element_of_arguments<X...>;
  static std::unique_ptr<graph::program> const programs[] = {written<F, X...>::build(false),
                                                             written<F, X...>::build(true)};
  esp::detail::eager_inputs<T> in{};
  (in.add(x.data()), ...);
  in.add(dy.data());
  auto r = room_for<F, X...>();
  interpret<T>(*programs[plain], in, r.results().data());
  return r;
}

/// By the kernels that the planner makes of the program.
template <class F, class Dy, class... X>
auto fused(F, Dy const& dy, X const&... x) {
  using T = element_of_arguments<X...>;
  esp::detail::eager_inputs<T> in{};
  (in.add(x.data()), ...);
  in.add(dy.data());
  auto r = room_for<F, X...>();
  auto const to = r.results();
#if defined(ESPALIER_TEST_PLANNED)
  static std::unique_ptr<graph::program> const program = written<F, X...>::build(false);
  run_planned<T>(*program, in, to.data());
#else
  using Program = esp::detail::gradient_program<F, written<F, X...>::wanted, true, leaf_of<X>...>;
#if defined(ESPALIER_TEST_CUDA_KERNELS)
  void* base[esp::plan::base::count]{};
  int real = 0;
  auto const set_argument = [&](auto const* data) {
    base[esp::plan::base::arguments + real++] =
        const_cast<std::remove_const_t<std::remove_pointer_t<decltype(data)>>*>(data);
  };
  (set_argument(x.data()), ...);
  set_argument(dy.data());
  for (std::size_t i = 0; i < to.size(); ++i) base[esp::plan::base::results + static_cast<int>(i)] = to[i];
  base[esp::plan::base::hyperparameters] = in.numbers;
  run_on_kernel_backend<Program, T>(base, ESPALIER_TEST_CUDA_KERNELS - 1);
#else
  esp::detail::run_eagerly<Program, T>(in, to.data(), static_cast<int>(to.size()));
#endif
#endif
  return r;
}

template <class R>
void check_same(char const* name, char const* against, R const& got, R const& wanted, double allowed) {
  std::string const value = difference(got.value, wanted.value, allowed);
  BOOST_CHECK_MESSAGE(value.empty(), name << ", value" << against << ": " << value);
  for (std::size_t i = 0; i < got.gradients.size(); ++i) {
    std::string const text = difference(got.gradients[i], wanted.gradients[i], allowed);
    BOOST_CHECK_MESSAGE(text.empty(), name << ", gradient of argument " << i << against << ": " << text);
  }
}

/// Value and gradients of f at x, by kernels and by the interpreter with and without simplification, with a drawn
/// cotangent.
template <class F, class... X>
void check_kernels(char const* name, F f, X const&... x) {
  using T = element_of_arguments<X...>;
  auto const dy = numbers<T, shape_of_result<F, X...>>(99, 0.5, 1.5);
  auto const kernels = fused(f, dy, x...);
  auto const meaning = interpreted(f, false, dy, x...), plain = interpreted(f, true, dy, x...);
  double const allowed = std::is_same_v<T, float> ? 1e-4 : 1e-11;
  check_same(name, " (kernels against interpreter)", kernels, meaning, allowed);
  check_same(name, " (simplified against plain)", meaning, plain, allowed);
}

}  // namespace test
