// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/supported.hpp"

#include <cstdint>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// The seed of a model's random numbers.
struct seed {
  std::uint64_t value;
};

}  // namespace espalier
#pragma GCC diagnostic pop
