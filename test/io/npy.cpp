// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_npy
#include <boost/test/unit_test.hpp>

#include <espalier/io/npy.hpp>

#include "support/temporary.hpp"

namespace io = espalier::io;

namespace {

io::file_bytes in_memory(std::string const& text) {
  io::file_bytes bytes{static_cast<std::int64_t>(text.size())};
  std::copy(text.begin(), text.end(), bytes.data());
  return bytes;
}
std::string npy(std::string const& header, std::string const& elements, int version = 1) {
  std::string all = "\x93NUMPY";
  all += static_cast<char>(version);
  all += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) all += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return all + header + elements;
}
std::string header(std::string const& descr, std::string const& shape, char const* order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
/// What the reader says about a file; empty: it was read.
std::string error_of(std::string const& content) {
  try {
    (void)io::parse_npy("file.npy", in_memory(content));
  } catch (io::format_error const& error) {
    return error.what();
  }
  return {};
}
template <class T>
std::vector<T> elements(io::named_array const& a) {
  std::vector<T> all(static_cast<std::size_t>(a.size()));
  if (a.bytes > 0) std::memcpy(all.data(), a.data, static_cast<std::size_t>(a.bytes));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_comes_back) {
  temporary::folder const folder;
  char const* const types[io::element_kinds] = {"|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4",
                                                "<u8", "<i8", "<f2", "",    "<f4", "<f8"};
  unsigned char data[6 * 8];
  for (int i = 0; i < 48; ++i) data[i] = static_cast<unsigned char>(i * 5);
  for (int kind = 0; kind < io::element_kinds; ++kind) {
    auto const of = static_cast<io::element_kind>(kind);
    if (of == io::element_kind::b16) continue;
    io::named_array const array{"w", of, {2, 3}, data, 6 * io::bytes_of(of)};
    io::write_npy(folder.path("w.npy"), array);
    std::string const content = temporary::read(folder.path("w.npy"));
    BOOST_TEST(content.size() == 128u + static_cast<std::size_t>(array.bytes));
    BOOST_TEST(content.substr(0, 8) == std::string("\x93NUMPY\1\0", 8));
    BOOST_TEST(content.substr(10, 59) ==
               std::string{"{'descr': '"} + types[kind] + "', 'fortran_order': False, 'shape': (2, 3), }");
    BOOST_TEST(content[127] == '\n');
    auto const file = io::read_npy(folder.path("w.npy"));
    BOOST_REQUIRE(file.arrays().size() == 1u);
    auto const& actual = file.arrays()[0];
    BOOST_TEST(actual.name == "");
    BOOST_TEST((actual.kind == of));
    BOOST_TEST((actual.extents == array.extents));
    BOOST_TEST(std::string(actual.data, actual.data + actual.bytes) == std::string(data, data + array.bytes));
  }
}

BOOST_AUTO_TEST_CASE(every_rank_comes_back) {
  temporary::folder const folder;
  std::vector<double> const data(32, 1.5);
  for (int rank = 0; rank <= 32; ++rank) {
    std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
    if (rank > 0) extents.back() = 4;
    io::write_npy(folder.path("w.npy"), {"", io::element_kind::f64, extents,
                                         reinterpret_cast<unsigned char const*>(data.data()), rank > 0 ? 32 : 8});
    auto const file = io::read_npy(folder.path("w.npy"));
    BOOST_TEST((file.arrays()[0].extents == extents));
    BOOST_TEST(temporary::read(folder.path("w.npy"))
                   .find(rank == 0   ? "'shape': (), }"
                         : rank == 1 ? "'shape': (4,), }"
                                     : "1, 4), }") != std::string::npos);
  }
  io::write_npy(folder.path("none.npy"), {"", io::element_kind::f32, {0, 3}, nullptr, 0});
  BOOST_TEST(io::read_npy(folder.path("none.npy")).arrays()[0].size() == 0);
}

// Extents of many digits leave the header of format 1.0 no room only beyond 32 of them, so the longer one is asked for
// here.
BOOST_AUTO_TEST_CASE(long_headers_have_another_format) {
  io::named_array const many{"", io::element_kind::u8, std::vector<std::int64_t>(22000, 1),
                             reinterpret_cast<unsigned char const*>("x"), 1};
  std::string const written = io::detail::npy_header_of("file.npy", many);
  BOOST_TEST(written[6] == 2);
  BOOST_TEST(written.size() % 64 == 0u);
  BOOST_TEST(error_of(written + "x") == "file.npy: expected at most 32 extents, got more");
  BOOST_TEST(written.back() == '\n');
}

BOOST_AUTO_TEST_CASE(reads_every_format_and_spelling) {
  std::string const bytes("\1\0\2\0", 4);
  for (int version : {1, 2, 3}) BOOST_TEST(error_of(npy(header("<i2", "(2,)"), bytes, version)) == "");
  for (char const* text : {"{'descr':'<i2','fortran_order':False,'shape':(2,)}",
                           "  {\"shape\" : ( 2 , ) , \"descr\" : \"<i2\" , \"fortran_order\" : False , }   \n",
                           "{'shape': (1, 2), 'fortran_order': False, 'descr': '=i2'}",
                           "{'descr': '<i2', 'fortran_order': True, 'shape': (2L,), }",
                           "{'descr': '|i1', 'fortran_order': False, 'shape': (4,)}",
                           "{'descr': 'u1', 'fortran_order': False, 'shape': (2, 2,)}"})
    BOOST_TEST(error_of(npy(text, bytes)) == "", text);
}

BOOST_AUTO_TEST_CASE(the_big_end_first_is_turned_round) {
  auto const file =
      io::parse_npy("file.npy", in_memory(npy(header(">i4", "(2,)"), std::string("\0\0\1\2\xff\xff\xff\xfe", 8))));
  BOOST_TEST((elements<std::int32_t>(file.arrays()[0]) == std::vector<std::int32_t>{258, -2}));
  auto const doubles =
      io::parse_npy("file.npy", in_memory(npy(header(">f8", "()"), std::string("\x3f\xf8\0\0\0\0\0\0", 8))));
  BOOST_TEST((elements<double>(doubles.arrays()[0]) == std::vector<double>{1.5}));
}

BOOST_AUTO_TEST_CASE(columns_become_rows) {
  // The element at (i, j, k) of 2 x 3 x 2 is 100 i + 10 j + k; in columns, i changes fastest.
  std::string columns;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) columns += static_cast<char>(100 * i + 10 * j + k);
  auto const file = io::parse_npy("file.npy", in_memory(npy(header("|u1", "(2, 3, 2)", "True"), columns)));
  BOOST_TEST((elements<std::uint8_t>(file.arrays()[0]) ==
              std::vector<std::uint8_t>{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}));
  BOOST_TEST((file.arrays()[0].extents == std::vector<std::int64_t>{2, 3, 2}));
  // Both at once.
  auto const both =
      io::parse_npy("file.npy", in_memory(npy(header(">u2", "(2, 2)", "True"), std::string("\0\1\0\2\0\3\0\4", 8))));
  BOOST_TEST((elements<std::uint16_t>(both.arrays()[0]) == std::vector<std::uint16_t>{1, 3, 2, 4}));
  BOOST_TEST(error_of(npy(header("<f4", "(0, 3)", "True"), "")) == "");
}

