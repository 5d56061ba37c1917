// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../elements_on.hpp"
#include "device_group.hpp"
#include "tensor/device_block.hpp"

namespace espalier::on_cuda {

/// Memory for the inputs and outputs of runs on several devices, at the same offset of mirrored memory
/// (on_cuda::exchange describes the interface). Inputs are copied at once: to each device, or the k-th part to device
/// k, or to device 0 for an evaluation. Outputs are those of device 0.
/// memory  one allocation on each device and one on the host, at construction
template <class Device>
class parallel_exchange {
  using group = backend_of<Device>;
  using backend = typename group::backend_type;
  template <class T, std::int64_t Count>
  using on_host = espalier::detail::elements_on<T, cpu, Count>;

 public:
  parallel_exchange(group& devices, std::size_t device_bytes, std::size_t host_bytes)
      : group_{&devices}, device_memory_{devices, device_bytes}, host_memory_{devices.backend(0), host_bytes} {}

  template <class T, std::int64_t Count>
  void* stage_in(on_host<T, Count> x, std::size_t offset) {
    group_->to_device(at(offset), x.data, x.bytes);
    return at(offset);
  }
  template <class T, std::int64_t Count>
  void* stage_parts(on_host<T, Count> x, std::size_t offset) {
    static_assert(Count % group::count == 0);
    group_->on_each([&](int k, backend& to) {
      to.to_device(group_->address(k, at(offset)), x.data + k * (Count / group::count), x.bytes / group::count);
    });
    return at(offset);
  }
  template <class T, std::int64_t Count>
  void* stage_first(on_host<T, Count> x, std::size_t offset) {
    group_->on_all([&](auto const& use) { use(0).to_device(at(offset), x.data, x.bytes); });
    return at(offset);
  }
  static void upload() {}
  static void release() {}
  template <class T, std::int64_t Count>
  void* stage_out(on_host<T, Count>, std::size_t offset) const {
    return at(offset);
  }
  void download(std::size_t offset, std::size_t bytes) { group_->to_host(host_memory_.at(offset), at(offset), bytes); }
  template <class T, std::int64_t Count>
  void copy_out(on_host<T, Count> y, std::size_t offset) const {
    __builtin_memcpy(y.data, host_memory_.at(offset), y.bytes);
  }
  template <class T, std::int64_t Count>
  static T* view_on_host(on_host<T, Count> x, std::size_t) {
    return x.data;
  }
  template <class T>
  T* host_address(T*, std::size_t offset) const {
    return reinterpret_cast<T*>(host_memory_.at(offset));
  }

 private:
  void* at(std::size_t offset) const { return device_memory_.template at<void>(offset); }

  group* group_;
  device_block<group> device_memory_;
  staging_block<backend> host_memory_;
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
