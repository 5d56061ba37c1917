// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/random_state.hpp"
#include "function_argument.hpp"

#include "../base/diagnostics_push.hpp"
/// Runs the program of a function with models among its arguments.
namespace espalier::detail {

/// Calls f(model) for each model among the arguments, until one returns true.
template <class F, class... X>
bool with_first_model(F const& f, X&... x) {
  bool found = false;
  auto const visit = [&](auto& each) {
    if constexpr (ModelArgument<std::remove_reference_t<decltype(each)>>)
      if (!found) found = f(each);
  };
  (visit(x), ...);
  return found;
}

/// Writes the addresses of the arguments of a function into its program's table of bases.
template <class... X>
void fill_arguments(void** base, X&... x) {
  int position = plan::base::arguments, state = plan::base::states;
  auto const add = [&](auto& each) {
    if constexpr (ModelArgument<std::remove_reference_t<decltype(each)>>) {
      program_bases const own = each.bases();
      base[state++] = own.at[plan::base::parameters];
      base[state++] = own.at[plan::base::buffers];
    } else {
      base[position++] = const_cast<void*>(static_cast<void const*>(each.data()));
    }
  };
  (add(x), ...);
}

/// The random numbers of a run: those of the first model whose net has random streams. A const model's count of
/// training runs stays.
template <class... X>
on_cpu::random_state random_of_run(X&... x) {
  on_cpu::random_state random{};
  with_first_model(
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

template <class Program, class T, class... X>
void run_with_models(T* const* results, int count, X&... x) {
  program_bases b{};
  fill_arguments(b.at, x...);
  for (int i = 0; i < count; ++i) b.at[plan::base::results + i] = results[i];
  on_cpu::random_state random = random_of_run(x...);
  b.at[plan::base::random] = &random;
  with_first_model(
      [&](auto& model) {
        auto const& engine = model.engine();
        using Engine = std::remove_cvref_t<decltype(engine)>;
        auto const workspace = engine.allocate(Engine::template workspace_bytes<Program, T>);
        b.at[plan::base::workspace] = workspace.template at<T>(0);
        engine.template run<Program, T>(b.at);
        return true;
      },
      x...);
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