BOOST_AUTO_TEST_CASE(rejects_truncated_and_extended_files) {
  std::string const whole = npy(header("<f4", "(3,)"), std::string(12, 'x'), 2);
  BOOST_TEST(error_of(whole) == "");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::string const error_text = error_of(whole.substr(0, length));
    BOOST_TEST(error_text.rfind("file.npy: expected ", 0) == 0u, "the first " << length << ": " << error_text);
  }
  BOOST_TEST(error_of(whole.substr(0, 3)) == "file.npy: expected an npy file, got one of 3 bytes");
  BOOST_TEST(error_of(whole.substr(0, 11)) ==
             "file.npy: expected the length of a header, got a file of 11 bytes: truncated");
  BOOST_TEST(error_of(whole.substr(0, 30)) == "file.npy: expected a header of 58 bytes, got a file of 30: truncated");
  BOOST_TEST(error_of(whole.substr(0, 78)) == "file.npy: expected 12 bytes for (3) of f4, got 8: truncated");
  BOOST_TEST(error_of(whole + "y") == "file.npy: expected 12 bytes for (3) of f4, got 13: trailing bytes");
}

BOOST_AUTO_TEST_CASE(rejects_unsupported_types) {
  auto const error_text = [](std::string const& text) { return error_of(npy(text, "xxxxxxxx")); };
  auto const kind = [&](char const* descr) { return error_text(header(descr, "(1,)")); };
  BOOST_TEST(error_of("PK\3\4xxxxxxxxxxxx") == "file.npy: expected an npy file, got something else");
  BOOST_TEST(error_of(npy(header("<f4", "(2,)"), "xxxxxxxx", 4)) ==
             "file.npy: expected format 1.0, 2.0 or 3.0, got 4.0");
  BOOST_TEST(kind("<c8") == "file.npy: expected elements of a type from b1 to f8, got \"<c8\"");
  BOOST_TEST(kind("<U4") == "file.npy: expected elements of a type from b1 to f8, got \"<U4\"");
  BOOST_TEST(kind("<M8[s]") == "file.npy: expected elements of a type from b1 to f8, got \"<M8[s]\"");
  BOOST_TEST(kind("f4") == "file.npy: expected elements of a type from b1 to f8, got \"f4\"");
  BOOST_TEST(kind("|f4") == "file.npy: expected elements of a type from b1 to f8, got \"|f4\"");
  BOOST_TEST(kind("") == "file.npy: expected elements of a type from b1 to f8, got \"\"");
  BOOST_TEST(
      kind("|O") ==
      "file.npy: expected elements of a type from b1 to f8, got \"|O\" (objects in Python's pickles, which can be programs)");
  BOOST_TEST(error_text("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}") ==
             "file.npy: expected elements that are numbers, got records");
  BOOST_TEST(error_text("{'descr': '<f4', 'fortran_order': False}") ==
             "file.npy: expected descr, fortran_order and shape, got no shape");
  BOOST_TEST(error_text("{'shape': (2,), 'fortran_order': False}") ==
             "file.npy: expected descr, fortran_order and shape, got no descr");
  BOOST_TEST(error_text("{'shape': (2,), 'descr': '<f4'}") ==
             "file.npy: expected descr, fortran_order and shape, got no fortran_order");
  BOOST_TEST(error_text("{'descr': '<f4', 'descr': '<f4'}") ==
             "file.npy: expected descr, fortran_order and shape once each, got \"descr\"");
  BOOST_TEST(error_text("{'type': '<f4'}") ==
             "file.npy: expected descr, fortran_order and shape once each, got \"type\"");
  BOOST_TEST(error_text("") == "file.npy: expected { in its header, got its end at byte 0 of the header");
  BOOST_TEST(error_text("[1]") == "file.npy: expected { in its header, got \"[1]\" at byte 0 of the header");
  BOOST_TEST(error_text("{descr: '<f4'}") == "file.npy: expected a key, got \"descr: '<f4'}\" at byte 1 of the header");
  BOOST_TEST(error_text("{'descr' '<f4'}") ==
             "file.npy: expected : in its header, got \"'<f4'}\" at byte 9 of the header");
  BOOST_TEST(error_text("{'descr': '<f4}") ==
             "file.npy: expected the end of a text, got \"<f4}\" at byte 11 of the header");
  BOOST_TEST(error_text("{'descr': 4}") ==
             "file.npy: expected a descr that is text, got \"4}\" at byte 10 of the header");
  BOOST_TEST(error_text("{'fortran_order': 1}") ==
             "file.npy: expected fortran_order True or False, got \"1}\" at byte 18 of the header");
  BOOST_TEST(error_text("{'shape': [2]}") ==
             "file.npy: expected ( in its header, got \"[2]}\" at byte 10 of the header");
  BOOST_TEST(error_text("{'shape': (2)}") == "file.npy: expected a comma, got \")}\" at byte 12 of the header");
  BOOST_TEST(error_text("{'shape': (-1,)}") ==
             "file.npy: expected a shape of whole numbers, got \"-1,)}\" at byte 11 of the header");
  BOOST_TEST(error_text("{'shape': (2 3)}") == "file.npy: expected a comma, got \"3)}\" at byte 13 of the header");
  BOOST_TEST(error_text("{'shape': (1, 2 3)}") ==
             "file.npy: expected ) in its header, got \"3)}\" at byte 16 of the header");
  BOOST_TEST(error_text(header("<f4", "(2,)") + "x") ==
             "file.npy: expected the end of the header, got \"x\" at byte 58 of the header");
}

