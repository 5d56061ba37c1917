// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include <espalier/device/cuda/kernel/kernel.hpp>

/// Small kernels that use everything a block_context has, some of them with a mistake in them.
namespace context_kernels {

using espalier::on_cuda::kernel_table;

/// The sum over a warp, in every lane.
template <class Context>
ESPALIER_HOST_DEVICE float warp_sum(Context const& c, float x) {
  for (int mask = 16; mask > 0; mask /= 2) x += c.shuffle_xor(x, mask);
  return x;
}

/// The sum over a block of Threads, in every thread. Without Barriers it is wrong.
template <int Threads, int Slot, bool Barriers = true, class Context>
ESPALIER_HOST_DEVICE float block_sum(Context const& c, float x) {
  float* const parts = c.template shared<float, 32, Slot>();
  x = warp_sum(c, x);
  if (c.thread() % 32 == 0) parts[c.thread() / 32] = x;
  if constexpr (Barriers) c.barrier();
  float sum = 0;
  for (int w = 0; w < Threads / 32; ++w) sum += parts[w];
  if constexpr (Barriers) c.barrier();  // parts may be used again
  return sum;
}

/// Each block sums Threads numbers: pointer 0 to pointer 1.
template <int Threads, int Blocks, bool Barriers = true>
struct sums {
  static constexpr int threads = Threads, cluster = 1;
  static constexpr std::int64_t blocks = Blocks;
  using table = kernel_table<2>;
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    auto const* const x = static_cast<float const*>(t.pointer[0]);
    float const sum = block_sum<Threads, 0, Barriers>(c, x[c.block() * Threads + c.thread()]);
    if (c.thread() == 0) static_cast<float*>(t.pointer[1])[c.block()] = sum;
  }
};

/// Each block writes exp(x - maximum) / sum over a row of Length numbers.
template <int Threads, int Blocks, int Length>
struct softmax {
  static constexpr int threads = Threads, cluster = 1;
  static constexpr std::int64_t blocks = Blocks;
  using table = kernel_table<2>;
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    auto const* const x = static_cast<float const*>(t.pointer[0]) + c.block() * Length;
    auto* const y = static_cast<float*>(t.pointer[1]) + c.block() * Length;
    float* const parts = c.template shared<float, 32, 0>();
    float most = -INFINITY;
    for (int i = c.thread(); i < Length; i += Threads) most = x[i] > most ? x[i] : most;
    for (int mask = 16; mask > 0; mask /= 2) {
      float const other = c.shuffle_xor(most, mask);
      most = other > most ? other : most;
    }
    if (c.thread() % 32 == 0) parts[c.thread() / 32] = most;
    c.barrier();
    for (int w = 0; w < Threads / 32; ++w) most = parts[w] > most ? parts[w] : most;
    float sum = 0;
    for (int i = c.thread(); i < Length; i += Threads) sum += std::exp(x[i] - most);
    sum = block_sum<Threads, 1>(c, sum);
    for (int i = c.thread(); i < Length; i += Threads) y[i] = std::exp(x[i] - most) / sum;
  }
};

/// The blocks of each cluster sum Cluster * Threads numbers; each block writes the sum it found. Without StayTogether a
/// block may be gone while another one still reads its memory.
template <int Cluster, int Threads, int Clusters, bool StayTogether = true>
struct cluster_sums {
  static constexpr int threads = Threads, cluster = Cluster;
  static constexpr std::int64_t blocks = Cluster * Clusters;
  using table = kernel_table<2>;
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    auto const* const x = static_cast<float const*>(t.pointer[0]);
    float const mine = block_sum<Threads, 0>(c, x[c.block() * Threads + c.thread()]);
    float* const part = c.template shared<float, 1, 1>();
    if (c.thread() == 0) *part = mine;
    c.cluster_barrier();
    float sum = 0;
    for (int b = 0; b < Cluster; ++b) sum += *c.remote(part, b);
    if constexpr (StayTogether) c.cluster_barrier();
    if (c.thread() == 0) static_cast<float*>(t.pointer[1])[c.block()] = sum;
  }
};

/// Every thread adds the number of its left neighbour in the block (the first: of the last), as an exchange through
/// shared memory, Rounds times.
template <int Threads, int Rounds, bool FirstBarrier, bool SecondBarrier>
struct neighbours {
  static constexpr int threads = Threads, cluster = 1;
  static constexpr std::int64_t blocks = 1;
  using table = kernel_table<2>;
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    float* const shared = c.template shared<float, Threads, 0>();
    float x = static_cast<float const*>(t.pointer[0])[c.thread()];
    for (int r = 0; r < Rounds; ++r) {
      shared[c.thread()] = x;
      if constexpr (FirstBarrier) c.barrier();
      x += shared[(c.thread() + Threads - 1) % Threads];
      if constexpr (SecondBarrier) c.barrier();
    }
    static_cast<float*>(t.pointer[1])[c.thread()] = x;
  }
  static std::vector<float> expected(std::vector<float> x) {
    for (int r = 0; r < Rounds; ++r) {
      std::vector<float> const before = x;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += before[(i + x.size() - 1) % x.size()];
    }
    return x;
  }
};

/// y = 2x, no exchange at all.
template <int Threads, std::int64_t Blocks>
struct doubled {
  static constexpr int threads = Threads, cluster = 1;
  static constexpr std::int64_t blocks = Blocks;
  using table = kernel_table<2>;
  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    std::int64_t const i = c.block() * Threads + c.thread();
    static_cast<float*>(t.pointer[1])[i] = 2 * static_cast<float const*>(t.pointer[0])[i];
  }
};

// ---- what the tests compare with

/// Small integers: their sums are exact in any order.
inline std::vector<float> integers(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * 37 % 101) - 50;
  return x;
}

inline std::vector<float> sums_of(std::vector<float> const& x, std::size_t each, std::size_t times = 1) {
  std::vector<float> y;
  for (std::size_t i = 0; i < x.size(); i += each) {
    float sum = 0;
    for (std::size_t k = 0; k < each; ++k) sum += x[i + k];
    for (std::size_t r = 0; r < times; ++r) y.push_back(sum);
  }
  return y;
}

inline std::vector<double> softmax_of(std::vector<float> const& x, std::size_t each) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); i += each) {
    double most = -INFINITY, sum = 0;
    for (std::size_t k = 0; k < each; ++k) most = x[i + k] > most ? x[i + k] : most;
    for (std::size_t k = 0; k < each; ++k) sum += std::exp(x[i + k] - most);
    for (std::size_t k = 0; k < each; ++k) y[i + k] = std::exp(x[i + k] - most) / sum;
  }
  return y;
}

/// What a launcher makes of x: as many numbers as wanted.
template <class Kernel, class Launcher>
std::vector<float> results(Launcher& launcher, std::vector<float> x, std::size_t count) {
  std::vector<float> y(count, -12345.0f);
  launcher.template launch<Kernel>(typename Kernel::table{{x.data(), y.data()}, {}});
  return y;
}

}  // namespace context_kernels
