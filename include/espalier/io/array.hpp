// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../shape/axis_order.hpp"
#include "../shape/shape.hpp"
#include "../storage/half.hpp"
#include "error.hpp"

/// Arrays as files store them: a name, an element type, extents, and row-major little-endian bytes.
namespace espalier::io {

static_assert(std::endian::native == std::endian::little,
              "reading and writing files of tensors requires a little-endian processor");

/// The element type of an array: truth values, unsigned (u) and signed (i) integers, and real numbers (f; b16:
/// bfloat16) of the stated number of bits.
enum class element_kind : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f16, b16, f32, f64 };
inline constexpr int element_kinds = 13;

constexpr std::int64_t bytes_of(element_kind kind) noexcept {
  constexpr int bytes[element_kinds] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return bytes[static_cast<int>(kind)];
}
/// The name of the type in C++.
constexpr char const* name_of(element_kind kind) noexcept {
  constexpr char const* names[element_kinds] = {
      "bool",          "std::uint8_t", "std::int8_t", "std::uint16_t", "std::int16_t", "std::uint32_t", "std::int32_t",
      "std::uint64_t", "std::int64_t", "half",        "bfloat16",      "float",        "double"};
  return names[static_cast<int>(kind)];
}
constexpr bool is_real(element_kind kind) noexcept { return kind >= element_kind::f16; }

/// The element kind of type T.
template <class T>
inline constexpr element_kind kind_of = [] {
  if constexpr (std::is_same_v<T, bool>) return element_kind::boolean;
  else if constexpr (std::is_same_v<T, half>) return element_kind::f16;
  else if constexpr (std::is_same_v<T, bfloat16>) return element_kind::b16;
  else if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? element_kind::f32 : element_kind::f64;
  else
    return static_cast<element_kind>((sizeof(T) == 1   ? 1
                                      : sizeof(T) == 2 ? 3
                                      : sizeof(T) == 4 ? 5
                                                       : 7) +
                                     std::is_signed_v<T>);
}();

/// A named view of an array in memory; something else owns the bytes.
/// shape       extents, in elements; without any, one element
/// of_model    whether it is a parameter or a buffer of a model: libraries store these with different orders of axes
/// in_pytorch  the order of its axes in PyTorch
/// state_at    the array is a state of a sharded optimizer, and has no data here: its place in the states of all
struct named_array {
  std::string name;
  element_kind kind = element_kind::f32;
  std::vector<std::int64_t> extents;
  unsigned char const* data = nullptr;
  std::int64_t bytes = 0;
  bool of_model = false;
  axis_order in_pytorch{};
  std::int64_t state_at = -1;

  [[nodiscard]] std::int64_t size() const noexcept { return bytes / bytes_of(kind); }
};

/// name_error: names that a file cannot store. The text begins with the file's name.
class name_error : public error {
 public:
  using error::error;
};

/// A named view of an array of elements in memory.
template <class T>
named_array array_of(std::string name, espalier::extents const& shape, T const* data) {
  named_array a{static_cast<std::string&&>(name),
                kind_of<T>,
                {},
                reinterpret_cast<unsigned char const*>(data),
                shape.size() * static_cast<std::int64_t>(sizeof(T))};
  for (int i = 0; i < shape.rank; ++i) a.extents.push_back(shape.at[i]);
  return a;
}

/// A name for errors: quoted, and truncated after 120 characters.
inline std::string in_quotes(std::string_view name) {
  std::string text = "\"";
  for (char const c : name.substr(0, 120)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (name.size() > 120 ? "...\"" : "\"");
}

/// "(32, 8, 8)"; "()" for one element.
inline std::string text_of(std::vector<std::int64_t> const& extents) {
  std::string text = "(";
  for (std::size_t i = 0; i < extents.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(extents[i]);
  return text + ")";
}

/// The number of elements; -1 if an extent is negative, or if the product of the nonzero extents exceeds 2^59 (8-byte
/// elements then exceed 2^62 bytes).
inline std::int64_t count_of(std::vector<std::int64_t> const& extents) noexcept {
  std::int64_t product = 1;
  bool none = false;
  for (std::int64_t const extent : extents) {
    if (extent < 0) return -1;
    if (extent == 0) none = true;
    else if (product > (std::int64_t{1} << 59) / extent) return -1;
    else product *= extent;
  }
  return none ? 0 : product;
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
