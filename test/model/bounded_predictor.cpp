// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_bounded_predictor
#include <boost/test/unit_test.hpp>

#include <espalier/up_to.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor, esp::up_to, esp::view;

namespace {
using Net = nn::Sequential<nn::Flatten, nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.3>,
                           nn::Residual<nn::Linear<8, 8>>, nn::Linear<8, 4>>;
using batch = esp::batch<up_to<5>, 2, 3>;
using predictor_of_five = esp::predictor<esp::model<Net>, batch>;
static_assert(std::is_same_v<predictor_of_five::output_shape, shape<up_to<5>, 4>>);
static_assert(std::is_same_v<predictor_of_five::input_shape, batch> && predictor_of_five::max_samples == 5);
static_assert(predictor_of_five::workspace_bytes == esp::predictor<esp::model<Net>, batch::of<5>>::workspace_bytes);

/// Scores of each position of a sequence: three rows for each sample.
struct Positions {
  nn::Linear<2, 4> layer;
  ESPALIER_MODULE(Positions, layer)
  constexpr auto forward(auto x) const { return layer(esp::reshape<-1, 2>(x)); }
};
/// One number for all samples.
struct Mean {
  ESPALIER_MODULE(Mean)
  constexpr auto forward(auto x) const { return esp::mean(x * x); }
};

template <class E = esp::sample_count_error>
std::string message(auto&& f) {
  try {
    f();
  } catch (E const& e) {
    return e.what();
  }
  return "";
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(matches_a_predictor_of_each_number, T, decltype(std::tuple<float, double>{})) {
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  esp::predictor predict{model, batch{}};
  auto const images = numbers<T, shape<5, 2, 3>>(1);
  auto const check = [&]<int N>(std::integral_constant<int, N>) {
    esp::predictor fixed{model, esp::batch<N, 2, 3>{}};
    tensor<T, shape<N, 4>> expected;
    fixed(view<T const, shape<N, 2, 3>>(images.data()), expected);
    std::vector<T> scores(20, T(7));
    predict(view<T const, batch>{images.data(), N}, view<T, shape<up_to<5>, 4>>{scores.data(), N});
    for (int i = 0; i < 20; ++i)
      if (i < N * 4)
        BOOST_TEST(scores[static_cast<std::size_t>(i)] == expected[i], boost::test_tools::tolerance(T(1e-5)));
      else BOOST_TEST(scores[static_cast<std::size_t>(i)] == T(7));
  };
  check(std::integral_constant<int, 1>{});
  check(std::integral_constant<int, 2>{});
  check(std::integral_constant<int, 3>{});
  check(std::integral_constant<int, 4>{});
  check(std::integral_constant<int, 5>{});
}
BOOST_AUTO_TEST_CASE(tensors_and_ranges_have_their_number_of_samples) {
  esp::model<Net> model{esp::seed{1}};
  esp::predictor predict{model, batch{}};
  auto const images = numbers<float, shape<3, 2, 3>>(1);
  tensor<float, shape<3, 4>> scores;
  predict(images, scores);
  BOOST_TEST(esp::all_close(scores, model(images)));
  std::vector<float> const x(images.begin(), images.end());
  std::vector<float> y(12);
  predict(x, y);
  for (int i = 0; i < 12; ++i) BOOST_TEST(y[static_cast<std::size_t>(i)] == scores[i]);
}
BOOST_AUTO_TEST_CASE(another_number_of_samples_throws_before_anything_is_written) {
  esp::model<Net> model{esp::seed{1}};
  esp::predictor predict{model, batch{}};
  std::vector<float> x(36), y(24, 7.0f);
  BOOST_TEST(message([&] { predict(x, y); }) == "predictor(x, scores): x: expected 1 to 5 samples, got 6");
  x.resize(0);
  BOOST_TEST(message([&] { predict(x, y); }) == "predictor(x, scores): x: expected 1 to 5 samples, got 0");
  x.resize(13);
  BOOST_TEST(message([&] { predict(x, y); }) ==
             "predictor(x, scores): x: expected whole samples of 6 elements, got 13 elements");
  x.resize(12);
  y.resize(12);
  BOOST_TEST(message([&] { predict(x, y); }) == "predictor(x, scores): scores: expected 2 samples, got 3");
  for (float element : y) BOOST_TEST(element == 7.0f);
}
BOOST_AUTO_TEST_CASE(several_rows_for_each_sample) {
  esp::model<Positions> model{esp::seed{1}};
  esp::predictor predict{model, batch{}};
  static_assert(std::is_same_v<decltype(predict)::output_shape, shape<up_to<15>, 4>>);
  auto const images = numbers<float, shape<2, 2, 3>>(1);
  std::vector<float> scores(24);
  predict(images, scores);
  auto const expected = model(images);
  for (int i = 0; i < 24; ++i) BOOST_TEST(scores[static_cast<std::size_t>(i)] == expected[i]);
  scores.resize(20);
  BOOST_TEST(!message([&] { predict(images, scores); }).empty());
}
BOOST_AUTO_TEST_CASE(a_result_for_all_samples_has_its_own_shape) {
  esp::model<Mean, esp::cpu, double> model{esp::seed{1}};
  esp::predictor predict{model, batch{}};
  static_assert(std::is_same_v<decltype(predict)::output_shape, shape<>>);
  tensor<double, shape<>> score;
  auto const images = doubles<4, 2, 3>(1);
  predict(images, score);
  double sum = 0;
  for (double x : images) sum += x * x;
  BOOST_TEST(score[0] == sum / 24, boost::test_tools::tolerance(1e-14));
}
BOOST_AUTO_TEST_CASE(scores_may_overlap_x) {
  using Square = nn::Sequential<nn::Linear<4, 4>, nn::ReLU, nn::Linear<4, 4>>;
  esp::model<Square> model{esp::seed{1}};
  esp::predictor predict{model, esp::batch<up_to<5>, 4>{}};
  for (int offset : {0, 1, 4, 7}) {
    std::vector<float> memory(32);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 7) - 3;
    auto const x = memory;
    std::vector<float> expected(12);
    predict(std::vector<float>(x.begin(), x.begin() + 12), expected);
    using rows = esp::batch<up_to<5>, 4>;
    predict(view<float const, rows>{memory.data(), 3}, view<float, rows>{memory.data() + offset, 3});
    for (int i = 0; i < 32; ++i) {
      bool const written = i >= offset && i < offset + 12;
      BOOST_TEST(memory[static_cast<std::size_t>(i)] ==
                 (written ? expected[static_cast<std::size_t>(i - offset)] : x[static_cast<std::size_t>(i)]));
    }
  }
}
BOOST_AUTO_TEST_CASE(memory_of_the_user) {
  esp::model<Net> model{esp::seed{1}};
  alignas(64) static esp::bytes<predictor_of_five::bytes> storage;
  esp::predictor predict{model, batch{}, storage};
  auto const images = numbers<float, shape<3, 2, 3>>(1);
  tensor<float, shape<3, 4>> scores;
  predict(images, scores);
  BOOST_TEST(esp::all_close(scores, model(images)));
}
// A trace for 251 samples would exceed the elements of a shape.
struct Energy {
  ESPALIER_MODULE(Energy)
  constexpr auto forward(auto x) const { return sum<1>(x * x); }
};
BOOST_AUTO_TEST_CASE(large_samples) {
  constexpr int size = 9000000;
  esp::model<Energy> model;
  esp::predictor predict{model, esp::batch<up_to<3>, size>{}};
  std::vector<float> x(2 * size);
  for (std::size_t i = 0; i < x.size(); i += 1000) x[i] = i < size ? 1 : 2;
  std::vector<float> energy(2);
  predict(x, energy);
  BOOST_TEST((energy == std::vector<float>{9000, 36000}));
}
