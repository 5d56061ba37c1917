// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_safetensors
#include <boost/test/unit_test.hpp>

#include <espalier/io/safetensors.hpp>

#include "support/temporary.hpp"

namespace io = espalier::io;

namespace {

io::file_bytes in_memory(std::string const& text) {
  io::file_bytes bytes{static_cast<std::int64_t>(text.size())};
  std::copy(text.begin(), text.end(), bytes.data());
  return bytes;
}
std::string length_of(std::uint64_t length) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(length >> (8 * i) & 0xff);
  return text;
}
std::string file(std::string const& header, std::size_t data_bytes = 0) {
  std::string all = length_of(header.size()) + header;
  for (std::size_t i = 0; i < data_bytes; ++i) all += static_cast<char>(i);
  return all;
}
/// What the reader says about a file, behind its name; empty: it was read.
std::string error_of(std::string const& content) {
  try {
    (void)io::parse_safetensors("f", in_memory(content));
  } catch (io::format_error const& error) {
    std::string const error_text = error.what();
    BOOST_TEST(error_text.rfind("f: ", 0) == 0u, error_text);
    return error_text.substr(3);
  }
  return {};
}
std::string error_text(std::string const& header, std::size_t data_bytes = 0) {
  return error_of(file(header, data_bytes));
}
/// A tensor named t with four bytes of data, of which one member is another.
std::string with(std::string const& dtype, std::string const& shape = "[4]", std::string const& offsets = "[0,4]") {
  return error_text("{\"t\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}", 4);
}

}  // namespace

// The header is padded with blanks, and the words about the file come first: the form that the Python package gives its
// files.
BOOST_AUTO_TEST_CASE(reads_what_the_python_package_writes) {
  std::string header =
      R"({"__metadata__":{"format":"pt","a \"word\"":"\u00e9"},"fc.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
      R"("fc.bias":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},"n":{"dtype":"I64","shape":[],"data_offsets":[12,20]}})";
  header.append((8 - header.size() % 8) % 8 + 8, ' ');
  auto const all = io::parse_safetensors("f", in_memory(file(header, 20)));
  BOOST_REQUIRE(all.arrays().size() == 3u);
  BOOST_TEST(all.arrays()[0].name == "fc.bias");
  BOOST_TEST(all.arrays()[1].name == "fc.weight");
  BOOST_TEST((all.find("fc.weight")->extents == std::vector<std::int64_t>{1, 2}));
  BOOST_TEST((all.find("fc.bias")->kind == io::element_kind::f16));
  BOOST_TEST(all.find("fc.bias")->data[0] == 8);
  BOOST_TEST(all.find("n")->extents.empty());
  BOOST_TEST(all.find("n")->size() == 1);
  BOOST_TEST(all.find("n")->data[7] == 19);
  BOOST_REQUIRE(all.metadata().size() == 2u);
  BOOST_TEST(all.metadata()[0].name == "format");
  BOOST_TEST(all.metadata()[0].text == "pt");
  BOOST_TEST(all.metadata()[1].name == "a \"word\"");
  BOOST_TEST(all.metadata()[1].text == "\xc3\xa9");
}

BOOST_AUTO_TEST_CASE(every_kind_comes_back) {
  temporary::folder const folder;
  unsigned char data[6 * 8];
  for (int i = 0; i < 48; ++i) data[i] = static_cast<unsigned char>(i * 5);
  std::vector<io::named_array> arrays;
  for (int kind = 0; kind < io::element_kinds; ++kind) {
    auto const of = static_cast<io::element_kind>(kind);
    arrays.push_back({"\"a\"/" + std::to_string(kind) + "\n", of, {2, 3}, data, 6 * io::bytes_of(of)});
  }
  arrays.push_back({"none", io::element_kind::f64, {0, 3}, nullptr, 0});
  arrays.push_back({"none too", io::element_kind::f64, {3, 0}, nullptr, 0});
  arrays.push_back({"", io::element_kind::f32, {}, data, 4});
  io::write_safetensors(folder.path("f"), arrays, {{"format", "espalier"}, {"a\tb", "\"c\""}});
  std::string const text = temporary::read(folder.path("f"));
  BOOST_TEST(text.find("{\"__metadata__\":{\"format\":\"espalier\",\"a\\tb\":\"\\\"c\\\"\"},") == 8u);
  auto const all = io::read_safetensors(folder.path("f"));
  BOOST_TEST(all.arrays().size() == arrays.size());
  BOOST_TEST(all.metadata().size() == 2u);
  for (auto const& a : arrays) {
    auto const* const actual = all.find(a.name);
    BOOST_REQUIRE(actual != nullptr);
    BOOST_TEST((actual->kind == a.kind));
    BOOST_TEST((actual->extents == a.extents));
    BOOST_TEST(std::string(actual->data, actual->data + actual->bytes) == std::string(a.data, a.data + a.bytes));
    BOOST_TEST((actual->data - all.find("none")->data) % io::bytes_of(a.kind) == 0);
  }
  io::write_safetensors(folder.path("empty"), {});
  BOOST_TEST(io::read_safetensors(folder.path("empty")).arrays().empty());
}

