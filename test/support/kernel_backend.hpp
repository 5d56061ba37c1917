// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstring>
#include <vector>

#include <espalier/device/cuda/simulator/fiber_context.hpp>
#include <espalier/device/cuda/run.hpp>

/// A machine that runs the kernels of the graphics processor on memory of the host, fiber by fiber: kernels alone are
/// tested with it.
namespace test {

template <class Launcher = espalier::on_cuda::fiber_launcher>
struct kernel_backend {
  bool has_clusters = true;
  Launcher launcher{};

  template <class Kernel>
  bool runs_clusters() const {
    return has_clusters;
  }
  template <class Kernel>
  void launch(typename Kernel::table const& t) {
    launcher.template launch<Kernel>(t);
  }
  void copy(void* to, void const* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  template <class T, class Product>
  void product(T const* a, T const* b, T* y) {
    for (std::int64_t i = 0; i < Product::count; ++i) {
      T const *const x = a + Product::a_offset(i), *const w = b + Product::b_offset(i);
      for (int row = 0; row < Product::rows; ++row)
        for (int column = 0; column < Product::columns; ++column) {
          espalier::on_cuda::compute_type<T> sum = 0;
          for (int k = 0; k < Product::inner; ++k)
            sum += static_cast<espalier::on_cuda::compute_type<T>>(
                       x[Product::transpose_a ? k * Product::rows + row : row * Product::inner + k]) *
                   static_cast<espalier::on_cuda::compute_type<T>>(
                       w[Product::transpose_b ? column * Product::inner + k : k * Product::columns + column]);
          *y++ = static_cast<T>(sum);
        }
    }
  }
};

/// Runs a planned program on it. base: as for the CPU, with a workspace of its own.
template <class Program, class T, class Backend>
void run_on_kernel_backend(Backend& m, void** base) {
  struct alignas(256) line {
    unsigned char at[256];
  };
  std::vector<line> room(espalier::on_cuda::workspace_bytes<Program, T, Backend> / sizeof(line) + 1);
  std::memset(room.data(), 0xff, room.size() * sizeof(line));  // nothing may be read before it is written
  base[espalier::plan::base::workspace] = room.data();
  espalier::on_cuda::run<Program, T>(m, base);
}
template <class Program, class T>
void run_on_kernel_backend(void** base, int order = 0, bool clusters = true) {
  kernel_backend<> m{clusters, espalier::on_cuda::fiber_launcher{order}};
  run_on_kernel_backend<Program, T>(m, base);
}

}  // namespace test
