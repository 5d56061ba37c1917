// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_check_device_plan
#include <boost/test/unit_test.hpp>

#include <functional>

#include "support/heap_plan.hpp"
#include "support/passes.hpp"

#include <espalier/plan/check_device_plan.hpp>

using namespace test;
using plan::plan_error;

namespace {

struct scores_by_labels {
  constexpr auto operator()(auto scores, auto y) const {
    return esp::tanh(matmul(scores, esp::one_hot<4>(y))) + esp::cross_entropy(scores, y);
  }
};
using program = passes<scores_by_labels, real<4, 4>, esp::borrowed<std::int32_t, esp::shape<4>>>;
constexpr plan::device_policy in_place{.samples_in_place = true, .labels_in_place = true};

/// A device's plan of the program, and the error after a change of it.
struct changed {
  program const of;
  std::unique_ptr<plan::planned> planned = std::make_unique<plan::planned>();
  std::unique_ptr<plan::device_plan> on_device;

  changed() {
    planned->groups = *of.merged;
    planned->ir = *of.kernels;
    planned->memory = *of.memory;
    on_device = on_heap([&] { return plan::plan_for_device(of.program, *planned, in_place); });
  }
  plan_error check() const { return plan::check_device_plan(of.program, *planned, *on_device).error; }
  /// The first operand that a group on the device reads so.
  int operand(plan::operand_kind kind) const {
    for (int x = 1; x <= planned->groups.group_count; ++x)
      for (int i = planned->ir.groups[x].first_operand, k = planned->ir.groups[x].operands; k > 0; --k, ++i)
        if (on_device->runs[x] && on_device->kind_of_operand[i] == kind) return i;
    return -1;
  }
};
plan_error error_after(std::function<void(changed&)> const& change) {
  changed c;
  change(c);
  return c.check();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_device_plan_is_right) {
  changed const c;
  BOOST_TEST((c.check() == plan_error::none));
  BOOST_TEST(c.operand(plan::operand_kind::integer) >= 0);
  plan::prove_device_plan<program::definition, in_place>();
}

BOOST_AUTO_TEST_CASE(each_change_is_a_fault) {
  BOOST_TEST((error_after([](changed& c) {  // a conversion that is read from memory
                int const converted = c.operand(plan::operand_kind::integer);
                c.on_device->kind_of_operand[converted] = plan::operand_kind::memory;
                c.on_device->runs[c.planned->groups.group_of[c.planned->ir.operands[converted].node]] = false;
              }) == plan_error::other_value));
  BOOST_TEST((error_after([](changed& c) {
                c.on_device->kind_of_operand[c.operand(plan::operand_kind::memory)] = plan::operand_kind::random;
              }) == plan_error::other_operand));
  BOOST_TEST((error_after([](changed& c) { c.on_device->label_of[c.operand(plan::operand_kind::integer)] = 1; }) ==
              plan_error::other_operand));
  BOOST_TEST((error_after([](changed& c) {
                c.on_device->kind_of_operand[c.operand(plan::operand_kind::integer)] = plan::operand_kind::flag;
              }) == plan_error::other_operand));
  BOOST_TEST((error_after([](changed& c) { c.on_device->kernel[c.planned->groups.group_count] = 1; }) ==
              plan_error::other_kernel));
}
