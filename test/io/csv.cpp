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

io::csv_table table(std::string const& content, io::csv_format how = {}) {
  written const file{content, "io_csv_file"};
  return io::read_csv("io_csv_file", how);
}
std::string refusal(std::string const& content, io::csv_format how = {}) {
  return message<io::format_error>([&] { (void)table(content, how); });
}
constexpr io::csv_format with_header{.header = true};

void check_small(io::csv_table const& t) {
  BOOST_TEST(t.rows() == 2);
  BOOST_TEST(t.columns() == 3);
  double const wanted[] = {1, -2.5, 3e-3, 4, .5, 6};
  for (int i = 0; i < 6; ++i) BOOST_TEST(t.at(i / 3, i % 3) == wanted[i]);
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
BOOST_AUTO_TEST_CASE(refuses_columns_that_are_not_there) {
  auto const t = table("a,b,b\n1,2,3\n", with_header);
  auto const plain = table("1,2,3\n");
  auto const said = [](auto const& from, io::column wanted) { return message<io::format_error>([&] { (void)from.position_of(wanted); }); };
  BOOST_TEST(said(t, "c") == "io_csv_file: expected a column named \"c\", came a header without it (its first: \"a\")");
  BOOST_TEST(said(t, "b") == "io_csv_file: expected one column named \"b\", came two: columns 1 and 2");
  BOOST_TEST(said(t, 3) == "io_csv_file: expected a column from 0 to 2 (or from -1 back), came 3");
  BOOST_TEST(said(t, -4) == "io_csv_file: expected a column from 0 to 2 (or from -1 back), came -4");
  BOOST_TEST(said(plain, "a") ==
             "io_csv_file: expected a column's position, since the file was read without a header, came the name \"a\"");
}
BOOST_AUTO_TEST_CASE(refuses_cells_that_are_no_numbers) {
  BOOST_TEST(refusal("1,2\n3,x4\n") == "io_csv_file: expected a number in line 2, column 1, came \"x4\"");
  BOOST_TEST(refusal("a,b\n1,2\n3,4y\n", with_header) == "io_csv_file: expected a number in line 3, column 1 (b), came \"4y\"");
  BOOST_TEST(refusal("a,b\n1,2\n") == "io_csv_file: expected a number in line 1, column 0, came \"a\"");
  BOOST_TEST(refusal("1,,2\n") == "io_csv_file: expected a number in line 1, column 1, came an empty cell");
  BOOST_TEST(refusal("1,2,\n") == "io_csv_file: expected a number in line 1, column 2, came an empty cell");
  BOOST_TEST(refusal("1\n\n2\n") == "io_csv_file: expected a number in line 2, column 0, came an empty cell");
  for (char const* text : {"0x10", "1e", "1.2.3", "+1", "1 2", "--1", "\"1\"", "1d3", "one", "-"})
    BOOST_TEST(refusal(std::string{"5,"} + text + "\n") ==
               std::string{"io_csv_file: expected a number in line 1, column 1, came \""} + text + "\"");
  BOOST_TEST(refusal("1e999\n") == "io_csv_file: expected a number that a double can hold in line 1, column 0, came \"1e999\"");
  BOOST_TEST(refusal("1,5") == "");
  BOOST_TEST(refusal(std::string("1\0002", 3)) == "io_csv_file: expected a number in line 1, column 0, came \"1?2\"");
  BOOST_TEST(refusal(std::string(5000, 'z')) ==
             "io_csv_file: expected a number in line 1, column 0, came \"" + std::string(40, 'z') + "...\"");
}
BOOST_AUTO_TEST_CASE(refuses_what_is_not_finite_unless_asked) {
  for (char const* text : {"nan", "inf", "-inf", "NaN", "infinity"}) {
    BOOST_TEST(refusal(std::string{"1,"} + text) == std::string{"io_csv_file: expected a finite number in line 1, column 1, came \""} +
                                                        text + "\" (csv_format::non_finite takes it)");
    double const value = table(std::string{"1,"} + text, {.non_finite = true}).at(0, 1);
    BOOST_TEST(!(value - value == 0), text);
  }
}
BOOST_AUTO_TEST_CASE(refuses_ragged_lines) {
  BOOST_TEST(refusal("1,2\n3\n") == "io_csv_file: expected 2 cells in line 2, as many as in line 1, came 1");
  BOOST_TEST(refusal("1,2\n3,4\n5,6,7\n") == "io_csv_file: expected 2 cells in line 3, as many as in line 1, came 3");
  BOOST_TEST(refusal("a\n3,4\n", with_header) == "io_csv_file: expected 1 cells in line 2, as many as in line 1, came 2");
  BOOST_TEST(refusal("1,2\n\n3,4\n") == "io_csv_file: expected 2 cells in line 2, as many as in line 1, came 1");
}
BOOST_AUTO_TEST_CASE(refuses_what_is_no_such_file) {
  BOOST_TEST(refusal("") == "io_csv_file: expected lines of numbers, came an empty file");
  BOOST_TEST(refusal("a,b\n", with_header) == "io_csv_file: expected lines of numbers after the header, came none");
  auto const said = [](char const* path) { return message<io::format_error>([&] { (void)io::read_csv(path); }); };
  BOOST_TEST(said("no/such/file").find("no/such/file: expected a file, came: ") == 0u);
  BOOST_TEST(said(".").find(".: expected a file, came: ") == 0u);
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
  static_assert(!std::is_convertible_v<int, io::file_path> && !std::is_convertible_v<std::vector<float>, io::file_path>);
}
