// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/index_map.hpp"
#include "../product/contract.hpp"

/// Which pixels windows read along one axis of an image. Windows of a dilated image meet a pixel only with some of
/// their taps. Results that use the same taps are at a distance, the period: they form a product of their own, without
/// multiplications by 0. Neighbouring results can also be computed together, as lanes of one row, which fills registers
/// if there are few channels. Lanes that do not read a pixel multiply it by 0, so a pixel that is NaN or infinite makes
/// its neighbours NaN.
namespace espalier::on_cpu::detail {

/// The windows of one axis: tap r of window i reads pixel (start + i * step + r * tap) / divisor, if that is an
/// integer.
struct window_axis {
  int extent, kernel, step, tap, start, divisor;
};

/// The smallest distance of windows that meet pixels with the same taps.
constexpr int smallest_period(window_axis const& a) { return a.divisor / greatest_common_divisor(a.divisor, a.step); }
/// The tap with which window i reads pixel `source`, or -1.
constexpr int tap_on(window_axis const& a, int i, int source) {
  int const distance = source * a.divisor - a.start - i * a.step;
  if (a.kernel == 1) return distance == 0 ? 0 : -1;
  int const r = distance / a.tap;
  return distance % a.tap == 0 && r >= 0 && r < a.kernel ? r : -1;
}
constexpr int floor_of_quotient(int a, int b) { return a / b - (a % b < 0); }
constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int larger(int a, int b) { return a < b ? b : a; }

/// Calls f(source) for each pixel that windows [first, first + together) read, in ascending order.
template <class F>
constexpr void for_each_source(window_axis const& a, int first, int together, F&& f) {
  int const near = a.start + first * a.step, steps = (together - 1) * a.step, taps = (a.kernel - 1) * a.tap;
  if (together == 1) {  // without a step of evaluation for each pixel between taps that are far apart
    for (int r = 0; r < a.kernel; ++r) {
      int const at = near + (a.tap < 0 ? a.kernel - 1 - r : r) * a.tap;
      if (at % a.divisor == 0) f(at / a.divisor);
    }
    return;
  }
  int const low = near + smaller(0, steps) + smaller(0, taps), high = near + larger(0, steps) + larger(0, taps);
  for (int q = floor_of_quotient(low, a.divisor); q * a.divisor <= high; ++q)
    for (int i = 0; i < together; ++i)
      if (tap_on(a, first + i, q) >= 0) {
        f(q);
        break;
      }
}
constexpr int count_sources(window_axis const& a, int first, int together) {
  int count = 0;
  for_each_source(a, first, together, [&](int) { ++count; });
  return count;
}

/// The windows of an axis in groups: group g has windows g * Together ... of each period. Windows at the distance of a
/// period read pixels at the distance `advance`, with the same taps.
template <window_axis A, int Period, int Together>
struct axis_taps {
  static constexpr window_axis axis = A;
  static constexpr int period = Period, together = Together, groups = Period / Together;
  static constexpr int advance = static_cast<int>(std::int64_t{Period} * A.step / A.divisor);
  /// The number of windows of a group that begins at window `first`; a last one may be incomplete.
  static constexpr int count(int first) { return first >= A.extent ? 0 : (A.extent - first + Period - 1) / Period; }
  static constexpr int most = count(0);
  static constexpr bool complete = Together == 1 || A.extent % Period == 0;

  struct table {
    int count[static_cast<unsigned>(groups)],
        source[static_cast<unsigned>(groups)][static_cast<unsigned>(Together * A.kernel)];
    int most;               ///< the largest of the counts
    int tap_low, tap_high;  ///< the pixels that the first windows of groups read
    int low, high;          ///< the pixels that all windows read, also outside the image
  };
  static constexpr table taps = [] {
    table t{};
    bool any = false;
    for (int g = 0; g < groups; ++g) {
      if (count(g * Together) == 0) continue;
      for_each_source(A, g * Together, Together, [&](int q) { t.source[g][t.count[g]++] = q; });
      if (t.count[g] == 0) continue;
      int const low = t.source[g][0], high = t.source[g][t.count[g] - 1];
      t.tap_low = any ? smaller(t.tap_low, low) : low;
      t.tap_high = any ? larger(t.tap_high, high) : high;
      t.most = larger(t.most, t.count[g]);
      any = true;
    }
    int const way = advance * (most - 1);
    t.low = t.tap_low + smaller(0, way);
    t.high = t.tap_high + larger(0, way);
    return t;
  }();
};

/// A number of rows that all blocks divide, for the costs of blocks where rows are many.
inline constexpr int many_rows = 840;

/// The number of neighbouring columns that are computed together, or 0: none. What counts is the cycles of the
/// products. Rows of lanes that are not complete go through a buffer, so all terms must be added at once.
constexpr int best_together(window_axis const& a, int outputs, std::int64_t terms_per_tap, int width, int registers,
                            int bytes) {
  int const period = smallest_period(a);
  // Windows that reach over many pixels would take many steps of evaluation.
  int const reach = ((a.kernel - 1) * larger(a.tap, -a.tap) + 16 * period * larger(a.step, -a.step)) / a.divisor;
  if (reach > 128) return 0;
  auto const vectors = [&](int lanes) { return (lanes + width - 1) / width; };
  auto const cost_of = [&](int lanes) { return best_cut(many_rows, vectors(lanes), registers, false, bytes).cost; };
  double separate = 0;
  for (int i = 0; i < period && i < a.extent; ++i)
    separate += double(count_sources(a, i, 1)) * ((a.extent - i + period - 1) / period);
  double best = 0.9 * separate * cost_of(outputs);
  int found = 0;
  for (int some = period; some * outputs <= 4 * width && some <= 16 * period && some <= a.extent; some += period) {
    if (some == 1) continue;
    int const taps = count_sources(a, 0, some);
    if (a.extent % some != 0 && taps * terms_per_tap * vectors(some * outputs) * bytes > 64 * 1024) continue;
    double const cost = double(taps) * ((a.extent + some - 1) / some) * cost_of(some * outputs);
    if (cost < best) {
      best = cost;
      found = some;
    }
  }
  return found;
}

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
