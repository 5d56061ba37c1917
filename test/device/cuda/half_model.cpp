// SPDX-License-Identifier: BSL-1.0
// Models whose numbers are stored in 16 bits: what they compute, and how they learn, against models of floats on the
// host.
#define BOOST_TEST_MODULE device_cuda_half_model
#include <boost/test/unit_test.hpp>

#include "half_models.hpp"

using namespace test;

namespace {
/// A model of H, and one of floats on the host with its parameters, in evaluation, in training, and their gradients.
template <class Net, class H, int Classes, int N, int... Sample>
void check_computed() {
  esp::model<Net, device, H> device_model{esp::seed{1}};
  esp::model<Net> host_model{esp::seed{1}};
  copy(device_model, host_model);
  auto const inputs = floats<N, Sample...>(1);
  auto const x = representable<H>(inputs);
  auto const x_rounded = rounded<H>(inputs);
  auto const y = labels<N>(2, Classes);
  tensor<H, shape<N, Sample...>, device> const device_x{x_rounded};
  tensor<std::int32_t, shape<N>, device> const device_y{y};
  for (int time = 0; time < 2; ++time) {
    auto const expected = on_host(host_model(x).span());
    check_close(on_host(device_model(x_rounded).span()), expected, 2e-2, "output");
    check_close(on_host(device_model(device_x).to_host().span()), expected, 2e-2, "output of a tensor on the device");
    auto const a = esp::value_and_grad(host_model, nn::SoftmaxLoss{})(x, y);
    auto const b = time == 0 ? esp::value_and_grad(device_model, nn::SoftmaxLoss{})(x_rounded, y)
                             : esp::value_and_grad(device_model, nn::SoftmaxLoss{})(device_x, device_y);
    static_assert(std::is_same_v<decltype(b.loss), float>);
    BOOST_TEST(near(static_cast<double>(b.loss), static_cast<double>(a.loss), spacing<H>), b.loss << " and " << a.loss);
    a.gradients.for_each_parameter([&](char const* name, esp::extents const&, auto span) {
      // 0, for a norm takes its parameter out
      if (std::is_same_v<Net, Convolutional> && name == std::string("1.bias")) return;
      // A rounding may change which of two neighbours is a window's largest, or the sign of a unit: the gradient of the
      // kernels then has another pixel's part of one sum.
      bool const has_decisions = std::is_same_v<Net, Convolutional> && name == std::string("1.weight");
      check_close(on_host(b.gradients.parameter(name).span()), on_host(span),
                  has_decisions ? 5e-2 : std::fmax(2e-2, 5 * spacing<H>), name);
    });
    check_close(on_host(device_model.buffers()), on_host(host_model.buffers()), 2e-2, "running statistics");
  }
  esp::predictor predict{device_model, esp::batch<N, Sample...>{}};
  tensor<H, shape<N, Classes>> scores;
  tensor<H, shape<N, Classes>, device> device_scores;
  predict(device_x, scores);
  predict(x_rounded, device_scores);
  check_close(on_host(scores.span()), on_host(host_model(x).span()), 2e-2, "prediction");
  BOOST_TEST(on_host(scores.span()) == on_host(device_scores.to_host().span()), boost::test_tools::per_element());
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(parameters_begin_as_those_of_float_rounded, H, narrow) {
  esp::model<Convolutional> host_model{esp::seed{7}};
  esp::model<Convolutional, device, H> device_model{esp::seed{7}};
  static_assert(esp::model<Convolutional, device, H>::parameter_bytes <=
                esp::model<Convolutional>::parameter_bytes / 2 + 64);
  auto const check = [&] {
    host_model.for_each_parameter([&](char const* name, esp::extents const& extents, auto span) {
      auto const far = device_model.parameter(name);
      BOOST_TEST_REQUIRE(static_cast<bool>(far));
      BOOST_TEST((far.shape() == extents));
      std::vector<float> expected;
      for (float e : span) expected.push_back(static_cast<H>(e));
      BOOST_TEST(on_host(far.span()) == expected, boost::test_tools::per_element());
    });
    BOOST_TEST(on_host(device_model.buffers()) == on_host(host_model.buffers()), boost::test_tools::per_element());
  };
  check();
  host_model.initialize(esp::seed{8});
  device_model.initialize(esp::seed{8});
  check();
}
BOOST_AUTO_TEST_CASE_TEMPLATE(parameters_are_read_written_and_copied, H, narrow) {
  using Other = std::conditional_t<std::is_same_v<H, esp::half>, esp::bfloat16, esp::half>;
  esp::model<Convolutional> host_model{esp::seed{7}}, back;
  esp::model<Convolutional, device, H> device_model, second;
  esp::model<Convolutional, device, Other> other;
  esp::model<Convolutional, device> wide;
  scramble(host_model);
  host_model.for_each_buffer([](char const*, esp::extents const&, auto span) {
    for (float& element : span) element += 1.7f;
  });
  copy(host_model, device_model);
  auto expected = on_host(host_model.parameters()), expected_buffers = on_host(host_model.buffers());
  for (float& e : expected) e = static_cast<H>(e);
  for (float& e : expected_buffers) e = static_cast<H>(e);
  copy(device_model, second);
  copy(second, wide);
  copy(wide, back);
  BOOST_TEST(on_host(back.parameters()) == expected, boost::test_tools::per_element());
  BOOST_TEST(on_host(back.buffers()) == expected_buffers, boost::test_tools::per_element());
  copy(device_model, other);
  for (float& e : expected) e = static_cast<Other>(e);
  BOOST_TEST(on_host(other.parameters()) == expected, boost::test_tools::per_element());
  std::vector<H> elements(5);
  auto const bias = device_model.parameter("7.bias");
  bias.to_host({elements.data(), 5});
  BOOST_TEST(static_cast<float>(elements[3]) ==
             static_cast<float>(static_cast<H>(host_model.parameter("7.bias").span()[3])));
  for (H& element : elements) element = static_cast<H>(2 * element);
  bias.from_host({elements.data(), 5});
  device_model.for_each_parameter([](char const* name, esp::extents const&, auto span) {
    if (name == std::string("7.bias"))
      for (H& element : span) element = static_cast<H>(element + 1);
  });
  BOOST_TEST(near(static_cast<double>(on_host(bias.span())[3]),
                  2 * static_cast<double>(host_model.parameter("7.bias").span()[3]) + 1, 2 * spacing<H>));
}
BOOST_AUTO_TEST_CASE_TEMPLATE(a_perceptron_computes_as_in_float, H, narrow) {
  check_computed<Perceptron, H, 4, 5, 2, 3>();
}
BOOST_AUTO_TEST_CASE_TEMPLATE(a_convolutional_net_computes_as_in_float, H, narrow) {
  check_computed<Convolutional, H, 5, 6, 6, 6>();
}
BOOST_AUTO_TEST_CASE(losses_are_floats) {
  esp::model<nn::Linear<6, 10>, device, esp::bfloat16> model;
  model.for_each_parameter([](char const*, esp::extents const&, auto span) {
    for (auto& element : span) element = esp::bfloat16(0.0f);
  });
  auto const x = rounded<esp::bfloat16>(floats<5, 6>(1));
  auto const y = labels<5>(1, 10);
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<5, 6>{}};
  static_assert(std::is_same_v<decltype(trainer.step(x, y)), float> &&
                std::is_same_v<decltype(trainer.penalty()), float>);
  BOOST_TEST(near(static_cast<double>(esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss), std::log(10.0), 1e-6));
  BOOST_TEST(near(trainer.evaluate(x, y).loss, std::log(10.0), 1e-6));
  BOOST_TEST(near(static_cast<double>(trainer.step(x, y)), std::log(10.0), 1e-6));
}
BOOST_AUTO_TEST_CASE(labels_beyond_16_bit_precision) {
  esp::model<nn::Linear<4, 700>, device, esp::bfloat16> device_model{esp::seed{1}};
  esp::model<nn::Linear<4, 700>> host_model;
  copy(device_model, host_model);
  auto const inputs = floats<6, 4>(1);
  tensor<std::int32_t, shape<6>> y;
  for (int i = 0; i < 6; ++i) y[i] = 257 + 88 * i;
  auto const a = esp::value_and_grad(host_model, nn::SoftmaxLoss{})(representable<esp::bfloat16>(inputs), y);
  auto const b = esp::value_and_grad(device_model, nn::SoftmaxLoss{})(rounded<esp::bfloat16>(inputs), y);
  BOOST_TEST(near(static_cast<double>(b.loss), static_cast<double>(a.loss), 1e-2));
  check_close(on_host(b.gradients.span()), on_host(a.gradients.span()), 2e-2, "gradient");
}
