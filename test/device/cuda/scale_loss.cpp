// SPDX-License-Identifier: BSL-1.0
// Loss scaling on a device: what gradients of 16 bits lose without it, and float training with the same bits.
#define BOOST_TEST_MODULE device_cuda_scale_loss
#include <boost/test/unit_test.hpp>

#include "half_models.hpp"

using namespace test;

namespace {
/// A net and a loss whose gradients are about 1e-9: a half rounds everything below 3e-8 to 0.
using Tiny = nn::Sequential<nn::Linear<8, 8>, nn::Tanh, nn::Linear<8, 4>>;
struct TinyError {
  ESPALIER_MODULE(TinyError)
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  constexpr auto forward(auto prediction, auto targets) const {
    return esp::mean(esp::square((prediction - targets) * 1e-4f));
  }
};
template <class H, class Optimizer>
struct training {
  esp::model<Tiny, device, H> model{esp::seed{1}};
  esp::trainer<esp::model<Tiny, device, H>, TinyError, Optimizer, esp::batch<8, 8>> trainer;
  std::vector<float> before = on_host(model.parameters());
  double first = 0, last = 0;  // the loss that the host computes in float: a half rounds it to 0

  explicit training(Optimizer optimizer) : trainer{model, TinyError{}, optimizer, esp::batch<8, 8>{}} {
    auto const x = rounded<H>(floats<8, 8>(1));
    auto const y = rounded<H>(floats<8, 4>(2));
    first = trainer.evaluate(x, y).loss;
    for (int step = 0; step < 30; ++step) trainer.step(x, y);
    last = trainer.evaluate(x, y).loss;
  }
  double largest_gradient() const {
    double largest = 0;
    for (float const g : on_host(trainer.gradients())) largest = std::fmax(largest, std::fabs(static_cast<double>(g)));
    return largest;
  }
};
/// Large rates make up for the small gradients: an optimizer that gets them moves.
auto const steep = optim::SGD{.learning_rate = 2e7};
}  // namespace

