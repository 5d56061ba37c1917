// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/label_error.hpp"
#include "apply.hpp"

/// Marks integers as class labels, so that every root checks them before it runs a program (plan/index_arguments.hpp).
namespace espalier {

template <int Classes, bool Ignores, std::int32_t Ignored>
struct class_labels_ {};

/// The mark is a node that nothing reads: values are computed from the labels themselves.
template <int Classes, bool Ignores, std::int32_t Ignored>
struct rule<class_labels_<Classes, Ignores, Ignored>> {
  static constexpr char const* name = "class_labels";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr label_range labels{Classes, Ignores, Ignored};
  static constexpr int emit(node_table& g, graph::node const& n) {
    if (g[graph::data_of(g, n.operand[0])].op->family == op_family::argument) g.report(graph::fault::real_labels);
    g.add(n);
    return n.operand[0];
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::alias, 1);
    d.emit = &emit;
    d.labels = &labels;
    return d;
  }
};

namespace detail {

/// class_labels<Classes>(labels): the labels, of which each has to be 0 to Classes - 1, or `Ignored` if Ignores.
/// shape   S -> S
/// errors  a root of a program whose labels are an argument throws label_error for other labels, before anything is
///         computed or changed
/// saves   nothing
/// gradient  none: labels are integers
template <int Classes, bool Ignores = false, std::int32_t Ignored = 0, class L>
constexpr auto class_labels(L&& labels) {
  using Op = class_labels_<Classes, Ignores, Ignored>;
  if constexpr (Handle<L>) {
    node_table& g = *labels.nodes;
    return handle{&g, g.emit(graph::node{&described<Op>, {labels.id, 0, 0, 0}, 0, g[labels.id].shape})};
  } else {
    return make_node<Op, 0, shape_of<L>>(static_cast<L&&>(labels));
  }
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
