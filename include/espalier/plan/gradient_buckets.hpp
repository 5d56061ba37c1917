// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "plan.hpp"

/// When the gradients of a program are complete, so that several devices exchange them while the backward pass
/// continues. Gradients are put together in buckets, because an exchange of few bytes costs as much as one of many.
namespace espalier::plan {

/// A contiguous part of the gradients' memory, in elements behind base::gradients.
struct gradient_range {
  std::int64_t offset, size;
};

/// Gradients that are exchanged together.
struct gradient_bucket {
  /// The group after which the program neither writes nor reads them. group_count + 1: they are complete after the
  /// copies that follow the last group.
  int after;
  int first_range, ranges;  ///< in gradient_buckets::ranges
  std::int64_t elements;    ///< without the gaps between tensors
};

/// The buckets of a program, in the order in which the program completes them.
struct gradient_buckets {
  gradient_bucket buckets[graph::max_outputs];
  gradient_range ranges[graph::max_outputs];
  int bucket_count, range_count;

  /// The first bucket that is complete only after group x, or later.
  constexpr int first_after(int x) const {
    int i = 0;
    while (i < bucket_count && buckets[i].after < x) ++i;
    return i;
  }
};

/// Finds when each gradient of a program is complete.
class gradient_completion {
 public:
  constexpr gradient_completion(graph::program const& p, planned const& plan, storage_layout const& layout)
      : end_{plan.groups.group_count + 1} {
    for (int i = 0; i < p.output_count; ++i) {
      graph::output const& o = p.outputs[i];
      if (o.where != graph::destination::gradient) continue;
      address const at = layout.gradient(o.index);
      if (at.base == base::gradients) add(at.offset, p.nodes[o.id].shape.size());
    }
    for (int id = 1; id <= p.nodes.size; ++id) {
      address const at = plan.memory.address_of[id];
      int const x = plan.groups.group_of[id], last = plan.memory.last_use[id];
      if (at.base == base::gradients && x != 0) use(at.offset, plan.groups.size_of[id], x > last ? x : last);
    }
    for (int i = 0; i < plan.memory.copy_count; ++i) {
      final_copy const& copy = plan.memory.copies[i];
      for (address const at : {copy.from, copy.to})
        if (at.base == base::gradients) use(at.offset, copy.size, end_);
    }
    // What no group of the program itself is known to write is complete only at its end.
    for (int i = 0; i < count_; ++i)
      if (at_[i].after == 0) at_[i].after = end_;
  }

  /// The group after which no gradient in a range is written or read.
  constexpr int after(gradient_range const& range) const {
    int last = 0;
    for (int i = 0; i < count_; ++i)
      if (at_[i].offset < range.offset + range.size && range.offset < at_[i].offset + at_[i].size &&
          at_[i].after > last)
        last = at_[i].after;
    return last;
  }

  /// Buckets of at least `least` elements; the last one may have fewer. A larger gradient is a bucket of its own, and
  /// is not divided.
  constexpr gradient_buckets buckets_of(std::int64_t least) {
    sort_by_completion();
    gradient_buckets r{};
    bool open = false;
    for (int i = 0; i < count_; ++i) {
      if (!open) r.buckets[r.bucket_count++] = {0, r.range_count, 0, 0};
      gradient_bucket& b = r.buckets[r.bucket_count - 1];
      b.after = at_[i].after;
      b.elements += at_[i].size;
      append(r, b, {at_[i].offset, at_[i].size});
      open = b.elements < least;
    }
    return r;
  }

 private:
  struct gradient {
    std::int64_t offset, size;
    int after;
  };
  /// Offsets usually ascend, so that there is nothing to move.
  constexpr void add(std::int64_t offset, std::int64_t size) {
    int i = count_++;
    for (; i > 0 && at_[i - 1].offset > offset; --i) at_[i] = at_[i - 1];
    at_[i] = {offset, size, 0};
  }
  /// The program uses these elements until the end of group x.
  constexpr void use(std::int64_t offset, std::int64_t size, int x) {
    int low = 0, high = count_;
    while (low < high) {
      int const middle = (low + high) / 2;
      if (at_[middle].offset + at_[middle].size <= offset) low = middle + 1;
      else high = middle;
    }
    for (; low < count_ && at_[low].offset < offset + size; ++low)
      if (at_[low].after < x) at_[low].after = x;
  }
  /// By completion; among equals, the last in memory first. Backward passes complete the gradients of the last layers
  /// first, so in that order neighbours in the list are neighbours in memory, and there is little to sort.
  constexpr void sort_by_completion() {
    for (int i = 0; i < count_ / 2; ++i) {
      gradient const swapped = at_[i];
      at_[i] = at_[count_ - 1 - i];
      at_[count_ - 1 - i] = swapped;
    }
    for (int i = 1; i < count_; ++i) {
      gradient const moved = at_[i];
      int k = i;
      for (; k > 0 && at_[k - 1].after > moved.after; --k) at_[k] = at_[k - 1];
      at_[k] = moved;
    }
  }
  /// Adds a range to a bucket. Neighbours become one range, with the gap between them, which aligns tensors.
  static constexpr void append(gradient_buckets& r, gradient_bucket& b, gradient_range added) {
    for (int i = b.first_range; i < b.first_range + b.ranges; ++i) {
      gradient_range& near = r.ranges[i];
      if (rounded(added.offset + added.size) == near.offset) {
        near = {added.offset, near.offset + near.size - added.offset};
        return;
      }
      if (rounded(near.offset + near.size) == added.offset) {
        near.size = added.offset + added.size - near.offset;
        return;
      }
    }
    r.ranges[r.range_count++] = added;
    ++b.ranges;
  }

  int end_, count_ = 0;
  gradient at_[graph::max_outputs]{};
};

/// The buckets of a program whose gradients are behind base::gradients, of at least `least` elements each.
constexpr gradient_buckets find_gradient_buckets(graph::program const& p, planned const& plan,
                                                 storage_layout const& layout, std::int64_t least) {
  gradient_completion found{p, plan, layout};
  return found.buckets_of(least);
}
template <class Program, std::int64_t Least>
inline constexpr gradient_buckets gradient_buckets_of = find_gradient_buckets(graph_of<Program>, plan_of<Program>,
                                                                              Program::layout(), Least);

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
