// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../storage/tensor.hpp"
#include "device_view.hpp"
#include "../kernel/tensor_kernels.hpp"
#include "device_block.hpp"

namespace espalier {

/// A tensor that owns row-major elements in the memory of a graphics processor. Expressions, grad and compiled are used
/// as on the host; only the device tag differs.
///
/// shape    S; rank 0 converts to its element by a copy to the host
/// memory   one allocation of the device's default backend; the host must not dereference data()
/// start    tensor() is all zeros; initializers and tensors of the host are copied to the device
/// copies   are deep and stay on the device; copy assignment reuses the existing storage
/// moves    transfer the allocation: a moved-from tensor has no elements; you may assign to it, copy and destroy it
/// errors   elements by index, other shapes and other devices do not compile; cuda_error if a call of the device fails
/// order    operations run in program order; a copy to the host waits for all operations before it
template <class T, class S, class Device>
  requires detail::GraphicsDevice<Device>
class tensor<T, S, Device> : public detail::out_of_reach<Device> {
  static_assert(detail::is_element<T>,
                ESPALIER_SENTENCE("tensor<T, S, Device>: T is float, double, half, bfloat16, std::int32_t or bool",
                                  ESPALIER_STATED(detail::is_element<T>, T)));
  static_assert(is_shape<S>, ESPALIER_SENTENCE("tensor<T, S, Device>: S is an espalier::shape<...>",
                                               ESPALIER_STATED(is_shape<S>, S)));
  using backend_type = on_cuda::backend_of<Device>;
  static constexpr std::size_t bytes = static_cast<std::size_t>(S::size) * sizeof(T);
  /// Views, also of a class derived from view: their constructor copies.
  template <class E>
  static constexpr bool is_copied =
      std::is_base_of_v<view<T, S, Device>, E> || std::is_base_of_v<view<T const, S, Device>, E>;

 public:
  using value_type = T;
  using shape_type = S;
  using device_type = Device;
  using is_tensor = void;

  static constexpr int rank = S::rank;
  static constexpr std::int64_t size() { return S::size; }
  static constexpr extents shape() { return S::value; }

  tensor() : memory_(backend(), bytes) {}
  tensor(tensor const& other) {
    if (other.memory_) copy(other);
  }
  tensor(tensor&& other) noexcept = default;
  tensor& operator=(tensor const& other) {
    if (this == &other) return *this;
    if (other.memory_) copy(other);
    else memory_ = {};
    return *this;
  }
  tensor& operator=(tensor&& other) noexcept {
    on_cuda::device_block<backend_type> mine = static_cast<on_cuda::device_block<backend_type>&&>(memory_);
    memory_ = static_cast<on_cuda::device_block<backend_type>&&>(other.memory_);
    other.memory_ = static_cast<on_cuda::device_block<backend_type>&&>(mine);
    return *this;
  }

  /// Elements of the host, copied to the device.
  tensor(tensor<T, S> const& host) : memory_(unfilled()) { copy_from_host(host.data()); }
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  explicit tensor(view<U, S> host) : memory_(unfilled()) { copy_from_host(host.data()); }
  tensor& operator=(tensor<T, S> const& host) {
    own();
    copy_from_host(host.data());
    return *this;
  }
  template <class U>
    requires(std::is_same_v<std::remove_const_t<U>, T>)
  tensor& operator=(view<U, S> host) {
    own();
    copy_from_host(host.data());
    return *this;
  }

