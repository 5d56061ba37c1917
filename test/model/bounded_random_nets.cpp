// SPDX-License-Identifier: BSL-1.0
// Nets of random layers: training and evaluation with up to 24 samples equal those of a random number of them.
#define BOOST_TEST_MODULE model_bounded_random_nets
#include <boost/test/unit_test.hpp>

#include <tuple>

#include "support/bounded_training.hpp"
#include "support/drawn_layers.hpp"
#include "support/longer_run.hpp"

using namespace test;

namespace {

/// Layers of 12 features.
template <int I>
using of_features =
    layer_of<I, nn::Linear<12, 12>, nn::ReLU, nn::LayerNorm1d<12>, nn::BatchNorm1d<12>, nn::Dropout<0.25>,
             nn::Residual<nn::Sequential<nn::Linear<12, 12>, nn::Tanh>>, nn::RMSNorm<esp::shape<12>>, nn::GELU,
             nn::Softmax<-1>, nn::Residual<nn::Sequential<nn::LayerNorm1d<12>, nn::Linear<12, 12>, nn::SiLU>>>;
/// Layers of images with 4 channels.
template <int I>
using of_images = layer_of<I, nn::Conv<4, 4, 3>, nn::ReLU, nn::BatchNorm2d<4>, nn::GroupNorm<2, 4>, nn::Conv<4, 4, 1>,
                           nn::ConvBN<4, 4, 3>, nn::Residual<nn::Conv<4, 4, 3>>, nn::Dropout<0.25>>;

template <int Seed>
using features_net =
    nn::Sequential<nn::Flatten, nn::Linear<10, 12>, of_features<drawn<Seed, 0, 10>>, of_features<drawn<Seed, 1, 10>>,
                   of_features<drawn<Seed, 2, 10>>, of_features<drawn<Seed, 3, 10>>, nn::Linear<12, 3>>;
template <int Seed>
using images_net =
    nn::Sequential<nn::Conv<2, 4, 3>, of_images<drawn<Seed, 0, 8>>, of_images<drawn<Seed, 1, 8>>, nn::MaxPool2d<2>,
                   of_images<drawn<Seed, 2, 8>>, nn::Flatten, nn::Linear<4 * 3 * 3, 3>>;

/// 2 to 24 samples.
template <int Seed>
constexpr int samples = 2 + drawn<Seed, 9, 23>;
template <int Seed>
void check_features() {
  BOOST_TEST((training_case<features_net<Seed>, nn::SoftmaxLoss, 3, 2, 5>::template compare<samples<Seed>>()) < 1e-9,
             "seed " << Seed << ", " << samples<Seed> << " samples");
}
template <int Seed>
void check_images() {
  BOOST_TEST((training_case<images_net<Seed>, nn::SoftmaxLoss, 3, 2, 6, 6>::template compare<samples<Seed>>()) < 1e-9,
             "seed " << Seed << ", " << samples<Seed> << " samples");
}

}  // namespace

// A longer run draws other nets: together they are six of features and three of images.
inline constexpr int first_of_features = longer_run ? 4 : 1, first_of_images = longer_run ? 2 : 1,
                     nets_of_images_drawn = longer_run ? 2 : 1;
BOOST_AUTO_TEST_CASE(nets_of_features) {
  []<int... I>(std::integer_sequence<int, I...>) { (check_features<first_of_features + I>(), ...); }
  (std::make_integer_sequence<int, 3>{});
}
BOOST_AUTO_TEST_CASE(nets_of_images) {
  []<int... I>(std::integer_sequence<int, I...>) { (check_images<first_of_images + I>(), ...); }
  (std::make_integer_sequence<int, nets_of_images_drawn>{});
}
