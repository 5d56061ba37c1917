// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <zlib.h>

#include <algorithm>

#include "file_bytes.hpp"

/// Compression and checksums, by zlib.
namespace espalier::io::detail {

/// Bytes per call of zlib, which counts them in 32 bits.
inline constexpr std::int64_t most_at_once = std::int64_t{1} << 30;

/// The largest size that deflated bytes can unpack to: at best 2 bits become 258 bytes, so one byte becomes 1,032. 0
/// for sizes above 2^50.
constexpr std::uint64_t most_inflated(std::uint64_t deflated) noexcept {
  return deflated > (std::uint64_t{1} << 50) ? 0 : deflated * 1032;
}

/// The checksum of some bytes that follow bytes with the checksum `before`.
inline std::uint32_t crc_of(unsigned char const* data, std::int64_t size, std::uint32_t before = 0) {
  uLong crc = before;
  for (; size > 0; data += most_at_once, size -= most_at_once)
    crc = ::crc32(crc, data, static_cast<uInt>(std::min(size, most_at_once)));
  return static_cast<std::uint32_t>(crc);
}

/// Unpacks exactly `packed` deflated bytes to exactly `size` bytes.
/// errors  format_error
inline void inflate_bytes(char const* location, unsigned char const* from, std::int64_t packed, unsigned char* to,
                          std::int64_t size) {
  struct stream {
    z_stream z{};
    ~stream() { ::inflateEnd(&z); }
  } s;
  if (::inflateInit2(&s.z, -MAX_WBITS) != Z_OK) espalier::detail::raise(std::bad_alloc{});
  std::int64_t in = 0, out = 0;
  for (;;) {
    std::int64_t const chunk = std::min(packed - in, most_at_once), room = std::min(size - out, most_at_once);
    s.z.next_in = const_cast<unsigned char*>(from + in);
    s.z.avail_in = static_cast<uInt>(chunk);
    s.z.next_out = to + out;
    s.z.avail_out = static_cast<uInt>(room);
    int const status = ::inflate(&s.z, Z_NO_FLUSH);
    in += chunk - s.z.avail_in;
    out += room - s.z.avail_out;
    if (status == Z_OK) continue;
    if (status == Z_MEM_ERROR) espalier::detail::raise(std::bad_alloc{});
    if (status == Z_STREAM_END && in == packed && out == size) return;
    throw_error<format_error>("%s: expected %lld deflated bytes that unpack to %lld, got %s", location,
                              static_cast<long long>(packed), static_cast<long long>(size),
                              status == Z_STREAM_END
                                  ? out < size ? "bytes that unpack to fewer" : "more bytes after their end"
                              : status != Z_BUF_ERROR ? "bytes that are not deflated"
                              : out == size           ? "bytes that unpack to more"
                                                      : "truncated bytes");
  }
}

/// Deflated bytes and the memory that they own.
struct deflated_bytes {
  file_bytes bytes;
  std::int64_t size = 0;
};

/// Deflates two ranges of bytes as one stream.
/// memory  allocated for the worst case (deflateBound); only the used part is touched
inline deflated_bytes deflate_bytes(unsigned char const* head, std::int64_t head_size, unsigned char const* data,
                                    std::int64_t size) {
  struct stream {
    z_stream z{};
    ~stream() { ::deflateEnd(&z); }
  } s;
  if (::deflateInit2(&s.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    espalier::detail::raise(std::bad_alloc{});
  deflated_bytes made{
      file_bytes{static_cast<std::int64_t>(::deflateBound(&s.z, static_cast<uLong>(head_size + size)))}};
  auto const add = [&](unsigned char const* from, std::int64_t bytes, int flush) {
    for (;;) {
      std::int64_t const chunk = std::min(bytes, most_at_once),
                         room = std::min(made.bytes.size() - made.size, most_at_once);
      s.z.next_in = const_cast<unsigned char*>(from);
      s.z.avail_in = static_cast<uInt>(chunk);
      s.z.next_out = made.bytes.data() + made.size;
      s.z.avail_out = static_cast<uInt>(room);
      int const status = ::deflate(&s.z, chunk == bytes ? flush : Z_NO_FLUSH);
      std::int64_t const consumed = chunk - s.z.avail_in;
      from += consumed;
      bytes -= consumed;
      made.size += room - s.z.avail_out;
      if (status != Z_OK && status != Z_STREAM_END) espalier::detail::raise(std::bad_alloc{});
      if (status == Z_STREAM_END || (bytes == 0 && flush == Z_NO_FLUSH)) return;
    }
  };
  add(head, head_size, Z_NO_FLUSH);
  add(data, size, Z_FINISH);
  return made;
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
