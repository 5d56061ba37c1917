// SPDX-License-Identifier: BSL-1.0
// Programs drawn at random (elementwise ops, broadcasts, reductions over any axes, moved axes, products, composites,
// gradients, updates of state, slices written by index), planned and run as the plan says, against the interpreter.
// Results have the memory of arguments where the plan lets them. A failing program can be looked at alone:
// ESPALIER_SEED=its seed, with --log_level=message.
#define BOOST_TEST_MODULE plan_random_programs
#include <memory>
#include <sstream>

#include <boost/test/unit_test.hpp>

#include <espalier/plan/sharing.hpp>

#include "support/random_program.hpp"
#include "support/run_plan.hpp"

using namespace test;

namespace {

struct seed_runner {
  // Made where they stay: as temporaries they are more than a stack holds under the address sanitizer.
  std::unique_ptr<graph::program> program;
  std::unique_ptr<plan::grouping> groups;
  std::unique_ptr<plan::planned> planned;

  /// What went wrong with the program of a seed, or nothing.
  std::string try_seed(std::uint64_t seed, bool writes_slices) {
    program.reset(new graph::program{});
    random_program const d{*program, seed, writes_slices};
    graph::program const& p = *program;
    std::int64_t const parameter_offsets[] = {0}, buffer_offsets[] = {0};
    // In pieces of some nodes, as long programs are.
    groups.reset(new plan::grouping(plan::begin_grouping(p)));
    int const step = seed % 3 == 0 ? p.nodes.size : static_cast<int>(1 + seed % 11);
    for (int first = 1; first <= p.nodes.size; first += step) *groups = plan::group_piece(p, *groups, first, step);
    *groups = plan::merge_groups(p, plan::end_grouping(p, *groups));
    std::unique_ptr<plan::recomputed> const recomputation(new plan::recomputed(plan::find_recomputed(p, *groups)));
    std::unique_ptr<plan::lowered> const lowered(new plan::lowered{{}, 1});
    while (lowered->next != 0) *lowered = plan::lower_piece(p, *groups, *recomputation, *lowered, step);
    std::unique_ptr<plan::liveness const> const live(new plan::liveness(plan::find_liveness(*groups, lowered->ir)));
    std::unique_ptr<plan::destinations const> const to(new plan::destinations(
        plan::find_destinations(p, *groups, lowered->ir, *live, {parameter_offsets, buffer_offsets})));
    planned.reset(new plan::planned{*groups, plan::find_kernels(p, *groups, *to, lowered->ir), {}});
    planned->memory = plan::allocate(p, *groups, planned->ir, *to);

    if (std::getenv("ESPALIER_SEED")) BOOST_TEST_MESSAGE(described(p, *planned));

    bases memory(plan::base::count);
    dice roll{seed + 1};
    auto const fill = [&](int base, int id) {
      auto& m = memory[static_cast<std::size_t>(base)];
      for (std::int64_t i = 0; i < p.nodes[id].shape.size(); ++i) m.push_back(roll.number());
    };
    double const nan = __builtin_nan("");
    memory[plan::base::workspace].assign(static_cast<std::size_t>(planned->memory.workspace), nan);
    for (int i = 0; i < d.arguments().count; ++i) fill(plan::base::arguments + i, d.arguments().at[i]);
    for (int id : d.parameters()) fill(plan::base::parameters, id);
    for (int id : d.buffers()) fill(plan::base::buffers, id);
    for (int i = 0; i < p.output_count; ++i) {
      auto const size = static_cast<std::size_t>(p.nodes[p.outputs[i].id].shape.size());
      if (p.outputs[i].where == graph::destination::result)
        memory[static_cast<std::size_t>(plan::base::results + p.outputs[i].index)].assign(size, nan);
      if (p.outputs[i].where == graph::destination::gradient) memory[plan::base::gradients].assign(size, nan);
    }

    std::vector<std::int32_t> indices[random_program::most_values];
    std::int32_t const* labels[random_program::first_index + random_program::most_values]{};
    for (int i = 0; i < d.index_copies().count; ++i) {
      graph::node const& n = p.nodes[d.index_copies().at[i]];
      for (std::int64_t k = 0; k < p.nodes[n.operand[1]].shape.size(); ++k)
        indices[i].push_back(roll(n.shape.at[axis_of(n)]));
      labels[random_program::first_index + i] = indices[i].data();
    }

    std::vector<int> roots;
    for (int i = 0; i < p.output_count; ++i) roots.push_back(p.outputs[i].id);
    double const* in[plan::base::max_arguments]{};
    for (int i = 0; i < d.arguments().count; ++i)
      in[i] = memory[static_cast<std::size_t>(plan::base::arguments + i)].data();
    auto const parameters = memory[plan::base::parameters], buffers = memory[plan::base::buffers];
    double const* const parameter_data[] = {parameters.data()};
    double const* const buffer_data[] = {buffers.data()};
    espalier::tracing::interpreter<double> meaning{p.nodes, roots.data(), p.output_count};
    meaning.run(
        espalier::tracing::leaf_values<double>{in, labels, nullptr, parameter_data, buffer_data, nullptr, nullptr});

    share_memory(p, d.arguments().count, roll);
    if (std::string const wrong = plan_runner{p, *planned, memory, labels}.run(); !wrong.empty()) return wrong;
    for (int i = 0; i < p.output_count; ++i) {
      graph::output const& o = p.outputs[i];
      int const base = o.where == graph::destination::gradient    ? plan::base::gradients
                       : o.where == graph::destination::parameter ? plan::base::parameters
                       : o.where == graph::destination::buffer    ? plan::base::buffers
                                                                  : base_of_result[o.index];
      for (std::int64_t k = 0; k < p.nodes[o.id].shape.size(); ++k) {
        double const got = memory[static_cast<std::size_t>(base)][static_cast<std::size_t>(k)],
                     expected = meaning.value(o.id)[k];
        if (std::isnan(expected) && std::isnan(got)) continue;
        if (!(std::fabs(got - expected) <= 1e-9 * (1 + std::fabs(expected)))) {
          std::ostringstream text;
          text << "output " << i << " (node " << o.id << ", " << p.nodes[o.id].op->name << ") element " << k << " is "
               << got << ", expected " << expected;
          return text.str();
        }
      }
    }
    return {};
  }

