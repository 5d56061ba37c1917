// SPDX-License-Identifier: BSL-1.0
// Batches that a thread prepares on the host, against those of the plain loader.
#define BOOST_TEST_MODULE data_prefetcher
#include <boost/test/unit_test.hpp>

#include <espalier/data/prefetcher.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/numbered_samples.hpp"

namespace data = espalier::data;
using espalier::batch;
using espalier::shape;
using test::numbered;

namespace {

/// Adds random numbers, and throws for sample number `Failing`.
template <int Failing>
struct noisy {
  template <class T, class Sample>
  static void apply(espalier::view<T const, Sample> from, espalier::view<T, Sample> to,
                    data::random_generator& random) {
    if (from[0] == static_cast<T>(Failing)) throw std::runtime_error{"sample"};
    for (int i = 0; i < Sample::size; ++i) to[i] = from[i] + static_cast<T>(random.uniform());
  }
};
template <int Failing = -1>
using noise = data::transforms<noisy<Failing>, noisy<-1000>>;

auto both(auto const& make, auto const& compare, std::vector<std::int64_t> const& epochs = {0, 1, 7, 1}) {
  for (int ahead : {1, 2, 7}) {
    auto plain = make();
    data::prefetcher batches{make(), espalier::cpu{}, ahead};
    BOOST_TEST(batches.batches() == plain.batches());
    BOOST_TEST(batches.tail_count() == plain.tail_count());
    BOOST_TEST(batches.samples_per_epoch() == plain.samples_per_epoch());
    for (std::int64_t epoch : epochs) {
      auto expected = plain.epoch(epoch);
      auto from = expected.begin();
      std::int64_t count = 0;
      for (auto const& made : batches.epoch(epoch)) {
        compare(made, *from);
        ++from;
        ++count;
      }
      BOOST_TEST(count == plain.batches());
    }
  }
}
std::string error_of(auto f) {
  try {
    f();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_batches_are_those_of_the_loader) {
  numbered const some{50};
  for (data::order order : {data::order{data::in_order{}}, data::order{data::shuffled{3}}})
    both(
        [&] {
          return data::loader{some.all(), batch<4, 2>{}, order, data::drop_last, noise<>{.seed = 1}};
        },
        [](auto const& a, auto const& b) {
          BOOST_TEST((a.images == b.images));
          BOOST_TEST((a.labels == b.labels));
        });
}
BOOST_AUTO_TEST_CASE(padded_batches) {
  for (int n : {1, 4, 9, 12}) {
    numbered const some{n};
    both(
        [&] {
          return data::loader{some.all(), batch<4, 2>{}, data::shuffled{3}, data::padded};
        },
        [](auto const& a, auto const& b) {
          BOOST_TEST(a.count == b.count);
          BOOST_TEST((a.images == b.images));
          BOOST_TEST((a.labels == b.labels));
          static_assert(requires { typename std::remove_cvref_t<decltype(a.images)>::is_padded_batch; });
        });
  }
}
BOOST_AUTO_TEST_CASE(batches_of_up_to_n_samples) {
  numbered const some{11};
  both(
      [&] {
        return data::loader{some.all(), batch<espalier::up_to<4>, 2>{}, data::shuffled{3}, data::short_last};
      },
      [](auto const& a, auto const& b) {
        BOOST_TEST(a.images.samples() == b.images.samples());
        for (int i = 0; i < 2 * b.images.samples(); ++i) BOOST_TEST(a.images.data()[i] == b.images.data()[i]);
        for (int i = 0; i < b.images.samples(); ++i) BOOST_TEST(a.labels.data()[i] == b.labels.data()[i]);
      });
}
BOOST_AUTO_TEST_CASE(real_targets) {
  numbered const some{12};
  std::vector<float> targets(36);
  for (int i = 0; i < 36; ++i) targets[static_cast<std::size_t>(i)] = 0.5f * static_cast<float>(i);
  data::samples<float, shape<2>, shape<3>> const all{some.images.data(), targets.data(), 12};
  both(
      [&] {
        return data::loader{all, batch<5, 2>{}, data::shuffled{3}, data::drop_last};
      },
      [](auto const& a, auto const& b) {
        BOOST_TEST((a.images == b.images));
        BOOST_TEST((a.labels == b.labels));
      });
}
BOOST_AUTO_TEST_CASE(the_second_batch) {
  for (int n : {3, 11}) {
    numbered const some{n};
    auto const make = [&] { return data::loader{some.all(), batch<4, 2>{}, data::shuffled{3}, data::second_batch<3>}; };
    auto plain = make();
    data::prefetcher batches{make(), espalier::cpu{}, 1};
    for (int taken : {2, 2, 0, 1}) {  // tail() passes over what is left of an epoch
      for (auto const& each : plain.epoch(taken)) (void)each;
      auto const& [images, labels] = plain.tail();
      int count = 0;
      auto epoch = batches.epoch(taken);
      if (taken > 0)
        for (auto const& each : epoch) {
          (void)each;
          if (++count == taken) break;
        }
      for (int time = 0; time < 2; ++time) {
        auto const [ahead, ahead_labels] = batches.tail();
        BOOST_TEST((ahead == images));
        BOOST_TEST((ahead_labels == labels));
      }
    }
  }
}
BOOST_AUTO_TEST_CASE(an_epoch_of_a_function_visits_every_sample) {
  for (int n : {3, 11}) {
    numbered const some{n};
    data::prefetcher batches{data::loader{some.all(), batch<4, 2>{}, data::in_order{}, data::second_batch<3>}};
    int samples = 0;
    batches.epoch(0, [&]<class Images>(Images const&, auto const&) { samples += Images::shape_type::value.at[0]; });
    BOOST_TEST(samples == n);
    for ([[maybe_unused]] auto const& each : batches.epoch(1)) samples = 0;
    BOOST_TEST(
        error_of([&] { (void)batches.epoch(2); }) ==
        "prefetcher.epoch(k): the epoch before ended without its last 3 samples; call tail() behind the loop, or "
        "write epoch(k, f), which calls f for each batch");
    (void)batches.tail();
  }
}
BOOST_AUTO_TEST_CASE(an_epoch_may_be_left) {
  numbered const some{400};
  for (int ahead : {1, 7})
    for (int left_after : {0, 1, 5, 50}) {
      data::prefetcher batches{data::loader{some.all(), batch<4, 2>{}, data::in_order{}, data::drop_last},
                               espalier::cpu{}, ahead};
      for (int epoch = 0; epoch < 3; ++epoch) {
        int seen = 0;
        for (auto const& [images, labels] : batches.epoch(epoch)) {
          BOOST_TEST(labels[0] == 4 * seen);
          if (seen++ == left_after) break;
        }
      }
      (void)batches.epoch(3);
    }
}
BOOST_AUTO_TEST_CASE(what_a_transform_throws_comes_from_the_loop) {
  numbered const some{40};
  auto const make = [&] {
    return data::loader{some.all(), batch<4, 2>{}, data::in_order{}, data::drop_last, noise<13>{.seed = 1}};
  };
  auto plain = make();
  data::prefetcher ahead{make(), espalier::cpu{}, 7};
  auto const run = [](auto& batches) {
    int seen = 0;
    std::string const text = error_of([&] {
      for (auto const& each : batches.epoch(0)) {
        BOOST_TEST(each.labels[0] == 4 * seen);
        ++seen;
      }
    });
    return text + " after " + std::to_string(seen);
  };
  for (int time = 0; time < 2; ++time) {
    BOOST_TEST(run(plain) == "sample after 3");
    BOOST_TEST(run(ahead) == "sample after 3");
  }
}
BOOST_AUTO_TEST_CASE(wrong_uses_are_reported) {
  numbered const some{40};
  auto const make = [&] { return data::loader{some.all(), batch<4, 2>{}, data::in_order{}, data::drop_last}; };
  for (int ahead : {-1, 0, 8})
    BOOST_TEST(error_of([&] {
                 data::prefetcher batches{make(), espalier::cpu{}, ahead};
               }) == "prefetcher{loader, device, ahead}: expected 1 to 7 batches ahead, got " + std::to_string(ahead));
  data::prefetcher batches{make()};
  auto first = batches.epoch(0);
  auto at = first.begin();
  std::string const passed =
      "prefetcher: expected an iterator of the latest epoch, at its present batch, got one of a batch that has passed";
  BOOST_TEST(error_of([&] { (void)first.begin(); }) == passed);
  auto const old = at;
  ++at;
  BOOST_TEST(error_of([&] { (void)*old; }) == passed);
  BOOST_TEST((*at).labels[0] == 4);
  (void)batches.epoch(1);
  BOOST_TEST(error_of([&] { (void)*at; }) == passed);
  BOOST_TEST(error_of([&] { ++at; }) == passed);
  data::prefetcher tails{data::loader{some.all(), batch<12, 2>{}, data::in_order{}, data::second_batch<4>}};
  BOOST_TEST(error_of([&] { (void)tails.tail(); }) ==
             "prefetcher.tail(): expected a call after epoch(k), which begins an epoch, got none");
}
