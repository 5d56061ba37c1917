// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE data_sharded
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <espalier/data/prefetcher.hpp>
#include <espalier/data/sharded.hpp>
#include <espalier/up_to.hpp>

#include "support/numbered_samples.hpp"

namespace data = espalier::data;
using espalier::batch;
using test::numbered;

namespace {

/// The labels of the batches of an epoch.
std::vector<std::vector<int>> batches_of(auto& loader, std::int64_t epoch) {
  std::vector<std::vector<int>> r;
  for (auto const& b : loader.epoch(epoch)) {
    int count = loader.batch_size;
    if constexpr (requires { b.count; }) count = b.count;
    if constexpr (std::remove_cvref_t<decltype(loader)>::is_bounded) count = static_cast<int>(b.labels.samples());
    r.emplace_back(b.labels.data(), b.labels.data() + count);
    for (int i = 0; i < count; ++i) BOOST_TEST(b.images.data()[2 * i] == static_cast<float>(b.labels.data()[i]));
  }
  return r;
}
std::string error_of(auto make) {
  try {
    make();
  } catch (data::size_error const& error) {
    return error.what();
  }
  return {};
}
struct process {
  int of, all;
  int rank() const { return of; }
  int size() const { return all; }
};

}  // namespace

// N parts with batches of B have, batch by batch, the samples of one loader with batches of N B.
BOOST_AUTO_TEST_CASE(parts_of_each_batch) {
  numbered const samples{100};
  data::loader whole{samples.all(), batch<24, 2>{}, data::shuffled{7}, data::drop_last};
  for (std::int64_t epoch : {0, 3}) {
    auto const together = batches_of(whole, epoch);
    std::vector<std::vector<int>> joined(together.size());
    for (int k = 0; k < 3; ++k) {
      data::loader part{samples.all(), batch<8, 2>{}, data::sharded(data::shuffled{7}, process{k, 3}), data::drop_last};
      BOOST_TEST(part.batches() == 4);
      BOOST_TEST(part.samples_per_epoch() == 32);
      auto const own = batches_of(part, epoch);
      BOOST_TEST_REQUIRE(own.size() == joined.size());
      for (std::size_t i = 0; i < own.size(); ++i) joined[i].insert(joined[i].end(), own[i].begin(), own[i].end());
    }
    BOOST_TEST(joined == together);
  }
}

// Every sample is in exactly one part, whatever their number, and parts differ by at most one sample.
BOOST_AUTO_TEST_CASE(all_samples_once) {
  for (int count : {1, 5, 16, 17, 31, 47, 48, 61})
    for (int parts : {1, 2, 3, 5}) {
      numbered const samples{count};
      std::vector<int> seen, sizes;
      for (int k = 0; k < parts; ++k) {
        data::loader part{samples.all(), batch<4, 2>{}, data::sharded(data::shuffled{2}, k, parts), data::padded};
        std::vector<int> own;
        auto const all = batches_of(part, 1);
        BOOST_TEST(static_cast<std::int64_t>(all.size()) == part.batches());
        for (auto const& b : all) own.insert(own.end(), b.begin(), b.end());
        BOOST_TEST(static_cast<std::int64_t>(own.size()) == part.samples_per_epoch());
        sizes.push_back(static_cast<int>(own.size()));
        seen.insert(seen.end(), own.begin(), own.end());
      }
      std::sort(seen.begin(), seen.end());
      std::vector<int> expected;
      for (int i = 0; i < count; ++i) expected.push_back(i);
      BOOST_TEST(seen == expected);
      BOOST_TEST(*std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()) <= 1);
    }
}

BOOST_AUTO_TEST_CASE(short_last_batches) {
  numbered const samples{21};
  data::loader first{samples.all(), batch<espalier::up_to<8>, 2>{}, data::sharded(data::in_order{}, 0, 2),
                     data::short_last};
  data::loader second{samples.all(), batch<espalier::up_to<8>, 2>{}, data::sharded(data::in_order{}, 1, 2),
                      data::short_last};
  BOOST_TEST(batches_of(first, 0) == (std::vector<std::vector<int>>{{0, 1, 2, 3, 4, 5, 6, 7}, {16, 17, 18}}));
  BOOST_TEST(batches_of(second, 0) == (std::vector<std::vector<int>>{{8, 9, 10, 11, 12, 13, 14, 15}, {19, 20}}));
}

BOOST_AUTO_TEST_CASE(tails) {
  numbered const samples{22};
  data::loader part{samples.all(), batch<8, 2>{}, data::sharded(data::in_order{}, 1, 2), data::second_batch<3>};
  BOOST_TEST(batches_of(part, 0) == (std::vector<std::vector<int>>{{8, 9, 10, 11, 12, 13, 14, 15}}));
  auto const tail = part.tail();
  BOOST_TEST(std::vector<int>(tail.labels.data(), tail.labels.data() + 3) == (std::vector<int>{19, 20, 21}));
}

BOOST_AUTO_TEST_CASE(prefetched) {
  numbered const samples{21};
  data::loader direct{samples.all(), batch<4, 2>{}, data::sharded(data::shuffled{3}, 1, 2), data::padded};
  data::prefetcher ahead{
      data::loader{samples.all(), batch<4, 2>{}, data::sharded(data::shuffled{3}, 1, 2), data::padded}};
  auto const expected = batches_of(direct, 2);
  std::size_t i = 0;
  for (auto const& b : ahead.epoch(2)) {
    BOOST_TEST_REQUIRE(i < expected.size());
    BOOST_TEST(std::vector<int>(b.labels.data(), b.labels.data() + b.count) == expected[i++]);
  }
  BOOST_TEST(i == expected.size());
}

BOOST_AUTO_TEST_CASE(rejected) {
  numbered const samples{21};
  auto const with = [&](auto order, auto policy) {
    return error_of([&] { data::loader all{samples.all(), batch<8, 2>{}, order, policy}; });
  };
  BOOST_TEST(with(data::sharded(data::in_order{}, 2, 2), data::drop_last) ==
             "loader: sharded: expected a part from 0 to 1, got 2");
  BOOST_TEST(with(data::sharded(data::in_order{}, -1, 2), data::drop_last) ==
             "loader: sharded: expected a part from 0 to 1, got -1");
  BOOST_TEST(
      with(data::sharded(data::in_order{}, 0, 3), data::drop_last) ==
      "loader: expected samples for at least one batch of 8 in each of 3 parts (the last batch is dropped), got 21");
  BOOST_TEST(
      with(data::sharded(data::in_order{}, 0, 2), data::second_batch<2>) ==
      "loader: expected a remainder of 2 samples in each of 2 parts after batches of 8, for which second_batch was compiled, "
      "got 5 in all (21 samples)");
}
