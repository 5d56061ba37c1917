// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "formula.hpp"

ESPALIER_HEADER_INCLUDED(explain);

namespace espalier {

namespace report {

inline std::string explanation(titled const& t) {
  view const& v = *t.plan;
  std::int64_t const bytes = static_cast<std::int64_t>(t.element_bytes);
  std::string text = t.title + ": " + std::to_string(v.kernel_count) +
                     (v.kernel_count == 1 ? " kernel, " : " kernels, ") + std::to_string(v.workspace * bytes) +
                     " bytes of workspace, " + std::to_string(v.peak_live * bytes) + " live at most, " +
                     std::to_string(v.moved * bytes) + " moved, " + std::to_string(v.flops) + " flops\n";
  for (int x = 1; x <= v.kernel_count; ++x) {
    kernel_row const& k = v.kernels[x];
    text += "kernel " + std::to_string(x) + ": " + kind_text(k) +
            (k.same_as != x ? ", the code of kernel " + std::to_string(k.same_as) : "") + '\n';
    for (std::string const& line : formulas_of(t, x)) text += "  " + line + '\n';
    std::string read, written;
    for_each_operand(v, k, [&](int, int node) {
      read += (read.empty() ? "" : ", ") + name_of(t, node) + ' ' + shape_text(v.nodes[node].shape);
    });
    for_each_result(v, k, [&](int node) {
      written += (written.empty() ? "" : "; ") + name_of(t, node) + ' ' + shape_text(v.nodes[node].shape) + " to " +
                 address_text(t, node);
    });
    if (!read.empty()) text += "  reads " + std::to_string(k.moved.read * bytes) + " bytes: " + read + '\n';
    text += "  writes " + std::to_string(k.moved.written * bytes) + " bytes: " + written + '\n';
  }
  for (int i = 0; i < v.copy_count; ++i) text += "copy: " + std::to_string(v.copies[i].size * bytes) + " bytes\n";
  return text;
}
inline std::string explanation(std::vector<titled> const& all) {
  std::string text;
  for (titled const& t : all) text += (text.empty() ? "" : "\n") + explanation(t);
  return text;
}

}  // namespace report

/// explain<...>(): the plan of a program as text. For each kernel in order of execution: its kind, its formulas in the
/// names of its ops, and the shapes of the values that it reads. For each value that it writes, the address and the
/// last kernel that reads it; for both, the bytes.
///     explain<Net, Batch>()                     the evaluation of a net
///     explain<Net, Loss, Optimizer, Batch>()    a step of training: forward and backward, then the update
///     explain<Trainer>(), explain<Predictor>()  the same for these types; explain(trainer), explain(predictor)
///     explain<Program>()                        any program definition
/// shape   Batch is shapes<A, B> for the evaluation of a net of several inputs
/// names   "input" and "target", "input 1" of several, "output 1" of several results; parameters and buffers by their
///         paths; v17 for the value of node 17, t1 for a value inside its kernel
/// errors  layers, loss and batch that do not fit do not compile, nor do other arguments
template <class... X, class Found = report::detail::programs_fault<X...>>
std::string explain() {
  using Programs = report::detail::programs_of<X...>;
  static_assert(Programs::arguments::agree, ESPALIER_NAMES_PROGRAMS);
  using Layers = espalier::detail::root_message_fault<typename Programs::layers, typename Programs::net,
                                                      espalier::detail::root_at<Programs, struct explain_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::layers, typename Programs::net>::report()) != 0);
  using LossMisfit = espalier::detail::root_message_fault<typename Programs::loss, typename Programs::trained,
                                                          espalier::detail::root_at<Programs, struct explain_>>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::loss, typename Programs::trained>::report()) != 0);
  static_assert(Programs::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Programs::statistics));
  if constexpr (Found::agree) return report::explanation(Programs::programs());
  else return {};
}
// The type of the object has reported everything that does not fit.
template <class X>
std::string explain(X const&) {
  using Programs = report::detail::programs_of<X>;
  static_assert(Programs::arguments::agree, ESPALIER_NAMES_PROGRAMS);
  if constexpr (Programs::fault::agree) return report::explanation(Programs::programs());
  else return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
