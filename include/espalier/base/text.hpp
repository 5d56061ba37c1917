// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace espalier::detail {

/// <string_view> would cost every program a tenth of a second.
constexpr bool same_text(char const* a, char const* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

}  // namespace espalier::detail
