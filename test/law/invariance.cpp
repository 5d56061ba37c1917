// SPDX-License-Identifier: BSL-1.0
// Table 1 of the LayerNorm paper: each of its 18 cells, and what each "invariant" asks of epsilon, of the factor and of
// a bias before the norm.
#define BOOST_TEST_MODULE law_invariance
#include "../../docs/examples/support/invariance.hpp"

#include "support/numbers.hpp"

using namespace examples;

namespace {

constexpr double rounding = 1e-12, visible = 0.03;
constexpr double factors[] = {0.2, 2.5, 40};

constexpr bool recenters(int how) { return how == weight_matrix_recentering || how == data_set_recentering; }

/// visit(what, cell, invariant) for every cell of a table, with several seeds and factors.
template <class Table, class Visit>
void for_each_cell(Table const& rows, double sign, Visit visit) {
  for (auto const& row : rows)
    for (int how = 0; how < 6; ++how)
      for (std::uint64_t seed = 1; seed <= 5; ++seed)
        for (double factor : factors) {
          comparison const cell{row, static_cast<transformation>(how), seed, sign * factor};
          BOOST_TEST_CONTEXT(row.norm << ", transformation " << how << ", seed " << seed << ", factor "
                                      << sign * factor)
          visit(row, how, cell);
          if (recenters(how)) break;  // there is no factor in it
        }
}

}  // namespace

// With eps = 0, a positive factor and no bias before the norm.
BOOST_AUTO_TEST_CASE(every_cell_of_the_table) {
  int cells = 0;
  for_each_cell(table<exact>, 1, [&](auto const& row, int how, comparison const& cell) {
    ++cells;
    if (row.invariant[how]) BOOST_TEST(cell.change() < rounding);
    else BOOST_TEST(cell.change() > visible);
  });
  BOOST_TEST(cells == 3 * 5 * (4 * 3 + 2));
}

// An epsilon is felt by every re-scaling, and by no re-centering. Weight normalisation has none.
BOOST_AUTO_TEST_CASE(epsilon_is_felt_by_rescaling_alone) {
  for_each_cell(table<with_epsilon>, 1, [&](auto const& row, int how, comparison const& cell) {
    bool const exactly = row.invariant[how] && (recenters(how) || row.output == table<exact>[1].output);
    if (exactly) BOOST_TEST(cell.change() < rounding);
    else BOOST_TEST(cell.change() > 1e-3);
  });
}

// What it costs is proportional to it, as long as it is small against the variance.
BOOST_AUTO_TEST_CASE(a_small_epsilon_is_felt_in_proportion) {
  constexpr nn::norm usual{.eps = 1e-5, .untracked = true};
  for (int row : {0, 2})
    for (int how = 0; how < 6; ++how) {
      if (!table<exact>[row].invariant[how] || recenters(how)) continue;
      auto const transformed = static_cast<transformation>(how);
      double const large = comparison{table<with_epsilon>[row], transformed, 1, 2.5}.change();
      double const small = comparison{table<usual>[row], transformed, 1, 2.5}.change();
      BOOST_TEST(small > 0.5e-4 * large);
      BOOST_TEST(small < 2e-4 * large);
    }
}

// With running statistics, in evaluation, BatchNorm is a fixed map.
BOOST_AUTO_TEST_CASE(batch_norm_in_evaluation_forgets_nothing) {
  constexpr table_row fixed[] = {{"batch norm in evaluation", output<BatchNormed<nn::norm{.eps = 0}>>, {}}};
  for_each_cell(fixed, 1, [](auto const&, int, comparison const& cell) { BOOST_TEST(cell.change() > visible); });
}

// A negative factor turns the sign of what was normalised, and nothing else.
BOOST_AUTO_TEST_CASE(a_negative_factor_turns_the_sign) {
  for_each_cell(table<exact>, -1, [&](auto const& row, int how, comparison const& cell) {
    if (!row.invariant[how] || recenters(how)) return;
    BOOST_TEST(cell.change() > visible);
    int turned = 0, kept = 0;
    for (int n = 0; n < 6; ++n)
      for (int unit = 0; unit < 4; ++unit) {
        double const before = cell.before(n, unit) - bias[unit], after = cell.after(n, unit) - bias[unit];
        turned += std::fabs(after + before) < 1e-11;
        kept += std::fabs(after - before) < 1e-11;
      }
    int const expected = how == weight_vector_rescaling ? 6
                         : how == single_case_rescaling ? 4
                                                        : 24;  // one unit, one case, or all
    BOOST_TEST(turned == expected);
    BOOST_TEST(kept == 24 - expected);
  });
}

// With a bias between x W and the norm: BatchNorm's mean takes it away. LayerNorm's does not, so that only its
// re-centering cell stays.
BOOST_AUTO_TEST_CASE(a_bias_before_the_norm) {
  for_each_cell(biased, 1, [&](auto const& row, int how, comparison const& cell) {
    if (row.invariant[how]) BOOST_TEST(cell.change() < rounding);
    else BOOST_TEST(cell.change() > 1e-3);
  });
}

// One norm after the other: the first decides, as whatever it forgets the second does not see.
BOOST_AUTO_TEST_CASE(one_after_the_other) {
  constexpr auto const& alone = table<exact>;
  using Batch = nn::BatchNorm1d<4, exact>;
  using Layer = nn::LayerNorm1d<4, exact>;
  table_row both[] = {{"batch, then layer", output<Normed<nn::Sequential<Batch, Layer>>>, {}},
                      {"layer, then batch", output<Normed<nn::Sequential<Layer, Batch>>>, {}}};
  for (int how = 0; how < 6; ++how) {
    both[0].invariant[how] = alone[0].invariant[how];
    both[1].invariant[how] = alone[2].invariant[how];
  }
  for_each_cell(both, 1, [&](auto const& row, int how, comparison const& cell) {
    if (row.invariant[how]) BOOST_TEST(cell.change() < 10 * rounding);
    else BOOST_TEST(cell.change() > 1e-3);
  });
}

// Applied to the data itself LayerNorm forgets one number added to all features of a case, and not a vector of
// different ones.
BOOST_AUTO_TEST_CASE(layer_norm_of_the_data_itself) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto const x = test::doubles<6, 5>(seed);
    auto const vector = test::doubles<5>(seed + 10);
    samples const y = normalize<1>(x, 0.3), by_number = normalize<1>(x + 3, 0.3),
                  by_vector = normalize<1>(x + vector, 0.3);
    test::check_close("a number", by_number, y, rounding);
    BOOST_TEST(!all_close(by_vector, y, 0.03, 0.03));
  }
}