BOOST_AUTO_TEST_CASE(gradients_that_vanish_in_half_train_with_a_scale) {
  training<esp::half, optim::SGD<>> const without{steep};
  BOOST_TEST(without.largest_gradient() == 0);
  BOOST_TEST(on_host(without.model.parameters()) == without.before, boost::test_tools::per_element());
  BOOST_TEST(without.last == without.first);

  training<esp::half, optim::scale_loss<optim::SGD<>>> const with{optim::scale_loss{steep}};
  BOOST_TEST(with.trainer.skipped_updates() == 0);
  BOOST_TEST(with.largest_gradient() > 1e-5);
  BOOST_TEST(with.first == without.first);
  BOOST_TEST(with.last < 0.5 * with.first, with.last << " after " << with.first);

  // bfloat16 has the range of a float, so it does not need the scale: the same descent.
  training<esp::bfloat16, optim::SGD<>> const wide{steep};
  BOOST_TEST(near(with.last / with.first, wide.last / wide.first, 0.1), with.last << " and " << wide.last);
}
BOOST_AUTO_TEST_CASE(the_backward_pass_begins_with_the_scale) {
  // The gradients of the first layer are those of float, times the scale: no value on the way to them vanished.
  training<float, optim::SGD<>> const exact{optim::SGD{.learning_rate = 0}};
  training<esp::half, optim::scale_loss<optim::SGD<>>> const narrow{
      optim::scale_loss{optim::SGD{.learning_rate = 0}, 0x1p20}};
  auto expected = on_host(exact.trainer.gradients());
  for (float& g : expected) g *= 0x1p20f;
  BOOST_TEST(narrow.trainer.loss_scale() == 0x1p20f);
  check_close(on_host(narrow.trainer.gradients()), expected, 2e-3, "gradient");
}
BOOST_AUTO_TEST_CASE_TEMPLATE(a_scale_that_overflows_falls_until_it_fits, H, narrow) {
  using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 3>>;
  auto const x = rounded<H>(floats<6, 6>(1));
  auto const y = labels<6>(2, 3);
  double const too_large = std::is_same_v<H, esp::half> ? 0x1p30 : 0x1p126;
  esp::model<Net, device, H> model{esp::seed{1}};
  auto const adam = optim::Adam{.learning_rate = 1e-2};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::scale_loss{adam, too_large, 2, 0.125}, esp::batch<6, 6>{}};
  auto const parameters = on_host(model.parameters()), buffers = on_host(model.buffers());
  auto const states = on_host(trainer.states());
  float const first = trainer.step(x, y);
  if constexpr (std::is_same_v<H, esp::half>) {
    BOOST_TEST(trainer.skipped_updates() == 1);
    BOOST_TEST(trainer.steps() == 0);
    BOOST_TEST(trainer.loss_scale() == 0x1p27f);
    BOOST_TEST(on_host(model.parameters()) == parameters, boost::test_tools::per_element());
    BOOST_TEST(on_host(model.buffers()) == buffers, boost::test_tools::per_element());
    auto const now = on_host(trainer.states());  // the master weights, then the moments
    for (std::size_t i = now.size() / 3; i < now.size(); ++i) BOOST_TEST(now[i] == states[i]);
  }
  float last = first;
  for (int step = 0; step < 30; ++step) last = trainer.step(x, y);
  BOOST_TEST(trainer.steps() >= 25);
  BOOST_TEST(trainer.steps() + trainer.skipped_updates() == 31);
  BOOST_TEST(last < 0.7f * first);
}
/// A loss that ends with a product, whose adjoint is the scale itself: in half it is infinite above 65,504.
struct Product {
  ESPALIER_MODULE(Product)
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  constexpr auto forward(auto prediction, auto targets) const {
    return esp::reshape<>(esp::matmul(esp::reshape<1, -1>(prediction), esp::reshape<-1, 1>(targets)));
  }
};
/// The parameter is its own loss: its gradient is the scale.
struct Itself {
  ESPALIER_MODULE(Itself)
  template <class Prediction>
  struct target {
    using type = Prediction;
    using element_type = void;
  };
  constexpr auto forward(auto prediction, auto) const { return esp::reshape<>(prediction); }
};
struct One {
  esp::parameter<shape<1>, nn::init::initialized_by<nn::init::ones{}>> weight;
  ESPALIER_MODULE(One, weight)
  constexpr auto forward(auto x) const { return esp::detach(x) + weight; }
};
BOOST_AUTO_TEST_CASE(losses_whose_last_op_is_no_sum) {
  esp::model<Tiny, device, esp::half> model{esp::seed{1}};
  esp::model<Tiny> other{esp::seed{1}};
  copy(model, other);
  auto const sgd = optim::SGD{.learning_rate = 0};
  esp::trainer trainer{model, Product{}, optim::scale_loss{sgd}, esp::batch<8, 8>{}};
  esp::trainer plain{other, Product{}, sgd, esp::batch<8, 8>{}};
  auto const x = floats<8, 8>(1);
  auto const y = floats<8, 4>(2);
  for (int step = 0; step < 6; ++step) trainer.step(rounded<esp::half>(x), rounded<esp::half>(y));
  BOOST_TEST(trainer.skipped_updates() > 0);
  BOOST_TEST(trainer.steps() + trainer.skipped_updates() == 6);
  plain.step(x, y);
  auto expected = on_host(plain.gradients());
  for (float& g : expected) g *= trainer.loss_scale();
  check_close(on_host(trainer.gradients()), expected, 5e-3, "gradient");

  esp::model<One, device, esp::half> one;
  esp::trainer follows{one, Itself{}, optim::scale_loss{optim::SGD{.learning_rate = 0.25}, 1024}, esp::batch<1, 1>{}};
  tensor<esp::half, shape<1, 1>> const zero{{esp::half(0)}};
  BOOST_TEST(follows.step(zero, zero) == 1);
  BOOST_TEST(on_host(follows.gradients())[0] == 1024);
  BOOST_TEST(on_host(one.parameters())[0] == 0.75f);
}
/// Float on a device: a scale of a power of two changes no bit, whether steps are queued or not.
BOOST_AUTO_TEST_CASE(the_same_bits_in_float) {
  using Net = nn::Sequential<AsImages, nn::Conv<1, 8, 3, nn::conv{.layout = esp::nhwc}>, nn::BatchNorm<8, -1>, nn::ReLU,
                             nn::Dropout<0.25>, nn::Flatten, nn::Linear<288, 5>>;
  auto const adam = optim::Adam{.learning_rate = 3e-3};
  esp::model<Net, device> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer plain{other, nn::SoftmaxLoss{}, adam, esp::batch<6, 6, 6>{}, esp::batch<3, 6, 6>{}};
  esp::trainer scaled{model, nn::SoftmaxLoss{}, optim::scale_loss{adam, 512, 2, 0.5, 3}, esp::batch<6, 6, 6>{},
                      esp::batch<3, 6, 6>{}};
  auto const large = floats<6, 6, 6>(1);
  auto const small = floats<3, 6, 6>(2);
  auto const large_labels = labels<6>(3, 5);
  auto const small_labels = labels<3>(4, 5);
  for (int step = 0; step < 9; ++step) {
    if (step % 3 == 1) {
      scaled.step(large, large_labels, esp::queued{});
      plain.step(large, large_labels);
    } else if (step % 3 == 2) {
      BOOST_TEST(scaled.step(small, small_labels) == plain.step(small, small_labels));
    } else {
      BOOST_TEST(scaled.step(large, large_labels) == plain.step(large, large_labels));
    }
  }
  BOOST_TEST(scaled.loss_scale() == 4096);
  BOOST_TEST(scaled.steps() == 9);
  BOOST_TEST(on_host(model.parameters()) == on_host(other.parameters()), boost::test_tools::per_element());
  BOOST_TEST(on_host(model.buffers()) == on_host(other.buffers()), boost::test_tools::per_element());
  auto expected = on_host(plain.gradients());
  for (float& g : expected) g *= 2048;
  BOOST_TEST(on_host(scaled.gradients()) == expected, boost::test_tools::per_element());
  // A queued step that is skipped leaves the model as it is.
  auto const parameters = on_host(model.parameters()), buffers = on_host(model.buffers());
  auto broken = large;
  broken[7] = INFINITY;
  scaled.step(broken, large_labels, esp::queued{});
  BOOST_TEST(scaled.loss_scale() == 2048);
  BOOST_TEST(scaled.skipped_updates() == 1);
  BOOST_TEST(on_host(model.parameters()) == parameters, boost::test_tools::per_element());
  BOOST_TEST(on_host(model.buffers()) == buffers, boost::test_tools::per_element());
}
// Updates of other kernels: rows of a warp, of a block, of a cluster, and sweeps that are split among blocks.
BOOST_AUTO_TEST_CASE(the_scale_follows_its_rule_for_any_number_of_parameters) {
  auto const check = []<int Width>(std::integral_constant<int, Width>) {
    using Net = nn::Linear<Width, Width>;
    auto const optimizer = optim::scale_loss{optim::SGD{}, 64, 2, 0.5, 2};
    auto const x = floats<2, Width>(1);
    auto const y = labels<2>(2, Width);
    auto broken = x;
    broken[5] = INFINITY;
    auto const train = [&](backend& on) {
      esp::model<Net, device> model{esp::seed{1}, on};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<2, Width>{}};
      float const scale[] = {64, 128, 128, 64, 64, 128}, updates[] = {1, 0, 1, 0, 1, 0};
      for (int step = 0; step < 6; ++step) {
        trainer.step(step == 3 ? broken : x, y);
        auto const found = on_host(trainer.loss_scale_state());
        BOOST_TEST(found[0] == scale[step], Width << " at step " << step);
        BOOST_TEST(found[1] == updates[step], Width << " at step " << step);
      }
      BOOST_TEST(trainer.skipped_updates() == 1);
    };
    train(esp::on_cuda::default_backend<device>());
    // Simulated devices with and without clusters, whose threads run in another order.
    if constexpr (std::is_constructible_v<backend, int, bool>) {
      for (bool const clusters : {true, false}) {
        backend simulated{1, clusters};
        train(simulated);
      }
    }
  };
  check(std::integral_constant<int, 6>{});
  check(std::integral_constant<int, 60>{});
  check(std::integral_constant<int, 240>{});
  check(std::integral_constant<int, 600>{});
}
BOOST_AUTO_TEST_CASE(a_number_outside_its_range) {
  esp::model<Tiny, device, esp::half> model;
  BOOST_CHECK_THROW((esp::trainer{model, TinyError{}, optim::scale_loss{optim::SGD{}, -1}, esp::batch<8, 8>{}}),
                    esp::loss_scale_error);
}
