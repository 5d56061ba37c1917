// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../plan/plan.hpp"
#include "function_argument.hpp"
#include "model_error.hpp"

#include "../base/diagnostics_push.hpp"
/// Checks that only the objects can answer: which models are the same one, and which model an updater was made for.
namespace espalier::detail {

/// Whether a program changes a parameter or buffer of an argument. Numbers: those of its first parameter, buffer and
/// vector.
template <class A>
constexpr bool changes_argument(graph::program const& p, int parameter, int buffer, int vector) {
  auto const within = [](int i, int first, int count) { return i >= first && i < first + count; };
  for (int i = 0; i < p.output_count; ++i) {
    graph::output const& o = p.outputs[i];
    if (o.where == graph::destination::buffer && within(o.index, buffer, A::buffers)) return true;
    if (o.where == graph::destination::parameter &&
        (within(o.index, parameter, A::parameters) || within(o.index, vector, A::vectors)))
      return true;
  }
  return false;
}

/// What the check needs of an argument: the memory of its model (null for tensors), or of an updater's model.
struct argument_memory {
  void const* model = nullptr;
  void const* updated = nullptr;
  bool changes = false;
  int vector = -1;   ///< the slot of all parameters of a model
  int updater = -1;  ///< the number of an updater
};

/// errors  model_error if a model that the program changes is passed twice, or an updater updates another model than
///         its own
template <class Program, class... Leaf, class... Bound>
void check_models(Bound&... bound) {
  if constexpr ((requires { typename Leaf::model_type; } || ...)) {
    constexpr auto const& p = plan::graph_of<Program>;
    constexpr int tensors = (function_argument<Leaf>::parameters + ... + 0);
    argument_memory of[sizeof...(Leaf)];
    int position = 0, parameter = 0, buffer = 0, vector = tensors;
    auto const add = [&]<class A, class Address>(A, Address, auto& each) {
      argument_memory& own = of[position++];
      if constexpr (requires { A::memory(each); }) own.model = A::memory(each);
      if constexpr (requires { A::updated_memory(each); }) {
        own.updated = A::updated_memory(each);
        own.updater = Address::number / (max_updates * numbers_of_update);
      }
      own.changes = A::states > 0 && changes_argument<A>(p, parameter, buffer, vector);
      if (A::vectors > 0) own.vector = vector;
      parameter += A::parameters;
      buffer += A::buffers;
      vector += A::vectors;
    };
    for_each_argument<Leaf...>(add, bound...);
    constexpr int count = static_cast<int>(sizeof...(Leaf));
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < i; ++j)
        if (of[i].model != nullptr && of[i].model == of[j].model && (of[i].changes || of[j].changes))
          raise(model_error(model_error::passed_twice{j, i}));
    for (int id = 1; id <= p.nodes.size; ++id) {
      if (p.nodes[id].op->family != graph::op_family::pack) continue;
      graph::packed_tensor const place = graph::pack_of(p.nodes[id]);
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
          if (of[i].updater == place.updater && of[j].vector == place.parameters && of[i].updated != of[j].model)
            raise(model_error(model_error::wrong_updater{i, j}));
    }
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
