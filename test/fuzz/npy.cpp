// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/npy.hpp>

#include "archives.hpp"

namespace io = espalier::io;

// What is read is what is written again.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    io::archive const all = io::parse_npy("input", fuzz::copy_of(data, size));
    fuzz::written file;
    io::detail::write_npy_to(file, "again", all.arrays().front());
    fuzz::require(fuzz::same(all.arrays(), io::parse_npy("again", file.file()).arrays()), "what was read comes back");
  } catch (io::format_error const&) {}
  return 0;
}
