// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_address
#include <boost/test/unit_test.hpp>

#include <espalier/plan/address.hpp>

namespace plan = espalier::plan;
namespace base = espalier::plan::base;

// The table of pointers has a range for arguments and one for results, after those of the model.
BOOST_AUTO_TEST_CASE(bases_are_in_one_table) {
  constexpr int single[] = {base::workspace,       base::parameters, base::gradients, base::buffers,
                            base::hyperparameters, base::random,     base::values};
  for (int i = 0; i < 7; ++i) {
    BOOST_TEST(single[i] < base::arguments);
    for (int k = 0; k < i; ++k) BOOST_TEST(single[i] != single[k]);
  }
  static_assert(base::arguments + base::max_arguments == base::results);
  static_assert(base::results + base::max_results == base::count);
}

BOOST_AUTO_TEST_CASE(sizes_are_rounded_to_whole_cache_lines) {
  static_assert(plan::rounded(0) == 0 && plan::rounded(1) == 16 && plan::rounded(16) == 16 && plan::rounded(17) == 32);
  static_assert(plan::rounded((std::int64_t{1} << 40) + 1) == (std::int64_t{1} << 40) + 16);
  static_assert(plan::alignment_elements * sizeof(float) == 64);
}
