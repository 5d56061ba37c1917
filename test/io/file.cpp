// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_file
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>

#include <espalier/io/file.hpp>

#include "support/temporary.hpp"
#include "support/written_file.hpp"

namespace io = espalier::io;
using io::detail::opened_file;

namespace {
std::string error_of(auto f) { return test::message<io::format_error>(f); }
}  // namespace

BOOST_AUTO_TEST_CASE(paths_are_text_strings_and_paths) {
  std::string const text = "a/b.bin";
  std::filesystem::path const path = text;
  BOOST_TEST(static_cast<char const*>(io::file_path{"a/b.bin"}) == text);
  BOOST_TEST(static_cast<char const*>(io::file_path{text}) == text.c_str());  // refers to the caller's text
  BOOST_TEST(static_cast<char const*>(io::file_path{path}) == text);
  static_assert(!std::is_convertible_v<int, io::file_path> && !std::is_convertible_v<std::wstring, io::file_path>);
}

BOOST_AUTO_TEST_CASE(names_in_errors_are_cut_at_the_front) {
  BOOST_TEST(std::string(io::detail::file_name{"a.bin"}.text) == "a.bin");
  std::string const longest(255, 'x'), longer = "front" + longest;
  BOOST_TEST(std::string(io::detail::file_name{longest.c_str()}.text) == longest);
  BOOST_TEST(std::string(io::detail::file_name{longer.c_str()}.text) == "..." + std::string(252, 'x'));
}

BOOST_AUTO_TEST_CASE(the_start_of_a_file) {
  temporary::folder const folder;
  char const* const path = folder.path("a");
  temporary::write(path, "0123456789");
  unsigned char bytes[20]{};
  opened_file const file{path};
  BOOST_TEST(io::detail::read_start(file, path, bytes, 4) == 4u);
  BOOST_TEST(std::string(bytes, bytes + 4) == "0123");
  BOOST_TEST(io::detail::size_of(file.file, path) == 10);
  BOOST_TEST(io::detail::read_start(file, path, bytes, 20) == 10u);  // from the start again
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read) {
  temporary::folder const folder;
  char const* const missing = folder.path("missing");
  unsigned char byte = 0;
  std::string const error = error_of([&] { (void)io::detail::read_start(opened_file{missing}, missing, &byte, 1); });
  BOOST_TEST(error.find(std::string{missing} + ": expected a file, got: ") == 0u);
  std::string const directory = folder.at().string();
  BOOST_TEST(
      !error_of([&] { (void)io::detail::read_start(opened_file{directory.c_str()}, "folder", &byte, 1); }).empty());
}

BOOST_AUTO_TEST_CASE(exactly_as_many_bytes) {
  temporary::folder const folder;
  char const* const path = folder.path("a");
  temporary::write(path, "0123456789");
  auto const read = [&](std::int64_t size) {
    char bytes[20]{};
    opened_file const file{path};
    io::detail::read_rest(file.file, "a", bytes, size);
    return std::string(bytes);
  };
  BOOST_TEST(read(10) == "0123456789");
  BOOST_TEST(error_of([&] { (void)read(9); }) == "a: expected 9 bytes, but the file changed while it was read");
  BOOST_TEST(error_of([&] { (void)read(11); }) == "a: expected 11 bytes, but the file changed while it was read");
}
