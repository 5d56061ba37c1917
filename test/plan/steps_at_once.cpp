// SPDX-License-Identifier: BSL-1.0
// Steps of a loop that do not depend on each other run at once where a device has the memory.
#define BOOST_TEST_MODULE plan_steps_at_once
#include <espalier/plan/steps_at_once.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace plan = espalier::plan;

namespace {

/// One row of scores for each step, without a state. What is not computed again would be outside of the loop.
struct rowwise {
  nn::Linear<4, 6> layer;
  ESPALIER_MODULE(rowwise, layer)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const&, auto const& xt) {
      return std::tuple{std::tuple{}, esp::checkpoint([&](auto const& s) { return logsumexp<1>(tanh(layer(s))); }, xt)};
    };
    return std::get<1>(esp::scan(step, std::tuple{}, x));
  }
};
struct recurrent {
  nn::Linear<4, 4> state;
  ESPALIER_MODULE(recurrent, state)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& xt) {
      auto const next = tanh(state(h) + xt);
      return std::tuple{next, next};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, 4>>(x), x));
  }
};
struct noisy {
  nn::Dropout<0.5> drop;
  ESPALIER_MODULE(noisy, drop)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const&, auto const& xt) {
      return std::tuple{std::tuple{}, esp::checkpoint([&](auto const& s) { return exp(logsumexp<1>(drop(s))); }, xt)};
    };
    return std::get<1>(esp::scan(step, std::tuple{}, x));
  }
};
template <class Net>
using prediction = esp::detail::evaluation_program<Net, esp::batch<12, 2, 4>>;
template <class Net>
using training = esp::detail::training_program<Net, nn::MeanSquaredError, esp::batch<12, 2, 4>>;

template <class Program, std::int64_t Most>
constexpr int at_once() {
  return plan::steps_at_once<Program, plan::loops_of<Program>.loop[0], Most, 4>();
}

std::unique_ptr<plan::extracted_loop> loop_of(int steps, std::int64_t slice, std::int64_t stack) {
  auto loop = std::make_unique<plan::extracted_loop>();
  loop->steps = steps;
  loop->count = -1;
  loop->slices = loop->stacks = 1;
  loop->slice[0].size = slice;
  loop->stack[0].size = stack;
  return loop;
}

}  // namespace

BOOST_AUTO_TEST_CASE(divisors_that_fit_and_are_aligned) {
  auto const loop = loop_of(12, 8, 4);
  BOOST_TEST(plan::find_steps_at_once(*loop, 10, 1000, 4) == 12);
  BOOST_TEST(plan::find_steps_at_once(*loop, 10, 119, 4) == 6);
  BOOST_TEST(plan::find_steps_at_once(*loop, 10, 59, 4) == 4);
  BOOST_TEST(plan::find_steps_at_once(*loop, 10, 19, 4) == 1);
  BOOST_TEST(plan::find_steps_at_once(*loop, 0, 0, 4) == 12);
  // Parts begin at multiples of four elements; all steps begin at the first one.
  BOOST_TEST(plan::find_steps_at_once(*loop_of(12, 5, 4), 10, 119, 4) == 4);
  BOOST_TEST(plan::find_steps_at_once(*loop_of(12, 4, 2), 10, 119, 4) == 6);
  BOOST_TEST(plan::find_steps_at_once(*loop_of(6, 3, 3), 10, 59, 4) == 1);
  BOOST_TEST(plan::find_steps_at_once(*loop_of(6, 3, 3), 10, 60, 4) == 6);
  BOOST_TEST(plan::find_steps_at_once(*loop_of(7, 8, 8), 10, 69, 4) == 1);
}

BOOST_AUTO_TEST_CASE(loops_whose_steps_depend_on_each_other) {
  auto const loop = loop_of(12, 8, 4);
  loop->states = 1;
  BOOST_TEST(plan::find_steps_at_once(*loop, 10, 1000, 4) == 1);
  loop->states = 0;
  loop->count = 3;
  BOOST_TEST(plan::find_steps_at_once(*loop, 10, 1000, 4) == 1);
  static_assert(plan::loops_of<prediction<recurrent>>.count == 1 && at_once<prediction<recurrent>, 1 << 20>() == 1);
  // The random numbers of all steps are made in front of a loop, which reads them as slices.
  static_assert(plan::loops_of<training<noisy>>.count > 0 && at_once<training<noisy>, 1 << 20>() == 12);
}

BOOST_AUTO_TEST_CASE(the_program_of_several_steps) {
  using Program = prediction<rowwise>;
  static_assert(at_once<Program, 1 << 20>() == 12 && at_once<Program, 0>() == 1);
  constexpr int loop = plan::loops_of<Program>.loop[0];
  using One = plan::loop_program<Program, loop>;
  using Four = plan::steps_at_once_program<Program, loop, 4>;
  auto const& one = plan::plan_of<One>;
  auto const& four = plan::plan_of<Four>;
  BOOST_TEST(four.groups.group_count <= one.groups.group_count);
  BOOST_TEST(plan::base_count<Four> == plan::base_count<One>);
  auto const elements = [](auto const& program, int i) {
    return program.nodes.nodes[program.outputs[i].id].shape.size();
  };
  BOOST_TEST(plan::graph_of<Four>.output_count == plan::graph_of<One>.output_count);
  for (int i = 0; i < plan::graph_of<One>.output_count; ++i)
    BOOST_TEST(elements(plan::graph_of<Four>, i) == 4 * elements(plan::graph_of<One>, i));
}
