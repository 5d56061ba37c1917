// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_idx
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include <espalier/io/idx.hpp>

namespace io = espalier::io;
using bytes = std::vector<unsigned char>;

namespace {

/// A file that is gone when the test is over.
struct written {
  std::string name;
  explicit written(bytes const& content, char const* called = "io_idx_test_file") : name{called} {
    std::FILE* const file = std::fopen(name.c_str(), "wb");
    BOOST_REQUIRE(file != nullptr);
    for (unsigned char const byte : content) BOOST_REQUIRE(std::fputc(byte, file) == byte);
    BOOST_REQUIRE_EQUAL(std::fclose(file), 0);
  }
  ~written() { std::remove(name.c_str()); }
};

bytes header(std::vector<std::uint32_t> const& extents, unsigned char type = 0x08) {
  bytes made{0, 0, type, static_cast<unsigned char>(extents.size())};
  for (std::uint32_t const extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8) made.push_back(static_cast<unsigned char>(extent >> shift));
  return made;
}

bytes small_file() {
  bytes made = header({2, 3});
  for (unsigned char value = 10; value < 16; ++value) made.push_back(value);
  return made;
}

/// What the reader says about a file; empty: it was read.
std::string error_of(bytes const& content) {
  written const file{content};
  try {
    (void)io::read_idx(file.name.c_str());
  } catch (io::format_error const& error) {
    return error.what();
  }
  return {};
}

bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(reads_extents_and_bytes) {
  written const file{small_file()};
  io::idx_array const array = io::read_idx(file.name.c_str());
  BOOST_TEST(array.rank() == 2);
  BOOST_TEST(array.extent(0) == 2);
  BOOST_TEST(array.extent(1) == 3);
  BOOST_TEST(array.size() == 6);
  for (int i = 0; i < 6; ++i) BOOST_TEST(array.data()[i] == 10 + i);
  BOOST_TEST(array.name() == file.name);
}

BOOST_AUTO_TEST_CASE(reads_every_rank) {
  for (int rank = 1; rank <= 255; ++rank) {
    std::vector<std::uint32_t> extents(static_cast<std::size_t>(rank), 1);
    extents.back() = 2;
    bytes content = header(extents);
    content.push_back(7);
    content.push_back(9);
    written const file{content};
    io::idx_array const array = io::read_idx(file.name.c_str());
    BOOST_TEST(array.rank() == rank);
    BOOST_TEST(array.extent(rank - 1) == 2);
    BOOST_TEST(array.data()[1] == 9);
  }
}

BOOST_AUTO_TEST_CASE(no_elements_is_a_size_too) {
  written const file{header({0, 4000000000u, 4000000000u, 4000000000u})};
  BOOST_TEST(io::read_idx(file.name.c_str()).size() == 0);
}

BOOST_AUTO_TEST_CASE(moves_leave_nothing_behind) {
  written const file{small_file()};
  io::idx_array one = io::read_idx(file.name.c_str());
  io::idx_array two = std::move(one);
  BOOST_TEST(two.data()[5] == 15);
  one = std::move(two);
  BOOST_TEST(one.data()[5] == 15);
}

BOOST_AUTO_TEST_CASE(rejects_every_truncation) {
  bytes const whole = small_file();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::string const error_text = error_of(bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    BOOST_TEST_CONTEXT("the first " << length << " bytes: " << error_text) {
      BOOST_TEST(has(error_text, "io_idx_test_file: expected "));
      BOOST_TEST(has(error_text, length == 0   ? "an empty file"
                                 : length < 4  ? "an IDX header"
                                 : length < 12 ? "a header of 12 bytes"
                                               : "18 bytes"));
      if (length > 0) BOOST_TEST(has(error_text, ("got a file of " + std::to_string(length)).c_str()) == (length < 12));
      if (length >= 12) BOOST_TEST(has(error_text, ("got " + std::to_string(length) + ": truncated").c_str()));
    }
  }
}

BOOST_AUTO_TEST_CASE(rejects_trailing_bytes) {
  for (std::size_t more : {1u, 2u, 1000u}) {
    bytes content = small_file();
    content.resize(content.size() + more);
    std::string const error_text = error_of(content);
    BOOST_TEST(has(error_text, "expected 18 bytes (a header of 12 and 2 x 3 elements), got "), error_text);
    BOOST_TEST(has(error_text, "trailing bytes"), error_text);
  }
}

// Every other value of every byte of the header describes another file than the one that is there, so each is refused;
// the elements are free.
BOOST_AUTO_TEST_CASE(rejects_every_mutation_of_the_header) {
  bytes const whole = small_file();
  for (std::size_t at = 0; at < 12; ++at)
    for (int value = 0; value < 256; ++value) {
      if (value == whole[at]) continue;
      bytes content = whole;
      content[at] = static_cast<unsigned char>(value);
      std::string const error_text = error_of(content);
      BOOST_TEST(has(error_text, "io_idx_test_file: expected "), "byte " << at << " = " << value << ": " << error_text);
    }
}

BOOST_AUTO_TEST_CASE(errors_name_the_actual_value) {
  BOOST_TEST(has(error_of(header({1}, 0x09)), "got signed byte (0x09)"));
  BOOST_TEST(has(error_of(header({1}, 0x0B)), "got 16-bit integer (0x0b)"));
  BOOST_TEST(has(error_of(header({1}, 0x0C)), "got 32-bit integer (0x0c)"));
  BOOST_TEST(has(error_of(header({1}, 0x0D)), "got float (0x0d)"));
  BOOST_TEST(has(error_of(header({1}, 0x0E)), "got double (0x0e)"));
  BOOST_TEST(has(error_of(header({1}, 0x0A)), "(0x0a)"));
  BOOST_TEST(has(error_of({0, 0, 8, 0}), "a rank of at least 1, got 0"));
  BOOST_TEST(has(error_of({'P', 'N', 'G', 1}), "got 50 4e 47 01"));
  BOOST_TEST(has(error_of({0x1f, 0x8b, 8, 0, 0, 0}), "got a gzip file: unpack it first"));
}

// Sizes far beyond the file are refused by the header, before any memory is asked for.
BOOST_AUTO_TEST_CASE(rejects_huge_extents) {
  std::uint32_t const most = 0xffffffffu;
  BOOST_TEST(has(error_of(header({most})), "4294967295 elements), got 8: truncated"));
  BOOST_TEST(has(error_of(header({0x80000000u, 0x80000000u})), "2147483648 x 2147483648 elements"));
  BOOST_TEST(has(error_of(header({most, most})), "which overflows"));
  BOOST_TEST(has(error_of(header({most, most, most})), "4294967295 x 4294967295 x 4294967295, which overflows"));
  // Products that are small or zero modulo 2^32 and 2^64.
  BOOST_TEST(has(error_of(header({0x10000u, 0x10000u})), "truncated"));
  BOOST_TEST(has(error_of(header({0x10000u, 0x10000u, 0x10000u, 0x10000u})), "which overflows"));
  BOOST_TEST(has(error_of(header({0x80000000u, 2, 0x80000000u, 2})), "which overflows"));
  BOOST_TEST(has(error_of(header(std::vector<std::uint32_t>(255, most))), "x ..., which overflows"));
}

BOOST_AUTO_TEST_CASE(rejects_other_files) {
  auto const error_text = [](char const* path) -> std::string {
    try {
      (void)io::read_idx(path);
    } catch (io::format_error const& error) {
      return error.what();
    }
    return {};
  };
  BOOST_TEST(has(error_text("no/such/file"), "no/such/file: expected a file, got: "));
  BOOST_TEST(has(error_text("."), ".: expected a file, got: "));
  std::string const longest(5000, 'x');
  BOOST_TEST(has(error_text(longest.c_str()), "...xxxx"));
  BOOST_TEST(error_text(longest.c_str()).size() < 400u);
}

BOOST_AUTO_TEST_CASE(is_a_standard_exception) {
  BOOST_CHECK_THROW((void)io::read_idx("no/such/file"), std::exception);
  try {
    io::throw_error<io::error>("%s and %d", std::string(3000, 'a').c_str(), 3);
  } catch (std::exception const& error) {
    BOOST_TEST(std::string{error.what()} == std::string(1023, 'a'));
  }
}
