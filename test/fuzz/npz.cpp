// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/npz.hpp>

#include "whole_or_nothing.hpp"

namespace io = espalier::io;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

void put(std::uint8_t* at, std::uint64_t number, int width) {
  for (int i = 0; i < width; ++i) at[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

/// Makes the checksums of what the directory has right, without which nearly every other input would be refused for
/// them.
void mend(std::uint8_t* data, std::int64_t size) {
  io::detail::zip_numbers const in{data};
  std::vector<std::int64_t> records;
  for (std::uint8_t *at = data, *const end = data + size;
       (at = static_cast<std::uint8_t*>(::memmem(at, static_cast<std::size_t>(end - at), "PK\1\2", 4))) != nullptr;
       ++at)
    if (end - at >= 46) records.push_back(at - data);
  std::vector<io::detail::zip_entry> entries;
  try {
    // Headers that disagree do so mostly because of a checksum.
    for (std::int64_t const record : records) {
      std::int64_t const header = in.u32(record + 42);
      if (header + 30 <= size && in.u32(header) == io::detail::zip_signature::local)
        std::memcpy(data + record + 16, data + header + 14, 4);
    }
    entries = io::detail::zip_directory{"input", data, size}.read();
  } catch (io::format_error const&) {
    return;
  }
  for (auto const& e : entries) {
    std::vector<std::uint8_t> unpacked(static_cast<std::size_t>(e.deflated ? e.size : 0));
    try {
      if (e.deflated) io::detail::inflate_bytes("input", data + e.data, e.packed, unpacked.data(), e.size);
    } catch (io::format_error const&) {
      continue;
    }
    std::uint32_t const crc = io::detail::crc_of(e.deflated ? unpacked.data() : data + e.data, e.size);
    put(data + e.header + 14, crc, 4);
    for (std::int64_t const record : records)
      if (in.u32(record + 42) == static_cast<std::uint64_t>(e.header)) put(data + record + 16, crc, 4);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 4 != 0) mend(data, static_cast<std::int64_t>(size));
  return size;
}

// What is read is what is written again, stored or deflated; a model takes all of it or nothing.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::subject subject;
  int times = 0;
  auto const again = [&](std::vector<io::named_array> const& arrays) {
    fuzz::written file;
    ++times;
    io::detail::write_npz_to(file, "again", arrays, {.compress = times == 1 && size % 8 == 0}, times % 2 == 0);
    return io::parse_npz("again", file.file());
  };
  try {
    io::archive const all = io::parse_npz("input", fuzz::copy_of(data, size));
    fuzz::require(fuzz::same(all.arrays(), again(all.arrays()).arrays()), "what was read comes back");
    subject.restore(all, again);
  } catch (io::format_error const&) {}
  return 0;
}
