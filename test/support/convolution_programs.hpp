// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <tuple>

#include <espalier/base/philox.hpp>
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

/// Functions with a convolution, and their programs as they were traced: a processor runs others.
namespace test {

template <espalier::convolution Options>
struct convolved {
  constexpr auto operator()(auto x, auto w) const { return espalier::conv2d<Options>(x, w); }
};
template <espalier::convolution Options>
struct product {
  constexpr auto operator()(auto x, auto w, auto dy) const { return sum(convolved<Options>{}(x, w) * dy); }
};
/// The convolution and both gradients.
template <espalier::convolution Options>
struct everything {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    return std::tuple{convolved<Options>{}(x, w), espalier::grad<0>(product<Options>{})(x, w, dy),
                      espalier::grad<1>(product<Options>{})(x, w, dy)};
  }
};

template <class F, class T, class... S>
using program_of = espalier::detail::compiled_program<F, espalier::borrowed<T, S, espalier::cpu>...>;

/// Random numbers in [-1, 1).
template <class X>
void fill(X& x, std::uint64_t key) {
  std::int64_t i = 0;
  for (auto& v : x)
    v = static_cast<typename X::value_type>(2 * espalier::uniform_from_bits<float>(espalier::philox_bits(i++, key, 0)) -
                                            1);
}

/// Runs a program as it was traced, with three arguments and three results.
template <class Program, class T, class... X>
void run_as_traced(X&... x) {
  namespace plan = espalier::plan;
  espalier::tensor<T, espalier::shape<static_cast<int>(espalier::detail::workspace_elements<Program>) + 16>> workspace;
  void* base[plan::base::count]{};
  base[plan::base::workspace] = workspace.data();
  void* const all[]{const_cast<void*>(static_cast<void const*>(x.data()))...};
  for (int i = 0; i < 3; ++i) base[plan::base::arguments + i] = all[i];
  for (int i = 0; i < 3; ++i) base[plan::base::results + i] = all[3 + i];
  espalier::on_cpu::run<Program, T>(base);
}

}  // namespace test
