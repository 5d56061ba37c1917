// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "half.hpp"

namespace espalier {

namespace detail {
/// Real numbers for storage only: devices widen them to float as they load them, and compute in float.
template <class T>
inline constexpr bool is_narrow = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
/// The type in which numbers stored as T are computed.
template <class T>
using computed_in = std::conditional_t<is_narrow<T>, float, T>;
template <class T>
inline constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double> || is_narrow<T>;
template <class T>
inline constexpr bool is_element = is_real<T> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, bool>;
}  // namespace detail

/// The element types of a tensor: float and double for computation, half and bfloat16 for storage of real numbers,
/// std::int32_t and bool for data.
template <class T>
concept Element = detail::is_element<T>;

/// The element types that have gradients.
template <class T>
concept RealElement = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Contiguous elements that it does not own: a pointer and a count. std::span would cost 0.15 s to include; each
/// converts into the other.
template <class T>
class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;

  constexpr span() = default;
  constexpr span(T* data, std::int64_t size) : data_(data), size_(size) {}
  /// span<T> to span<T const>.
  template <class U>
    requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>)
  constexpr span(span<U> other) : data_(other.data()), size_(other.size()) {}

  constexpr T* data() const { return data_; }
  constexpr std::int64_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](auto i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  /// The elements first .. first + count - 1.
  constexpr span part(std::int64_t first, std::int64_t count) const { return {data_ + first, count}; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

namespace detail {
template <class Owner>
struct owner_of_kept {
  Owner owner;
};
/// What refers to memory of a temporary, together with the temporary: `auto s = f(x).span();` and a loop over it are
/// right. Another object cannot be made of it, because it would refer to the memory of this one.
template <class Owner, class Of>
class kept_with : protected owner_of_kept<Owner>, public Of {
 public:
  using keeps_elements = void;
  /// of(owner) refers to memory of the owner.
  constexpr kept_with(Owner&& kept, auto const& of)
      : owner_of_kept<Owner>{static_cast<Owner&&>(kept)}, Of(of(owner_of_kept<Owner>::owner)) {}
  kept_with(kept_with const&) = delete;
  kept_with& operator=(kept_with const&) = delete;
};
template <class Owner, class F>
kept_with(Owner&&, F) -> kept_with<Owner, decltype(std::declval<F>()(std::declval<Owner&>()))>;
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
