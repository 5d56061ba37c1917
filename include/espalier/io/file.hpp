// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "error.hpp"
#include "file_path.hpp"

/// Shared by readers of files: a file that closes itself, its name for errors, its size.
namespace espalier::io::detail {

struct opened_file {
  std::FILE* file;
  explicit opened_file(char const* path) noexcept : file{std::fopen(path, "rb")} {}
  explicit opened_file(std::FILE* opened) noexcept : file{opened} {}
  opened_file(opened_file const&) = delete;
  opened_file& operator=(opened_file const&) = delete;
  ~opened_file() {
    if (file != nullptr) std::fclose(file);
  }
};

/// A path for errors: only the end of a very long one.
struct file_name {
  char text[256] = {};
  file_name() = default;
  explicit file_name(char const* path) noexcept {
    std::size_t const length = std::strlen(path);
    if (length < sizeof text) std::memcpy(text, path, length + 1);
    else std::snprintf(text, sizeof text, "...%s", path + (length + 4 - sizeof text));
  }
};

/// Reads the first bytes of a file, at most `most`, and returns their number. Throws if the file is not open or not
/// readable.
inline std::size_t read_start(opened_file const& opened, char const* name, unsigned char* to, std::size_t most) {
  if (opened.file == nullptr) throw_error<format_error>("%s: expected a file, got: %s", name, std::strerror(errno));
  std::size_t const actual = std::fread(to, 1, most, opened.file);
  if (std::ferror(opened.file) != 0)
    throw_error<format_error>("%s: expected a file, got: %s", name, std::strerror(errno));
  return actual;
}

/// The size of a file; rewinds the file to its start.
inline std::int64_t size_of(std::FILE* file, char const* name) {
#if defined(_WIN32)
  std::int64_t const end = ::_fseeki64(file, 0, SEEK_END) == 0 ? ::_ftelli64(file) : -1;  // long has 32 bits
#else
  long const end = std::fseek(file, 0, SEEK_END) == 0 ? std::ftell(file) : -1;
#endif
  if (end < 0 || std::fseek(file, 0, SEEK_SET) != 0)
    throw_error<format_error>("%s: expected a plain file, got one of unknown size", name);
  return end;
}

/// Reads exactly `size` bytes. Throws if the file has fewer or more.
inline void read_rest(std::FILE* file, char const* name, void* to, std::int64_t size) {
  std::size_t const actual = std::fread(to, 1, static_cast<std::size_t>(size), file);
  if (actual != static_cast<std::size_t>(size) || std::fgetc(file) != EOF)
    throw_error<format_error>("%s: expected %lld bytes, but the file changed while it was read", name,
                              static_cast<long long>(size));
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
