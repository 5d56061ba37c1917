// SPDX-License-Identifier: BSL-1.0
// All parameters and buffers of one model to another, also where elements differ.
#define BOOST_TEST_MODULE model_copy_model
#include <espalier/model/copy_model.hpp>
#include <espalier/model/predictor.hpp>

#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;

namespace {
using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 4>>;

template <class To, class From>
std::vector<To> rounded(From const& numbers) {
  return {numbers.begin(), numbers.end()};
}
}  // namespace

// Traits say what is true, so containers move models. What has a workspace of its own stays where it is.
BOOST_AUTO_TEST_CASE(traits) {
  using Model = esp::model<Net>;
  static_assert(std::is_nothrow_move_constructible_v<Model> && std::is_nothrow_move_assignable_v<Model>);
  static_assert(!std::is_copy_constructible_v<Model> && !std::is_copy_assignable_v<Model>);
  using Predictor = esp::predictor<Model, esp::batch<3, 6>>;
  static_assert(!std::is_copy_constructible_v<Predictor> && !std::is_move_constructible_v<Predictor>);
  static_assert(!std::is_copy_assignable_v<Predictor> && !std::is_move_assignable_v<Predictor>);
  struct named {
    std::string name;
    Model model;
  };
  std::vector<named> models;
  for (unsigned i = 1; i <= 3; ++i) models.push_back({"net", Model{esp::seed{i}}});
  Model const first{esp::seed{1}};
  BOOST_TEST(copy(models[0].model.parameters()) == copy(first.parameters()), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(parameters_and_buffers_go_to_a_model_of_the_same_net) {
  esp::model<Net> from{esp::seed{1}}, to{esp::seed{2}};
  from.buffer("1.running_mean").span()[3] = 5;
  BOOST_TEST((copy(from.parameters()) != copy(to.parameters())));
  esp::copy(from, to);
  BOOST_TEST(copy(from.parameters()) == copy(to.parameters()), boost::test_tools::per_element());
  BOOST_TEST(copy(from.buffers()) == copy(to.buffers()), boost::test_tools::per_element());
  BOOST_TEST(to.buffer("1.running_mean").span()[3] == 5);
  BOOST_TEST(to.initial_seed().value == 2u);  // who draws how, stays
}

BOOST_AUTO_TEST_CASE(numbers_are_converted_to_the_other_element) {
  esp::model<Net, esp::cpu, double> exact{esp::seed{3}};
  esp::model<Net> narrow{esp::seed{4}};
  esp::copy(exact, narrow);
  BOOST_TEST(rounded<float>(exact.parameters()) == rounded<float>(narrow.parameters()),
             boost::test_tools::per_element());
  esp::model<Net, esp::cpu, double> back{esp::seed{5}};
  esp::copy(narrow, back);
  BOOST_TEST(rounded<double>(narrow.parameters()) == rounded<double>(back.parameters()),
             boost::test_tools::per_element());
  BOOST_TEST(rounded<double>(narrow.buffers()) == rounded<double>(back.buffers()), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_net_without_parameters_has_nothing_to_copy) {
  esp::model<nn::ReLU> from{esp::seed{1}}, to{esp::seed{2}};
  esp::copy(from, to);
  BOOST_TEST(to.parameter_count == 0);
}
