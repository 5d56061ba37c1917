// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_protobuf
#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <vector>

#include <espalier/io/protobuf.hpp>

namespace io = espalier::io;

namespace {

/// Bytes by hand, as the encoding's description has them.
std::string bytes(std::initializer_list<unsigned> values) {
  std::string made;
  for (unsigned const value : values) made.push_back(static_cast<char>(value));
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(integers_are_varints) {
  io::protobuf p;
  p.integer(1, 150);  // the example of the description
  BOOST_TEST((p.bytes() == bytes({0x08, 0x96, 0x01})));
  io::protobuf edges;
  edges.integer(2, 0);
  edges.integer(2, 127);
  edges.integer(2, 128);
  edges.integer(2, 16384);
  BOOST_TEST((edges.bytes() == bytes({0x10, 0, 0x10, 0x7f, 0x10, 0x80, 0x01, 0x10, 0x80, 0x80, 0x01})));
}

BOOST_AUTO_TEST_CASE(negative_integers_take_ten_bytes) {
  io::protobuf p;
  p.integer(3, -1);
  BOOST_TEST((p.bytes() == bytes({0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})));
  io::protobuf least;
  least.integer(3, INT64_MIN);
  BOOST_TEST((least.bytes() == bytes({0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01})));
}

BOOST_AUTO_TEST_CASE(fields_above_fifteen_have_tags_of_two_bytes) {
  io::protobuf p;
  p.integer(20, 1);
  p.text(16, "");
  BOOST_TEST((p.bytes() == bytes({0xa0, 0x01, 0x01, 0x82, 0x01, 0x00})));
}

BOOST_AUTO_TEST_CASE(texts_and_messages_begin_with_their_length) {
  io::protobuf p;
  p.text(2, "testing");
  BOOST_TEST((p.bytes() == bytes({0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67})));
  io::protobuf inner, outer;
  inner.integer(1, 150);
  outer.message(3, inner);
  BOOST_TEST((outer.bytes() == bytes({0x1a, 0x03, 0x08, 0x96, 0x01})));
  io::protobuf long_one;
  long_one.text(1, std::string(200, 'a'));
  BOOST_TEST((long_one.bytes().substr(0, 3) == bytes({0x0a, 0xc8, 0x01})));
  BOOST_TEST(long_one.bytes().size() == 203u);
  io::protobuf zero;
  zero.text(1, std::string_view{"a\0b", 3});
  BOOST_TEST((zero.bytes() == bytes({0x0a, 0x03, 0x61, 0x00, 0x62})));
}

BOOST_AUTO_TEST_CASE(numbers_begin_with_their_lowest_byte) {
  io::protobuf p;
  p.number(2, 1.0f);
  BOOST_TEST((p.bytes() == bytes({0x15, 0x00, 0x00, 0x80, 0x3f})));
  io::protobuf packed;
  packed.packed_floats(4, std::vector<float>{1.0f, -2.5f});
  BOOST_TEST((packed.bytes() == bytes({0x22, 0x08, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x20, 0xc0})));
  io::protobuf none;
  none.packed_floats(4, std::vector<float>{});
  BOOST_TEST((none.bytes() == bytes({0x22, 0x00})));
}

BOOST_AUTO_TEST_CASE(repeated_integers_have_a_field_each) {
  io::protobuf p;
  p.integers(8, std::vector<std::int64_t>{1, -1, 300});
  BOOST_TEST((p.bytes() ==
              bytes({0x40, 0x01, 0x40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x40, 0xac, 0x02})));
}

BOOST_AUTO_TEST_CASE(raw_numbers) {
  io::protobuf floats, doubles, whole;
  floats.raw<float>(9, std::vector<double>{1.0});
  doubles.raw<double>(9, std::vector<double>{1.0});
  whole.raw<std::int64_t>(9, std::vector<std::int64_t>{-2});
  BOOST_TEST((floats.bytes() == bytes({0x4a, 0x04, 0x00, 0x00, 0x80, 0x3f})));
  BOOST_TEST((doubles.bytes() == bytes({0x4a, 0x08, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f})));
  BOOST_TEST((whole.bytes() == bytes({0x4a, 0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})));
}
