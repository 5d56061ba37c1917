// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_allocate
#include <boost/test/unit_test.hpp>

#include "support/built_program.hpp"
#include "support/heap_plan.hpp"
#include "support/passes.hpp"

using namespace test;

namespace {
struct deep {
  constexpr auto operator()(auto x, auto w) const {
    auto const a = esp::tanh(matmul(x, w));
    auto const b = esp::tanh(matmul(a, w));
    auto const c = esp::tanh(matmul(b, w)) + a;
    return matmul(c, w);
  }
};
struct same_twice {
  constexpr auto operator()(auto x) const { return std::tuple{exp(x), exp(x)}; }
};
using square_net = passes<deep, real<8, 8>, real<8, 8>>;

struct life {
  std::int64_t begin, end;
  int first, last;
};
/// Where in the workspace each value lies, and during which groups.
std::vector<life> lives_of(auto const& p) {
  std::vector<life> found;
  for (int id = 1; id <= p.program.nodes.size; ++id) {
    if (!p.memory->stored[id] || p.merged->group_of[id] == 0 || p.memory->address_of[id].base != plan::base::workspace)
      continue;
    std::int64_t const at = p.memory->address_of[id].offset;
    found.push_back({at, at + p.merged->size_of[id], p.merged->group_of[id], p.memory->last_use[id]});
  }
  return found;
}
}  // namespace

BOOST_AUTO_TEST_CASE(values_that_live_at_the_same_time_do_not_overlap) {
  square_net const p;
  auto const lives = lives_of(p);
  BOOST_TEST(lives.size() >= 3u);
  for (life const& a : lives)
    for (life const& b : lives) {
      if (&a == &b || a.last <= b.first || b.last <= a.first) continue;
      BOOST_TEST((a.end <= b.begin || b.end <= a.begin));
    }
}

BOOST_AUTO_TEST_CASE(the_workspace_holds_all_and_no_less_than_lives_at_once) {
  square_net const p;
  for (life const& a : lives_of(p)) BOOST_TEST(a.end <= p.memory->workspace);
  BOOST_TEST(p.memory->workspace >= p.memory->peak_live);
  BOOST_TEST(p.memory->peak_live >= 64);
}

// Each result is written to its own place, also one value that is two results.
BOOST_AUTO_TEST_CASE(results_are_written_to_their_place) {
  auto const check = [](auto const& p) {
    BOOST_TEST(p.memory->copy_count == 0);
    for (int i = 0; i < p.program.output_count; ++i) {
      int const node = p.merged->holder_of[p.program.outputs[i].id];
      BOOST_TEST(p.memory->address_of[node].base == plan::base::results + p.program.outputs[i].index);
      BOOST_TEST(p.memory->address_of[node].offset == 0);
    }
  };
  check(square_net{});
  check(passes<same_twice, real<8>>{});
}

// Two states that become each other's new value, and three in a ring: no copy overwrites what a later one reads.
BOOST_AUTO_TEST_CASE(states_may_become_each_others_new_value) {
  for (int count : {2, 3}) {
    built_program b;
    std::int64_t const offsets[]{0, 8, 16};
    esp::handle states[3];
    for (int i = 0; i < count; ++i) states[i] = b.buffer(static_cast<std::uint64_t>(i), {1, {8}});
    b.result(states[0] + states[count - 1]);
    for (int i = 0; i < count; ++i) b.program->add_output(states[(i + 1) % count].id, graph::destination::buffer, i);
    plan::storage_layout const layout{nullptr, offsets};
    heap_plan const planned{*b.program, layout};
    BOOST_TEST((planned.check(*b.program, layout).error == plan::plan_error::none));
    BOOST_TEST(planned.planned->memory.copy_count == count + 1);
  }
}
