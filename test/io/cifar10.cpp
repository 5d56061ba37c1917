// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_cifar10
#include <boost/test/unit_test.hpp>

#include <string>

#include <espalier/io/cifar10.hpp>

#include "support/written_file.hpp"

namespace io = espalier::io;
using namespace test;

namespace {

constexpr int size = 3073;

/// Record r has label (r + from) % 10 and pixel p of byte (7 r + p + from) % 256.
std::string records(int count, int from = 0) {
  std::string made;
  for (int r = 0; r < count; ++r) {
    made.push_back(static_cast<char>((r + from) % 10));
    for (int p = 0; p < 3072; ++p) made.push_back(static_cast<char>((7 * r + p + from) % 256));
  }
  return made;
}
std::string error_of(std::string const& content) {
  written const file{content, "io_cifar10_file"};
  return message<io::format_error>([&] { (void)io::read_cifar10(file.name.c_str()); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_file) {
  written const file{records(12), "io_cifar10_file"};
  auto const all = io::read_cifar10(file.name.c_str());
  BOOST_TEST(all.count() == 12);
  for (int r = 0; r < 12; ++r) {
    BOOST_TEST(all.label(r) == r % 10);
    for (int p = 0; p < 3072; p += 97) BOOST_TEST(all.pixels(r)[p] == (7 * r + p) % 256);
  }
}
BOOST_AUTO_TEST_CASE(several_files_follow_each_other) {
  written const one{records(2), "io_cifar10_one"}, two{records(1, 5), "io_cifar10_two"},
      three{records(3, 9), "io_cifar10_three"};
  auto const all = io::read_cifar10("io_cifar10_one", "io_cifar10_two", "io_cifar10_three");
  BOOST_TEST(all.count() == 6);
  int const labels[] = {0, 1, 5, 9, 0, 1}, first[] = {0, 7, 5, 9, 16, 23};
  for (int r = 0; r < 6; ++r) {
    BOOST_TEST(all.label(r) == labels[r]);
    BOOST_TEST(all.pixels(r)[0] == first[r]);
  }
}
BOOST_AUTO_TEST_CASE(rejects_another_size) {
  std::string const whole = records(2);
  for (int length : {1, 2, 3072, 3074, 2 * size - 1}) {
    std::string const error_text = error_of(whole.substr(0, static_cast<std::size_t>(length)));
    BOOST_TEST(error_text ==
               "io_cifar10_file: expected a multiple of 3073 bytes (a label and 3 x 32 x 32 pixels each), got " +
                   std::to_string(length) + ": " + std::to_string(length / size) + " records and " +
                   std::to_string(length % size) + " bytes");
  }
  BOOST_TEST(error_of("") == "io_cifar10_file: expected records of 3073 bytes (CIFAR-10, binary), got an empty file");
  BOOST_TEST(error_of(whole + "x").find("got 6147: 2 records and 1 bytes") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(rejects_labels_beyond_nine) {
  for (int value = 10; value < 256; ++value) {
    std::string content = records(3);
    content[size] = static_cast<char>(value);
    BOOST_TEST(error_of(content) ==
               "io_cifar10_file: expected labels from 0 to 9, got " + std::to_string(value) + " in record 1");
  }
}
BOOST_AUTO_TEST_CASE(rejects_other_files) {
  BOOST_TEST(error_of("\x1f\x8b\x08 and so on").find("got a gzip file: unpack it first") != std::string::npos);
  auto const error_text = [](char const* path) {
    return message<io::format_error>([&] { (void)io::read_cifar10(path); });
  };
  BOOST_TEST(error_text("no/such/file").find("no/such/file: expected a file, got: ") == 0u);
  BOOST_TEST(error_text(".").find(".: expected a file, got: ") == 0u);
}
BOOST_AUTO_TEST_CASE(names_the_file_of_several) {
  written const one{records(1), "io_cifar10_one"}, two{records(2).substr(0, 4000), "io_cifar10_two"};
  std::string const error_text =
      message<io::format_error>([] { (void)io::read_cifar10("io_cifar10_one", "io_cifar10_two"); });
  BOOST_TEST(error_text.find("io_cifar10_two: ") == 0u);
}
