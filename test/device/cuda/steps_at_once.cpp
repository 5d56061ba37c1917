// SPDX-License-Identifier: BSL-1.0
// Steps of a loop that do not depend on each other run at once on a device, as many as its memory allows.
#define BOOST_TEST_MODULE device_cuda_steps_at_once
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/device/cuda/simulator/simulated_backend.hpp>

namespace {
/// Several loops of the tests take more, so that they run in parts.
class small_backend : public espalier::on_cuda::simulated_backend {
 public:
  static constexpr std::int64_t most_of_steps = 2048;
  using simulated_backend::simulated_backend;
};
}  // namespace

namespace test {
using own_backend = small_backend;
}
#include "support/own_backend.hpp"

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;
using device = esp::simulated_cuda;

namespace {

/// Two results of each step, one of which is kept twice, and a value that is the same for all steps.
template <int Steps, int Columns>
struct rowwise {
  nn::Linear<Columns, 6> layer;
  nn::LayerNorm1d<6> norm;
  ESPALIER_MODULE(rowwise, layer, norm)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const&, auto const& xt) {
      auto const of_row = [&](auto const& s) { return exp(norm(tanh(layer(s)))); };
      auto const products = [&](auto const& s) { return matmul(s, transpose(s)); };
      return std::tuple{std::tuple{}, std::tuple{esp::checkpoint(of_row, xt), esp::checkpoint(products, xt)}};
    };
    auto const [y, products] = std::get<1>(esp::scan(step, std::tuple{}, x));
    return y + mean(products);
  }
};

template <class Backend>
std::int64_t launches(Backend const& m) {
  return m.launches() + m.products();
}

/// Trains for some steps and predicts, on the device and on the host. Returns the launches of a prediction.
template <class Net, int... X>
std::int64_t check_both() {
  auto const x = numbers<float, shape<X...>>(1);
  esp::model<Net> model{esp::seed{1}};
  using Result = std::remove_cvref_t<decltype(esp::output_shape<Net, shape<X...>>)>;
  auto const y = numbers<float, Result>(2);
  small_backend m;
  esp::model<Net, device> device_model{esp::seed{1}, m};
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::Adam{}, shape<X...>{}};
  esp::trainer far{device_model, nn::MeanSquaredError{}, optim::Adam{}, shape<X...>{}};
  for (int i = 0; i < 3; ++i) {
    float const expected = trainer.step(x, y), actual = far.step(x, y);
    BOOST_TEST(test::near(static_cast<double>(actual), static_cast<double>(expected), 1e-4));
  }
  esp::predictor predict{model, shape<X...>{}};
  esp::predictor predict_far{device_model, shape<X...>{}};
  tensor<float, Result> expected, actual;
  predict(x, expected);
  std::int64_t const before = launches(m);
  predict_far(x, actual);
  BOOST_TEST(esp::all_close(actual, expected, 1e-3, 1e-3));
  return launches(m) - before;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_steps_at_once) {
  std::int64_t const few = check_both<rowwise<4, 4>, 4, 3, 4>();
  BOOST_TEST((check_both<rowwise<12, 4>, 12, 3, 4>()) == few);
  // Slices whose parts would not be aligned.
  check_both<rowwise<5, 3>, 5, 3, 3>();
}

BOOST_AUTO_TEST_CASE(in_parts) {
  std::int64_t const few = check_both<rowwise<4, 4>, 4, 3, 4>();
  std::int64_t const many = check_both<rowwise<120, 4>, 120, 3, 4>();
  BOOST_TEST(many > few);
  BOOST_TEST(many < 30 * few);
}

// Loops within loops, whose steps are computed again. What a step of the outer loop computes is one head's.
BOOST_AUTO_TEST_CASE(attention) {
  std::int64_t const one = check_both<nn::MultiheadAttention<2, 1, {.causal = true}>, 1, 70, 2>();
  std::int64_t const four = check_both<nn::MultiheadAttention<8, 4, {.causal = true}>, 2, 70, 8>();
  BOOST_TEST(four < 8 * one);
}
