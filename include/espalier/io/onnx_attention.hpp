// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <optional>

#include "../operation/attention_softmax.hpp"
#include "onnx_program.hpp"

/// Exports scaled_dot_product_attention as the operation Attention, which operator set 23 has: runtimes compute it
/// without a tensor of all scores.
/// source  github.com/onnx/onnx, docs/Operators.md: Attention
namespace espalier::io::onnx {

class attention_writer {
 public:
  attention_writer(exporter& e, int id) : e_{e}, id_{id} {}

  /// Nothing if the product is not the values' of an attention with (batch, heads, queries, features) that the
  /// operation supports.
  std::optional<view> write() {
    // onnxruntime rounds the scale to float.
    if (e_.to.operator_set() < 23 || e_.to.real() != element::float32 || !finds_operands()) return {};
    std::vector<std::string> inputs;
    extents const scores = e_.shape(weights_);
    extents const values = e_.shape(e_[id_].operand[1]);
    extents q = scores, y = scores;
    q.at[3] = e_.shape(e_[product_].operand[0]).at[3];
    y.at[3] = values.at[3];
    extents const k{4, {values.at[0], values.at[1], values.at[2], q.at[3]}};
    int const keys = e_[product_].operand[1];
    view const key_view = graph::transposes_of(e_[product_]).b
                              ? e_.value(keys)
                              : e_.to.permuted(e_.value(keys), e_.shape(keys), swap_permutation(4, 3, 2));
    for (view const& v : {e_.to.whole(e_.value(e_[product_].operand[0]), q), e_.to.whole(key_view, k),
                          e_.to.whole(e_.value(e_[id_].operand[1]), values)}) {
      if (e_.to.open_samples() && (v.samples_at != 0 || v.samples_times != 1)) return {};
      inputs.push_back(v.name);
    }
    if (mask_ != 0 && !adds_mask(inputs)) return {};
    std::vector<attribute> attributes;
    if (causal_) attributes.push_back(with("is_causal", 1));
    if (scale_ != 1 / math::sqrt(static_cast<double>(q.at[3]))) attributes.push_back(with_number("scale", scale_));
    view like{};
    if (e_.to.open_samples()) like.samples_at = 0, like.samples_times = 1;
    return builder::plain(e_.to.emit("Attention", std::move(inputs), std::move(attributes)), y, like);
  }

 private:
  bool is(int id, graph::descriptor const& op) const { return espalier::detail::same_address(e_[id].op, &op); }
  int operand(int id, graph::descriptor const& op) const { return is(id, op) ? e_[id].operand[0] : 0; }
  /// The number that a node repeats, or nothing.
  std::optional<double> number(int id) const {
    while (e_[id].op->family == op_family::broadcast || e_[id].op->family == op_family::reshape) id = e_[id].operand[0];
    if (e_[id].op->family != op_family::constant) return {};
    return constant_of(e_[id]);
  }

