// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../operation/structure.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Where movement kernels read: a stride for each axis of what they write, from the shapes alone.
namespace espalier::fused::detail {

struct strides {
  std::int64_t at[max_rank];
};
constexpr strides strides_of(extents const& s) {
  strides r{};
  std::int64_t stride = 1;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    r.at[axis] = stride;
    stride *= s.at[axis];
  }
  return r;
}
/// Strides that read `from`, aligned at the last axis and repeated where it has extent 1, in the order of `to`.
constexpr strides broadcast_strides(extents const& from, extents const& to) {
  strides const own = strides_of(from);
  strides r{};
  for (int f = from.rank - 1, axis = to.rank - 1; f >= 0; --f, --axis) r.at[axis] = from.at[f] == 1 ? 0 : own.at[f];
  return r;
}

template <Shape From, std::uint64_t Permutation>
struct permuted {
  static constexpr extents result = permuted_extents(From::value, Permutation);
  static constexpr strides stride = [] {
    strides const own = strides_of(From::value);
    strides r{};
    for (int i = 0; i < result.rank; ++i) r.at[i] = own.at[Permutation >> (4 * i) & 15u];
    return r;
  }();
};
template <Shape From, Shape To>
struct spread {
  static constexpr extents result = To::value;
  static constexpr strides stride = broadcast_strides(From::value, To::value);
};

}  // namespace espalier::fused::detail
#pragma GCC diagnostic pop
