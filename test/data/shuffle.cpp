// SPDX-License-Identifier: BSL-1.0
// The order of an epoch, element by element: it may never change. The numbers were computed from the description, by
// another program.
#define BOOST_TEST_MODULE data_shuffle
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include <espalier/data/shuffle.hpp>

namespace data = espalier::data;
namespace io = espalier::io;
using positions = std::vector<std::int32_t>;

namespace {

positions order_of(std::int64_t n, data::order requested, std::int64_t epoch) {
  io::owned<std::int32_t> order{n};
  data::detail::begin_order(order, requested);
  data::detail::arrange(order, requested, epoch);
  return {order.data(), order.data() + n};
}
std::string error_of(positions const& listed, std::int64_t n) {
  try {
    order_of(n, data::permutation{{listed.data(), static_cast<std::int64_t>(listed.size())}}, 0);
  } catch (data::size_error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(small_permutations) {
  BOOST_TEST(order_of(10, data::shuffled{0}, 0) == (positions{6, 4, 2, 0, 1, 3, 9, 7, 8, 5}),
             boost::test_tools::per_element());
  BOOST_TEST(order_of(10, data::shuffled{0}, 1) == (positions{4, 6, 7, 8, 2, 1, 0, 3, 5, 9}),
             boost::test_tools::per_element());
  BOOST_TEST(order_of(10, data::shuffled{3}, 0) == (positions{3, 1, 6, 0, 4, 2, 5, 7, 9, 8}),
             boost::test_tools::per_element());
  BOOST_TEST(order_of(1, data::shuffled{3}, 5) == positions{0}, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(all_bits_of_seed_and_epoch_count) {
  auto const order = order_of(16, data::shuffled{0x123456789abcdef0u}, (std::int64_t{1} << 33) + 5);
  BOOST_TEST(order == (positions{1, 13, 8, 11, 9, 6, 0, 5, 15, 14, 12, 2, 7, 4, 10, 3}),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_large_permutation) {
  auto const order = order_of(60000, data::shuffled{42}, 7);
  positions const first{42580, 27483, 3682, 46111, 13780}, last{29305, 55994, 39259, 7664, 44591};
  BOOST_TEST(positions(order.begin(), order.begin() + 5) == first, boost::test_tools::per_element());
  BOOST_TEST(positions(order.end() - 5, order.end()) == last, boost::test_tools::per_element());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) sum += static_cast<std::int64_t>(i + 1) * order[i];
  BOOST_TEST(sum % 1000003 == 266111);
}
BOOST_AUTO_TEST_CASE(a_permutation_of_ones_own) {
  positions const mine{3, 0, 2, 1};
  for (int epoch = 0; epoch < 3; ++epoch)
    BOOST_TEST(order_of(4, data::permutation{{mine.data(), 4}}, epoch) == mine, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(rejects_invalid_permutations) {
  BOOST_TEST(error_of({1, 0, 2}, 3) == "");
  BOOST_TEST(error_of({1, 0}, 3) == "loader: expected a permutation of 3 samples, got 2 positions");
  BOOST_TEST(error_of({1, 0, 3}, 3) == "loader: expected positions from 0 to 2, got 3 at position 2");
  BOOST_TEST(error_of({1, -1, 2}, 3) == "loader: expected positions from 0 to 2, got -1 at position 1");
  BOOST_TEST(error_of({1, 0, 1}, 3) == "loader: expected each position once, got 1 at positions 0 and 2");
}
