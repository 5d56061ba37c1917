// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "npy_header.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::io {

/// parse_npy(path, bytes): the array of an npy file that lies in memory, under the name ""; path is for errors.
/// shape   any; at most 32 axes; in rows, whatever the file's order
/// range   formats 1.0, 2.0 and 3.0; truth values, whole and real numbers; the big end first is turned round
/// errors  format_error, with the file's name, what was expected and what came: another format, a header that is cut short or says something that the
///         format does not have; elements that are objects, texts, dates, complex or records; extents whose product overflows or disagrees with the
///         file's size. Nothing is allocated by what the header only claims.
/// source  https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
inline archive parse_npy(char const* path, file_bytes bytes) {
  detail::file_name const name{path};
  named_array array = detail::npy_array(name.text, {}, bytes.data(), bytes.size());
  std::vector<named_array> arrays;
  arrays.push_back(std::move(array));
  return {path, std::move(arrays), {}, std::move(bytes)};
}

/// read_npy(path): an npy file, read in one pass: the only array of what is returned, under the name "".
/// errors  as parse_npy; no such file, a folder
inline archive read_npy(file_path path) { return parse_npy(path, read_bytes(path)); }

namespace detail {

/// The bytes of an npy file, to what has write(bytes, size).
template <class File>
void write_npy_to(File& file, char const* path, named_array const& array) {
  std::string const header = npy_header_of(path, array);
  file.write(header.data(), header.size());
  file.write(array.data, static_cast<std::size_t>(array.bytes));
}

}  // namespace detail

/// write_npy(path, array): an npy file of an array, in rows; its name is not written. Format 1.0, or 2.0 where the header needs it.
/// Another file at the path is replaced as a whole or stays as it is (atomic_file).
/// errors  write_error, also for elements that npy has no type for (bfloat16)
inline void write_npy(file_path path, named_array const& array) {
  atomic_file file{path};
  detail::write_npy_to(file, file.name(), array);
  file.commit();
}

}  // namespace espalier::io
#pragma GCC diagnostic pop
