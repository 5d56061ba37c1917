// SPDX-License-Identifier: BSL-1.0
// Where the steps of a loop read and write. The loops are those of random programs and of their gradients; in place of
// a body, a function looks at the memory of each step: whether it holds what the loop names, whether results lie
// apart from what the step reads, and whether they are aligned. At the end each output has its value of each step.
#define BOOST_TEST_MODULE device_loop_steps
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/heap_plan.hpp"
#include "support/memory_program.hpp"
#include "support/planned_loop.hpp"

using namespace test;

namespace {

namespace on_device = espalier::on_device;

/// What was seen of all loops: a test of random loops proves little if they are all alike.
struct seen_loops {
  int backwards = 0, counted = 0, stacks = 0, states_before = 0, finals = 0, constant_states = 0, shared_results = 0,
      copied = 0;
};

class traced_loop {
 public:
  /// taken: the number of steps, or -1: all, in a loop without a count.
  traced_loop(plan::extracted_loop const& l, std::int64_t workspace, int taken)
      : facts_{with_count(l, taken >= 0)},
        loop_{facts_, workspace},
        taken_{taken >= 0 ? taken : l.steps},
        values_(static_cast<std::size_t>(facts_.captured)),
        outputs_(static_cast<std::size_t>(number_of_outputs())) {
    // Captured values are as long as what reads them; one that only the body reads has one element here.
    for (auto& v : values_) v.resize(1);
    for (int k = 0; k < l.slices; ++k) grow(values_[index(l.slice[k].operand)], l.steps * l.slice[k].size);
    for (int k = 0; k < l.states; ++k) grow(values_[index(l.state[k].operand)], l.state[k].size);
    for (std::size_t i = 0; i < values_.size(); ++i)
      for (std::size_t e = 0; e < values_[i].size(); ++e) values_[i][e] = of_value(static_cast<int>(i), at(e));
    for (int k = 0; k < l.states; ++k) {
      plan::loop_state_facts const& s = l.state[k];
      if (s.stack >= 0) grow(outputs_[index(s.stack)], l.steps * s.size);
      if (s.stack_before >= 0) grow(outputs_[index(s.stack_before)], l.steps * s.size);
      if (s.final_output >= 0) grow(outputs_[index(s.final_output)], s.size);
    }
    for (int k = 0; k < l.stacks; ++k) grow(outputs_[index(l.stack[k].output)], l.steps * l.stack[k].size);
    // Output 0 is the memory that a body and its loop need for themselves.
    outputs_[0].assign(index(workspace + l.buffers()), 0);
    for (auto& o : outputs_) std::fill(o.begin(), o.end(), std::numeric_limits<double>::quiet_NaN());
    before_ = values_;
  }

  /// What is wrong, or nothing.
  template <int Alignment>
  std::string run() {
    std::vector<void*> base(plan::base::count + values_.size() + outputs_.size());
    std::vector<plan::address> addresses;
    auto const add = [&](std::vector<double>& memory) {
      base[plan::base::count + addresses.size()] = memory.data();
      addresses.push_back({plan::base::count + static_cast<int>(addresses.size()), 0});
    };
    for (auto& v : values_) add(v);
    for (auto& o : outputs_) add(o);
    on_device::loop_runner<planned_loop, double, Alignment>{loop_}.run(
        on_device::addresses<double>{base.data(), addresses.data()}, base.data(),
        [&](void* const* of_step) { step<Alignment>(of_step); },
        [&](double const* from, double* to, std::int64_t size) {
          if (from < to + size && to < from + size) fail("a copy overlaps itself");
          std::copy_n(from, size, to);
        },
        [](double* to, std::int64_t size) { std::fill_n(to, size, 0.0); }, [&](std::int32_t const*) { return taken_; });
    if (steps_ != taken_) fail("steps", steps_);
    check_outputs();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i] != before_[i]) fail("the loop changes a value that it reads:", static_cast<int>(i));
    return wrong_;
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  static std::int64_t at(std::size_t i) { return static_cast<std::int64_t>(i); }
  static void grow(std::vector<double>& v, std::int64_t size) { v.resize(std::max(v.size(), index(size))); }
  /// The same loop with a count behind its other captured values.
  static plan::extracted_loop with_count(plan::extracted_loop const& l, bool counted) {
    plan::extracted_loop r = l;
    if (counted) r.count = r.captured++;
    return r;
  }
  int number_of_outputs() const {
    int last = 0;
    for (int k = 0; k < facts_.states; ++k)
      last = std::max({last, facts_.state[k].stack, facts_.state[k].stack_before, facts_.state[k].final_output});
    for (int k = 0; k < facts_.stacks; ++k) last = std::max(last, facts_.stack[k].output);
    return last + 1;
  }

