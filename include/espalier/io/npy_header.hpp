// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <algorithm>
#include <cstring>

#include "archive.hpp"
#include "atomic_file.hpp"

/// The header of an npy file: a Python dictionary that describes the bytes after it.
namespace espalier::io::detail {

/// numpy's names of element types, without the byte order; bfloat16 has none.
inline constexpr char const* npy_kinds[element_kinds] = {"b1", "u1", "i1", "u2",    "i2", "u4", "i4",
                                                         "u8", "i8", "f2", nullptr, "f4", "f8"};
inline constexpr std::size_t most_npy_extents = 32;

/// The content of an npy file: the offset of its elements, and their type and order.
struct npy_layout {
  element_kind kind = element_kind::f32;
  bool big_end_first = false, in_columns = false;
  std::vector<std::int64_t> extents;
  std::int64_t begin = 0;
};

/// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. location: the file and the entry in it, for
/// errors.
class npy_dictionary {
 public:
  npy_dictionary(std::string const& location, std::string_view text) : location_{location}, text_{text} {}

  void read(npy_layout& to) {
    expect('{');
    for (bool more = true; more && !next_is('}'); more = accept(',')) {
      std::string_view const key = string("a key");
      int const which = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
      if (which == 0 || (found_keys_ & which) != 0)
        throw_error<format_error>("%s: expected descr, fortran_order and shape once each, got %s", location_.c_str(),
                                  in_quotes(key).c_str());
      found_keys_ |= which;
      expect(':');
      if (which == 1) read_kind(to);
      else if (which == 2) to.in_columns = truth();
      else read_extents(to.extents);
    }
    expect('}');
    skip_blanks();
    if (at_ != text_.size()) wrong("the end of the header");
    if (found_keys_ != 7)
      throw_error<format_error>("%s: expected descr, fortran_order and shape, got no %s", location_.c_str(),
                                (found_keys_ & 1) == 0   ? "descr"
                                : (found_keys_ & 2) == 0 ? "fortran_order"
                                                         : "shape");
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool next_is(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) wrong((std::string{c} + " in its header").c_str());
  }
  std::string_view string(char const* expected) {
    skip_blanks();
    char const quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') wrong(expected);
    std::size_t const first = ++at_, last = text_.find(quote, first);
    if (last == std::string_view::npos) wrong("the end of a text");
    at_ = last + 1;
    return text_.substr(first, last - first);
  }
  bool truth() {
    skip_blanks();
    for (bool const value : {true, false}) {
      std::string_view const word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    wrong("fortran_order True or False");
  }
  void read_kind(npy_layout& to) {
    if (next_is('[') || next_is('{') || next_is('('))
      throw_error<format_error>("%s: expected elements that are numbers, got records", location_.c_str());
    std::string_view const text = string("a descr that is text");
    bool const ordered = !text.empty() && std::strchr("<>|=", text[0]) != nullptr;
    std::string_view const type = text.substr(ordered ? 1 : 0);
    for (int kind = 0; kind < element_kinds; ++kind) {
      if (npy_kinds[kind] == nullptr || type != npy_kinds[kind]) continue;
      to.kind = static_cast<element_kind>(kind);
      if (bytes_of(to.kind) > 1 && (!ordered || text[0] == '|')) break;  // a byte order is required
      to.big_end_first = text[0] == '>';
      return;
    }
    char const* const objects =
        !type.empty() && type[0] == 'O' ? " (objects in Python's pickles, which can be programs)" : "";
    throw_error<format_error>("%s: expected elements of a type from b1 to f8, got %s%s", location_.c_str(),
                              in_quotes(text).c_str(), objects);
  }
  void read_extents(std::vector<std::int64_t>& to) {
    bool comma = true;
    for (expect('('); comma && !next_is(')'); comma = accept(',')) {
      if (to.size() == most_npy_extents)
        throw_error<format_error>("%s: expected at most %zu extents, got more", location_.c_str(), most_npy_extents);
      to.push_back(number());
    }
    // In Python, (3) is a number, not a tuple.
    if (to.size() == 1 && !comma) wrong("a comma");
    expect(')');
  }
  std::int64_t number() {
    skip_blanks();
    std::size_t const first = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      value = value * 10 + (text_[at_] - '0');
      if (value > std::int64_t{1} << 59)
        throw_error<format_error>("%s: expected extents below 2^59, got more", location_.c_str());
    }
    if (at_ == first) wrong("a shape of whole numbers");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote some of them
    return value;
  }
  [[noreturn]] void wrong(char const* expected) const {
    throw_error<format_error>("%s: expected %s, got %s at byte %zu of the header", location_.c_str(), expected,
                              at_ < text_.size() ? in_quotes(text_.substr(at_, 20)).c_str() : "its end", at_);
  }

