// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE data_table
#include <boost/test/unit_test.hpp>

#include <espalier/data/table.hpp>

#include "support/written_file.hpp"

namespace data = espalier::data;
namespace io = espalier::io;
using namespace test;
using espalier::shape;

namespace {
io::csv_table table(std::string const& content, bool header = true) {
  written const file{content, "data_table_file"};
  return io::read_csv("data_table_file", {.header = header});
}
std::string const flowers = "length,kind,width\n5.1,0,1.5\n6.2,2,2.5\n4.3,1,0.5\n";

template <class Sample, class Target = data::label>
std::string error_of(io::csv_table const& from, int classes, auto... columns) {
  return message<io::format_error>(
      [&] { (void)data::table<float, Sample, Target>(from, {.classes = classes}, columns...); });
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_label_column_among_features) {
  auto const set = data::table<float, shape<2>>(table(flowers), {.classes = 3, .scale = 2, .shift = 1}, "kind");
  BOOST_TEST(set.size() == 3);
  int const labels[] = {0, 2, 1};
  double const lengths[] = {5.1, 6.2, 4.3}, widths[] = {1.5, 2.5, 0.5};
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(set.label(i) == labels[i]);
    BOOST_TEST(set.image(i)[0] == static_cast<float>(lengths[i] * 2 + 1));
    BOOST_TEST(set.image(i)[1] == static_cast<float>(widths[i] * 2 + 1));
  }
  auto const by_position = data::table<double, shape<1, 2>>(table(flowers), {.classes = 3}, 1);
  BOOST_TEST(by_position.label(1) == 2);
  BOOST_TEST(by_position.image(1)(0, 1) == 2.5);
}
BOOST_AUTO_TEST_CASE(real_targets) {
  auto const one = data::table<float, shape<2>, shape<1>>(table(flowers), {.scale = 10}, -1);
  BOOST_TEST(one.target(1)[0] == 2.5f);
  BOOST_TEST(one.image(1)[0] == static_cast<float>(62));
  auto const two = data::table<double, shape<1>, shape<2>>(table(flowers), {}, "width", "length");
  BOOST_TEST(two.target(2)[0] == 0.5);
  BOOST_TEST(two.target(2)[1] == 4.3);
  BOOST_TEST(two.image(2)[0] == 1);
  auto const [first, rest] = two.split(2);
  BOOST_TEST(rest.target(0)[1] == 4.3);
  BOOST_TEST(first.size() == 2);
}
BOOST_AUTO_TEST_CASE(rejects_mismatched_columns) {
  BOOST_TEST(error_of<shape<3>>(table(flowers), 3, "kind") ==
             "data_table_file: expected 3 features beside 1 target column, for which the program was compiled, got 2");
  BOOST_TEST((error_of<shape<1>, shape<2>>(table(flowers), 3, "kind", 1)) ==
             "data_table_file: expected different target columns, got column 1 twice");
  BOOST_TEST(error_of<shape<2>>(table(flowers), 3, "height").find("expected a column named \"height\"") !=
             std::string::npos);
}
BOOST_AUTO_TEST_CASE(rejects_invalid_labels) {
  BOOST_TEST(error_of<shape<2>>(table(flowers), 2, "kind") ==
             "data_table_file: expected a label from 0 to 1 in line 3, column 1 (kind), got 2");
  BOOST_TEST(error_of<shape<2>>(table(flowers), 3, "width") ==
             "data_table_file: expected a label from 0 to 2 in line 2, column 2 (width), got 1.5");
  BOOST_TEST(error_of<shape<1>>(table("1,-1\n", false), 3, 1) ==
             "data_table_file: expected a label from 0 to 2 in line 1, column 1, got -1");
  BOOST_TEST(error_of<shape<1>>(table("1,1e30\n", false), 3, 1) ==
             "data_table_file: expected a label from 0 to 2 in line 1, column 1, got 1e+30");
}
BOOST_AUTO_TEST_CASE(rejects_numbers_beyond_the_element_type) {
  BOOST_TEST(error_of<shape<1>>(table("1,0\n1e60,1\n", false), 2, 1) ==
             "data_table_file: expected a number that is finite as an element of the data set in line 2, column 0, got "
             "1e+60");
  BOOST_TEST((error_of<shape<1>, shape<1>>(table("1,-1e60\n", false), 0, 1)) ==
             "data_table_file: expected a number that is finite as an element of the data set in line 1, column 1, got "
             "-1e+60");
  auto const doubles = data::table<double, shape<1>>(table("1e60,1\n", false), {}, 1);
  BOOST_TEST(doubles.image(0)[0] == 1e60);
  written const file{"inf,1\n", "data_table_file"};
  auto const from = io::read_csv("data_table_file", {.non_finite = true});
  auto const accepted = data::table<float, shape<1>>(from, {}, 1);
  BOOST_TEST(accepted.image(0)[0] == __builtin_huge_valf());
}
BOOST_AUTO_TEST_CASE(a_label_that_is_not_finite_throws) {
  written const file{"1,nan\n", "data_table_file"};
  auto const from = io::read_csv("data_table_file", {.non_finite = true});
  BOOST_TEST(error_of<shape<1>>(from, 3, 1).find("expected a label from 0 to 2 in line 1, column 1, got") !=
             std::string::npos);
}
