// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../storage/tensor.hpp"
#include "device_view.hpp"
#include "elements.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Elements in the memory of a graphics processor, row-major, owned. The same text as on the processor but for the tag: expressions, grad, compiled.
///
/// shape    S; rank 0 converts to its element by a copy to the host
/// memory   one allocation of the device's default machine; data() is an address there, which the host must not follow
/// start    tensor() is all zeros; initialisers and tensors of the host are copied to the device
/// copies   are deep and stay on the device; copy assignment reuses the storage it finds
/// moves    hand the allocation over: a tensor that was moved from has no elements, and may be assigned to, copied and destroyed
/// errors   elements by index, other shapes and other devices do not compile; cuda_error where the device refuses
/// order    everything happens in the order in which it was written; what is copied to the host has been waited for
template <class T, class S, class Device>
  requires detail::GraphicsDevice<Device>
class tensor<T, S, Device> : public detail::out_of_reach<Device> {
  static_assert(detail::is_element<T>,
                ESPALIER_SENTENCE("tensor<T, S, Device>: T is float, double, half, bfloat16, std::int32_t or bool",
                                  ESPALIER_STATED(detail::is_element<T>, T)));
  static_assert(is_shape<S>,
                ESPALIER_SENTENCE("tensor<T, S, Device>: S is an espalier::shape<...>", ESPALIER_STATED(is_shape<S>, S)));
  using machine_type = on_cuda::machine_of<Device>;
  static constexpr std::size_t bytes = static_cast<std::size_t>(S::size) * sizeof(T);

 public:
  using value_type = T;
  using shape_type = S;
  using device_type = Device;
  using is_tensor = void;

  static constexpr int rank = S::rank;
  static constexpr std::int64_t size() { return S::size; }
  static constexpr extents shape() { return S::value; }

