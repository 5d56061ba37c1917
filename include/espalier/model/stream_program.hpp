// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../operation/op_with_fault.hpp"
#include "../operation/streaming.hpp"
#include "../plan/narrow_program.hpp"
#include "named.hpp"
#include "net_programs.hpp"

/// The program of one block of a net over a sequence, and the errors of nets that have none.
namespace espalier {

namespace detail {

/// A shape with another number of steps.
template <class S, int Axis, int Steps>
struct sequence_with {
  static constexpr extents value = [] {
    extents s = S::value;
    s.at[Axis] = Steps;
    return s;
  }();
};
/// The shape of a whole sequence: that of a block, with many blocks along an axis. No such sequence is computed: the
/// net is traced for it. 8192: steps that are more than the kernels and slices of a net reach, yet few enough that
/// shapes of windows have less than 2^31 elements. With a context there is attention, which has scores for all pairs of
/// steps: 2048. A net with a table of positions may be for fewer steps: those of its context.
template <class Block, int Axis, int Context, bool Short = false>
struct sequence_of {
  static constexpr int block = Block::value.at[Axis] > 0 ? Block::value.at[Axis] : 1;  // 0 is already an error
  static constexpr int of_context = block * (Context / block > 0 ? Context / block : 1);
  static constexpr int steps = Short ? of_context : block * ((Context == 0 ? 8192 : 2048) / block + 4);
  static constexpr extents value = sequence_with<Block, Axis, steps>::value;
};
template <class Net, class Block, int Axis, int Context>
struct sequence_for {
  using long_one = shape_from<sequence_of<Block, Axis, Context>>;
  using short_one = shape_from<sequence_of<Block, Axis, Context, true>>;
  static constexpr bool is_short = [] {
    if constexpr (Context == 0) return false;
    else return is_invalid<results_of_net<Net, long_one>> && !is_invalid<results_of_net<Net, short_one>>;
  }();
  using type = std::conditional_t<is_short, short_one, long_one>;
};
template <class Net, class Block, int Axis, int Context>
using sequence = typename sequence_for<Net, Block, Axis, Context>::type;

/// What a net computes for a sequence, with attention by its formula: its blocks of queries are those of one sequence.
template <class Net, class Batch>
struct formulas_program : evaluation_program<Net, Batch> {
  static constexpr graph::program build() { return evaluation_program<Net, Batch>::build(false, true); }
};

/// The program of a sequence that is shorter by a block: a net with a stream computes the same for each step. Null if
/// there is none.
template <class Net, class Block, int Axis, int Context>
constexpr graph::program const* shorter_sequence() {
  using Whole = sequence<Net, Block, Axis, Context>;
  constexpr int block = sequence_of<Block, Axis, Context>::block, steps = Whole::value.at[Axis] - block;
  if constexpr (steps <= 0) {
    return nullptr;
  } else {
    using Shorter = shape_from<sequence_with<Whole, Axis, steps>>;
    if constexpr (is_invalid<results_of_net<Net, Shorter>>) return nullptr;
    else return &plan::graph_of<formulas_program<Net, Shorter>>;
  }
}

template <class Net, class Block, int Axis, int Context>
inline constexpr operation::streamed streamed_net =
    operation::stream(plan::graph_of<formulas_program<Net, sequence<Net, Block, Axis, Context>>>,
                      shorter_sequence<Net, Block, Axis, Context>(), Axis, sequence_of<Block, Axis, Context>::block,
                      Context, slots_of<Net>.buffers.count);

/// The base of all rings is behind those of the histories that slide.
inline constexpr int rings_base = 2 + operation::max_sliding;
static_assert(rings_base < plan::base::max_states);
static_assert(2 + operation::max_rings <= plan::base::max_arguments);

/// The addresses of all buffers of a stream's program: those of the net, then two for each history. Histories that
/// slide have a base each, behind the two bases of the buffers that are read and of those that are written.
struct stream_layout {
  plan::address buffers[max_slots];
  plan::address vectors[operation::max_sliding];
  std::int64_t history[operation::max_histories];  ///< where each is: among those that slide, or in both buffers
  std::int64_t elements;                           ///< of all histories, as they are saved
  std::int64_t sliding, storage;                   ///< of those that slide, and of one place of the others
  std::int64_t rings;                              ///< of keys and values of attention
};
template <class Net, class Block, int Axis, int Context>
inline constexpr stream_layout layout_of_stream = [] {
  stream_layout r{};
  tensor_slots const& own = slots_of<Net>.buffers;
  operation::stream_facts const& facts = streamed_net<Net, Block, Axis, Context>.facts;
  for (int i = 0; i < own.count; ++i) r.buffers[i] = {plan::base::buffers, own.offset[i]};
  for (int i = 0; i < facts.history_count; ++i) {
    operation::stream_history const& h = facts.history[i];
    std::int64_t& end = h.ring != 0 ? r.rings : h.slides != 0 ? r.sliding : r.storage;
    r.history[i] = end;
    if (h.slides != 0) r.vectors[h.slides - 1] = {plan::base::states + 1 + h.slides, 0};
    r.buffers[own.count + 2 * i] = {plan::base::states + (h.ring != 0 ? rings_base : 0), end};
    r.buffers[own.count + 2 * i + 1] = {plan::base::states + 1, end};
    r.elements += h.shape.size();
    end += plan::rounded(h.stored());
  }
  return r;
}();

/// Where one history is, in elements. Generated code reads these few numbers; it holds no reference to the program.
struct placed_history {
  std::int64_t first;           ///< where its memory begins
  std::int64_t stored;          ///< the elements of its memory
  std::int64_t run, block_run;  ///< contiguous elements that are kept, and those that a block adds
  int runs;
  int moves;   ///< how many blocks a place moves until it begins again
  int slides;  ///< 1 + the number of the histories that slide; 0: it has two buffers, or is a ring
  int ring;    ///< 1 + the number of its ring; 0: it is none
  bool fills_with_lowest;

