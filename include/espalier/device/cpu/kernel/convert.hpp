// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../../../base/host_device.hpp"

#include "../../../base/diagnostics_push.hpp"
namespace espalier::on_cpu {

/// y = x in another element type: labels or booleans as numbers.
template <class T, class From, std::int64_t Size>
struct convert_kernel {
  using source = From;
  static ESPALIER_INLINE void run(From const* x, T* y) {
    for (std::int64_t i = 0; i < Size; ++i) y[i] = static_cast<T>(x[i]);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