  tensor() : memory_(machine(), bytes) {}
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
    on_cuda::device_block<machine_type> mine = static_cast<on_cuda::device_block<machine_type>&&>(memory_);
    memory_ = static_cast<on_cuda::device_block<machine_type>&&>(other.memory_);
    other.memory_ = static_cast<on_cuda::device_block<machine_type>&&>(mine);
    return *this;
  }

  /// Elements of the host, copied to the device.
  tensor(tensor<T, S> const& host) : memory_(unfilled()) { take(host.data()); }
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  explicit tensor(view<U, S> host) : memory_(unfilled()) {
    take(host.data());
  }
  tensor& operator=(tensor<T, S> const& host) {
    own();
    take(host.data());
    return *this;
  }
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  tensor& operator=(view<U, S> host) {
    own();
    take(host.data());
    return *this;
  }

  /// Elements as text, as of a tensor on the host.
  template <class First, class... Rest>
    requires(std::is_arithmetic_v<First> && (std::is_arithmetic_v<Rest> && ...))
  explicit(S::rank != 0 && sizeof...(Rest) == 0) tensor(First first, Rest... rest) : tensor(tensor<T, S>(first, rest...)) {}
  template <std::size_t... A>
    requires(sizeof...(A) > 0 && S::rank == 2)
  tensor(T const (&&... part)[A]) : tensor(tensor<T, S>(static_cast<T const(&&)[A]>(part)...)) {}
  template <std::size_t... A, std::size_t... B>
    requires(sizeof...(A) > 0 && S::rank == 3)
  tensor(T const (&&... part)[A][B]) : tensor(tensor<T, S>(static_cast<T const(&&)[A][B]>(part)...)) {}
  template <std::size_t... A, std::size_t... B, std::size_t... C>
    requires(sizeof...(A) > 0 && S::rank == 4)
  tensor(T const (&&... part)[A][B][C]) : tensor(tensor<T, S>(static_cast<T const(&&)[A][B][C]>(part)...)) {}
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D>
    requires(sizeof...(A) > 0 && S::rank == 5)
  tensor(T const (&&... part)[A][B][C][D]) : tensor(tensor<T, S>(static_cast<T const(&&)[A][B][C][D]>(part)...)) {}
  template <std::size_t... A, std::size_t... B, std::size_t... C, std::size_t... D, std::size_t... E>
    requires(sizeof...(A) > 0 && S::rank == 6)
  tensor(T const (&&... part)[A][B][C][D][E]) : tensor(tensor<T, S>(static_cast<T const(&&)[A][B][C][D][E]>(part)...)) {}
  /// Rows for a tensor that has another rank: refused there.
  template <std::size_t... A>
    requires(sizeof...(A) > 0 && S::rank != 2)
  tensor(detail::any_number const (&... part)[A]) : tensor(tensor<T, S>(part...)) {}

  /// Element type conversion, on the device: tensor<double, S, cuda>(tensor<float, S, cuda>).
  template <class U>
    requires(!std::is_same_v<U, T>)
  explicit tensor(tensor<U, S, Device> const& other) : memory_(unfilled()) {
    using kernel = on_cuda::convert_kernel<U, T, on_cuda::blocks_to_sweep(S::size)>;
    machine().template launch<kernel>({{const_cast<U*>(other.data()), data()}, {static_cast<std::uint64_t>(S::size)}});
  }

  /// The value of an expression of tensors on this device, in one fused kernel.
  template <class E>
    requires detail::EvaluableInto<E, tensor>
  tensor(E const& expression) : memory_(unfilled()) {
    static_assert(detail::shape_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, tensor>));
    static_assert(detail::integers_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, tensor>));
    static_assert(detail::element_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    if constexpr (detail::Fitting<E, tensor>) evaluate_into(expression, *this);
  }
  template <class E>
    requires detail::EvaluableInto<E, tensor>
  tensor& operator=(E const& expression) {
    static_assert(detail::shape_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, tensor>));
    static_assert(detail::integers_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, tensor>));
    static_assert(detail::element_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, tensor>));
    static_assert(detail::device_fit<E, tensor>::agree,
                  ESPALIER_SENTENCE("tensor = expression: " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, tensor>));
    own();
    if constexpr (detail::Fitting<E, tensor>) evaluate_into(expression, *this);
    return *this;
  }

  /// A copy of what a view on this device sees.
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  explicit tensor(view<U, S, Device> other) : memory_(unfilled()) {
    machine().copy(data(), other.data(), bytes);
  }
  template <class U>
    requires std::is_same_v<std::remove_const_t<U>, T>
  tensor& operator=(view<U, S, Device> other) {
    own();
    if (other.data() != data()) machine().copy(data(), other.data(), bytes);
    return *this;
  }

  /// Addresses in the device's memory.
  T* data() { return memory_.template at<T>(0); }
  T const* data() const { return memory_.template at<T>(0); }

  /// A copy on the host; waits for what is queued before it.
  tensor<T, S> to_host() const { return tensor<T, S>(*this); }
  /// Copies the elements to memory of the host.
  void copy_to(T* host) const { machine().to_host(host, data(), bytes); }

  void fill(T value) {
    using kernel = on_cuda::fill_kernel<T, on_cuda::blocks_to_sweep(S::size)>;
    machine().template launch<kernel>({{data()}, {static_cast<std::uint64_t>(S::size), detail::bits_of(value)}});
  }

  /// A scalar is its element, copied to the host.
  operator T() const requires(S::rank == 0) {
    T value;
    copy_to(&value);
    return value;
  }

 private:
  static machine_type& machine() { return on_cuda::default_machine<Device>(); }
  static on_cuda::device_block<machine_type> unfilled() { return on_cuda::device_block<machine_type>::unfilled(machine(), bytes); }
  void own() {
    if (!memory_) memory_ = unfilled();
  }
  void take(T const* host) { machine().to_device(data(), host, bytes); }
  void copy(tensor const& other) {
    own();
    machine().copy(data(), other.data(), bytes);
  }

  on_cuda::device_block<machine_type> memory_;
};

}  // namespace espalier
#pragma GCC diagnostic pop