  /// The elements between the runs that are kept of a history with two buffers.
  constexpr std::int64_t before() const { return slides != 0 ? 0 : block_run; }
};
template <int Count>
struct placed_histories {
  placed_history at[static_cast<std::size_t>(Count) + 1];
};
template <class Net, class Block, int Axis, int Context>
inline constexpr auto placed_histories_of = [] {
  constexpr int count = streamed_net<Net, Block, Axis, Context>.facts.history_count;
  placed_histories<count> r{};
  for (int i = 0; i < count; ++i) {
    operation::stream_history const& h = streamed_net<Net, Block, Axis, Context>.facts.history[i];
    r.at[i] = {layout_of_stream<Net, Block, Axis, Context>.history[i],
               h.stored(),
               h.rows * h.inner(),
               h.block * h.inner(),
               h.shape.at[0],
               h.slides != 0 ? h.moves() : 0,
               h.slides,
               h.ring,
               h.fills_with_lowest};
  }
  return r;
}();

/// The program of one block. It reads the parameters and buffers of the model, and updates the histories.
template <class Net, class Block, int Axis, int Context>
struct stream_program {
  using subject = Net;
  static constexpr graph::program build() { return streamed_net<Net, Block, Axis, Context>.program; }
  static constexpr plan::storage_layout layout() {
    plan::storage_layout r{slots_of<Net>.parameters.offset, nullptr};
    r.buffer_addresses = layout_of_stream<Net, Block, Axis, Context>.buffers;
    r.vector_addresses = layout_of_stream<Net, Block, Axis, Context>.vectors;
    return r;
  }
  static constexpr extents value = streamed_net<Net, Block, Axis, Context>.facts.result;
  /// The places of steps in rings are other arguments, which the stream itself passes.
  static constexpr int checked_arguments = 1;
};

/// The program of a stream's states before the first step. It reads the parameters and buffers of the model.
template <class Net, class Block, int Axis, int Context>
struct initial_program {
  using subject = Net;
  static constexpr graph::program build() {
    return operation::initial_states(plan::graph_of<formulas_program<Net, sequence<Net, Block, Axis, Context>>>,
                                     streamed_net<Net, Block, Axis, Context>.facts, slots_of<Net>.buffers.count);
  }
  static constexpr plan::storage_layout layout() { return stream_program<Net, Block, Axis, Context>::layout(); }
};
template <class Net, class Block, int Axis, int Context>
inline constexpr bool begins_with_zeros =
    operation::begins_with_zeros(plan::graph_of<formulas_program<Net, sequence<Net, Block, Axis, Context>>>,
                                 streamed_net<Net, Block, Axis, Context>.facts);

/// Where a fault is: at the op that a parameter of this name belongs to.
template <auto Name>
struct at_parameter {};
struct without_parameter {};
template <class Net, int Slot>
constexpr auto parameter_of_fault() {
  if constexpr (Slot < 0) return without_parameter{};
  else return at_parameter<name_of_tensor<tensor_of_net<Net, true, Slot>>>{};
}

/// Why a net has no stream. Op: where the fault was found. Place: the parameter that this op is combined with first.
template <operation::stream_fault Found, class Op, class Place>
struct not_streamed {
  static constexpr bool agree = Found == operation::stream_fault::none;
};
/// The same in the form that errors print.
template <class... Facts>
struct found_in_net {
  ESPALIER_READS("found in the net: {...}")
  static constexpr bool agree = false;
};
template <class Net, class Block, int Axis, int Context>
using stream_fault_of =
    not_streamed<streamed_net<Net, Block, Axis, Context>.facts.fault,
                 typename decltype(op_with_fault<streamed_net<Net, Block, Axis, Context>.facts.op>())::type,
                 decltype(parameter_of_fault<Net, streamed_net<Net, Block, Axis, Context>.facts.position>())>;

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
