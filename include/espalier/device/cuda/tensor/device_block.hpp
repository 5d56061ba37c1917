// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>

#include "../../../storage/memory.hpp"

namespace espalier::on_cuda {

/// Owns memory of a device: zeroed, 256-byte aligned, released to the backend that allocated it.
/// moves   transfer the memory: a moved-from block has none
/// errors  what the backend's allocate throws (cuda_error)
/// cost    a pointer, the backend's address and a size
template <class Backend>
class device_block {
 public:
  device_block() = default;
  device_block(Backend& backend, std::size_t bytes)
      : backend_(&backend), at_(bytes > 0 ? backend.allocate(bytes) : nullptr), bytes_(bytes) {}
  /// Memory that is written before it is read: not zeroed if the backend can omit that.
  static device_block unfilled(Backend& backend, std::size_t bytes) {
    if constexpr (requires { backend.allocate_unfilled(bytes); }) {
      device_block made;
      made.backend_ = &backend;
      made.at_ = bytes > 0 ? backend.allocate_unfilled(bytes) : nullptr;
      made.bytes_ = bytes;
      return made;
    } else {
      return {backend, bytes};
    }
  }
  device_block(device_block&& other) noexcept : backend_(other.backend_), at_(other.at_), bytes_(other.bytes_) {
    other.forget();
  }
  device_block& operator=(device_block&& other) noexcept {
    if (this != &other) {
      release();
      backend_ = other.backend_;
      at_ = other.at_;
      bytes_ = other.bytes_;
      other.forget();
    }
    return *this;
  }
  ~device_block() { release(); }

  /// The address at a byte offset in the device's memory; the host must not dereference it.
  template <class T>
  T* at(std::size_t offset) const {
    return at_ == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<unsigned char*>(at_) + offset);
  }
  std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return at_ != nullptr; }

 private:
  void release() noexcept {
    if (at_ != nullptr) backend_->release(at_, bytes_);
  }
  void forget() noexcept {
    at_ = nullptr;
    bytes_ = 0;
  }

  Backend* backend_ = nullptr;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Zeroed host memory for copies from and to the device: pinned if the backend supports it, so that a copy is one
/// transfer.
template <class Backend>
class staging_block {
 public:
  staging_block(Backend& backend, std::size_t bytes)
      : backend_{&backend}, at_{static_cast<unsigned char*>(allocate(backend, bytes))} {
    __builtin_memset(at_, 0, bytes);
  }
  staging_block(staging_block&& other) noexcept : backend_{other.backend_}, at_{other.at_} { other.at_ = nullptr; }
  staging_block& operator=(staging_block&&) = delete;
  ~staging_block() {
    if (at_ == nullptr) return;
    if constexpr (pinned) backend_->release_pinned(at_);
    else espalier::detail::release_aligned(at_);
  }
  unsigned char* at(std::size_t offset) const { return at_ + offset; }

 private:
  static constexpr bool pinned = requires(Backend & backend) { backend.allocate_pinned(std::size_t{}); };
  static void* allocate(Backend& backend, std::size_t bytes) {
    if constexpr (pinned) return backend.allocate_pinned(bytes > 0 ? bytes : 1);
    else return espalier::detail::allocate_aligned(bytes);
  }
  Backend* backend_;
  unsigned char* at_;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
