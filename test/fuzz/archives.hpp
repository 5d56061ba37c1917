// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/io/archive.hpp>

#include <vector>

#include "fuzz.hpp"

/// Archives from bytes in memory, and back.
namespace fuzz {

namespace io = espalier::io;

/// Bytes in memory that is theirs alone, as a reader of files has them.
inline io::file_bytes copy_of(unsigned char const* data, std::size_t size) {
  io::file_bytes bytes{static_cast<std::int64_t>(size)};
  if (size > 0) std::memcpy(bytes.data(), data, size);
  return bytes;
}

/// Takes the place of a file that is written.
struct written {
  std::vector<unsigned char> bytes;
  void write(void const* data, std::size_t size) {
    auto const* const at = static_cast<unsigned char const*>(data);
    bytes.insert(bytes.end(), at, at + size);
  }
  io::file_bytes file() const { return copy_of(bytes.data(), bytes.size()); }
};

/// The same names, elements, extents and bytes.
inline bool same(std::vector<io::named_array> const& a, std::vector<io::named_array> const& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name || a[i].kind != b[i].kind || a[i].extents != b[i].extents || a[i].bytes != b[i].bytes ||
        (a[i].bytes > 0 && std::memcmp(a[i].data, b[i].data, static_cast<std::size_t>(a[i].bytes)) != 0))
      return false;
  return true;
}

}  // namespace fuzz
