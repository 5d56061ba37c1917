// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_json_document
#include <boost/test/unit_test.hpp>

#include <espalier/io/json_document.hpp>

namespace io = espalier::io;

namespace {

io::json_value parsed(std::string const& text) {
  return io::parse_json("f", reinterpret_cast<unsigned char const*>(text.data()),
                        static_cast<std::int64_t>(text.size()));
}
/// What f(document) throws, behind the file's name; empty: nothing.
template <class F>
std::string error_of(std::string const& text, F const& f) {
  try {
    io::json_value const document = parsed(text);
    f(io::json_place{"f", document});
  } catch (io::format_error const& error) {
    std::string const what = error.what();
    BOOST_TEST(what.rfind("f: ", 0) == 0u, what);
    return what.substr(3);
  }
  return {};
}
std::string error_of(std::string const& text) {
  return error_of(text, [](io::json_place const&) {});
}
std::string tensor_error(std::string const& text) {
  return error_of(text, [](io::json_place const& at) { (void)at.tensor(); });
}
std::string repeated(std::string const& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_of_value) {
  io::json_value const document = parsed(
      R"({"a": null, "b": true, "c": -1.5e2, "d": "\u00e9", "e": [1, 2.5, -3], "f": [null, 8], "g": {"h": []}})");
  io::json_place const root{"f", document};
  BOOST_TEST(root.has("a"));
  BOOST_TEST(!root.has("z"));
  BOOST_TEST(root["b"].truth());
  BOOST_TEST(root["c"].number() == -150);
  BOOST_TEST(root["d"].text() == "\xc3\xa9");
  BOOST_TEST((root["e"].numbers() == std::vector<double>{1, 2.5, -3}));
  BOOST_TEST(root["e"].last_number() == -3);
  BOOST_TEST(root["f"].last_number() == 8);
  BOOST_TEST(root["f"].list().size() == 2u);
  BOOST_TEST(root["g"]["h"].list().empty());
  BOOST_TEST(root["g"]["h"].path() == "g.h");
}

BOOST_AUTO_TEST_CASE(numbers_before_other_values) {
  io::json_value const document = parsed("[1, 2, \"x\", 3, [4]]");
  auto const list = io::json_place{"f", document}.list();
  BOOST_REQUIRE(list.size() == 5u);
  BOOST_TEST(list[1].number() == 2);
  BOOST_TEST(list[2].text() == "x");
  BOOST_TEST(list[3].number() == 3);
  BOOST_TEST((list[4].numbers() == std::vector<double>{4}));
}

BOOST_AUTO_TEST_CASE(tensors) {
  io::json_value const document = parsed("[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]");
  io::json_tensor const t = io::json_place{"f", document}.tensor();
  BOOST_TEST((t.extents == std::vector<std::int64_t>{2, 3, 2}));
  for (int i = 0; i < 12; ++i) BOOST_TEST(t.numbers[static_cast<std::size_t>(i)] == i + 1);
  io::json_value const number = parsed("7");
  BOOST_TEST(io::json_place("f", number).tensor().extents.empty());
  BOOST_TEST(tensor_error("[[1, 2], [3]]") == "expected lists of equal lengths, got others");
  BOOST_TEST(tensor_error("[[1, 2], [3, [4]]]") == "expected lists of equal lengths, got others");
  BOOST_TEST(tensor_error("[[1], [[2]]]") == "expected lists of equal lengths, got others");
  BOOST_TEST(tensor_error("[[[1]], [2]]") == "expected lists of equal lengths, got others");
  BOOST_TEST(tensor_error("[1, [2]]") == "expected lists of equal lengths, got others");
  BOOST_TEST(tensor_error("[[1], 2]") == "expected a list, as in the rows before, got a number");
  BOOST_TEST(tensor_error("[[], []]") == "expected at least one number, got an empty list");
  BOOST_TEST(tensor_error("[[1], [null]]") == "expected lists of equal lengths, got others");
  BOOST_TEST(tensor_error("[null]") == "expected a number or nested lists of numbers, got null");
  BOOST_TEST(tensor_error("\"x\"") == "expected a number or nested lists of numbers, got text");
}

BOOST_AUTO_TEST_CASE(errors_name_their_place) {
  std::string const text = R"({"layers": [{"weights": "none"}, 7]})";
  BOOST_TEST(error_of(text, [](auto const& at) { (void)at["layers"].list()[0]["weights"].list(); }) ==
             "layers[0].weights: expected a list, got text");
  BOOST_TEST(error_of(text, [](auto const& at) { (void)at["layers"].list()[1]["type"]; }) ==
             "layers[1]: expected an object, got a number");
  BOOST_TEST(error_of(text, [](auto const& at) { (void)at["layers"].list()[0]["type"]; }) ==
             "layers[0]: expected an object with type, got one without");
  BOOST_TEST(error_of(text, [](auto const& at) { (void)at.number(); }) == "expected a number, got an object");
  BOOST_TEST(error_of("[1, 2]", [](auto const& at) { (void)at.list(); }) ==
             "expected a list of lists, objects or texts, got numbers");
  BOOST_TEST(error_of("[1, null]", [](auto const& at) { (void)at.numbers(); }) ==
             "expected a list of numbers, got other values");
  BOOST_TEST(error_of("[1, null]", [](auto const& at) { (void)at.last_number(); }) ==
             "expected a number or a list that ends with one, got another list");
}

BOOST_AUTO_TEST_CASE(rejects_what_is_no_json) {
  std::string const whole = R"({"a": [[1, 2], [3.5, -4e1]], "b": {"c": true, "d": null}})";
  BOOST_TEST(error_of(whole) == "");
  for (std::size_t length = 0; length < whole.size(); ++length)
    BOOST_TEST(error_of(whole.substr(0, length)) != "", "the first " << length);
  BOOST_TEST(error_of("[1, 2] 3") == "expected JSON with finite numbers, got something else at its byte 8");
  BOOST_TEST(error_of("[NaN]") != "");
  BOOST_TEST(error_of("[Infinity]") != "");
  BOOST_TEST(error_of("[1e999]") == "expected JSON with finite numbers, got something else at its byte 6");
  BOOST_TEST(error_of("[1e39]") == "expected numbers in the range of float, got 1e39");
  BOOST_TEST(error_of("[\"\xff\"]") != "");
  BOOST_TEST(error_of(std::string("[1]\0", 4)) ==
             "expected JSON with finite numbers, got something else at its byte 4");
  BOOST_TEST(error_of(R"({"a": 1, "b": 2, "a": 3})") == "expected each key once, got \"a\" twice");
}

BOOST_AUTO_TEST_CASE(rejects_what_exceeds_the_limits) {
  BOOST_TEST(error_of(repeated("[", 16) + repeated("]", 16)) == "");
  BOOST_TEST(error_of(repeated("[", 17) + repeated("]", 17)) ==
             "expected lists and objects at most 16 deep, got deeper ones");
  BOOST_TEST(error_of("[" + repeated("[],", 1'000'000) + "[]]") ==
             "expected at most 1000000 values beside those in lists of numbers, got more");
  std::string keys;
  for (int i = 0; i <= 4096; ++i) keys += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  BOOST_TEST(error_of("{" + keys + "}") == "expected objects of at most 4096 keys, got more");
}
