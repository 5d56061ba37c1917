// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/safetensors.hpp>

#include "whole_or_nothing.hpp"

namespace io = espalier::io;

// What is read is what is written again, whatever order it had; a model takes all of it or nothing.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::subject subject;
  auto const again = [](std::vector<io::named_array> const& arrays,
                        std::vector<io::metadata_entry> const& metadata = {}) {
    fuzz::written file;
    io::detail::write_safetensors_to(file, "again", arrays, metadata);
    return io::parse_safetensors("again", file.file());
  };
  try {
    io::archive const all = io::parse_safetensors("input", fuzz::copy_of(data, size));
    fuzz::require(fuzz::same(all.arrays(), again(all.arrays(), all.metadata()).arrays()), "what was read comes back");
    subject.restore(all, again);
  } catch (io::format_error const&) {}
  return 0;
}
