// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_copied
#include <espalier/derivative/reverse.hpp>
#include <espalier/eager/compiled.hpp>

#include "support/built_program.hpp"
#include "support/check_pullback.hpp"

using namespace test;

namespace {
constexpr esp::extents row{1, {4}};
inline constexpr auto twice = [](auto x) {
  auto const y = x * 2;
  return std::tuple{y, y, x};
};
}  // namespace

// Copies of one value with equal numbers are one node; with different numbers they are several.
BOOST_AUTO_TEST_CASE(numbers_keep_copies_distinct) {
  built_program p;
  esp::handle const x = p.argument(0, row), first = p.add<esp::copied_>(row, esp::graph::copy_attribute(1), x);
  BOOST_TEST(first.id != x.id);
  BOOST_TEST(p.add<esp::copied_>(row, esp::graph::copy_attribute(1), x).id == first.id);
  BOOST_TEST(p.add<esp::copied_>(row, esp::graph::copy_attribute(2), x).id != first.id);
}

// The results of a function are different memory, even if they are one value, or an argument.
BOOST_AUTO_TEST_CASE(every_result_has_memory_of_its_own) {
  auto const x = floats<7>(1);
  esp::compiled run{twice, x};
  esp::tensor<float, esp::shape<7>> first, second, third;
  run(x, first, second, third);
  for (std::int64_t i = 0; i < 7; ++i) BOOST_TEST(first[i] == 2 * x[i]);
  BOOST_TEST((second == first));
  BOOST_TEST((third == x));
  first[0] = 100;
  BOOST_TEST(second[0] == 2 * x[0]);
}

// The adjoint of a copied value is the sum of the adjoints of its copies.
BOOST_AUTO_TEST_CASE(pullback) {
  built_program p;
  esp::handle const x = p.argument(0, row), a = p.argument(1, row), b = p.argument(2, row);
  esp::handle const first = p.add<esp::copied_>(row, esp::graph::copy_attribute(1), x),
                    second = p.add<esp::copied_>(row, esp::graph::copy_attribute(2), x);
  esp::handle const root = first * a + second * b;
  auto const marks = std::make_unique<esp::derivative::marks>();
  auto const adjoint = std::make_unique<esp::derivative::adjoints>();
  marks->at[x.id] = esp::derivative::mark::differentiated;
  esp::derivative::reverse(p.nodes, root.id, esp::operation::emit_constant(p.nodes, 1, row).id, *marks, *adjoint);
  BOOST_TEST(adjoint->of[x.id] == (a + b).id);
}
