// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/distributed/gradient_exchange.hpp"
#include "../device/parts.hpp"
#include "../optim/sharded.hpp"
#include "row_gradients.hpp"
#include "update_rule.hpp"

namespace espalier::detail {

/// Whether a sharded optimizer can be divided: each parameter's update needs no other one, nor the marks of others.
/// False for other optimizers, whose update is not traced for this.
template <class O>
constexpr bool divides_states() {
  if constexpr (!optim::is_sharded<O>) {
    return false;
  } else {
    constexpr bool has_penalty = requires { O::penalty(traced<shape<1>>{}); };
    if constexpr (has_penalty && !std::is_void_v<typename optim::detail::selection<O>::type>) return false;
    else return updates_each_alone<O>();
  }
}
/// Whether processes can divide states: each has the memory of a processor.
template <class Engine, class T>
inline constexpr bool has_parts_of_states = [] {
  if constexpr (espalier::on_device::averages_with_others<Engine, T>)
    return !Engine::has_device_memory && !is_narrow<T>;
  else return false;
}();
/// Whether a trainer has sharded states; false also where that is an error.
template <class Optimizer, class T, class Engine>
constexpr bool has_sharded_states() {
  if constexpr (optim::is_sharded<Optimizer> && has_parts_of_states<Engine, T> &&
                optim::sharding_works<Optimizer, true>::agree)
    return divides_states<Optimizer>();
  else return false;
}

/// A constraint that errors name: each process has the whole gradients.
template <class Optimizer>
struct whole_gradients {
  ESPALIER_READS("{}")
  static constexpr bool agree = !optim::is_sharded<Optimizer>;
};

/// Calls write() on process 0 and rest() on the others, which exchange the same. If write() throws, process 0 calls
/// rest(), so that the others do not wait for it.
/// errors  that of write() on process 0, and a distributed_error on the others
template <class T, class Write, class Rest>
void write_on_process_0(processes& all, espalier::on_device::gradient_exchange<T>& exchange, Write const& write,
                        Rest const& rest) {
  auto const end = [&](bool failed) {
    rest();
    return !exchange.any(failed);
  };
  if (all.rank() == 0) {
    struct guard {
      decltype(end) const& end_with;
      bool written = false;
      ~guard() {
        if (written) return;
#if defined(__cpp_exceptions)
        try {
          end_with(true);
        } catch (distributed_error const&) {
          // The error of the file is on its way, and says more.
        }
#else
        end_with(true);
#endif
      }
    } unwritten{end};
    write();
    unwritten.written = true;
    end(false);
  } else if (!end(false)) {
    error_text text;
    raise(distributed_error{text << "process " << all.rank() << " of " << all.size()
                                 << ": process 0 could not write the file, and its own error says why"});
  }
}

/// A trainer without sharded states.
struct whole_states {
  static constexpr std::size_t workspace = 0;
};

/// The states of a sharded optimizer that this process has: those of its parts of the ranges in which gradients are
/// exchanged. A part is blocks of fixed sizes, so that programs of these sizes update any part. A block has its states
/// one behind the other.
/// Ranges  bucket_ranges of the trainer's first program
/// memory  allocated when the processes meet: bytes(processes, rank)
template <class Rule, class Optimizer, class T, class Engine, class Net, class Ranges, int Size>
class sharded_states final : public espalier::on_device::part_update<T> {
  static constexpr int vectors = optim::vectors<Optimizer>, ranges = Ranges::buckets.range_count;
  /// The elements of a line, and of larger blocks: the middle one for short parts, the largest for the threads of an
  /// engine.
  static constexpr std::int64_t line = processes::line / sizeof(T), middle = 1024, large = 65536;
  /// Calls f<size>() for the sizes of blocks, the largest first.
  template <class F>
  static constexpr void each_block_size(F const& f) {
    if constexpr (longest >= large) f.template operator()<static_cast<int>(large)>();
    if constexpr (longest >= middle) f.template operator()<static_cast<int>(middle)>();
    f.template operator()<static_cast<int>(line)>();
  }
  static constexpr std::int64_t range_lines(int i) {
    return espalier::on_device::lines_of(Ranges::ranges.at[i].size * static_cast<std::int64_t>(sizeof(T)));
  }
  static constexpr std::int64_t longest = [] {
    std::int64_t most = 0;
    for (int i = 0; i < ranges; ++i) most = range_lines(i) * line > most ? range_lines(i) * line : most;
    return most;
  }();
  // Every parameter is in one of the ranges, or its process would not be known.
  static_assert([] {
    std::int64_t covered = 0;
    for (int i = 0; i < ranges; ++i) covered += plan::rounded(Ranges::ranges.at[i].size);
    return covered == Size;
  }());

 public:
  /// The bytes that the update of a block needs.
  static constexpr std::size_t workspace = [] {
    std::size_t most = 0;
    each_block_size([&]<int Count>() {
      constexpr std::size_t own = Engine::template run_bytes<typename Rule::template block_program<Count>, T>;
      most = own > most ? own : most;
    });
    return most;
  }();
  /// The bytes of the process of this rank: those of its parts.
  static constexpr std::size_t bytes(int processes, int rank) {
    std::int64_t elements = 0;
    for (int i = 0; i < ranges; ++i)
      elements += espalier::on_device::part_of_lines(range_lines(i), rank, processes).count * line;
    return static_cast<std::size_t>(elements * vectors) * sizeof(T);
  }

