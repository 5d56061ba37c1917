// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/check_indices.hpp"
#include "../device/random_state.hpp"
#include "../plan/is_random.hpp"
#include "check_models.hpp"
#include "gradient_program.hpp"

/// Runs the program of a function with models among its arguments.
namespace espalier::detail {

/// A model that was passed, or that a bound argument refers to.
template <class X>
decltype(auto) model_of(X& x) {
  if constexpr (requires { x.bases(); }) return (x);
  else return (*x);
}
/// Calls f(model) for each model among the arguments, until one returns true. Leaf: what the arguments are.
template <class... Leaf, class F, class... X>
void with_first_model(F const& f, X&... x) {
  bool found = false;
  auto const visit = [&]<class L>(std::type_identity<L>, auto& each) {
    if constexpr (requires { typename L::model_type; })
      if (!found) found = f(model_of(each));
  };
  (visit(std::type_identity<Leaf>{}, x), ...);
}

/// The random numbers of a run: those of the first model whose net has random streams. A const model's count of
/// training runs stays.
template <class... Leaf, class... X>
on_cpu::random_state random_of_run(X&... x) {
  on_cpu::random_state random{};
  with_first_model<Leaf...>(
      [&]<class Model>(Model& model) {
        if constexpr (function_argument<model_leaf<Model>>::streams == 0) return false;
        else if constexpr (std::is_const_v<Model>)
          random = on_cpu::random_state{model.initial_seed().value, model.random_steps()};
        else random = on_cpu::random_state{model.initial_seed().value, model.next_random_step()};
        return true;
      },
      x...);
  return random;
}
using plan::is_random;

template <class Traced, class T, class... X>
void run_with_models(T* const* results, int count, X&... x) {
  using Program = typename program_as_run<Traced>::type;
  check_models<Program, leaf_of_argument<X>...>(x...);
  program_bases b{};
  T* const no_numbers = nullptr;
  for_each_argument<leaf_of_argument<X>...>(
      [&]<class A, class Address>(A, Address, auto& each) {
        A::template fill<Program, Address>(each, b.at, no_numbers);
      },
      x...);
  int position = plan::base::arguments;
  auto const add = [&](auto& each) {
    if constexpr (requires { each.data(); })
      b.at[position++] = const_cast<void*>(static_cast<void const*>(each.data()));
  };
  (add(x), ...);
  if constexpr (plan::has_checked_integers<Program>)  // before random_of_run, which counts a run of the model
    with_first_model<leaf_of_argument<X>...>(
        [&](auto& model) {
          check_indices_of<Program>(model.engine(), [&](int position_of_index) {
            return static_cast<std::int32_t const*>(b.at[plan::base::arguments + position_of_index]);
          });
          return true;
        },
        x...);
  for (int i = 0; i < count; ++i) b.at[plan::base::results + i] = results[i];
  [[maybe_unused]] on_cpu::random_state random{};
  if constexpr (is_random<Program>) {
    random = random_of_run<leaf_of_argument<X>...>(x...);
    b.at[plan::base::random] = &random;
  }
  with_first_model<leaf_of_argument<X>...>(
      [&](auto& model) {
        auto const& engine = model.engine();
        using Engine = std::remove_cvref_t<decltype(engine)>;
        auto const workspace = engine.allocate(Engine::template run_bytes<Program, T>);
        b.at[plan::base::workspace] = workspace.template at<T>(0);
        engine.template run<Program, T>(b.at);
        return true;
      },
      x...);
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
