// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/operation/operation.hpp>

#include <memory>

namespace test {

/// A program that a test builds at run time, node by node. Its nodes lie on the heap, so handles stay valid.
struct built_program {
  std::unique_ptr<espalier::graph::program> program = std::make_unique<espalier::graph::program>();
  espalier::graph::node_table& nodes = program->nodes;

  /// Adds a node as it is written: nothing is simplified.
  template <class Op>
  espalier::handle add(espalier::extents const& shape, std::uint64_t attribute = 0, espalier::handle a = {},
                       espalier::handle b = {}, espalier::handle c = {}) {
    return {&nodes, nodes.add({&espalier::described<Op>, {a.id, b.id, c.id, 0}, attribute, shape})};
  }
  espalier::handle argument(std::uint64_t position, espalier::extents const& shape) {
    return add<espalier::argument_>(shape, position);
  }
  espalier::handle parameter(std::uint64_t slot, espalier::extents const& shape) {
    return add<espalier::parameter_>(shape, slot);
  }
  espalier::handle buffer(std::uint64_t slot, espalier::extents const& shape) {
    return add<espalier::buffer_>(shape, slot);
  }
  void result(espalier::handle x, int index = 0) {
    program->add_output(x.id, espalier::graph::destination::result, index);
  }
};

}  // namespace test
