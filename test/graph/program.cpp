// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE graph_program
#include <boost/test/unit_test.hpp>

#include <memory>

#include <espalier/graph/program.hpp>

using namespace espalier;
using graph::fault;
using graph::op_family;

namespace {
constexpr graph::descriptor described_as(char const* name, op_family family, int arity) {
  return {name,
          family,
          arity,
          nullptr,
          nullptr,
          nullptr,
          nullptr,
          {},
          0,
          false,
          false,
          graph::within_sum::stays,
          graph::as_stored::nothing};
}
constexpr graph::descriptor argument = described_as("argument", op_family::argument, 0),
                            sum = described_as("sum", op_family::elementwise, 2),
                            difference = described_as("difference", op_family::elementwise, 2),
                            renamed = described_as("renamed", op_family::reshape, 1),
                            alias = described_as("alias", op_family::alias, 2);
constexpr extents vector{1, {4}};

std::unique_ptr<graph::node_table> empty() { return std::make_unique<graph::node_table>(); }
int add_argument(graph::node_table& g, std::uint64_t position, extents const& s = vector) {
  return g.add({&argument, {}, position, s});
}
int add_binary(graph::node_table& g, graph::descriptor const& op, int a, int b) {
  return g.add({&op, {a, b, 0, 0}, 0, vector});
}
}  // namespace

BOOST_AUTO_TEST_CASE(ids_count_from_one) {
  auto const g = empty();
  int const x = add_argument(*g, 0), y = add_argument(*g, 1), z = add_binary(*g, sum, x, y);
  BOOST_TEST((x == 1 && y == 2 && z == 3 && g->size == 3));
  BOOST_TEST((*g)[z].operand[1] == y);
}

// A node is another one if any of its parts differs.
BOOST_AUTO_TEST_CASE(equal_nodes_are_one) {
  auto const g = empty();
  int const x = add_argument(*g, 0), y = add_argument(*g, 1), z = add_binary(*g, sum, x, y);
  BOOST_TEST(add_argument(*g, 0) == x);
  BOOST_TEST(add_binary(*g, sum, x, y) == z);
  BOOST_TEST(g->size == 3);
  BOOST_TEST(add_binary(*g, sum, y, x) == 4);
  BOOST_TEST(add_binary(*g, difference, x, y) == 5);
  BOOST_TEST(g->add({&sum, {x, y, 0, 0}, 7, vector}) == 6);
  BOOST_TEST(g->add({&sum, {x, y, 0, 0}, 0, {2, {4, 1}}}) == 7);
  BOOST_TEST(add_argument(*g, 0, {1, {5}}) == 8);
}

// Leaves have no operand that could order them: they are found by a hash of attribute and extents.
BOOST_AUTO_TEST_CASE(many_leaves_are_found_again) {
  auto const g = empty();
  for (std::uint64_t i = 0; i < 3000; ++i) BOOST_REQUIRE(add_argument(*g, i) == static_cast<int>(i) + 1);
  for (std::uint64_t i = 0; i < 3000; i += 7) BOOST_REQUIRE(add_argument(*g, i) == static_cast<int>(i) + 1);
  BOOST_TEST(g->size == 3000);
}

// One node too many is a fault, and tracing continues with a leaf of the shape.
// The hash of a leaf does not overflow: this is a constant expression.
BOOST_AUTO_TEST_CASE(large_extents_have_chains) {
  constexpr int chain = graph::node_table::key_of({&argument, {}, 0, extents{2, {2'000'000'000, 2'000'000'000}}});
  BOOST_TEST((chain >= 0 && chain < graph::leaf_chains));
}
BOOST_AUTO_TEST_CASE(too_many_nodes) {
  auto const g = empty();
  int last = add_argument(*g, 0);
  while (g->size < graph::most_nodes) last = add_binary(*g, sum, last, 1);
  BOOST_TEST((g->found == fault::none));
  BOOST_TEST(g->add({&sum, {last, 2, 0, 0}, 0, {1, {9}}}) == graph::most_nodes);
  BOOST_TEST((g->found == fault::too_many_nodes));
  BOOST_TEST(((*g)[graph::most_nodes].op == &argument && (*g)[graph::most_nodes].shape == extents{1, {9}}));
}