  // Each element of each value has a number of its own.
  static double of_value(int value, std::int64_t e) { return std::ldexp(1 + value, 30) + static_cast<double>(e); }
  static double of_result(int result, int step, std::int64_t e) {
    return -std::ldexp(1 + result * 4096 + step, 20) - static_cast<double>(e);
  }
  /// A state before step i, counted from the first that runs.
  double of_state(int k, int i, std::int64_t e) const {
    plan::loop_state_facts const& s = facts_.state[k];
    return i == 0 || s.result < 0 ? of_value(s.operand, e) : of_result(s.result, i - 1, e);
  }
  std::int64_t size_of_result(int k) const {
    for (int i = 0; i < facts_.states; ++i)
      if (facts_.state[i].result == k) return facts_.state[i].size;
    for (int i = 0; i < facts_.stacks; ++i)
      if (facts_.stack[i].result == k) return facts_.stack[i].size;
    return 0;
  }
  int position(int i) const { return facts_.backwards ? taken_ - 1 - i : i; }

  void fail(std::string const& what, int number = -1) {
    if (wrong_.empty()) wrong_ = what + " " + std::to_string(number) + ", step " + std::to_string(steps_);
  }
  template <class F>
  void compare(char const* what, int number, double const* got, std::int64_t size, F const& expected) {
    for (std::int64_t e = 0; e < size && wrong_.empty(); ++e)
      if (got[e] != expected(e))
        fail(std::string(what) + " " + std::to_string(number) + " is not what the loop names, element",
             static_cast<int>(e));
  }
  struct range {
    double const* begin;
    std::int64_t size;
    bool overlaps(range const& o) const { return begin < o.begin + o.size && o.begin < begin + size; }
  };
  /// The part of an allocation that has an address: how many elements are before it.
  std::int64_t offset_of(double const* p) const {
    for (auto const* memory : {&values_, &outputs_})
      for (auto const& v : *memory)
        if (p >= v.data() && p < v.data() + v.size()) return p - v.data();
    return -1;
  }

  template <int Alignment>
  void step(void* const* base) {
    void* const* const of_captured = base + plan::base::count;
    void* const* const of_slices = of_captured + facts_.captured;
    void* const* const of_states = of_slices + facts_.slices;
    void* const* const of_results = of_states + facts_.states;
    auto const elements = [](void* p) { return static_cast<double*>(p); };
    // A body uses its workspace as it likes.
    if (elements(base[plan::base::workspace]) != outputs_[0].data()) fail("the body has another workspace");
    std::fill_n(outputs_[0].begin(), loop_.workspace, std::numeric_limits<double>::quiet_NaN());
    std::vector<range> read{{outputs_[0].data(), loop_.workspace}};
    for (int k = 0; k < facts_.captured; ++k) {
      if (of_captured[k] != values_[index(k)].data()) fail("captured value", k);
      read.push_back({values_[index(k)].data(), at(values_[index(k)].size())});
    }
    for (int k = 0; k < facts_.slices; ++k) {
      plan::loop_slice_source const& s = facts_.slice[k];
      read.push_back({elements(of_slices[k]), s.size});
      compare("slice", k, elements(of_slices[k]), s.size,
              [&](std::int64_t e) { return of_value(s.operand, position(steps_) * s.size + e); });
    }
    for (int k = 0; k < facts_.states; ++k) {
      read.push_back({elements(of_states[k]), facts_.state[k].size});
      compare("state", k, elements(of_states[k]), facts_.state[k].size,
              [&](std::int64_t e) { return of_state(k, steps_, e); });
    }
    for (std::size_t i = 1 + values_.size(); i < read.size(); ++i)
      if (offset_of(read[i].begin) % Alignment != 0) fail("a value is not aligned", static_cast<int>(i));
    for (int k = 0; k < facts_.results; ++k) {
      range const to{elements(of_results[k]), size_of_result(k)};
      std::int64_t const from = offset_of(to.begin);
      if (from < 0 || offset_of(to.begin + to.size - 1) != from + to.size - 1) return fail("result outside", k);
      if (from % Alignment != 0) fail("a result is not aligned", k);
      for (range const& r : read)
        if (r.overlaps(to)) fail("the step still reads the memory of result", k);
      read.push_back(to);
    }
    for (int k = 0; k < facts_.results; ++k)
      for (std::int64_t e = 0; e < size_of_result(k); ++e) elements(of_results[k])[e] = of_result(k, steps_, e);
    ++steps_;
  }
  void check_outputs() {
    auto const check_stack = [&](char const* what, int output, std::int64_t size, auto const& expected) {
      if (output < 0) return;
      for (int i = 0; i < facts_.steps; ++i) {
        int const of = i < taken_ ? position(i) : i;
        compare(what, output, outputs_[index(output)].data() + of * size, size,
                [&](std::int64_t e) { return i < taken_ ? expected(i, e) : 0.0; });
      }
    };
    for (int k = 0; k < facts_.states; ++k) {
      plan::loop_state_facts const& s = facts_.state[k];
      check_stack("stack", s.stack, s.size, [&](int i, std::int64_t e) { return of_state(k, i + 1, e); });
      check_stack("states before", s.stack_before, s.size, [&](int i, std::int64_t e) { return of_state(k, i, e); });
      if (s.final_output >= 0)
        compare("final state", k, outputs_[index(s.final_output)].data(), s.size,
                [&](std::int64_t e) { return of_state(k, taken_, e); });
    }
    for (int k = 0; k < facts_.stacks; ++k)
      check_stack("stack of a result", facts_.stack[k].output, facts_.stack[k].size,
                  [&](int i, std::int64_t e) { return of_result(facts_.stack[k].result, i, e); });
  }