BOOST_AUTO_TEST_CASE(rejects_missing_headers) {
  BOOST_TEST(error_of("") == "expected a safetensors file, got a file of 0 bytes");
  BOOST_TEST(error_of("1234567") == "expected a safetensors file, got a file of 7 bytes");
  BOOST_TEST(error_of(length_of(0)) == "expected a header that begins with {, got none");
  BOOST_TEST(error_of(length_of(3) + "{}") ==
             "expected a header of 3 bytes, got a file of 10: truncated, or no safetensors file");
  BOOST_TEST(error_of(length_of(~std::uint64_t{0}) + "{}") ==
             "expected a header of 18446744073709551615 bytes, got a file of 10: truncated, or no safetensors file");
  BOOST_TEST(error_of("PK\3\4 and so on and so on").find("truncated, or no safetensors file") != std::string::npos);
  BOOST_TEST(error_text(" {}") == "expected a header that begins with {, got something else");
  BOOST_TEST(error_text("[]") == "expected a header that begins with {, got something else");
  BOOST_TEST(error_text("{}") == "");
  BOOST_TEST(error_text("{}   ") == "");
  BOOST_TEST(error_text("{} {}") == "expected a header in JSON, got something else at its byte 4");
  BOOST_TEST(error_text("{") == "expected a header in JSON, got something else at its byte 2");
  BOOST_TEST(error_text("{\"a\" 3}") == "expected a header in JSON, got something else at its byte 6");
  BOOST_TEST(error_text("{\"a\xff\":{}}") == "expected a header in JSON, got something else at its byte 4");
  BOOST_TEST(error_text(std::string("{}\0", 3)) == "expected a header in JSON, got something else at its byte 3");
  BOOST_TEST(error_text(std::string("{}\0{", 4)) == "expected a header in JSON, got something else at its byte 3");
  BOOST_TEST(error_text("{\"t\":{\"dtype\":\"F32\",\"shape\":[1e999]}}").find("expected a header in JSON") == 0u);
}

BOOST_AUTO_TEST_CASE(rejects_truncated_and_extended_files) {
  std::string const whole = file("{\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4);
  BOOST_TEST(error_of(whole) == "");
  for (std::size_t length = 0; length < whole.size(); ++length)
    BOOST_TEST(error_of(whole.substr(0, length)) != "", "the first " << length);
  BOOST_TEST(error_of(whole.substr(0, whole.size() - 1)) ==
             "tensor \"t\": expected data up to byte 4, got a file with 3 bytes of data: truncated");
  BOOST_TEST(error_of(whole + "x") == "expected 4 bytes of data, got 5: trailing bytes");
  BOOST_TEST(error_text("{}", 1) == "expected 0 bytes of data, got 1: trailing bytes");
  // Every other byte of the header says something else, but for the name, other types of four bytes, and "[ ]" for
  // "[1]".
  for (std::size_t at = 0; at < whole.size() - 4; ++at)
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      std::string const actual = error_of(changed);
      bool const none = changed[at] == ' ' || (value >= 9 && value <= 13);
      if (changed != whole && at != 10 && !(at == 37 && none) && changed.find("I32") == std::string::npos &&
          changed.find("U32") == std::string::npos)
        BOOST_TEST(actual != "", "byte " << at << " = " << value);
    }
}

