// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "rule.hpp"

/// The tensors of a model as one vector, and back: an optimizer updates all parameters in one sweep. Plans give tensor
/// and vector the same memory, so that nothing is moved.
namespace espalier {

struct pack_ {};
struct part_ {};

template <>
struct rule<pack_> {
  template <class Op>
  static constexpr graph::descriptor describe() {
    return operation::plain_descriptor("pack", op_family::pack, 1);
  }
};
template <>
struct rule<part_> {
  template <class Op>
  static constexpr graph::descriptor describe() {
    return operation::plain_descriptor("part", op_family::part, 1);
  }
};

namespace operation {

/// The vector `vector` (0: zeros) with a tensor at its place.
constexpr int emit_pack(node_table& g, int vector, int tensor, graph::packed_tensor place, std::int64_t size) {
  return g.add(graph::node{
      &described<pack_>, {tensor, vector, 0, 0}, graph::pack_attribute(place), extents{1, {static_cast<int>(size)}}});
}
/// The elements of a vector from `offset` on, as a tensor.
constexpr int emit_part_of_vector(node_table& g, int vector, std::int64_t offset, extents const& s) {
  return g.add(graph::node{&described<part_>, {vector, 0, 0, 0}, graph::part_attribute(offset), s});
}

}  // namespace operation

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
