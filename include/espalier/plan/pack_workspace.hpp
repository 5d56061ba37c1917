// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "grouping.hpp"

/// Packs values into one small workspace. Each value has a size and a lifetime, from the group that computes it to the
/// last group that reads it.
namespace espalier::plan {

/// First-fit allocator. Its gaps are in address order and merged when memory is released.
class arena {
 public:
  constexpr std::int64_t allocate(std::int64_t size) {
    for (int i = 0; i < count_; ++i) {
      if (length_[i] < size) continue;
      std::int64_t const at = start_[i];
      start_[i] += size;
      length_[i] -= size;
      if (length_[i] == 0) remove(i);
      return at;
    }
    std::int64_t const at = end_;
    end_ += size;
    return at;
  }
  constexpr void release(std::int64_t at, std::int64_t size) {
    int i = count_;
    while (i > 0 && start_[i - 1] > at) --i;
    bool const joins_left = i > 0 && start_[i - 1] + length_[i - 1] == at;
    bool const joins_right = i < count_ && at + size == start_[i];
    if (joins_left && joins_right) {
      length_[i - 1] += size + length_[i];
      remove(i);
    } else if (joins_left) {
      length_[i - 1] += size;
    } else if (joins_right) {
      start_[i] = at;
      length_[i] += size;
    } else {
      for (int k = count_; k > i; --k) {
        start_[k] = start_[k - 1];
        length_[k] = length_[k - 1];
      }
      start_[i] = at;
      length_[i] = size;
      ++count_;
    }
  }
  constexpr std::int64_t end() const { return end_; }

 private:
  constexpr void remove(int i) {
    --count_;
    for (int k = i; k < count_; ++k) {
      start_[k] = start_[k + 1];
      length_[k] = length_[k + 1];
    }
  }
  std::int64_t start_[1024]{};
  std::int64_t length_[1024]{};
  int count_ = 0;
  std::int64_t end_ = 0;
};

/// Up to `most_sorted` values are allocated largest first, each at the lowest offset that is free during its lifetime.
/// The result is usually a little above the lower bound. The time is quadratic. More values are allocated in the order
/// of their lifetimes, by first fit.
class packer {
 public:
  constexpr int add(std::int64_t size, int first, int last) {
    allocation& p = at_[count_];
    p.size = size;
    p.first = first;
    p.last = last;
    return count_++;
  }
  constexpr void extend(int number, int last) {
    if (at_[number].last < last) at_[number].last = last;
  }
  constexpr void assign_offsets(int groups) {
    for (int i = 0; i < count_; ++i) {
      allocation& p = at_[i];
      p.next_born = born_[p.first];
      born_[p.first] = i + 1;
      p.next_dead = dead_[p.last];
      dead_[p.last] = i + 1;
    }
    measure(groups);
    if (count_ <= most_sorted) assign_by_size();
    else assign_first_fit(groups);
  }
  constexpr std::int64_t offset(int number) const { return at_[number].offset; }
  constexpr std::int64_t end() const { return end_; }
  /// The maximum of elements that are live at once.
  constexpr std::int64_t peak() const { return peak_; }

 private:
  static constexpr int most_sorted = 256, max_allocations = graph::capacity / 4;
  struct allocation {
    std::int64_t size, offset;
    int first, last;
    int next_born, next_dead;
  };

  constexpr void measure(int groups) {
    std::int64_t live = 0;
    for (int x = 1; x <= groups + 1; ++x) {
      for (int i = born_[x]; i != 0; i = at_[i - 1].next_born) live += at_[i - 1].size;
      if (live > peak_) peak_ = live;
      for (int i = dead_[x]; i != 0; i = at_[i - 1].next_dead) live -= at_[i - 1].size;
    }
  }

  constexpr void assign_by_size() {
    int by_size[most_sorted]{}, by_offset[most_sorted]{};
    for (int i = 0; i < count_; ++i) {
      int k = i;
      for (; k > 0 && at_[by_size[k - 1]].size < at_[i].size; --k) by_size[k] = by_size[k - 1];
      by_size[k] = i;
    }
    for (int n = 0; n < count_; ++n) {
      allocation& p = at_[by_size[n]];
      std::int64_t start = 0;
      for (int k = 0; k < n; ++k) {
        allocation const& other = at_[by_offset[k]];
        if (other.last < p.first || p.last < other.first) continue;
        if (other.offset - start >= p.size) break;
        if (other.offset + other.size > start) start = other.offset + other.size;
      }
      p.offset = start;
      if (start + p.size > end_) end_ = start + p.size;
      int k = n;
      for (; k > 0 && at_[by_offset[k - 1]].offset > start; --k) by_offset[k] = by_offset[k - 1];
      by_offset[k] = by_size[n];
    }
  }

  constexpr void assign_first_fit(int groups) {
    arena a;
    for (int x = 1; x <= groups; ++x) {
      for (int i = born_[x]; i != 0; i = at_[i - 1].next_born) at_[i - 1].offset = a.allocate(at_[i - 1].size);
      for (int i = dead_[x]; i != 0; i = at_[i - 1].next_dead) a.release(at_[i - 1].offset, at_[i - 1].size);
    }
    end_ = a.end();
  }

  allocation at_[max_allocations]{};
  int born_[max_groups + 2]{};  ///< by group: 1 + the first allocation that begins there
  int dead_[max_groups + 2]{};
  int count_ = 0;
  std::int64_t end_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
