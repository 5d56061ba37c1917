// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "error.hpp"
#include "file_path.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What readers of files share: a file that is closed again, its name for errors, its size.
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

/// A path for errors: its end where it is very long.
struct file_name {
  char text[256] = {};
  file_name() = default;
  explicit file_name(char const* path) noexcept {
    std::size_t const length = std::strlen(path);
    if (length < sizeof text) std::memcpy(text, path, length + 1);
    else std::snprintf(text, sizeof text, "...%s", path + (length + 4 - sizeof text));
  }
};

/// Refuses a path unless it opens and can be read: how many of the first bytes there were.
inline std::size_t read_start(opened_file const& opened, char const* name, unsigned char* to, std::size_t most) {
  if (opened.file == nullptr) refuse<format_error>("%s: expected a file, came: %s", name, std::strerror(errno));
  std::size_t const came = std::fread(to, 1, most, opened.file);
  if (std::ferror(opened.file) != 0) refuse<format_error>("%s: expected a file, came: %s", name, std::strerror(errno));
  return came;
}

/// The size of a file, which is read from its start again.
inline std::int64_t size_of(std::FILE* file, char const* name) {
  long const end = std::fseek(file, 0, SEEK_END) == 0 ? std::ftell(file) : -1;
  if (end < 0 || std::fseek(file, 0, SEEK_SET) != 0)
    refuse<format_error>("%s: expected a plain file, came one whose size cannot be told", name);
  return end;
}

/// Refuses a file that does not give exactly as many bytes as its size said.
inline void read_rest(std::FILE* file, char const* name, void* to, std::int64_t size) {
  std::size_t const came = std::fread(to, 1, static_cast<std::size_t>(size), file);
  if (came != static_cast<std::size_t>(size) || std::fgetc(file) != EOF)
    refuse<format_error>("%s: expected %lld bytes, but the file changed while it was read", name, static_cast<long long>(size));
}

}  // namespace espalier::io::detail
#pragma GCC diagnostic pop