  bool finds_operands() {
    if (graph::transposes_of(e_[id_]).a || graph::transposes_of(e_[id_]).b) return false;
    weights_ = e_.behind_reshapes(e_[id_].operand[0]);
    if (!e_.read_once(weights_) || e_.shape(weights_).rank != 4 || e_[id_].shape.rank != 4) return false;
    bool const causal_mask = is(weights_, described<attention_softmax_<true, true>>),
               causal_only = is(weights_, described<attention_softmax_<true, false>>),
               mask_only = is(weights_, described<attention_softmax_<false, true>>);
    if (!causal_mask && !causal_only && !mask_only && !is(weights_, described<attention_softmax_<false, false>>))
      return false;
    causal_ = causal_mask || causal_only;
    // The formula: e (1 / sum), e = exp(scores - largest)
    int const e = operand(e_[weights_].operand[0], described<multiply_>);
    int const scores = operand(operand(e, described<exp_>), described<subtract_>);
    int const masked = causal_ && scores != 0 ? behind_where(scores) : scores;
    return masked != 0 && (causal_mask || mask_only ? finds_mask(masked) : finds_product(masked));
  }
  /// The scores that where(condition, scores, -infinity) reads, or 0.
  int behind_where(int id) const {
    return is(id, described<where_>) && number(e_[id].operand[2]) == -math::infinity<double> ? e_[id].operand[1] : 0;
  }
  bool finds_mask(int scores) {
    if (int const x = behind_where(scores); x != 0) {
      mask_ = e_[scores].operand[0];
      return finds_product(x);
    }
    if (!is(scores, described<add_>)) return false;
    adds_ = true;
    for (int k = 0; k < 2; ++k) {
      mask_ = e_[scores].operand[1 - k];
      if (finds_product(e_[scores].operand[k])) return true;
    }
    return false;
  }
  /// q k^T times a number. Query heads that share a key head may be rows of one product.
  bool finds_product(int id) {
    scale_ = 1;
    if (is(id, described<multiply_>)) {
      int const k = number(e_[id].operand[1]) ? 1 : 0;
      auto const factor = number(e_[id].operand[k]);
      if (!factor) return false;
      scale_ = *factor;
      id = e_[id].operand[1 - k];
    }
    while (e_[id].op->family == op_family::reshape) id = e_[id].operand[0];
    if (e_[id].op->family != op_family::contraction || e_.shape(id).rank != 4 || !(scale_ > 0)) return false;
    extents const &q = e_.shape(e_[id].operand[0]), &k = e_.shape(e_[id].operand[1]), &v = e_.shape(e_[id_].operand[1]);
    auto const [transposed_q, transposed_k] = graph::transposes_of(e_[id]);
    if (transposed_q || q.rank != 4 || k.rank != 4 || v.rank != 4) return false;
    product_ = id;
    int const keys = k.at[transposed_k ? 2 : 3];
    extents const &scores = e_.shape(weights_), &all = e_.shape(id);
    // Equal leading axes, or groups of whole heads.
    bool const grouped = all.at[0] == scores.at[0] && all.at[1] * all.at[2] == scores.at[1] * scores.at[2] &&
                         scores.at[1] % all.at[1] == 0;
    return grouped && keys == scores.at[3] && v.at[2] == keys && v.at[0] == k.at[0] && v.at[1] == k.at[1] &&
           k.at[0] == scores.at[0] && k.at[1] == all.at[1] && e_[id_].shape.at[1] == v.at[1];
  }

  /// The mask with leading axes as they are and all queries and keys: onnxruntime does not repeat these.
  bool adds_mask(std::vector<std::string>& inputs) {
    int id = mask_;
    while (e_[id].op->family == op_family::broadcast) id = e_[id].operand[0];
    extents const& scores = e_.shape(weights_);
    view v = e_.to.settled(e_.value(id), e_.shape(id));
    if (!v.held) v = e_.to.transposed_now(v);
    extents const own = v.held ? v.held->shape : v.stored;
    if (own.rank > 4) return false;
    extents const all = widened(own, 4);
    for (int i = 0; i < 4; ++i)
      if (all.at[i] != 1 && all.at[i] != scores.at[i]) return false;
    bool const of_samples = v.samples_at >= 0;
    if (of_samples && (v.samples_at + 4 - own.rank != 0 || v.samples_times != 1)) return false;
    if (e_.to.open_samples() && !of_samples && all.at[0] != 1) return false;
    std::string name = v.held ? e_.to.constant(*v.held) : v.name;
    if (all.at[2] != scores.at[2] || all.at[3] != scores.at[3])
      name = e_.to.emit("Expand", {name, e_.to.list({1, 1, scores.at[2], scores.at[3]})});
    if (!adds_) name = e_.to.emit("Cast", {name}, {with("to", static_cast<int>(element::boolean))});
    inputs.push_back(std::move(name));
    return true;
  }

  exporter& e_;
  int id_;  ///< the product of weights and values
  int weights_ = 0, product_ = 0, mask_ = 0;
  bool causal_ = false, adds_ = false;
  double scale_ = 1;
};

inline std::optional<view> write_as_attention(exporter& e, int id) { return attention_writer{e, id}.write(); }

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
