// SPDX-License-Identifier: BSL-1.0
// Compiled as a draft, as the tests that link it.
#include "planned_program.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <espalier/eager/run_program.hpp>
#include <espalier/storage/memory.hpp>

#include "heap_plan.hpp"
#include "planned_loop.hpp"

namespace test {
namespace {

namespace draft = espalier::on_cpu::draft;
namespace on_device = espalier::on_device;

/// draft::table and the table of calls, as long as a plan says.
template <class T>
struct heap_tables {
  std::vector<draft::step<T>> step_list;
  std::vector<draft::instruction<T>> instruction_list;
  std::vector<draft::operand<T>> operand_list;
  std::vector<int> output_list, first_list, like_list;
  std::vector<plan::address> argument_list;
  std::vector<std::uint64_t> stream_list;
  draft::step<T>* steps;
  draft::instruction<T>* instructions;
  draft::operand<T>* operands;
  int *outputs, *first, *like;
  plan::address* arguments;
  std::uint64_t* random_stream;

  heap_tables(graph::program const& p, plan::planned const& r) {
    draft::table_sizes const sizes = draft::sizes_of(r);
    auto const room = [](auto& list, int count) {
      list.resize(static_cast<std::size_t>(count) + 1);
      return list.data();
    };
    steps = room(step_list, sizes.steps);
    instructions = room(instruction_list, sizes.instructions);
    operands = room(operand_list, sizes.operands);
    outputs = room(output_list, sizes.outputs);
    first = room(first_list, sizes.steps);
    like = room(like_list, sizes.steps);
    arguments = room(argument_list, espalier::on_cpu::detail::count_arguments(r));
    random_stream = room(stream_list, sizes.steps);
    espalier::on_cpu::detail::write_calls(p.nodes, r, *this);
    draft::table_writer<heap_tables, T>{p.nodes, r, *this}.run(*this);
    for (int x = 1; x <= sizes.steps; ++x)
      steps[x].numbers_per_sample =
          espalier::on_cpu::detail::numbers_per_sample(p.nodes[r.groups.groups[x].first].shape, 0);
  }
  draft::program_view<T> view() const { return {steps, instructions, operands, outputs, arguments}; }
  std::size_t room() const {
    std::int64_t most = 0;
    for (std::size_t x = 1; x < step_list.size(); ++x)
      most = std::max(most, draft::room_of(steps[x], instructions + steps[x].first_instruction));
    return static_cast<std::size_t>(espalier::on_cpu::room_for<T>(most)) * sizeof(T);
  }
};

[[noreturn]] void refuse(char const* what, int number) {
  throw std::logic_error(std::string{what} + " (" + std::to_string(number) + ")");
}

/// A program with its plan, as the engine of drafts runs it. The bodies of loops are programs of their own.
template <class T>
class planned_run {
 public:
  planned_run(graph::program const& p, heap_plan const& of) : of_{of}, tables_{p, *of.planned} {
    if (of.planned->groups.full) refuse("too many groups", of.planned->groups.group_count);
    if (!draft::knows(p.nodes, *of.planned)) refuse("drafts do not know a group of the plan", 0);
    for (heap_loop const& l : of.bodies) {
      loops_.push_back({l.group, planned_loop{*l.facts, l.body->planned->memory.workspace},
                        std::make_unique<planned_run>(l.facts->body, *l.body)});
      if (!loops_.back().facts.fits()) refuse("a loop has too many values: group", l.group);
    }
  }
  /// The bytes that steps need for themselves.
  std::size_t room() const {
    std::size_t most = tables_.room();
    for (auto const& l : loops_) most = std::max(most, l.body->room());
    return most;
  }
  void run(void* const* base, T* room) const {
    for (int x = 1; x <= of_.planned->groups.group_count; ++x) {
      auto const found = std::find_if(loops_.begin(), loops_.end(), [&](auto const& l) { return l.group == x; });
      if (found == loops_.end())
        draft::run_step<T, espalier::on_cpu::default_arch>(tables_.view(), tables_.view().steps[x], base, room);
      else run_loop(*found, base, room);
    }
    // What a program copies when it is through.
    for (int i = 0; i < of_.planned->memory.copy_count; ++i) {
      plan::final_copy const& c = of_.planned->memory.copies[i];
      std::copy_n(on_device::at<T>(base, c.from), c.size, on_device::at<T>(base, c.to));
    }
  }

 private:
  struct loop {
    int group;
    planned_loop facts;
    std::unique_ptr<planned_run> body;
  };
  void run_loop(loop const& l, void* const* base, T* room) const {
    on_device::loop_runner<planned_loop, T>{l.facts}.run(
        on_device::addresses<T>{base, tables_.arguments + tables_.steps[l.group].arguments}, base,
        [&](void* const* of_step) { l.body->run(of_step, room); },
        [](T const* from, T* to, std::int64_t size) { std::copy_n(from, size, to); },
        [](T* to, std::int64_t size) { std::fill_n(to, size, T(0)); }, [](std::int32_t const* from) { return *from; });
  }

  heap_plan const& of_;
  heap_tables<T> tables_;
  std::vector<loop> loops_;
};

}  // namespace

template <class T>
void run_planned(graph::program const& p, espalier::detail::eager_inputs<T> const& in, T* const* results) {
  if (p.nodes.found != graph::fault::none) refuse("tracing found a fault", static_cast<int>(p.nodes.found));
  heap_plan const planned{p, {}};
  plan::planned const& r = *planned.planned;
  if (plan::plan_fault const fault = planned.check(p, {}); fault.error != plan::plan_error::none)
    refuse("the proof refuses the plan: an error in group", fault.group);

  planned_run<T> const program{p, planned};
  std::vector<T> values(p.nodes.values, p.nodes.values + p.nodes.value_count);
  // Memory that nothing wrote is not a number.
  espalier::detail::block workspace{(static_cast<std::size_t>(r.memory.workspace) + 1) * sizeof(T)},
      room{program.room() + sizeof(T)};
  std::fill_n(workspace.template at<T>(0), r.memory.workspace + 1, std::numeric_limits<T>::quiet_NaN());
  void* base[plan::base::count]{};
  base[plan::base::workspace] = workspace.template at<T>(0);
  base[plan::base::hyperparameters] = const_cast<T*>(in.numbers);
  base[plan::base::values] = values.data();
  espalier::detail::fill_bases<T>(base, in, nullptr, 0);
  for (int i = 0; i < p.output_count; ++i) base[plan::base::results + p.outputs[i].index] = results[p.outputs[i].index];
  program.run(base, room.template at<T>(0));
}
template void run_planned(graph::program const&, espalier::detail::eager_inputs<float> const&, float* const*);
template void run_planned(graph::program const&, espalier::detail::eager_inputs<double> const&, double* const*);

}  // namespace test
