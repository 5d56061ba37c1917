// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/supported.hpp"

#include <cstddef>

namespace espalier::on_cuda::detail {

/// Returns the next number of a family. A kind of work gets its number at first use, the same for every backend.
template <class Family>
int next_number() {
  static int next = 0;
  return __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
}
/// The number of a kind of work. Work: the types that identify it.
template <class Family, class... Work>
int number_of() {
  static int const number = next_number<Family>();
  return number;
}

/// Objects that a backend has prepared, by the number of their work, so that none is searched for.
template <class Made>
class table_by_number {
 public:
  table_by_number() = default;
  table_by_number(table_by_number const&) = delete;
  table_by_number& operator=(table_by_number const&) = delete;
  ~table_by_number() {
    forget();
    delete[] at_;
  }
  /// null: not made yet
  Made*& at(int number) {
    if (number >= size_) grow(2 * (number + 1));
    return at_[number];
  }
  void forget() noexcept {
    for (int i = 0; i < size_; ++i) {
      delete at_[i];
      at_[i] = nullptr;
    }
  }

 private:
  void grow(int size) {
    Made** const more = new Made* [static_cast<std::size_t>(size)] {};
    for (int i = 0; i < size_; ++i) more[i] = at_[i];
    delete[] at_;
    at_ = more;
    size_ = size;
  }
  Made** at_ = nullptr;
  int size_ = 0;
};

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
