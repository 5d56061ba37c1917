// SPDX-License-Identifier: BSL-1.0
// The plans of random programs are proved, as they are and with each result in the memory of each argument that may
// share it. Some run beside the interpreter: all results at once, and each alone. Plans that are changed at random are
// checked, too: none that runs wrongly passes the proof. One program alone: ESPALIER_SEED=its seed.
#define BOOST_TEST_MODULE plan_checked_programs
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <espalier/plan/check_device_plan.hpp>
#include <espalier/plan/sharing.hpp>

#include "support/heap_plan.hpp"
#include "support/longer_run.hpp"
#include "support/memory_program.hpp"
#include "support/run_plan.hpp"

using namespace test;

namespace {

constexpr std::uint64_t programs = longer_run ? 1000000 : 20000, changed_plans = 2000;

std::string text_of(plan::plan_fault const& f) {
  if (f.error == plan::plan_error::none) return {};
  std::ostringstream text;
  text << "error " << static_cast<int>(f.error) << ", group " << f.group << ", value " << f.value << ", other "
       << f.other << ", element " << f.element;
  return text.str();
}

/// A program with values for its leaves, and what its outputs must be.
class example {
 public:
  explicit example(memory_program_options const& options, std::uint64_t seed)
      : program_(new graph::program{}), random{*program_, seed, options}, layout{random.layout()} {}

  bool is_sound() const { return program().nodes.found == graph::fault::none && !graph::value_leaves_loop(program()); }
  graph::program const& program() const { return *program_; }

  void choose_values() {
    graph::program const& p = program();
    leaves_.assign(plan::base::count, {});
    auto const fill = [&](int base, std::int64_t offset, int id) {
      auto& m = leaves_[static_cast<std::size_t>(base)];
      if (static_cast<std::int64_t>(m.size()) < offset + random.size(id))
        m.resize(static_cast<std::size_t>(offset + random.size(id)), 0);
      for (std::int64_t i = 0; i < random.size(id); ++i)
        m[static_cast<std::size_t>(offset + i)] = random.roll(2001) / 1000.0 - 1;
    };
    for (std::size_t i = 0; i < random.arguments.size(); ++i)
      fill(plan::base::arguments + static_cast<int>(i), 0, random.arguments[i]);
    for (std::size_t i = 0; i < random.parameters.size(); ++i)
      fill(plan::base::parameters, random.parameter_offsets[i], random.parameters[i]);
    for (std::size_t i = 0; i < random.buffers.size(); ++i)
      fill(plan::base::buffers, random.buffer_offsets[i], random.buffers[i]);
    for (std::size_t i = 0; i < random.labels.size(); ++i) {
      std::vector<std::int32_t>& at = positions_[i];
      at.clear();
      for (std::int64_t k = 0; k < random.size(random.labels[i]); ++k) at.push_back(random.roll(random.positions[i]));
      labels_[random_program::first_index + static_cast<int>(i)] = at.data();
    }
    double const *in[plan::base::max_arguments]{}, *parameters[8]{}, *buffers[8]{};
    for (std::size_t i = 0; i < plan::base::max_arguments; ++i) in[i] = leaves_[plan::base::arguments + i].data();
    for (int i = 0; i < 8; ++i) {
      parameters[i] = leaves_[plan::base::parameters].data() + random.parameter_offsets[i];
      buffers[i] = leaves_[plan::base::buffers].data() + random.buffer_offsets[i];
    }
    std::vector<int> roots;
    for (int i = 0; i < p.output_count; ++i) roots.push_back(p.outputs[i].id);
    auto const meaning =
        std::make_unique<espalier::tracing::interpreter<double>>(p.nodes, roots.data(), p.output_count);
    meaning->run(espalier::tracing::leaf_values<double>{in, labels_, nullptr, parameters, buffers, nullptr, nullptr});
    expected_.clear();
    for (int id : roots) expected_.emplace_back(meaning->value(id), meaning->value(id) + p.nodes[id].shape.size());
  }
  /// What a run of a plan of some outputs does wrong, or nothing. results: takes what each output is.
  std::string run(plan::planned const& planned, graph::program const& p, std::vector<int> const& outputs,
                  std::vector<std::vector<double>>* results = nullptr) const {
    bases memory = leaves_;
    double const nan = __builtin_nan("");
    memory[plan::base::workspace].assign(static_cast<std::size_t>(planned.memory.workspace), nan);
    memory[plan::base::gradients].assign(memory[plan::base::parameters].size(), nan);
    for (int i = 0; i < p.output_count; ++i)
      if (graph::output const& o = p.outputs[i]; o.where == graph::destination::result)
        memory[static_cast<std::size_t>(plan::base::results + o.index)].assign(
            static_cast<std::size_t>(p.nodes[o.id].shape.size()), nan);
    if (std::string const wrong = plan_runner{p, planned, memory, labels_}.run(); !wrong.empty()) return wrong;
    for (int i = 0; i < p.output_count; ++i) {
      plan::address const at = address_of(p.outputs[i]);
      double const* const got = memory[static_cast<std::size_t>(at.base)].data() + at.offset;
      std::vector<double> const& expected = expected_[static_cast<std::size_t>(outputs[static_cast<std::size_t>(i)])];
      if (results) results->emplace_back(got, got + expected.size());
      if (std::string const text = difference_of_output(i, got, expected); !text.empty()) return text;
    }
    return {};
  }
  plan::address address_of(graph::output const& o) const {
    switch (o.where) {
      case graph::destination::gradient:
        return layout.gradient(o.index);
      case graph::destination::parameter:
        return layout.parameter(o.index);
      case graph::destination::buffer:
        return layout.buffer(o.index);
      default:
        return {plan::base::results + o.index, 0};
    }
  }

