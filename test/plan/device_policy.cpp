// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_device_policy
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

#include <espalier/plan/device_policy.hpp>

using namespace test;

namespace {
template <int... N>
using labels = esp::borrowed<std::int32_t, esp::shape<N...>>;

struct cross_entropy {
  constexpr auto operator()(auto scores, auto y) const { return esp::cross_entropy(scores, y); }
};
struct scores_by_labels {
  constexpr auto operator()(auto scores, auto y) const { return matmul(scores, esp::one_hot<4>(y)); }
};
struct layer {
  constexpr auto operator()(auto x, auto w, auto b) const { return relu(matmul(x, w) + b); }
};
struct bounded_layer {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::tanh(matmul(x, w) + b); }
};
constexpr plan::device_policy none{}, in_place{true, true, false, false}, with_bias{false, false, false, true};

template <class Passes>
std::unique_ptr<plan::device_plan const> made(Passes const& p, plan::device_policy policy) {
  std::unique_ptr<plan::planned> planned{new plan::planned};
  planned->groups = *p.merged;
  planned->ir = *p.kernels;
  planned->memory = *p.memory;
  std::unique_ptr<plan::device_plan> r{new plan::device_plan};
  *r = plan::plan_for_device(p.program, *planned, policy);
  return r;
}
template <class Passes>
int converting_group(Passes const& p) {
  for (int x = 1; x <= p.merged->group_count; ++x)
    if (p.merged->groups[x].kind == plan::kernel_kind::convert) return x;
  return 0;
}
}  // namespace

BOOST_AUTO_TEST_CASE(without_a_policy_all_groups_run_on_numbers_in_memory) {
  passes<cross_entropy, real<4, 6>, labels<4>> const p;
  auto const d = made(p, none);
  for (int x = 1; x <= p.merged->group_count; ++x) {
    BOOST_TEST(d->runs[x]);
    BOOST_TEST(d->kernel[x] == p.kernels->groups[x].kernel);
    BOOST_TEST(!d->epilogue[x].fits);
  }
  for (int i = 0; i < p.kernels->operand_count; ++i) BOOST_TEST((d->kind_of_operand[i] == p.kernels->operands[i].kind));
  BOOST_TEST(d->reporting == 0);
}

BOOST_AUTO_TEST_CASE(labels_that_are_read_in_place_are_not_converted) {
  passes<cross_entropy, real<4, 6>, labels<4>> const p;
  int const x = converting_group(p);
  BOOST_TEST_REQUIRE(x > 0);
  auto const d = made(p, in_place);
  BOOST_TEST(!d->runs[x]);
  int integers = 0;
  for (int i = 0; i < p.kernels->operand_count; ++i)
    if (d->kind_of_operand[i] == plan::operand_kind::integer) {
      ++integers;
      BOOST_TEST((p.program.nodes[d->label_of[i]].op->family == op_family::label));
    }
  BOOST_TEST(integers > 0);
}

// A product reads its operands from memory, whatever the policy: the group that writes them runs.
BOOST_AUTO_TEST_CASE(a_group_whose_value_is_read_from_memory_runs) {
  passes<scores_by_labels, real<3, 5>, labels<5>> const p;
  auto const d = made(p, in_place);
  int written = 0;
  for (int i = 0; i < p.kernels->operand_count; ++i) {
    int const x = p.merged->group_of[p.kernels->operands[i].node];
    if (d->kind_of_operand[i] != plan::operand_kind::memory || x == 0) continue;
    ++written;
    BOOST_TEST(d->runs[x]);
  }
  BOOST_TEST(written > 0);
}

