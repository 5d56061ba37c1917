// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE data_transform
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/data/loader.hpp>

#include "support/numbers.hpp"

using namespace test;
namespace data = espalier::data;
using esp::shape, esp::tensor, esp::view;

namespace {

/// What a transform should do, written over (row, column, channel) whatever the layout.
template <class Layout, class T, int H, int W, int C>
auto image_of(auto at) {
  if constexpr (std::is_same_v<Layout, data::hwc>) {
    tensor<T, shape<H, W, C>> r;
    for (int i = 0; i < H; ++i)
      for (int j = 0; j < W; ++j)
        for (int k = 0; k < C; ++k) r(i, j, k) = at(i, j, k);
    return r;
  } else {
    tensor<T, shape<C, H, W>> r;
    for (int i = 0; i < H; ++i)
      for (int j = 0; j < W; ++j)
        for (int k = 0; k < C; ++k) r(k, i, j) = at(i, j, k);
    return r;
  }
}
constexpr auto pixel = [](int i, int j, int k) { return static_cast<float>(100 * i + 10 * j + k + 1); };

template <class Layout, int H, int W, int C>
void check_layout() {
  auto const x = image_of<Layout, float, H, W, C>(pixel);
  auto y = x;
  using Sample = typename decltype(y)::shape_type;
  using sample_view = view<float const, Sample>;
  data::random_flip_horizontal<Layout>::flip(sample_view{x}, view<float, Sample>{y}, true);
  BOOST_TEST((y == image_of<Layout, float, H, W, C>([](int i, int j, int k) { return pixel(i, W - 1 - j, k); })));
  data::random_flip_horizontal<Layout>::flip(sample_view{x}, view<float, Sample>{y}, false);
  BOOST_TEST((y == x));
  for (int down = -H - 1; down <= H + 1; ++down)
    for (int right = -W - 1; right <= W + 1; ++right) {
      y.fill(-1);
      data::random_crop<Layout, 6>::crop(sample_view{x}, view<float, Sample>{y}, down, right);
      auto const reference = image_of<Layout, float, H, W, C>([&](int i, int j, int k) {
        bool const inside = i + down >= 0 && i + down < H && j + right >= 0 && j + right < W;
        return inside ? pixel(i + down, j + right, k) : 0.0f;
      });
      BOOST_TEST((y == reference), down << ", " << right);
    }
}

/// All that a loader gives in an epoch, by label.
template <class Loader>
std::vector<std::vector<float>> by_label(Loader&& batches, std::int64_t epoch, int samples) {
  constexpr int batch_size = std::remove_cvref_t<Loader>::batch_size;
  std::vector<std::vector<float>> r(static_cast<std::size_t>(samples));
  for (auto const& [images, labels] : batches.epoch(epoch)) {
    constexpr std::int64_t size = std::remove_cvref_t<decltype(images)>::size() / batch_size;
    for (int i = 0; i < batch_size; ++i)
      r[static_cast<std::size_t>(labels[i])] =
          std::vector<float>(images.data() + i * size, images.data() + (i + 1) * size);
  }
  return r;
}

using Sample = shape<2, 3, 4>;
constexpr int samples = 24;
struct pictures {
  std::vector<float> images;
  std::vector<std::int32_t> labels;
  pictures() {
    for (int i = 0; i < samples * 24; ++i) images.push_back(static_cast<float>(i + 1));
    for (int i = 0; i < samples; ++i) labels.push_back(i);
  }
  data::samples<float, Sample> all() const { return {images.data(), labels.data(), samples}; }
  view<float const, Sample> image(int at) const { return all().image(at); }
};
using augmented = data::transforms<data::random_crop<data::chw, 2>, data::random_flip_horizontal<data::chw>>;

struct plus_one {
  template <class T, class S>
  static void apply(view<T const, S> from, view<T, S> to, data::random_generator&) noexcept {
    for (std::int64_t i = 0; i < S::size; ++i) to[i] = from[i] + 1;
  }
};
struct twice {
  template <class T, class S>
  static void apply(view<T const, S> from, view<T, S> to, data::random_generator&) noexcept {
    for (std::int64_t i = 0; i < S::size; ++i) to[i] = from[i] * 2;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(both_layouts) {
  check_layout<data::hwc, 3, 4, 2>();
  check_layout<data::chw, 3, 4, 2>();
  check_layout<data::hwc, 5, 1, 3>();
  check_layout<data::chw, 1, 7, 3>();
}
BOOST_AUTO_TEST_CASE(images_of_one_channel_need_no_axis_for_it) {
  tensor<float, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
  tensor<float, shape<2, 3>> y;
  data::random_flip_horizontal<data::hwc>::flip(view<float const, shape<2, 3>>{x}, view<float, shape<2, 3>>{y}, true);
  BOOST_TEST((y == tensor<float, shape<2, 3>>{{3, 2, 1}, {6, 5, 4}}));
  data::random_crop<data::chw, 1>::crop(view<float const, shape<2, 3>>{x}, view<float, shape<2, 3>>{y}, 1, -1);
  BOOST_TEST((y == tensor<float, shape<2, 3>>{{0, 4, 5}, {0, 0, 0}}));
}
BOOST_AUTO_TEST_CASE(a_number_below_p_flips) {
  using half = data::random_flip_horizontal<data::hwc, 0.5>;
  static_assert(half::flips(0.0) && half::flips(0.49) && !half::flips(0.5) && !half::flips(0.99));
  static_assert(!data::random_flip_horizontal<data::hwc, 0.0>::flips(0.0) &&
                data::random_flip_horizontal<data::hwc, 1.0>::flips(0.999999));
}
// Computed by another program from the description of `random_generator`.
BOOST_AUTO_TEST_CASE(random_numbers_are_what_their_description_says) {
  int const down[] = {-1, 1, 1, -4}, right[] = {-2, 2, -4, -3};
  double const first[] = {0.8834412654396147, 0.6594686543103307, 0.18667559209279716, 0.5011618358548731};
  double const second[] = {0.809369848575443, 0.8769216034561396, 0.10508326161652803, 0.48830432700924575};
  for (int sample = 0; sample < 4; ++sample) {
    BOOST_TEST(data::random_generator(1, 0, sample, 0).uniform() == first[sample]);
    data::random_generator crop{1, 2, sample, 0};
    BOOST_TEST(crop.integer(-4, 4) == down[sample]);
    BOOST_TEST(crop.integer(-4, 4) == right[sample]);
    BOOST_TEST(data::random_generator(1, 2, sample, 1).uniform() == second[sample]);
  }
}
BOOST_AUTO_TEST_CASE(random_numbers_are_evenly_spread) {
  int counts[9] = {};
  for (int sample = 0; sample < 900; ++sample) {
    data::random_generator random{7, 0, sample, 0};
    for (int i = 0; i < 100; ++i) ++counts[random.integer(-4, 4) + 4];
  }
  for (int const count : counts) BOOST_TEST(std::abs(count - 10000) < 500);  // five standard deviations
}
BOOST_AUTO_TEST_CASE(reproducible_whatever_the_batches_and_the_order) {
  pictures const some;
  data::loader shuffled{some.all(), esp::batch<8, 2, 3, 4>{}, data::shuffled{5}, data::drop_last, augmented{.seed = 9}};
  auto const first = by_label(shuffled, 3, samples);
  auto const other_epoch = by_label(shuffled, 4, samples);
  BOOST_CHECK(first != other_epoch);
  BOOST_CHECK(by_label(shuffled, 3, samples) == first);
  BOOST_CHECK(by_label(data::loader{some.all(), esp::batch<12, 2, 3, 4>{}, data::in_order{}, data::drop_last,
                                    augmented{.seed = 9}},
                       3, samples) == first);
  BOOST_CHECK(by_label(data::loader{some.all(), esp::batch<12, 2, 3, 4>{}, data::in_order{}, data::drop_last,
                                    augmented{.seed = 8}},
                       3, samples) != first);
}
BOOST_AUTO_TEST_CASE(each_sample_by_its_own_random_numbers) {
  pictures const some;
  data::loader batches{some.all(), esp::batch<6, 2, 3, 4>{}, data::shuffled{5}, data::drop_last, augmented{.seed = 9}};
  auto const loaded = by_label(batches, 2, samples);
  int flipped = 0;
  for (int at = 0; at < samples; ++at) {
    tensor<float, Sample> cropped, reference;
    data::random_generator crop{9, 2, at, 0}, flip{9, 2, at, 1};
    int const down = crop.integer(-2, 2), right = crop.integer(-2, 2);
    bool const mirrored = flip.uniform() < 0.5;
    flipped += mirrored;
    data::random_crop<data::chw, 2>::crop(some.image(at), view<float, Sample>{cropped}, down, right);
    data::random_flip_horizontal<data::chw>::flip(view<float const, Sample>{cropped}, view<float, Sample>{reference},
                                                  mirrored);
    BOOST_TEST(loaded[static_cast<std::size_t>(at)] == std::vector<float>(reference.begin(), reference.end()),
               boost::test_tools::per_element());
  }
  BOOST_TEST(flipped > 4);
  BOOST_TEST(flipped < 20);
}
BOOST_AUTO_TEST_CASE(transforms_of_ones_own_in_their_order) {
  pictures const some;
  auto const check = [&](auto transforms, auto f) {
    data::loader batches{some.all(), esp::batch<6, 2, 3, 4>{}, data::in_order{}, data::drop_last, transforms};
    auto const loaded = by_label(batches, 0, samples);
    for (int at = 0; at < samples; ++at)
      for (int i = 0; i < 24; ++i)
        BOOST_TEST(loaded[static_cast<std::size_t>(at)][static_cast<std::size_t>(i)] == f(some.image(at)[i]));
  };
  check(data::transforms<>{}, [](float x) { return x; });
  check(data::transforms<plus_one>{}, [](float x) { return x + 1; });
  check(data::transforms<plus_one, twice>{}, [](float x) { return (x + 1) * 2; });
  check(data::transforms<twice, plus_one, twice>{}, [](float x) { return (x * 2 + 1) * 2; });
  check(data::transforms<twice, plus_one, twice, twice>{}, [](float x) { return (x * 2 + 1) * 4; });
}
