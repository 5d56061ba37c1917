// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// What the targets share. A target is LLVMFuzzerTestOneInput(data, size): it hands any bytes to a reader, which must
/// take them as a whole or refuse them.
namespace fuzz {

/// A finding, beside what the sanitizers find.
inline void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

/// A stream of these bytes.
inline std::FILE* opened(unsigned char const* data, std::size_t size) {
  std::FILE* const file = ::fmemopen(const_cast<unsigned char*>(data), size, "rb");
  require(file != nullptr, "bytes can be read as a file");
  return file;
}

/// The sum of some bytes, so that each of them is read.
inline std::uint64_t sum_of(unsigned char const* data, std::int64_t size) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += data[i];
  return sum;
}

}  // namespace fuzz
