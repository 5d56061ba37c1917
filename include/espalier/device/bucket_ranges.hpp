// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/gradient_buckets.hpp"

namespace espalier::on_device {

/// The ranges of the buckets of a program's gradients: a copy that is no larger than needed, so that generated code
/// does not refer to the table of the planner.
template <class Program, std::int64_t Least>
struct bucket_ranges {
  static constexpr auto const& buckets = plan::gradient_buckets_of<Program, Least>;
  struct table {
    plan::gradient_range at[static_cast<std::size_t>(buckets.range_count) + 1];
  };
  static constexpr table ranges = [] {
    table r{};
    for (int i = 0; i < buckets.range_count; ++i) r.at[i] = buckets.ranges[i];
    return r;
  }();
  /// The first range of a bucket; for the number behind the last bucket, that behind the last range.
  static constexpr int first_of(int bucket) {
    return bucket < buckets.bucket_count ? buckets.buckets[bucket].first_range : buckets.range_count;
  }
};

/// When the ranges of the buckets of First are complete in Program, a training program of the same parameters for
/// another batch size, such that both exchange the same ranges in the same order.
template <class First, class Program, std::int64_t Least>
struct range_completion {
  using ranges = bucket_ranges<First, Least>;
  static constexpr int count = ranges::buckets.range_count;
  struct table {
    int after[static_cast<std::size_t>(count) + 1];  ///< never less than that of the range before
  };
  static constexpr table at = [] {
    plan::gradient_completion const found{plan::graph_of<Program>, plan::plan_of<Program>, Program::layout()};
    table r{};
    for (int i = 0, last = 0; i < count; ++i) {
      int const own = found.after(ranges::ranges.at[i]);
      r.after[i] = last = own > last ? own : last;
    }
    return r;
  }();
  /// The number of ranges that are complete after group x.
  static constexpr int complete_after(int x) {
    int i = 0;
    while (i < count && at.after[i] <= x) ++i;
    return i;
  }
};

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
