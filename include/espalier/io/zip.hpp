// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "array.hpp"
#include "deflate.hpp"

/// Reads and writes zip files. The directory is checked against the header of each entry before anything is unpacked.
namespace espalier::io::detail {

inline bool is_utf8(std::string_view text) noexcept {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    unsigned const first = byte(i++);
    int more = first < 0x80                    ? 0
               : first >= 0xc2 && first < 0xe0 ? 1
               : (first & 0xf0) == 0xe0        ? 2
               : first >= 0xf0 && first < 0xf5 ? 3
                                               : 4;
    if (more == 4 || text.size() - i < static_cast<std::size_t>(more)) return false;
    // Rejects overlong encodings, surrogates, and values above the last code point.
    unsigned least = first == 0xe0   ? 0xa0
                     : first == 0xf0 ? 0x90
                                     : 0x80,
             most = first == 0xed   ? 0x9f
                    : first == 0xf4 ? 0x8f
                                    : 0xbf;
    for (; more > 0; --more, ++i, least = 0x80, most = 0xbf)
      if (byte(i) < least || byte(i) > most) return false;
  }
  return true;
}

inline std::string zip_entry_text(char const* file, std::string_view name) {
  return std::string{file} + ": entry " + in_quotes(name);
}

/// A file in a zip file.
struct zip_entry {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;
  std::int64_t packed = 0, size = 0;  ///< bytes in the file, and unpacked
  std::int64_t header = 0, data = 0;  ///< offsets of its header and its bytes
};

/// Numbers of a zip file: little-endian, as on this processor (checked in array.hpp).
struct zip_numbers {
  unsigned char const* bytes;
  template <class T>
  [[nodiscard]] T number(std::int64_t at) const noexcept {
    T value;
    std::memcpy(&value, bytes + at, sizeof value);
    return value;
  }
  [[nodiscard]] std::uint32_t u16(std::int64_t at) const noexcept { return number<std::uint16_t>(at); }
  [[nodiscard]] std::uint32_t u32(std::int64_t at) const noexcept { return number<std::uint32_t>(at); }
  [[nodiscard]] std::uint64_t u64(std::int64_t at) const noexcept { return number<std::uint64_t>(at); }
};

struct zip_signature {
  static constexpr std::uint32_t local = 0x04034b50, central = 0x02014b50, end = 0x06054b50, wide_end = 0x06064b50,
                                 wide_locator = 0x07064b50;
};

/// Reads and checks the directory of a zip file in memory.
/// errors  format_error: no zip file, truncated, several disks, offsets outside the file or in disagreement; entries
///         that overlap, are encrypted, are packed by another method than stored or deflated, or are larger than
///         deflated bytes can unpack to
/// source  https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
class zip_directory {
 public:
  zip_directory(char const* file, unsigned char const* bytes, std::int64_t size)
      : file_{file}, in_{bytes}, size_{size} {}

  std::vector<zip_entry> read() {
    find();
    std::vector<zip_entry> entries;
    std::int64_t at = begin_;
    while (at < end_) entries.push_back(read_entry(at));
    if (entries.size() != count_)
      throw_error<format_error>("%s: expected %llu entries in the zip directory, got %zu", file_,
                                static_cast<unsigned long long>(count_), entries.size());
    check_overlap(entries);
    return entries;
  }
  /// The comment after the directory. Call it after read().
  [[nodiscard]] std::string_view comment() const { return text(size_ - static_cast<std::int64_t>(comment_), size_); }
  /// Whether every entry's header is as zip_writer up to version 0.6 wrote it, and numpy does not: UTF-8 in every flag,
  /// a mode of 0644, no time.
  [[nodiscard]] bool is_of_version_0_6() const { return of_version_0_6_ == count_ && count_ > 0; }

 private:
  static constexpr std::uint32_t unknown = 0xffffffff;