BOOST_AUTO_TEST_CASE(rejects_unsupported_types) {
  BOOST_TEST(error_text("{\"t\":3}") == "tensor \"t\": expected an object, got 3");
  BOOST_TEST(error_text("{\"t\":null}") == "tensor \"t\": expected an object, got null");
  BOOST_TEST(error_text("{\"t\":[]}") == "tensor \"t\": expected an object, got a list");
  BOOST_TEST(error_text("{\"t\":\"x\"}") == "tensor \"t\": expected an object, got the text \"x\"");
  BOOST_TEST(error_text("{\"t\":{}}") == "tensor \"t\": expected dtype, shape and data_offsets, got no dtype");
  BOOST_TEST(error_text("{\"t\":{\"dtype\":\"F32\"}}") ==
             "tensor \"t\": expected dtype, shape and data_offsets, got no shape");
  BOOST_TEST(error_text("{\"t\":{\"dtype\":\"F32\",\"shape\":[]}}") ==
             "tensor \"t\": expected dtype, shape and data_offsets, got no data_offsets");
  BOOST_TEST(error_text("{\"t\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}") ==
             "tensor \"t\": expected dtype, shape and data_offsets once each, got \"dtype\"");
  BOOST_TEST(error_text("{\"t\":{\"strides\":[1]}}") ==
             "tensor \"t\": expected dtype, shape and data_offsets once each, got \"strides\"");

  BOOST_TEST(with("\"U8\"") == "");
  BOOST_TEST(with("\"F8_E4M3\"") == "tensor \"t\": expected elements of a type from BOOL to F64, got \"F8_E4M3\"");
  BOOST_TEST(with("\"f32\"") == "tensor \"t\": expected elements of a type from BOOL to F64, got \"f32\"");
  BOOST_TEST(with("3") == "tensor \"t\": expected a dtype that is text, got 3");
  BOOST_TEST(with("[\"U8\"]") == "tensor \"t\": expected a dtype that is text, got a list");
  BOOST_TEST(with("{}") == "tensor \"t\": expected a dtype that is text, got an object");
  BOOST_TEST(with("\"U8\"", "4") == "tensor \"t\": expected a shape of whole numbers, got 4");
  BOOST_TEST(with("\"U8\"", "[-4]") == "tensor \"t\": expected a shape of whole numbers, got -4");
  BOOST_TEST(with("\"U8\"", "[4.0]") == "tensor \"t\": expected a shape of whole numbers, got 4.0");
  BOOST_TEST(with("\"U8\"", "[true]") == "tensor \"t\": expected a shape of whole numbers, got a truth value");
  BOOST_TEST(with("\"U8\"", "[[4]]") == "tensor \"t\": expected a shape of whole numbers, got a list");
  BOOST_TEST(with("\"U8\"", "[\"4\"]") == "tensor \"t\": expected a shape of whole numbers, got the text \"4\"");
  BOOST_TEST(with("\"U8\"", "\"4\"") == "tensor \"t\": expected a shape of whole numbers, got the text \"4\"");
  BOOST_TEST(with("\"U8\"", "null") == "tensor \"t\": expected a shape of whole numbers, got null");
  BOOST_TEST(with("\"U8\"", "[4]", "[0]") == "tensor \"t\": expected two data_offsets, got 1");
  BOOST_TEST(with("\"U8\"", "[4]", "[]") == "tensor \"t\": expected two data_offsets, got 0");
  BOOST_TEST(with("\"U8\"", "[4]", "[0,4,4]") == "tensor \"t\": expected two data_offsets, got more");
  BOOST_TEST(with("\"U8\"", "[4]", "[-1,3]") == "tensor \"t\": expected data_offsets of two whole numbers, got -1");
  BOOST_TEST(with("\"U8\"", "[4]", "{\"begin\":0}") ==
             "tensor \"t\": expected data_offsets of two whole numbers, got an object");
  BOOST_TEST(with("\"U8\"", "[4]", "[{},4]") ==
             "tensor \"t\": expected data_offsets of two whole numbers, got an object");

  BOOST_TEST(error_text("{\"__metadata__\":3}") == "tensor \"__metadata__\": expected an object, got 3");
  BOOST_TEST(error_text("{\"__metadata__\":{\"a\":3}}") == "expected metadata that is text, got 3 for \"a\"");
  BOOST_TEST(error_text("{\"__metadata__\":{\"a\":null}}") == "expected metadata that is text, got null for \"a\"");
  BOOST_TEST(error_text("{\"__metadata__\":{\"a\":{}}}") == "expected metadata that is text, got an object for \"a\"");
  BOOST_TEST(error_text("{\"__metadata__\":{\"a\":[\"b\"]}}") ==
             "expected metadata that is text, got a list for \"a\"");
  BOOST_TEST(error_text("{\"__metadata__\":{}}") == "");
  BOOST_TEST(error_text("{\"__metadata__\":{\"a\":\"b\"},\"__metadata__\":{}}") ==
             "expected __metadata__ once, got it twice");
  BOOST_TEST(error_text("{\"__metadata__\":{\"a\":\"b\",\"a\":\"c\"}}") ==
             "expected each key of the metadata once, got \"a\" twice");
}

