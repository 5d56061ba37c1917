// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <espalier/device/cuda/kernel/kernel.hpp>

/// A kernel outside the library, as a program of the user's may bring one along: y = 2 x, four elements of 4 bytes or
/// two of 8 for each thread.
namespace test {

template <class T, int Count>
struct doubled {
  static constexpr int access = 16;
  static constexpr int width = 16 / static_cast<int>(sizeof(T));  // elements of a thread
  static_assert(Count % width == 0);
  static constexpr int threads = 128;
  static constexpr int cluster = 1;
  static constexpr std::int64_t blocks = (Count / width + threads - 1) / threads;
  using table = espalier::on_cuda::kernel_table<2>;

  struct alignas(16) chunk {
    T at[16 / sizeof(T)];
  };
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    std::int64_t const i = c.block() * threads + c.thread();
    if (i >= Count / width) return;
    chunk x = static_cast<chunk const*>(t.pointer[0])[i];
    for (int k = 0; k < width; ++k) x.at[k] += x.at[k];
    static_cast<chunk*>(t.pointer[1])[i] = x;
  }
};

}  // namespace test
