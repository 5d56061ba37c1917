// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE report_type_name
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/report/type_name.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace report = espalier::report;

namespace {
template <int N>
struct Twice {};
}  // namespace

BOOST_AUTO_TEST_CASE(type_names) {
  BOOST_TEST(report::short_name<nn::Dropout<0.25>>() == "Dropout<0.25>");
  BOOST_TEST((report::short_name<nn::LayerNorm<esp::shape<3, 4>>>()) == "LayerNorm<(3, 4)>");
  BOOST_TEST((report::short_name<nn::Repeat<3, nn::Linear<2, 2>>>()) == "Repeat<3>");
  BOOST_TEST(report::short_name<Twice<4>>() == "Twice<4>");
  BOOST_TEST((report::short_name<nn::Sequential<nn::ReLU, Twice<4>>>()) == "Sequential");
  BOOST_TEST(report::short_name<nn::ReLU>() == "ReLU");
}

BOOST_AUTO_TEST_CASE(names_as_compilers_write_them) {
  BOOST_TEST(report::short_name("espalier::nn::Linear<64, 32>") == "Linear<64, 32>");
  BOOST_TEST(report::short_name("a::b::Net") == "Net");
  BOOST_TEST(report::short_name("Layer<espalier::shape<3>, float, -2>") == "Layer<(3), -2>");
  BOOST_TEST(report::short_name("Layer<a::Other<5> >") == "Layer");
  BOOST_TEST(report::short_name("") == "");
}
