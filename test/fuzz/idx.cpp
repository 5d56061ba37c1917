// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/idx.hpp>

#include "fuzz.hpp"

namespace io = espalier::io;

// What is read are the last bytes of the file, as many as the extents say.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const array =
        io::detail::read_opened_idx(io::detail::opened_file{fuzz::opened(data, size)}, io::detail::file_name{"input"});
    bool none = false;
    for (int axis = 0; axis < array.rank(); ++axis) none = none || array.extent(axis) == 0;
    std::int64_t elements = none ? 0 : 1;
    for (int axis = 0; axis < array.rank() && !none; ++axis) elements *= array.extent(axis);
    fuzz::require(array.size() == elements && elements == static_cast<std::int64_t>(size) - 4 - 4 * array.rank(),
                  "extents, elements and the file agree");
    fuzz::require(elements == 0 ||
                      std::memcmp(array.data(), data + 4 + 4 * array.rank(), static_cast<std::size_t>(elements)) == 0,
                  "elements are those of the file");
  } catch (io::format_error const&) {}
  return 0;
}
