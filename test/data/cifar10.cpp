// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE data_cifar10
#include <boost/test/unit_test.hpp>

#include <espalier/data/cifar10.hpp>

#include "support/written_file.hpp"

namespace data = espalier::data;
using namespace test;

namespace {
int byte_of(int record, int colour, int row, int column) {
  return (31 * record + 85 * colour + 5 * row + column) % 256;
}
std::string records(int from, int count) {
  std::string made;
  for (int r = from; r < from + count; ++r) {
    made.push_back(static_cast<char>(r % 10));
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 32; ++j) made.push_back(static_cast<char>(byte_of(r, c, i, j)));
  }
  return made;
}
}  // namespace

BOOST_AUTO_TEST_CASE(planes_or_pixels_of_colours) {
  written const one{records(0, 2), "data_cifar10_one"}, two{records(2, 3), "data_cifar10_two"};
  auto const planes = data::cifar10({.scale = 1.0 / 256, .shift = -0.5}, "data_cifar10_one", "data_cifar10_two");
  auto const pixels = data::cifar10<double, espalier::shape<32, 32, 3>>({}, "data_cifar10_one", "data_cifar10_two");
  BOOST_TEST(planes.size() == 5);
  BOOST_TEST(pixels.size() == 5);
  for (int r = 0; r < 5; ++r) {
    BOOST_TEST(planes.label(r) == r);
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 32; i += 5)
        for (int j = 0; j < 32; j += 3) {
          int const byte = byte_of(r, c, i, j);
          BOOST_TEST(planes.image(r)(c, i, j) == static_cast<float>(byte) / 256 - 0.5f);
          BOOST_TEST(pixels.image(r)(i, j, c) == byte);
        }
  }
}
BOOST_AUTO_TEST_CASE(rejects_what_its_reader_rejects) {
  written const file{records(0, 1) + "x", "data_cifar10_one"};
  auto const error_text = message<espalier::io::format_error>([] { (void)data::cifar10({}, "data_cifar10_one"); });
  BOOST_TEST(error_text.find("data_cifar10_one: expected a multiple of 3073 bytes") == 0u);
}
BOOST_AUTO_TEST_CASE(rejects_a_scale_that_makes_infinities) {
  written const file{records(0, 1), "data_cifar10_one"};
  BOOST_TEST(message<data::value_error>([] { (void)data::cifar10({.scale = 1e300}, "data_cifar10_one"); }) ==
             "reading: expected a scale and a shift that make finite numbers of bytes, got 1e+300 and 0");
}
