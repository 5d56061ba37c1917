// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../storage/tensor.hpp"
#include "../error.hpp"
#include "../library/default_backend.hpp"

namespace espalier {

namespace detail {

/// A graphics processor whose tensors this translation unit includes.
template <class Device>
concept GraphicsDevice = is_graphics<Device> && storage_on<Device>::included && on_one_device<Device>::agree;

/// A tensor on a graphics processor.
template <class X>
concept StoredOnGraphics = TensorOrView<X> && is_graphics<device_of<X>>;

/// A constraint that errors name: the host can reach the elements.
template <class Device>
struct reached_by_host {
  static constexpr bool agree = !is_graphics<Device>;
};
#define ESPALIER_COPY_TO_HOST "the elements are on the graphics processor; copy them to the host first: x.to_host()"

/// Elements by index: compile-time errors for tensors and views on a graphics processor.
template <class Device>
struct out_of_reach {
  template <class I, class Reached = reached_by_host<Device>>
    requires std::is_integral_v<I>
  auto operator[](I) const {
    static_assert(Reached::agree, ESPALIER_SENTENCE("x[i]: " ESPALIER_COPY_TO_HOST, Reached));
    return invalid<Reached>{};
  }
  template <class... I, class Reached = reached_by_host<Device>>
    requires(std::is_integral_v<I>&&...)
  auto operator()(I...) const {
    static_assert(Reached::agree, ESPALIER_SENTENCE("x(i, j, ...): " ESPALIER_COPY_TO_HOST, Reached));
    return invalid<Reached>{};
  }
};

template <class A, class B>
using graphics_of = std::conditional_t<StoredOnGraphics<A>, device_of<A>, device_of<B>>;

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace detail

/// A tensor of shape S on a graphics processor that does not own its elements. T may be const.
/// shape   S, row-major and contiguous
/// owns    nothing: a view must not outlive the memory that it refers to
/// mirror  a view can have the address of a copy of its elements on the host. Trainers then check labels and indices in
///         that copy, so that a step does not wait for the device, and read the elements where they are. Neither may be
///         written before everything that is queued with the view is done
/// errors  elements by index do not compile; cuda_error if a copy fails
template <class T, class S, class Device>
  requires detail::GraphicsDevice<Device>
class view<T, S, Device> : public detail::out_of_reach<Device> {
  static_assert(
      detail::is_element<std::remove_const_t<T>>,
      ESPALIER_SENTENCE("view<T, S, Device>: T is float, double, half, bfloat16, std::int32_t or bool (const or not)",
                        ESPALIER_STATED(detail::is_element<std::remove_const_t<T>>, T)));
  static_assert(is_shape<S>,
                ESPALIER_SENTENCE("view<T, S, Device>: S is an espalier::shape<...>", ESPALIER_STATED(is_shape<S>, S)));

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using shape_type = S;
  using device_type = Device;
  using is_view = void;

  static constexpr int rank = S::rank;
  static constexpr std::int64_t size() { return S::size; }
  static constexpr extents shape() { return S::value; }

  /// Refers to the S::size elements that start at an address of the device, a multiple of 16 bytes.
  /// errors  cuda_error for another address: kernels load 16 bytes at a time
  explicit view(T* elements) : data_(elements) {
    if (reinterpret_cast<std::uintptr_t>(elements) % 16 != 0)
      on_cuda::detail::throw_error<on_cuda::cuda_error>(
          "view<T, S, Device>: the address must be a multiple of 16 bytes, because kernels load 16 bytes at a time; it is %p",
          static_cast<void const*>(elements));
  }
  /// The same, with the address of the same elements on the host.
  view(T* elements, std::remove_const_t<T> const* host_copy) : view(elements) { host_copy_ = host_copy; }
  /// The same for elements that work on a stream of yours writes: the backend of the device's tensors waits for what is
  /// queued on the stream now. backend.continue_on(stream) orders the stream's later work behind the backend's.
  template <class Stream>
    requires requires(on_cuda::backend_of<Device>& backend, Stream stream) { backend.wait_for(stream); }
  view(T* elements, Stream stream) : view(elements) { on_cuda::default_backend<Device>().wait_for(stream); }
  /// A tensor converts to a view of its elements.
  view(tensor<value_type, S, Device>& owner ESPALIER_BORROWS) : data_(owner.data()) {}
  view(tensor<value_type, S, Device> const& owner ESPALIER_BORROWS) requires std::is_const_v<T> : data_(owner.data()) {}
  /// view<T, S, Device> to view<T const, S, Device>.
  template <class U>
    requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>)
  view(view<U, S, Device> other) : data_(other.data()), host_copy_(other.host_copy()) {}

  /// An address in the device's memory.
  T* data() const { return data_; }
  /// The address of the copy on the host; null if the view has none.
  std::remove_const_t<T> const* host_copy() const { return host_copy_; }

  /// A copy on the host; waits for everything queued before it.
  tensor<value_type, S> to_host() const { return tensor<value_type, S>(*this); }
  /// Copies the elements to memory of the host.
  void copy_to(value_type* host) const {
    on_cuda::default_backend<Device>().to_host(host, data_, static_cast<std::size_t>(S::size) * sizeof(T));
  }

 private:
  T* data_;
  std::remove_const_t<T> const* host_copy_ = nullptr;
};

/// Functions that read single elements do not compile for tensors on a graphics processor.
template <class A, class B, class Reached = detail::reached_by_host<detail::graphics_of<A, B>>>
  requires(TensorOrView<A>&& TensorOrView<B> && (detail::StoredOnGraphics<A> || detail::StoredOnGraphics<B>))
bool operator==(A const&, B const&) {
  static_assert(Reached::agree, ESPALIER_SENTENCE("a == b: " ESPALIER_COPY_TO_HOST, Reached));
  return false;
}
template <class A, class B, class Reached = detail::reached_by_host<detail::graphics_of<A, B>>>
  requires(TensorOrView<A>&& TensorOrView<B> && (detail::StoredOnGraphics<A> || detail::StoredOnGraphics<B>))
bool all_close(A const&, B const&, double = 0, double = 0) {
  static_assert(Reached::agree, ESPALIER_SENTENCE("all_close(a, b): " ESPALIER_COPY_TO_HOST, Reached));
  return false;
}
template <detail::StoredOnGraphics X, class Reached = detail::reached_by_host<device_of<X>>>
std::int64_t argmax(X const&) {
  static_assert(Reached::agree, ESPALIER_SENTENCE("argmax(x): " ESPALIER_COPY_TO_HOST, Reached));
  return 0;
}
template <class Out, detail::StoredOnGraphics X, class Reached = detail::reached_by_host<device_of<X>>>
  requires requires(Out& out) {
    out.put('x');
    out.precision();
  }
Out& operator<<(Out& out, X const&) {
  static_assert(Reached::agree, ESPALIER_SENTENCE("out << x: " ESPALIER_COPY_TO_HOST, Reached));
  return out;
}

}  // namespace espalier
#include "../../../base/diagnostics_pop.hpp"
