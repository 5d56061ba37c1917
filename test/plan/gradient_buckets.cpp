// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_gradient_buckets
#include <boost/test/unit_test.hpp>

#include <espalier/plan/gradient_buckets.hpp>
#include <string>

#include "support/built_program.hpp"
#include "support/nets.hpp"
#include "support/passes.hpp"

using namespace test;
namespace plan = espalier::plan;
namespace graph = espalier::graph;
using espalier::extents;
using espalier::handle;
using graph::destination;

namespace {
constexpr extents vector{1, {32}};
constexpr std::int64_t parameters[] = {0, 32, 64, 160}, buffers[] = {0};
constexpr plan::storage_layout layout{parameters, buffers};

struct found {
  std::unique_ptr<plan::planned const> plan;
  std::unique_ptr<plan::gradient_buckets const> buckets;
};
found of(built_program const& p, std::int64_t least) {
  program_passes const passes{*p.program, layout};
  auto planned = std::make_unique<plan::planned>();
  planned->groups = *passes.merged;
  planned->ir = *passes.kernels;
  planned->memory = *passes.memory;
  found r{std::move(planned), nullptr};
  r.buckets =
      std::make_unique<plan::gradient_buckets const>(plan::find_gradient_buckets(*p.program, *r.plan, layout, least));
  return r;
}
/// "after 2: 64+32 0+16; ..."
std::string text(plan::gradient_buckets const& b) {
  std::string r;
  for (int i = 0; i < b.bucket_count; ++i) {
    plan::gradient_bucket const& bucket = b.buckets[i];
    r += (r.empty() ? "after " : "; after ") + std::to_string(bucket.after) + ":";
    for (int k = bucket.first_range; k < bucket.first_range + bucket.ranges; ++k)
      r += " " + std::to_string(b.ranges[k].offset) + "+" + std::to_string(b.ranges[k].size);
  }
  return r;
}
bool overlap(std::int64_t a, std::int64_t a_size, std::int64_t b, std::int64_t b_size) {
  return a < b + b_size && b < a + a_size;
}

/// Each gradient is in one bucket; groups after a bucket's neither write nor read it, and one at its end does.
template <class Program, std::int64_t Least>
void check(char const* name) {
  BOOST_TEST_CONTEXT(name << ", buckets of " << Least) {
    constexpr auto const& program = plan::graph_of<Program>;
    constexpr auto const& planned = plan::plan_of<Program>;
    constexpr auto const& b = plan::gradient_buckets_of<Program, Least>;
    plan::storage_layout const at = Program::layout();
    auto const touches = [&](int x, plan::gradient_range const& r) {
      plan::kernel_body const& k = planned.ir.groups[x];
      bool found = false;
      auto const look = [&](int id) {
        plan::address const a = planned.memory.address_of[id];
        found = found ||
                (a.base == plan::base::gradients && overlap(a.offset, planned.groups.size_of[id], r.offset, r.size));
      };
      for (int i = 0; i < k.operands; ++i) look(planned.ir.operands[k.first_operand + i].node);
      for (int i = 0; i < k.outputs; ++i) look(planned.ir.outputs[k.first_output + i]);
      return found;
    };
    std::int64_t elements = 0, expected = 0;
    for (int i = 0; i < program.output_count; ++i) {
      graph::output const& o = program.outputs[i];
      if (o.where != destination::gradient) continue;
      std::int64_t const size = program.nodes[o.id].shape.size();
      expected += size;
      int in = 0;
      for (int k = 0; k < b.range_count; ++k)
        in += b.ranges[k].offset <= at.gradient(o.index).offset &&
              at.gradient(o.index).offset + size <= b.ranges[k].offset + b.ranges[k].size;
      BOOST_TEST(in == 1, "gradient " << o.index << " is in " << in << " buckets");
    }
    int ranges = 0;
    for (int i = 0; i < b.bucket_count; ++i) {
      plan::gradient_bucket const& bucket = b.buckets[i];
      elements += bucket.elements;
      BOOST_TEST(bucket.first_range == ranges);
      ranges += bucket.ranges;
      BOOST_TEST((bucket.elements >= Least || i + 1 == b.bucket_count));
      BOOST_TEST((i == 0 || bucket.after >= b.buckets[i - 1].after));
      BOOST_TEST((b.first_after(bucket.after) <= i && b.first_after(bucket.after + 1) > i));
      bool at_end = bucket.after > planned.groups.group_count;
      for (int k = bucket.first_range; k < bucket.first_range + bucket.ranges; ++k) {
        if (bucket.after <= planned.groups.group_count) at_end = at_end || touches(bucket.after, b.ranges[k]);
        for (int x = bucket.after + 1; x <= planned.groups.group_count; ++x)
          BOOST_TEST(!touches(x, b.ranges[k]), "group " << x << " uses bucket " << i);
      }
      BOOST_TEST(at_end);
    }
    BOOST_TEST(ranges == b.range_count);
    BOOST_TEST(elements == expected);
  }
}
template <class Net, class Batch>
using training = espalier::detail::training_program<Net, nn::SoftmaxLoss, Batch>;

using Deep = nn::Sequential<nn::Linear<5, 7>, nn::Tanh, nn::Linear<7, 9>, nn::Tanh, nn::Linear<9, 3>>;
using Images = nn::Sequential<nn::Conv<2, 8, 3>, nn::BatchNorm2d<8>, nn::ReLU, nn::Flatten, nn::Linear<128, 4>>;
struct Shared {
  nn::Linear<6, 6> first;
  nn::Linear<6, 3> last;
  ESPALIER_MODULE(Shared, first, last)
  constexpr auto forward(auto x) const { return last(first(esp::tanh(first(x)))); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_bucket_is_complete_after_the_last_group_that_uses_it) {
  check<training<Deep, esp::batch<4, 5>>, 1>("Linear");
  check<training<Deep, esp::batch<4, 5>>, 40>("Linear");
  check<training<Deep, esp::batch<4, 5>>, 1000000>("Linear");
  check<training<Images, esp::batch<2, 2, 4, 4>>, 20>("images");
  check<training<Shared, esp::batch<4, 6>>, 1>("a layer that is used twice");
  check<training<nn::Sequential<nn::LastOutput<nn::LSTM<4, 5, nn::lstm{.batch_first = true}>>, nn::Linear<5, 3>>,
                 esp::batch<2, 3, 4>>,
        64>("LSTM");
}
BOOST_AUTO_TEST_CASE(the_last_layer_is_complete_first) {
  constexpr auto const& b = plan::gradient_buckets_of<training<Deep, esp::batch<4, 5>>, 1>;
  constexpr auto const& slots = esp::slots_of<Deep>.parameters;
  BOOST_REQUIRE(b.bucket_count == 6);
  BOOST_TEST(b.buckets[0].after < b.buckets[5].after);
  bool const last_layer =
      b.ranges[0].offset == slots.offset[slots.count - 1] || b.ranges[0].offset == slots.offset[slots.count - 2];
  BOOST_TEST(last_layer);
  constexpr int groups = plan::plan_of<training<Deep, esp::batch<4, 5>>>.groups.group_count;
  BOOST_TEST(b.buckets[5].after <= groups);
}
BOOST_AUTO_TEST_CASE(one_bucket_is_one_range_with_its_gaps) {
  constexpr auto const& b = plan::gradient_buckets_of<training<Deep, esp::batch<4, 5>>, 1000000>;
  BOOST_REQUIRE(b.bucket_count == 1);
  BOOST_REQUIRE(b.range_count == 1);
  BOOST_TEST(b.buckets[0].elements == 5 * 7 + 7 + 7 * 9 + 9 + 9 * 3 + 3);
  BOOST_TEST(b.ranges[0].offset == 0);
  auto const& slots = esp::slots_of<Deep>.parameters;
  BOOST_TEST(b.ranges[0].size == slots.offset[5] + 3);  // no gap behind the last tensor
}
BOOST_AUTO_TEST_CASE(a_gradient_that_is_read_later_is_complete_after_its_reader) {
  built_program p;
  handle const x = p.argument(0, {2, {8, 8}});
  handle const g = p.add<espalier::matmul_>({2, {8, 8}}, 0, x, x), y = p.add<espalier::matmul_>({2, {8, 8}}, 0, g, x);
  p.program->add_output(g.id, destination::gradient, 2);
  p.result(y);
  found const r = of(p, 1);
  BOOST_TEST(r.plan->groups.group_of[g.id] < r.plan->groups.group_of[y.id]);
  BOOST_TEST(text(*r.buckets) == "after " + std::to_string(r.plan->groups.group_of[y.id]) + ": 64+64");
}
BOOST_AUTO_TEST_CASE(copies_follow_the_last_group) {
  built_program p;
  handle const x = p.argument(0, vector), g = tanh(x);
  p.program->add_output(g.id, destination::gradient, 0);  // read by the copy to the second
  p.program->add_output(g.id, destination::gradient, 1);
  p.program->add_output(x.id, destination::gradient, 3);  // a leaf
  found const r = of(p, 1000);
  BOOST_TEST(r.plan->memory.copy_count == 2);
  BOOST_TEST(text(*r.buckets) == "after " + std::to_string(r.plan->groups.group_count + 1) + ": 160+32 0+64");
}
BOOST_AUTO_TEST_CASE(a_program_without_gradients_has_no_buckets) {
  built_program p;
  p.result(tanh(p.argument(0, vector)));
  found const r = of(p, 1);
  BOOST_TEST(r.buckets->bucket_count == 0);
  BOOST_TEST(r.buckets->first_after(1) == 0);
}
