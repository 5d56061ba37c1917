// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_tflite_file
#include <boost/test/unit_test.hpp>

#include <espalier/io/tflite_file.hpp>

#include <initializer_list>

namespace io = espalier::io;
namespace tflite = espalier::io::tflite;

namespace {

tflite::model_file example() {
  tflite::model_file f;
  f.name = "graph";
  f.description = "three tensors";
  f.buffers.push_back(std::string{"\1\2\3\4", 4});
  f.tensors = {{"x", tflite::element::int8, {1, 2}, 0, {{0.5f}, {-3}, 0}},
               {"weights", tflite::element::int8, {2, 2}, 1, {{0.25f, 0.125f}, {0, 0}, 0}},
               {"y", tflite::element::int8, {1, 2}, 0, {{2.0f}, {127}, 0}},
               {"p", tflite::element::float32, {}}};
  f.operations = {{tflite::op::fully_connected, {0, 1, -1}, {2}, 8, {1, 0, 1}, 12},
                  {tflite::op::average_pool_2d, {2}, {3}, 5, {1, 2, 3, 4, 5, 0}, 2},
                  {tflite::op::broadcast_to, {2, 0}, {3}, 0, {}, 3}};
  f.inputs = {0};
  f.outputs = {2, 3};
  return f;
}
std::string message(auto&& f) {
  try {
    f();
  } catch (io::format_error const& e) {
    return e.what();
  }
  return "nothing thrown";
}
/// The file is in memory of its own, so that a sanitizer finds reads behind its end.
std::string message_of(std::string const& bytes) {
  std::vector<char> const exact(bytes.begin(), bytes.end());
  return message([&] { (void)tflite::model_reader{{exact.data(), exact.size()}, "f"}.read(); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  std::string const bytes = tflite::model_writer{example()}.bytes();
  BOOST_TEST(bytes.substr(4, 4) == "TFL3");
  tflite::model_file const from = example(), f = tflite::model_reader{bytes, "f"}.read();
  BOOST_TEST(f.name == "graph");
  BOOST_TEST(f.description == "three tensors");
  BOOST_TEST((f.buffers == from.buffers));
  BOOST_TEST((f.inputs == from.inputs && f.outputs == from.outputs));
  BOOST_REQUIRE(f.tensors.size() == from.tensors.size());
  for (std::size_t i = 0; i < f.tensors.size(); ++i) {
    tflite::tensor const &a = from.tensors[i], &b = f.tensors[i];
    BOOST_TEST((a.name == b.name && a.type == b.type && a.extents == b.extents && a.buffer == b.buffer));
    BOOST_TEST((a.by.scales == b.by.scales && a.by.zero_points == b.by.zero_points && a.by.axis == b.by.axis));
  }
  BOOST_REQUIRE(f.operations.size() == from.operations.size());
  for (std::size_t i = 0; i < f.operations.size(); ++i) {
    tflite::operation const &a = from.operations[i], &b = f.operations[i];
    BOOST_TEST((a.code == b.code && a.inputs == b.inputs && a.outputs == b.outputs));
    BOOST_TEST((a.options == b.options && a.fields == b.fields));
  }
}

/// Bytes of constants begin at multiples of 16, as interpreters that map the file expect.
BOOST_AUTO_TEST_CASE(buffers_are_aligned) {
  tflite::model_file f = example();
  f.buffers[1] = std::string(64, 'w');
  std::string const bytes = tflite::model_writer{f}.bytes();
  BOOST_TEST(bytes.find(std::string(64, 'w')) % 16 == 0u);
}

BOOST_AUTO_TEST_CASE(other_files_are_rejected_in_words) {
  BOOST_TEST(message_of("") == "f: expected a TensorFlow Lite model with the identifier TFL3, got a file without it");
  BOOST_TEST(message_of("PK and so on and so on").find("the identifier TFL3") != std::string::npos);
  std::string bytes = tflite::model_writer{example()}.bytes();
  bytes[bytes.find("TFL3") + 3] = '2';
  BOOST_TEST(message_of(bytes).find("the identifier TFL3") != std::string::npos);
  tflite::model_file two = example();
  two.operations[1].outputs = {9};
  BOOST_TEST(message_of(tflite::model_writer{two}.bytes()) ==
             "f: expected a TensorFlow Lite model, got an operator that reads or writes no tensor");
  tflite::model_file negative = example();
  negative.tensors[0].extents = {-1, 2};
  BOOST_TEST(message_of(tflite::model_writer{negative}.bytes()) ==
             "f: expected a TensorFlow Lite model, got a tensor with a negative extent");
  tflite::model_file none = example();
  none.tensors[0].buffer = 2;
  BOOST_TEST(message_of(tflite::model_writer{none}.bytes()) ==
             "f: expected a TensorFlow Lite model, got a tensor without a buffer");
}

/// Every prefix is rejected; files with changed bytes are read or rejected, and nothing beyond them is read.
BOOST_AUTO_TEST_CASE(damaged_files_are_read_or_rejected) {
  std::string const whole = tflite::model_writer{example()}.bytes();
  BOOST_TEST(message_of(whole) == "nothing thrown");
  int rejected = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) rejected += message_of(whole.substr(0, n)) != "nothing thrown";
  BOOST_TEST(rejected > static_cast<int>(whole.size()) / 2);
  rejected = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int const change : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      rejected += message_of(damaged) != "nothing thrown";
    }
  BOOST_TEST(rejected > 300);
}

/// A list whose tables are all the same table would otherwise take memory without a limit.
BOOST_AUTO_TEST_CASE(tables_that_are_shared_without_end_are_rejected) {
  tflite::model_file f = example();
  f.tensors[0].extents = tflite::integers(2000, 1);
  std::string bytes = tflite::model_writer{f}.bytes();
  f.tensors.resize(2000, f.tensors[3]);
  bytes = tflite::model_writer{f}.bytes();
  BOOST_TEST(message_of(bytes) == "nothing thrown");
  // The list of tensors is the only one with 2000 elements of 4 bytes that are offsets.
  auto const number = [&](std::size_t at) {
    std::uint32_t x;
    std::memcpy(&x, bytes.data() + at, sizeof x);
    return x;
  };
  std::size_t list = 0;
  for (std::size_t at = 0; at + 8004 <= bytes.size(); at += 4)
    if (number(at) == 2000 && number(at + 4) > 1) list = at;
  BOOST_REQUIRE(list != 0);
  std::size_t const first = list + 4 + number(list + 4);
  for (std::size_t i = 0; i < 2000; ++i) {
    auto const offset = static_cast<std::uint32_t>(first - (list + 4 + 4 * i));
    std::memcpy(bytes.data() + list + 4 + 4 * i, &offset, sizeof offset);
  }
  BOOST_TEST(message_of(bytes) ==
             "f: expected a TensorFlow Lite model, got tables that refer to the same bytes too often");
}