 private:
  std::unique_ptr<graph::program> program_;

 public:
  memory_program random;
  plan::storage_layout layout;

 private:
  bases leaves_;
  std::vector<std::int32_t> positions_[12];
  std::int32_t const* labels_[plan::base::max_arguments]{};
  std::vector<std::vector<double>> expected_;
};

memory_program_options options_of(std::uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return {4096, false, true, 25};  // these run
    case 1:
      return {6000, true, true, 45};
    case 2:
      return {400000, false, true, 45};
    default:
      return {400000, true, true, 45};
  }
}
std::vector<int> numbers_below(int n) {
  std::vector<int> r;
  for (int i = 0; i < n; ++i) r.push_back(i);
  return r;
}

#if defined(__GLIBC__)
/// Plans are megabytes: they stay in the heap of the process instead of being mapped for each program, which takes
/// longer than all passes.
int const keeps_memory = mallopt(M_MMAP_THRESHOLD, 1 << 30) + mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif

/// The first thing that is wrong with the program of a seed, or nothing.
std::string check_seed(std::uint64_t seed) {
  example x{options_of(seed), seed};
  if (x.program().nodes.found == graph::fault::too_many_nodes) return "more nodes than the tables of this test hold";
  if (!x.is_sound()) return {};
  graph::program const& p = x.program();
  heap_plan const planned{p, x.layout};
  if (std::getenv("ESPALIER_SEED")) BOOST_TEST_MESSAGE(described(p, *planned.planned));
  if (std::string const text = text_of(planned.check(p, x.layout)); !text.empty()) return text;
  auto const sharing = std::make_unique<plan::sharing_table>(plan::find_sharing(p, *planned.planned));
  for (std::size_t a = 0; a < x.random.arguments.size(); ++a)
    for (int i = 0; i < p.output_count; ++i) {
      graph::output const& o = p.outputs[i];
      if (o.where != graph::destination::result || x.random.size(o.id) != x.random.size(x.random.arguments[a]) ||
          sharing->of[a][o.index] == plan::sharing::none)
        continue;
      std::string const text =
          text_of(plan::check_shared_plan(p, *planned.planned, x.layout, o.index, static_cast<int>(a), *planned.loops));
      if (!text.empty())
        return "result " + std::to_string(o.index) + " in the memory of argument " + std::to_string(a) + ": " + text;
    }
  auto const on_device = on_heap(
      [&] { return plan::plan_for_device(p, *planned.planned, {.samples_in_place = true, .labels_in_place = true}); });
  if (std::string const text = text_of(plan::check_device_plan(p, *planned.planned, *on_device)); !text.empty())
    return "on a device: " + text;
  if (seed % 4 != 0) return {};
  x.choose_values();
  std::vector<std::vector<double>> together;
  if (std::string const text = x.run(*planned.planned, p, numbers_below(p.output_count), &together); !text.empty())
    return text;
  if (seed % 16 != 0) return {};
  // Each output alone.
  auto const alone = std::make_unique<graph::program>(p);
  for (int i = 0; i < p.output_count; ++i) {
    alone->outputs[0] = p.outputs[i];
    alone->output_count = 1;
    heap_plan const of_one{*alone, x.layout};
    std::vector<std::vector<double>> result;
    if (std::string const text = x.run(*of_one.planned, *alone, {i}, &result); !text.empty()) return "alone: " + text;
    for (std::size_t k = 0; k < result[0].size(); ++k)
      if (double const a = result[0][k], b = together[static_cast<std::size_t>(i)][k];
          a != b && !(std::isnan(a) && std::isnan(b)) && std::fabs(a - b) > 1e-12 * (1 + std::fabs(a)))
        return "output " + std::to_string(i) + " alone is " + std::to_string(a) + ", beside others " +
               std::to_string(b);
  }
  return {};
}
void check_seeds(int part, int parts) {
  char const* const one = std::getenv("ESPALIER_SEED");
  std::uint64_t const each = programs / static_cast<std::uint64_t>(parts);
  std::uint64_t const first = one ? std::strtoull(one, nullptr, 10) : 1 + static_cast<std::uint64_t>(part) * each,
                      last = one ? first : first + each - 1;
  int wrong = 0;
  for (std::uint64_t seed = first; seed <= last && wrong < 10; ++seed) {
    std::string const text = check_seed(seed);
    BOOST_CHECK_MESSAGE(text.empty(), "seed " << seed << ": " << text);
    wrong += text.empty() ? 0 : 1;
  }
}

