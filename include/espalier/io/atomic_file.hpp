// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "file.hpp"

#include "../base/diagnostics_push.hpp"
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
/// links   a symbolic link at the path stays; its target is replaced
/// access  the mode of the replaced file; for a new file, 0666 reduced by the process's umask
/// errors  write_error: no such folder, no permission, a full disk, a path that is a folder
class atomic_file {
 public:
  explicit atomic_file(char const* path) : name_{path} {
    resolve(path);
    struct stat old {};
    bool const exists = ::stat(target_.c_str(), &old) == 0;
    if (!exists && errno != ENOENT)
      throw_error<write_error>("%s: cannot be written: %s", name_.text, std::strerror(errno));
    if (exists && S_ISDIR(old.st_mode))
      throw_error<write_error>("%s: expected a file to write, got a folder", name_.text);
    // Devices and pipes are written directly: no file can replace them.
    plain_ = !exists || S_ISREG(old.st_mode);
    file_ = plain_ ? open_beside() : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) throw_error<write_error>("%s: cannot be written: %s", name_.text, std::strerror(errno));
    if (exists && plain_) (void)::fchmod(file_, old.st_mode & 07777);
  }
  atomic_file(atomic_file const&) = delete;
  atomic_file& operator=(atomic_file const&) = delete;
  ~atomic_file() {
    if (file_ >= 0) ::close(file_);
    if (plain_ && !committed_) ::unlink(beside_.c_str());
  }

  /// Appends bytes.
  void write(void const* data, std::size_t size) {
    auto const* at = static_cast<unsigned char const*>(data);
    while (size > 0) {
      // One write() on Linux transfers at most about 2 GiB.
      ssize_t const written_bytes = ::write(file_, at, size < most ? size : most);
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
    if (::fsync(file_) != 0)
      throw_error<write_error>("%s: cannot be synced to the disk: %s", name_.text, std::strerror(errno));
    close();
    if (::rename(beside_.c_str(), target_.c_str()) != 0)
      throw_error<write_error>("%s: cannot be renamed to its path: %s", name_.text, std::strerror(errno));
    committed_ = true;
    bring_folder_to_disk();
  }
  /// The file's name, for errors (only the end of a very long one).
  [[nodiscard]] char const* name() const noexcept { return name_.text; }

 private:
  static constexpr std::size_t most = std::size_t{1} << 30;

  /// The folder of a path, with its trailing slash; empty: the current folder of the process.
  static std::string folder_of(std::string const& path) { return path.substr(0, path.find_last_of('/') + 1); }

  /// Follows symbolic links, also a link to a missing file.
  void resolve(char const* path) {
    target_ = path;
    if (char* const resolved = ::realpath(path, nullptr); resolved != nullptr) {
      target_ = resolved;
      return std::free(resolved);
    }
    char to[PATH_MAX];
    for (int links = 0; links < 40; ++links) {
      ssize_t const length = ::readlink(target_.c_str(), to, sizeof to);
      if (length < 0) return;
      std::string const next{to, static_cast<std::size_t>(length)};
      target_ = next.rfind('/', 0) == 0 ? next : folder_of(target_) + next;
    }
    throw_error<write_error>("%s: cannot be written: %s", name_.text, std::strerror(ELOOP));
  }
  /// Creates a file with an unused name, from the process id and a counter. It skips files that a crashed process left
  /// behind.
  int open_beside() {
    static unsigned last = 0;
    // File systems limit names to 255 characters: 220 leave space for the suffix.
    std::string const folder = folder_of(target_), start = folder + target_.substr(folder.size(), 220);
    for (int tries = 0; tries < 1000; ++tries) {
      beside_ = start + "." + std::to_string(::getpid()) + "-" +
                std::to_string(__atomic_add_fetch(&last, 1, __ATOMIC_RELAXED)) + ".part";
      int const file = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
  }
  void close() {
    int const file = file_;
    file_ = -1;
    if (::close(file) != 0) throw_error<write_error>("%s: cannot be written: %s", name_.text, std::strerror(errno));
  }
  /// Syncs the folder, because it stores the new name. Errors are ignored: some file systems cannot sync folders, and
  /// the file itself is already on the disk.
  void bring_folder_to_disk() const {
    std::string const folder = folder_of(target_);
    int const at = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0) return;
    (void)::fsync(at);
    ::close(at);
  }

  detail::file_name name_;
  std::string target_, beside_;
  int file_ = -1;
  bool plain_ = true, committed_ = false;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
