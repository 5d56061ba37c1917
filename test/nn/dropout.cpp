// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_dropout
#include <boost/test/unit_test.hpp>

#include <espalier/model/constant_model.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::Dropout<0.1>, shape<5, 3>> == shape<5, 3>{} &&
              esp::parameter_count<nn::Dropout<0.1>> == 0);

namespace {
using wide = shape<16, 64>;

/// The sum over a batch of ones that went through dropout.
template <class Model>
double kept(Model& model) {
  tensor<float, wide> ones;
  ones.fill(1);
  return static_cast<double>(esp::value_and_grad(model, Weighted{})(ones, ones).loss);
}

/// Parameters through one dropout, called once or thrice, and through another: the gradients show the masks of one
/// step.
using Values = esp::parameter<wide, nn::init::initialized_by<nn::init::ones{}>>;
struct Once {
  Values values{};
  nn::Dropout<0.5> drop{}, other{};
  ESPALIER_MODULE(Once, values, drop, other)
  constexpr auto forward(auto x) const { return x * (drop(values) + 1000 * other(values)); }
};
struct Thrice {
  Values values{};
  nn::Dropout<0.5> drop{}, other{};
  ESPALIER_MODULE(Thrice, values, drop, other)
  constexpr auto forward(auto x) const {
    return x * (drop(values) + 10 * drop(values) + 100 * drop(values + 1) + 1000 * other(values));
  }
};
/// As Thrice, of three modules that are called once: what PyTorch's one module does.
struct Three {
  Values values{};
  std::array<nn::Dropout<0.5>, 4> drop{};
  ESPALIER_MODULE(Three, values, drop)
  constexpr auto forward(auto x) const {
    return x * (drop[0](values) + 10 * drop[2](values) + 100 * drop[3](values + 1) + 1000 * drop[1](values));
  }
};
/// Two draws of a stream, of which one has a name that is used twice.
struct TwoSamples {
  Values values{};
  esp::random_stream stream{};
  ESPALIER_MODULE(TwoSamples, values, stream)
  constexpr auto forward(auto x) const {
    auto const u = esp::random_uniform<wide>{stream};
    return x * values * ((u < 0.5) + 10 * (u >= 0.5) + 100 * (esp::random_uniform<wide>{stream} < 0.5));
  }
};
struct Again {
  nn::Dropout<0.5> drop{};
  ESPALIER_MODULE(Again, drop)
  constexpr auto forward(auto x) const { return drop(x) + 10 * drop(x); }
};
/// The gradient of `values` in one step, where factor is its unit.
template <class Model>
std::vector<int> masks(Model& model, double factor) {
  tensor<float, wide> ones;
  ones.fill(1);
  auto const gradients = esp::value_and_grad(model, Weighted{})(ones, ones).gradients;
  std::vector<int> r;
  for (float const element : gradients.parameter("values").span())
    r.push_back(static_cast<int>(std::lround(static_cast<double>(element) / factor)));
  return r;
}
template <class Net>
std::vector<int> masks_of(std::uint64_t seed, double factor = 2) {
  esp::model<Net> model{esp::seed{seed}};
  return masks(model, factor);
}
}  // namespace

