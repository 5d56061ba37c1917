// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "stream_program.hpp"

/// Proves that the histories of a stream keep their values from call to call. The proof of a plan (plan/check_plan.hpp)
/// shows that one call reads and writes at the addresses of the layout. What remains is that each history has memory of
/// its own there, at each place that it moves to, and that a call reads what the one before it left.
namespace espalier::detail {

enum class stream_error : std::uint8_t {
  none,
  outside,        ///< a history ends behind the memory of its kind
  overlap,        ///< two histories have memory in common
  other_place,    ///< the program has another address for a history than the stream
  lost_rows,      ///< a place is too small for the rows that are kept and those of a block
  other_ring,     ///< the places of a ring are not those of its steps
  other_elements  ///< a saved state has another number of elements than all histories
};

class stream_checker {
 public:
  constexpr stream_checker(placed_history const* at, operation::stream_facts const& facts, stream_layout const& l,
                           int own_buffers)
      : at_{at}, facts_{facts}, l_{l}, own_{own_buffers} {}

  constexpr stream_error find() const {
    std::int64_t elements = 0;
    for (int i = 0; i < facts_.history_count; ++i) {
      if (stream_error const e = find(i); e != stream_error::none) return e;
      for (int k = 0; k < i; ++k) {
        placed_history const &h = at_[i], &other = at_[k];
        if (memory_of(h) != memory_of(other)) continue;
        if (h.first < other.first + other.stored && other.first < h.first + h.stored) return stream_error::overlap;
        if (h.slides != 0 && h.slides == other.slides) return stream_error::other_place;
      }
      elements += at_[i].runs * at_[i].run;
    }
    return elements == l_.elements ? stream_error::none : stream_error::other_elements;
  }

 private:
  enum class memory : std::uint8_t { sliding, buffers, rings };
  static constexpr memory memory_of(placed_history const& h) {
    return h.ring != 0 ? memory::rings : h.slides != 0 ? memory::sliding : memory::buffers;
  }
  static constexpr bool is_at(plan::address a, int base, std::int64_t offset) {
    return a.base == base && a.offset == offset;
  }
  constexpr stream_error find(int i) const {
    placed_history const& h = at_[i];
    memory const in = memory_of(h);
    std::int64_t const size = in == memory::rings ? l_.rings : in == memory::sliding ? l_.sliding : l_.storage;
    if (h.first < 0 || h.stored <= 0 || h.first + h.stored > size) return stream_error::outside;
    plan::address const read = l_.buffers[own_ + 2 * i], written = l_.buffers[own_ + 2 * i + 1];
    switch (in) {
      case memory::sliding:
        // A call reads [place, place + run) and writes the block behind it. The next place is a block further, so the
        // rows that are kept are the last ones. From the last place they are copied to the first.
        if (h.slides > operation::max_sliding || !is_at(l_.vectors[h.slides - 1], plan::base::states + 1 + h.slides, 0))
          return stream_error::other_place;
        return h.runs == 1 && h.moves > 0 && h.moves * h.block_run + h.run + h.block_run <= h.stored
                   ? stream_error::none
                   : stream_error::lost_rows;
      case memory::buffers:
        // A call writes what is kept and the block to one of two memories, which is read by the next call.
        if (!is_at(read, plan::base::states, h.first) || !is_at(written, plan::base::states + 1, h.first))
          return stream_error::other_place;
        return h.runs * (h.run + h.block_run) <= h.stored ? stream_error::none : stream_error::lost_rows;
      case memory::rings:
        break;
    }
    if (!is_at(read, plan::base::states + rings_base, h.first)) return stream_error::other_place;
    if (h.ring > facts_.ring_count) return stream_error::other_ring;
    // A call overwrites the places of the oldest block: as many places as the ring has steps, each of the same size.
    operation::stream_ring const& r = facts_.rings[h.ring - 1];
    if (r.block <= 0 || h.block_run % r.block != 0 || h.run != h.block_run / r.block * r.past)
      return stream_error::other_ring;
    return h.runs * (h.run + h.block_run) <= h.stored ? stream_error::none : stream_error::lost_rows;
  }

  placed_history const* at_;
  operation::stream_facts const& facts_;
  stream_layout const& l_;
  int own_;
};

/// Reports a wrong layout: a fault of this library, found when a program is compiled with ESPALIER_CHECK_PLANS.
template <class Net, class Block, int Axis, int Context>
constexpr bool prove_stream() {
  constexpr stream_error found =
      stream_checker{placed_histories_of<Net, Block, Axis, Context>.at, streamed_net<Net, Block, Axis, Context>.facts,
                     layout_of_stream<Net, Block, Axis, Context>, slots_of<Net>.buffers.count}
          .find();
  static_assert(
      found == stream_error::none,
      "ESPALIER_CHECK_PLANS: the memory of this stream is wrong: a call does not find what the call before it "
      "left; this is a fault of espalier, please report the program");
  return true;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
