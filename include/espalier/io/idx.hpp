// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "file.hpp"
#include "owned.hpp"

ESPALIER_HEADER_INCLUDED(idx);

namespace espalier::io {

class idx_array;
namespace detail {
idx_array read_opened_idx(opened_file const& opened, file_name const& called);
}

/// idx_array: the bytes of one IDX file and their extents, row-major. A constructed array is complete.
/// shape   rank() from 1 to 255; the first extent is the number of samples
class idx_array {
 public:
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t extent(int axis) const noexcept { return extents_[axis]; }
  [[nodiscard]] std::int64_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] unsigned char const* data() const noexcept { return bytes_.data(); }
  /// The file's name, for errors (only the end of a very long one).
  [[nodiscard]] char const* name() const noexcept { return name_.text; }

  friend idx_array detail::read_opened_idx(detail::opened_file const& opened, detail::file_name const& called);

 private:
  owned<unsigned char> bytes_;
  int rank_ = 0;
  std::uint32_t extents_[255] = {};
  detail::file_name name_;
};

namespace detail {

inline char const* idx_element(unsigned char code) noexcept {
  switch (code) {
    case 0x08:
      return "unsigned byte";
    case 0x09:
      return "signed byte";
    case 0x0B:
      return "16-bit integer";
    case 0x0C:
      return "32-bit integer";
    case 0x0D:
      return "float";
    case 0x0E:
      return "double";
    default:
      return "an element type that the format does not have";
  }
}

/// Throws unless the first four bytes are 0, 0, 0x08 (unsigned byte) and a rank of at least 1.
inline void check_idx_magic(char const* name, unsigned char const (&magic)[4]) {
  if (magic[0] == 0x1f && magic[1] == 0x8b)
    throw_error<format_error>("%s: expected a plain IDX file, got a gzip file: unpack it first", name);
  if (magic[0] != 0 || magic[1] != 0)
    throw_error<format_error>("%s: expected an IDX file (first bytes 00 00 08 and the rank), got %02x %02x %02x %02x",
                              name, magic[0], magic[1], magic[2], magic[3]);
  if (magic[2] != 0x08)
    throw_error<format_error>("%s: expected elements of type unsigned byte (0x08), got %s (0x%02x)", name,
                              idx_element(magic[2]), magic[2]);
  if (magic[3] == 0) throw_error<format_error>("%s: expected a rank of at least 1, got 0", name);
}

inline std::uint32_t big_endian(unsigned char const* bytes) noexcept {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         std::uint32_t{bytes[3]};
}

/// "1797 x 8 x 8": the extents from `axis` on, or as many as fit.
inline void print_extents(char (&text)[128], idx_array const& array, int axis) noexcept {
  int used = 0;
  text[0] = 0;
  for (char const* format = "%lld"; axis < array.rank() && used < 100; ++axis, format = " x %lld")
    used += std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), format,
                          static_cast<long long>(array.extent(axis)));
  if (axis < array.rank()) std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), " x ...");
}

/// The product of the extents. Throws if it exceeds the size of any file.
inline std::int64_t count_elements(idx_array const& array) {
  constexpr std::int64_t most = INT64_MAX - 4 * 256;
  bool empty = false;
  for (int axis = 0; axis < array.rank(); ++axis) empty = empty || array.extent(axis) == 0;
  std::int64_t elements = empty ? 0 : 1;
  for (int axis = 0; axis < array.rank() && !empty; ++axis) {
    if (elements > most / array.extent(axis)) {
      char extents[128];
      print_extents(extents, array, 0);
      throw_error<format_error>("%s: expected extents whose product fits the file, got %s, which overflows",
                                array.name(), extents);
    }
    elements *= array.extent(axis);
  }
  return elements;
}

/// Throws unless the file has exactly the size that its header requires.
inline void check_file_size(std::FILE* file, idx_array const& array, std::int64_t header, std::int64_t elements) {
  long const end = std::fseek(file, 0, SEEK_END) == 0 ? std::ftell(file) : -1;
  if (end < 0 || std::fseek(file, static_cast<long>(header), SEEK_SET) != 0)
    throw_error<format_error>("%s: expected a plain file, got one of unknown size", array.name());
  if (end == header + elements) return;
  char extents[128];
  print_extents(extents, array, 0);
  throw_error<format_error>(
      "%s: expected %lld bytes (a header of %lld and %s elements), got %ld: %s", array.name(),
      static_cast<long long>(header + elements), static_cast<long long>(header), extents, end,
      end < header + elements ? "truncated, or the extents are wrong" : "trailing bytes, or the extents are wrong");
}

/// Reads an IDX file; throws if it is not open.
inline idx_array read_opened_idx(opened_file const& opened, file_name const& called) {
  idx_array array;
  array.name_ = called;
  char const* const name = array.name_.text;

  unsigned char magic[4] = {};
  std::size_t const first = read_start(opened, name, magic, sizeof magic);
  if (first == 0) throw_error<format_error>("%s: expected an IDX file, got an empty file", name);
  if (first < sizeof magic)
    throw_error<format_error>("%s: expected an IDX header, got a file of %d bytes", name, static_cast<int>(first));
  check_idx_magic(name, magic);

  array.rank_ = magic[3];
  int const header = 4 + 4 * array.rank_;
  for (int axis = 0; axis < array.rank_; ++axis) {
    unsigned char word[4];
    std::size_t const actual = std::fread(word, 1, sizeof word, opened.file);
    if (actual < sizeof word)
      throw_error<format_error>("%s: expected a header of %d bytes (rank %d), got a file of %d bytes", name, header,
                                array.rank_, 4 + 4 * axis + static_cast<int>(actual));
    array.extents_[axis] = big_endian(word);
  }
  std::int64_t const elements = count_elements(array);
  check_file_size(opened.file, array, header, elements);

  array.bytes_ = owned<unsigned char>{elements};
  std::size_t const actual = std::fread(array.bytes_.data(), 1, static_cast<std::size_t>(elements), opened.file);
  if (actual != static_cast<std::size_t>(elements) || std::fgetc(opened.file) != EOF)
    throw_error<format_error>("%s: expected %lld bytes, but the file changed while it was read", name,
                              static_cast<long long>(header + elements));
  return array;
}

}  // namespace detail

/// read_idx(path): reads a plain IDX file of unsigned bytes, the format of MNIST, in one pass.
/// shape   any rank from 1 to 255
/// errors  format_error, with the file's name, the expected and the actual content: no such file, a directory, an empty
///         file, a wrong magic number, another element type, a truncated header; extents whose product overflows or
///         disagrees with the file's size (truncated, trailing bytes). The header is checked against the size before
///         anything is allocated.
/// source  http://yann.lecun.com/exdb/mnist, "The IDX file format"
inline idx_array read_idx(file_path path) {
  errno = 0;
  return detail::read_opened_idx(detail::opened_file{path}, detail::file_name{path});
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
