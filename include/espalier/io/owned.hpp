// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"
#include "../storage/ended.hpp"

#include <cstddef>
#include <cstdint>
#include <new>

namespace espalier::io {

/// owned<T>: memory for a run-time number of trivial elements, allocated once, never grown. Movable, not copyable.
/// Throws std::bad_alloc if the allocation fails.
/// (std::vector costs 0.25 s of compile time, std::unique_ptr 0.7 s.)
template <class T>
class owned {
 public:
  owned() = default;
  explicit owned(std::int64_t size) : data_{new T[static_cast<std::size_t>(size)]}, size_{size} {}
  owned(owned&& other) noexcept : data_{other.data_}, size_{other.size_} {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  owned& operator=(owned&& other) noexcept {
    T* const data = data_;
    std::int64_t const size = size_;
    data_ = other.data_;
    size_ = other.size_;
    other.data_ = data;
    other.size_ = size;
    return *this;
  }
  ~owned() {
    espalier::detail::note_end(data_);
    delete[] data_;
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] T const* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::int64_t at) noexcept { return data_[at]; }
  [[nodiscard]] T const& operator[](std::int64_t at) const noexcept { return data_[at]; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