 private:
  int base_of_result[plan::base::max_results];

  /// Some results get the memory of an argument: all that a caller may pass for both.
  void share_memory(graph::program const& p, int arguments, dice& roll) {
    plan::sharing_table const may = plan::find_sharing(p, *planned);
    for (int i = 0; i < plan::base::max_results; ++i) base_of_result[i] = plan::base::results + i;
    std::int64_t size[plan::base::max_arguments]{};
    for (int id = 1; id <= p.nodes.size; ++id)
      if (p.nodes[id].op->family == graph::op_family::argument)
        size[position_of(p.nodes[id])] = p.nodes[id].shape.size();
    bool shared[plan::base::max_arguments]{};
    for (int i = 0; i < p.output_count; ++i) {
      graph::output const& o = p.outputs[i];
      if (o.where != graph::destination::result) continue;
      for (int a = 0; a < arguments; ++a) {
        if (shared[a] || may.of[a][o.index] == plan::sharing::none || size[a] != p.nodes[o.id].shape.size()) continue;
        if (roll(4) == 0) continue;
        shared[a] = true;
        int const from = base_of_result[o.index];
        base_of_result[o.index] = plan::base::arguments + a;
        for (int id = 1; id <= p.nodes.size; ++id)
          if (int& base = planned->memory.address_of[id].base; base == from) base = plan::base::arguments + a;
        for (int k = 0; k < planned->memory.copy_count; ++k)
          for (plan::address* x : {&planned->memory.copies[k].from, &planned->memory.copies[k].to})
            if (x->base == from) x->base = plan::base::arguments + a;
        break;
      }
    }
  }
};

void check_programs(bool writes_slices) {
  seed_runner m;
  char const* const one = std::getenv("ESPALIER_SEED");
  std::uint64_t const first = one ? std::strtoull(one, nullptr, 10) : 1, last = one ? first : 3000;
  int wrong = 0;
  for (std::uint64_t seed = first; seed <= last && wrong < 10; ++seed) {
    std::string const text = m.try_seed(seed, writes_slices);
    BOOST_CHECK_MESSAGE(text.empty(), "seed " << seed << ": " << text);
    wrong += text.empty() ? 0 : 1;
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_plan_matches_its_program) { check_programs(false); }
BOOST_AUTO_TEST_CASE(a_plan_that_writes_slices_matches_its_program) { check_programs(true); }
