// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "kernel.hpp"

/// Kernels for tensors outside a plan: fill and element type conversion. The element count is an argument of the
/// launch, so kernels differ by element type and grid size, not by shape.
namespace espalier::on_cuda {

/// Blocks of a kernel over a number of elements: a power of two, at most 1,024.
constexpr int blocks_for_elements(std::int64_t elements) {
  int blocks = 1;
  while (blocks < 1024 && static_cast<std::int64_t>(blocks) * 1024 < elements) blocks *= 2;
  return blocks;
}

/// y[i] = value. table: y; number of elements, bits of the value.
template <class T, int Blocks>
struct fill_kernel {
  static constexpr int threads = 256;
  static constexpr std::int64_t blocks = Blocks;
  static constexpr int cluster = 1;
  using table = kernel_table<1, 2>;

  static_assert(sizeof(T) <= 8);
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    union bits {
      std::uint64_t word;
      T value;
    };
    bits const all{t.number[1]};
    T* const y = static_cast<T*>(t.pointer[0]);
    std::int64_t const size = static_cast<std::int64_t>(t.number[0]);
    for (std::int64_t i = static_cast<std::int64_t>(c.block()) * threads + c.thread(); i < size; i += blocks * threads)
      y[i] = all.value;
  }
};

/// y[i] = x[i] converted to To; a bool is true if x[i] is not 0. table: x, y; number of elements.
template <class From, class To, int Blocks>
struct convert_elements_kernel {
  static constexpr int threads = 256;
  static constexpr std::int64_t blocks = Blocks;
  static constexpr int cluster = 1;
  using table = kernel_table<2, 1>;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    From const* const x = static_cast<From const*>(t.pointer[0]);
    To* const y = static_cast<To*>(t.pointer[1]);
    std::int64_t const size = static_cast<std::int64_t>(t.number[0]);
    for (std::int64_t i = static_cast<std::int64_t>(c.block()) * threads + c.thread(); i < size; i += blocks * threads)
      y[i] = static_cast<To>(x[i]);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
