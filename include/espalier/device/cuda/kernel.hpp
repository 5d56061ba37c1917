// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../base/everywhere.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What a kernel is on a graphics processor: a type that says how it is launched, and a body that any block_context can run.
///   static constexpr int threads;           of a block: a multiple of 32, at most 1,024
///   static constexpr std::int64_t blocks;   of the grid, at most 2^31 - 1
///   static constexpr int cluster;           blocks that exchange shared memory (1: none; 2, 4 or 8), a divisor of `blocks`
///   using table;                            kernel_table<pointers, numbers>
///   template <class Context> ESPALIER_EVERYWHERE static void run(Context const&, table const&);
/// Its template arguments are types, integers and enumerators, because another compiler has to spell the type: nvcc compiles kernels alone, from the
/// names that the host's compiler asks for.
namespace espalier::on_cuda {

/// What a kernel is given at launch: addresses, and numbers that are not known to the compiler (where a random stream starts, ...).
template <int Pointers, int Numbers = 0>
struct kernel_table {
  void* pointer[static_cast<std::size_t>(Pointers > 0 ? Pointers : 1)];
  std::uint64_t number[static_cast<std::size_t>(Numbers > 0 ? Numbers : 1)];
};

/// A kernel's body, written for any way to run a block of threads.
/// threads of a warp run in step where they shuffle; every thread of a block reaches every barrier, or none does
template <class C>
concept block_context = requires(C const& c, float x) {
  { c.thread() } -> std::convertible_to<int>;           // of the block
  { c.block() } -> std::convertible_to<std::int64_t>;   // of the grid
  { c.shuffle_xor(x, 1) } -> std::same_as<float>;       // the value of the lane with that bit of its number flipped; whole warps only
  { c.shuffle(x, 1) } -> std::same_as<float>;           // the value of a lane of the warp
  c.barrier();                                          // of the block
  { c.template shared<float, 32, 0>() } -> std::same_as<float*>;  // memory of the block: element type, count, and a number that tells two of them apart
  { c.cluster_rank() } -> std::convertible_to<int>;     // this block's number in its cluster
  c.cluster_barrier();                                  // of all blocks of the cluster; a barrier of each block, too
  { c.remote(static_cast<float*>(nullptr), 0) } -> std::same_as<float*>;  // the same shared memory in another block of the cluster
};

/// What every launch asserts of a kernel.
template <class K>
concept launchable = requires { typename K::table; } && K::threads >= 32 && K::threads <= 1024 && K::threads % 32 == 0 && K::blocks >= 1 &&
                     K::blocks <= 2147483647 && (K::cluster == 1 || K::cluster == 2 || K::cluster == 4 || K::cluster == 8) && K::blocks % K::cluster == 0;

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
