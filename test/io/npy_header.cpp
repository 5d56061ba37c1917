// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_npy_header
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include <espalier/io/npy_header.hpp>

#include "support/written_file.hpp"

namespace io = espalier::io;
using io::detail::npy_layout;

namespace {
using extents = std::vector<std::int64_t>;

/// A file of format 1.0 with this dictionary and `bytes` bytes of elements.
std::string file_of(std::string const& dictionary, std::size_t bytes) {
  std::string file = "\x93NUMPY";
  file += {'\1', '\0', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  return file + dictionary + std::string(bytes, '\0');
}
npy_layout read(std::string const& file) {
  return io::detail::read_npy_header("file", reinterpret_cast<unsigned char const*>(file.data()),
                                     static_cast<std::int64_t>(file.size()));
}
std::string error_of(std::string const& file) {
  return test::message<io::format_error>([&] { (void)read(file); });
}
std::string header(std::string const& name, extents const& shape, io::element_kind kind = io::element_kind::f32) {
  return io::detail::npy_header_of("file", {name, kind, shape, nullptr, 0});
}
}  // namespace

BOOST_AUTO_TEST_CASE(dictionaries) {
  npy_layout const a = read(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", 48));
  BOOST_TEST((a.kind == io::element_kind::f32 && !a.big_end_first && !a.in_columns && a.begin == 69));
  BOOST_TEST(a.extents == (extents{3, 4}));
  npy_layout const b = read(file_of("{\"shape\":(2L,),\"fortran_order\":True,\"descr\":\">i2\"}\n", 4));
  BOOST_TEST((b.kind == io::element_kind::i16 && b.big_end_first && b.in_columns && b.extents == extents{2}));
  npy_layout const c = read(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", 1));
  BOOST_TEST((c.kind == io::element_kind::boolean && c.extents.empty()));
  BOOST_TEST(read(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5)}", 0)).extents == (extents{0, 5}));
}

BOOST_AUTO_TEST_CASE(dictionaries_that_are_wrong) {
  auto const says = [](std::string const& dictionary, char const* expected) {
    std::string const error = error_of(file_of(dictionary, 4));
    BOOST_TEST(error.find(expected) != std::string::npos, dictionary << ": " << error);
  };
  says("{'descr': '<f4', 'fortran_order': False}", "got no shape");
  says("{'shape': (1,), 'fortran_order': False}", "got no descr");
  says("{'descr': '<f4', 'shape': (1,), 'shape': (1,)}", "once each, got \"shape\"");
  says("{'other': 1}", "once each, got \"other\"");
  says("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "True or False");
  says("{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}", "got \"f4\"");  // no byte order
  says("{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", "from b1 to f8");
  says("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "pickles");
  says("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "got records");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "a comma");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "whole numbers");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "the end of the header");
  says("{'descr': '<f4", "the end of a text");
}

BOOST_AUTO_TEST_CASE(files_that_are_no_npy_files) {
  std::string const whole = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4);
  BOOST_TEST(error_of(whole).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) BOOST_TEST(!error_of(whole.substr(0, size)).empty(), size);
  BOOST_TEST(error_of(whole + "x").find("trailing bytes") != std::string::npos);
  std::string later = whole;
  later[6] = 4;
  BOOST_TEST(error_of(later).find("got 4.0") != std::string::npos);
}

// What is written is read, and the elements begin at a multiple of 64 bytes.
BOOST_AUTO_TEST_CASE(headers_come_back) {
  for (extents const& shape : {extents{}, extents{1}, extents{3, 4}, extents{2, 3, 4, 5, 6}}) {
    std::string const text = header("a", shape);
    BOOST_TEST(text.size() % 64 == 0u);
    npy_layout const layout = read(text + std::string(static_cast<std::size_t>(4 * io::count_of(shape)), '\0'));
    BOOST_TEST(layout.extents == shape);
    BOOST_TEST((layout.kind == io::element_kind::f32 && layout.begin == static_cast<std::int64_t>(text.size())));
  }
}

BOOST_AUTO_TEST_CASE(bfloat16_cannot_be_written) {
  BOOST_TEST(test::message<io::write_error>([] {
               (void)header("a", {1}, io::element_kind::b16);
             }).find("bfloat16 \"a\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(columns_become_rows) {
  extents const shape{2, 3, 2};
  std::vector<unsigned char> columns(12), rows(12);
  for (unsigned char i = 0; i < 12; ++i) columns[i] = i;
  io::detail::copy_to_rows(columns.data(), rows.data(), shape, 1);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 2; ++k) BOOST_TEST(rows[6 * i + 2 * j + k] == columns[i + 2 * j + 6 * k]);
}

BOOST_AUTO_TEST_CASE(the_big_end_is_turned_round) {
  std::string file = file_of("{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}", 0) + std::string("\1\2\3\4");
  io::named_array const a = io::detail::npy_array("file", "a", reinterpret_cast<unsigned char*>(file.data()),
                                                  static_cast<std::int64_t>(file.size()));
  BOOST_TEST((a.data[0] == 2 && a.data[1] == 1 && a.data[2] == 4 && a.data[3] == 3));
}
