// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/supported.hpp"

#include <cstddef>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// Memory of a device, owned: zeroed, 256-byte aligned, given back to the machine that it came from.
/// moves   hand the memory over: a block that was moved from has none
/// errors  what the machine's allocate throws (cuda_error)
/// cost    a pointer, the machine's address and a size
template <class Machine>
class device_block {
 public:
  device_block() = default;
  device_block(Machine& machine, std::size_t bytes) : machine_(&machine), at_(bytes > 0 ? machine.allocate(bytes) : nullptr), bytes_(bytes) {}
  /// Memory whose first value somebody writes before anyone reads it: not zeroed where the machine can leave that out.
  static device_block unfilled(Machine& machine, std::size_t bytes) {
    if constexpr (requires { machine.allocate_unfilled(bytes); }) {
      device_block made;
      made.machine_ = &machine;
      made.at_ = machine.allocate_unfilled(bytes);
      made.bytes_ = bytes;
      return made;
    } else {
      return {machine, bytes};
    }
  }
  device_block(device_block&& other) noexcept : machine_(other.machine_), at_(other.at_), bytes_(other.bytes_) { other.forget(); }
  device_block& operator=(device_block&& other) noexcept {
    if (this != &other) {
      give_back();
      machine_ = other.machine_;
      at_ = other.at_;
      bytes_ = other.bytes_;
      other.forget();
    }
    return *this;
  }
  ~device_block() { give_back(); }

  /// The address of an element in the device's memory; the host must not follow it.
  template <class T>
  T* at(std::size_t offset) const {
    return at_ == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<unsigned char*>(at_) + offset);
  }
  std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return at_ != nullptr; }

 private:
  void give_back() noexcept {
    if (at_ != nullptr) machine_->release(at_);
  }
  void forget() noexcept {
    at_ = nullptr;
    bytes_ = 0;
  }

  Machine* machine_ = nullptr;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