BOOST_AUTO_TEST_CASE(evaluation_is_the_identity) {
  auto const x = floats<4, 5>(1);
  esp::model<nn::Dropout<0.5>> model;
  BOOST_TEST(model(x) == x);
}
BOOST_AUTO_TEST_CASE(training_keeps_and_scales) {
  esp::model<nn::Dropout<0.25>> model{esp::seed{5}};
  double total = 0;
  for (int run = 0; run < 50; ++run) {
    double const kept_scale = kept(model) * 0.75;  // how many were kept
    BOOST_TEST(std::fabs(kept_scale - std::round(kept_scale)) < 1e-2);
    BOOST_TEST(std::fabs(kept_scale - 768) < 6 * 14);
    total += kept_scale;
  }
  BOOST_TEST(std::fabs(total / 50 - 768) < 5 * 14 / 7.0);
}
BOOST_AUTO_TEST_CASE(elements_are_zero_or_scaled) {
  // The training gradient of y = dropout(x + bias) with respect to each bias is its mask over 1 - p.
  esp::model<nn::Sequential<nn::Linear<1, 64>, nn::Dropout<0.2>>, esp::cpu, double> model{esp::seed{1}};
  tensor<double, shape<1, 64>> ones;
  ones.fill(1);
  auto const gradients = esp::value_and_grad(model, Weighted{})(tensor<double, shape<1, 1>>{{1}}, ones).gradients;
  int zeros = 0;
  for (double const g : gradients.parameter("0.bias").span()) {
    BOOST_TEST((g == 0 || near(g, 1.25)));
    zeros += g == 0;
  }
  BOOST_TEST(zeros > 3);
  BOOST_TEST(zeros < 28);
}
BOOST_AUTO_TEST_CASE(each_run_each_layer_and_each_seed_have_their_own) {
  esp::model<nn::Dropout<0.5>> model{esp::seed{5}}, same{esp::seed{5}}, other{esp::seed{6}};
  double const first = kept(model), second = kept(model), third = kept(model);
  BOOST_TEST((first != second || second != third));
  BOOST_TEST(kept(same) == first);
  BOOST_TEST(kept(same) == second);
  double const a = kept(other), b = kept(other);
  BOOST_TEST((a != first || b != second));
  // Two layers with the same mask would keep half of the ones, two with masks of their own a quarter.
  esp::model<nn::Sequential<nn::Dropout<0.5>, nn::Dropout<0.5>>> two{esp::seed{5}};
  BOOST_TEST(std::fabs(kept(two) / 4 - 256) < 6 * 14);
}
BOOST_AUTO_TEST_CASE(each_call_has_its_own_mask) {
  int count[16]{};
  for (int const m : masks_of<Thrice>(5)) ++count[m % 10 + 2 * (m / 10 % 10) + 4 * (m / 100 % 10) + 8 * (m / 1000)];
  for (int const c : count) BOOST_TEST(std::abs(c - 64) < 6 * 8);  // 1,024 / 16, and six standard deviations
  esp::model<Thrice> model{esp::seed{5}};
  auto const first = masks(model, 2), second = masks(model, 2);
  BOOST_TEST(first == masks_of<Thrice>(5), boost::test_tools::per_element());
  BOOST_TEST((first != second));
  BOOST_TEST((first != masks_of<Thrice>(6)));
}
BOOST_AUTO_TEST_CASE(the_first_call_of_each_module_samples_as_if_it_were_the_only_one) {
  auto const once = masks_of<Once>(5), thrice = masks_of<Thrice>(5);
  for (std::size_t i = 0; i < once.size(); ++i) {
    BOOST_TEST(once[i] % 10 == thrice[i] % 10);
    BOOST_TEST(once[i] / 1000 == thrice[i] / 1000);
  }
  BOOST_TEST(thrice == masks_of<Three>(5), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(each_sample_has_its_own_numbers_and_a_named_one_keeps_them) {
  int count[112]{};
  for (int const m : masks_of<TwoSamples>(5, 1)) ++count[m];
  BOOST_TEST(count[1] + count[10] + count[101] + count[110] == 1024);
  for (int const m : {1, 10, 101, 110}) BOOST_TEST(std::abs(count[m] - 256) < 6 * 14);
}
BOOST_AUTO_TEST_CASE(the_numbers_of_later_calls_in_constant_expressions) {
  constexpr tensor<float, shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}}, y{{1, 1, 1}, {1, 1, 1}};
  using Net = nn::Sequential<nn::Linear<3, 3>, Again>;
  constexpr float loss = esp::value_and_grad(esp::constant_model<Net>{esp::seed{5}}, Weighted{})(x, y).loss;
  esp::model<Net> model{esp::seed{5}};
  BOOST_TEST(loss == esp::value_and_grad(model, Weighted{})(x, y).loss, boost::test_tools::tolerance(1e-5f));
}
BOOST_AUTO_TEST_CASE(nothing_is_dropped_with_probability_zero) {
  esp::model<nn::Dropout<0.0>> model;
  BOOST_TEST(kept(model) == 1024);
}
BOOST_AUTO_TEST_CASE(a_given_mask) {
  esp::model<nn::MaskedDropout<0.5, shape<2, 3>>, esp::cpu, double> model;
  tensor<double, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
  BOOST_TEST(buffer_list(model) == "mask(2,3)");
  // a mask of ones at first
  BOOST_TEST(training_output(model, x) == (tensor<double, shape<2, 3>>{{2, 4, 6}, {8, 10, 12}}));
  assign(model.buffer("mask"), {1, 0, 1, 0, 0, 1});
  BOOST_TEST(training_output(model, x) == (tensor<double, shape<2, 3>>{{2, 0, 6}, {0, 0, 12}}));
  BOOST_TEST(model(x) == x);
}
BOOST_AUTO_TEST_CASE(a_given_mask_masks_the_gradient) {
  esp::model<nn::Sequential<nn::Linear<1, 3>, nn::MaskedDropout<0.2, shape<1, 3>>>, esp::cpu, double> model;
  BOOST_TEST(buffer_list(model) == "1.mask(1,3)");
  assign(model.buffer("1.mask"), {1, 0, 1});
  auto const gradients =
      esp::value_and_grad(model, Weighted{})(tensor<double, shape<1, 1>>{{1}}, tensor<double, shape<1, 3>>{{1, 2, 4}})
          .gradients;
  BOOST_TEST(copy(gradients.parameter("0.bias").span()) == (std::vector<double>{1.25, 0, 5}),
             boost::test_tools::per_element());
}
