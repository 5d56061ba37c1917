// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE data_loader
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <espalier/data/dataset.hpp>
#include <espalier/data/loader.hpp>

#include "support/allocation_counter.hpp"
#include "support/last_words.hpp"
#include "support/numbered_samples.hpp"

namespace data = espalier::data;
using espalier::batch;
using espalier::shape;
using test::numbered;

namespace {

void append(std::vector<int>& seen, auto const& images, auto const& labels, int count) {
  for (int i = 0; i < count; ++i) {
    BOOST_TEST(images(i, 0) == static_cast<float>(labels[i]));
    BOOST_TEST(images(i, 1) == static_cast<float>(-labels[i]));
    seen.push_back(labels[i]);
  }
}

std::vector<int> one_epoch(auto& loader, std::int64_t epoch) {
  std::vector<int> seen;
  for (auto const& [images, labels] : loader.epoch(epoch)) append(seen, images, labels, loader.batch_size);
  return seen;
}

std::vector<int> sorted(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<int> counting(int n) {
  std::vector<int> made;
  for (int i = 0; i < n; ++i) made.push_back(i);
  return made;
}

std::string error_of(auto make) {
  try {
    make();
  } catch (data::size_error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(in_order_keeps_the_order_of_the_samples) {
  numbered const ten{10};
  data::loader batches{ten.all(), batch<5, 2>{}, data::in_order{}, data::drop_last};
  BOOST_TEST(batches.batches() == 2);
  BOOST_TEST(batches.tail_count() == 0);
  BOOST_TEST(one_epoch(batches, 0) == counting(10), boost::test_tools::per_element());
  BOOST_TEST(one_epoch(batches, 7) == counting(10), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_shuffled_epoch_is_a_permutation_of_its_own) {
  numbered const hundred{100};
  data::loader batches{hundred.all(), batch<20, 2>{}, data::shuffled{3}, data::drop_last};
  std::vector<int> const first = one_epoch(batches, 0), second = one_epoch(batches, 1);
  BOOST_TEST(sorted(first) == counting(100), boost::test_tools::per_element());
  BOOST_TEST(sorted(second) == counting(100), boost::test_tools::per_element());
  BOOST_CHECK(first != counting(100));
  BOOST_CHECK(first != second);
  BOOST_CHECK(one_epoch(batches, 0) == first);  // whatever was asked for in between
  data::loader same{hundred.all(), batch<10, 2>{}, data::shuffled{3}, data::drop_last};
  BOOST_CHECK(one_epoch(same, 1) == second);  // whatever the batch size
  data::loader other{hundred.all(), batch<20, 2>{}, data::shuffled{4}, data::drop_last};
  BOOST_CHECK(one_epoch(other, 0) != first);
}

// 24 permutations of 4 samples, 24,000 epochs: a fair shuffle gives each 1,000 times; 5 standard deviations are 155.
BOOST_AUTO_TEST_CASE(every_permutation_is_as_likely) {
  numbered const four{4};
  data::loader batches{four.all(), batch<4, 2>{}, data::shuffled{11}, data::drop_last};
  std::vector<int> counts(256, 0);
  for (int epoch = 0; epoch < 24000; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch))
      ++counts[static_cast<std::size_t>(labels[0] * 64 + labels[1] * 16 + labels[2] * 4 + labels[3])];
  int kinds = 0;
  for (int const count : counts) {
    if (count == 0) continue;
    ++kinds;
    BOOST_TEST(count > 845);
    BOOST_TEST(count < 1155);
  }
  BOOST_TEST(kinds == 24);
}

BOOST_AUTO_TEST_CASE(drop_last_leaves_out_the_remainder) {
  numbered const eleven{11};
  data::loader batches{eleven.all(), batch<4, 2>{}, data::shuffled{0}, data::drop_last};
  BOOST_TEST(batches.batches() == 2);
  BOOST_TEST(batches.tail_count() == 3);
  BOOST_TEST(batches.samples_per_epoch() == 8);
  std::vector<int> const seen = sorted(one_epoch(batches, 0));
  BOOST_TEST(seen.size() == 8u);
  BOOST_CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

BOOST_AUTO_TEST_CASE(second_batch_yields_every_sample_once) {
  numbered const eleven{11};
  data::loader batches{eleven.all(), batch<4, 2>{}, data::shuffled{0}, data::second_batch<3>};
  static_assert(batches.tail_size == 3);
  BOOST_TEST(batches.tail_count() == 3);
  BOOST_TEST(batches.samples_per_epoch() == 11);
  for (int epoch = 0; epoch < 5; ++epoch) {
    std::vector<int> seen = one_epoch(batches, epoch);
    auto const& [images, labels] = batches.tail();
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(images)>, espalier::tensor<float, shape<3, 2>>>);
    append(seen, images, labels, 3);
    BOOST_TEST(sorted(seen) == counting(11), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(an_epoch_of_a_function_visits_every_sample) {
  for (int n : {3, 11}) {
    numbered const some{n};
    data::loader batches{some.all(), batch<4, 2>{}, data::shuffled{0}, data::second_batch<3>};
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::vector<int> seen;
      batches.epoch(epoch, [&]<class Images>(Images const& images, auto const& labels) {
        append(seen, images, labels, Images::shape_type::value.at[0]);
      });
      BOOST_TEST(sorted(seen) == counting(n), boost::test_tools::per_element());
    }
  }
  numbered const five{5};
  std::vector<int> counts;
  data::loader padded{five.all(), batch<4, 2>{}, data::in_order{}, data::padded};
  padded.epoch(0, [&](auto const&, auto const&, int count) { counts.push_back(count); });
  BOOST_TEST(counts == (std::vector<int>{4, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_epoch_without_its_tail_is_an_error) {
  numbered const eleven{11};
  auto const make = [&] { return data::loader{eleven.all(), batch<4, 2>{}, data::shuffled{0}, data::second_batch<3>}; };
  {
    auto batches = make();
    (void)one_epoch(batches, 0);
    BOOST_TEST(error_of([&] { (void)batches.epoch(1); }) ==
               "loader.epoch(k): the epoch before ended without its last 3 samples; call tail() behind the loop, or "
               "write epoch(k, f), which calls f for each batch");
    auto moved = std::move(batches);  // the error goes with the epoch
    (void)moved.tail();
    (void)moved.epoch(1);
  }
  {  // an epoch that was left before its end owes nothing
    auto batches = make();
    for ([[maybe_unused]] auto const& each : batches.epoch(0)) break;
    (void)batches.epoch(1);
  }
  BOOST_TEST(test::has(test::last_words([&] {
                         auto batches = make();
                         (void)one_epoch(batches, 0);
                       }),
                       "an epoch ended without its last N samples"));
}

BOOST_AUTO_TEST_CASE(padded_counts_the_real_samples) {
  for (int n : {1, 3, 4, 5, 8, 11}) {
    numbered const some{n};
    data::loader batches{some.all(), batch<4, 2>{}, data::in_order{}, data::padded};
    BOOST_TEST(batches.batches() == (n + 3) / 4);
    BOOST_TEST(batches.samples_per_epoch() == n);
    std::vector<int> seen;
    for (auto const& [images, labels, count] : batches.epoch(0)) {
      append(seen, images, labels, count);
      for (int i = count; i < 4; ++i) {
        BOOST_TEST(labels[i] == n - 1);
        BOOST_TEST(images(i, 0) == static_cast<float>(n - 1));
      }
    }
    BOOST_TEST(seen == counting(n), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_short_last_batch_has_the_number_of_its_samples) {
  using espalier::up_to, espalier::view;
  for (int n : {1, 3, 4, 5, 8, 11}) {
    numbered const some{n};
    data::loader batches{some.all(), batch<up_to<4>, 2>{}, data::shuffled{1}, data::short_last};
    static_assert(batches.batch_size == 4 && !batches.is_padded);
    BOOST_TEST(batches.batches() == (n + 3) / 4);
    BOOST_TEST(batches.samples_per_epoch() == n);
    BOOST_TEST(batches.tail_count() == n % 4);
    std::vector<int> seen;
    for (auto const& [images, labels] : batches.epoch(2)) {
      static_assert(std::is_same_v<decltype(images), view<float const, batch<up_to<4>, 2>> const>);
      static_assert(std::is_same_v<decltype(labels), view<std::int32_t const, batch<up_to<4>>> const>);
      BOOST_TEST(images.samples() == (static_cast<int>(seen.size()) + 4 <= n ? 4 : n % 4));
      BOOST_TEST(images.samples() == labels.samples());
      for (int i = 0; i < images.samples(); ++i) {
        BOOST_TEST(images.sample(i)[0] == static_cast<float>(labels[i]));
        seen.push_back(labels[i]);
      }
    }
    // The order is that of loaders of any batch.
    data::loader ones{some.all(), batch<1, 2>{}, data::shuffled{1}, data::drop_last};
    BOOST_TEST(seen == one_epoch(ones, 2), boost::test_tools::per_element());
  }
  numbered const eleven{11}, three{3};
  data::loader whole{eleven.all(), batch<up_to<4>, 2>{}, data::in_order{}, data::drop_last};
  BOOST_TEST(whole.samples_per_epoch() == 8);
  for (auto const& [images, labels] : whole.epoch(0)) BOOST_TEST(images.samples() == 4);
  BOOST_TEST(error_of([&] {
               data::loader{three.all(), batch<up_to<4>, 2>{}, data::in_order{}, data::drop_last};
             }) == "loader: expected samples for at least one batch of 4 (the last batch is dropped), got 3");
  std::vector<float> const inputs{0, 1, 2}, targets{0, 0, 10, -10, 20, -20};
  data::samples<float, shape<1>, shape<2>> const real{inputs.data(), targets.data(), 3};
  data::loader pairs{real, batch<up_to<2>, 1>{}, data::in_order{}, data::short_last};
  int count = 0;
  for (auto const& [images, values] : pairs.epoch(0)) {
    static_assert(std::is_same_v<decltype(values), view<float const, batch<up_to<2>, 2>> const>);
    for (int i = 0; i < images.samples(); ++i, ++count) BOOST_TEST(values.sample(i)[0] == 10 * images[i]);
  }
  BOOST_TEST(count == 3);
}

BOOST_AUTO_TEST_CASE(real_targets_come_in_batches_too) {
  std::vector<float> const inputs{0, 1, 2, 3, 4}, targets{0, 0, 10, -10, 20, -20, 30, -30, 40, -40};
  data::samples<float, shape<1>, shape<2>> const all{inputs.data(), targets.data(), 5};
  data::loader batches{all, batch<2, 1>{}, data::shuffled{1}, data::second_batch<1>};
  int seen = 0;
  auto const check = [&](auto const& images, auto const& loaded_targets, int count) {
    for (int i = 0; i < count; ++i, ++seen)
      for (int k = 0; k < 2; ++k) BOOST_TEST(loaded_targets(i, k) == (k == 0 ? 10 : -10) * images(i, 0));
  };
  for (auto const& [images, loaded_targets] : batches.epoch(0)) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(loaded_targets)>, espalier::tensor<float, shape<2, 2>>>);
    check(images, loaded_targets, 2);
  }
  auto const& [images, loaded_targets] = batches.tail();
  check(images, loaded_targets, 1);
  BOOST_TEST(seen == 5);
}

BOOST_AUTO_TEST_CASE(a_permutation_of_ones_own) {
  numbered const six{6};
  std::vector<int> const order{5, 0, 4, 2, 1, 3};
  data::loader batches{six.all(), batch<3, 2>{}, data::permutation{{order.data(), 6}}, data::drop_last};
  BOOST_TEST(one_epoch(batches, 0) == order, boost::test_tools::per_element());
  BOOST_TEST(one_epoch(batches, 1) == order, boost::test_tools::per_element());
  BOOST_CHECK(error_of([&] {
                data::loader{six.all(), batch<3, 2>{}, data::permutation{{order.data(), 5}}, data::drop_last};
              }) != "");
}

BOOST_AUTO_TEST_CASE(rejects_invalid_sizes) {
  numbered const none{0}, three{3}, eleven{11}, twelve{12};
  auto const load = [](numbered const& from, auto policy) {
    return [&from, policy] { data::loader{from.all(), batch<4, 2>{}, data::in_order{}, policy}; };
  };
  BOOST_TEST(error_of(load(none, data::drop_last)) == "loader: expected at least one sample, got 0");
  BOOST_TEST(error_of(load(none, data::padded)) == "loader: expected at least one sample, got 0");
  BOOST_TEST(error_of(load(three, data::drop_last)) ==
             "loader: expected samples for at least one batch of 4 (the last batch is dropped), got 3");
  BOOST_TEST(error_of(load(three, data::padded)) == "");
  BOOST_TEST(error_of(load(three, data::second_batch<3>)) == "");
  BOOST_TEST(
      error_of(load(eleven, data::second_batch<2>)) ==
      "loader: expected a remainder of 2 samples after batches of 4, for which second_batch was compiled, got 3 (11 samples)");
  BOOST_TEST(error_of(load(twelve, data::second_batch<3>)) != "");
}

BOOST_AUTO_TEST_CASE(an_epoch_allocates_nothing) {
  numbered const many{1001};
  data::loader training{many.all(), batch<32, 2>{}, data::shuffled{0}, data::second_batch<9>};
  data::loader testing{many.all(), batch<32, 2>{}, data::in_order{}, data::padded};
  data::loader shorter{many.all(), batch<espalier::up_to<32>, 2>{}, data::in_order{}, data::short_last};
  float sum = 0;
  long const before = espalier_test::allocations();
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto const& [images, labels] : training.epoch(epoch)) sum += images[0] + static_cast<float>(labels[0]);
    sum += training.tail().images[0];
    for (auto const& [images, labels, count] : testing.epoch(0)) sum += images[count] + static_cast<float>(labels[0]);
    for (auto const& [images, labels] : shorter.epoch(0)) sum += images[0] + static_cast<float>(labels[0]);
  }
  BOOST_TEST(espalier_test::allocations() == before);
  BOOST_TEST(sum > 0);
}

namespace {
using owner = data::dataset<float, shape<2>>;
std::unique_ptr<owner> twelve_samples() {
  numbered const n{12};
  return std::make_unique<owner>(n.images, n.labels);
}
}  // namespace

// The compiler would see through the end of a local data set, and warn.
BOOST_AUTO_TEST_CASE(a_data_set_that_ended) {
  char const* const words = "the data set (or tensor) of these samples, or of this loader, was destroyed";
  auto const of_split = test::last_words([] {
    auto all = twelve_samples();
    auto const [train, rest] = all->split(8);
    all.reset();
    (void)rest.image(0);
  });
  BOOST_TEST(test::has(of_split, words));
  auto const of_loader = test::last_words([] {
    auto all = twelve_samples();
    data::loader batches{all->split(8).rest, batch<2, 2>{}, data::in_order{}, data::drop_last};
    all.reset();
    (void)one_epoch(batches, 0);
  });
  BOOST_TEST(test::has(of_loader, words));
  auto const within_an_epoch = test::last_words([] {
    auto all = twelve_samples();
    data::loader batches{*all, batch<2, 2>{}, data::in_order{}, data::drop_last};
    for (auto const& [images, labels] : batches.epoch(0)) {
      (void)images;
      all.reset();
    }
  });
  BOOST_TEST(test::has(within_an_epoch, words));
  // A data set that was moved lives on, and memory that another one takes over is that one's.
  auto const moved = test::last_words([] {
    auto all = twelve_samples();
    data::loader batches{*all, batch<2, 2>{}, data::in_order{}, data::drop_last};
    owner const kept = std::move(*all);
    all.reset();
    if (one_epoch(batches, 0).size() != 12u) std::abort();
    auto again = twelve_samples();
    again.reset();
    again = twelve_samples();
    data::loader others{*again, batch<2, 2>{}, data::in_order{}, data::drop_last};
    if (one_epoch(others, 0).size() != 12u) std::abort();
  });
  BOOST_TEST(moved == "");
}
