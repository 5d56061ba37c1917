// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <bit>
#include <cstdint>
#include <string_view>

#include "error.hpp"

namespace espalier::io {

/// protobuf_reader: the fields of a message of Protocol Buffers, one after the other. It refers to the bytes.
///
///     for (protobuf_reader m{bytes, "net.onnx"}; m.next();)
///       if (m.field() == 2) name = m.text();
///
/// errors  format_error, which begins with `file`: bytes that are no message, a value of another type than the call
///         expects
/// source  protobuf.dev, "Encoding"
class protobuf_reader {
 public:
  /// file: for errors.
  protobuf_reader(std::string_view bytes, char const* file) noexcept : rest_{bytes}, file_{file} {}

  /// The next field; false behind the last.
  bool next() {
    if (rest_.empty()) return false;
    std::uint64_t const tag = varint();
    if (tag >> 3 == 0 || tag >> 3 > 536870911) fail("a field with an invalid number");
    field_ = static_cast<int>(tag >> 3);
    type_ = static_cast<unsigned>(tag & 7);
    switch (type_) {
      case varint_type:
        number_ = varint();
        break;
      case fixed64_type:
        bytes_ = take(8);
        break;
      case length_type:
        bytes_ = take(varint());
        break;
      case fixed32_type:
        bytes_ = take(4);
        break;
      default:
        fail("a field of an unknown type");
    }
    return true;
  }
  [[nodiscard]] int field() const noexcept { return field_; }

  /// int32, int64, enum, bool.
  [[nodiscard]] std::int64_t integer() const {
    expect(varint_type, "an integer");
    return static_cast<std::int64_t>(number_);
  }
  /// float
  [[nodiscard]] float number() const {
    expect(fixed32_type, "a number of 32 bits");
    return std::bit_cast<float>(little_endian<std::uint32_t>(bytes_.data()));
  }
  /// string, bytes
  [[nodiscard]] std::string_view text() const {
    expect(length_type, "text or a message");
    return bytes_;
  }
  [[nodiscard]] protobuf_reader message() const { return {text(), file_}; }
  /// f(x) for each element of a repeated int64 in this field: one, or several if they are packed.
  template <class F>
  void each_integer(F&& f) const {
    if (type_ == varint_type) return f(integer());
    for (protobuf_reader packed{text(), file_}; !packed.rest_.empty();) f(static_cast<std::int64_t>(packed.varint()));
  }
  /// The same for a repeated float or double; T: which of them.
  template <class T, class F>
  void each_number(F&& f) const {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    if (type_ != length_type) expect(sizeof(T) == 4 ? fixed32_type : fixed64_type, "a real number");
    if (bytes_.size() % sizeof(T) != 0) fail("a list that ends inside a number");
    for (std::size_t i = 0; i < bytes_.size(); i += sizeof(T))
      f(std::bit_cast<T>(little_endian<bits>(bytes_.data() + i)));
  }
  /// An unsigned number of little-endian bytes.
  template <class Bits>
  [[nodiscard]] static Bits little_endian(char const* from) noexcept {
    std::uint64_t r = 0;
    for (std::size_t i = 0; i < sizeof(Bits); ++i)
      r |= static_cast<std::uint64_t>(static_cast<unsigned char>(from[i])) << (8 * i);
    return static_cast<Bits>(r);
  }

 private:
  enum wire_type : unsigned { varint_type = 0, fixed64_type = 1, length_type = 2, fixed32_type = 5 };

  [[noreturn]] void fail(char const* what) const {
    throw_error<format_error>("%s: expected a message of Protocol Buffers, got %s", file_, what);
  }
  void expect(unsigned type, char const* what) const {
    if (type_ != type)
      throw_error<format_error>("%s: expected %s in field %d of a message, got another type", file_, what, field_);
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) fail("one that ends inside a field");
    std::string_view const r = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(r.size());
    return r;
  }
  std::uint64_t varint() {
    std::uint64_t r = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      auto const byte = static_cast<unsigned char>(take(1)[0]);
      if (shift == 63 && byte > 1) break;
      r |= static_cast<std::uint64_t>(byte & 127u) << shift;
      if (byte < 128) return r;
    }
    fail("an integer of more than 64 bits");
  }

  std::string_view rest_, bytes_{};
  char const* file_;
  std::uint64_t number_ = 0;
  int field_ = 0;
  unsigned type_ = 0;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