BOOST_AUTO_TEST_CASE(rejects_huge_extents) {
  auto const error_text = [](char const* shape) { return error_of(npy(header("<f4", shape), "xxxx")); };
  BOOST_TEST(error_text("(99999999999999999999,)") == "file.npy: expected extents below 2^59, got more");
  BOOST_TEST(error_text("(4294967296, 4294967296)") ==
             "file.npy: expected extents whose product fits a file, got (4294967296, 4294967296)");
  BOOST_TEST(error_text("(4294967296, 134217728)") ==
             "file.npy: expected 2305843009213693952 bytes for (4294967296, 134217728) of f4, got 4: truncated");
  BOOST_TEST(error_text("(0, 4294967296, 4294967296, 4294967296)").find("expected extents whose product fits a file") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(bfloat16_has_no_npy_type) {
  temporary::folder const folder;
  espalier::bfloat16 const x[2] = {};
  try {
    io::write_npy(folder.path("x.npy"), io::array_of("x", espalier::extents{1, {2}}, x));
    BOOST_FAIL("it was written");
  } catch (io::write_error const& error) {
    BOOST_TEST(
        error.what() ==
        std::string{folder.path("x.npy")} +
            ": expected elements that npy has a type for, got bfloat16 \"x\": convert them to float, or save them as safetensors");
  }
  BOOST_TEST(folder.entries() == 0u);
}
