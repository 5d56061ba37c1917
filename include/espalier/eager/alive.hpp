// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../storage/memory.hpp"
#include "../storage/value_fit.hpp"

#include <cassert>
#include <cstdint>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Notices formulas that outlived their tensors. Builds without NDEBUG check what they can tell, others do nothing;
/// objects have the same members in both.
///
/// What a function leaves on the stack lies below the frame of the function that called it. Stacks grow down, and
/// further below may be memory of somebody else, so that only as much is compared as some frames take.
namespace espalier::detail {

/// The end of the frame of the function that this is inlined into.
ESPALIER_EVALUATES inline void const* end_of_frame() {
  void const* end = nullptr;
#if !defined(NDEBUG) && defined(__linux__) && defined(__x86_64__)
  asm volatile("mov %%rsp, %0" : "=r"(end));
#elif !defined(NDEBUG) && defined(__linux__) && defined(__aarch64__)
  asm volatile("mov %0, sp" : "=r"(end));
#endif
  return end;
}

/// Whether memory is of a function that has returned. frame: the end of the frame that asks, null where it is not
/// known.
inline bool is_of_a_returned_function(void const* memory, void const* frame) {
  constexpr std::uintptr_t some_frames = 4 * inline_bytes;
  // Wraps around where the memory lies above the frame's end.
  return frame != nullptr &&
         reinterpret_cast<std::uintptr_t>(frame) - reinterpret_cast<std::uintptr_t>(memory) - 1 < some_frames;
}

/// Whether a number is what the destructor of a tensor leaves in a build without optimisation.
template <class T>
bool is_erased(T const& number) {
  unsigned char bytes[sizeof(T)];
  __builtin_memcpy(bytes, &number, sizeof(T));
  for (unsigned char const byte : bytes)
    if (byte != erased_byte) return false;
  return true;
}

}  // namespace espalier::detail
#pragma GCC diagnostic pop
