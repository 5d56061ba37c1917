// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "kernel.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Kernels over the elements of tensors that no plan knows of: a number in all of them, and another element type. The count is a number of the table,
/// so that there is a kernel for each element type and each of a few sizes of grid, not for each shape.
namespace espalier::on_cuda {

/// Blocks of a kernel that sweeps so many elements: a power of two, at most 1,024.
constexpr int blocks_to_sweep(std::int64_t elements) {
  int blocks = 1;
  while (blocks < 1024 && static_cast<std::int64_t>(blocks) * 1024 < elements) blocks *= 2;
  return blocks;
}

/// y[i] = value. table: y; how many, the value's bits.
template <class T, int Blocks>
struct fill_kernel {
  static constexpr int threads = 256;
  static constexpr std::int64_t blocks = Blocks;
  static constexpr int cluster = 1;
  using table = kernel_table<1, 2>;

  static_assert(sizeof(T) <= 8);
  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    union bits {
      std::uint64_t word;
      T value;
    };
    bits const all{t.number[1]};
    T* const y = static_cast<T*>(t.pointer[0]);
    std::int64_t const size = static_cast<std::int64_t>(t.number[0]);
    for (std::int64_t i = static_cast<std::int64_t>(c.block()) * threads + c.thread(); i < size; i += blocks * threads) y[i] = all.value;
  }
};

/// y[i] = x[i] as a To; true where it is not 0. table: x, y; how many.
template <class From, class To, int Blocks>
struct convert_kernel {
  static constexpr int threads = 256;
  static constexpr std::int64_t blocks = Blocks;
  static constexpr int cluster = 1;
  using table = kernel_table<2, 1>;

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    From const* const x = static_cast<From const*>(t.pointer[0]);
    To* const y = static_cast<To*>(t.pointer[1]);
    std::int64_t const size = static_cast<std::int64_t>(t.number[0]);
    for (std::int64_t i = static_cast<std::int64_t>(c.block()) * threads + c.thread(); i < size; i += blocks * threads) y[i] = static_cast<To>(x[i]);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
