// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../../../storage/element.hpp"
#include "copy_run.hpp"

namespace espalier::on_cpu {

/// y = x in another element type: labels or booleans as numbers, or numbers of 16 bits as floats.
template <class T, class From, std::int64_t Size, class Arch>
struct convert_kernel {
  using source = From;
  static ESPALIER_INLINE void run(From const* x, T* y) {
    if constexpr (espalier::detail::is_narrow<From>) widen(x, y);
    else
      for (std::int64_t i = 0; i < Size; ++i) y[i] = static_cast<T>(x[i]);
  }

 private:
  ESPALIER_KERNEL static void widen(From const* x, T* y) { detail::copy_run<T, Arch, Size>(y, x); }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
