// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

#include <cstdint>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What a header of weights is made of (io/header.hpp writes such); it needs nothing else of the library.
namespace espalier {

/// What a tensor is to a net: training changes parameters by their slopes, and buffers by what it observes.
enum class tensor_role : unsigned char { parameter, buffer };

/// A tensor of a header of weights. Its numbers are those from `offset` on, row by row; extents beyond the rank are 0.
struct embedded_tensor {
  char const* name;
  tensor_role role;
  std::int64_t offset;
  int rank;
  int extents[6];
};

/// A header of weights, as an argument: model<Net>{embedded<digits_weights>{}}.
template <class Weights>
struct embedded {};

/// Numbers that no literal stands for: infinities, and NaN with its bits.
constexpr float float_of_bits(std::uint32_t bits) noexcept { return __builtin_bit_cast(float, bits); }
constexpr double double_of_bits(std::uint64_t bits) noexcept { return __builtin_bit_cast(double, bits); }

}  // namespace espalier
#pragma GCC diagnostic pop
