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
