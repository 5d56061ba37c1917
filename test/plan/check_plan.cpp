// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_check_plan
#include <boost/test/unit_test.hpp>

#include <functional>
#include <utility>

#include "support/heap_plan.hpp"
#include "support/passes.hpp"

using namespace test;
using plan::plan_error;

namespace {

/// Two products, a sum over columns and a reduction: values in the workspace, and two results.
struct steps {
  constexpr auto operator()(auto x, auto w) const {
    auto const a = esp::tanh(matmul(x, w));
    auto const b = esp::tanh(matmul(a, w));
    return matmul(b, w) + a;
  }
};
using program = passes<steps, real<8, 8>, real<8, 8>>;

/// The plan of the program, after a change.
struct changed {
  program const of;
  std::unique_ptr<plan::planned> planned = std::make_unique<plan::planned>();
  plan::storage_layout layout = program::definition::layout();

  changed() {
    planned->groups = *of.merged;
    planned->ir = *of.kernels;
    planned->memory = *of.memory;
  }
  plan::plan_fault check() const { return plan::check_plan(of.program, *planned, layout); }
  /// The number of the n-th value that a kernel leaves in the workspace.
  int stored(int n) const {
    for (int id = 1; id <= of.program.nodes.size; ++id)
      if (planned->memory.stored[id] && planned->groups.group_of[id] != 0 &&
          planned->memory.address_of[id].base == plan::base::workspace && n-- == 0)
        return id;
    return 0;
  }
  int result() const { return of.program.outputs[0].id; }
};
plan_error error_after(std::function<void(changed&)> const& change) {
  changed c;
  change(c);
  return c.check().error;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_plan_is_right) {
  changed const c;
  BOOST_TEST(c.stored(1) != 0);
  BOOST_TEST((c.check().error == plan_error::none));
  plan::prove_plan<program::definition>();
}

BOOST_AUTO_TEST_CASE(each_change_is_a_fault) {
  BOOST_TEST((error_after([](changed& c) {  // a result that no instruction computes
                c.planned->ir.local[c.result()] = -1;
              }) == plan_error::other_operand));
  BOOST_TEST((error_after([](changed& c) { c.planned->memory.workspace -= 8; }) == plan_error::outside));
  BOOST_TEST(
      (error_after([](changed& c) { c.planned->memory.address_of[c.stored(0)].base = 1000; }) == plan_error::outside));
  BOOST_TEST((error_after([](changed& c) { c.planned->memory.address_of[c.stored(0)].offset += 1; }) ==
              plan_error::not_aligned));
  BOOST_TEST((error_after([](changed& c) {
                c.planned->memory.address_of[c.stored(0)] = {plan::base::values, 0};
              }) == plan_error::read_only));
  BOOST_TEST((error_after([](changed& c) {
                c.planned->memory.address_of[c.result()] = {plan::base::workspace, 4096};
              }) == plan_error::outside));
  BOOST_TEST((error_after([](changed& c) {
                c.planned->memory.workspace += 4096;
                c.planned->memory.address_of[c.result()] = {plan::base::workspace, 4096};
              }) == plan_error::incomplete_result));
  // A product's result in the memory of its operand, and in that of a value that is read later.
  BOOST_TEST((error_after([](changed& c) {
                for (int id = 1; id < c.result(); ++id) c.planned->memory.address_of[id] = {plan::base::workspace, 0};
              }) != plan_error::none));
  BOOST_TEST((error_after([](changed& c) {
                plan::kernel_body const& k = c.planned->ir.groups[1];
                std::swap(c.planned->ir.operands[k.first_operand].node,
                          c.planned->ir.operands[k.first_operand + 1].node);
              }) == plan_error::other_operand));
  BOOST_TEST((error_after([](changed& c) { c.planned->ir.groups[c.planned->groups.group_count].kernel = 1; }) ==
              plan_error::other_kernel));
}

BOOST_AUTO_TEST_CASE(a_fault_names_kernel_and_values) {
  // The first value that is kept is overwritten by the second one before its last reader.
  changed c;
  int const first = c.stored(0), second = c.stored(1);
  BOOST_REQUIRE(first != 0);
  BOOST_REQUIRE(second != 0);
  c.planned->memory.address_of[second] = c.planned->memory.address_of[first];
  plan::plan_fault const fault = c.check();
  BOOST_TEST((fault.error == plan_error::other_value || fault.error == plan_error::overwritten));
  BOOST_TEST(((fault.value == first && fault.other == second) || (fault.value == second && fault.other == first)));
  BOOST_TEST(fault.group > c.planned->groups.group_of[first]);
}

BOOST_AUTO_TEST_CASE(a_result_in_the_memory_of_an_argument) {
  // x w is written while x is still read.
  changed const c;
  BOOST_TEST((plan::check_shared_plan(c.of.program, *c.planned, c.layout, 0, 1).error != plan_error::none));
}
