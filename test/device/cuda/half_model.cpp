// SPDX-License-Identifier: BSL-1.0
// Models whose numbers are stored in 16 bits: what they compute, and how they learn, against models of floats on the host.
#define BOOST_TEST_MODULE device_cuda_half_model
#include <boost/test/unit_test.hpp>

#include "half_models.hpp"

using namespace test;

namespace {
/// A model of H, and one of floats on the host with its parameters, in evaluation, in training, and their slopes.
template <class Net, class H, int Classes, int N, int... Sample>
void check_computed() {
  esp::model<Net, device, H> there{esp::seed{1}};
  esp::model<Net> here{esp::seed{1}};
  copy(there, here);
  auto const given = floats<N, Sample...>(1);
  auto const x = representable<H>(given);
  auto const x_rounded = rounded<H>(given);
  auto const y = labels<N>(2, Classes);
  tensor<H, shape<N, Sample...>, device> const x_there{x_rounded};
  tensor<std::int32_t, shape<N>, device> const y_there{y};
  for (int time = 0; time < 2; ++time) {
    auto const wanted = on_host(here(x).span());
    check_close(on_host(there(x_rounded).span()), wanted, 2e-2, "output");
    check_close(on_host(there(x_there).to_host().span()), wanted, 2e-2, "output of a tensor on the device");
    auto const a = esp::value_and_grad(here, nn::SoftmaxLoss{})(x, y);
    auto const b = time == 0 ? esp::value_and_grad(there, nn::SoftmaxLoss{})(x_rounded, y) : esp::value_and_grad(there, nn::SoftmaxLoss{})(x_there, y_there);
    static_assert(std::is_same_v<decltype(b.loss), float>);
    BOOST_TEST(near(static_cast<double>(b.loss), static_cast<double>(a.loss), spacing<H>), b.loss << " and " << a.loss);
    a.slopes.for_each_parameter([&](char const* name, esp::extents const&, auto span) {
      if (std::is_same_v<Net, Convolutional> && name == std::string("1.bias")) return;  // 0, for a norm takes its parameter out
      check_close(on_host(b.slopes.parameter(name).span()), on_host(span), std::fmax(2e-2, 5 * spacing<H>), name);
    });
    check_close(on_host(there.buffers()), on_host(here.buffers()), 2e-2, "running statistics");
  }
  esp::predictor predict{there, esp::batch<N, Sample...>{}};
  tensor<H, shape<N, Classes>> scores;
  tensor<H, shape<N, Classes>, device> scores_there;
  predict(x_there, scores);
  predict(x_rounded, scores_there);
  check_close(on_host(scores.span()), on_host(here(x).span()), 2e-2, "prediction");
  BOOST_TEST(on_host(scores.span()) == on_host(scores_there.to_host().span()), boost::test_tools::per_element());
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(parameters_begin_as_those_of_float_rounded, H, narrow) {
  esp::model<Convolutional> here{esp::seed{7}};
  esp::model<Convolutional, device, H> there{esp::seed{7}};
  static_assert(esp::model<Convolutional, device, H>::parameter_bytes <= esp::model<Convolutional>::parameter_bytes / 2 + 64);
  auto const check = [&] {
    here.for_each_parameter([&](char const* name, esp::extents const& extents, auto span) {
      auto const far = there.parameter(name);
      BOOST_TEST_REQUIRE(static_cast<bool>(far));
      BOOST_TEST((far.shape() == extents));
      std::vector<float> wanted;
      for (float e : span) wanted.push_back(static_cast<H>(e));
      BOOST_TEST(on_host(far.span()) == wanted, boost::test_tools::per_element());
    });
    BOOST_TEST(on_host(there.buffers()) == on_host(here.buffers()), boost::test_tools::per_element());
  };
  check();
  here.initialize(esp::seed{8});
  there.initialize(esp::seed{8});
  check();
}
BOOST_AUTO_TEST_CASE_TEMPLATE(parameters_are_read_written_and_copied, H, narrow) {
  using Other = std::conditional_t<std::is_same_v<H, esp::half>, esp::bfloat16, esp::half>;
  esp::model<Convolutional> here{esp::seed{7}}, back;
  esp::model<Convolutional, device, H> there, second;
  esp::model<Convolutional, device, Other> other;
  esp::model<Convolutional, device> wide;
  scramble(here);
  here.for_each_buffer([](char const*, esp::extents const&, auto span) { for (float& element : span) element += 1.7f; });
  copy(here, there);
  auto wanted = on_host(here.parameters()), wanted_buffers = on_host(here.buffers());
  for (float& e : wanted) e = static_cast<H>(e);
  for (float& e : wanted_buffers) e = static_cast<H>(e);
  copy(there, second);
  copy(second, wide);
  copy(wide, back);
  BOOST_TEST(on_host(back.parameters()) == wanted, boost::test_tools::per_element());
  BOOST_TEST(on_host(back.buffers()) == wanted_buffers, boost::test_tools::per_element());
  copy(there, other);
  for (float& e : wanted) e = static_cast<Other>(e);
  BOOST_TEST(on_host(other.parameters()) == wanted, boost::test_tools::per_element());
  std::vector<H> elements(5);
  auto const bias = there.parameter("7.bias");
  bias.to_host({elements.data(), 5});
  BOOST_TEST(static_cast<float>(elements[3]) == static_cast<float>(static_cast<H>(here.parameter("7.bias").span()[3])));
  for (H& element : elements) element = static_cast<H>(2 * element);
  bias.from_host({elements.data(), 5});
  there.for_each_parameter([](char const* name, esp::extents const&, auto span) {
    if (name == std::string("7.bias"))
      for (H& element : span) element = static_cast<H>(element + 1);
  });
  BOOST_TEST(near(static_cast<double>(on_host(bias.span())[3]), 2 * static_cast<double>(here.parameter("7.bias").span()[3]) + 1, 2 * spacing<H>));
}
BOOST_AUTO_TEST_CASE_TEMPLATE(a_perceptron_computes_as_in_float, H, narrow) { check_computed<Perceptron, H, 4, 5, 2, 3>(); }
BOOST_AUTO_TEST_CASE_TEMPLATE(a_convolutional_net_computes_as_in_float, H, narrow) { check_computed<Convolutional, H, 5, 6, 6, 6>(); }
BOOST_AUTO_TEST_CASE(losses_are_floats) {
  esp::model<nn::Linear<6, 10>, device, esp::bfloat16> model;
  model.for_each_parameter([](char const*, esp::extents const&, auto span) { for (auto& element : span) element = esp::bfloat16(0.0f); });
  auto const x = rounded<esp::bfloat16>(floats<5, 6>(1));
  auto const y = labels<5>(1, 10);
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<5, 6>{}};
  static_assert(std::is_same_v<decltype(trainer.step(x, y)), float> && std::is_same_v<decltype(trainer.penalty()), float>);
  BOOST_TEST(near(static_cast<double>(esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss), std::log(10.0), 1e-6));
  BOOST_TEST(near(trainer.evaluate(x, y).loss, std::log(10.0), 1e-6));
  BOOST_TEST(near(static_cast<double>(trainer.step(x, y)), std::log(10.0), 1e-6));
}
BOOST_AUTO_TEST_CASE(labels_beyond_what_16_bits_tell_apart) {
  esp::model<nn::Linear<4, 700>, device, esp::bfloat16> there{esp::seed{1}};
  esp::model<nn::Linear<4, 700>> here;
  copy(there, here);
  auto const given = floats<6, 4>(1);
  tensor<std::int32_t, shape<6>> y;
  for (int i = 0; i < 6; ++i) y[i] = 257 + 88 * i;
  auto const a = esp::value_and_grad(here, nn::SoftmaxLoss{})(representable<esp::bfloat16>(given), y);
  auto const b = esp::value_and_grad(there, nn::SoftmaxLoss{})(rounded<esp::bfloat16>(given), y);
  BOOST_TEST(near(static_cast<double>(b.loss), static_cast<double>(a.loss), 1e-2));
  check_close(on_host(b.slopes.span()), on_host(a.slopes.span()), 2e-2, "slope");
}
