// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstring>
#include <type_traits>

#include "processes.hpp"

namespace espalier::on_device {

/// Makes x that of process 0 on all processes. All call it; it waits for all.
/// errors  distributed_error
template <class X>
void from_first_process(processes& all, X& x) {
  static_assert(std::is_trivially_copyable_v<X>);
  constexpr int lines = static_cast<int>((sizeof(X) + processes::line - 1) / processes::line);
  struct message : processes::kept_memory {
    alignas(processes::line) unsigned char at[static_cast<std::size_t>(lines) * processes::line]{};
    int *counts, *firsts;
    processes::transfer transfer;
    explicit message(int n)
        : counts{new int[static_cast<std::size_t>(n)]{}}, firsts{new int[static_cast<std::size_t>(n)]{}} {}
    ~message() override {
      delete[] counts;
      delete[] firsts;
    }
  };
  processes::keeping<message> const m{all, new message{all.size()}};
  m->counts[0] = lines;
  for (int k = 1; k < all.size(); ++k) m->firsts[k] = lines;
  if (all.rank() == 0) std::memcpy(m->at, &x, sizeof x);
  all.gather(m->transfer, processes::channel::others, m->at, {m->counts, m->firsts});
  all.wait(m->transfer, 0);
  std::memcpy(static_cast<void*>(&x), m->at, sizeof x);
}

}  // namespace espalier::on_device
#include "../../base/diagnostics_pop.hpp"
