// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_bounded_view
#include <boost/test/unit_test.hpp>

#include <array>
#include <string>
#include <vector>

#include <espalier/storage/bounded_view.hpp>

namespace esp = espalier;
using esp::shape, esp::up_to, esp::view;

using batch = esp::batch<up_to<4>, 2, 3>;
using samples = view<float const, batch>;
static_assert(std::is_trivially_copyable_v<samples> && std::is_same_v<samples::sample_type, shape<2, 3>>);
static_assert(std::is_convertible_v<view<float, batch>, samples> &&
              !std::is_convertible_v<samples, view<float, batch>>);
static_assert(!std::is_convertible_v<view<float, esp::batch<up_to<5>, 2, 3>>, samples>, "perhaps too many samples");
static_assert(!std::is_constructible_v<samples, float const*>, "a pointer says nothing about the number of samples");

constexpr float numbers[12]{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
constexpr samples two{numbers, 2};
static_assert(two.samples() == 2 && two.size() == 12 && two.max_samples == 4 && two[7] == 7);
static_assert(two.sample(1)(1, 2) == 11 && two.end() - two.begin() == 12);

namespace {
std::string message(auto&& f) {
  try {
    f();
  } catch (esp::sample_count_error const& e) {
    return e.what();
  }
  return "";
}
}  // namespace

BOOST_AUTO_TEST_CASE(tensors_and_ranges_determine_the_number_of_samples) {
  std::vector<float> elements(18);
  BOOST_TEST(samples(elements).samples() == 3);
  BOOST_TEST((view<float, batch>(elements).data() == elements.data()));
  esp::tensor<float, shape<4, 2, 3>> const tensor;
  BOOST_TEST(samples(tensor).samples() == 4);
  BOOST_TEST((samples(view<float, shape<1, 2, 3>>(elements.data())).samples() == 1));
}
BOOST_AUTO_TEST_CASE(another_number_of_samples_throws) {
  for (int count : {0, -1, 5})
    BOOST_TEST(message([&] { samples(numbers, count); }) ==
               "view(elements, count): expected 1 to 4 samples, got " + std::to_string(count));
  std::vector<float> elements(30);
  BOOST_TEST(message([&] { samples v{elements}; }) == "view(range): expected 1 to 4 samples, got 5");
  elements.resize(0);
  BOOST_TEST(message([&] { samples v{elements}; }) == "view(range): expected 1 to 4 samples, got 0");
  elements.resize(13);
  BOOST_TEST(message([&] { samples v{elements}; }) ==
             "view(range): expected whole samples of 6 elements, got 13 elements");
}
BOOST_AUTO_TEST_CASE(elements_are_written_through_the_view) {
  std::array<float, 12> elements{};
  view<float, batch> const v{elements};
  v[3] = 7;
  v.sample(1)(0, 0) = 5;
  BOOST_TEST((elements[3] == 7 && elements[6] == 5));
}
