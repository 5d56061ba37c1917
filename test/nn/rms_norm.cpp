// SPDX-License-Identifier: BSL-1.0
// RMSNorm against plain loops.
#define BOOST_TEST_MODULE nn_rms_norm
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::RMSNorm<shape<4>>, shape<2, 3, 4>> == shape<2, 3, 4>{} &&
              esp::parameter_count<nn::RMSNorm<shape<4>>> == 4);

namespace {
template <class Normalized, nn::norm Options, class X>
void check(X const& x) {
  constexpr int inner = static_cast<int>(Normalized::size);
  check_norm<nn::RMSNorm<Normalized, Options>, false>(
      x, Options, [](int at) { return at / inner; }, [](int at) { return at % inner; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(parameters) {
  model_of<nn::RMSNorm<shape<3, 4>>> model;
  BOOST_TEST(parameter_list(model) == "weight(3,4)");
  model_of<nn::RMSNorm<shape<4>, nn::norm{.affine = false}>> plain;
  BOOST_TEST(parameter_list(plain) == "");
}
BOOST_AUTO_TEST_CASE(values_and_gradients) {
  check<shape<4>, nn::norm{}>(doubles<2, 3, 4>(1));
  check<shape<3, 4>, nn::norm{.eps = 1e-3}>(doubles<2, 3, 4>(2));
  check<shape<5>, nn::norm{.eps = 0, .affine = false}>(doubles<4, 5>(3));
}
BOOST_AUTO_TEST_CASE(is_layer_norm_of_what_is_centered) {
  model_of<nn::RMSNorm<shape<6>>> rms;
  model_of<nn::LayerNorm<shape<6>>> layer;
  auto const x = doubles<4, 6>(1);
  tensor<double, shape<4, 6>> const centered = x - esp::mean<1>(x, esp::keepdims);
  check_close("centered", rms(centered), layer(x), 1e-13);
}
BOOST_AUTO_TEST_CASE(an_example_of_zeros) {
  model_of<nn::RMSNorm<shape<4>>> model;
  BOOST_TEST(model(tensor<double, shape<2, 4>>{}) == (tensor<double, shape<2, 4>>{}));
}
