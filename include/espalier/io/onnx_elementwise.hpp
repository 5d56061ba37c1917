// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_program.hpp"

/// Exports elementwise ops. Operands are transposed to the order of axes of one of them, the lead; for parameters this
/// is free.
namespace espalier::io::onnx {

/// Numbers beside a value whose axes are stored in another order: transposed so that ONNX broadcasts them to the stored
/// extents.
inline tensor beside(tensor const& t, view const& v) {
  if (in_order(v.order, v.stored.rank)) return t;
  return builder::transposed_numbers({t.name, widened(t.shape, v.stored.rank), t.numbers},
                                     inverse_permutation(v.order, v.stored.rank));
}
/// Whether only the last axis is longer than 1, so that the numbers are a row.
inline bool is_row(view const& v) {
  return v.held && v.stored.rank > 0 && v.stored.at[v.stored.rank - 1] == v.stored.size();
}
inline tensor row_of(tensor const& t) { return {t.name, extents{1, {static_cast<int>(t.numbers.size())}}, t.numbers}; }

class elementwise_writer {
 public:
  elementwise_writer(exporter& e, int id) : e_{e}, n_{e[id]} {
    for (int k = 0; k < n_.op->arity; ++k) operands_.push_back(e.value(n_.operand[k]));
  }

  view write() {
    if (n_.op == &described<copied_>) return operands_[0];
    lead_ = find_lead();
    if (n_.op == &described<add_> && lead_ >= 0 && add_bias()) return operands_[at(lead_)];
    std::vector<term> x;
    view result = lead_ < 0 ? place_small(x) : place_beside(operands_[at(lead_)], x);
    term const y = computed(x);
    if (y.is_number()) return builder::hold(y.number());
    result.name = y.in(e_.to);
    result.accepts_bias = false;
    return result;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  /// The operand whose order of axes the result gets: one that is not broadcast, if possible one that grows with the
  /// samples.
  int find_lead() const {
    int lead = -1;
    for (int k = 0; k < n_.op->arity; ++k) {
      view const& v = operands_[at(k)];
      if (v.held || v.stored.size() != n_.shape.size()) continue;
      if (lead < 0 || (operands_[at(lead)].samples_at < 0 && v.samples_at >= 0)) lead = k;
    }
    return lead;
  }
  /// Adds a bias per channel as an input of its convolution, if the convolution has no other reader.
  bool add_bias() {
    for (int k = 0; k < 2; ++k) {
      view& y = operands_[at(k)];
      view const& bias = operands_[at(1 - k)];
      if (!y.accepts_bias || !bias.held || bias.is_number() || bias.stored.size() != y.stored.at[1] ||
          !(y.shape() == n_.shape || stays_a_row(bias, y)))
        continue;
      tensor const t = beside(y.shape() == n_.shape ? *bias.held : onnx::row_of(*bias.held), y);
      extents const placed = widened(t.shape, y.stored.rank);
      if (placed.rank != y.stored.rank || placed.at[1] != y.stored.at[1]) continue;
      e_.to.add_input(y.name, e_.to.constant(onnx::row_of(t)));
      y.accepts_bias = false;
      lead_ = k;
      return true;
    }
    return false;
  }
  /// Whether the numbers are along the last axis, and that axis is the same in the stored extents.
  bool stays_a_row(view const& v, view const& lead) const {
    extents const s = lead.shape();
    return is_row(v) && s.rank > 0 && n_.shape.rank > 0 && s.at[s.rank - 1] == n_.shape.at[n_.shape.rank - 1] &&
           v.stored.size() == s.at[s.rank - 1];
  }
  static bool lies_alike(view const& a, view const& b) {
    return !a.held && !b.held && a.stored == b.stored && a.shape() == b.shape() && a.order == b.order;
  }

  /// For a result that is larger than every operand: the operands are combined first, and the broadcast is left to the
  /// readers.
  view place_small(std::vector<term>& x) {
    view r;
    for (view const& operand : operands_) {
      if (operand.is_number()) {
        x.push_back(term{operand.held->numbers[0]});
        continue;
      }
      view v = e_.to.settled(operand, n_.shape);
      if (v.held) v = e_.to.plain(e_.to.constant(*v.held), v.stored, v);
      else v = e_.to.transposed_now(v);
      x.push_back(term{e_.to, v.name});
      extents wide = widened(v.stored, r.stored.rank);
      int const before = r.samples_at < 0 ? -1 : r.samples_at + (wide.rank - r.stored.rank);
      r.stored = widened(r.stored, wide.rank);
      for (int i = 0; i < wide.rank; ++i)
        if (r.stored.at[i] == 1) r.stored.at[i] = wide.at[i];
      int const now = v.samples_at < 0 ? -1 : v.samples_at + (wide.rank - v.stored.rank);
      if (before >= 0 && now >= 0 && before != now) e_.to.throw_open_batch("samples are combined with each other");
      r.samples_at = now >= 0 ? now : before;
      if (v.samples_at >= 0) r.samples_times = v.samples_times;
    }
    return r;
  }

  view place_beside(view lead, std::vector<term>& x) {
    bool fits = lead.shape() == n_.shape;
    if (!fits) {
      fits = true;
      for (view const& v : operands_) fits = fits && (v.is_number() || lies_alike(v, lead) || stays_a_row(v, lead));
      if (!fits) lead = e_.to.settled(lead, n_.shape);
    }
    for (int k = 0; k < n_.op->arity; ++k) {
      view const& v = operands_[at(k)];
      if (v.is_number()) x.push_back(term{v.held->numbers[0]});
      else if (k == lead_) x.push_back(term{e_.to, lead.name});
      else if (lies_alike(v, lead)) x.push_back(term{e_.to, v.name});
      else if (v.held) x.push_back(term{e_.to, numbers_beside(v, lead)});
      else x.push_back(term{e_.to, moved_beside(v, lead)});
    }
    return lead;
  }
  std::string numbers_beside(view const& v, view const& lead) {
    tensor const t = beside(lead.shape() == n_.shape ? *v.held : onnx::row_of(*v.held), lead);
    int const axis = lead.samples_at - (lead.stored.rank - t.shape.rank);
    if (lead.samples_at >= 0 && axis >= 0 && t.shape.at[axis] != 1)
      e_.to.throw_open_batch("there is a number for each sample");
    return e_.to.constant(t);
  }
  std::string moved_beside(view const& operand, view const& lead) {
    view v = e_.to.settled(operand, n_.shape);
    int const rank = lead.stored.rank;
    if (!in_order(lead.order, rank) || v.stored.size() == lead.stored.size()) {
      std::uint64_t const order = inverse_permutation(lead.order, rank);
      extents const wide = widened(v.shape(), rank);
      if (builder::moves_ones(order, wide))
        return e_.to.reshaped_now(e_.to.transposed_now(v), permuted_extents(wide, order)).name;
      if (v.stored.rank < rank) v = e_.to.reshaped_now(e_.to.transposed_now(v), wide);
      v.order = composed_permutation(v.order, order, rank);
    }
    v = e_.to.transposed_now(v);
    int const axis = lead.samples_at - (rank - v.stored.rank);
    if (lead.samples_at >= 0 && axis >= 0 && v.samples_at != axis && v.stored.at[axis] != 1)
      e_.to.throw_open_batch("samples are combined with a tensor whose extent is fixed");
    return v.name;
  }

  term computed(std::vector<term> const& x) {
    table_row const* const row = onnx::row_of(n_.op);
    if (row == nullptr) {
      for (own_formula const& f : e_.own)
        if (f.op == n_.op) return f.steps(x.data());
      e_.to.throw_unsupported_op(n_.op->name);
    }
    if (row->how == written::formula) return row->steps(x.data());
    bool numbers = true;
    std::vector<std::string> inputs;
    for (term const& t : x) numbers = numbers && t.is_number();
    if (numbers) return term{n_.op->evaluate(x[0].number(), x.size() > 1 ? x[1].number() : 0, 0)};
    for (term const& t : x) inputs.push_back(t.in(e_.to));
    return term{e_.to, e_.to.emit(row->type, inputs)};
  }

  exporter& e_;
  graph::node const& n_;
  std::vector<view> operands_;
  int lead_ = -1;
};

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