  /// Finds the directory: the record at the end of the file has its position.
  void find() {
    constexpr std::int64_t record = 22;
    std::int64_t at = size_ - record;
    while (at >= 0 && size_ - at <= record + 0xffff &&
           !(in_.u32(at) == zip_signature::end && at + record + in_.u16(at + 20) == size_))
      --at;
    if (at < 0 || size_ - at > record + 0xffff)
      throw_error<format_error>("%s: expected a zip file, got %s", file_,
                                size_ >= 4 && in_.u32(0) == zip_signature::local
                                    ? "one without a directory at its end: truncated"
                                    : "something else");
    if (in_.u16(at + 4) != in_.u16(at + 6) || (in_.u16(at + 4) != 0 && in_.u16(at + 4) != 0xffff) ||
        in_.u16(at + 8) != in_.u16(at + 10))
      throw_error<format_error>("%s: expected a zip file of one part, got several", file_);
    count_ = in_.u16(at + 10);
    comment_ = in_.u16(at + 20);
    std::uint64_t bytes = in_.u32(at + 12), begin = in_.u32(at + 16);
    std::int64_t behind = at;
    if (count_ == 0xffff || bytes == unknown || begin == unknown) {
      std::int64_t const locator = at - 20;
      if (locator >= 56 && in_.u32(locator) == zip_signature::wide_locator) {
        std::uint64_t const wide = in_.u64(locator + 8);
        if (wide > static_cast<std::uint64_t>(locator - 56) ||
            in_.u32(static_cast<std::int64_t>(wide)) != zip_signature::wide_end ||
            in_.u64(static_cast<std::int64_t>(wide) + 4) != static_cast<std::uint64_t>(locator) - wide - 12)
          throw_error<format_error>("%s: expected a zip64 record of the directory, got something else at byte %llu",
                                    file_, static_cast<unsigned long long>(wide));
        behind = static_cast<std::int64_t>(wide);
        if (in_.u32(behind + 16) != 0 || in_.u32(behind + 20) != 0 || in_.u64(behind + 24) != in_.u64(behind + 32))
          throw_error<format_error>("%s: expected a zip file of one part, got several", file_);
        count_ = in_.u64(behind + 32);
        bytes = in_.u64(behind + 40);
        begin = in_.u64(behind + 48);
      }
    }
    if (begin > static_cast<std::uint64_t>(behind) || bytes != static_cast<std::uint64_t>(behind) - begin)
      throw_error<format_error>("%s: expected the zip directory to end at byte %lld, got %llu bytes from %llu on",
                                file_, static_cast<long long>(behind), static_cast<unsigned long long>(bytes),
                                static_cast<unsigned long long>(begin));
    begin_ = static_cast<std::int64_t>(begin);
    end_ = behind;
  }

  /// The fields of an entry, which both of its headers have.
  struct facts {
    std::uint32_t flags, method, crc;
    std::uint64_t packed, size, header = 0;
    std::string_view name;
  };

  /// Reads the 64-bit sizes and header offset of an entry, for fields of 0xffffffff.
  void read_wide(facts& to, std::int64_t at, std::int64_t end) const {
    while (end - at >= 4) {
      std::uint32_t const id = in_.u16(at);
      std::int64_t const next = at + 4 + in_.u16(at + 2);
      if (next > end) break;
      at += 4;
      if (id == 1)
        for (std::uint64_t* const number : {&to.size, &to.packed, &to.header}) {
          if (*number != unknown || next - at < 8) continue;
          *number = in_.u64(at);
          at += 8;
        }
      at = next;
    }
  }

