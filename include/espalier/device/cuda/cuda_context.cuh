// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "library/device_function.hpp"
#include "kernel/kernel.hpp"

/// Runs kernels on the device. Only nvcc compiles this file.
namespace espalier::on_cuda {

/// The block_context of a device: one thread of a block.
struct cuda_context {
  __device__ __forceinline__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ std::int64_t block() const { return static_cast<std::int64_t>(blockIdx.x); }

  template <class T>
  __device__ __forceinline__ T shuffle_xor(T x, int mask) const {
    return by_words(x, [mask](unsigned word) { return __shfl_xor_sync(0xffffffffu, word, mask); });
  }
  template <class T>
  __device__ __forceinline__ T shuffle(T x, int lane) const {
    return by_words(x, [lane](unsigned word) { return __shfl_sync(0xffffffffu, word, lane); });
  }
  __device__ __forceinline__ void barrier() const { __syncthreads(); }
  __device__ __forceinline__ void prefetch(void const* at) const { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

  /// Returns a static shared array, 16-byte aligned.
  template <class T, int Count, int Slot>
  __device__ __forceinline__ T* shared() const {
    __shared__ alignas(alignof(T) > 16 ? alignof(T) : 16) T array[static_cast<unsigned>(Count)];
    return array;
  }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ __forceinline__ int cluster_rank() const {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return static_cast<int>(rank);
  }
  __device__ __forceinline__ void cluster_barrier() const {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
  }
  template <class T>
  __device__ __forceinline__ T* remote(T* mine, int rank) const {
    std::uint64_t remote_address;
    asm("mapa.u64 %0, %1, %2;" : "=l"(remote_address) : "l"(reinterpret_cast<std::uint64_t>(mine)), "r"(rank));
    return reinterpret_cast<T*>(remote_address);
  }
#else
  // Kernels with clusters do not run on these devices (see entry); every other block is its own cluster.
  __device__ __forceinline__ int cluster_rank() const { return 0; }
  __device__ __forceinline__ void cluster_barrier() const { __syncthreads(); }
  template <class T>
  __device__ __forceinline__ T* remote(T* mine, int) const {
    return mine;
  }
#endif

 private:
  /// Shuffles a value in words: the hardware shuffles 32 bits at a time.
  template <class T, class Shuffle>
  static __device__ __forceinline__ T by_words(T x, Shuffle one) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
    constexpr int count = static_cast<int>((sizeof(T) + 3) / 4);
    unsigned words[count] = {};
    memcpy(words, &x, sizeof(T));
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = one(words[i]);
    memcpy(&x, words, sizeof(T));
    return x;
  }
};

static_assert(block_context<cuda_context>);

namespace detail {

/// The bytes of the widest load and store that a kernel guarantees: its load_access and store_access, or access for
/// both; 0: no guarantee.
template <class Kernel>
consteval int load_access() {
  if constexpr (requires { Kernel::load_access; }) return Kernel::load_access;
  else if constexpr (requires { Kernel::access; }) return Kernel::access;
  else return 0;
}
template <class Kernel>
consteval int store_access() {
  if constexpr (requires { Kernel::store_access; }) return Kernel::store_access;
  else if constexpr (requires { Kernel::access; }) return Kernel::access;
  else return 0;
}

}  // namespace detail

namespace detail {

/// A kernel that was launched to overlap the one before it: lets the next one start as soon as blocks of this one leave
/// room, and waits until everything before this one is complete. For another launch both do nothing. Every kernel
/// waits, so what is complete for one is complete for the next.
__device__ __forceinline__ void begin_overlapping() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace detail

/// The __global__ function of a kernel. A kernel with clusters stops with an error below compute capability 9.0.
/// Load, Store (guaranteed access widths) and Cluster are template arguments, so that tools read them from the name.
template <class Kernel, int Load, int Store, int Cluster>
__global__ void __launch_bounds__(Kernel::threads) entry(__grid_constant__ typename Kernel::table const table) {
  static_assert(launchable<Kernel>);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  if constexpr (Cluster > 1) __trap();
  else Kernel::run(cuda_context{}, table);
#else
  detail::begin_overlapping();
  Kernel::run(cuda_context{}, table);
#endif
}

template <class Kernel>
void const* device_function<Kernel>::address() {
  return reinterpret_cast<void const*>(
      &entry<Kernel, detail::load_access<Kernel>(), detail::store_access<Kernel>(), Kernel::cluster>);
}

}  // namespace espalier::on_cuda
