// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_bounded_nets
#include <boost/test/unit_test.hpp>

#include <span>

#include "support/bounded_training.hpp"

using namespace test;

// Nets of all kinds of layers: training and evaluation with up to 24 samples equal those of a number of samples. Each
// number costs a trainer of its own, so one sample is tried with three nets, all samples with one. Half of the nets are
// tried by a longer run only, which leaves the other half to shorter ones.
namespace {

struct Attention {
  nn::Linear<16, 16> queries, keys, values;
  ESPALIER_MODULE(Attention, queries, keys, values)
  constexpr auto forward(auto x) const {
    auto const weights = esp::softmax<-1>(matmul(queries(x), esp::transpose<-1, -2>(keys(x))) * 0.25);
    return x + matmul(weights, values(x));
  }
};
struct Halves {
  nn::Linear<4, 4> layer;
  ESPALIER_MODULE(Halves, layer)
  constexpr auto forward(auto x) const {
    return esp::concatenate<1>(layer(esp::slice<1, 4, 8>(x)), esp::flip<1>(esp::slice<1, 0, 4>(x)));
  }
};
using Convolutions = nn::Sequential<nn::ConvBN<3, 8, 3>, nn::Conv<8, 16, 3, nn::conv{.stride = 2}>, nn::ReLU,
                                    nn::MaxPool2d<2>, nn::Flatten, nn::Linear<64, 5>>;
using Depthwise = nn::Sequential<nn::Conv<4, 12, 3, nn::conv{.groups = 4}>, nn::ReLU,
                                 nn::Conv<12, 12, 3, nn::conv{.stride = 2, .groups = 12}>, nn::SiLU,
                                 nn::GlobalAvgPool<>, nn::Linear<12, 5>>;
// Groups of several channels: as many results as channels, more results, few channels, and kernels of one tap. In the
// second net, kernels of one tap have steps, and groups no power of two.
using Grouped = nn::Sequential<nn::Conv<4, 8, 3, nn::conv{.groups = 2}>, nn::BatchNorm2d<8>, nn::ReLU,
                               nn::Conv<8, 8, 3, nn::conv{.stride = 2, .groups = 2}>, nn::SiLU,
                               nn::Conv<8, 32, 1, nn::conv{.groups = 2}>, nn::ReLU,
                               nn::Conv<32, 32, 1, nn::conv{.groups = 8}>, nn::GlobalAvgPool<>, nn::Linear<32, 5>>;
using OddGroups =
    nn::Sequential<nn::Conv<6, 6, 3, nn::conv{.groups = 2}>, nn::ReLU, nn::Conv<6, 12, 1, nn::conv{.groups = 2}>,
                   nn::ReLU, nn::Conv<12, 9, 3, nn::conv{.groups = 3}>, nn::GlobalAvgPool<>, nn::Linear<9, 5>>;
// The last images are smaller than their kernels.
using Shrinking = nn::Sequential<nn::Conv<3, 8, 3, nn::conv{.stride = 2}>, nn::ReLU,
                                 nn::Conv<8, 8, 3, nn::conv{.stride = 2}>, nn::ReLU, nn::Conv<8, 8, 3>, nn::ReLU,
                                 nn::Conv<8, 8, 5, nn::conv{.groups = 8}>, nn::Flatten, nn::Linear<8, 5>>;
using Normalized = nn::Sequential<nn::Conv<4, 8, 3>, nn::GroupNorm<2, 8>, nn::SiLU, nn::AvgPool2d<2>,
                                  nn::GlobalAvgPool<>, nn::Linear<8, 5>>;
using Sequences = nn::Sequential<Attention, nn::LayerNorm1d<16>, nn::Flatten, nn::Linear<64, 5>>;
using Blocks = nn::Sequential<nn::MultiheadAttention<4, 2>, nn::Flatten, nn::Linear<70 * 4, 5>>;
using Moves =
    nn::Sequential<Halves, nn::GELU, nn::Residual<nn::Sequential<nn::RMSNorm<esp::shape<8>>, nn::Linear<8, 8>>>,
                   nn::Linear<8, 5>>;
// Every extent of the net is the largest number of samples.
using EqualExtents = nn::Sequential<nn::Linear<24, 24>, nn::Tanh, nn::Linear<24, 24>, nn::BatchNorm1d<24>,
                                    nn::Dropout<0.5>, nn::Linear<24, 24>>;
/// Reads integers, as one-hot rows.
struct Letters {
  nn::Linear<7, 5> layer;
  ESPALIER_MODULE(Letters, layer)
  using input_element = std::int32_t;
  constexpr auto forward(auto x) const { return esp::mean<1>(layer(esp::one_hot<7>(x))); }
};
using Regression = nn::Sequential<nn::Linear<6, 20>, nn::Softplus, nn::Linear<20, 3>>;

}  // namespace

