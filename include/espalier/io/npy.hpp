// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "npy_header.hpp"

ESPALIER_HEADER_INCLUDED(npy);

namespace espalier::io {

/// parse_npy(path, bytes): reads the array of an npy file in memory; its name is "", and path is only used in errors.
/// shape   any; at most 32 axes; row-major after reading, whatever the file's order
/// range   formats 1.0, 2.0 and 3.0; truth values, integers and real numbers; big-endian elements are converted
/// errors  format_error, with the file's name, the expected and the actual content: another format, a truncated header
///         or one with entries that the format does not have; elements that are objects, texts, dates, complex or
///         records; extents whose product overflows or disagrees with the file's size. No memory is allocated from
///         sizes that are not checked.
/// source  https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
inline archive parse_npy(char const* path, file_bytes bytes) {
  detail::file_name const name{path};
  named_array array = detail::npy_array(name.text, {}, bytes.data(), bytes.size());
  std::vector<named_array> arrays;
  arrays.push_back(std::move(array));
  return {path, std::move(arrays), {}, std::move(bytes)};
}

/// read_npy(path): reads an npy file in one pass. The only array of the result has the name "".
/// errors  as parse_npy; no such file, a folder
inline archive read_npy(file_path path) { return parse_npy(path, read_bytes(path)); }

namespace detail {

/// Writes the bytes of an npy file to an object with write(bytes, size).
template <class File>
void write_npy_to(File& file, char const* path, named_array const& array) {
  std::string const header = npy_header_of(path, array);
  file.write(header.data(), header.size());
  file.write(array.data, static_cast<std::size_t>(array.bytes));
}

}  // namespace detail

/// write_npy(path, array): writes an array as an npy file, row-major; its name is not stored. Format 1.0, or 2.0 if the
/// header requires it. An existing file is replaced as a whole or unchanged (atomic_file).
/// errors  write_error, also for elements that npy has no type for (bfloat16)
inline void write_npy(file_path path, named_array const& array) {
  atomic_file file{path};
  detail::write_npy_to(file, file.name(), array);
  file.commit();
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
