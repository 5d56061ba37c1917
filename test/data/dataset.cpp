// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE data_dataset
#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <filesystem>
#include <string>
#include <vector>

#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
namespace io = espalier::io;
using espalier::shape;
using bytes = std::vector<unsigned char>;

namespace {

io::idx_array array(std::vector<std::uint32_t> const& extents, bytes const& elements, char const* name) {
  bytes content{0, 0, 8, static_cast<unsigned char>(extents.size())};
  for (std::uint32_t const extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8) content.push_back(static_cast<unsigned char>(extent >> shift));
  content.insert(content.end(), elements.begin(), elements.end());
  std::FILE* const file = std::fopen(name, "wb");
  for (unsigned char const byte : content) std::fputc(byte, file);
  std::fclose(file);
  io::idx_array made = io::read_idx(name);
  std::remove(name);
  return made;
}

bytes counting(int count) {
  bytes made;
  for (int i = 0; i < count; ++i) made.push_back(static_cast<unsigned char>(i));
  return made;
}

io::idx_array images(std::vector<std::uint32_t> const& extents) {
  int count = 1;
  for (std::uint32_t const extent : extents) count *= static_cast<int>(extent);
  return array(extents, counting(count), "data_dataset_images");
}
io::idx_array labels(bytes const& values) {
  return array({static_cast<std::uint32_t>(values.size())}, values, "data_dataset_labels");
}

template <class Shape>
std::string error_of(Shape, io::idx_array const& x, io::idx_array const& y, int classes = 10) {
  try {
    data::dataset<float, Shape> const made{x, y, {.classes = classes}};
  } catch (io::format_error const& error) {
    return error.what();
  }
  return {};
}

bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(holds_scaled_images_and_labels) {
  data::dataset<float, shape<2, 3>> const all{
      images({4, 2, 3}), labels({3, 1, 0, 2}), {.classes = 4, .scale = 1.0 / 16}};
  BOOST_TEST(all.size() == 4);
  for (int i = 0; i < 24; ++i) BOOST_TEST(all.image(i / 6)[i % 6] == static_cast<float>(i) / 16);
  BOOST_TEST(all.label(0) == 3);
  BOOST_TEST(all.label(3) == 2);
  data::dataset<double, shape<6>> const one{images({1, 6}), labels({0}), {.classes = 1, .scale = 1.0 / 255}};
  BOOST_TEST(one.image(0)[3] == 3 * (1.0 / 255));
}

BOOST_AUTO_TEST_CASE(extents_of_one_are_free) {
  BOOST_TEST(error_of(shape<1, 2, 3>{}, images({2, 2, 3}), labels({0, 1})) == "");
  BOOST_TEST(error_of(shape<2, 3, 1>{}, images({2, 2, 3}), labels({0, 1})) == "");
  BOOST_TEST(error_of(shape<2, 3>{}, images({2, 2, 1, 3}), labels({0, 1})) == "");
  BOOST_TEST(error_of(shape<1>{}, images({2}), labels({0, 1})) == "");
  BOOST_TEST(error_of(shape<1, 1>{}, images({2, 1}), labels({0, 1})) == "");
}

BOOST_AUTO_TEST_CASE(rejects_another_shape) {
  BOOST_TEST(error_of(shape<28, 28>{}, images({2, 8, 8}), labels({0, 1})) ==
             "data_dataset_images: expected samples of shape 28 x 28, for which the program was compiled, got 8 x 8");
  BOOST_TEST(has(error_of(shape<6>{}, images({2, 2, 3}), labels({0, 1})), "expected samples of shape 6, "));
  BOOST_TEST(has(error_of(shape<3, 2>{}, images({2, 2, 3}), labels({0, 1})), "got 2 x 3"));
  BOOST_TEST(has(error_of(shape<2>{}, images({2, 2, 3}), labels({0, 1})), "got 2 x 3"));
  BOOST_TEST(has(error_of(shape<2, 3, 4>{}, images({2, 2, 3}), labels({0, 1})), "got 2 x 3"));
  BOOST_TEST(has(error_of(shape<2, 3>{}, images({6}), labels({0, 1})), "got single numbers"));
}

BOOST_AUTO_TEST_CASE(rejects_mismatched_labels) {
  BOOST_TEST(error_of(shape<2, 3>{}, images({4, 2, 3}), labels({0, 1, 2})) ==
             "data_dataset_labels: expected 4 labels, as many as images in data_dataset_images, got 3");
  BOOST_TEST(error_of(shape<2, 3>{}, images({3, 2, 3}), labels({0, 9, 10})) ==
             "data_dataset_labels: expected labels from 0 to 9, got 10 at position 2");
  BOOST_TEST(has(error_of(shape<2, 3>{}, images({3, 2, 3}), labels({0, 4, 5}), 4),
                 "expected labels from 0 to 3, got 4 at position 1"));
  BOOST_TEST(has(error_of(shape<2, 3>{}, images({2, 2, 3}), images({2, 1})), "expected labels (rank 1), got rank 2"));
  BOOST_TEST(has(error_of(shape<2, 3>{}, images({0, 2, 3}), labels({})), "at least one sample"));
}

BOOST_AUTO_TEST_CASE(splits) {
  data::dataset<float, shape<2>> const all{images({5, 2}), labels({0, 1, 2, 3, 4}), {.classes = 5}};
  auto const [first, rest] = all.split(3);
  BOOST_TEST(first.size() == 3);
  BOOST_TEST(rest.size() == 2);
  BOOST_TEST(rest.label(0) == 3);
  BOOST_TEST(rest.image(1)[1] == 9);
  BOOST_TEST(all.split(0).rest.size() == 5);
  BOOST_TEST(all.split(5).rest.size() == 0);
  BOOST_CHECK_THROW((void)all.split(6), data::size_error);
  BOOST_CHECK_THROW((void)all.split(-1), data::size_error);
  BOOST_CHECK_THROW((void)rest.split(3), data::size_error);
}

BOOST_AUTO_TEST_CASE(arrays_in_memory) {
  std::vector<float> const inputs{1, 2, 3, 4, 5, 6};
  std::vector<std::int32_t> const kinds{0, 2, 1};
  std::vector<float> const heights{0.5f, 1.5f, 2.5f};
  espalier::span<float const> const x{inputs.data(), 6};
  data::dataset<float, shape<2>> const labelled{x, {kinds.data(), 3}, {.classes = 3, .scale = 0.5, .shift = 1}};
  BOOST_TEST(labelled.size() == 3);
  BOOST_TEST(labelled.image(2)[1] == 4);
  BOOST_TEST(labelled.label(1) == 2);
  data::dataset<float, shape<2>, shape<1>> const measured{x, {heights.data(), 3}, {}};
  BOOST_TEST(measured.size() == 3);
  BOOST_TEST(measured.target(1)[0] == 1.5f);
  BOOST_TEST(measured.all().split(2).rest.target(0)[0] == 2.5f);
}
BOOST_AUTO_TEST_CASE(rejects_mismatched_arrays) {
  auto const error_text = []<class Error>(Error*, std::vector<double> const& x,
                                          std::vector<std::int32_t> const& y) -> std::string {
    try {
      data::dataset<double, shape<2>> const set{{x.data(), static_cast<std::int64_t>(x.size())},
                                                {y.data(), static_cast<std::int64_t>(y.size())},
                                                {.classes = 3}};
    } catch (Error const& error) {
      return error.what();
    }
    return {};
  };
  constexpr data::size_error* size = nullptr;
  constexpr data::value_error* value = nullptr;
  double const none = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(error_text(size, {1, 2, 3}, {0}) ==
             "arrays: expected a multiple of 2 numbers, one sample's size, and at least one sample, got 3");
  BOOST_TEST(error_text(size, {}, {}) ==
             "arrays: expected a multiple of 2 numbers, one sample's size, and at least one sample, got 0");
  BOOST_TEST(error_text(size, {1, 2, 3, 4}, {0}) == "arrays: expected 2 labels or targets for 2 samples, got 1");
  BOOST_TEST(error_text(value, {1, 2, 3, 4}, {0, 3}) == "arrays: expected labels from 0 to 2, got 3 at position 1");
  BOOST_TEST(error_text(value, {1, 2, 3, 4}, {-1, 2}) == "arrays: expected labels from 0 to 2, got -1 at position 0");
  BOOST_TEST(error_text(value, {1, 2, 3, none}, {0, 2})
                 .find("arrays: expected finite numbers, got nan in the inputs of sample 1") == 0u);
  std::vector<double> const x{1, none};
  data::dataset<double, shape<2>, shape<1>> const loaded{{x.data(), 2}, {x.data() + 1, 1}, {.non_finite = true}};
  BOOST_TEST(loaded.size() == 1);
  BOOST_CHECK_THROW((data::dataset<double, shape<1>, shape<1>>{{x.data(), 1}, {x.data() + 1, 1}, {}}),
                    data::value_error);
}

BOOST_AUTO_TEST_CASE(the_digits_are_as_described) {
  std::string const folder = ESPALIER_DATA;
  data::dataset<float, shape<8, 8>> const digits{(folder + "/optdigits-images-idx3-ubyte").c_str(),
                                                 (folder + "/optdigits-labels-idx1-ubyte").c_str(),
                                                 {.classes = 10, .scale = 1.0 / 16}};
  BOOST_TEST(digits.size() == 1797);
  int counts[10] = {};
  float largest = 0;
  for (std::int64_t i = 0; i < digits.size(); ++i) {
    ++counts[digits.label(i)];
    for (float const pixel : digits.image(i)) largest = pixel > largest ? pixel : largest;
  }
  int const expected[10] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  for (int digit = 0; digit < 10; ++digit) BOOST_TEST(counts[digit] == expected[digit]);
  BOOST_TEST(largest == 1.0f);
}

namespace {
template <class F>
std::string error_of_call(F const& f) {
  try {
    f();
  } catch (io::error const& error) {
    return error.what();
  }
  return {};
}
}  // namespace

BOOST_AUTO_TEST_CASE(paths_may_be_arrays_of_characters) {
  char images[256] = ESPALIER_DATA "/optdigits-images-idx3-ubyte",
       labels[256] = ESPALIER_DATA "/optdigits-labels-idx1-ubyte";
  data::dataset<float, shape<8, 8>> const digits{images, labels, {.classes = 10}};
  BOOST_TEST(digits.size() == 1797);
}
BOOST_AUTO_TEST_CASE(paths_may_be_strings_and_paths) {
  std::string const images = ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                    labels = ESPALIER_DATA "/optdigits-labels-idx1-ubyte";
  data::dataset<float, shape<8, 8>> const digits{images, labels, {.classes = 10}};
  data::dataset<float, shape<8, 8>> const of_paths{std::filesystem::path{images}, labels.c_str(), {.classes = 10}};
  BOOST_TEST((digits.size() == 1797 && of_paths.size() == 1797));
}

BOOST_AUTO_TEST_CASE(copies_ranges) {
  std::vector<float> const flat{0, 0, 0, 1, 1, 0, 1, 1};
  std::vector<int> const labels{0, 1, 1, 0};
  data::dataset<float, shape<2>> const checked{flat, labels, {.classes = 2}}, deduced{flat, labels};
  BOOST_TEST((checked.size() == 4 && deduced.size() == 4 && checked.label(2) == 1 && deduced.image(1)[1] == 1));
  std::vector<std::array<float, 2>> const rows{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  data::dataset<float, shape<2>> const of_rows{rows, std::array<long, 4>{0, 1, 1, 0}, {.scale = 0.5}};
  BOOST_TEST((of_rows.image(3)[0] == 0.5f && of_rows.label(1) == 1));
  data::dataset<double, shape<1, 2>> const pixels{bytes{0, 255, 51, 0}, bytes{3, 9}, {.scale = 1.0 / 255}};
  BOOST_TEST((pixels.image(0)(0, 1) == 1 && pixels.image(1)[0] == 51 * (1.0 / 255) && pixels.label(1) == 9));
  data::dataset<float, shape<2>, shape<1>> const real{flat, std::vector<double>{1, 2, 3, 4.5}};
  BOOST_TEST(real.target(3)[0] == 4.5f);
  data::dataset<float, shape<2, 2>> const square{std::vector<std::array<std::array<float, 2>, 2>>(3),
                                                 std::vector<int>(3)};
  BOOST_TEST(square.size() == 3);
}

BOOST_AUTO_TEST_CASE(rejects_mismatched_ranges) {
  using set = data::dataset<float, shape<2>>;
  std::vector<float> const x{0, 0, 0, 1, 1, 0, 1, 1};
  std::vector<int> const y{0, 1, 1, 0};
  BOOST_TEST(error_of_call([&] {
               set{x, std::vector<int>{0, 1, 0}};
             }) == "arrays: expected 4 labels or targets for 4 samples, got 3");
  BOOST_TEST(error_of_call([&] {
               set{std::vector<float>(7), y};
             }) == "arrays: expected a multiple of 2 numbers, one sample's size, and at least one sample, got 7");
  BOOST_TEST(error_of_call([&] {
               set{x, std::vector<int>{0, 1, -1, 0}};
             }) == "arrays: expected labels from 0 to 2147483647, got -1 at position 2");
  BOOST_TEST(error_of_call([&] {
               set{x, std::vector<long>{0, 4294967296, 1, 0}};
             }) == "arrays: expected labels from 0 to 2147483647, got 4294967296 at position 1");
  BOOST_TEST(error_of_call([&] {
               set{x, y, {.classes = 1}};
             }) == "arrays: expected labels from 0 to 0, got 1 at position 1");
  BOOST_TEST(error_of_call([&] {
               set{x, y, {.classes = -1}};
             }) == "reading.classes: expected the number of classes, or 0 for as many as the labels have, got -1");
  BOOST_TEST(has(error_of_call([&] {
                   set{std::vector<double>(8, 1e300), y};
                 }),
                 "expected finite numbers, got inf in the inputs of sample 0"));
  BOOST_TEST(has(error_of_call([&] {
                   set{x, y, {.scale = 1e300}};
                 }),
                 "expected finite numbers, got inf in the inputs of sample 1"));
  using real = data::dataset<float, shape<2>, shape<1>>;
  BOOST_TEST(has(error_of_call([&] {
                   real{x, std::vector<double>{0, 1, 1e300, 0}};
                 }),
                 "expected finite numbers, got inf in the targets of sample 2"));
  BOOST_TEST(error_of_call([&] { set{std::vector<double>(8, 1e300), y, {.non_finite = true}}; }) == "");
}

BOOST_AUTO_TEST_CASE(bytes_become_finite_numbers) {
  for (double const wrong : {HUGE_VAL, std::nan(""), 1e300}) {
    using set = data::dataset<float, shape<6>>;
    BOOST_TEST(has(error_of_call([&] {
                     set{images({1, 6}), labels({0}), {.shift = wrong}};
                   }),
                   "reading: expected a scale and a shift that make finite numbers of bytes, got 1 and "));
  }
}

BOOST_AUTO_TEST_CASE(samples_refer_to_ranges) {
  std::vector<float> const x{0, 0, 0, 1, 1, 0, 1, 1};
  std::vector<std::int32_t> const y{0, 1, 1, 0};
  data::samples<float, shape<2>> const seen{x, y};
  BOOST_TEST((seen.images == x.data() && seen.labels == y.data() && seen.size() == 4));
  std::vector<std::array<float, 2>> const rows(4);
  data::samples<float, shape<2>, shape<2>> const of_rows{rows, x};
  BOOST_TEST((of_rows.images == rows[0].data() && of_rows.target(3)[1] == 1));
  BOOST_TEST(error_of_call([&] {
               data::samples<float, shape<3>>{x, y};
             }) == "arrays: expected a multiple of 3 numbers, one sample's size, and at least one sample, got 8");
}

BOOST_AUTO_TEST_CASE(files_determine_their_classes) {
  data::dataset<float, shape<2, 3>> const all{images({4, 2, 3}), labels({3, 1, 0, 2}), {}};
  BOOST_TEST(all.label(0) == 3);
  BOOST_TEST(error_of_call([] {
               data::dataset<float, shape<2, 3>>{images({1, 2, 3}), labels({3}), {.classes = 3}};
             }) == "data_dataset_labels: expected labels from 0 to 2, got 3 at position 0");
}