#if !defined(ESPALIER_TEST_ALL) || ESPALIER_IS_DRAFT
BOOST_AUTO_TEST_CASE(convolutions_and_pooling) {
  BOOST_TEST((training_case<Convolutions, nn::SoftmaxLoss, 5, 3, 8, 8>::compare<1, 10>()) < 1e-9);
}
BOOST_AUTO_TEST_CASE(groups_of_channels) {
  BOOST_TEST((training_case<Grouped, nn::SoftmaxLoss, 5, 4, 8, 8>::compare<1, 7>()) < 1e-9);
}
BOOST_AUTO_TEST_CASE(products_of_each_sample) {
  BOOST_TEST((training_case<Sequences, nn::SoftmaxLoss, 5, 4, 16>::compare<9>()) < 1e-11);
}
// More queries than a block of attention: loops over all heads of all samples would differ with their number.
BOOST_AUTO_TEST_CASE(extents_that_equal_the_number_of_samples) {
  BOOST_TEST((training_case<EqualExtents, nn::SoftmaxLoss, 24, 24>::compare<13, 24>()) < 1e-9);
}
BOOST_AUTO_TEST_CASE(inputs_of_integers) {
  using net = nn::Sequential<Letters, nn::Tanh, nn::Linear<5, 3>>;
  esp::model<net, esp::cpu, double> own{esp::seed{4}};
  auto other = own.clone();
  std::vector<std::int32_t> x, y;
  for (int i = 0; i < 9 * 4; ++i) x.push_back(i * i % 7);
  for (int i = 0; i < 9; ++i) y.push_back(i % 3);
  esp::trainer bounded{own, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<esp::up_to<24>, 4>{}};
  esp::trainer fixed{other, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1}, esp::batch<9, 4>{}};
  using integers = training_case<net, nn::SoftmaxLoss, 3, 4>;
  BOOST_TEST(std::fabs(bounded.step(x, y) - fixed.step(x, y)) < 1e-12);
  BOOST_TEST(integers::difference(own.parameters(), other.parameters()) < 1e-12);
  BOOST_TEST(std::fabs(bounded.evaluate(x, y).loss - fixed.evaluate(x, y).loss) < 1e-12);
  esp::predictor predict{own, esp::batch<esp::up_to<24>, 4>{}};
  esp::predictor predict_nine{other, esp::batch<9, 4>{}};
  std::vector<double> scores(9 * 3), expected(9 * 3);
  predict(x, scores);
  predict_nine(x, expected);
  BOOST_TEST(integers::difference(std::span(scores), std::span(expected)) < 1e-12);
}
BOOST_AUTO_TEST_CASE(losses_of_numbers) {
  BOOST_TEST((training_case<Regression, nn::MeanSquaredError, 3, 6>::compare<5>()) < 1e-11);
}
#else
BOOST_AUTO_TEST_CASE(images_smaller_than_kernels) {
  BOOST_TEST((training_case<Shrinking, nn::SoftmaxLoss, 5, 3, 4, 4>::compare<7>()) < 1e-10);
}
BOOST_AUTO_TEST_CASE(convolutions_of_each_channel) {
  BOOST_TEST((training_case<Depthwise, nn::SoftmaxLoss, 5, 4, 8, 8>::compare<7>()) < 1e-10);
}
BOOST_AUTO_TEST_CASE(groups_that_fill_no_register) {
  BOOST_TEST((training_case<OddGroups, nn::SoftmaxLoss, 5, 6, 8, 8>::compare<7>()) < 1e-9);
}
BOOST_AUTO_TEST_CASE(norms_of_groups) {
  BOOST_TEST((training_case<Normalized, nn::SoftmaxLoss, 5, 4, 8, 8>::compare<7>()) < 1e-10);
}
BOOST_AUTO_TEST_CASE(attention_of_many_queries) {
  BOOST_TEST((training_case<Blocks, nn::SoftmaxLoss, 5, 70, 4>::compare<9>()) < 1e-10);
}
BOOST_AUTO_TEST_CASE(movements_within_samples) {
  BOOST_TEST((training_case<Moves, nn::SoftmaxLoss, 5, 8>::compare<1, 11>()) < 1e-11);
}
BOOST_AUTO_TEST_CASE(other_losses_of_numbers) {
  BOOST_TEST((training_case<Regression, nn::HuberLoss<>, 3, 6>::compare<1>()) < 1e-11);
}
#endif