BOOST_AUTO_TEST_CASE(a_product_takes_bias_and_relu_and_nothing_else) {
  passes<layer, real<4, 6>, real<6, 5>, real<5>> const p;
  BOOST_TEST(p.merged->group_count == 1);
  BOOST_TEST(!made(p, none)->epilogue[1].fits);
  plan::product_epilogue const e = made(p, with_bias)->epilogue[1];
  BOOST_TEST(e.fits);
  BOOST_TEST(e.relu);
  BOOST_TEST(e.bias >= 0);
  passes<bounded_layer, real<4, 6>, real<6, 5>, real<5>> const other;
  BOOST_TEST(!made(other, with_bias)->epilogue[1].fits);
}

// The loss of a training step is reported; the gradient that the same step computes is not, and neither is a function's
// result.
BOOST_AUTO_TEST_CASE(the_group_of_the_loss_reports_it) {
  using Program = esp::detail::training_program<esp::nn::Linear<6, 3>, esp::nn::SoftmaxLoss, esp::batch<4, 6>>;
  auto const reporting = [](plan::device_policy policy) {
    std::unique_ptr<plan::device_plan const> const d{
        new plan::device_plan(plan::plan_for_device(plan::graph_of<Program>, plan::plan_of<Program>, policy))};
    return d->reporting;
  };
  constexpr plan::device_policy reports{true, true, true, false};
  auto const& groups = plan::plan_of<Program>.groups;
  int const loss = groups.holder_of[plan::graph_of<Program>.outputs[0].id];
  BOOST_TEST(plan::graph_of<Program>.outputs[0].reported);
  BOOST_TEST(!plan::graph_of<Program>.outputs[1].reported);
  BOOST_TEST(reporting(reports) == groups.group_of[loss]);
  BOOST_TEST(reporting(reports) > 0);
  BOOST_TEST(reporting(in_place) == 0);
  passes<cross_entropy, real<4, 6>, labels<4>> const function;
  BOOST_TEST(made(function, reports)->reporting == 0);
}

// The scale of a loss: kernels of 16 bits read it as float, and nothing else reads it.
namespace {
/// The plan of a wide number times x, element by element or by a product. operand: the number in the plan, or -1.
std::unique_ptr<plan::device_plan const> with_wide_number(bool by_a_product, plan::device_policy policy, int& operand) {
  auto const p = std::make_unique<graph::program>();
  graph::node_table& g = p->nodes;
  esp::extents const one{2, {1, 1}}, vector{2, {1, 8}};
  int const x = g.add({esp::operation::run_time_tensor, {}, graph::position_attribute(0), vector});
  int const number = g.add({esp::operation::run_time_number, {}, graph::position_attribute(0, true), esp::extents{}});
  graph::descriptor const* const op = by_a_product ? &esp::described<esp::matmul_> : &esp::described<esp::multiply_>;
  int const factor =
      by_a_product ? esp::operation::emit_reshape(g, number, one) : esp::operation::emit_broadcast(g, number, vector);
  p->add_output(op->emit(g, {op, {factor, x, 0, 0}, 0, vector}), graph::destination::result, 0);
  program_passes const of{*p, {}};
  operand = -1;
  for (int i = 0; i < of.kernels->operand_count; ++i)
    if (of.kernels->operands[i].node == number) operand = i;
  return made(of, policy);
}
}  // namespace
BOOST_AUTO_TEST_CASE(wide_numbers_are_read_in_the_type_of_the_computations) {
  constexpr plan::device_policy of_16_bits{.has_wide_numbers = true};
  int operand = -1;
  auto const fused = with_wide_number(false, of_16_bits, operand);
  BOOST_TEST_REQUIRE(operand >= 0);
  BOOST_TEST((fused->kind_of_operand[operand] == plan::operand_kind::wide_number));
  BOOST_TEST(!fused->misreads_wide_number);
  auto const same = with_wide_number(false, none, operand);
  BOOST_TEST((same->kind_of_operand[operand] == plan::operand_kind::memory));
  BOOST_TEST(with_wide_number(true, of_16_bits, operand)->misreads_wide_number);
  BOOST_TEST(!with_wide_number(true, none, operand)->misreads_wide_number);
}
