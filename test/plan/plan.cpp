// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_plan
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct deep {
  constexpr auto operator()(auto x, auto w) const {
    auto const a = esp::tanh(matmul(x, w));
    auto const b = esp::tanh(matmul(a, w));
    auto const c = esp::tanh(matmul(b, w)) + a;
    return matmul(c, w);
  }
};
using square_net = passes<deep, real<8, 8>, real<8, 8>>;

/// A definition without a subject is its own.
struct definition {
  static constexpr graph::program build() { return {}; }
  static constexpr plan::storage_layout layout() { return {nullptr, nullptr}; }
};
struct with_fault : definition {
  static constexpr graph::program build() {
    graph::program p{};
    p.nodes.report(graph::fault::unknown_tensor);
    return p;
  }
};
struct with_subject : definition {
  using subject = deep;
};

void check_equal(plan::planned const& all, square_net const& p) {
  BOOST_TEST(all.memory.workspace == p.memory->workspace);
  BOOST_TEST(all.ir.instruction_count == p.kernels->instruction_count);
  for (int id = 1; id <= p.program.nodes.size; ++id) {
    BOOST_TEST(all.groups.group_of[id] == p.merged->group_of[id]);
    BOOST_TEST(all.memory.address_of[id].base == p.memory->address_of[id].base);
    BOOST_TEST(all.memory.address_of[id].offset == p.memory->address_of[id].offset);
  }
}
}  // namespace

// All passes in one evaluation make what they make one by one, and so do those of a definition.
BOOST_AUTO_TEST_CASE(one_call_makes_the_same_plan) {
  static constexpr plan::planned all =
      plan::make_plan(plan::graph_of<square_net::definition>, square_net::definition::layout());
  square_net const p;
  check_equal(all, p);
  check_equal(plan::plan_of<square_net::definition>, p);
}

BOOST_AUTO_TEST_CASE(facts_of_a_program) {
  square_net const p;
  BOOST_TEST(plan::flops_of_program<square_net::definition> == 4 * (2 * 8 * 8 * 8) + 4 * 64);
  BOOST_TEST(plan::moved_by_program<square_net::definition> ==
             plan::traffic_of_program<square_net::definition>.read +
                 plan::traffic_of_program<square_net::definition>.written);
  BOOST_TEST(plan::traffic_of_program<square_net::definition>.written == 4 * 64);
}

BOOST_AUTO_TEST_CASE(errors_name_the_subject) {
  static_assert(std::is_same_v<plan::subject_of<definition>::type, definition>);
  static_assert(std::is_same_v<plan::subject_of<with_subject>::type, deep>);
}

BOOST_AUTO_TEST_CASE(the_fault_of_a_program) {
  static_assert(plan::fault_of_program<square_net::definition>() == graph::fault::none);
  static_assert(plan::fault_of_program<with_fault>() == graph::fault::unknown_tensor);
  static_assert(plan::sound_program<square_net::definition>::agree);
}

BOOST_AUTO_TEST_CASE(a_program_without_nodes_has_an_empty_plan) {
  static_assert(plan::plan_of<definition>.groups.group_count == 0 && plan::plan_of<definition>.memory.workspace == 0);
  static_assert(plan::flops_of_program<definition> == 0 && plan::moved_by_program<definition> == 0);
}
