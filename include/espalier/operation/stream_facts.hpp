// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "step_offsets.hpp"

/// What the program over one block of a sequence needs: where time is in its values, and which of them it keeps.
namespace espalier::operation {

/// Why a program over a sequence has no program over blocks.
enum class stream_fault : std::uint8_t {
  none,
  reads_the_future,   ///< a result depends on steps that come later
  reduces_time,       ///< a sum, maximum, ... over all steps
  multiplies_time,    ///< a matrix product sums over all steps
  reverses_time,      ///< a flip
  dilates_time,       ///< more elements than steps
  takes_fixed_steps,  ///< a slice at positions that do not move with the sequence
  splits_time,        ///< a reshape or concatenation that divides the axis of time
  mixes_rates,        ///< operands that have different numbers of elements for a block
  stride_of_block,    ///< the length of a block is no multiple of a stride
  varies_by_step,     ///< a parameter or constant that has an element for each step
  pads_late,          ///< zeros in front of a value that begins before the sequence
  loops_late,         ///< a loop over a value that begins before the sequence
  loops_elsewhere,    ///< a loop over another axis than that of time
  loops_over_all,     ///< a step of a loop reads the whole sequence
  initial_state,      ///< the initial state of a loop depends on the input
  depends_on_length,  ///< a number or a state is another one for sequences of another length
  attends_later,      ///< a mask of attention lets a query look at keys that come later
  attends_all,        ///< a sum or maximum over keys of which no mask hides those that come later
  needs_context,      ///< attention looks at all earlier keys, and no context says how many are kept
  early_keys,         ///< queries, keys and values of attention are known at different times
  many_windows,       ///< attention looks at more different numbers of steps than there are rings
  no_rule,            ///< an op family without a rule
  constant_result     ///< the result does not depend on the steps
};

/// The axis of time of a value of the whole sequence, and which of its elements a block has. Element t of the value is
/// at index (o extent + t) inner + i of the axis, if the axis was merged with others by a reshape.
struct time_axis_of {
  bool exists;
  int axis, inner;
  int extent;          ///< the steps of the value for the whole sequence
  int block;           ///< its steps for a block: call number n computes the elements from n block + first on
  int first;           ///< not 0: the value is known `first` elements early, or -first elements late
  bool lowest_before;  ///< if first > 0, the elements before are fill values: the lowest number, or 0
  int future;          ///< how many of the last elements depend on what a movement fills in behind the sequence
  int stride;          ///< steps of the input for a step of the value
  int low, high;       ///< element t depends on the steps stride t + low to stride t + high of the input
  int late;            ///< the node that fills in behind the sequence, or 0
};

/// What is known of the elements of pairs. fixed: all are `value`. hides: those whose key is not from low to high steps
/// behind the query (offsets, key - query) are `value`.
struct known_outside {
  enum kind : std::uint8_t { nothing, fixed, hides } what = nothing;
  double value = 0;
  int low = -step_offsets::unbounded, high = step_offsets::unbounded;

  constexpr bool is(double x) const { return what == hides && value == x; }
};

/// The second axis of a value that has an element for each pair of a step and a key, as attention's scores. In the
/// program of a block, the keys are those of the block behind `past` earlier ones.
struct keys_axis_of {
  bool exists;
  int axis, past;
  int origin;            ///< the product that the pairs began with
  int step_low;          ///< as the time of the keys: what a key depends on
  known_outside hidden;  ///< what elements of keys are that a query does not look at
};
/// How many earlier keys the pairs of a product need. A run finds it at the masks.
struct stream_window {
  int origin, past;
};
inline constexpr int max_windows = 256;
/// The rings of keys and values of `past` earlier steps and a block. Each call overwrites the oldest block. Where it
/// does is an argument of the program: the places of the steps of the block, from argument 1 on.
struct stream_ring {
  int past, block;
  constexpr int places() const { return past + block; }
};
/// A program has 24 arguments (plan/address.hpp): the block is one, and the numbers of its steps are another.
inline constexpr int max_rings = 22;

/// Earlier elements of a value, which are kept from call to call.
struct stream_history {
  int id;  ///< the value in the program of the whole sequence
  bool fills_with_lowest;
  int rows, block;
  extents shape;  ///< the value's memory as (outer, rows, inner)
  /// Where the value's rows are contiguous, they are written behind the rows of earlier blocks, and the place of them
  /// all moves on by a block after each call: slides is 1 + the number of the vector of both. 0: there are two buffers,
  /// which change places after each call. The program reads the last rows of one, and writes them and the rows of the
  /// block to the other.
  int slides;
  /// The state of a loop, which the program reads from one buffer and writes to the other; it has no rows of a block.
  bool is_state;
  /// Not 0: a number, how many elements of values of this stride there were before the block. `saturates`: it counts no
  /// further than the pairs need.
  int counts = 0;
  bool saturates = false;
  /// Not 0: keys or values of attention, in the places of ring number `ring - 1`, from which the program reads and to
  /// which it writes. The order of keys does not matter to a sum over them.
  int ring = 0;
  int first = 0;            ///< of a ring: the first element of the value that it keeps
  bool transposed = false;  ///< of a ring: with the last two axes of the value exchanged
  bool is_delayed = false;  ///< it keeps elements of the delayed value: there may be a history of the other one, too
  int steps = 0;            ///< of a loop whose state it is: in a block, once a run has found them

  constexpr std::int64_t inner() const { return shape.at[2]; }
  /// The elements of a place: past and block.
  constexpr std::int64_t window() const { return shape.size() / rows * (rows + block); }
  /// How many blocks a place moves until it begins again: that of the past, but at least 8.
  constexpr int moves() const { return rows / block > 8 ? rows / block : 8; }
  /// The elements of its memory, or of one of two buffers.
  constexpr std::int64_t stored() const { return window() + (slides != 0 ? moves() * block * inner() : 0); }
};
/// Steps that a loop reaches back: all of them.
inline constexpr int unbounded_reach = 1 << 28;
/// The receptive field of a net with a loop over the steps: all steps so far.
inline constexpr int whole_past = 0x7fffffff;
/// The number of histories that slide: each has a base of its own, and two are for the others.
inline constexpr int max_sliding = 20;
inline constexpr int max_histories = 1024;

/// What a program over blocks needs, and what it computes.
struct stream_facts {
  stream_fault fault;
  graph::descriptor const* op;  ///< the op of the fault
  int position;                 ///< the parameter that the op of the fault reads first, or -1
  stream_history history[max_histories];
  int history_count;
  stream_window windows[max_windows];
  int window_count;
  bool windows_changed;  ///< in the last run: it was emitted with shorter windows than it found
  int most_counted;      ///< where counts saturate
  int table_rows;        ///< of the shortest table that has a row for each step; 0: there is none
  stream_ring rings[max_rings];
  int ring_count;
  bool lacks_ring;  ///< the last run found more windows than there are rings
  extents result;
  int latency, receptive_field, stride;
};

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
