// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_offset_in_row
#include <boost/test/unit_test.hpp>

#include <espalier/device/offset_in_row.hpp>

#include <cstdint>

namespace on_device = espalier::on_device;

BOOST_AUTO_TEST_CASE(elements_lie_where_segments_of_the_other_rows_leave_room) {
  // Two rows of three segments of two elements: 00 11 00 11 00 11.
  int const row_0[] = {0, 1, 4, 5, 8, 9};
  for (int column = 0; column < 6; ++column) BOOST_TEST(on_device::offset_in_row(column, 2, 2) == row_0[column]);
  // One segment: elements are neighbours.
  for (int column = 0; column < 6; ++column) BOOST_TEST(on_device::offset_in_row(column, 7, 6) == column);
  // 64-bit numbers where 32 bits would not do.
  BOOST_TEST(on_device::offset_in_row(std::int64_t{1} << 20, 1 << 20, 1) == std::int64_t{1} << 40);
}
