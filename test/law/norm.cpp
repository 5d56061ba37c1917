// SPDX-License-Identifier: BSL-1.0
// What normalisation promises: rows do not know of each other in LayerNorm, a batch is centred and scaled in BatchNorm,
// evaluation is a fixed map.
#define BOOST_TEST_MODULE law_norm
#include <espalier.hpp>

#include "support/numbers.hpp"

using namespace test;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {
template <class Model>
void randomize_parameters(Model& model) {
  std::uint64_t seed = 10;
  model.for_each_parameter([&](auto const&, esp::extents const&, auto span) {
    auto const random_values = doubles<64>(++seed, 0.5, 1.5);
    for (int i = 0; i < static_cast<int>(span.size()); ++i)
      span[i] = static_cast<std::remove_cvref_t<decltype(span[i])>>(random_values[i]);
  });
}
}  // namespace

BOOST_AUTO_TEST_CASE(layer_norm_of_one_row_is_that_row_in_any_batch) {
  esp::model<nn::LayerNorm1d<33>> model{esp::seed{1}};
  randomize_parameters(model);
  auto const batch = floats<8, 33>(1);
  auto const whole = model(batch);
  for (int i = 0; i < 8; ++i) {
    esp::tensor<float, esp::shape<1, 33>> row;
    for (int k = 0; k < 33; ++k) row(0, k) = batch(i, k);
    auto const alone = model(row);
    for (int k = 0; k < 33; ++k) BOOST_TEST(alone(0, k) == whole(i, k), boost::test_tools::tolerance(1e-6f));
  }
}

BOOST_AUTO_TEST_CASE(layer_norm_forgets_offset_and_scale_of_a_row) {
  auto const x = doubles<5, 17>(1);
  esp::tensor<double, esp::shape<5, 17>> const y = normalize<1>(x, 0), shifted = normalize<1>(x + 7, 0),
                                               scaled = normalize<1>(x * 3, 0);
  check_close("shifted", shifted, y, 1e-12);
  check_close("scaled", scaled, y, 1e-12);
  esp::tensor<double, esp::shape<5>> const means = mean<1>(y), squares = mean<1>(y * y);
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(std::fabs(means[i]) < 1e-14);
    BOOST_TEST(squares[i] == 1, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(batch_norm_training_and_evaluation) {
  using Net = nn::BatchNorm1d<5>;
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  auto const x = doubles<16, 5>(1, -1, 3);
  // At the start evaluation is the identity but for eps.
  esp::tensor<double, esp::shape<16, 5>> const nearly = x / std::sqrt(1 + 1e-5);
  check_close("identity", model(x), nearly, 1e-12);

  // In training the batch is normalised, whatever the running statistics say.
  esp::tensor<double, esp::shape<16, 5>> const target{};
  auto const run = esp::value_and_grad(model, nn::MeanSquaredError{});
  double const loss = run(x, target).loss;
  esp::tensor<double, esp::shape<16, 5>> const normal = normalize<0>(x, 1e-5);
  esp::tensor<double, esp::shape<>> const expected = mean(normal * normal);
  BOOST_TEST(loss == expected[0], boost::test_tools::tolerance(1e-12));

  // The running statistics moved by the momentum, once.
  esp::tensor<double, esp::shape<5>> const means = mean<0>(x), variances = mean<0>((x - mean<0>(x)) * (x - mean<0>(x)));
  for (int k = 0; k < 5; ++k) {
    BOOST_TEST(model.buffer("running_mean").span()[k] == 0.1 * means[k], boost::test_tools::tolerance(1e-12));
    BOOST_TEST(model.buffer("running_var").span()[k] == 0.9 + 0.1 * variances[k], boost::test_tools::tolerance(1e-12));
  }
  // Fed with one batch again and again they become its statistics.
  for (int i = 0; i < 400; ++i) (void)run(x, target);
  for (int k = 0; k < 5; ++k)
    BOOST_TEST(model.buffer("running_mean").span()[k] == means[k], boost::test_tools::tolerance(1e-10));
  check_close("evaluation is then as training", model(x), normal, 1e-9);

  // Evaluation treats each row alone and changes no statistics.
  auto const whole = model(x);
  esp::tensor<double, esp::shape<1, 5>> row;
  for (int k = 0; k < 5; ++k) row[k] = x(3, k);
  auto const alone = model(row);
  for (int k = 0; k < 5; ++k) BOOST_TEST(alone[k] == whole(3, k), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(batch_norm_forgets_offset_and_scale_of_a_feature) {
  auto const x = doubles<16, 5>(1);
  auto const scale = doubles<5>(2, 0.5, 2), offset = doubles<5>(3);
  esp::tensor<double, esp::shape<16, 5>> const y = normalize<0>(x, 0), moved = normalize<0>(x * scale + offset, 0);
  check_close("moved", moved, y, 1e-11);
}

BOOST_AUTO_TEST_CASE(unbiased_statistics) {
  constexpr nn::norm options{.variance = nn::unbiased};
  esp::model<nn::BatchNorm1d<3, options>, esp::cpu, double> model{esp::seed{1}};
  auto const x = doubles<4, 3>(1);
  esp::tensor<double, esp::shape<4, 3>> const target{};
  (void)esp::value_and_grad(model, nn::MeanSquaredError{})(x, target);
  esp::tensor<double, esp::shape<3>> const variances = mean<0>((x - mean<0>(x)) * (x - mean<0>(x)));
  for (int k = 0; k < 3; ++k)
    BOOST_TEST(model.buffer("running_var").span()[k] == 0.9 + 0.1 * variances[k] * 4 / 3,
               boost::test_tools::tolerance(1e-12));
}