  /// Elements in braces, as for a tensor on the host.
  template <class First, class... Rest>
    requires(std::is_arithmetic_v<First> && (std::is_arithmetic_v<Rest> && ...))
  explicit(S::rank != 0 && sizeof...(Rest) == 0) tensor(First first, Rest... rest)
      : tensor(tensor<T, S>(first, rest...)) {}
  template <std::size_t... A>
    requires(sizeof...(A) > 0 && S::rank == 2)
  tensor(T const (&&... part)[A]) : tensor(tensor<T, S>(static_cast<T const (&&)[A]>(part)...)) {}
  template <std::size_t... A, std::size_t... B>
    requires(sizeof...(A) > 0 && S::rank == 3)
  tensor(T const (&&... part)[A][B]) : tensor(tensor<T, S>(static_cast<T const (&&)[A][B]>(part)...)) {}
  template <std::size_t... A, std::size_t... B, std::size_t... C>
    requires(sizeof...(A) > 0 && S::rank == 4)
  tensor(T const (&&... part)[A][B][C]) : tensor(tensor<T, S>(static_cast<T const (&&)[A][B][C]>(part)...)) {}
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D>
    requires(sizeof...(A) > 0 && S::rank == 5)
  tensor(T const (&&... part)[A][B][C][D]) : tensor(tensor<T, S>(static_cast<T const (&&)[A][B][C][D]>(part)...)) {}
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D, std::size_t... E>
    requires(sizeof...(A) > 0 && S::rank == 6)
  tensor(T const (&&... part)[A][B][C][D][E])
      : tensor(tensor<T, S>(static_cast<T const (&&)[A][B][C][D][E]>(part)...)) {}
  /// Rows for a tensor of another rank do not compile: the constructor of the host's tensor reports the error.
  template <std::size_t... A>
    requires(sizeof...(A) > 0 && S::rank != 2)
  tensor(detail::any_number const (&... part)[A]) : tensor(tensor<T, S>(part...)) {}

  /// Element type conversion, on the device: tensor<double, S, cuda>(tensor<float, S, cuda>).
  template <class U>
    requires(!std::is_same_v<U, T>)
  explicit tensor(tensor<U, S, Device> const& other) : memory_(unfilled()) {
    using kernel = on_cuda::convert_elements_kernel<U, T, on_cuda::blocks_for_elements(S::size)>;
    backend().template launch<kernel>({{const_cast<U*>(other.data()), data()}, {static_cast<std::uint64_t>(S::size)}});
  }

  /// The value of an expression of tensors on this device, in one fused kernel.
  template <class E>
    requires(detail::EvaluableInto<E, tensor> && !is_copied<E>)
  tensor(E const& expression) : memory_(unfilled()) {
    static_assert(detail::shape_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, tensor>));
    static_assert(
        detail::integers_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, tensor>));
    static_assert(
        detail::element_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    if constexpr (detail::Fitting<E, tensor>) evaluate_into(expression, *this);
  }
  template <class E>
    requires(detail::EvaluableInto<E, tensor> && !is_copied<E>)
  tensor& operator=(E const& expression) {
    static_assert(detail::shape_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, tensor>));
    static_assert(
        detail::integers_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, tensor>));
    static_assert(
        detail::element_fit<E, tensor>::agree,
        ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    own();
    if constexpr (detail::Fitting<E, tensor>) evaluate_into(expression, *this);
    return *this;
  }

  /// A copy of the elements of a view on this device.
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  explicit tensor(view<U, S, Device> other) : memory_(unfilled()) { backend().copy(data(), other.data(), bytes); }
  template <class U>
    requires(std::is_same_v<std::remove_const_t<U>, T>)
  tensor& operator=(view<U, S, Device> other) {
    own();
    if (other.data() != data()) backend().copy(data(), other.data(), bytes);
    return *this;
  }

  /// Addresses in the device's memory.
  T* data() { return memory_.template at<T>(0); }
  T const* data() const { return memory_.template at<T>(0); }

  /// A copy on the host; waits for everything queued before it.
  tensor<T, S> to_host() const { return tensor<T, S>(*this); }
  /// Copies the elements to memory of the host.
  void copy_to(T* host) const { backend().to_host(host, data(), bytes); }

  void fill(T value) {
    using kernel = on_cuda::fill_kernel<T, on_cuda::blocks_for_elements(S::size)>;
    backend().template launch<kernel>({{data()}, {static_cast<std::uint64_t>(S::size), detail::bits_of(value)}});
  }

  /// Converts a scalar to its element by a copy to the host.
  operator T() const requires(S::rank == 0) {
    T value;
    copy_to(&value);
    return value;
  }

 private:
  static backend_type& backend() { return on_cuda::default_backend<Device>(); }
  static on_cuda::device_block<backend_type> unfilled() {
    return on_cuda::device_block<backend_type>::unfilled(backend(), bytes);
  }
  void own() {
    if (!memory_) memory_ = unfilled();
  }
  void copy_from_host(T const* host) { backend().to_device(data(), host, bytes); }
  void copy(tensor const& other) {
    own();
    backend().copy(data(), other.data(), bytes);
  }

  on_cuda::device_block<backend_type> memory_;
};

}  // namespace espalier
#include "../../../base/diagnostics_pop.hpp"
