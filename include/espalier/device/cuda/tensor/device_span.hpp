// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cassert>

#include "../../../base/sentence.hpp"
#include "../../../storage/element.hpp"
#include "../library/default_backend.hpp"

namespace espalier {

namespace detail {
/// A constraint that errors name: the host can read the elements in place.
template <class Device>
struct host_reads {
  static constexpr bool agree = false;
};
}  // namespace detail

#define ESPALIER_ELEMENTS_ON_DEVICE \
  "the elements are in device memory: copy them with to_host(span), replace them with from_host(span)"

/// A span of elements in device memory: parameters, buffers or gradients of a model. The host copies them as a whole.
/// owns    nothing
/// errors  a span of another size is asserted; indices and loops over the elements do not compile
template <class T, class Device>
class device_span {
  using element = std::remove_const_t<T>;

 public:
  using element_type = T;
  using device_type = Device;

  device_span(on_cuda::backend_of<Device>& backend, T* data, std::int64_t size)
      : backend_{&backend}, data_{data}, size_{size} {}

  /// An address on the device.
  T* data() const { return data_; }
  std::int64_t size() const { return size_; }

  /// Copies the elements to the host and waits until the copy is done.
  void to_host(espalier::span<element> to) const {
    assert(to.size() == size_);
    if (size_ > 0) backend_->to_host(to.data(), data_, bytes());
  }
  /// Copies elements of the host to the device.
  void from_host(espalier::span<element const> from) const requires(!std::is_const_v<T>) {
    assert(from.size() == size_);
    if (size_ > 0) backend_->to_device(data_, from.data(), bytes());
  }

  template <class Reads = detail::host_reads<Device>>
  element* begin() const {
    static_assert(Reads::agree, ESPALIER_SENTENCE(ESPALIER_ELEMENTS_ON_DEVICE, Reads));
    return nullptr;
  }
  template <class Reads = detail::host_reads<Device>>
  element* end() const {
    return nullptr;
  }
  template <class Reads = detail::host_reads<Device>>
  element& operator[](std::int64_t) const {
    static_assert(Reads::agree, ESPALIER_SENTENCE(ESPALIER_ELEMENTS_ON_DEVICE, Reads));
    return *data_;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  on_cuda::backend_of<Device>* backend_;
  T* data_;
  std::int64_t size_;
};

}  // namespace espalier
#include "../../../base/diagnostics_pop.hpp"
