// SPDX-License-Identifier: BSL-1.0
// Random programs for up to 12 samples: their plans are proved for each number of samples, and run beside the
// interpreter with the program of that number. Changed plans and bounds that run wrongly are found by the proof. One
// program alone: ESPALIER_SEED=its seed.
#define BOOST_TEST_MODULE plan_check_bounded_plan
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <espalier/plan/check_bounded_plan.hpp>

#include "support/heap_plan.hpp"
#include "support/longer_run.hpp"
#include "support/run_plan.hpp"
#include "support/sample_program.hpp"

using namespace test;

namespace {

constexpr int most = 12;
constexpr std::uint64_t programs = longer_run ? 100000 : 2000, changed = longer_run ? 20000 : 2000;

#if defined(__GLIBC__)
/// Plans are megabytes: they stay in the heap of the process instead of being mapped for each program.
int const keeps_memory = mallopt(M_MMAP_THRESHOLD, 1 << 30) + mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif

std::string text_of(plan::plan_fault const& f) {
  std::ostringstream text;
  text << "error " << static_cast<int>(f.error) << ", group " << f.group << ", value " << f.value << ", other "
       << f.other << ", element " << f.element;
  return text.str();
}

/// A program of a seed for some samples.
struct drawn {
  std::unique_ptr<graph::program> program = std::make_unique<graph::program>();
  sample_program random;

  drawn(std::uint64_t seed, int samples) : random{*program, seed, samples} {}
};

/// The bounded program of a seed, its plan, and its bounds.
class example {
 public:
  explicit example(std::uint64_t seed) : seed_{seed} {
    plan::traced_counts const counts = plan::counts_for(most);
    drawn const first{seed, counts.a}, second{seed, counts.b};
    if (first.program->nodes.found != graph::fault::none) return;
    bounded = on_heap([&] { return plan::bind_samples(*first.program, *second.program, counts.a, counts.b, most); });
    if (bounded->fault != plan::bounded_fault::none) return;
    std::copy(first.random.parameter_offsets, first.random.parameter_offsets + 8, parameter_offsets_);
    std::copy(first.random.buffer_offsets, first.random.buffer_offsets + 8, buffer_offsets_);
    planned.emplace_back(std::move(heap_plan{bounded->program, layout()}.planned));
    bounds = on_heap([&] { return plan::bind_loops(*bounded, *planned[0]); });
  }
  bool is_bound() const { return bounds && bounds->fault == 0; }
  plan::storage_layout layout() const { return {parameter_offsets_, buffer_offsets_}; }

  plan::plan_fault check(int samples) const {
    return plan::check_bounded_plan(*bounded, *planned[0], *bounds, layout(), samples);
  }
  /// What the plan does wrong for some samples, or nothing.
  std::string run(int samples) const {
    drawn const x{seed_, samples};
    choose_values(x);
    auto const cut = on_heap([&] {
      plan::cut_plan r{};
      plan::cut_to_samples(*bounded, *planned[0], *bounds, samples, r);
      return r;
    });
    bases memory = leaves_;
    double const nan = __builtin_nan("");
    memory[plan::base::workspace].assign(static_cast<std::size_t>(planned[0]->memory.workspace), nan);
    memory[plan::base::gradients].assign(memory[plan::base::parameters].size(), nan);
    for (int i = 0; i < bounded->number_count; ++i)
      memory[plan::base::hyperparameters].push_back(bounded->numbers[i].at(samples));
    graph::program const& p = *x.program;
    for (int i = 0; i < p.output_count; ++i)
      if (graph::output const& o = p.outputs[i]; o.where == graph::destination::result)
        memory[static_cast<std::size_t>(plan::base::results + o.index)].assign(
            static_cast<std::size_t>(p.nodes[o.id].shape.size()), nan);
    if (std::string const wrong = plan_runner{cut->program, cut->plan, memory}.run(); !wrong.empty()) return wrong;
    for (int i = 0; i < p.output_count; ++i) {
      plan::address const at = address_of(p.outputs[i]);
      std::vector<double> const& expected = expected_[static_cast<std::size_t>(i)];
      double const* const got = memory[static_cast<std::size_t>(at.base)].data() + at.offset;
      if (std::string const text = difference_of_output(i, got, expected); !text.empty()) return text;
    }
    return {};
  }

  std::unique_ptr<plan::bounded_program> bounded;
  std::vector<std::unique_ptr<plan::planned>> planned;
  std::unique_ptr<plan::bounded_groups> bounds;

