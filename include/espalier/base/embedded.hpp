// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

#include <cstdint>

/// The types in a header of weights, which io/header.hpp writes. This file needs nothing else of the library.
namespace espalier {

/// The role of a tensor in a net: training changes parameters by their gradients, and buffers by observed values.
enum class tensor_role : unsigned char { parameter, buffer };

/// A tensor of a header of weights. Its numbers begin at `offset`, row by row; extents beyond the rank are 0.
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

/// Numbers that have no literal: infinities, and NaN with its bits.
constexpr float float_of_bits(std::uint32_t bits) noexcept { return __builtin_bit_cast(float, bits); }
constexpr double double_of_bits(std::uint64_t bits) noexcept { return __builtin_bit_cast(double, bits); }

}  // namespace espalier
#include "diagnostics_pop.hpp"