  /// Allocates the states, which are 0, and marks the parameters that optim::decay_only selects.
  void meet(Engine const& engine) {
    processes_ = engine.all().size();
    rank_ = engine.all().rank();
    memory_ = espalier::on_device::detail::sized_array<cache_line>(
        static_cast<std::int64_t>(bytes(processes_, rank_) / processes::line));
    using Which = typename optim::detail::selection<Optimizer>::type;
    if constexpr (!std::is_void_v<Which>) mark<Which>();
  }
  /// The next step updates with the hyperparameters of these places, in `workspace` bytes at `scratch`. The trainer's
  /// own scratch memory is that of the backward pass, which continues meanwhile.
  void begin(Engine const& engine, typename Rule::places const& places) {
    engine_ = &engine;
    places_ = places;
  }
  void update(int range, T* parameters, T const* gradient) override {
    T* state = part(range);
    std::int64_t const count = part_of(range).count * line;
    for_each_block(count, [&]<int Count>(std::int64_t first) {
      auto p = places_;
      p.parameters = parameters + first;
      p.gradient = gradient + first;
      p.state = state + first * vectors;
      Rule::template launch_block<Count>(*engine_, p);
    });
  }

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bytes(processes_, rank_) / sizeof(T)); }

  /// Elements of the states as one process would store them, collected on process 0; all processes call it. They are
  /// there until the next call.
  /// first  of an element that a tensor begins with
  /// size   at most that of the tensor
  T const* collect(espalier::on_device::gradient_exchange<T>& exchange, std::int64_t first, std::int64_t size) const {
    int const vector = static_cast<int>(first / Size), range = range_with(first % Size);
    std::int64_t const begin = (first % Size - Ranges::ranges.at[range].offset) / line;
    return exchange.collect(range, begin, (size + line - 1) / line, [&](std::int64_t at, std::int64_t count, T* to) {
      for_each_element(range, vector, at * line, count * line,
                       [&](T& own, std::int64_t i) { to[i - at * line] = own; });
    });
  }
  /// Takes the own part of such elements.
  void store(std::int64_t first, std::int64_t size, T const* from) {
    int const vector = static_cast<int>(first / Size), range = range_with(first % Size);
    std::int64_t const begin = first % Size - Ranges::ranges.at[range].offset;
    auto const own = part_of(range);
    std::int64_t const low = own.first * line > begin ? own.first * line : begin,
                       end = (own.first + own.count) * line < begin + size ? (own.first + own.count) * line
                                                                           : begin + size;
    if (low < end)
      for_each_element(range, vector, low, end - low, [&](T& element, std::int64_t i) { element = from[i - begin]; });
  }

 private:
  struct alignas(processes::line) cache_line {
    unsigned char at[processes::line];
  };

  espalier::on_device::line_part part_of(int range) const {
    return espalier::on_device::part_of_lines(range_lines(range), rank_, processes_);
  }
  /// The states of a part.
  T* part(int range) const {
    std::int64_t before = 0;
    for (int i = 0; i < range; ++i) before += part_of(i).count;
    return data() + before * line * vectors;
  }
  static int range_with(std::int64_t element) {
    int i = 0;
    while (
        !(Ranges::ranges.at[i].offset <= element && element < Ranges::ranges.at[i].offset + Ranges::ranges.at[i].size))
      ++i;
    return i;
  }
  /// Calls f<size>(first) for each block of a part of so many elements.
  template <class F>
  static void for_each_block(std::int64_t count, F const& f) {
    std::int64_t at = 0;
    each_block_size([&]<int Count>() {
      for (; at + Count <= count; at += Count) f.template operator()<Count>(at);
    });
  }
  /// Calls f(state, i) for the elements i of a range that are in the part of this process, in one of the state vectors.
  template <class F>
  void for_each_element(int range, int vector, std::int64_t first, std::int64_t count, F const& f) const {
    auto const own = part_of(range);
    std::int64_t const before = own.first * line;
    T* const states = part(range);
    for_each_block(own.count * line, [&]<int Count>(std::int64_t at) {
      std::int64_t const begin = before + at > first ? before + at : first,
                         end = before + at + Count < first + count ? before + at + Count : first + count;
      for (std::int64_t i = begin; i < end; ++i) f(states[at * vectors + vector * Count + (i - before - at)], i);
    });
  }
  template <class Which>
  void mark() {
    for (int k = 0; k < tensor_count<Net, true>; ++k) {
      tensor_row const& row = rows_of<Net, true>.at[k];
      if (!row.trainable || !chosen_of<Net, Which>.at[k]) continue;
      int const range = range_with(row.offset);
      std::int64_t const begin = row.offset - Ranges::ranges.at[range].offset;
      auto const own = part_of(range);
      std::int64_t const low = own.first * line > begin ? own.first * line : begin, last = begin + row.shape.size(),
                         end = (own.first + own.count) * line < last ? (own.first + own.count) * line : last;
      if (low < end)
        for_each_element(range, Optimizer::states, low, end - low, [](T& mark, std::int64_t) { mark = T(1); });
    }
  }

  espalier::on_device::detail::sized_array<cache_line> memory_;
  int processes_ = 1, rank_ = 0;
  Engine const* engine_ = nullptr;
  typename Rule::places places_{};
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
