// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <memory>
#include <vector>

#include <espalier/derivative/reverse.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/plan/address.hpp>
#include <espalier/tracing/trace.hpp>

#include "random_program.hpp"

/// Random programs of a number of samples: the same ops for any number. What is drawn depends on the seed alone.
namespace test {

class sample_program {
 public:
  std::vector<int> arguments, parameters, buffers;
  std::int64_t parameter_offsets[8]{}, buffer_offsets[8]{};

  sample_program(graph::program& p, std::uint64_t seed, int samples)
      : p_{p}, g_{p.nodes}, samples_{samples}, roll_{seed * 2654435761u + 1361} {
    static constexpr extents of_one_sample[] = {{1, {8}},    {1, {12}},      {1, {1}},       {2, {3, 5}},   {2, {4, 8}},
                                                {2, {8, 8}}, {3, {4, 4, 2}}, {3, {5, 4, 3}}, {3, {6, 6, 8}}};
    extents const one = of_one_sample[roll_(9)];
    for (int i = 1 + roll_(3); i > 0; --i) {
      arguments.push_back(g_.add({&espalier::described<espalier::argument_>,
                                  {},
                                  static_cast<std::uint64_t>(arguments.size()),
                                  with_samples(one)}));
      keep(arguments.back(), true);
    }
    for (int i = 3 + roll_(12); i > 0; --i) grow();
    for (int i = 1 + roll_(3); i > 0; --i) espalier::tracing::add_result(p_, any(roll_(4) != 0), results_++);
    add_gradients();
  }
  espalier::plan::storage_layout layout() const { return {parameter_offsets, buffer_offsets}; }

 private:
  extents with_samples(extents const& one) const {
    extents s{};
    s.push(samples_);
    for (int i = 0; i < one.rank; ++i) s.push(one.at[i]);
    return s;
  }
  std::int64_t of_one(int id) const { return g_[id].shape.size() / samples_; }
  handle h(int id) { return {&g_, id}; }
  int keep(int id, bool varies) {
    if ((varies ? of_one(id) : g_[id].shape.size()) <= 1024 && g_.size < 600)
      (varies ? varying_ : fixed_).push_back(id);
    return id;
  }
  int any(bool varies) {
    std::vector<int> const& from = varies || fixed_.empty() ? varying_ : fixed_;
    int const n = static_cast<int>(from.size()), recent = n < 4 ? n : 4;
    return from[static_cast<std::size_t>(roll_(3) ? n - 1 - roll_(recent) : roll_(n))];
  }
  int leaf(graph::descriptor const* op, std::vector<int>& to, std::int64_t* offsets, extents const& s) {
    std::size_t const slot = to.size();
    if (slot == 7) return operation::emit_constant(g_, 0.25, s).id;
    offsets[slot + 1] = offsets[slot] + (s.size() + 15) / 16 * 16;
    to.push_back(g_.add({op, {}, static_cast<std::uint64_t>(slot), s}));
    return to.back();
  }
  int parameter(extents const& s) {
    return leaf(&espalier::described<espalier::parameter_>, parameters, parameter_offsets, s);
  }
  template <class Op>
  int reduced(int x, unsigned mask, bool kept) {
    return espalier::detail::reduce<Op>(g_, x, mask, espalier::reduced_extents(g_[x].shape, mask, kept));
  }
  int repeated(int x, extents const& s) { return operation::emit_broadcast(g_, x, s); }

