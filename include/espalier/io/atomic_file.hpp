// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "file.hpp"

namespace espalier::io {

/// write_error: a file that could not be written. The text begins with the file's name. What was at the path before is still there.
class write_error : public error {
 public:
  using error::error;
};

/// atomic_file{path}: a file that is at its path as a whole or not at all. What is written goes to a file beside it, which commit() brings to the disk and
/// renames; without commit() it is removed, and what was at the path stays.
///
///     io::atomic_file file{"weights.bin"};
///     file.write(bytes, size);
///     file.commit();
///
/// links   a symbolic link at the path stays, what it points to is replaced
/// access  that of the file which is replaced, else what the process's umask leaves of 0666
/// errors  write_error: no such folder, no permission, a full disk, a path that is a folder
class atomic_file {
 public:
  explicit atomic_file(char const* path) : name_{path} {
    char resolved[PATH_MAX];
    char const* const target = ::realpath(path, resolved) != nullptr ? resolved : path;
    struct stat old {};
    bool const exists = ::stat(target, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) refuse<write_error>("%s: expected a file to write, came a folder", name_.text);
    // Devices and pipes are written as they are: nothing can take their place.
    plain_ = !exists || S_ISREG(old.st_mode);
    int const length = std::snprintf(target_, sizeof target_, "%s", target);
    if (length < 0 || static_cast<std::size_t>(length) + longest_ending >= sizeof target_)
      refuse<write_error>("%s: expected a path of fewer than %d characters", name_.text, static_cast<int>(sizeof target_ - longest_ending));
    file_ = plain_ ? open_beside() : ::open(target_, O_WRONLY | O_CLOEXEC);
    if (file_ < 0) refuse<write_error>("%s: cannot be written: %s", name_.text, std::strerror(errno));
    if (exists && plain_) (void)::fchmod(file_, old.st_mode & 07777);
  }
  atomic_file(atomic_file const&) = delete;
  atomic_file& operator=(atomic_file const&) = delete;
  ~atomic_file() {
    if (file_ >= 0) ::close(file_);
    if (plain_ && !committed_) ::unlink(beside_);
  }

  /// Adds bytes at the end.
  void write(void const* data, std::size_t size) {
    auto const* at = static_cast<unsigned char const*>(data);
    while (size > 0) {
      // The kernel takes at most 2 GiB at once.
      ssize_t const taken = ::write(file_, at, size < most ? size : most);
      if (taken < 0 && errno == EINTR) continue;
      if (taken <= 0) refuse<write_error>("%s: cannot be written: %s", name_.text, taken == 0 ? "nothing more is taken" : std::strerror(errno));
      at += taken;
      size -= static_cast<std::size_t>(taken);
    }
  }

  /// Brings everything to the disk and puts it in its place. Nothing can be written afterwards.
  void commit() {
    if (!plain_) return close();
    if (::fsync(file_) != 0) refuse<write_error>("%s: cannot be brought to the disk: %s", name_.text, std::strerror(errno));
    close();
    if (::rename(beside_, target_) != 0) refuse<write_error>("%s: cannot be put in its place: %s", name_.text, std::strerror(errno));
    committed_ = true;
    bring_folder_to_disk();
  }
  /// The file's name, for errors (its end where it is very long).
  [[nodiscard]] char const* name() const noexcept { return name_.text; }

 private:
  static constexpr std::size_t most = std::size_t{1} << 30;

  static constexpr std::size_t longest_ending = 32;

  /// A file of a name that nobody has. The process's number and a counter make one; a file that is left from a process that died is passed over.
  int open_beside() {
    static unsigned last = 0;
    for (int tries = 0; tries < 1000; ++tries) {
      unsigned const number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
      std::snprintf(beside_, sizeof beside_, "%.*s.%ld-%u.part", static_cast<int>(sizeof beside_ - longest_ending), target_, static_cast<long>(::getpid()), number);
      int const file = ::open(beside_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
  }
  void close() {
    int const file = file_;
    file_ = -1;
    if (::close(file) != 0) refuse<write_error>("%s: cannot be written: %s", name_.text, std::strerror(errno));
  }
  /// The new name is the folder's content. Some file systems cannot do that to folders; the file itself is safe by then.
  void bring_folder_to_disk() const noexcept {
    char folder[sizeof target_];
    std::memcpy(folder, target_, sizeof folder);
    char* const slash = std::strrchr(folder, '/');
    if (slash != nullptr) slash[slash == folder ? 1 : 0] = 0;
    int const at = ::open(slash != nullptr ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0) return;
    (void)::fsync(at);
    ::close(at);
  }

  detail::file_name name_;
  char target_[PATH_MAX] = {}, beside_[PATH_MAX] = {};
  int file_ = -1;
  bool plain_ = true, committed_ = false;
};

}  // namespace espalier::io