 private:
  plan::address address_of(graph::output const& o) const {
    switch (o.where) {
      case graph::destination::gradient:
        return layout().gradient(o.index);
      case graph::destination::buffer:
        return layout().buffer(o.index);
      default:
        return {plan::base::results + o.index, 0};
    }
  }
  /// The leaves of a program, and what its outputs must be.
  void choose_values(drawn const& x) const {
    graph::program const& p = *x.program;
    dice roll{seed_};
    leaves_.assign(plan::base::count, {});
    auto const fill = [&](int base, std::int64_t offset, int id) {
      auto& m = leaves_[static_cast<std::size_t>(base)];
      auto const end = static_cast<std::size_t>(offset + p.nodes[id].shape.size());
      if (m.size() < end) m.resize(end, 0);
      for (std::size_t i = static_cast<std::size_t>(offset); i < end; ++i) m[i] = roll.number();
    };
    for (std::size_t i = 0; i < x.random.parameters.size(); ++i)
      fill(plan::base::parameters, parameter_offsets_[i], x.random.parameters[i]);
    for (std::size_t i = 0; i < x.random.buffers.size(); ++i)
      fill(plan::base::buffers, buffer_offsets_[i], x.random.buffers[i]);
    for (std::size_t i = 0; i < x.random.arguments.size(); ++i)
      fill(plan::base::arguments + static_cast<int>(i), 0, x.random.arguments[i]);
    double const *in[plan::base::max_arguments]{}, *parameters[8]{}, *buffers[8]{};
    for (std::size_t i = 0; i < plan::base::max_arguments; ++i) in[i] = leaves_[plan::base::arguments + i].data();
    for (int i = 0; i < 8; ++i) {
      parameters[i] = leaves_[plan::base::parameters].data() + parameter_offsets_[i];
      buffers[i] = leaves_[plan::base::buffers].data() + buffer_offsets_[i];
    }
    std::vector<int> roots;
    for (int i = 0; i < p.output_count; ++i) roots.push_back(p.outputs[i].id);
    espalier::tracing::interpreter<double> meaning{p.nodes, roots.data(), p.output_count};
    meaning.run({in, nullptr, nullptr, parameters, buffers, nullptr, nullptr});
    expected_.clear();
    for (int id : roots) expected_.emplace_back(meaning.value(id), meaning.value(id) + p.nodes[id].shape.size());
  }

  std::uint64_t seed_;
  std::int64_t parameter_offsets_[8]{}, buffer_offsets_[8]{};
  mutable bases leaves_;
  mutable std::vector<std::vector<double>> expected_;
};

}  // namespace

/// Of a hundred thousand programs, those with a sum of a constant over samples, a value behind a product that only
/// windows read, and windows of channels that padding adds.
BOOST_AUTO_TEST_CASE(what_a_longer_run_found) {
  for (std::uint64_t seed : {7999u, 15553u, 7818u, 2206u, 14050u}) {
    example const x{seed};
    BOOST_REQUIRE(x.is_bound());
    for (int samples = 1; samples <= most; ++samples) {
      BOOST_TEST(text_of(x.check(samples)) == text_of({}), "seed " << seed << ", " << samples << " samples");
      std::string const text = x.run(samples);
      BOOST_TEST(text.empty(), "seed " << seed << ", " << samples << " samples: " << text);
    }
  }
}
BOOST_AUTO_TEST_CASE(plans_of_random_programs_are_right_for_each_number_of_samples) {
  char const* const one = std::getenv("ESPALIER_SEED");
  std::uint64_t const first = one ? std::strtoull(one, nullptr, 10) : 1, last = one ? first : programs;
  int bound = 0, wrong = 0, faults[16]{}, loops[16]{};
  for (std::uint64_t seed = first; seed <= last && wrong < 10; ++seed) {
    example const x{seed};
    if (x.bounded) ++faults[static_cast<int>(x.bounded->fault)];
    if (!x.is_bound()) continue;
    ++bound;
    for (int k = 1; k <= x.planned[0]->groups.group_count; ++k) ++loops[static_cast<int>(x.bounds->of[k].loop)];
    for (int samples = 1; samples <= most; ++samples) {
      plan::plan_fault const found = x.check(samples);
      BOOST_CHECK_MESSAGE(found.error == plan::plan_error::none,
                          "seed " << seed << ", " << samples << " samples: " << text_of(found));
      if (found.error != plan::plan_error::none && ++wrong) break;
    }
    for (int samples : {1, 2 + static_cast<int>(seed % 9), most}) {
      std::string const text = x.run(samples);
      BOOST_CHECK_MESSAGE(text.empty(), "seed " << seed << " runs with " << samples << " samples: " << text);
      if (!text.empty() && ++wrong) break;
    }
  }
  std::ostringstream text;
  text << bound << " programs are bound; faults";
  for (int n : faults) text << ' ' << n;
  text << "; groups by loop";
  for (int n : loops) text << ' ' << n;
  BOOST_TEST_MESSAGE(text.str());
  if (one) return;
  BOOST_TEST(bound > static_cast<int>(programs / 2));
  for (int k = 0; k < static_cast<int>(plan::bounded_loop::none); ++k)
    if (k != static_cast<int>(plan::bounded_loop::elements)) BOOST_TEST(loops[k] > 0, "no group has loop " << k);
}