BOOST_AUTO_TEST_CASE(maps_are_numbered_once) {
  auto const g = empty();
  index_map m = identity_map(2);
  BOOST_TEST(g->number_of(m) == 0);
  m.start[0] = 3;
  BOOST_TEST(g->number_of(m) == 1);
  m.fills_with_lowest = true;
  BOOST_TEST(g->number_of(m) == 2);
  BOOST_TEST(g->number_of(identity_map(2)) == 0);
  for (int i = g->map_count; i < graph::max_maps; ++i) {
    m.start[1] = i;
    BOOST_REQUIRE(g->number_of(m) == i);
  }
  BOOST_TEST((g->found == fault::none));
  m.start[1] = -1;
  BOOST_TEST(g->number_of(m) == 0);
  BOOST_TEST((g->found == fault::too_many_maps));
}

// Tensors begin at multiples of 16 numbers, so that their rows are aligned.
BOOST_AUTO_TEST_CASE(constant_tensors_are_stored_once) {
  auto const g = empty();
  double const a[17] = {1, 2, 3}, b[3] = {1, 2, 3}, c[3] = {1, 2, 4};
  BOOST_TEST(g->offset_of_values(a, 17) == 0);
  BOOST_TEST(g->offset_of_values(c, 3) == 32);
  BOOST_TEST(g->offset_of_values(b, 3) == 0);  // the first elements of a
  BOOST_TEST(g->offset_of_values(c, 3) == 32);
  BOOST_TEST(g->value_count == 48);
}

BOOST_AUTO_TEST_CASE(too_many_values) {
  auto const g = empty();
  std::unique_ptr<double[]> const zeros{new double[graph::max_values + 1]{}};
  BOOST_TEST(g->offset_of_values(zeros.get(), graph::max_values) == 0);
  BOOST_TEST((g->found == fault::none));
  zeros[0] = 1;
  BOOST_TEST(g->offset_of_values(zeros.get(), 1) == 0);
  BOOST_TEST((g->found == fault::too_many_values));

  auto const many = empty();
  for (int i = 0; i <= graph::max_tables; ++i) {
    double const one = i;
    (void)many->offset_of_values(&one, 1);
    BOOST_REQUIRE((many->found == fault::none) == (i < graph::max_tables));
  }
}

BOOST_AUTO_TEST_CASE(the_first_fault_is_kept) {
  auto const g = empty();
  g->report(fault::foreign_parameter);
  g->report(fault::too_many_nodes);
  BOOST_TEST((g->found == fault::foreign_parameter));
}

BOOST_AUTO_TEST_CASE(values_are_copied_to_a_program_that_is_built_anew) {
  auto const g = empty(), to = empty();
  double const a[2] = {1, 2}, b[2] = {3, 4};
  (void)g->offset_of_values(a, 2);
  int const at = g->offset_of_values(b, 2);
  copy_values(*g, *to);
  BOOST_TEST(to->values[at] == 3);
  BOOST_TEST(to->offset_of_values(b, 2) == at);
  BOOST_TEST(to->value_count == g->value_count);
}

BOOST_AUTO_TEST_CASE(reshapes_and_aliases_refer_to_the_data_of_their_operand) {
  auto const g = empty();
  int const x = add_argument(*g, 0), y = add_argument(*g, 1);
  int const flat = g->add({&renamed, {x, 0, 0, 0}, 0, {2, {2, 2}}}),
            other = g->add({&alias, {flat, y, 0, 0}, 0, vector});
  int const z = add_binary(*g, sum, other, other);
  BOOST_TEST(graph::data_of(*g, other) == x);
  BOOST_TEST(graph::data_of(*g, z) == z);
}

BOOST_AUTO_TEST_CASE(outputs) {
  auto const p = std::make_unique<graph::program>();
  p->add_output(3, graph::destination::gradient, 2);
  p->add_output(4, graph::destination::result, 0, true);
  BOOST_TEST(p->output_count == 2);
  BOOST_TEST((p->outputs[0].id == 3 && p->outputs[0].index == 2 && !p->outputs[0].reported));
  BOOST_TEST((p->outputs[1].where == graph::destination::result && p->outputs[1].reported));
}
