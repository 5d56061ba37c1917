// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <tuple>

/// Layers that a seed draws, when a test is compiled.
namespace test {

/// Number `Count` of the numbers that a seed draws, below Below.
template <int Seed, int Count, int Below>
constexpr int drawn = [] {
  std::uint64_t x = static_cast<std::uint64_t>(Seed) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(Count);
  for (int i = 0; i < 3; ++i) x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return static_cast<int>((x >> 33) % std::uint64_t{Below});
}();

/// Layer I of a list.
template <int I, class... Layers>
using layer_of = std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<Layers...>>;

}  // namespace test
