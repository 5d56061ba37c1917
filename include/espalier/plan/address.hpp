// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../base/supported.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Addresses as values, and the memory that a program runs on.
namespace espalier::plan {

/// The pointers a running program is given, by position in its table.
namespace base {
inline constexpr int workspace = 0, parameters = 1, gradients = 2, buffers = 3, magnitudes = 4, key = 5, values = 6, arguments = 7, results = 31, count = 55;
inline constexpr int max_arguments = results - arguments, max_results = count - results;
}

/// An address as a value: element `offset` of base `where`. Labels count in their own elements.
struct location {
  int where;
  std::int64_t offset;
};

/// Offsets of the numbered tensors of a model in their contiguous storage.
struct storage_layout {
  std::int64_t const* parameters;
  std::int64_t const* buffers;
};

/// A gradient or new state that is a leaf, or goes to two places, is copied at the end (results of functions: graph::add_result).
struct final_copy {
  location from, to;
  std::int64_t size;
};

/// Values lie at multiples of so many elements: a cache line of floats.
inline constexpr int alignment_elements = 16;
constexpr std::int64_t rounded(std::int64_t n) { return (n + alignment_elements - 1) / alignment_elements * alignment_elements; }

}  // namespace espalier::plan
#pragma GCC diagnostic pop