/// Changes one thing that devices read.
void change(plan::planned& r, graph::program const& p, memory_program& random) {
  auto const node = [&] { return 1 + random.roll(p.nodes.size); };
  auto const stored = [&] {
    int id = node();
    for (int i = 0; i < 200 && (!r.memory.stored[id] || r.groups.group_of[id] == 0); ++i) id = node();
    return id;
  };
  auto const group = [&] { return 1 + random.roll(r.groups.group_count); };
  int const x = group();
  plan::kernel_body& k = r.ir.groups[x];
  switch (random.roll(8)) {
    case 0:
      r.memory.address_of[stored()].offset += 8 * (random.roll(9) - 4);
      break;
    case 1:
      r.memory.address_of[stored()] = r.memory.address_of[stored()];
      break;
    case 2:
      r.memory.workspace = std::max<std::int64_t>(0, r.memory.workspace - 8 * random.roll(20));
      break;
    case 3:  // a value of the same extents is read
      if (k.operands > 0 && r.groups.groups[x].kind != plan::kernel_kind::part) {
        int& from = r.ir.operands[k.first_operand + random.roll(k.operands)].node;
        for (int i = 0, id = node(); i < 200 && from != 0; ++i, id = node())
          if (r.groups.size_of[id] == r.groups.size_of[from] && r.groups.holder_of[id] == id && r.memory.stored[id]) {
            from = id;
            break;
          }
      }
      break;
    case 4:
      r.ir.groups[x].kernel = group();
      break;
    case 5:
      if (k.instructions > 0) {
        plan::ir_instruction& s = r.ir.instructions[k.first_instruction + random.roll(k.instructions)];
        std::swap(s.operand[0], s.operand[1]);
      }
      break;
    case 6:
      if (r.memory.copy_count > 0) {
        plan::final_copy& c = r.memory.copies[random.roll(r.memory.copy_count)];
        if (random.roll(2)) --r.memory.copy_count;
        else c.from.offset += 8;
      }
      break;
    default:
      std::swap(r.memory.address_of[stored()], r.memory.address_of[stored()]);
  }
}

}  // namespace

/// Of a million programs, those in which a part of an argument is read in a group before its own, and a result takes
/// the argument's memory between the two.
BOOST_AUTO_TEST_CASE(parts_that_are_read_before_their_group) {
  for (std::uint64_t seed : {191001u, 213879u, 271214u, 293736u, 294758u, 346442u}) {
    std::string const text = check_seed(seed);
    BOOST_CHECK_MESSAGE(text.empty(), "seed " << seed << ": " << text);
  }
}
BOOST_AUTO_TEST_CASE(plans_of_random_programs_are_proved) { check_seeds(0, 4); }
BOOST_AUTO_TEST_CASE(second_quarter) { check_seeds(1, 4); }
BOOST_AUTO_TEST_CASE(third_quarter) { check_seeds(2, 4); }
BOOST_AUTO_TEST_CASE(fourth_quarter) { check_seeds(3, 4); }

BOOST_AUTO_TEST_CASE(no_changed_plan_that_runs_wrongly_passes) {
  // One with a fault is not run: it may read or write anywhere.
  int refused = 0;
  for (std::uint64_t seed = 4, changed = 0; changed < changed_plans; seed += 4) {
    example x{options_of(seed), seed};
    if (!x.is_sound()) continue;
    graph::program const& p = x.program();
    heap_plan planned{p, x.layout};
    x.choose_values();
    auto const plan_before = std::make_unique<plan::planned>(*planned.planned);
    for (int i = 0; i < 8; ++i, ++changed) {
      *planned.planned = *plan_before;
      change(*planned.planned, p, x.random);
      if (planned.check(p, x.layout).error != plan::plan_error::none) {
        ++refused;
        continue;
      }
      std::string const text = x.run(*planned.planned, p, numbers_below(p.output_count));
      BOOST_TEST(text.empty(), "seed " << seed << ", change " << i << ": " << text);
    }
  }
  BOOST_TEST_MESSAGE(refused << " of " << changed_plans << " changed plans are refused, and the others run rightly");
  BOOST_TEST(refused > 700);
}
