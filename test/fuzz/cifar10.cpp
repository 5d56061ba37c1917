// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/cifar10.hpp>

#include "fuzz.hpp"

namespace io = espalier::io;

// The file as it is, and cut in two, in its middle or after its first record.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t record_size = io::cifar10_records::record_size;
  char const* const names[] = {"input", "rest"};
  std::size_t const cuts[] = {size, size / 2, record_size};
  for (std::size_t const cut : cuts) {
    if (cut == 0 || cut > size) continue;
    try {
      auto const open = [&](int i) {
        return io::detail::opened_file{i == 0 ? fuzz::opened(data, cut) : fuzz::opened(data + cut, size - cut)};
      };
      auto const records = io::detail::read_opened_cifar10(names, cut == size ? 1 : 2, open);
      fuzz::require(static_cast<std::size_t>(records.count()) * record_size == size, "every byte belongs to a record");
      for (std::int64_t i = 0; i < records.count(); ++i) {
        unsigned char const* const record = data + static_cast<std::size_t>(i) * record_size;
        fuzz::require(records.label(i) == record[0] && records.label(i) < io::cifar10_records::classes,
                      "labels are those of the file");
        fuzz::require(std::memcmp(records.pixels(i), record + 1, io::cifar10_records::pixel_count) == 0,
                      "pixels are those of the file");
      }
    } catch (io::format_error const&) {}
  }
  return 0;
}
