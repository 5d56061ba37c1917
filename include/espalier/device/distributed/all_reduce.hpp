// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstring>
#include <memory>
#include <type_traits>

#include "../../base/sentence.hpp"
#include "processes.hpp"

namespace espalier {

namespace detail {
/// A constraint that errors name: processes exchange the bytes of a value, and += adds values.
template <class X>
struct can_be_reduced {
  ESPALIER_READS("got {}")
  static constexpr bool agree =
      std::is_trivially_copyable_v<X> && sizeof(X) <= processes::line && requires(X & a, X b) {
    a += b;
  };
};
}  // namespace detail

/// The sum of a value of all processes, in the order of their ranks, so that all have the same bits: a number, or an
/// evaluation. All processes call it; it waits for all.
///
///     esp::evaluation const all = esp::all_reduce(processes, trainer.evaluate(images, labels));
///
/// errors  a type without +=, with pointers to what it owns, or of more than 64 bytes does not compile;
///         distributed_error
/// memory  64 bytes for each process, allocated in the call
template <class X>
X all_reduce(processes& all, X const& own) {
  static_assert(detail::can_be_reduced<X>::agree,
                ESPALIER_SENTENCE("all_reduce(processes, x): x is a number or a value of at most 64 bytes that can be "
                                  "copied byte by byte and has +=",
                                  detail::can_be_reduced<X>));
  if constexpr (!detail::can_be_reduced<X>::agree) {
    return own;
  } else {
    struct alignas(processes::line) line {
      unsigned char at[processes::line];
    };
    auto const count = static_cast<std::size_t>(all.size());
    std::unique_ptr<line[]> const lines{new line[count]{}};
    std::unique_ptr<int[]> const ones{new int[count]}, firsts{new int[count]};
    for (std::size_t k = 0; k < count; ++k) {
      ones[k] = 1;
      firsts[k] = static_cast<int>(k);
    }
    std::memcpy(&lines[static_cast<std::size_t>(all.rank())], &own, sizeof own);
    processes::transfer sending;
    all.gather(sending, processes::channel::others, lines.get(), {ones.get(), firsts.get()});
    all.wait(sending, 0);
    X sum = own;
    std::memcpy(static_cast<void*>(&sum), &lines[0], sizeof sum);
    for (std::size_t k = 1; k < count; ++k) {
      X next = own;
      std::memcpy(static_cast<void*>(&next), &lines[k], sizeof next);
      sum += next;
    }
    return sum;
  }
}

}  // namespace espalier
#include "../../base/diagnostics_pop.hpp"
