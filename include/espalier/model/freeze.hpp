// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/convolution_program.hpp"
#include "../plan/narrow_program.hpp"
#include "fold_columns.hpp"
#include "net_programs.hpp"
#include "split_program.hpp"

/// The programs of a frozen model: one that prepares its numbers, and one that runs.
namespace espalier::detail {

/// A program with convolutions by tiles where these are faster. Kernels that depend on parameters alone are transformed
/// once.
constexpr graph::program with_constant_kernels(graph::program const& p) {
  node_facts facts{};
  find_facts(p, facts);
  return plan::has_tiles(p, plan::convolution_error, facts.varies)
             ? plan::with_tiles(p, plan::convolution_error, facts.varies)
             : p;
}

/// Groups are put in place first, so that a norm behind them is folded into the kernels of all groups.
constexpr graph::program folded_with_groups(graph::program const& p) {
  return plan::has_grouped_convolutions(p) ? folded(plan::with_grouped_convolutions(p)) : folded(p);
}

template <class Net, class Batch>
inline constexpr graph::program folded_evaluation =
    with_constant_kernels(folded_with_groups(plan::graph_of<evaluation_program<Net, Batch>>));
template <class Net, class Batch>
inline constexpr split_program split_evaluation = split(folded_evaluation<Net, Batch>);

/// The constants of a frozen net of 16 bits that may stay as they are stored: parameters and buffers themselves.
template <class Net, class Batch>
struct unchanged_slots {
  static constexpr bool are_of_one_type = true;
  static constexpr graph::node const& node(int slot) {
    return folded_evaluation<Net, Batch>.nodes[split_evaluation<Net, Batch>.node[slot]];
  }
  static constexpr bool parameter(int slot) {
    return node(slot).op->family == op_family::parameter || node(slot).op->family == op_family::buffer;
  }
  static constexpr bool buffer(int) { return false; }
  static constexpr bool changed(graph::output const&) { return false; }
};

/// Where a frozen net stores its constants.
struct frozen_storage {
  std::int64_t offset[max_slots];  ///< in elements of the constant's type
  bool is_narrow[max_slots];       ///< by slot: all kernels that read it widen it, so it stays in 16 bits
  std::int64_t size;               ///< in floats
};
template <class Net, class Batch, bool Narrow>
constexpr frozen_storage find_frozen_storage() {
  split_program const& s = split_evaluation<Net, Batch>;
  frozen_storage r{};
  if constexpr (Narrow) {
    for (int i = 0; i < s.count; ++i) r.is_narrow[i] = unchanged_slots<Net, Batch>::parameter(i);
    // A constant that is converted is read by an op that widens nothing. No call shall convert it.
    graph::program read{};
    plan::narrow_reader<unchanged_slots<Net, Batch>>{s.running, read}.run(s.running, read);
    for (int id = 1; id <= read.nodes.size; ++id) {
      graph::node const& n = read.nodes[id];
      if (n.op->family == op_family::convert && graph::is_narrow(read.nodes[n.operand[0]]))
        r.is_narrow[graph::slot_of(read.nodes[n.operand[0]])] = false;
    }
  }
  for (int i = 0; i < s.count; ++i) {
    std::int64_t const size = folded_evaluation<Net, Batch>.nodes[s.node[i]].shape.size();
    r.offset[i] = r.is_narrow[i] ? 2 * r.size : r.size;
    r.size += plan::rounded(r.is_narrow[i] ? (size + 1) / 2 : size);
  }
  return r;
}
template <class Net, class Batch, bool Narrow>
inline constexpr frozen_storage frozen_storage_of = find_frozen_storage<Net, Batch, Narrow>();
template <class Net, class Batch>
struct narrow_slots_of_frozen : unchanged_slots<Net, Batch> {
  static constexpr bool parameter(int slot) { return frozen_storage_of<Net, Batch, true>.is_narrow[slot]; }
};

/// preparing: the program that runs once. It reads the model's parameters and buffers. Its results are outputs of kind
/// gradient, in slots after those of the parameters. Narrow: for a model of 16 bits.
template <class Net, class Batch, bool Narrow = false>
struct preparing_program {
  using subject = Net;
  static constexpr int parameters = slots_of<Net>.parameters.count;
  static constexpr graph::program build() {
    graph::program p = folded_evaluation<Net, Batch>;
    p.output_count = 0;
    split_program const& s = split_evaluation<Net, Batch>;
    for (int i = 0; i < s.count; ++i)
      if (!frozen_storage_of<Net, Batch, Narrow>.is_narrow[i])
        p.add_output(s.node[i], graph::destination::gradient, parameters + i);
    return p;
  }
  struct places {
    std::int64_t of[2 * max_slots];
  };
  static constexpr places numbered = [] {
    places r{};
    for (int i = 0; i < parameters; ++i) r.of[i] = slots_of<Net>.parameters.offset[i];
    for (int i = 0; i < split_evaluation<Net, Batch>.count; ++i)
      r.of[parameters + i] = frozen_storage_of<Net, Batch, Narrow>.offset[i];
    return r;
  }();
  static constexpr plan::storage_layout layout() { return {numbered.of, slots_of<Net>.buffers.offset}; }
};

/// running: evaluation that reads all constants from the frozen storage; result 0 is the net's output for a batch.
template <class Net, class Batch, bool Narrow = false>
struct frozen_program {
  using subject = Net;
  static constexpr graph::program build() { return split_evaluation<Net, Batch>.running; }
  static constexpr plan::storage_layout layout() { return {frozen_storage_of<Net, Batch, Narrow>.offset, nullptr}; }
};

/// Numbers of 16 bits that are copied from a model to the frozen storage: an address of the model, an offset in the
/// storage. The last entry has none.
struct narrow_copy {
  plan::address from;
  std::int64_t to, size;
};
template <int Count>
struct narrow_copies {
  narrow_copy at[static_cast<std::size_t>(Count) + 1];
};
template <class Net, class Batch>
constexpr int count_narrow() {
  int n = 0;
  for (bool const narrow : frozen_storage_of<Net, Batch, true>.is_narrow) n += narrow;
  return n;
}
template <class Net, class Batch>
inline constexpr auto narrow_copies_of = [] {
  narrow_copies<count_narrow<Net, Batch>()> r{};
  for (int slot = 0, n = 0; slot < split_evaluation<Net, Batch>.count; ++slot) {
    if (!frozen_storage_of<Net, Batch, true>.is_narrow[slot]) continue;
    graph::node const& x = unchanged_slots<Net, Batch>::node(slot);
    plan::storage_layout const from{slots_of<Net>.parameters.offset, slots_of<Net>.buffers.offset};
    r.at[n++] = {
        x.op->family == op_family::parameter ? from.parameter(graph::slot_of(x)) : from.buffer(graph::slot_of(x)),
        frozen_storage_of<Net, Batch, true>.offset[slot], x.shape.size()};
  }
  return r;
}();

/// The two programs of a model that stores T and computes in Computed.
template <class Net, class Batch, class T, class Computed>
struct frozen_programs {
  static constexpr bool is_narrow = !std::is_same_v<T, Computed>;
  static constexpr frozen_storage const& storage = frozen_storage_of<Net, Batch, is_narrow>;
  using preparing = plan::program_for<preparing_program<Net, Batch, is_narrow>, T, Computed, plan::read_slots>;
  using running =
      plan::program_for<frozen_program<Net, Batch, is_narrow>, T, Computed, narrow_slots_of_frozen<Net, Batch>>;

  /// Copies what stays in 16 bits. base: the pointers of the model.
  static void copy_narrow([[maybe_unused]] void const* const* base, [[maybe_unused]] void* to) {
    if constexpr (is_narrow)
      for (narrow_copy const& c : narrow_copies_of<Net, Batch>.at)
        if (c.size > 0)
          __builtin_memcpy(static_cast<T*>(to) + c.to, static_cast<T const*>(base[c.from.base]) + c.from.offset,
                           static_cast<std::size_t>(c.size) * sizeof(T));
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
