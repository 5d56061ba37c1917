// SPDX-License-Identifier: BSL-1.0
// LayerNorm over any trailing axes against plain loops; LayerNorm1d is in norm.cpp.
#define BOOST_TEST_MODULE nn_layer_norm
#include <boost/test/unit_test.hpp>

#include "support/norms.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::LayerNorm<shape<3, 4>>, shape<2, 3, 4>> == shape<2, 3, 4>{});
static_assert(esp::parameter_count<nn::LayerNorm<shape<4>>> == 8 &&
              esp::parameter_count<nn::LayerNorm<shape<3, 4>>> == 24);
static_assert(esp::parameter_count<nn::LayerNorm<shape<4>, nn::norm{.affine = false}>> == 0);

namespace {
template <class Normalized, nn::norm Options, class X>
void check(X const& x) {
  constexpr int inner = static_cast<int>(Normalized::size);
  check_norm<nn::LayerNorm<Normalized, Options>>(
      x, Options, [](int at) { return at / inner; }, [](int at) { return at % inner; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(parameters) {
  model_of<nn::LayerNorm<shape<4>>> model;
  BOOST_TEST(parameter_list(model) == "weight(4) bias(4)");
  BOOST_TEST(buffer_list(model) == "");
  model_of<nn::LayerNorm<shape<2, 3, 4>>> three;
  BOOST_TEST(parameter_list(three) == "weight(2,3,4) bias(2,3,4)");
  model_of<nn::LayerNorm<shape<4>, nn::norm{.affine = false}>> plain;
  BOOST_TEST(parameter_list(plain) == "");
}
BOOST_AUTO_TEST_CASE(six_statistics_of_the_last_axis_of_three) {
  BOOST_TEST(statistics<nn::LayerNorm<shape<4>>>(doubles<2, 3, 4>(1)) == 6);
}
BOOST_AUTO_TEST_CASE(values_and_gradients) {
  check<shape<4>, nn::norm{}>(doubles<2, 3, 4>(1));
  check<shape<3, 4>, nn::norm{.eps = 1e-3}>(doubles<2, 3, 4>(2));
  check<shape<2, 2>, nn::norm{.eps = 0.5}>(doubles<2, 3, 2, 2>(4));
  check<shape<5>, nn::norm{.affine = false}>(doubles<4, 5>(5));
  check<shape<3>, nn::norm{.eps = 0}>(doubles<3>(6));
}
BOOST_AUTO_TEST_CASE(rank_one_case_has_a_name) {
  model_of<nn::LayerNorm<shape<4>>> general{esp::seed{1}};
  model_of<nn::LayerNorm1d<4>> one{esp::seed{1}};
  auto const x = doubles<3, 4>(1);
  check_close("LayerNorm1d", one(x), general(x), 0);
}
BOOST_AUTO_TEST_CASE(one_element_has_no_deviation) {
  model_of<nn::LayerNorm<shape<1>>> model;
  BOOST_TEST(model(doubles<3, 1>(1)) == (tensor<double, shape<3, 1>>{}));
}
