// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "file.hpp"
#include "system_file.hpp"

namespace espalier::io {

/// write_error: a file could not be written. The text begins with the file's name. Previous content of the path is
/// unchanged.
class write_error : public error {
 public:
  using error::error;
};

/// atomic_file{path}: replaces a file as a whole or not at all. Bytes go to a temporary file beside the path; commit()
/// syncs it to the disk and renames it. Without commit() the temporary file is removed, and the content of the path is
/// unchanged.
///
///     io::atomic_file file{"weights.bin"};
///     file.write(bytes, size);
///     file.commit();
///
/// links   a symbolic link at the path stays, and its target is replaced; on Windows the link is replaced
/// access  the mode of the replaced file; for a new file, 0666 reduced by the process's umask
/// errors  write_error: no such folder, no permission, a full disk, a path that is a folder
class atomic_file {
 public:
  explicit atomic_file(char const* path) : name_{path}, target_{path} {
    if (!detail::follow_links(target_)) fail("%s: cannot be written: %s");
    detail::file_facts const old = detail::facts_of(target_.c_str());
    if (!old.found && errno != ENOENT) fail("%s: cannot be written: %s");
    if (old.is_folder) throw_error<write_error>("%s: expected a file to write, got a folder", name_.text);
    // Devices and pipes are written directly: no file can replace them.
    plain_ = !old.found || old.is_plain;
    file_ = plain_ ? open_beside() : detail::open_file(target_.c_str(), detail::opening::write);
    if (file_ < 0) fail("%s: cannot be written: %s");
    if (old.found && plain_) detail::set_mode(file_, old.mode);
  }
  atomic_file(atomic_file const&) = delete;
  atomic_file& operator=(atomic_file const&) = delete;
  ~atomic_file() {
    if (file_ >= 0) (void)detail::close_file(file_);
    if (plain_ && !committed_) detail::remove_file(beside_.c_str());
  }

  /// Appends bytes.
  void write(void const* data, std::size_t size) {
    auto const* at = static_cast<unsigned char const*>(data);
    while (size > 0) {
      std::int64_t const written_bytes = detail::write_some(file_, at, size);
      if (written_bytes < 0 && errno == EINTR) continue;
      if (written_bytes <= 0)
        throw_error<write_error>("%s: cannot be written: %s", name_.text,
                                 written_bytes == 0 ? "the system accepted no bytes" : std::strerror(errno));
      at += written_bytes;
      size -= static_cast<std::size_t>(written_bytes);
    }
  }

  /// Syncs the bytes to the disk and renames the file to its path. No write may follow.
  void commit() {
    if (!plain_) return close();
    if (!detail::sync_file(file_)) fail("%s: cannot be synced to the disk: %s");
    close();
    if (!detail::replace_file(beside_.c_str(), target_.c_str())) fail("%s: cannot be renamed to its path: %s");
    committed_ = true;
    detail::sync_folder(detail::folder_of(target_));  // it stores the new name
  }
  /// The file's name, for errors (only the end of a very long one).
  [[nodiscard]] char const* name() const noexcept { return name_.text; }

 private:
  /// Throws the reason of the system's last error.
  [[noreturn]] void fail(char const* format) const {
    throw_error<write_error>(format, name_.text, std::strerror(errno));
  }

  /// Creates a file with an unused name, from the process id and a counter. It skips files that a crashed process left
  /// behind.
  int open_beside() {
    static unsigned last = 0;
    // File systems limit names to 255 characters: 220 leave space for the suffix.
    std::string const folder = detail::folder_of(target_), start = folder + target_.substr(folder.size(), 220);
    for (int tries = 0; tries < 1000; ++tries) {
      beside_ = start + "." + std::to_string(detail::process_number()) + "-" +
                std::to_string(__atomic_add_fetch(&last, 1, __ATOMIC_RELAXED)) + ".part";
      int const file = detail::open_file(beside_.c_str(), detail::opening::create);
      if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
  }
  void close() {
    int const file = file_;
    file_ = -1;
    if (detail::close_file(file) != 0) fail("%s: cannot be written: %s");
  }

  detail::file_name name_;
  std::string target_, beside_;
  int file_ = -1;
  bool plain_ = true, committed_ = false;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
