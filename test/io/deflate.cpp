// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_deflate
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <vector>

#include <espalier/io/deflate.hpp>

#include "support/written_file.hpp"

namespace io = espalier::io;

namespace {
unsigned char const* bytes_of(std::string const& text) { return reinterpret_cast<unsigned char const*>(text.data()); }
std::int64_t size_of(std::string const& text) { return static_cast<std::int64_t>(text.size()); }
std::string deflated(std::string const& head, std::string const& data) {
  auto const made = io::detail::deflate_bytes(bytes_of(head), size_of(head), bytes_of(data), size_of(data));
  return {reinterpret_cast<char const*>(made.bytes.data()), static_cast<std::size_t>(made.size)};
}
std::string inflated(std::string const& packed, std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  io::detail::inflate_bytes("file", bytes_of(packed), size_of(packed), reinterpret_cast<unsigned char*>(text.data()),
                            size);
  return text;
}
std::string error_of(std::string const& packed, std::int64_t size) {
  return test::message<io::format_error>([&] { (void)inflated(packed, size); });
}
std::string const text = "a text, a text, a text, a text, and the end";

std::string noise(std::size_t size) {
  std::mt19937 random{1};
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}
}  // namespace

BOOST_AUTO_TEST_CASE(bytes_come_back) {
  for (std::string const& data : {std::string{}, std::string{"x"}, text, std::string(100000, 'z'), noise(100000)})
    BOOST_TEST((inflated(deflated("", data), size_of(data)) == data));
  BOOST_TEST(deflated("", text).size() < text.size());
}

BOOST_AUTO_TEST_CASE(two_ranges_are_one_stream) {
  BOOST_TEST(inflated(deflated("header ", text), size_of(text) + 7) == "header " + text);
  BOOST_TEST(deflated("header ", text) == deflated("", "header " + text));
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  std::string const packed = deflated("", text);
  BOOST_TEST(error_of(packed, size_of(text)).empty());
  BOOST_TEST(error_of(packed, size_of(text) + 1).find("unpack to fewer") != std::string::npos);
  BOOST_TEST(error_of(packed, size_of(text) - 1).find("unpack to more") != std::string::npos);
  BOOST_TEST(error_of(packed + "x", size_of(text)).find("more bytes after their end") != std::string::npos);
  BOOST_TEST(error_of(packed.substr(0, packed.size() - 3), size_of(text)).find("truncated") != std::string::npos);
  BOOST_TEST(error_of(std::string(8, '\xff'), 8).find("not deflated") != std::string::npos);
  BOOST_TEST(error_of("", 8).find("truncated") != std::string::npos);
}

// The standard's own example, and the same in pieces.
BOOST_AUTO_TEST_CASE(checksums) {
  std::string const digits = "123456789";
  BOOST_TEST(io::detail::crc_of(bytes_of(digits), 9) == 0xcbf43926u);
  BOOST_TEST(io::detail::crc_of(bytes_of(digits) + 4, 5, io::detail::crc_of(bytes_of(digits), 4)) == 0xcbf43926u);
  BOOST_TEST(io::detail::crc_of(bytes_of(digits), 0, 77) == 77u);
}

// A limit before memory is allocated: no file may claim more than its bytes can unpack to.
BOOST_AUTO_TEST_CASE(the_most_that_bytes_can_unpack_to) {
  static_assert(io::detail::most_inflated(2) == 2064 && io::detail::most_inflated(0) == 0);
  static_assert(io::detail::most_inflated((std::uint64_t{1} << 50) + 1) == 0);
  std::string const zeros(1 << 20, '\0');
  BOOST_TEST(zeros.size() <= io::detail::most_inflated(deflated("", zeros).size()));
}