BOOST_AUTO_TEST_CASE(rejects_false_extents) {
  BOOST_TEST(with("\"U8\"", "[5]") == "tensor \"t\": expected 5 bytes for (5) of U8, got data_offsets 0 to 4");
  BOOST_TEST(with("\"F32\"", "[4]") == "tensor \"t\": expected 16 bytes for (4) of F32, got data_offsets 0 to 4");
  BOOST_TEST(with("\"U8\"", "[2,2,1]") == "");
  BOOST_TEST(with("\"F32\"", "[]") == "");
  BOOST_TEST(with("\"U8\"", "[4]", "[4,0]") == "tensor \"t\": expected 4 bytes for (4) of U8, got data_offsets 4 to 0");
  BOOST_TEST(with("\"U8\"", "[0]") == "tensor \"t\": expected 0 bytes for (0) of U8, got data_offsets 0 to 4");
  BOOST_TEST(with("\"U8\"", "[4294967296,4294967296]") ==
             "tensor \"t\": expected extents whose product fits a file, got (4294967296, 4294967296)");
  BOOST_TEST(with("\"U8\"", "[0,4294967296,4294967296]") ==
             "tensor \"t\": expected extents whose product fits a file, got (0, 4294967296, 4294967296)");
  BOOST_TEST(with("\"U8\"", "[4611686018427387905]") ==
             "tensor \"t\": expected shape below 2^62, got 4611686018427387905");
  BOOST_TEST(with("\"U8\"", "[4]", "[0,18446744073709551615]") ==
             "tensor \"t\": expected data_offsets below 2^62, got 18446744073709551615");
  BOOST_TEST(with("\"U8\"", "[99999999999999999999]").find("tensor \"t\": expected a shape of whole numbers, got ") ==
             0u);
  std::string many = "[1";
  for (int i = 1; i < 33; ++i) many += ",1";
  BOOST_TEST(with("\"F32\"", many + "]") == "tensor \"t\": expected at most 32 extents, got more");
  BOOST_TEST(with("\"F32\"", many.substr(0, many.size() - 2) + "]") == "");
}

BOOST_AUTO_TEST_CASE(rejects_overlaps_and_gaps) {
  auto const tensor = [](char const* name, int begin, int end) {
    return std::string{"\""} + name + "\":{\"dtype\":\"U8\",\"shape\":[" + std::to_string(end - begin) +
           "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
  };
  BOOST_TEST(error_text("{" + tensor("b", 2, 4) + "," + tensor("a", 0, 2) + "}", 4) == "");
  BOOST_TEST(error_text("{" + tensor("a", 0, 3) + "," + tensor("b", 2, 4) + "}", 4) ==
             "tensor \"b\": expected data_offsets from 3 on, got 2: two tensors overlap");
  BOOST_TEST(error_text("{" + tensor("a", 0, 4) + "," + tensor("b", 0, 4) + "}", 4) ==
             "tensor \"b\": expected data_offsets from 4 on, got 0: two tensors overlap");
  BOOST_TEST(error_text("{" + tensor("a", 0, 2) + "," + tensor("b", 3, 4) + "}", 4) ==
             "tensor \"b\": expected data_offsets from 2 on, got 3: bytes that belong to no tensor");
  BOOST_TEST(error_text("{" + tensor("a", 1, 4) + "}", 4) ==
             "tensor \"a\": expected data_offsets from 0 on, got 1: bytes that belong to no tensor");
  BOOST_TEST(error_text("{" + tensor("a", 0, 0) + "," + tensor("b", 0, 4) + "," + tensor("c", 4, 4) + "}", 4) == "");
  BOOST_TEST(error_text("{" + tensor("a", 0, 4) + "," + tensor("b", 2, 2) + "}", 4) ==
             "tensor \"b\": expected data_offsets from 4 on, got 2: two tensors overlap");
  BOOST_TEST(error_text("{" + tensor("a", 0, 2) + "," + tensor("a", 2, 4) + "}", 4) ==
             "expected each tensor once, got \"a\" twice");
  // A name that JSON writes in two ways is one name.
  BOOST_TEST(error_text("{" + tensor("a", 0, 2) + "," + tensor("\\u0061", 2, 4) + "}", 4) ==
             "expected each tensor once, got \"a\" twice");
}

