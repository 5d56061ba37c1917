// SPDX-License-Identifier: BSL-1.0
// GroupNorm against plain loops.
#define BOOST_TEST_MODULE nn_group_norm
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::GroupNorm<2, 6>, shape<2, 6, 3, 3>> == shape<2, 6, 3, 3>{} &&
              esp::parameter_count<nn::GroupNorm<2, 6>> == 12);

namespace {
/// Behind: the number of elements behind the channel axis.
template <int Groups, int Channels, int Behind, nn::norm Options, class X>
void check(X const& x) {
  check_norm<nn::GroupNorm<Groups, Channels, Options>>(
      x, Options, [](int at) { return at / (Channels / Groups * Behind); },
      [](int at) { return at / Behind % Channels; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(parameters) {
  model_of<nn::GroupNorm<2, 6>> model;
  BOOST_TEST(parameter_list(model) == "weight(6) bias(6)");
  BOOST_TEST(buffer_list(model) == "");
  model_of<nn::GroupNorm<2, 6, nn::norm{.affine = false}>> plain;
  BOOST_TEST(parameter_list(plain) == "");
}
BOOST_AUTO_TEST_CASE(one_statistic_for_each_group_of_each_example) {
  BOOST_TEST((statistics<nn::GroupNorm<2, 4>>(doubles<3, 4, 2>(1)) == 6));
}
BOOST_AUTO_TEST_CASE(values_and_gradients) {
  check<2, 4, 6, nn::norm{}>(doubles<2, 4, 2, 3>(1));
  check<3, 3, 4, nn::norm{.eps = 1e-3}>(doubles<2, 3, 4>(2));
  check<2, 4, 1, nn::norm{.eps = 0.1, .affine = false}>(doubles<3, 4>(3));
}
BOOST_AUTO_TEST_CASE(between_layer_and_instance_norm) {
  auto const x = doubles<2, 4, 3, 3>(1);
  model_of<nn::GroupNorm<1, 4>> whole;
  model_of<nn::LayerNorm<shape<4, 3, 3>>> layer;
  check_close("one group: LayerNorm of all", whole(x), layer(x), 1e-13);
  model_of<nn::GroupNorm<4, 4>> each;
  model_of<nn::InstanceNorm<4>> instance;
  check_close("a group for each channel: InstanceNorm", each(x), instance(x), 1e-13);
}
