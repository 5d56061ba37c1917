// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../../base/host_device.hpp"

/// Defines kernels on a graphics processor: types with launch parameters and a body that runs in any block_context.
///   static constexpr int threads;           of a block: a multiple of 32, at most 1,024
///   static constexpr std::int64_t blocks;   of the grid, at most 2^31 - 1
///   static constexpr int cluster;           blocks that exchange shared memory: 1 (none), 2, 4 or 8; divides `blocks`
///   using table;                            kernel_table<pointers, numbers>
///   template <class Context> ESPALIER_HOST_DEVICE static void run(Context const&, table const&);
/// Template arguments are types, integers and enumerators, because a second compiler must write the type. nvcc compiles
/// only kernels, from the names in the object files of the host compiler.
namespace espalier::on_cuda {

/// The arguments of a launch: addresses, and numbers that are not compile-time constants (of a random stream, ...).
template <int Pointers, int Numbers = 0>
struct kernel_table {
  void* pointer[static_cast<std::size_t>(Pointers > 0 ? Pointers : 1)];
  std::uint64_t number[static_cast<std::size_t>(Numbers > 0 ? Numbers : 1)];
};

/// The interface between a kernel's body and the thread that runs it, on a device or simulated. All lanes of a warp
/// must reach the same shuffle. All threads of a block must reach a barrier, or none.
template <class C>
concept block_context = requires(C const& c, float x) {
  { c.thread() } -> std::convertible_to<int>;          // of the block
  { c.block() } -> std::convertible_to<std::int64_t>;  // of the grid
  { c.shuffle_xor(x, 1) } -> std::same_as<float>;      // the value of lane (own lane xor mask); whole warps only
  { c.shuffle(x, 1) } -> std::same_as<float>;          // the value of a lane of the warp
  c.barrier();                                         // of the block
  c.prefetch(static_cast<void const*>(nullptr));       // brings 128 bytes into a cache that all blocks share
  // Shared memory of the block: element type, count, and a slot number that distinguishes arrays.
  { c.template shared<float, 32, 0>() } -> std::same_as<float*>;
  { c.cluster_rank() } -> std::convertible_to<int>;  // this block's number in its cluster
  c.cluster_barrier();                               // of all blocks of the cluster; a barrier of each block, too
  // The same shared memory in another block of the cluster.
  { c.remote(static_cast<float*>(nullptr), 0) } -> std::same_as<float*>;
};

/// The requirements on a kernel that every launch asserts.
template <class K>
concept launchable = requires {
  typename K::table;
}
&&K::threads >= 32 && K::threads <= 1024 && K::threads % 32 == 0 && K::blocks >= 1 && K::blocks <= 2147483647 &&
    (K::cluster == 1 || K::cluster == 2 || K::cluster == 4 || K::cluster == 8) && K::blocks % K::cluster == 0;

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
