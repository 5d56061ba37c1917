// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_protobuf_reader
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <espalier/io/protobuf.hpp>
#include <espalier/io/protobuf_reader.hpp>

namespace io = espalier::io;

namespace {

std::string message(auto&& f) {
  try {
    f();
  } catch (io::format_error const& e) {
    return e.what();
  }
  return "nothing thrown";
}
void read_all(std::string const& bytes) {
  for (io::protobuf_reader m{bytes, "f"}; m.next();) continue;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fields_are_those_that_were_written) {
  io::protobuf inner, p;
  inner.text(1, "name");
  for (std::int64_t const x : {std::int64_t{0}, std::int64_t{127}, std::int64_t{128}, std::int64_t{-1}, INT64_MIN})
    p.integer(1, x);
  p.number(2, -0.375f);
  p.message(3, inner);
  p.packed_floats(4, std::vector<float>{1.5f, -2.5f});
  p.raw<double>(4000, std::vector<double>{0.1});
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  std::string name;
  for (io::protobuf_reader m{p.bytes(), "f"}; m.next();) {
    if (m.field() == 1) integers.push_back(m.integer());
    if (m.field() == 2) numbers.push_back(static_cast<double>(m.number()));
    if (m.field() == 3)
      for (io::protobuf_reader n = m.message(); n.next();) name = n.text();
    if (m.field() == 4) m.each_number<float>([&](float x) { numbers.push_back(static_cast<double>(x)); });
    if (m.field() == 4000) m.each_number<double>([&](double x) { numbers.push_back(x); });
  }
  BOOST_TEST((integers == std::vector<std::int64_t>{0, 127, 128, -1, INT64_MIN}));
  BOOST_TEST((numbers == std::vector<double>{-0.375, 1.5, -2.5, 0.1}));
  BOOST_TEST(name == "name");
}

BOOST_AUTO_TEST_CASE(repeated_integers_are_packed_or_not) {
  // Field 4, packed: 3, 270, 86942; the example of the description. Then one that is not packed.
  std::string const bytes{"\x22\x06\x03\x8e\x02\x9e\xa7\x05\x20\x07", 10};
  std::vector<std::int64_t> all;
  for (io::protobuf_reader m{bytes, "f"}; m.next();) m.each_integer([&](std::int64_t x) { all.push_back(x); });
  BOOST_TEST((all == std::vector<std::int64_t>{3, 270, 86942, 7}));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_message_are_refused) {
  std::string const before = "f: expected a message of Protocol Buffers, got ";
  BOOST_TEST(message([] {
               read_all(
                   std::string{"\x0a\x05"
                               "abc"});
             }) == before + "one that ends inside a field");
  BOOST_TEST(message([] { read_all(std::string{"\x08\x96"}); }) == before + "one that ends inside a field");
  BOOST_TEST(message([] { read_all(std::string{"\x0b"}); }) == before + "a field of an unknown type");
  BOOST_TEST(message([] { read_all(std::string{"\x02\x01"}); }) == before + "a field with an invalid number");
  BOOST_TEST(message([] { read_all("\x08" + std::string(10, '\xff')); }) == before + "an integer of more than 64 bits");
  BOOST_TEST(message([] {
               io::protobuf_reader m{"\x08\x01", "f"};
               (void)m.next();
               (void)m.text();
             }) == "f: expected text or a message in field 1 of a message, got another type");
  BOOST_TEST(message([] {
               io::protobuf_reader m{
                   "\x0a\x03"
                   "abc",
                   "f"};
               (void)m.next();
               m.each_number<float>([](float) {});
             }) == before + "a list that ends inside a number");
}

/// No prefix of a message is read beyond its end.
BOOST_AUTO_TEST_CASE(prefixes_of_messages_end_in_an_error_or_between_fields) {
  io::protobuf p;
  p.integer(1, 300);
  p.text(2, "some text");
  p.number(3, 1);
  int complete = 0;
  for (std::size_t n = 0; n <= p.bytes().size(); ++n)
    complete += message([&] { read_all(p.bytes().substr(0, n)); }) == "nothing thrown";
  BOOST_TEST(complete == 4);
}
