// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/rule.hpp"

/// Estimates of reductions along lines (rows or columns) from three elements in memory, for every device.
namespace espalier::on_device {

/// The elements of a line that its reduction is estimated from.
template <int Length>
struct probed_elements {
  static constexpr int first = 0, middle = Length / 2, last = Length - 1;
};

/// The estimate of reduction Op over a line from these elements, which are numbers or packs of lines.
template <class Op, int Length, class Number>
ESPALIER_HOST_DEVICE ESPALIER_INLINE Number estimate_line(Number first, Number middle, Number last) {
  return rule<Op>::of_three(first, middle, last, Number(Length));
}

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