  plan::extracted_loop const facts_;
  planned_loop const loop_;
  int const taken_;
  std::vector<std::vector<double>> values_, outputs_, before_;
  int steps_ = 0;
  std::string wrong_;
};

/// Runs a loop as it is and with counts, on devices of three alignments.
std::string check_loop(heap_loop const& l, seen_loops& seen) {
  plan::extracted_loop const& facts = *l.facts;
  if (facts.count >= 0) return "a program of this test has no counts of its own";
  std::int64_t const workspace = l.body->planned->memory.workspace;
  for (int taken : {-1, 0, 1, facts.steps / 2, facts.steps}) {
    auto const wrong = [&](int alignment, std::string const& text) {
      return "alignment " + std::to_string(alignment) + ", taken " + std::to_string(taken) + ": " + text;
    };
    if (auto const text = traced_loop{facts, workspace, taken}.run<1>(); !text.empty()) return wrong(1, text);
    if (auto const text = traced_loop{facts, workspace, taken}.run<2>(); !text.empty()) return wrong(2, text);
    if (auto const text = traced_loop{facts, workspace, taken}.run<8>(); !text.empty()) return wrong(8, text);
    ++seen.counted;
  }
  seen.backwards += facts.backwards;
  seen.stacks += facts.stacks;
  for (int k = 0; k < facts.states; ++k) {
    plan::loop_state_facts const& s = facts.state[k];
    seen.states_before += s.stack_before >= 0;
    seen.finals += s.final_output >= 0;
    seen.constant_states += s.result < 0;
    seen.copied += s.size % 8 != 0;
    for (int i = 0; i < k; ++i) seen.shared_results += s.result >= 0 && facts.state[i].result == s.result;
  }
  for (auto const& inner : l.body->bodies)
    if (auto const text = check_loop(inner, seen); !text.empty()) return "in its body: " + text;
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_step_reads_and_writes_what_its_loop_names) {
  seen_loops seen;
  int loops = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    auto const program = std::make_unique<graph::program>();
    memory_program const random{*program, seed, {400, true, false, 45}};
    if (program->nodes.found != graph::fault::none || graph::value_leaves_loop(*program)) continue;
    heap_plan const planned{*program, random.layout()};
    for (heap_loop const& l : planned.bodies) {
      std::string const text = check_loop(l, seen);
      BOOST_REQUIRE_MESSAGE(text.empty(), "seed " << seed << ", group " << l.group << ": " << text);
      ++loops;
    }
  }
  BOOST_TEST_MESSAGE(loops << " loops: " << seen.backwards << " backwards, " << seen.stacks << " stacks, "
                           << seen.states_before << " states of all steps, " << seen.finals << " final states, "
                           << seen.constant_states << " states that stay, " << seen.shared_results
                           << " states of one result, " << seen.copied << " that are not aligned");
  BOOST_TEST(loops > 500);
  for (int n : {seen.backwards, seen.stacks, seen.states_before, seen.finals, seen.constant_states, seen.copied})
    BOOST_TEST(n > 20);
}