// Objects inside objects are refused where they begin, before anything could follow their depth.
BOOST_AUTO_TEST_CASE(rejects_deep_nesting) {
  std::string deep = "{\"t\":";
  for (int i = 0; i < 100000; ++i) deep += "{\"t\":";
  BOOST_TEST(error_text(deep) == "tensor \"t\": expected dtype, shape and data_offsets once each, got \"t\"");
  BOOST_TEST(error_text("{\"t\":" + std::string(1000000, '[')) == "tensor \"t\": expected an object, got a list");
  BOOST_TEST(error_text("{\"t\":{\"shape\":" + std::string(1000000, '[')) ==
             "tensor \"t\": expected a shape of whole numbers, got a list");
}

BOOST_AUTO_TEST_CASE(long_names_are_cut_in_errors) {
  std::string const name(100000, 'n');
  BOOST_TEST(error_text("{\"" + name + "\":3}") ==
             "tensor \"" + name.substr(0, 120) + "...\": expected an object, got 3");
  BOOST_TEST(error_text("{\"a\\u0001\\nb\":3}") == "tensor \"a??b\": expected an object, got 3");
}

BOOST_AUTO_TEST_CASE(names_that_a_file_cannot_have) {
  temporary::folder const folder;
  float const one[1] = {1};
  auto const name_error_of = [&](std::vector<std::string> const& names,
                                 std::vector<io::metadata_entry> const& metadata = {}) -> std::string {
    std::vector<io::named_array> arrays;
    for (auto const& name : names) arrays.push_back(io::array_of(name, espalier::extents{1, {1}}, one));
    try {
      io::write_safetensors(folder.path("f"), arrays, metadata);
    } catch (io::name_error const& error) {
      return std::string{error.what()}.substr(std::string{folder.path("f")}.size());
    }
    return "written";
  };
  BOOST_TEST(name_error_of({"a", "b", "a"}) == ": expected each name once, got \"a\" twice");
  BOOST_TEST(name_error_of({"__metadata__"}) ==
             ": expected another name than \"__metadata__\", which the format reserves");
  BOOST_TEST(name_error_of({"\xff"}) == ": expected names in UTF-8, got \"\xff\"");
  BOOST_TEST(name_error_of({}, {{"a", "\xc0\x80"}}) == ": expected names in UTF-8, got \"\xc0\x80\"");
  BOOST_TEST(name_error_of({}, {{"a", "b"}, {"a", "c"}}) ==
             ": expected each key of the metadata once, got \"a\" twice");
  BOOST_TEST(folder.entries() == 0u);
  BOOST_TEST(name_error_of({"a", std::string("\0", 1), "\"\\"}) == "written");
  BOOST_TEST(io::read_safetensors(folder.path("f")).find(std::string_view("\0", 1)) != nullptr);
}

BOOST_AUTO_TEST_CASE(rejects_other_files) {
  temporary::folder const folder;
  auto const of = [](char const* path) -> std::string {
    try {
      (void)io::read_safetensors(path);
    } catch (io::format_error const& error) {
      return error.what();
    }
    return {};
  };
  BOOST_TEST(of("no/such/file") == "no/such/file: expected a file, got: No such file or directory");
  BOOST_TEST(of(folder.path(".")) == std::string{folder.path(".")} + ": expected a file, got: Is a directory");
  BOOST_TEST(of("/dev/null") == "/dev/null: expected a plain file, got one of unknown size");
  temporary::write(folder.path("empty"), "");
  BOOST_TEST(of(folder.path("empty")) ==
             std::string{folder.path("empty")} + ": expected a safetensors file, got a file of 0 bytes");
}
