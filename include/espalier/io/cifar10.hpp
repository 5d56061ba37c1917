// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <type_traits>

#include "../base/needs_header.hpp"
#include "file.hpp"
#include "owned.hpp"

ESPALIER_HEADER_INCLUDED(read_cifar10);

namespace espalier::io {

class cifar10_records;
namespace detail {
template <class Open>
cifar10_records read_opened_cifar10(char const* const* paths, int files, Open open);
}

/// cifar10_records: the records of one or several files of CIFAR-10's binary format. A constructed object is complete.
/// shape   count() records of a label from 0 to 9 and 3 x 32 x 32 bytes: red, green, blue, each row by row
class cifar10_records {
 public:
  static constexpr int pixel_count = 3 * 32 * 32;
  static constexpr int record_size = 1 + pixel_count;
  static constexpr int classes = 10;

  [[nodiscard]] std::int64_t count() const noexcept { return bytes_.size() / record_size; }
  [[nodiscard]] int label(std::int64_t at) const noexcept { return bytes_[at * record_size]; }
  [[nodiscard]] unsigned char const* pixels(std::int64_t at) const noexcept {
    return bytes_.data() + at * record_size + 1;
  }

  template <class Open>
  friend cifar10_records detail::read_opened_cifar10(char const* const* paths, int files, Open open);

 private:
  owned<unsigned char> bytes_;
};

namespace detail {

/// The size of a file of records. Throws unless it has at least one record and the last one is complete.
inline std::int64_t cifar10_size(opened_file const& opened, char const* name) {
  unsigned char start[2] = {};
  std::size_t const actual = read_start(opened, name, start, sizeof start);
  constexpr int record = cifar10_records::record_size;
  if (actual == 0)
    throw_error<format_error>("%s: expected records of %d bytes (CIFAR-10, binary), got an empty file", name, record);
  if (actual == 2 && start[0] == 0x1f && start[1] == 0x8b)
    throw_error<format_error>("%s: expected records of %d bytes (CIFAR-10, binary), got a gzip file: unpack it first",
                              name, record);
  std::int64_t const size = size_of(opened.file, name);
  if (size % record != 0)
    throw_error<format_error>(
        "%s: expected a multiple of %d bytes (a label and 3 x 32 x 32 pixels each), got %lld: %lld records and %lld bytes",
        name, record, static_cast<long long>(size), static_cast<long long>(size / record),
        static_cast<long long>(size % record));
  return size;
}

/// Reads files of records; open(i) opens the i-th file again.
template <class Open>
cifar10_records read_opened_cifar10(char const* const* paths, int files, Open open) {
  std::int64_t total = 0;
  for (int i = 0; i < files; ++i) {
    file_name const name{paths[i]};
    opened_file const opened = open(i);
    total += cifar10_size(opened, name.text);
  }
  cifar10_records records;
  records.bytes_ = owned<unsigned char>{total};
  unsigned char* to = records.bytes_.data();
  for (int i = 0; i < files; ++i) {
    file_name const name{paths[i]};
    opened_file const opened = open(i);
    std::int64_t const size = cifar10_size(opened, name.text);
    if (size > records.bytes_.data() + total - to)
      throw_error<format_error>("%s: expected an unchanged file, but it grew while it was read", name.text);
    read_rest(opened.file, name.text, to, size);
    for (std::int64_t at = 0; at < size; at += cifar10_records::record_size)
      if (to[at] >= cifar10_records::classes)
        throw_error<format_error>("%s: expected labels from 0 to 9, got %d in record %lld", name.text, to[at],
                                  static_cast<long long>(at / cifar10_records::record_size));
    to += size;
  }
  if (to != records.bytes_.data() + total)
    throw_error<format_error>("%s: expected unchanged files, but one shrank while they were read", paths[0]);
  return records;
}

}  // namespace detail

/// Reads the records of several files, one file after the other.
/// errors  format_error, with the file's name, the expected and the actual content: no such file, a directory, an empty
///         file, a size that is no multiple of 3073, a label above 9 (with its record). All sizes are checked before
///         anything is allocated.
/// source  http://www.cs.toronto.edu/~kriz/cifar.html, "Binary version"
inline cifar10_records read_cifar10(char const* const* paths, int files) {
  return detail::read_opened_cifar10(paths, files, [&](int i) {
    errno = 0;
    return detail::opened_file{paths[i]};
  });
}

/// read_cifar10("data_batch_1.bin", "data_batch_2.bin", ...)
template <class... Path>
  requires(sizeof...(Path) > 0 && (std::is_convertible_v<Path const&, file_path> && ...))
cifar10_records read_cifar10(Path const&... path) {
  char const* const paths[] = {file_path{path}...};
  return read_cifar10(paths, static_cast<int>(sizeof...(Path)));
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
