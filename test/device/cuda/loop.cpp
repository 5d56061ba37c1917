// SPDX-License-Identifier: BSL-1.0
// Loops on a device with memory of its own, against the same loops on the host.
#define BOOST_TEST_MODULE device_cuda_loop
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"
#include "support/test_device.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

template <int H>
struct recurrent {
  nn::Linear<H, H> state;
  nn::Linear<4, H> input;
  nn::LayerNorm1d<H> norm;
  nn::Linear<H, 4> output;
  nn::Dropout<0.25> drop;
  ESPALIER_MODULE(recurrent, state, input, norm, output, drop)

  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& s, auto const& xt) {
      auto const& [h, sum] = s;
      auto const next = tanh(norm(state(h) + input(xt)));
      return std::tuple{std::tuple{next, sum + next}, output(drop(next))};
    };
    auto const zero = esp::zeros<shape<2, H>>(x);
    auto const [last, ys] = esp::scan(step, std::tuple{zero, zero}, x);
    return ys + mean(std::get<1>(last));
  }
};

/// Trains for some steps and predicts, on the device and on the host.
template <class Net, int... X>
void check_both() {
  auto const x = numbers<float, shape<X...>>(1);
  auto const y = numbers<float, shape<X...>>(2);
  esp::model<Net> model{esp::seed{1}};
  esp::model<Net, device> device_model{esp::seed{1}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::Adam{}, shape<X...>{}};
  esp::trainer far{device_model, nn::MeanSquaredError{}, optim::Adam{}, shape<X...>{}};
  for (int i = 0; i < 5; ++i) {
    float const expected = trainer.step(x, y), actual = far.step(x, y);
    BOOST_TEST(near(static_cast<double>(actual), static_cast<double>(expected), 1e-4));
  }
  esp::predictor predict{model, shape<X...>{}};
  esp::predictor predict_far{device_model, shape<X...>{}};
  tensor<float, shape<X...>> expected, actual;
  predict(x, expected);
  predict_far(x, actual);
  BOOST_TEST(all_close(actual, expected, 1e-3, 1e-3));
}

}  // namespace

BOOST_AUTO_TEST_CASE(training_and_prediction) { check_both<recurrent<8>, 5, 2, 4>(); }
// Loops within loops, whose steps are computed again.
BOOST_AUTO_TEST_CASE(attention_in_blocks) { check_both<nn::MultiheadAttention<8, 2, {.causal = true}>, 2, 130, 8>(); }

namespace {
/// The first steps of a recurrent layer, whose number is an input, too.
struct counted {
  using input_element = std::tuple<float, std::int32_t>;
  nn::Linear<4, 5> input;
  nn::Linear<5, 5> state;
  ESPALIER_MODULE(counted, input, state)
  constexpr auto forward(auto x, auto count) const {
    auto const step = [&](auto const& h, auto const& xt) {
      auto const next = tanh(input(xt) + state(h));
      return std::tuple{next, next * h};
    };
    return esp::scan<esp::direction::backwards>(step, esp::zeros<shape<2, 5>>(x) + 0.5, x, count);
  }
};
/// A power of a number, which is a parameter.
struct power {
  using input_element = std::int32_t;
  nn::Linear<1, 1> factor;
  ESPALIER_MODULE(power, factor)
  constexpr auto forward(auto count) const {
    auto const one = esp::zeros<shape<1, 1>>(count) + 1;
    return esp::repeat<8>([&](auto const& x) { return matmul(x, factor.weight); }, one, count);
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(the_number_of_steps_is_an_input) {
  using count_type = tensor<std::int32_t, shape<1>>;
  auto const x = numbers<float, shape<6, 2, 4>>(1);
  esp::model<counted> model{esp::seed{1}};
  esp::model<counted, device> device_model{esp::seed{1}};
  esp::predictor predict{model, shape<6, 2, 4>{}, shape<1>{}};
  esp::predictor predict_far{device_model, shape<6, 2, 4>{}, shape<1>{}};
  tensor<float, shape<2, 5>> last, last_far;
  tensor<float, shape<6, 2, 5>> all, all_far;
  for (int n : {3, 0, 6, 1}) {
    predict(x, count_type{n}, last, all);
    predict_far(x, count_type{n}, last_far, all_far);
    BOOST_TEST(all_close(last_far, last, 1e-4, 1e-4));
    BOOST_TEST(all_close(all_far, all, 1e-4, 1e-4));
  }
  BOOST_CHECK_THROW(predict_far(x, count_type{7}, last_far, all_far), esp::index_error);

  esp::model<power> of{esp::seed{1}};
  esp::model<power, device> far_of{esp::seed{1}};
  esp::trainer trainer{of, nn::MeanSquaredError{}, optim::SGD<>{}, shape<1>{}};
  esp::trainer far{far_of, nn::MeanSquaredError{}, optim::SGD<>{}, shape<1>{}};
  tensor<float, shape<1, 1>> const target{{2}};
  for (int n : {3, 2, 0, 8, 5}) {
    float const expected = trainer.step(count_type{n}, target), actual = far.step(count_type{n}, target);
    BOOST_TEST(near(static_cast<double>(actual), static_cast<double>(expected), 1e-4));
  }
}
