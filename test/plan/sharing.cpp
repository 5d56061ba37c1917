// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_sharing
#include <boost/test/unit_test.hpp>

#include <espalier/plan/sharing.hpp>

#include "support/built_program.hpp"
#include "support/passes.hpp"

using namespace test;
using plan::sharing;

namespace {
struct elementwise {
  constexpr auto operator()(auto x, auto y) const { return exp(x) + y; }
};
struct broadcast {
  constexpr auto operator()(auto x, auto row) const { return x + row; }
};
struct norm {
  constexpr auto operator()(auto x) const { return esp::softmax(x); }
};
struct two_groups {
  constexpr auto operator()(auto x, auto w) const { return matmul(tanh(matmul(x, w)), w); }
};
struct permuted {
  constexpr auto operator()(auto x) const { return esp::transpose(x); }
};
struct argument_again {
  constexpr auto operator()(auto x) const { return std::tuple{exp(x), x}; }
};
template <class F, class... Arguments>
plan::sharing_table table() {
  return plan::find_sharing(plan::graph_of<esp::detail::compiled_program<F, Arguments...>>,
                            plan::plan_of<esp::detail::compiled_program<F, Arguments...>>);
}
}  // namespace

// One sweep reads an element before it writes the same element of the result.
BOOST_AUTO_TEST_CASE(element_by_element) {
  auto const t = table<elementwise, real<8>, real<8>>();
  BOOST_TEST((t.of[0][0] == sharing::same));
  BOOST_TEST((t.of[1][0] == sharing::same));
}

// A row is read again for the next row, when the result has overwritten it.
BOOST_AUTO_TEST_CASE(operands_that_are_read_more_than_once) {
  auto const t = table<broadcast, real<4, 8>, real<8>>();
  BOOST_TEST((t.of[0][0] == sharing::same));
  BOOST_TEST((t.of[1][0] == sharing::none));
  BOOST_TEST((table<norm, real<4, 8>>().of[0][0] == sharing::none));
  BOOST_TEST((table<permuted, real<8, 8>>().of[0][0] == sharing::none));
}

BOOST_AUTO_TEST_CASE(an_argument_that_only_earlier_groups_read) {
  auto const t = table<two_groups, real<8, 8>, real<8, 8>>();
  BOOST_TEST((t.of[0][0] == sharing::any));
  BOOST_TEST((t.of[1][0] == sharing::none));
}

// An argument that is a result of a function is copied by a group, like any other value.
BOOST_AUTO_TEST_CASE(an_argument_that_is_a_result) {
  auto const t = table<argument_again, real<8>>();
  BOOST_TEST((t.of[0][0] == sharing::same && t.of[0][1] == sharing::same));
}

// Copies at the end read their argument after every group has written.
BOOST_AUTO_TEST_CASE(copies_at_the_end_read_last) {
  built_program p;
  esp::handle const x = p.argument(0, {1, {8}});
  p.result(exp(x), 0);
  p.result(x, 1);
  program_passes const r{*p.program, {nullptr, nullptr}};
  BOOST_REQUIRE(r.memory->copy_count == 1);
  std::unique_ptr<plan::planned const> const all{new plan::planned{*r.merged, *r.kernels, *r.memory}};
  auto const t = plan::find_sharing(*p.program, *all);
  BOOST_TEST((t.of[0][0] == sharing::none && t.of[0][1] == sharing::none));
}

BOOST_AUTO_TEST_CASE(arguments_and_results_that_do_not_exist_share_with_all) {
  auto const t = table<elementwise, real<8>, real<8>>();
  BOOST_TEST((t.of[2][0] == sharing::any && t.of[0][1] == sharing::any));
}

BOOST_AUTO_TEST_CASE(groups_that_sweep_once) {
  plan::group g{};
  BOOST_TEST(plan::sweeps_once(g));
  g.reduces_rows = true;
  BOOST_TEST(!plan::sweeps_once(g));
  g = {};
  g.segments = 2;
  BOOST_TEST(!plan::sweeps_once(g));
  g = {};
  g.kind = plan::kernel_kind::contraction;
  BOOST_TEST(!plan::sweeps_once(g));
}

namespace {
struct first_half {
  constexpr auto operator()(auto x) const { return exp(esp::slice<0, 0, 8>(x)); }
};
struct second_half {
  constexpr auto operator()(auto x) const { return exp(esp::slice<0, 8, 16>(x)); }
};
struct joined {
  constexpr auto operator()(auto x, auto y) const { return esp::concatenate<0>(exp(y), exp(x)); }
};
}  // namespace

// A part of an argument is read in the argument: at equal addresses only if it begins where the argument does.
BOOST_AUTO_TEST_CASE(parts_of_arguments) {
  BOOST_TEST((table<first_half, real<16>>().of[0][0] == sharing::same));
  BOOST_TEST((table<second_half, real<16>>().of[0][0] == sharing::none));
}

// The second part of the result is written first, behind the addresses of its argument.
BOOST_AUTO_TEST_CASE(results_that_are_written_in_parts) {
  auto const t = table<joined, real<8>, real<8>>();
  BOOST_TEST((t.of[0][0] == sharing::none));
  BOOST_TEST((t.of[1][0] != sharing::any));
}

namespace {
struct written_slices {
  constexpr auto operator()(auto x, auto index, auto source) const { return esp::index_copy<0>(x, index, source); }
};
struct written_behind_a_sweep {
  constexpr auto operator()(auto x, auto index, auto source) const { return esp::index_copy<0>(exp(x), index, source); }
};
struct written_and_read_again {
  constexpr auto operator()(auto x, auto index, auto source) const {
    auto const y = esp::index_copy<0>(x, index, source);
    return std::tuple{y, sum<0>(y * x)};
  }
};
struct written_from_itself {
  constexpr auto operator()(auto x, auto index, auto) const { return esp::index_copy<0>(x, index, x); }
};
struct written_from_a_part_of_itself {
  constexpr auto operator()(auto x, auto index, auto) const {
    return esp::index_copy<0>(x, index, esp::slice<0, 0, 2>(x));
  }
};
template <class F, int Rows, int Slices>
constexpr auto table_of_copy() {
  return table<F, real<Rows, 8>, esp::borrowed<std::int32_t, esp::shape<Slices>>, real<Slices, 8>>();
}
}  // namespace

// An index_copy writes nothing but its slices, so x may be the result: nothing else may read x then, or be the result.
BOOST_AUTO_TEST_CASE(slices_that_are_written) {
  auto const t = table_of_copy<written_slices, 4, 2>();
  BOOST_TEST((t.of[0][0] == sharing::same));
  BOOST_TEST((t.of[1][0] == sharing::none));
  BOOST_TEST((t.of[2][0] == sharing::none));
  BOOST_TEST((table_of_copy<written_slices, 4, 4>().of[2][0] == sharing::none));
  BOOST_TEST((table_of_copy<written_and_read_again, 4, 2>().of[0][0] == sharing::none));
  BOOST_TEST((table_of_copy<written_from_itself, 4, 4>().of[0][0] == sharing::none));
  BOOST_TEST((table_of_copy<written_from_a_part_of_itself, 4, 2>().of[0][0] == sharing::none));
}

// The sweep before the copy writes to the result already.
BOOST_AUTO_TEST_CASE(results_that_are_written_before_their_slices) {
  auto const t = table_of_copy<written_behind_a_sweep, 4, 2>();
  BOOST_TEST((t.of[0][0] == sharing::same));
  BOOST_TEST((t.of[2][0] == sharing::none));
}
