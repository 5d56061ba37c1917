// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../base/address.hpp"
#include "../base/supported.hpp"

/// Addresses as values, so that memory is planned at compile time: a base pointer of the program and an element offset.
namespace espalier::plan {

/// Positions in the table of pointers that a program receives when it runs. random: its on_device::random_state.
/// states: parameters and buffers of the models of a function, and the vectors of its updaters, one pointer each.
namespace base {
inline constexpr int workspace = 0, parameters = 1, gradients = 2, buffers = 3, hyperparameters = 4, random = 5,
                     values = 6, arguments = 7, results = 31, states = 55, count = 79;
inline constexpr int max_arguments = results - arguments, max_results = states - results, max_states = count - states;
}  // namespace base

/// An address as a value: element `offset` of base number `base`. The offset of a label counts elements of the label's
/// type.
struct address {
  int base;
  std::int64_t offset;
};

/// Where the numbered tensors of a program are: the offsets of a model's tensors in its contiguous storage, or, for the
/// program of a function with several models, the address of each tensor.
struct storage_layout {
  std::int64_t const* parameters = nullptr;
  std::int64_t const* buffers = nullptr;
  address const* parameter_addresses = nullptr;
  address const* buffer_addresses = nullptr;
  address const* gradient_addresses = nullptr;
  address const* vector_addresses = nullptr;  ///< of vectors of packed tensors; null: one after the other

  constexpr address parameter(int slot) const {
    return !espalier::detail::is_null(parameter_addresses) ? parameter_addresses[slot]
                                                           : address{base::parameters, parameters[slot]};
  }
  constexpr address buffer(int slot) const {
    return !espalier::detail::is_null(buffer_addresses) ? buffer_addresses[slot]
                                                        : address{base::buffers, buffers[slot]};
  }
  constexpr address gradient(int slot) const {
    return !espalier::detail::is_null(gradient_addresses) ? gradient_addresses[slot]
                                                          : address{base::gradients, parameters[slot]};
  }
};

/// A copy after the last group. It is needed if a gradient or new state is a graph leaf, has two destinations, or would
/// overwrite a state that is still read. (For results of functions see tracing::add_result.)
struct final_copy {
  address from, to;
  std::int64_t size;
};

/// Offsets of values are multiples of this many elements: a cache line of floats (64 bytes).
inline constexpr int alignment_elements = 16;
constexpr std::int64_t rounded(std::int64_t n) {
  return (n + alignment_elements - 1) / alignment_elements * alignment_elements;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
