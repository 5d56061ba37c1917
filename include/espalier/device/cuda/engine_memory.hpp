// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../storage/bytes.hpp"
#include "../cpu/run.hpp"
#include "library/default_backend.hpp"
#include "tensor/device_block.hpp"
#include "tensor/device_span.hpp"

namespace espalier::on_cuda {

/// What the engines of one and of several graphics processors share: the memory of their backend.
template <class Device>
class engine_memory {
 public:
  using backend_type = backend_of<Device>;
  static constexpr bool has_device_memory = true;
  using memory_device = Device;
  using memory = device_block<backend_type>;
  template <class T>
  using elements = device_span<T, Device>;
  template <class Program>
  using program = Program;

  /// Uses the backend of the device's tensors, so that their values are ready when a step reads them.
  engine_memory() : backend_{&default_backend<Device>()} {}
  explicit engine_memory(backend_type& backend) : backend_{&backend} {}

  memory allocate(std::size_t size) const { return memory{*backend_, size}; }
  memory allocate(std::size_t size, std::size_t) const { return allocate(size); }
  template <std::size_t Count>
  memory allocate(bytes<Count>&, std::size_t) const {  // memory of the host: a static_assert of the caller reports it
    return memory{};
  }
  static memory hand_over(memory& from) noexcept { return static_cast<memory&&>(from); }
  static void hand_over(memory& from, memory& to) noexcept { to = static_cast<memory&&>(from); }
  template <class T>
  elements<T> span_of(T* data, std::int64_t size) const {
    return {*backend_, data, size};
  }
  void copy(void* to, void const* from, std::size_t size) const {
    if (size > 0) backend_->copy(to, from, size);
  }
  void to_device(void* to, void const* from, std::size_t size) const {
    if (size > 0) backend_->to_device(to, from, size);
  }
  void to_host(void* to, void const* from, std::size_t size) const {
    if (size > 0) backend_->to_host(to, from, size);
  }
  template <class Program, class T, class Arch = on_cpu::default_arch>
  void run_on_host(void* const* base) const noexcept {
    on_cpu::run<Program, T, Arch>(base);
  }

 protected:
  backend_type* backend_;
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
