// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace espalier::io {

/// protobuf: builds a message of Protocol Buffers, field by field in the order of the calls. `field` is the number in
/// the message's definition. Build a nested message first and add it as a whole.
/// cost    each level of nesting copies its content once more
/// source  protobuf.dev, "Encoding"
class protobuf {
 public:
  /// int32, int64, enum, bool: a varint, with seven bits per byte; negative numbers have ten bytes.
  void integer(int field, std::int64_t value) {
    tag(field, varint_type);
    varint(static_cast<std::uint64_t>(value));
  }
  /// float: four bytes.
  void number(int field, float value) {
    tag(field, fixed32_type);
    fixed32(value);
  }
  /// string, bytes: a length and the bytes.
  void text(int field, std::string_view value) {
    tag(field, length_type);
    varint(value.size());
    bytes_.append(value);
  }
  void message(int field, protobuf const& inner) { text(field, inner.bytes_); }
  /// repeated int64, each with its field (not packed).
  template <class Integers>
  void integers(int field, Integers const& values) {
    for (auto const value : values) integer(field, value);
  }
  /// repeated float, packed: one length, then four bytes for each number.
  template <class Numbers>
  void packed_floats(int field, Numbers const& values) {
    tag(field, length_type);
    varint(4 * values.size());
    for (auto const value : values) fixed32(static_cast<float>(value));
  }
  /// bytes with packed little-endian numbers; T: float, double or std::int64_t.
  template <class T, class Numbers>
  void raw(int field, Numbers const& values) {
    tag(field, length_type);
    varint(sizeof(T) * values.size());
    bytes_.reserve(bytes_.size() + sizeof(T) * values.size());
    for (auto const value : values) {
      if constexpr (sizeof(T) == 1) bytes_ += static_cast<char>(value);
      else if constexpr (sizeof(T) == 4) little_endian(std::bit_cast<std::uint32_t>(static_cast<T>(value)));
      else little_endian(std::bit_cast<std::uint64_t>(static_cast<T>(value)));
    }
  }

  [[nodiscard]] std::string const& bytes() const noexcept { return bytes_; }

 private:
  enum wire_type : unsigned { varint_type = 0, length_type = 2, fixed32_type = 5 };

  void tag(int field, wire_type type) { varint(static_cast<std::uint64_t>(field) << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_.push_back(static_cast<char>(value | 128u));
    bytes_.push_back(static_cast<char>(value));
  }
  void fixed32(float value) { little_endian(std::bit_cast<std::uint32_t>(value)); }
  template <class Bits>
  void little_endian(Bits bits) {
    char at[sizeof bits];
    for (unsigned i = 0; i < sizeof bits; ++i) at[i] = static_cast<char>(bits >> (8 * i) & 255u);
    bytes_.append(at, sizeof bits);
  }

  std::string bytes_;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
