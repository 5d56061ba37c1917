// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#if defined(_WIN32)
#include <io.h>
#include <process.h>
#else
#include <unistd.h>
#endif

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../base/supported.hpp"

/// What readers and writers ask of the operating system, POSIX or Windows: files by number, their facts, a rename that
/// replaces. Nothing here throws: a call that fails returns false or a negative number, and errno tells why.
namespace espalier::io::detail {

#if defined(_WIN32)
// Two functions of kernel32, without <windows.h>, whose macros would reach every program.
extern "C" __declspec(dllimport) int __stdcall MoveFileExA(char const*, char const*, unsigned long);
extern "C" __declspec(dllimport) unsigned long __stdcall GetLastError();
inline constexpr char const* folder_ends = "/\\:";
#else
inline constexpr char const* folder_ends = "/";
#endif

/// A file or folder: whether there is one (else errno tells why not), what it is, its size and the bits of its mode.
struct file_facts {
  bool found = false, is_folder = false, is_plain = false;
  std::int64_t size = 0;
  unsigned mode = 0;
};
#if defined(_WIN32)
using raw_facts = struct ::_stat64;
inline int read_facts(char const* path, raw_facts& to) { return ::_stat64(path, &to); }
inline int read_facts(int file, raw_facts& to) { return ::_fstat64(file, &to); }
#else
using raw_facts = struct ::stat;
inline int read_facts(char const* path, raw_facts& to) { return ::stat(path, &to); }
inline int read_facts(int file, raw_facts& to) { return ::fstat(file, &to); }
#endif
/// The facts of a path, whose links are followed, or of an open file.
template <class Which>
file_facts facts_of(Which which) {
  raw_facts from{};
  if (read_facts(which, from) != 0) return {};
  return {true, (from.st_mode & S_IFMT) == S_IFDIR, (from.st_mode & S_IFMT) == S_IFREG,
          static_cast<std::int64_t>(from.st_size), static_cast<unsigned>(from.st_mode & 07777)};
}

/// How a file is opened; `create` fails if there is one.
enum class opening { read, write, create };

/// The number of the opened file; negative if it cannot be opened. Child processes do not inherit it.
inline int open_file(char const* path, opening how) {
#if defined(_WIN32)
  constexpr int all = _O_BINARY | _O_NOINHERIT;
  switch (how) {
    case opening::read:
      return ::_open(path, all | _O_RDONLY);
    case opening::write:
      return ::_open(path, all | _O_WRONLY);
    default:
      return ::_open(path, all | _O_WRONLY | _O_CREAT | _O_EXCL, _S_IREAD | _S_IWRITE);
  }
#else
#if defined(O_CLOEXEC)
  constexpr int all = O_CLOEXEC;
#else
  constexpr int all = 0;  // without processes
#endif
  switch (how) {
    case opening::read:
      return ::open(path, all | O_RDONLY);
    case opening::write:
      return ::open(path, all | O_WRONLY);
    default:
      return ::open(path, all | O_WRONLY | O_CREAT | O_EXCL, 0666);
  }
#endif
}
inline int close_file(int file) {
#if defined(_WIN32)
  return ::_close(file);
#else
  return ::close(file);
#endif
}

/// The largest transfer of one call: one write() on Linux transfers at most about 2 GiB, one _write() on Windows too.
inline constexpr std::size_t most_transferred = std::size_t{1} << 30;

/// The bytes that were read or written, at most `size` and most_transferred; negative if the call failed.
inline std::int64_t read_some(int file, void* to, std::size_t size) {
  std::size_t const some = size < most_transferred ? size : most_transferred;
#if defined(_WIN32)
  return ::_read(file, to, static_cast<unsigned>(some));
#else
  return ::read(file, to, some);
#endif
}
inline std::int64_t write_some(int file, void const* from, std::size_t size) {
  std::size_t const some = size < most_transferred ? size : most_transferred;
#if defined(_WIN32)
  return ::_write(file, from, static_cast<unsigned>(some));
#else
  return ::write(file, from, some);
#endif
}

/// Brings the bytes of a file to the disk.
inline bool sync_file(int file) {
#if defined(_WIN32)
  return ::_commit(file) == 0;
#elif defined(__unix__) || defined(__APPLE__) || defined(__wasi__)
  return ::fsync(file) == 0;
#else
  (void)file;  // newlib on a bare processor has no fsync
  return true;
#endif
}
/// Gives a new file the mode of the one that it will replace. Windows and bare processors have one mode.
inline void set_mode([[maybe_unused]] int file, [[maybe_unused]] unsigned mode) {
#if defined(__unix__) || defined(__APPLE__)
  (void)::fchmod(file, static_cast<mode_t>(mode));
#endif
}
inline void remove_file(char const* path) {
#if defined(_WIN32)
  (void)::_unlink(path);
#else
  (void)::unlink(path);
#endif
}
/// Renames a file; one at the new path is replaced at once.
inline bool replace_file(char const* from, char const* to) {
#if defined(_WIN32)
  constexpr unsigned long replace_existing = 1, write_through = 8;
  if (MoveFileExA(from, to, replace_existing | write_through) != 0) return true;
  switch (GetLastError()) {
    case 2:
    case 3:
      errno = ENOENT;
      break;  // file, path not found
    case 5:
      errno = EACCES;
      break;  // access denied
    case 32:
    case 33:
      errno = EBUSY;
      break;  // opened, or locked, by another program
    case 112:
      errno = ENOSPC;
      break;
    default:
      errno = EIO;
  }
  return false;
#else
  return std::rename(from, to) == 0;
#endif
}
/// A number that differs between running programs.
inline int process_number() {
#if defined(_WIN32)
  return ::_getpid();
#elif defined(__unix__) || defined(__APPLE__)
  return static_cast<int>(::getpid());
#else
  return 0;
#endif
}

/// The folder of a path, with its end; empty: the current folder.
inline std::string folder_of(std::string const& path) { return path.substr(0, path.find_last_of(folder_ends) + 1); }
/// Brings a folder to the disk, which stores the names of its files. Errors are ignored: some file systems cannot sync
/// folders, and the files themselves are on the disk.
inline void sync_folder([[maybe_unused]] std::string const& folder) {
#if defined(__unix__) || defined(__APPLE__)
  int const at = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (at < 0) return;
  (void)::fsync(at);
  ::close(at);
#endif
}

/// Follows symbolic links, also a link to a missing file. False: too many links. Windows opens what a link names by
/// itself, but a rename replaces the link.
inline bool follow_links([[maybe_unused]] std::string& path) {
#if defined(__unix__) || defined(__APPLE__)
  if (char* const resolved = ::realpath(path.c_str(), nullptr); resolved != nullptr) {
    path = resolved;
    std::free(resolved);
    return true;
  }
  char to[PATH_MAX];
  for (int links = 0; links < 40; ++links) {
    ssize_t const length = ::readlink(path.c_str(), to, sizeof to);
    if (length < 0) return true;
    std::string const next{to, static_cast<std::size_t>(length)};
    path = next.rfind('/', 0) == 0 ? next : folder_of(path) + next;
  }
  errno = ELOOP;
  return false;
#else
  return true;
#endif
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
