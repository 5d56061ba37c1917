// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "device.hpp"
#include "element.hpp"
#include "layout.hpp"

#if defined(__clang__)
#define ESPALIER_BORROWS [[clang::lifetimebound]]
#else
#define ESPALIER_BORROWS
#endif

namespace espalier {

template <class T, class S, class Device = cpu>
class tensor;

/// A tensor or a view of any device: elements in row-major memory, with a shape known to the compiler.
template <class X>
concept StoredAnywhere = detail::marked_tensor<std::remove_cvref_t<X>> || detail::marked_view<std::remove_cvref_t<X>>;

/// A tensor or a view whose elements this processor reaches.
template <class X>
concept Stored = StoredAnywhere<X> && !detail::is_graphics<device_of<X>>;

namespace detail {

/// A fact for a refusal: an array must have as many elements as the shape it is seen as; a pointer does not know.
template <class S, class Elements>
struct array_counts {
  static constexpr bool agree = true;
};
template <class S, class T, std::size_t Count>
struct array_counts<S, T[Count]> {
  ESPALIER_READS("the shape is {}, the array {}")
  static constexpr bool agree = S::size == static_cast<std::int64_t>(Count);
};

/// A fact for a refusal: two operands must have one shape.
template <class A, class B>
struct same_shape {
  static constexpr bool agree = std::is_same_v<A, B>;
};

}  // namespace detail

/// Elements that somebody else owns, seen as a tensor of shape S. T may be const.
/// shape   S, row-major and without gaps
/// owns    nothing: a view must not outlive what it looks at; copying a view copies the look, not the elements
/// cost    one pointer
template <class T, class S, class Device = cpu>
class view {
  static_assert(detail::is_element<std::remove_const_t<T>>,
                ESPALIER_SENTENCE("view<T, S>: T is float, double, half, bfloat16, std::int32_t or bool (const or not)",
                                  ESPALIER_STATED(detail::is_element<std::remove_const_t<T>>, T)));
  static_assert(is_shape<S>, ESPALIER_SENTENCE("view<T, S>: S is an espalier::shape<...>", ESPALIER_STATED(is_shape<S>, S)));
  static_assert(detail::storage_on<Device>::included,
                ESPALIER_SENTENCE("view<T, S, cuda>: include <espalier/cuda.hpp> for tensors on the graphics processor (simulated_cuda: <espalier/simulated_cuda.hpp>)",
                                  ESPALIER_STATED(detail::storage_on<Device>::included, Device)));

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using shape_type = S;
  using device_type = Device;
  using is_view = void;

  static constexpr int rank = S::rank;
  static constexpr std::int64_t size() { return S::size; }
  static constexpr extents shape() { return S::value; }

  /// Looks at S::size elements from a pointer on, or at a whole array, whose length is checked.
  template <class P, class Counts = detail::array_counts<S, std::remove_reference_t<P>>>
    requires std::is_convertible_v<P, T*>
  constexpr explicit view(P&& elements) : data_(elements) {
    static_assert(Counts::agree, ESPALIER_SENTENCE("view(array): the array must have as many elements as the shape", Counts));
  }
  /// Looks at a run of elements, of which there must be S::size (asserted).
  constexpr explicit view(espalier::span<T> elements) : data_(elements.data()) { assert(elements.size() == S::size); }
  /// A tensor is its own view.
  constexpr view(tensor<value_type, S>& owner ESPALIER_BORROWS) : data_(owner.data()) {}
  constexpr view(tensor<value_type, S> const& owner ESPALIER_BORROWS) requires std::is_const_v<T> : data_(owner.data()) {}
  /// view<T, S> to view<T const, S>.
  template <class U>
    requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>)
  constexpr view(view<U, S> other) : data_(other.data()) {}

  constexpr T* data() const { return data_; }
  constexpr espalier::span<T> span() const { return {data_, S::size}; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + S::size; }

  /// The element at a position in row-major order (asserted to be inside).
  template <class I>
    requires std::is_integral_v<I>
  constexpr T& operator[](I flat) const {
    assert(static_cast<std::int64_t>(flat) >= 0 && static_cast<std::int64_t>(flat) < S::size);
    return data_[flat];
  }
  /// The element at one index per axis (asserted to be inside).
  template <class... I, class Indices = detail::indices<S, static_cast<int>(sizeof...(I))>>
    requires(std::is_integral_v<I>&&...)
  constexpr T& operator()(I... index) const {
    static_assert(Indices::agree, ESPALIER_SENTENCE("x(i, j, ...): one index per axis", Indices));
    return data_[detail::position<Indices>(index...)];
  }
  constexpr void fill(value_type value) const requires(!std::is_const_v<T>) {
    for (T& element : *this) element = value;
  }

 private:
  T* data_;
};

/// True when every element of a equals that of b (nan equals nothing, -0 equals 0).
template <Stored A, Stored B, class Shapes = detail::same_shape<typename A::shape_type, typename B::shape_type>>
constexpr bool operator==(A const& a, B const& b) {
  constexpr bool comparable = std::is_same_v<typename A::value_type, typename B::value_type>;
  static_assert(comparable,
                ESPALIER_SENTENCE("a == b: both must have the same element type",
                                  ESPALIER_STATED(comparable, typename A::value_type, typename B::value_type)));
  static_assert(Shapes::agree, ESPALIER_SENTENCE("a == b: both must have the same shape", Shapes));
  if constexpr (Shapes::agree && comparable)
    for (std::int64_t i = 0; i < A::size(); ++i)
      if (a.data()[i] != b.data()[i]) return false;
  return true;
}

}  // namespace espalier
