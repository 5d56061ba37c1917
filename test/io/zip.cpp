// SPDX-License-Identifier: BSL-1.0
// Files of the writer, read by the directory; test/io/npz.cpp has the files of numpy and the ones that are wrong.
#define BOOST_TEST_MODULE io_zip
#include <boost/test/unit_test.hpp>

#include <string>

#include <espalier/io/zip.hpp>

#include "support/written_file.hpp"

namespace io = espalier::io;
using io::detail::zip_directory;

namespace {
struct to_memory {
  std::string text;
  void write(void const* data, std::size_t size) { text.append(static_cast<char const*>(data), size); }
};
unsigned char const* bytes_of(std::string const& text) { return reinterpret_cast<unsigned char const*>(text.data()); }
std::int64_t size_of(std::string const& text) { return static_cast<std::int64_t>(text.size()); }

/// A file with the entries "a" (stored) and "folder/b" (deflated).
std::string two_entries(bool wide, std::string const& comment = {}) {
  to_memory file;
  io::detail::zip_writer<to_memory> zip{file, wide};
  std::string const a = "first", b(1000, 'b');
  zip.add("a", "head ", bytes_of(a), size_of(a), nullptr);
  auto const packed = io::detail::deflate_bytes(nullptr, 0, bytes_of(b), size_of(b));
  zip.add("folder/b", "", bytes_of(b), size_of(b), &packed);
  zip.finish(comment);
  return file.text;
}
std::vector<io::detail::zip_entry> read(std::string const& file) {
  return zip_directory{"file", bytes_of(file), size_of(file)}.read();
}
std::string error_of(std::string const& file) {
  return test::message<io::format_error>([&] { (void)read(file); });
}
}  // namespace

BOOST_AUTO_TEST_CASE(entries_come_back) {
  for (bool const wide : {false, true}) {
    std::string const file = two_entries(wide);
    auto const entries = read(file);
    BOOST_REQUIRE(entries.size() == 2u);
    BOOST_TEST((entries[0].name == "a" && !entries[0].deflated && entries[0].size == 10 && entries[0].packed == 10));
    BOOST_TEST(file.substr(static_cast<std::size_t>(entries[0].data), 10) == "head first");
    BOOST_TEST(entries[0].crc == io::detail::crc_of(bytes_of("head first"), 10));
    BOOST_TEST((entries[1].name == "folder/b" && entries[1].deflated && entries[1].size == 1000));
    std::string text(1000, '\0');
    io::detail::inflate_bytes("b", bytes_of(file) + entries[1].data, entries[1].packed,
                              reinterpret_cast<unsigned char*>(text.data()), 1000);
    BOOST_TEST(text == std::string(1000, 'b'));
  }
}

BOOST_AUTO_TEST_CASE(no_entries) {
  to_memory file;
  io::detail::zip_writer<to_memory>{file, false}.finish();
  BOOST_TEST(file.text.size() == 22u);
  BOOST_TEST(read(file.text).empty());
}

// A comment may look like the record that the directory is found by.
BOOST_AUTO_TEST_CASE(comments) {
  for (std::string const& comment : {std::string{"format=espalier"}, std::string(65535, 'x'), std::string{"PK\5\6"}}) {
    std::string const file = two_entries(false, comment);
    zip_directory directory{"file", bytes_of(file), size_of(file)};
    BOOST_TEST(directory.read().size() == 2u);
    BOOST_TEST((directory.comment() == comment));
  }
}

BOOST_AUTO_TEST_CASE(files_of_this_version_are_not_those_of_0_6) {
  std::string file = two_entries(false);
  zip_directory directory{"file", bytes_of(file), size_of(file)};
  (void)directory.read();
  BOOST_TEST(!directory.is_of_version_0_6());
  // Version 0.6 wrote a mode of 0644.
  for (std::size_t at = file.find("PK\1\2"); at != std::string::npos; at = file.find("PK\1\2", at + 1))
    file.replace(at + 38, 4, std::string("\0\0\xa4\x81", 4));
  zip_directory old{"file", bytes_of(file), size_of(file)};
  (void)old.read();
  BOOST_TEST(old.is_of_version_0_6());
}

BOOST_AUTO_TEST_CASE(truncated_and_extended_files) {
  std::string const file = two_entries(true, "comment");
  BOOST_TEST(error_of(file).empty());
  for (std::size_t size = 0; size < file.size(); ++size) BOOST_TEST(!error_of(file.substr(0, size)).empty(), size);
  BOOST_TEST(!error_of(file + "x").empty());
  BOOST_TEST(!error_of("x" + file).empty());
  BOOST_TEST(error_of("not a zip file, but as long as one").find("something else") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_in_utf_8) {
  using io::detail::is_utf8;
  BOOST_TEST((is_utf8("") && is_utf8("name/1.npy") && is_utf8("\xc3\xa4") && is_utf8("\xf4\x8f\xbf\xbf")));
  BOOST_TEST(!is_utf8("\x80"));                                            // begins in the middle
  BOOST_TEST((!is_utf8("\xc3") && !is_utf8("\xe2\x82")));                  // truncated
  BOOST_TEST((!is_utf8("\xc0\xaf") && !is_utf8("\xe0\x80\xaf")));          // overlong
  BOOST_TEST((!is_utf8("\xed\xa0\x80") && !is_utf8("\xf4\x90\x80\x80")));  // a surrogate, beyond the last
}
