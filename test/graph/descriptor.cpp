// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE graph_descriptor
#include <boost/test/unit_test.hpp>

#include <type_traits>

#include <espalier/graph/descriptor.hpp>

namespace test {
/// Two ops whose descriptors are equal in all parts except the names.
struct first_op {};
struct second_op {};
struct unregistered_op {};
}  // namespace test

namespace espalier {
template <>
struct rule<test::first_op> {
  template <class Op>
  static constexpr graph::descriptor describe() {
    (void)sizeof(graph::op_registration<Op>);
    graph::descriptor d{};
    d.name = "first";
    d.family = graph::op_family::elementwise;
    return d;
  }
};
template <>
struct rule<test::second_op> {
  template <class Op>
  static constexpr graph::descriptor describe() {
    (void)sizeof(graph::op_registration<Op>);
    graph::descriptor d{};
    d.name = "second";
    d.family = graph::op_family::elementwise;
    return d;
  }
};
template <>
struct rule<test::unregistered_op> {
  template <class Op>
  static constexpr graph::descriptor describe() {
    return {};
  }
};
}  // namespace espalier

namespace graph = espalier::graph;
using graph::described;

namespace {
template <graph::descriptor const* Address>
concept HasOp = requires {
  typename graph::op_of<Address>;
};
}  // namespace

BOOST_AUTO_TEST_CASE(the_rule_describes_its_op) {
  static_assert(described<test::first_op>.name[0] == 'f' && described<test::second_op>.name[0] == 's');
  static_assert(described<test::first_op>.family == graph::op_family::elementwise);
}

// Kernel types are formed of the op that a node names by an address.
BOOST_AUTO_TEST_CASE(an_address_leads_back_to_its_op) {
  static_assert(described<test::first_op>.name != nullptr && described<test::second_op>.name != nullptr);
  static_assert(std::is_same_v<graph::op_of<&described<test::first_op>>, test::first_op>);
  static_assert(std::is_same_v<graph::op_of<&described<test::second_op>>, test::second_op>);
  static_assert(described<test::unregistered_op>.name == nullptr && !HasOp<&described<test::unregistered_op>>);
}

BOOST_AUTO_TEST_CASE(one_address_in_the_program) {
  graph::descriptor const* const at = &described<test::first_op>;
  BOOST_TEST(at == &described<test::first_op>);
  BOOST_TEST(at != &described<test::second_op>);
  BOOST_TEST(at->name == "first");
}
