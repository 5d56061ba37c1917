// SPDX-License-Identifier: BSL-1.0
// The plan of a loop: its body is planned once, products that depend on no state are outside, and memory that does not
// grow with the steps stays the same.
#define BOOST_TEST_MODULE plan_loop_program
#include <espalier/plan/loop_program.hpp>

#include <boost/test/unit_test.hpp>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace plan = espalier::plan;

namespace {

template <int H>
struct recurrent {
  nn::Linear<H, H> state;
  nn::Linear<4, H> input;
  nn::Linear<H, 2> output;
  ESPALIER_MODULE(recurrent, state, input, output)

  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& xt) {
      auto const next = tanh(state(h) + input(xt));
      return std::tuple{next, output(next)};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, H>>(x), x));
  }
};
template <int Steps>
using training = esp::detail::training_program<recurrent<8>, nn::MeanSquaredError, esp::batch<Steps, 2, 4>>;
template <int Steps>
using prediction = esp::detail::evaluation_program<recurrent<8>, esp::batch<Steps, 2, 4>>;

template <class Program>
int products(Program) {
  int count = 0;
  for (int x = 1; x <= plan::plan_of<Program>.groups.group_count; ++x)
    count += plan::plan_of<Program>.groups.groups[x].kind == plan::kernel_kind::contraction ? 1 : 0;
  return count;
}
template <class Program, int I>
using body = plan::loop_program<Program, plan::loops_of<Program>.loop[I]>;

}  // namespace

BOOST_AUTO_TEST_CASE(code_does_not_depend_on_the_number_of_steps) {
  static_assert(plan::plan_of<training<4>>.groups.group_count == plan::plan_of<training<400>>.groups.group_count);
  static_assert(plan::graph_of<training<4>>.nodes.size == plan::graph_of<training<400>>.nodes.size);
  static_assert(plan::loops_of<training<4>>.count == 2);
  BOOST_TEST((plan::extracted<training<4>, plan::loops_of<training<4>>.loop[0]>.steps == 4));
  BOOST_TEST((plan::extracted<training<400>, plan::loops_of<training<400>>.loop[0]>.steps == 400));
  // The loop of the backward pass runs the other way.
  BOOST_TEST((!plan::extracted<training<4>, plan::loops_of<training<4>>.loop[0]>.backwards));
  BOOST_TEST((plan::extracted<training<4>, plan::loops_of<training<4>>.loop[1]>.backwards));
}

BOOST_AUTO_TEST_CASE(products_that_depend_on_no_state_are_outside) {
  // Inside: the product with the state. Outside: those of the input and the output layer.
  BOOST_TEST(products(body<prediction<4>, 0>{}) == 1);
  BOOST_TEST(products(prediction<4>{}) == 2);
  // Backwards, inside: the adjoint of the state. Outside: that of the output layer, and the gradients of three weights.
  BOOST_TEST(products(body<training<4>, 1>{}) == 1);
  BOOST_TEST(products(training<4>{}) == 2 + 1 + 3);
}

BOOST_AUTO_TEST_CASE(costs_count_all_steps) {
  constexpr std::int64_t few = plan::flops_of_program<prediction<4>>, many = plan::flops_of_program<prediction<8>>;
  BOOST_TEST(many == 2 * few);
  BOOST_TEST(few > 4 * 2 * (8 * 8 + 4 * 8 + 8 * 2) * 2);
  BOOST_TEST((plan::moved_by_program<prediction<8>> > plan::moved_by_program<prediction<4>>));
  // A body has no value of all steps in its workspace.
  BOOST_TEST(
      (plan::workspace_of<body<training<4>, 1>>::elements == plan::workspace_of<body<training<400>, 1>>::elements));
}
