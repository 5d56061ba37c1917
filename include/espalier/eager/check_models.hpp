// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/plan.hpp"
#include "function_argument.hpp"
#include "model_error.hpp"

/// Checks that only the objects can answer: which models are the same one, and which model an updater was made for.
namespace espalier::detail {

/// What a program changes, by numbers of its arguments: found while compiling, so that a check compares addresses only.
template <class Program, class... Leaf>
struct update_facts {
  static constexpr std::size_t count = sizeof...(Leaf);
  bool changes[count]{};         ///< a parameter or buffer of that argument
  bool updates[count][count]{};  ///< [updater][model]

  constexpr update_facts() {
    constexpr auto const& p = plan::graph_of<Program>;
    int updater[count]{}, vector[count]{};
    std::size_t position = 0;
    for_each_leaf<Leaf...>([&]<class A, class Address>(A, Address) {
      changes[position] = A::states > 0 && changes_argument<A, Address>(p);
      updater[position] = A::numbers > 0 ? Address::number / (max_updates * numbers_of_update) : -1;
      vector[position++] = A::vectors > 0 ? Address::vector : -1;
    });
    for (int id = 1; id <= p.nodes.size; ++id) {
      if (p.nodes[id].op->family != graph::op_family::pack) continue;
      graph::packed_tensor const place = graph::pack_of(p.nodes[id]);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j)
          if (updater[i] == place.updater && vector[j] == place.parameters) updates[i][j] = true;
    }
  }
};
template <class Program, class... Leaf>
inline constexpr update_facts<Program, Leaf...> facts_of_updates{};

/// errors  model_error if a model that the program changes is passed twice, or an updater updates another model than
///         its own
template <class Program, class... Leaf, class... Bound>
void check_models(Bound&... bound) {
  if constexpr (((function_argument<Leaf>::states > 0 ? 1 : 0) + ... + 0) > 1) {
    constexpr auto const& facts = facts_of_updates<Program, Leaf...>;
    void const *model[facts.count]{}, *updated[facts.count]{};
    std::size_t position = 0;
    for_each_argument<Leaf...>(
        [&]<class A, class Address>(A, Address, auto& each) {
          if constexpr (requires { A::memory(each); }) model[position] = A::memory(each);
          if constexpr (requires { A::updated_memory(each); }) updated[position] = A::updated_memory(each);
          ++position;
        },
        bound...);
    for (std::size_t i = 0; i < facts.count; ++i)
      for (std::size_t j = 0; j < facts.count; ++j) {
        if (j < i && (facts.changes[i] || facts.changes[j]) && model[i] != nullptr && model[i] == model[j])
          raise(model_error(model_error::passed_twice{static_cast<int>(j), static_cast<int>(i)}));
        if (facts.updates[i][j] && updated[i] != model[j])
          raise(model_error(model_error::wrong_updater{static_cast<int>(i), static_cast<int>(j)}));
      }
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
