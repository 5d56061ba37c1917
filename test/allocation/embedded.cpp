// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE allocation_embedded
#include <boost/test/unit_test.hpp>

#include <espalier/model/embedded.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

#include "../docs/examples/support/digits_weights.hpp"
#include "support/allocation_counter.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Flatten, nn::Linear<8 * 8, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 10>>;
using Batch = esp::batch<4, 8, 8>;
using ReadOnly = esp::read_only_model<Net, digits_weights>;

// A model that has no memory of its own has nothing but what its processor needs, which is nothing.
static_assert(ReadOnly::bytes == 0 && sizeof(ReadOnly) == 1);
static_assert(esp::predictor<ReadOnly, Batch>::bytes == esp::predictor<esp::model<Net>, Batch>::bytes);

BOOST_AUTO_TEST_CASE(no_heap_between_a_header_and_its_scores) {
  static constexpr ReadOnly read_only;
  static esp::bytes<esp::model<Net>::bytes> model_room;
  static esp::bytes<esp::predictor<ReadOnly, Batch>::bytes> predictor_room, copy_room;
  static esp::bytes<esp::frozen<ReadOnly, Batch>::bytes> frozen_room;
  static esp::tensor<float, Batch> x;
  static esp::tensor<float, esp::shape<4, 10>> by_predictor, by_copy, by_frozen;
  for (int i = 0; i < x.size(); ++i) x.data()[i] = 0.01f * static_cast<float>(i % 97) - 0.3f;

  long const before = espalier_test::allocations();
  esp::model<Net> copy{esp::embedded<digits_weights>{}, model_room};
  esp::predictor predict{read_only, Batch{}, predictor_room};
  esp::predictor predict_from_copy{copy, Batch{}, copy_room};
  esp::frozen frozen{read_only, Batch{}, frozen_room};
  predict(x, by_predictor);
  predict_from_copy(x, by_copy);
  frozen(x, by_frozen);
  BOOST_TEST(espalier_test::allocations() == before);

  float largest = 0;
  for (int i = 0; i < 40; ++i) {
    BOOST_TEST(by_predictor.data()[i] == by_copy.data()[i]);
    BOOST_TEST(by_predictor.data()[i] == by_frozen.data()[i], boost::test_tools::tolerance(1e-3f));
    largest = by_predictor.data()[i] > largest ? by_predictor.data()[i] : largest;
  }
  BOOST_TEST(largest > 0.1f);
}