  void grow() {
    int const x = any(true);
    extents const s = g_[x].shape;
    switch (roll_(20)) {
      case 0:
      case 1:
        return void(keep(drawn_unary(roll_, h(x)).id, true));
      case 2:
      case 3:
      case 4:
        return void(keep(binary(x), true));
      case 5:
        return over_one_sample(x);
      case 6:
        return over_samples(x);
      case 7:
        return normalize(x);
      case 8:
        if (s.rank > 1) keep(espalier::rule<espalier::softmax_>::expand(h(x), 1u << (s.rank - 1)).id, true);
        return;
      case 9:
      case 10:
        return multiply(x);
      case 11:
        return multiply_samples(x);
      case 12:
        if (s.rank > 2)
          keep(operation::emit_permute(
                   g_, x, espalier::swap_permutation(s.rank, 1 + roll_(s.rank - 1), 1 + roll_(s.rank - 1))),
               true);
        return;
      case 13:
        return reshape(x);
      case 14:
        return move(x);
      case 15:
        return concatenate(x);
      case 16:
        return change_fixed();
      default:
        if (s.rank == 4) windows(x);
        else move(x);
    }
  }
  /// Another value of a shape: of other samples' values, or one that is repeated for each sample.
  int like(extents const& s) {
    for (int i = 0; i < 6; ++i) {
      int const y = any(true);
      if (g_[y].shape == s) return y;
      if (espalier::broadcast_conflict(g_[y].shape, s) == -1 && g_[y].shape.rank == s.rank) return repeated(y, s);
    }
    for (int i = 0; i < 6 && !fixed_.empty(); ++i) {
      int const y = any(false);
      if (g_[y].shape.rank < s.rank && espalier::broadcast_conflict(g_[y].shape, s) == -1) return repeated(y, s);
    }
    extents one{};
    for (int i = 1; i < s.rank; ++i) one.push(roll_(2) ? s.at[i] : 1);
    return repeated(parameter(one), s);
  }
  int binary(int x) {
    int const y = like(g_[x].shape);
    return drawn_binary(roll_, h(x), h(y)).id;
  }
  /// Axes behind the samples.
  void over_one_sample(int x) {
    extents const s = g_[x].shape;
    unsigned const mask = static_cast<unsigned>(roll_(1 << s.rank)) & ~1u;
    if (mask == 0) return;
    bool const kept = roll_(3) != 0;
    int const r =
        keep(roll_(3) ? reduced<espalier::sum_>(x, mask, kept) : reduced<espalier::max_>(x, mask, kept), true);
    if (kept && roll_(2)) keep((h(x) - h(repeated(r, s))).id, true);
  }
  /// Sums, means and extrema over the samples, perhaps over other axes too.
  void over_samples(int x) {
    extents const s = g_[x].shape;
    unsigned const mask = static_cast<unsigned>(roll_(1 << s.rank)) | 1u;
    std::int64_t count = 1;
    for (int i = 0; i < s.rank; ++i)
      if (mask >> i & 1u) count *= s.at[i];
    switch (roll_(3)) {
      case 0:
        return void(keep(reduced<espalier::max_>(x, mask, false), false));
      case 1:
        return void(keep(reduced<espalier::sum_>(x, mask, false), false));
      default:
        keep((h(reduced<espalier::sum_>(x, mask, false)) * (1.0 / static_cast<double>(count))).id, false);
    }
  }
  /// As batch normalization does it: the mean over all axes but the last is subtracted, and a buffer follows it.
  void normalize(int x) {
    extents const s = g_[x].shape;
    if (s.rank < 2) return;
    unsigned const mask = (1u << (s.rank - 1)) - 1u;
    double const count = static_cast<double>(s.product(0, s.rank - 1));
    int const mean = (h(reduced<espalier::sum_>(x, mask, false)) * (1.0 / count)).id;
    int const centered = keep((h(x) - h(repeated(mean, s))).id, true);
    int const square = (h(centered) * h(centered)).id;
    int const variance = (h(reduced<espalier::sum_>(square, mask, false)) * (1.0 / count)).id;
    keep((h(centered) / (h(repeated(variance, s)) + 1.0)).id, true);
    if (buffers.size() == 4) return;
    int const slot = static_cast<int>(buffers.size());
    int const old = leaf(&espalier::described<espalier::buffer_>, buffers, buffer_offsets, g_[mean].shape);
    p_.add_output((h(old) * 0.9 + h(roll_(2) ? mean : variance) * 0.1).id, graph::destination::buffer, slot);
  }
  void multiply(int x) {
    extents const s = g_[x].shape;
    if (s.rank < 2) return;
    int const inner = s.at[s.rank - 1], columns = 1 + roll_(12);
    bool const turned = roll_(3) == 0;
    int const w = parameter(turned ? extents{2, {columns, inner}} : extents{2, {inner, columns}});
    int const rows = static_cast<int>(s.product(0, s.rank - 1));
    int const y =
        espalier::detail::emit_matmul(g_, operation::emit_reshape(g_, x, extents{2, {rows, inner}}), w, false, turned);
    extents t = s;
    t.at[s.rank - 1] = columns;
    int r = operation::emit_reshape(g_, y, t);
    if (roll_(2)) r = tanh(h(r) + h(repeated(parameter({1, {columns}}), t))).id;
    if (roll_(4) == 0) r = (h(r) + h(like(t))).id;
    keep(r, true);
  }
  /// Of each sample with itself or another value, or summed over the samples.
  void multiply_samples(int x) {
    extents const s = g_[x].shape;
    if (s.rank == 2) {
      int const y = roll_(2) ? x : any(true);
      if (g_[y].shape.rank == 2) keep(espalier::detail::emit_matmul(g_, x, y, true, false), false);
    } else if (s.rank == 3) {
      int const y = roll_(2) ? x : like(s);
      bool const first = roll_(2);
      int const r = keep(espalier::detail::emit_matmul(g_, x, y, first, !first), true);
      if (roll_(2)) keep(tanh(h(r)).id, true);
    }
  }
  void reshape(int x) {
    extents const s = g_[x].shape;
    if (s.rank < 3) return;
    int const cut = 1 + roll_(s.rank - 1);
    extents t{};
    if (roll_(4)) t.push(samples_);
    t.push(static_cast<int>(t.rank == 0 ? s.product(0, cut) : s.product(1, cut)));
    t.push(static_cast<int>(s.product(cut, s.rank)));
    int const r = operation::emit_reshape(g_, x, t);
    // Rows of samples: what is made of them has the samples in front again.
    if (t.rank == 3) keep(r, true);
    else keep(operation::emit_reshape(g_, tanh(h(r)).id, s), true);
  }
  void keep_moved(int x, movement const& m) { keep(operation::emit_move(g_, x, m.map, m.shape), true); }
  void move(int x) {
    extents const s = g_[x].shape;
    if (s.rank < 2) return;
    int const axis = 1 + roll_(s.rank - 1), n = s.at[axis];
    movement m{espalier::identity_map(s.rank), s};
    switch (roll_(4)) {
      case 0: {
        int const first = roll_(n);
        m.map.start[axis] = first;
        m.shape.at[axis] = 1 + roll_(n - first);
        return keep_moved(x, m);
      }
      case 1: {
        int const before = roll_(3);
        m.map.start[axis] = -before;
        m.shape.at[axis] += before + roll_(3);
        return keep_moved(x, m);
      }
      case 2:
        m.map.start[axis] = n - 1;
        m.map.step[axis] = -1;
        return keep_moved(x, m);
      default:
        m.map.divisor[axis] = 2;
        m.shape.at[axis] *= 2;
        return keep_moved(x, m);
    }
  }
  void concatenate(int x) {
    extents s = g_[x].shape;
    if (s.rank < 2) return;
    int const y = roll_(2) ? like(s) : tanh(h(x)).id, axis = 1 + roll_(s.rank - 1);
    s.at[axis] *= 2;
    keep(operation::emit<espalier::concatenate_>(g_, s, static_cast<std::uint64_t>(axis), x, y).id, true);
  }
  /// Of weights alone.
  void change_fixed() {
    int const w = parameter({2, {8, 8}}), v = tanh(h(w)).id;
    keep(roll_(2) ? v : espalier::detail::emit_matmul(g_, v, w, false, true), false);
  }
  /// Windows of images: as they are, folded, reduced over their taps, multiplied by kernels, or by one factor for each
  /// tap and channel.
  void windows(int x) {
    extents const s = g_[x].shape;
    static constexpr int source[] = {0, 1, 2, 1, 2, 3};
    movement m{{}, {6, {s.at[0], 0, 0, 1 + roll_(3), 1 + roll_(3), s.at[3]}}};
    m.map.rank = 6;
    int const padding = roll_(2), stride = 1 + roll_(2);
    for (int i = 0; i < 6; ++i) {
      m.map.source[i] = source[i];
      m.map.step[i] = m.map.divisor[i] = 1;
    }
    for (int a = 1; a < 3; ++a) {
      int const room = s.at[a] + 2 * padding - m.shape.at[a + 2];
      if (room < 0) return;
      m.map.start[a] = -padding;
      m.map.step[a] = stride;
      m.shape.at[a] = room / stride + 1;
    }
    constexpr unsigned taps = 24u;
    int const w = operation::emit_move(g_, x, m.map, m.shape);
    extents const t = m.shape;
    switch (roll_(5)) {
      case 0:
        return void(keep(w, true));
      case 1:
        return void(keep(operation::emit_scatter_add(g_, tanh(h(w)).id, m.map, s), true));
      case 2: {
        int const r = roll_(2) ? reduced<espalier::max_>(w, taps, false) : reduced<espalier::sum_>(w, taps, false);
        return void(keep(r, true));
      }
      case 3: {
        int const factor = parameter({6, {1, 1, 1, t.at[3], t.at[4], t.at[5]}});
        return void(keep(reduced<espalier::sum_>((h(w) * h(repeated(factor, t))).id, taps, false), true));
      }
      default: {
        int const depth = t.at[3] * t.at[4] * t.at[5], channels = 1 + roll_(9);
        int const product = espalier::detail::emit_matmul(
            g_, operation::emit_reshape(g_, w, extents{2, {static_cast<int>(t.product(0, 3)), depth}}),
            parameter({2, {depth, channels}}), false, false);
        int const r = operation::emit_reshape(g_, product, extents{4, {t.at[0], t.at[1], t.at[2], channels}});
        keep(roll_(2) ? r : relu(h(r) + h(repeated(parameter({1, {channels}}), g_[r].shape))).id, true);
      }
    }
  }
  void add_gradients() {
    if (roll_(3) == 0) return;
    int const y = any(roll_(4) != 0);
    extents const s = g_[y].shape;
    int const loss = (h(reduced<espalier::sum_>((h(y) * h(y)).id, (1u << s.rank) - 1u, false)) * (1.0 / samples_)).id;
    auto const m = std::make_unique<espalier::derivative::marks>();
    auto const adjoints = std::make_unique<espalier::derivative::adjoints>();
    for (std::vector<int> const* leaves : {&arguments, &parameters})
      for (int id : *leaves) m->at[id] = espalier::derivative::mark::differentiated;
    espalier::derivative::reverse(g_, loss, operation::emit_constant(g_, 1, extents{}).id, *m, *adjoints);
    for (int id : arguments)
      if (int const d = adjoints->of[id]; d != 0 && results_ < 5) espalier::tracing::add_result(p_, d, results_++);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (int const d = adjoints->of[parameters[i]]; d != 0)
        p_.add_output(d, graph::destination::gradient, static_cast<int>(i));
  }

  graph::program& p_;
  graph::node_table& g_;
  int samples_;
  dice roll_;
  std::vector<int> varying_, fixed_;
  int results_ = 0;
};

}  // namespace test
