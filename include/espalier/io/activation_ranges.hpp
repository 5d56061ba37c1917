// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../storage/tensor.hpp"
#include "npy.hpp"

ESPALIER_HEADER_INCLUDED(activation_ranges);

/// Files of the ranges of a calibration. With the parameters they are all that a quantized net is made of.
namespace espalier::io {

/// save_ranges(path, ranges): writes calibration.ranges() as an npy file of shape (products, 2).
/// errors  write_error; an existing file is replaced as a whole or unchanged
template <int Products>
void save_ranges(file_path path, tensor<float, shape<Products, 2>> const& ranges) {
  write_npy(path, array_of("", shape<Products, 2>::value, ranges.data()));
}

/// load_ranges(path, ranges): reads them.
/// errors  as read_npy; format_error for another shape or element type, and the ranges stay as they were
template <int Products>
void load_ranges(file_path path, tensor<float, shape<Products, 2>>& ranges) {
  archive const file = read_npy(path);
  named_array const& array = file.arrays()[0];
  if (array.kind != element_kind::f32 || array.extents != std::vector<std::int64_t>{Products, 2})
    throw_error<format_error>("%s: expected the ranges of %d products, float of shape (%d, 2), got %s of shape %s",
                              static_cast<char const*>(path), Products, Products, name_of(array.kind),
                              text_of(array.extents).c_str());
  __builtin_memcpy(ranges.data(), array.data, sizeof(float) * 2 * Products);
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
