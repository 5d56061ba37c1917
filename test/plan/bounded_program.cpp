// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_bounded_program
#include <boost/test/unit_test.hpp>

#include "support/bounded.hpp"

using namespace test;
using plan::bounded_fault;
using form = plan::sample_number::form;

namespace {
struct product {
  constexpr auto operator()(auto x, auto w) const { return relu(matmul(x, w)); }
};
struct mean_of_all {
  constexpr auto operator()(auto x) const { return esp::mean(x * x); }
};
struct sum_of_products {
  constexpr auto operator()(auto x) const { return matmul(esp::transpose(x), x); }
};
struct gram {
  constexpr auto operator()(auto x) const { return matmul(x, esp::transpose(x)); }
};
struct turned {
  constexpr auto operator()(auto x) const { return exp(esp::transpose(x)); }
};
struct first_half {
  constexpr auto operator()(auto x) const { return esp::slice<0, 0, 4>(x); }
};
struct all_but_one {
  constexpr auto operator()(auto x) const {
    return esp::slice<0, 0, decltype(x)::shape_type::template extent<0>() - 1>(x);
  }
};
struct twice {
  constexpr auto operator()(auto x) const { return esp::concatenate<0>(x, x); }
};
struct backwards {
  constexpr auto operator()(auto x) const { return esp::flip<0>(x); }
};
struct in_pairs {
  constexpr auto operator()(auto x) const {
    return esp::sum<1>(esp::reshape<2, decltype(x)::shape_type::template extent<0>() * 4>(x));
  }
};
struct with_rows_of_its_own {
  constexpr auto operator()(auto x) const {
    if constexpr (decltype(x)::shape_type::template extent<0>() % 4 == 3) return exp(x);
    else return tanh(x);
  }
};
struct pixels {
  constexpr auto operator()(auto x) const {
    constexpr int n = decltype(x)::shape_type::template extent<0>();
    return esp::reshape<n, 2, 16>(x) * 2;
  }
};
struct logarithm_of_the_number {
  constexpr auto operator()(auto x) const {
    constexpr int n = decltype(x)::shape_type::template extent<0>();
    return x * (1.0 / (n * n));
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(rows_of_samples_vary_and_weights_do_not) {
  bounded_passes<product, rows_of_eight, eight_by_four> const p;
  BOOST_TEST((p.fault() == bounded_fault::none));
  for (int id = 1; id <= p.bounded->program.nodes.size; ++id) {
    esp::extents const& s = p.bounded->program.nodes[id].shape;
    bool const weight = s == esp::shape<8, 4>::value;
    BOOST_TEST(p.bounded->per_sample[id] == (weight || s.rank == 0 ? 0 : s.size() / 64));
    if (!weight && s.rank > 0) BOOST_TEST(s.at[0] == 64);
  }
}
// Weights of 64 rows, samples of 64 elements, and 64 samples at most.
BOOST_AUTO_TEST_CASE(equal_extents_are_told_apart) {
  bounded_passes<product, rows_of_sixty_four, sixty_four_square> const p;
  BOOST_TEST((p.fault() == bounded_fault::none));
  int varying = 0, fixed = 0;
  for (int id = 1; id <= p.bounded->program.nodes.size; ++id) {
    if (!(p.bounded->program.nodes[id].shape == esp::shape<64, 64>::value)) continue;
    ++(p.bounded->per_sample[id] == 64 ? varying : fixed);
  }
  BOOST_TEST(varying >= 2);
  BOOST_TEST(fixed == 1);
}
BOOST_AUTO_TEST_CASE(the_number_of_a_mean_is_a_run_time_number) {
  bounded_passes<mean_of_all, rows_of_eight> const p;
  BOOST_TEST((p.fault() == bounded_fault::none));
  BOOST_REQUIRE(p.bounded->number_count == 1);
  BOOST_TEST((p.bounded->numbers[0].kind == form::reciprocal));
  for (int n : {1, 3, 17, 64}) BOOST_TEST(p.bounded->numbers[0].at(n) == 1.0 / (n * 8));
}
BOOST_AUTO_TEST_CASE(sums_over_samples_do_not_vary) {
  bounded_passes<sum_of_products, rows_of_eight> const p;
  BOOST_TEST((p.fault() == bounded_fault::none));
  graph::output const& o = p.bounded->program.outputs[0];
  BOOST_TEST(p.bounded->per_sample[o.id] == 0);
}
BOOST_AUTO_TEST_CASE(axes_behind_the_samples_may_be_merged) {
  bounded_passes<pixels, images_of_two> const p;
  BOOST_TEST((p.fault() == bounded_fault::none));
  BOOST_TEST(p.bounded->per_sample[p.bounded->program.outputs[0].id] == 32);
}
BOOST_AUTO_TEST_CASE(what_combines_samples_is_a_fault_that_names_the_op) {
  bounded_passes<gram, rows_of_eight> const products;
  BOOST_TEST((products.fault() == bounded_fault::not_leading));
  BOOST_TEST((products.op() == "matmul" || products.op() == "permute"));
  bounded_passes<turned, rows_of_eight> const columns;
  BOOST_TEST((columns.fault() == bounded_fault::not_leading));
  bounded_passes<first_half, rows_of_eight> const slice;
  BOOST_TEST((slice.fault() == bounded_fault::mixes_samples));
  bounded_passes<all_but_one, rows_of_eight> const shorter;
  BOOST_TEST((shorter.fault() == bounded_fault::extent));
  bounded_passes<twice, rows_of_eight> const concatenated;
  BOOST_TEST((concatenated.fault() == bounded_fault::mixes_samples));
  BOOST_TEST(concatenated.op() == "concatenate");
  bounded_passes<backwards, rows_of_eight> const flipped;
  BOOST_TEST((flipped.fault() == bounded_fault::mixes_samples));
  bounded_passes<in_pairs, rows_of_eight> const split;
  BOOST_TEST((split.fault() == bounded_fault::not_leading));
}
BOOST_AUTO_TEST_CASE(another_program_for_another_number_is_a_fault) {
  static_assert(plan::counts_for(64).a % 4 == 3 && plan::counts_for(64).b % 4 != 3);
  bounded_passes<with_rows_of_its_own, rows_of_eight> const p;
  BOOST_TEST((p.fault() == bounded_fault::differs));
  bounded_passes<logarithm_of_the_number, rows_of_eight> const q;
  BOOST_TEST((q.fault() == bounded_fault::constant));
}
BOOST_AUTO_TEST_CASE(the_forms_of_numbers_are_found) {
  constexpr double n = 251, m = 257;
  auto const check = [&](auto f, form expected) {
    plan::sample_number found{};
    BOOST_TEST(plan::detail::find_form(f(n), f(m), n, m, found));
    BOOST_TEST((found.kind == expected));
    for (int k : {2, 3, 17, 64, 1000}) BOOST_TEST(found.at(k) == f(k), boost::test_tools::tolerance(1e-13));
  };
  check([](double x) { return 1 / (x * 3); }, form::reciprocal);
  check([](double x) { return -1 / (x * 48); }, form::reciprocal);
  check([](double x) { return 0.3 / x; }, form::divided);
  check([](double x) { return 12 * x; }, form::multiplied);
  check([](double x) { return x / (x - 1); }, form::unbiased);
  check([](double x) { return x * 1024 / (x * 1024 - 1); }, form::unbiased);
  check([](double x) { return 0.1 * (x * 65536 / (x * 65536 - 1)); }, form::scaled_unbiased);
  plan::sample_number none{};
  BOOST_TEST(!plan::detail::find_form(1 / (n * n), 1 / (m * m), n, m, none));
  BOOST_TEST(!plan::detail::find_form(0, 1, n, m, none));
  BOOST_TEST(!plan::detail::find_form(5, 6, n, m, none));
}
BOOST_AUTO_TEST_CASE(the_traced_numbers_are_two_primes_that_are_not_less) {
  auto const is_prime = [](int n) {
    for (int d = 2; d * d <= n; ++d)
      if (n % d == 0) return false;
    return true;
  };
  for (int most : {2, 64, 251, 252, 1000, 65536, 1000000}) {
    plan::traced_counts const c = plan::counts_for(most);
    BOOST_TEST((c.fit && c.a >= most && c.b > c.a && is_prime(c.a) && is_prime(c.b)));
  }
  for (int most : {2, 8, 64, 200}) {  // 238 samples fit a shape
    plan::traced_counts const c = plan::counts_for(most, 9000000);
    BOOST_TEST((c.fit && c.a >= most && c.b > c.a && c.b <= 238 && is_prime(c.a) && is_prime(c.b)));
  }
  BOOST_TEST(!plan::counts_for(235, 9000000).fit);
}
