// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "processes.hpp"

namespace espalier::on_device {

/// Lines of a range of gradients.
struct line_part {
  std::int64_t first, count;
};
constexpr std::int64_t lines_of(std::int64_t bytes) {
  constexpr auto line = static_cast<std::int64_t>(processes::line);
  return (bytes + line - 1) / line;
}
/// The part of process k of n. Parts follow each other, and differ by at most one line.
constexpr line_part part_of_lines(std::int64_t lines, int k, int n) {
  std::int64_t const first = lines * k / n;
  return {first, lines * (k + 1) / n - first};
}

}  // namespace espalier::on_device
#include "../../base/diagnostics_pop.hpp"