/// Every other bound of a group is refused for some number of samples.
BOOST_AUTO_TEST_CASE(changed_bounds_are_refused) {
  int tried = 0, passed = 0;
  for (std::uint64_t seed = 1; seed <= programs / 10; ++seed) {
    example const x{seed};
    if (!x.is_bound()) continue;
    for (int k = 1; k <= x.planned[0]->groups.group_count; ++k) {
      plan::bounded_group& of = x.bounds->of[k];
      plan::bounded_group const right = of;
      plan::bounded_group const others[] = {
          {right.loop, right.each + 1},           {right.loop, right.each * 2 + 1},
          {plan::bounded_loop::fixed, 0},         {plan::bounded_loop::rows, right.each},
          {plan::bounded_loop::line, right.each}, {plan::bounded_loop::segments, right.each}};
      bool const is_fused = x.planned[0]->groups.groups[k].kind == plan::kernel_kind::fused;
      for (plan::bounded_group const& other : others) {
        bool const of_fixed = right.loop == plan::bounded_loop::fixed && other.loop == plan::bounded_loop::fixed;
        if (of_fixed || other.loop == right.loop ? other.each == right.each || of_fixed
                                                 : !is_fused && other.loop != plan::bounded_loop::fixed)
          continue;
        of = other;
        ++tried;
        bool const refused = x.check(1).error != plan::plan_error::none || x.check(5).error != plan::plan_error::none;
        BOOST_TEST(refused, "seed " << seed << ", group " << k << ": loop " << static_cast<int>(right.loop) << " of "
                                    << right.each << " as loop " << static_cast<int>(other.loop) << " of "
                                    << other.each);
        passed += refused ? 0 : 1;
        if (passed == 10) return;
      }
      of = right;
    }
  }
  BOOST_TEST(tried > 1000);
}
/// Addresses and operands of plans are changed, as for the plans of fixed programs.
BOOST_AUTO_TEST_CASE(no_changed_plan_that_runs_wrongly_passes) {
  int refused = 0;
  std::uint64_t done = 0;
  for (std::uint64_t seed = 1; done < changed; ++seed) {
    example const x{seed};
    if (!x.is_bound()) continue;
    plan::planned& r = *x.planned[0];
    auto const before = std::make_unique<plan::planned>(r);
    dice roll{seed};
    for (int i = 0; i < 8; ++i, ++done) {
      r = *before;
      auto const stored = [&] {
        int id = 1 + roll(x.bounded->program.nodes.size);
        for (int k = 0; k < 200 && (!r.memory.stored[id] || r.groups.group_of[id] == 0); ++k)
          id = 1 + roll(x.bounded->program.nodes.size);
        return id;
      };
      plan::address& at = r.memory.address_of[stored()];
      switch (roll(3)) {
        case 0:
          at.offset += 16 * (roll(9) - 4);
          break;
        case 1:
          std::swap(at, r.memory.address_of[stored()]);
          break;
        default:
          at = r.memory.address_of[stored()];
      }
      bool right = x.check(most).error == plan::plan_error::none;
      for (int samples : {1, 2, 5}) right = right && x.check(samples).error == plan::plan_error::none;
      if (!right) {
        ++refused;
        continue;
      }
      for (int samples : {1, 5, most}) {
        std::string const text = x.run(samples);
        BOOST_TEST(text.empty(), "seed " << seed << ", change " << i << ", " << samples << " samples: " << text);
      }
    }
  }
  BOOST_TEST_MESSAGE(refused << " of " << done << " changed plans are refused, and the others run rightly");
  BOOST_TEST(refused > static_cast<int>(changed / 3));
}
