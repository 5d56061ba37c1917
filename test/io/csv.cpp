// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_csv
#include <boost/test/unit_test.hpp>

#include <clocale>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <espalier/io/csv.hpp>

#include "support/written_file.hpp"

namespace io = espalier::io;
using namespace test;

namespace {

io::csv_table table(std::string const& content, io::csv_format format = {}) {
  written const file{content, "io_csv_file"};
  return io::read_csv("io_csv_file", format);
}
std::string error_of(std::string const& content, io::csv_format format = {}) {
  return message<io::format_error>([&] { (void)table(content, format); });
}
constexpr io::csv_format with_header{.header = true};

void check_small(io::csv_table const& t) {
  BOOST_TEST(t.rows() == 2);
  BOOST_TEST(t.columns() == 3);
  double const requested[] = {1, -2.5, 3e-3, 4, .5, 6};
  for (int i = 0; i < 6; ++i) BOOST_TEST(t.at(i / 3, i % 3) == requested[i]);
}

}  // namespace

BOOST_AUTO_TEST_CASE(lines_of_numbers) {
  check_small(table("1,-2.5,3e-3\n4,.5,6\n"));
  check_small(table("1,-2.5,3e-3\n4,.5,6"));
  check_small(table("1,-2.5,3e-3\r\n4,.5,6\r\n"));
  check_small(table("1,-2.5,3e-3\n4,.5,6\n\n"));
  check_small(table("1,-2.5,3e-3\r\n4,.5,6\r\n\r\n\n"));
  check_small(table(" 1 ,\t-2.5, 3e-3\n4,.5 ,6 \n"));
  check_small(table("1;-2.5;3e-3\n4;.5;6\n", {.separator = ';'}));
  check_small(table("1\t-2.5\t3e-3\n4\t.5\t6\n", {.separator = '\t'}));
  check_small(
      table("\xef\xbb\xbf"
            "1,-2.5,3e-3\n4,.5,6\n"));
  BOOST_TEST(table("7").at(0, 0) == 7);
  BOOST_TEST(table("0.1\n").at(0, 0) == 0.1);
}
BOOST_AUTO_TEST_CASE(names_of_columns) {
  auto const t = table("length,\"width\", \"a b\"\n1,-2.5,3e-3\n4,.5,6\n", with_header);
  check_small(t);
  BOOST_TEST(t.column_name(0) == std::string{"length"});
  BOOST_TEST(t.column_name(1) == std::string{"width"});
  BOOST_TEST(t.column_name(2) == std::string{"a b"});
  BOOST_TEST(t.position_of("width") == 1);
  BOOST_TEST(t.position_of(0) == 0);
  BOOST_TEST(t.position_of(-1) == 2);
  BOOST_TEST(t.line(0) == 2);
  BOOST_TEST(table("1\n2\n").line(1) == 2);
  BOOST_TEST(table("1\n2\n").column_name(0) == std::string{});
}
BOOST_AUTO_TEST_CASE(rejects_missing_columns) {
  auto const t = table("a,b,b\n1,2,3\n", with_header);
  auto const plain = table("1,2,3\n");
  auto const error_text = [](auto const& from, io::column requested) {
    return message<io::format_error>([&] { (void)from.position_of(requested); });
  };
  BOOST_TEST(error_text(t, "c") ==
             "io_csv_file: expected a column named \"c\", got a header without it (its first: \"a\")");
  BOOST_TEST(error_text(t, "b") == "io_csv_file: expected one column named \"b\", got two: columns 1 and 2");
  BOOST_TEST(error_text(t, 3) == "io_csv_file: expected a column from 0 to 2 (or from -1 back), got 3");
  BOOST_TEST(error_text(t, -4) == "io_csv_file: expected a column from 0 to 2 (or from -1 back), got -4");
  BOOST_TEST(error_text(plain, "a") ==
             "io_csv_file: expected a column's position, since the file was read without a header, got the name \"a\"");
}
BOOST_AUTO_TEST_CASE(rejects_invalid_cells) {
  BOOST_TEST(error_of("1,2\n3,x4\n") == "io_csv_file: expected a number in line 2, column 1, got \"x4\"");
  BOOST_TEST(error_of("a,b\n1,2\n3,4y\n", with_header) ==
             "io_csv_file: expected a number in line 3, column 1 (b), got \"4y\"");
  BOOST_TEST(error_of("a,b\n1,2\n") == "io_csv_file: expected a number in line 1, column 0, got \"a\"");
  BOOST_TEST(error_of("1,,2\n") == "io_csv_file: expected a number in line 1, column 1, got an empty cell");
  BOOST_TEST(error_of("1,2,\n") == "io_csv_file: expected a number in line 1, column 2, got an empty cell");
  BOOST_TEST(error_of("1\n\n2\n") == "io_csv_file: expected a number in line 2, column 0, got an empty cell");
  for (char const* text : {"0x10", "1e", "1.2.3", "+1", "1 2", "--1", "1d3", "one", "-"})
    BOOST_TEST(error_of(std::string{"5,"} + text + "\n") ==
               std::string{"io_csv_file: expected a number in line 1, column 1, got \""} + text + "\"");
  BOOST_TEST(error_of("1e999\n") ==
             "io_csv_file: expected a number that a double can hold in line 1, column 0, got \"1e999\"");
  BOOST_TEST(error_of("1,5") == "");
  BOOST_TEST((table("\"1\", \"-2.5\"\n").at(0, 1)) == -2.5);
  BOOST_TEST(error_of("\"1\",\"x\"\n") == "io_csv_file: expected a number in line 1, column 1, got \"x\"");
  BOOST_TEST(error_of("1,\"\"\n") == "io_csv_file: expected a number in line 1, column 1, got an empty cell");
  BOOST_TEST(error_of("1,\"\n") == "io_csv_file: expected a number in line 1, column 1, got \"\"\"");
  BOOST_TEST(error_of(std::string("1\0002", 3)) == "io_csv_file: expected a number in line 1, column 0, got \"1?2\"");
  BOOST_TEST(error_of(std::string(5000, 'z')) ==
             "io_csv_file: expected a number in line 1, column 0, got \"" + std::string(40, 'z') + "...\"");
}
BOOST_AUTO_TEST_CASE(rejects_non_finite_cells_by_default) {
  for (char const* text : {"nan", "inf", "-inf", "NaN", "infinity"}) {
    BOOST_TEST(error_of(std::string{"1,"} + text) ==
               std::string{"io_csv_file: expected a finite number in line 1, column 1, got \""} + text +
                   "\" (set csv_format::non_finite to accept it)");
    double const value = table(std::string{"1,"} + text, {.non_finite = true}).at(0, 1);
    BOOST_TEST(!(value - value == 0), text);
  }
}
BOOST_AUTO_TEST_CASE(rejects_ragged_lines) {
  BOOST_TEST(error_of("1,2\n3\n") == "io_csv_file: expected 2 cells in line 2, as many as in line 1, got 1");
  BOOST_TEST(error_of("1,2\n3,4\n5,6,7\n") == "io_csv_file: expected 2 cells in line 3, as many as in line 1, got 3");
  BOOST_TEST(error_of("a\n3,4\n", with_header) ==
             "io_csv_file: expected 1 cells in line 2, as many as in line 1, got 2");
  BOOST_TEST(error_of("1,2\n\n3,4\n") == "io_csv_file: expected 2 cells in line 2, as many as in line 1, got 1");
}
BOOST_AUTO_TEST_CASE(rejects_other_files) {
  BOOST_TEST(error_of("") == "io_csv_file: expected lines of numbers, got an empty file");
  BOOST_TEST(error_of("a,b\n", with_header) == "io_csv_file: expected lines of numbers after the header, got none");
  auto const error_text = [](char const* path) { return message<io::format_error>([&] { (void)io::read_csv(path); }); };
  BOOST_TEST(error_text("no/such/file").find("no/such/file: expected a file, got: ") == 0u);
  BOOST_TEST(error_text(".").find(".: expected a file, got: ") == 0u);
}
BOOST_AUTO_TEST_CASE(numbers_have_a_point_whatever_the_locale) {
  for (char const* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    BOOST_TEST(table("1.5,2\n").at(0, 0) == 1.5);
    BOOST_TEST(table("1,5\n").columns() == 2);
  }
  std::setlocale(LC_ALL, "C");
}

// One type of argument serves every reader and writer.
BOOST_AUTO_TEST_CASE(paths_are_text_strings_and_paths) {
  written const file{"1,-2.5,3e-3\n4,.5,6\n", "io_csv_file"};
  std::string const text = "io_csv_file";
  check_small(io::read_csv(text));
  check_small(io::read_csv(std::filesystem::path{text}));
  check_small(io::read_csv(std::string{"io_csv_"} + "file", {.separator = ','}));
  static_assert(!std::is_convertible_v<int, io::file_path> &&
                !std::is_convertible_v<std::vector<float>, io::file_path>);
}
