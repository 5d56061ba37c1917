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
  static_assert(base::results + base::max_results == base::states);
  static_assert(base::states + base::max_states == base::count);
}

BOOST_AUTO_TEST_CASE(tensors_are_in_one_model_or_at_addresses_of_their_own) {
  static constexpr std::int64_t offsets[] = {0, 48};
  static constexpr plan::address addresses[] = {{base::states, 16}, {base::states + 3, 0}};
  constexpr plan::storage_layout one{offsets, offsets}, several{nullptr, nullptr, addresses, addresses, addresses};
  static_assert(one.parameter(1).base == base::parameters && one.parameter(1).offset == 48);
  static_assert(one.buffer(1).base == base::buffers && one.gradient(1).base == base::gradients);
  static_assert(several.parameter(1).base == base::states + 3 && several.buffer(0).offset == 16);
  static_assert(several.gradient(0).base == base::states);
}

BOOST_AUTO_TEST_CASE(sizes_are_rounded_to_whole_cache_lines) {
  static_assert(plan::rounded(0) == 0 && plan::rounded(1) == 16 && plan::rounded(16) == 16 && plan::rounded(17) == 32);
  static_assert(plan::rounded((std::int64_t{1} << 40) + 1) == (std::int64_t{1} << 40) + 16);
  static_assert(plan::alignment_elements * sizeof(float) == 64);
}
