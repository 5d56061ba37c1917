// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#endif

#include <cstdint>
#include <cstring>
#include <new>

#include "file.hpp"
#include "system_file.hpp"

namespace espalier::io {

/// Owned bytes in page-aligned memory, 0 at first; movable, not copyable. Buffers of at least 4 MiB use huge pages if
/// the system has them. Without huge pages, touching 100 MB for the first time costs as much as reading it from the
/// system's cache.
/// memory  the bytes, in whole pages; throws std::bad_alloc if there are none
class file_bytes {
 public:
  file_bytes() = default;
  explicit file_bytes(std::int64_t size) : size_{size} {
    if (size == 0) return;
#if defined(__unix__) || defined(__APPLE__)
    void* const at =
        ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) espalier::detail::raise(std::bad_alloc{});
    data_ = static_cast<unsigned char*>(at);
#if defined(MADV_HUGEPAGE)
    if (size >= (std::int64_t{1} << 22)) (void)::madvise(at, static_cast<std::size_t>(size), MADV_HUGEPAGE);
#endif
#else
    data_ = static_cast<unsigned char*>(::operator new(static_cast<std::size_t>(size), page));
    std::memset(data_, 0, static_cast<std::size_t>(size));
#endif
  }
  file_bytes(file_bytes&& other) noexcept : data_{other.data_}, size_{other.size_} {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  file_bytes& operator=(file_bytes&& other) noexcept {
    unsigned char* const data = data_;
    std::int64_t const size = size_;
    data_ = other.data_;
    size_ = other.size_;
    other.data_ = data;
    other.size_ = size;
    return *this;
  }
  ~file_bytes() {
    if (data_ == nullptr) return;
#if defined(__unix__) || defined(__APPLE__)
    ::munmap(data_, static_cast<std::size_t>(size_));
#else
    ::operator delete(data_, page);
#endif
  }
  [[nodiscard]] unsigned char* data() noexcept { return data_; }
  [[nodiscard]] unsigned char const* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

 private:
#if !defined(__unix__) && !defined(__APPLE__)
  static constexpr std::align_val_t page{4096};  // of the systems that have pages
#endif
  unsigned char* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// read_bytes(path): reads a whole file.
/// errors  format_error: no such file, no plain file, a file that changes while it is read
inline file_bytes read_bytes(char const* path) {
  detail::file_name const name{path};
  struct opened {
    int file;
    ~opened() {
      if (file >= 0) (void)detail::close_file(file);
    }
  };
  // Not every system opens a folder.
  if (detail::facts_of(path).is_folder)
    throw_error<format_error>("%s: expected a file, got: %s", name.text, std::strerror(EISDIR));
  opened const from{detail::open_file(path, detail::opening::read)};
  detail::file_facts const facts = from.file < 0 ? detail::file_facts{} : detail::facts_of(from.file);
  if (!facts.found) throw_error<format_error>("%s: expected a file, got: %s", name.text, std::strerror(errno));
  if (!facts.is_plain) throw_error<format_error>("%s: expected a plain file, got one of unknown size", name.text);
  file_bytes bytes{facts.size};
  std::int64_t actual = 0;
  for (;;) {
    // After the last byte, one more byte is requested: the file must end there.
    unsigned char behind;
    bool const at_end = actual == bytes.size();
    std::int64_t const some = detail::read_some(from.file, at_end ? &behind : bytes.data() + actual,
                                                at_end ? 1 : static_cast<std::size_t>(bytes.size() - actual));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) throw_error<format_error>("%s: expected a file, got: %s", name.text, std::strerror(errno));
    if (at_end && some == 0) return bytes;
    if (at_end || some == 0)
      throw_error<format_error>("%s: expected %lld bytes, but the file changed while it was read", name.text,
                                static_cast<long long>(bytes.size()));
    actual += some;
  }
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
