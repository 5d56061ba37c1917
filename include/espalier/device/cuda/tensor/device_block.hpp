// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/supported.hpp"

#include <cstddef>

#include "../../../base/diagnostics_push.hpp"
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
      made.at_ = backend.allocate_unfilled(bytes);
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
    if (at_ != nullptr) backend_->release(at_);
  }
  void forget() noexcept {
    at_ = nullptr;
    bytes_ = 0;
  }

  Backend* backend_ = nullptr;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
