// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_activation_ranges
#include <boost/test/unit_test.hpp>

#include <espalier/io/activation_ranges.hpp>

#include "support/temporary.hpp"

namespace esp = espalier;
namespace io = espalier::io;

BOOST_AUTO_TEST_CASE(ranges_are_read_as_they_were_written) {
  temporary::folder const folder;
  char const* const path = folder.path("ranges.npy");
  esp::tensor<float, esp::shape<3, 2>> ranges, read;
  for (int i = 0; i < 6; ++i) ranges[i] = 0.1f * static_cast<float>(i) - 0.3f;
  io::save_ranges(path, ranges);
  io::load_ranges(path, read);
  for (int i = 0; i < 6; ++i) BOOST_TEST(read[i] == ranges[i]);
}

BOOST_AUTO_TEST_CASE(ranges_of_another_net_are_refused_and_change_nothing) {
  temporary::folder const folder;
  char const* const path = folder.path("ranges.npy");
  esp::tensor<float, esp::shape<3, 2>> ranges{};
  esp::tensor<float, esp::shape<2, 2>> fewer;
  fewer.fill(7);
  io::save_ranges(path, ranges);
  BOOST_CHECK_EXCEPTION(io::load_ranges(path, fewer), io::format_error, [&](io::format_error const& e) {
    return std::string{e.what()} ==
           std::string{path} + ": expected the ranges of 2 products, float of shape (2, 2), got float of shape (3, 2)";
  });
  double const others[4]{};
  io::write_npy(path, io::array_of("", esp::extents{2, {2, 2}}, others));
  BOOST_CHECK_THROW(io::load_ranges(path, fewer), io::format_error);
  for (float const x : fewer) BOOST_TEST(x == 7);
}