  std::string const& location_;
  std::string_view text_;
  std::size_t at_ = 0;
  int found_keys_ = 0;
};

/// Reads the header of an npy file. Throws unless the file has exactly the size that the header requires.
inline npy_layout read_npy_header(std::string const& location, unsigned char const* bytes, std::int64_t size) {
  if (size < 10 || std::memcmp(bytes, "\x93NUMPY", 6) != 0)
    throw_error<format_error>("%s: expected an npy file, got %s", location.c_str(),
                              size < 10 ? ("one of " + std::to_string(size) + " bytes").c_str() : "something else");
  int const major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    throw_error<format_error>("%s: expected format 1.0, 2.0 or 3.0, got %d.%d", location.c_str(), major, minor);
  int const lead = major == 1 ? 10 : 12;
  if (size < lead)
    throw_error<format_error>("%s: expected the length of a header, got a file of %lld bytes: truncated",
                              location.c_str(), static_cast<long long>(size));
  std::int64_t length = 0;
  for (int i = lead - 1; i >= 8; --i) length = length << 8 | bytes[i];
  if (length > size - lead)
    throw_error<format_error>("%s: expected a header of %lld bytes, got a file of %lld: truncated", location.c_str(),
                              static_cast<long long>(length), static_cast<long long>(size));
  npy_layout layout;
  npy_dictionary{location, {reinterpret_cast<char const*>(bytes) + lead, static_cast<std::size_t>(length)}}.read(
      layout);
  layout.begin = lead + length;
  std::int64_t const count = count_of(layout.extents);
  if (count < 0)
    throw_error<format_error>("%s: expected extents whose product fits a file, got %s", location.c_str(),
                              text_of(layout.extents).c_str());
  std::int64_t const expected = count * bytes_of(layout.kind), actual = size - layout.begin;
  if (actual != expected)
    throw_error<format_error>("%s: expected %lld bytes for %s of %s, got %lld: %s", location.c_str(),
                              static_cast<long long>(expected), text_of(layout.extents).c_str(),
                              npy_kinds[static_cast<int>(layout.kind)], static_cast<long long>(actual),
                              actual < expected ? "truncated" : "trailing bytes");
  return layout;
}

/// Copies column-major elements (the first axis changes fastest) to row-major order.
inline void copy_to_rows(unsigned char const* from, unsigned char* to, std::vector<std::int64_t> const& extents,
                         std::int64_t element) {
  std::size_t const rank = extents.size();
  std::int64_t const count = count_of(extents);
  std::vector<std::int64_t> strides(rank), index(rank);
  std::int64_t stride = element;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    strides[axis] = stride;
    if (count > 0) stride *= extents[axis];
  }
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * element, from + at, static_cast<std::size_t>(element));
    for (std::size_t axis = rank; axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < extents[axis]) break;
      at -= strides[axis] * extents[axis];
      index[axis] = 0;
    }
  }
}

/// The array of an npy file. Converts its bytes in place to row-major little-endian order.
/// memory  for column-major arrays, a temporary copy
inline named_array npy_array(std::string const& location, std::string name, unsigned char* bytes, std::int64_t size) {
  npy_layout layout = read_npy_header(location, bytes, size);
  std::int64_t const element = bytes_of(layout.kind);
  unsigned char* const data = bytes + layout.begin;
  std::int64_t const data_bytes = size - layout.begin;
  if (layout.big_end_first && element > 1)
    for (std::int64_t i = 0; i < data_bytes; i += element) std::reverse(data + i, data + i + element);
  if (layout.in_columns && layout.extents.size() > 1 && data_bytes > 0) {
    file_bytes columns{data_bytes};
    std::memcpy(columns.data(), data, static_cast<std::size_t>(data_bytes));
    copy_to_rows(columns.data(), data, layout.extents, element);
  }
  return {std::move(name), layout.kind, std::move(layout.extents), data, data_bytes};
}

/// The header for a row-major array; the elements begin at a multiple of 64 bytes.
/// errors  write_error: elements that npy has no type for
inline std::string npy_header_of(std::string const& location, named_array const& array) {
  char const* const type = npy_kinds[static_cast<int>(array.kind)];
  if (type == nullptr)
    throw_error<write_error>(
        "%s: expected elements that npy has a type for, got %s %s: convert them to float, or save them as safetensors",
        location.c_str(), name_of(array.kind), in_quotes(array.name).c_str());
  std::string text = std::string{"{'descr': '"} + (bytes_of(array.kind) == 1 ? '|' : '<') + type +
                     "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < array.extents.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(array.extents[i]);
  text += array.extents.size() == 1 ? ",), }" : "), }";
  auto const padded = [&](std::size_t lead) { return (lead + text.size() + 1 + 63) / 64 * 64 - lead; };
  bool const is_long = padded(10) > 0xffff;
  std::size_t const lead = is_long ? 12 : 10, length = padded(lead);
  std::string header = "\x93NUMPY";
  header += is_long ? '\2' : '\1';
  header += '\0';
  for (std::size_t i = 8; i < lead; ++i) header += static_cast<char>(length >> (8 * (i - 8)) & 0xff);
  text.resize(length - 1, ' ');
  return header + text + '\n';
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