  zip_entry read_entry(std::int64_t& at) {
    constexpr std::int64_t record = 46, local = 30;
    if (end_ - at < record || in_.u32(at) != zip_signature::central)
      throw_error<format_error>("%s: expected an entry of the zip directory at byte %lld, got something else", file_,
                                static_cast<long long>(at));
    std::int64_t const name = at + record, extra = name + in_.u16(at + 28), comment = extra + in_.u16(at + 30),
                       next = comment + in_.u16(at + 32);
    if (next > end_)
      throw_error<format_error>(
          "%s: expected an entry of the zip directory up to byte %lld, got a directory that ends at %lld", file_,
          static_cast<long long>(next), static_cast<long long>(end_));
    facts central{in_.u16(at + 8),  in_.u16(at + 10), in_.u32(at + 16), in_.u32(at + 20),
                  in_.u32(at + 24), in_.u32(at + 42), text(name, extra)};
    read_wide(central, extra, comment);
    std::string const location = zip_entry_text(file_, central.name);
    if (central.flags == 0x800 && in_.u32(at + 12) == 0x00210000 && in_.u32(at + 38) == std::uint32_t{0100644} << 16)
      ++of_version_0_6_;
    if (in_.u16(at + 34) != 0)
      throw_error<format_error>("%s: expected a zip file of one part, got an entry in part %u", location.c_str(),
                                in_.u16(at + 34));
    if ((central.flags & 0x2041) != 0)
      throw_error<format_error>("%s: expected an entry without a password, got an encrypted one", location.c_str());
    if (central.method != 0 && central.method != 8)
      throw_error<format_error>("%s: expected a stored or deflated entry, got method %u", location.c_str(),
                                central.method);
    bool const ascii = std::all_of(central.name.begin(), central.name.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (central.name.find('\0') != std::string_view::npos || !is_utf8(central.name) ||
        (!ascii && (central.flags & 0x800) == 0))
      throw_error<format_error>("%s: expected a name in UTF-8, got another", location.c_str());

    // The header before the bytes must match the directory, except for fields that a record after the bytes has.
    if (central.header > static_cast<std::uint64_t>(begin_) ||
        begin_ - static_cast<std::int64_t>(central.header) < local ||
        in_.u32(static_cast<std::int64_t>(central.header)) != zip_signature::local)
      throw_error<format_error>("%s: expected the entry at byte %llu, got something else", location.c_str(),
                                static_cast<unsigned long long>(central.header));
    std::int64_t const header_offset = static_cast<std::int64_t>(central.header),
                       extra_offset = header_offset + local + in_.u16(header_offset + 26),
                       data = extra_offset + in_.u16(header_offset + 28);
    if (data > begin_)
      throw_error<format_error>("%s: expected the entry's header before byte %lld, got one up to %lld",
                                location.c_str(), static_cast<long long>(begin_), static_cast<long long>(data));
    facts local_header{in_.u16(header_offset + 6),
                       in_.u16(header_offset + 8),
                       in_.u32(header_offset + 14),
                       in_.u32(header_offset + 18),
                       in_.u32(header_offset + 22),
                       0,
                       text(header_offset + local, extra_offset)};
    read_wide(local_header, extra_offset, data);
    bool const later = (local_header.flags & 8) != 0;
    if (((local_header.flags ^ central.flags) & 0x2049) != 0 || local_header.method != central.method ||
        local_header.name != central.name ||
        (!later && (local_header.crc != central.crc || local_header.packed != central.packed ||
                    local_header.size != central.size)))
      throw_error<format_error>(
          "%s: expected its header to match the zip directory, got another name, size, method or checksum",
          location.c_str());
    if (central.packed > static_cast<std::uint64_t>(begin_ - data))
      throw_error<format_error>("%s: expected %llu bytes, got %lld before the zip directory: truncated",
                                location.c_str(), static_cast<unsigned long long>(central.packed),
                                static_cast<long long>(begin_ - data));
    bool const deflated = central.method == 8;
    if (!deflated && central.size != central.packed)
      throw_error<format_error>("%s: expected %llu stored bytes, got a size of %llu", location.c_str(),
                                static_cast<unsigned long long>(central.packed),
                                static_cast<unsigned long long>(central.size));
    if (deflated && central.size > most_inflated(central.packed))
      throw_error<format_error>("%s: expected at most %llu bytes from %llu deflated ones, got a size of %llu",
                                location.c_str(), static_cast<unsigned long long>(most_inflated(central.packed)),
                                static_cast<unsigned long long>(central.packed),
                                static_cast<unsigned long long>(central.size));
    at = next;
    return {std::string{central.name},
            deflated,
            central.crc,
            static_cast<std::int64_t>(central.packed),
            static_cast<std::int64_t>(central.size),
            header_offset,
            data};
  }

  /// Throws if entries overlap: bytes that belong to two entries could unpack to any size.
  void check_overlap(std::vector<zip_entry> const& entries) const {
    std::vector<zip_entry const*> order;
    for (auto const& e : entries) order.push_back(&e);
    std::sort(order.begin(), order.end(), [](auto const* a, auto const* b) { return a->header < b->header; });
    for (std::size_t i = 1; i < order.size(); ++i)
      if (order[i]->header < order[i - 1]->data + order[i - 1]->packed)
        throw_error<format_error>("%s: expected entries behind each other, got %s and %s, which overlap", file_,
                                  in_quotes(order[i - 1]->name).c_str(), in_quotes(order[i]->name).c_str());
  }

  [[nodiscard]] std::string_view text(std::int64_t begin, std::int64_t end) const {
    return {reinterpret_cast<char const*>(in_.bytes) + begin, static_cast<std::size_t>(end - begin)};
  }

  char const* file_;
  zip_numbers in_;
  std::int64_t size_, begin_ = 0, end_ = 0;
  std::uint64_t count_ = 0, comment_ = 0, of_version_0_6_ = 0;
};

/// Writes a zip file, entry by entry, to an object with write(bytes, size).
/// wide  use 64-bit sizes and offsets (zip64)
template <class File>
class zip_writer {
 public:
  zip_writer(File& file, bool wide) : file_{file}, wide_{wide} {}

