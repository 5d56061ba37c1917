// SPDX-License-Identifier: BSL-1.0
// Permutations are carried through a program until they cancel, and nothing changes but where the data lie.
#define BOOST_TEST_MODULE operation_hoist_permutations
#include "support/check_kernels.hpp"

using namespace test;

namespace {

/// How many permutations the result of a formula still needs.
template <class F, class... X>
int permutations_of(F, bool plain, X const&...) {
  auto p = std::make_unique<graph::program>();
  p->nodes.plain = plain;
  esp::tracing::tracer t{*p, esp::tracing::mode::evaluation, false, 0, 0};
  auto const own = arguments_of<X...>(t);
  auto needed = std::make_unique<bool[]>(graph::capacity);
  needed[static_cast<std::size_t>(esp::tracing::trace_operand(t, std::apply(F{}, own)))] = true;
  int count = 0;
  for (int id = p->nodes.size; id > 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    graph::node const& n = p->nodes[id];
    count += n.op->family == graph::op_family::permute;
    for (int k = 0; k < (n.op->family == graph::op_family::alias ? 1 : 4); ++k)
      needed[static_cast<std::size_t>(n.operand[k])] = true;
  }
  return count;
}

inline constexpr auto elementwise = [](auto x) { return transpose(relu(transpose(x) * 2 + 1)); };
inline constexpr auto both = [](auto x, auto y) { return transpose(exp(transpose(x) + transpose(y))); };
inline constexpr auto with_a_row = [](auto x, auto row) { return transpose(transpose(x) * row); };
inline constexpr auto reduced = [](auto x) { return sum<0>(transpose(x)); };
inline constexpr auto norm = [](auto x) { return transpose(normalize<-1>(transpose(x), 1e-5) * 3); };
inline constexpr auto scores = [](auto x) { return transpose(softmax<-1>(transpose(x))); };
inline constexpr auto one_side = [](auto x, auto y) { return transpose(x) + y; };
inline constexpr auto images = [](auto x, auto channel) {
  return transpose<1, 2>(
      transpose<2, 3>(max<2, 3>(transpose<1, 2>(transpose<2, 3>(x)) * reshape<4, 1, 1>(channel), esp::keepdims)));
};

template <class F, class... X>
void check(F f, int left, X const&... x) {
  BOOST_TEST(permutations_of(f, false, x...) == left);
  BOOST_TEST(permutations_of(f, true, x...) > left);
  check_kernels("carried", f, x...);
}

}  // namespace

BOOST_AUTO_TEST_CASE(permutations_meet_their_inverse) {
  auto const x = floats<5, 7>(1), y = floats<5, 7>(2);
  check(elementwise, 0, x);
  check(both, 0, x, y);
  check(with_a_row, 0, x, floats<5>(3));
  check(reduced, 0, x);
  check(norm, 0, x);
  check(scores, 0, x);
  check(images, 0, floats<2, 3, 5, 4>(4), floats<4>(5));
}
BOOST_AUTO_TEST_CASE(one_that_meets_none_stays) {
  auto const x = floats<5, 7>(1);
  BOOST_TEST(permutations_of(one_side, false, x, floats<7, 5>(2)) == 1);
  check_kernels("one side", one_side, x, floats<7, 5>(2));
}
