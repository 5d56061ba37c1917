// SPDX-License-Identifier: BSL-1.0
#pragma once
/// A row's memory as xtensor sees it, with xsimd. A formula that is assigned goes by vectors, a reduction element by
/// element: so sums are assigned too, half onto half.
#define XTENSOR_USE_XSIMD
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>

#include <array>

namespace bench {

inline auto wrap(float* p, std::size_t count) {
  return xt::adapt(p, count, xt::no_ownership(), std::array<std::size_t, 1>{count});
}

/// The sum of what lies at p, which is destroyed; count: a power of 2 times something small.
inline float sum_destroying(float* p, std::size_t count) {
  for (; count > 16 && count % 2 == 0; count /= 2) {
    auto low = wrap(p, count / 2);
    xt::noalias(low) += wrap(p + count / 2, count / 2);
  }
  return xt::sum(wrap(p, count), xt::evaluation_strategy::immediate)();
}

}  // namespace bench