  /// Adds an entry. Its bytes are `head` and `data`; `packed`, if not null, is their deflated form.
  void add(std::string const& name, std::string_view head, unsigned char const* data, std::int64_t bytes,
           deflated_bytes const* packed) {
    std::uint64_t const size = head.size() + static_cast<std::uint64_t>(bytes),
                        stored_size = packed != nullptr ? static_cast<std::uint64_t>(packed->size) : size;
    std::uint32_t const crc =
        crc_of(data, bytes,
               crc_of(reinterpret_cast<unsigned char const*>(head.data()), static_cast<std::int64_t>(head.size())));
    // Fields of both headers: version, flags (names in UTF-8), method, 1 January 1980, checksum, sizes.
    std::string both;
    put(both, wide_ ? 45 : 20, 2);
    put(both, 1u << 11, 2);
    put(both, packed != nullptr ? 8 : 0, 2);
    put(both, 0x00210000, 4);
    put(both, crc, 4);
    put(both, wide_ ? 0xffffffff : stored_size, 4);
    put(both, wide_ ? 0xffffffff : size, 4);
    put(both, name.size(), 2);
    std::string header, sizes;
    put(header, zip_signature::local, 4);
    if (wide_) {
      put(sizes, 1, 2);
      put(sizes, 16, 2);
      put(sizes, size, 8);
      put(sizes, stored_size, 8);
    }
    header += both;
    put(header, sizes.size(), 2);
    header += name + sizes;

    put(directory_, zip_signature::central, 4);
    put(directory_, (3u << 8) | (wide_ ? 45 : 20), 2);
    directory_ += both;
    put(directory_, wide_ ? 28 : 0, 2);
    put(directory_, 0, 2 + 2 + 2);  // no comment, part 0, binary
    put(directory_, std::uint64_t{0100600} << 16, 4);
    put(directory_, wide_ ? 0xffffffff : written_, 4);
    directory_ += name;
    if (wide_) {
      put(directory_, 1, 2);
      put(directory_, 24, 2);
      put(directory_, size, 8);
      put(directory_, stored_size, 8);
      put(directory_, written_, 8);
    }
    ++count_;
    write(header.data(), header.size());
    if (packed != nullptr) return write(packed->bytes.data(), stored_size);
    write(head.data(), head.size());
    write(data, static_cast<std::size_t>(bytes));
  }

  /// Writes the directory and a comment of at most 65,535 bytes, after the last entry.
  void finish(std::string_view comment = {}) {
    std::uint64_t const begin = written_, bytes = directory_.size();
    std::string end;
    if (wide_) {
      put(end, zip_signature::wide_end, 4);
      put(end, 44, 8);
      put(end, (3u << 8) | 45, 2);
      put(end, 45, 2);
      put(end, 0, 4 + 4);
      put(end, count_, 8);
      put(end, count_, 8);
      put(end, bytes, 8);
      put(end, begin, 8);
      put(end, zip_signature::wide_locator, 4);
      put(end, 0, 4);
      put(end, begin + bytes, 8);
      put(end, 1, 4);
    }
    put(end, zip_signature::end, 4);
    put(end, 0, 2 + 2);
    put(end, wide_ ? 0xffff : count_, 2);
    put(end, wide_ ? 0xffff : count_, 2);
    put(end, wide_ ? 0xffffffff : bytes, 4);
    put(end, wide_ ? 0xffffffff : begin, 4);
    put(end, comment.size(), 2);
    end += comment;
    write(directory_.data(), directory_.size());
    write(end.data(), end.size());
  }

 private:
  static void put(std::string& to, std::uint64_t number, int width) {
    for (int i = 0; i < width; ++i) to += static_cast<char>(number >> (8 * i) & 0xff);
  }
  void write(void const* data, std::size_t size) {
    file_.write(data, size);
    written_ += size;
  }
  File& file_;
  bool wide_;
  std::string directory_;
  std::uint64_t written_ = 0, count_ = 0;
};

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
