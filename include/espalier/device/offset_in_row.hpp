// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/host_device.hpp"

/// Where the elements of a row lie that is stored in segments, for every device.
namespace espalier::on_device {

/// The offset of element `column` of a row from its first element. A row has segments of run_length elements, and each
/// segment is followed by the same segment of the next row.
template <class Index>
ESPALIER_HOST_DEVICE constexpr Index offset_in_row(Index column, int rows, int run_length) {
  return column / run_length * (Index{rows} * run_length) + column % run_length;
}

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
