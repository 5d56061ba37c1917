// SPDX-License-Identifier: BSL-1.0
// Dynamic loss scaling: which numbers it changes, and which it leaves as they are.
#define BOOST_TEST_MODULE optim_scale_loss
#include <boost/test/unit_test.hpp>

#include <espalier/up_to.hpp>

#include <cmath>
#include <limits>
#include <string>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 8>,
                           nn::LayerNorm1d<8>, nn::Tanh, nn::Linear<8, 3>>;
struct AsImages {
  ESPALIER_MODULE(AsImages)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 1, 6, 6>(x); }
};
using Convolutional = nn::Sequential<AsImages, nn::Conv<1, 8, 3>, nn::BatchNorm<8, 1>, nn::ReLU, nn::MaxPool2d<2>,
                                     nn::Flatten, nn::Linear<72, 3>>;

using Smooth = nn::Sequential<nn::Linear<6, 8>, nn::Tanh, nn::LayerNorm1d<8>, nn::Linear<8, 3>>;

/// Trains two models with the same numbers, one with a scale that grows all the time: equal up to rounding. The norm of
/// a clip adds its squares in another order if their kernel divides, too.
template <class Optimizer>
void check_close(Optimizer optimizer) {
  esp::model<Smooth, esp::cpu, double> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer plain{other, nn::SoftmaxLoss{}, optimizer, esp::batch<6, 6>{}};
  esp::trainer scaled{model, nn::SoftmaxLoss{}, optim::scale_loss{optimizer, 512, 2, 0.5, 3}, esp::batch<6, 6>{}};
  for (std::uint64_t step = 0; step < 12; ++step) {
    auto const x = doubles<6, 6>(step);
    auto const y = labels<6>(step, 3);
    BOOST_TEST(std::fabs(scaled.step(x, y) - plain.step(x, y)) < 1e-9);
  }
  BOOST_TEST(scaled.loss_scale() == 8192);
  auto const got = copy(model.parameters()), expected = copy(other.parameters());
  for (std::size_t i = 0; i < expected.size(); ++i) BOOST_TEST(std::fabs(got[i] - expected[i]) < 1e-9);
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__FAST_MATH__)
/// In two programs, a compiler may fuse other products with other sums.
constexpr bool rounds_by_program = true;
#else
constexpr bool rounds_by_program = false;
#endif
/// The same bits, unless a compiler rounds otherwise.
template <class T>
void check_same(std::vector<T> const& got, std::vector<T> const& expected, T scale = 1) {
  BOOST_TEST_REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(std::fabs(got[i] - scale * expected[i]) <= (rounds_by_program ? T(1e-4) * scale : T(0)));
}
/// The same, bit for bit.
template <class N, class T, int Large, int Small, int... Sample, class Optimizer>
void check_same_bits(Optimizer optimizer) {
  if constexpr (rounds_by_program) return check_close(optimizer);
  esp::model<N, esp::cpu, T> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer plain{other, nn::SoftmaxLoss{}, optimizer, esp::batch<Large, Sample...>{},
                     esp::batch<Small, Sample...>{}};
  esp::trainer scaled{model, nn::SoftmaxLoss{},
                      optim::scale_loss{.optimizer = optimizer, .init_scale = 512, .growth_interval = 3},
                      esp::batch<Large, Sample...>{}, esp::batch<Small, Sample...>{}};
  for (std::uint64_t step = 0; step < 12; ++step) {
    T const scale = scaled.loss_scale();
    if (step % 3 == 2) {
      auto const x = numbers<T, shape<Small, Sample...>>(step);
      auto const y = labels<Small>(step, 3);
      BOOST_TEST(scaled.step(x, y) == plain.step(x, y));
    } else {
      auto const x = numbers<T, shape<Large, Sample...>>(step);
      auto const y = labels<Large>(step, 3);
      BOOST_TEST(scaled.step(x, y) == plain.step(x, y));
    }
    auto gradients = copy(plain.gradients());
    for (T& g : gradients) g *= scale;
    BOOST_TEST(copy(scaled.gradients()) == gradients, boost::test_tools::per_element());
    auto const expected = static_cast<T>(std::ldexp(512, static_cast<int>(step + 1) / 3));
    BOOST_TEST(scaled.loss_scale() == expected);
    BOOST_TEST(copy(model.parameters()) == copy(other.parameters()), boost::test_tools::per_element());
  }
  BOOST_TEST(copy(model.buffers()) == copy(other.buffers()), boost::test_tools::per_element());
  BOOST_TEST(copy(scaled.states()) == copy(plain.states()), boost::test_tools::per_element());
  BOOST_TEST(scaled.steps() == 12);
  BOOST_TEST(scaled.skipped_updates() == 0);
}

/// What PyTorch's GradScaler.update does with its scale and its growth tracker.
struct rule_of_pytorch {
  double scale, growth_factor, backoff_factor;
  int growth_interval, growth_tracker = 0;
  void update(bool found_inf) {
    if (found_inf) {
      scale *= backoff_factor;
      growth_tracker = 0;
    } else if (++growth_tracker == growth_interval) {
      scale *= growth_factor;
      growth_tracker = 0;
    }
  }
};

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (esp::loss_scale_error const& error) {
    return error.what();
  }
  return "nothing thrown";
}

#define ESPALIER_TEST_TARGET   \
  template <class Prediction>  \
  struct target {              \
    using type = Prediction;   \
    using element_type = void; \
  };
struct LoopError {
  ESPALIER_MODULE(LoopError)
  ESPALIER_TEST_TARGET
  constexpr auto forward(auto prediction, auto targets) const {
    auto const error = esp::mean(esp::square(prediction - targets));
    return esp::repeat<3>([&](auto const& sum) { return sum * 0.5f + error; }, error);
  }
};
struct RecomputedError {
  ESPALIER_MODULE(RecomputedError)
  ESPALIER_TEST_TARGET
  constexpr auto forward(auto prediction, auto targets) const {
    return esp::checkpoint([](auto z, auto y) { return esp::mean(esp::square(z - y)); }, prediction, targets);
  }
};
/// Adjoints that are literals, and others, of the same values: the prediction itself, and a sum of it.
struct SumOfParts {
  ESPALIER_MODULE(SumOfParts)
  ESPALIER_TEST_TARGET
  constexpr auto forward(auto prediction, auto targets) const {
    auto const part = esp::sum(prediction);
    return esp::mean(esp::square(prediction - targets)) + part * 0.25f + part * part * 0.125f;
  }
};
#undef ESPALIER_TEST_TARGET

using Small = nn::Sequential<nn::Linear<2, 3>, nn::BatchNorm1d<3>, nn::Dropout<0.5>, nn::Linear<3, 2>>;
template <class T>
constexpr T infinite = std::numeric_limits<T>::infinity();
}  // namespace

BOOST_AUTO_TEST_CASE(same_bits_as_without_a_scale) {
  check_same_bits<Net, float, 6, 4, 6>(optim::SGD{.learning_rate = 0.1});
  check_same_bits<Net, float, 6, 4, 6>(
      optim::SGD{.learning_rate = 0.05, .momentum = optim::heavy_ball{0.9}, .weight_decay = 0.01});
  check_same_bits<Net, float, 6, 4, 6>(optim::Adam{.learning_rate = 0.01, .weight_decay = 0.01});
  check_same_bits<Net, double, 6, 4, 6>(optim::Adam{.learning_rate = 0.01});
  check_same_bits<Convolutional, float, 6, 2, 6, 6>(optim::Adam{.learning_rate = 0.01});
}
// A clip of the scaled gradient would reduce it to nearly nothing, and a decay would be too small.
BOOST_AUTO_TEST_CASE(other_wrappers_get_gradients_without_the_scale) {
  check_close(optim::clip_by_norm{optim::SGD{.learning_rate = 0.1}, 0.05});
  check_close(optim::clip_by_norm{optim::Adam{.learning_rate = 0.01}, 0.05});
  check_same_bits<Net, float, 6, 4, 6>(optim::clip_by_value{optim::SGD{.learning_rate = 0.1}, 0.05});
  check_same_bits<Net, float, 6, 4, 6>(optim::penalized{optim::SGD{.learning_rate = 0.1}, 1e-3, 1e-2, true});
  check_same_bits<Net, double, 6, 4, 6>(optim::decay_only<optim::weights>(optim::AdamW{.weight_decay = 0.1}));
  check_same_bits<Net, float, 6, 4, 6>(optim::skip_non_finite{optim::decoupled{optim::amsgrad{optim::Adam{}}, 0.1}});
}
BOOST_AUTO_TEST_CASE(loops_and_recomputed_blocks) {
  using Recurrent = nn::Sequential<nn::LastOutput<nn::GRU<6, 4, nn::gru{.batch_first = true}>>, nn::Linear<4, 3>>;
  using Recomputed =
      nn::Sequential<nn::Linear<6, 8>, nn::Checkpoint<nn::Sequential<nn::Linear<8, 8>, nn::Tanh>>, nn::Linear<8, 3>>;
  check_same_bits<Recurrent, float, 6, 4, 5, 6>(optim::SGD{.learning_rate = 0.1});
  check_same_bits<Recomputed, float, 6, 4, 6>(optim::Adam{.learning_rate = 0.01});
}
// The adjoint of such a loss is a literal where the loop or the block begins to be pulled back.
BOOST_AUTO_TEST_CASE(losses_of_loops_and_recomputed_blocks) {
  auto const check = []<class Loss>(Loss loss) {
    esp::model<nn::Linear<6, 3>> model{esp::seed{1}}, other{esp::seed{1}};
    esp::trainer plain{other, loss, optim::SGD{}, esp::batch<4, 6>{}};
    esp::trainer scaled{model, loss, optim::scale_loss{optim::SGD{}, 1024}, esp::batch<4, 6>{}};
    for (std::uint64_t step = 0; step < 3; ++step) {
      auto const x = floats<4, 6>(step);
      auto const y = floats<4, 3>(step + 9);
      check_same(std::vector{scaled.step(x, y)}, std::vector{plain.step(x, y)});
      check_same(copy(scaled.gradients()), copy(plain.gradients()), 1024.0f);
    }
    BOOST_TEST((copy(plain.gradients()) != std::vector<float>(copy(plain.gradients()).size())));
    check_same(copy(model.parameters()), copy(other.parameters()));
  };
  check(LoopError{});
  check(RecomputedError{});
  check(SumOfParts{});
}
BOOST_AUTO_TEST_CASE(the_stored_gradient_has_the_scale) {
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer plain{other, nn::SoftmaxLoss{}, optim::SGD{}, esp::batch<6, 6>{}};
  esp::trainer scaled{model, nn::SoftmaxLoss{}, optim::scale_loss{optim::SGD{}, 1024}, esp::batch<6, 6>{}};
  auto const x = floats<6, 6>(1);
  auto const y = labels<6>(2, 3);
  plain.step(x, y);
  scaled.step(x, y);
  check_same(copy(scaled.gradients()), copy(plain.gradients()), 1024.0f);
}
BOOST_AUTO_TEST_CASE(the_scale_follows_the_rule_of_pytorch) {
  esp::model<Small, esp::cpu, double> model{esp::seed{1}};
  auto const check = [&](optim::scale_loss<optim::SGD<>> optimizer, std::vector<double> const& by_hand) {
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<4, 2>{}};
    rule_of_pytorch rule{optimizer.init_scale, optimizer.growth_factor, optimizer.backoff_factor,
                         static_cast<int>(optimizer.growth_interval)};
    auto const y = labels<4>(3, 2);
    BOOST_TEST(trainer.loss_scale() == rule.scale);
    // Two good steps, a bad one, three good ones (growth), two bad ones, six good ones (growth twice).
    char const* const steps = "++-+++--++++++";
    for (std::size_t i = 0; steps[i] != 0; ++i) {
      auto x = doubles<4, 2>(i);
      if (steps[i] == '-') x[3] = i % 2 == 0 ? infinite<double> : std::nan("");
      trainer.step(x, y);
      rule.update(steps[i] == '-');
      BOOST_TEST(trainer.loss_scale() == rule.scale, "step " << i);
      BOOST_TEST(trainer.loss_scale() == by_hand[i], "step " << i);
      BOOST_TEST(trainer.loss_scale_state().data()[1] == rule.growth_tracker, "step " << i);
    }
    BOOST_TEST(trainer.skipped_updates() == 3);
    BOOST_TEST(trainer.steps() == 11);
  };
  check(optim::scale_loss{optim::SGD{}, 1024, 2, 0.5, 3},
        {1024, 1024, 512, 512, 512, 1024, 512, 256, 256, 256, 512, 512, 512, 1024});
  check(optim::scale_loss{optim::SGD{}, 4, 3, 0.25, 3},
        {4, 4, 1, 1, 1, 3, 0.75, 0.1875, 0.1875, 0.1875, 0.5625, 0.5625, 0.5625, 1.6875});
}
BOOST_AUTO_TEST_CASE(a_skipped_step_changes_only_the_scale) {
  auto const adam = optim::scale_loss{optim::clip_by_norm{optim::Adam{.learning_rate = 0.01}, 1.0}, 1024};
  esp::model<Net> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, adam, esp::batch<6, 6>{}};
  auto const y = labels<6>(2, 3);
  for (std::uint64_t step = 0; step < 3; ++step) trainer.step(floats<6, 6>(step), y);
  for (float const odd : {infinite<float>, -infinite<float>, std::nanf("")}) {
    auto const parameters = copy(model.parameters()), buffers = copy(model.buffers()), states = copy(trainer.states());
    float const scale = trainer.loss_scale();
    auto x = floats<6, 6>(7);
    x[8] = odd;
    trainer.step(x, y);
    BOOST_TEST(copy(model.parameters()) == parameters, boost::test_tools::per_element());
    BOOST_TEST(copy(model.buffers()) == buffers, boost::test_tools::per_element());
    BOOST_TEST(copy(trainer.states()) == states, boost::test_tools::per_element());
    BOOST_TEST(trainer.steps() == 3);
    BOOST_TEST(trainer.loss_scale() == scale / 2);
  }
  BOOST_TEST(trainer.skipped_updates() == 3);
}
// A float gradient overflows by its scale alone: the scale falls until it fits, and nothing else has changed then.
BOOST_AUTO_TEST_CASE(a_scale_that_is_too_large_falls) {
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{1}};
  auto const sgd = optim::SGD{.learning_rate = 0.1};
  esp::trainer plain{other, nn::SoftmaxLoss{}, sgd, esp::batch<6, 6>{}};
  esp::trainer scaled{model, nn::SoftmaxLoss{}, optim::scale_loss{sgd, 0x1p126, 2, 0x1p-10}, esp::batch<6, 6>{}};
  auto const y = labels<6>(2, 3);
  auto const x = tensor<float, shape<6, 6>>{floats<6, 6>(1) * 1e4f};
  auto const before = copy(model.parameters());
  while (scaled.steps() == 0) {
    BOOST_TEST_REQUIRE(scaled.skipped_updates() < 10);
    scaled.step(x, y);
  }
  BOOST_TEST(scaled.skipped_updates() > 0);
  BOOST_TEST(scaled.loss_scale() == std::ldexp(1.0f, 126 - 10 * static_cast<int>(scaled.skipped_updates())));
  BOOST_TEST((copy(model.parameters()) != before));
  BOOST_TEST(std::isfinite(plain.step(x, y)));
}
BOOST_AUTO_TEST_CASE(the_scale_stays_a_normal_number) {
  esp::model<Small, esp::cpu, double> model{esp::seed{1}};
  auto const y = labels<4>(3, 2);
  auto const x = doubles<4, 2>(1);
  esp::trainer high{model, nn::SoftmaxLoss{}, optim::scale_loss{optim::SGD{}, 0x1p125, 2, 0.5, 1}, esp::batch<4, 2>{}};
  for (int step = 0; step < 4; ++step) {
    high.step(x, y);
    BOOST_TEST(high.loss_scale() == 0x1p126);
  }
  BOOST_TEST(high.steps() == 4);
  esp::trainer low{model, nn::SoftmaxLoss{}, optim::scale_loss{optim::SGD{}, 0x1p-125}, esp::batch<4, 2>{}};
  auto broken = x;
  broken[0] = infinite<double>;
  for (int step = 0; step < 4; ++step) {
    low.step(broken, y);
    BOOST_TEST(low.loss_scale() == 0x1p-126);
  }
  BOOST_TEST(low.skipped_updates() == 4);
}
// Numbers that a small scale makes infinite are no gradient to update with.
BOOST_AUTO_TEST_CASE(a_gradient_that_the_division_makes_infinite_is_skipped) {
  esp::model<nn::Linear<2, 1>> model{esp::seed{1}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::scale_loss{optim::SGD{}, 0x1p-100}, esp::batch<1, 2>{}};
  auto const before = copy(model.parameters());
  tensor<float, shape<1, 2>> const x{{1e20f, 1}};
  trainer.step(x, tensor<float, shape<1, 1>>{{0}});
  BOOST_TEST(trainer.skipped_updates() == 1);
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(numbers_may_change_while_training) {
  esp::model<Small> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::scale_loss{optim::SGD{}, 8}, esp::batch<4, 2>{}};
  auto const y = labels<4>(3, 2);
  for (int step = 0; step < 5; ++step) trainer.step(floats<4, 2>(1), y);
  BOOST_TEST(trainer.loss_scale() == 8);
  trainer.optimizer().growth_interval = 2;  // fewer than the updates so far: the next one is due
  trainer.optimizer().growth_factor = 4;
  trainer.step(floats<4, 2>(1), y);
  BOOST_TEST(trainer.loss_scale() == 32);
  trainer.step(floats<4, 2>(1), y);
  BOOST_TEST(trainer.loss_scale() == 32);
  trainer.learning_rate() = 0.5;
  BOOST_TEST(trainer.optimizer().optimizer.learning_rate == 0.5);
}
BOOST_AUTO_TEST_CASE(numbers_outside_their_range) {
  esp::model<Small> model{esp::seed{1}};
  auto const made = [&](optim::scale_loss<optim::SGD<>> optimizer) {
    return message_of([&] { esp::trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<4, 2>{}}; });
  };
  std::string const scale = "optim::scale_loss: expected init_scale from 2^-126 to 2^126, got ";
  for (double const x : {0.0, -1.0, 1e39, 1e-39}) BOOST_TEST(made({{}, x}).starts_with(scale), x);
  BOOST_TEST(made({{}, 0}) == scale + "0");
  BOOST_TEST(made({{}, infinite<double>}) == scale + "inf");
  BOOST_TEST(made({{}, std::nan("")}).starts_with(scale));
  std::string const growth = "optim::scale_loss: expected growth_factor from 1 to 2^126, got ";
  BOOST_TEST(made({{}, 8, 0.5}) == growth + "0.5");
  BOOST_TEST(made({{}, 8, infinite<double>}) == growth + "inf");
  std::string const backoff = "optim::scale_loss: expected backoff_factor above 0 and below 1, got ";
  BOOST_TEST(made({{}, 8, 2, 0}) == backoff + "0");
  BOOST_TEST(made({{}, 8, 2, 1}) == backoff + "1");
  BOOST_TEST(made({{}, 8, 2, -0.5}) == backoff + "-0.5");
  std::string const interval = "optim::scale_loss: expected growth_interval from 1 to 16777216, got ";
  BOOST_TEST(made({{}, 8, 2, 0.5, 0}) == interval + "0");
  BOOST_TEST(made({{}, 8, 2, 0.5, 16777217}) == interval + "16777217");
  BOOST_TEST(made({{}, 8, 1, 0.5, 16777216}) == "nothing thrown");
}
BOOST_AUTO_TEST_CASE(a_number_that_leaves_its_range_changes_nothing) {
  esp::model<Small> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::scale_loss{optim::SGD{}}, esp::batch<4, 2>{}};
  auto const y = labels<4>(3, 2);
  trainer.step(floats<4, 2>(1), y);
  auto const parameters = copy(model.parameters()), buffers = copy(model.buffers());
  auto const random_steps = model.random_steps();
  trainer.optimizer().backoff_factor = 2;
  BOOST_TEST(message_of([&] { trainer.step(floats<4, 2>(2), y); }) ==
             "optim::scale_loss: expected backoff_factor above 0 and below 1, got 2");
  BOOST_TEST(copy(model.parameters()) == parameters, boost::test_tools::per_element());
  BOOST_TEST(copy(model.buffers()) == buffers, boost::test_tools::per_element());
  BOOST_TEST(model.random_steps() == random_steps);
  BOOST_TEST(trainer.steps() == 1);
  BOOST_TEST(trainer.skipped_updates() == 0);
}
// Without a scale, a step computes the rows of the table that it reads; with one, it fills the whole gradient.
BOOST_AUTO_TEST_CASE(tables) {
  using Words = nn::Sequential<nn::Embedding<40, 4>, nn::Flatten, nn::Linear<12, 2>>;
  esp::model<Words> model{esp::seed{1}}, other{esp::seed{1}};
  auto const sgd = optim::SGD{.learning_rate = 0.1};
  esp::trainer plain{other, nn::SoftmaxLoss{}, sgd, esp::batch<4, 3>{}};
  esp::trainer scaled{model, nn::SoftmaxLoss{}, optim::scale_loss{sgd, 64}, esp::batch<4, 3>{}};
  for (std::uint64_t step = 0; step < 4; ++step) {
    auto const x = labels<4, 3>(step, 40);
    auto const y = labels<4>(step, 2);
    check_same(std::vector{scaled.step(x, y)}, std::vector{plain.step(x, y)});
  }
  check_same(copy(model.parameters()), copy(other.parameters()));
  auto wrong = labels<4, 3>(1, 40);
  wrong[5] = 40;
  BOOST_CHECK_THROW(scaled.step(wrong, labels<4>(1, 2)), esp::index_error);
}
BOOST_AUTO_TEST_CASE(batches_of_up_to_n_samples) {
  using Batch = esp::batch<esp::up_to<8>, 6>;
  using Layers = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 3>>;
  esp::model<Layers, esp::cpu, double> model{esp::seed{1}}, other{esp::seed{1}};
  auto const sgd = optim::clip_by_value{optim::SGD{.learning_rate = 0.1}, 0.05};
  esp::trainer plain{other, nn::SoftmaxLoss{}, sgd, Batch{}};
  esp::trainer scaled{model, nn::SoftmaxLoss{}, optim::scale_loss{sgd, 64, 2, 0.5, 4}, Batch{}};
  for (std::size_t step = 0; step < 8; ++step) {
    auto const x = doubles<8, 6>(step);
    auto const y = labels<8>(step, 3);
    std::size_t const samples = 2 + step % 7;
    std::vector<double> const some{x.data(), x.data() + samples * 6};
    std::vector<std::int32_t> const targets{y.data(), y.data() + samples};
    check_same(std::vector{scaled.step(some, targets)}, std::vector{plain.step(some, targets)});
  }
  BOOST_TEST(scaled.loss_scale() == 256);
  check_same(copy(model.parameters()), copy(other.parameters()));
  auto const before = copy(model.parameters()), buffers = copy(model.buffers());
  std::vector<double> broken(18, 0.5);
  broken[4] = infinite<double>;
  scaled.step(broken, std::vector<std::int32_t>{0, 1, 2});
  BOOST_TEST(scaled.loss_scale() == 128);
  BOOST_TEST(scaled.skipped_updates() == 1);
  BOOST_TEST(scaled.steps() == 8);
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
  BOOST_TEST(copy(model.buffers()) == buffers, boost::test_tools::per_element());
  scaled.optimizer().growth_factor = 0;
  BOOST_CHECK_THROW(scaled.step(broken, std::vector<std::int32_t>{0, 1, 2}), esp::loss_scale_error);
}
BOOST_AUTO_TEST_CASE(facts_and_memory) {
  using Model = esp::model<Net>;
  using Loss = nn::SoftmaxLoss;
  using Batch = esp::batch<6, 6>;
  using Scaled = optim::scale_loss<optim::Adam>;
  constexpr auto const& plain = esp::training_plan<Net, Loss, optim::Adam, Batch>;
  constexpr auto const& scaled = esp::training_plan<Net, Loss, Scaled, Batch>;
  static_assert(scaled.optimizer_bytes == plain.optimizer_bytes + 64);
  static_assert(scaled.optimizer_bytes == esp::trainer<Model, Loss, Scaled, Batch>::optimizer_bytes);
  static_assert(scaled.kernel_count == esp::trainer<Model, Loss, Scaled, Batch>::kernel_count);
  static_assert(Scaled::states == 2 && optim::scalars<Scaled> == 2 && optim::scalars<optim::Adam> == 0);
  // All memory is the trainer's, so it can be yours.
  Model model{esp::seed{1}};
  static esp::bytes<esp::trainer<Model, Loss, Scaled, Batch>::bytes> storage;
  esp::trainer trainer{storage, model, Loss{}, Scaled{}, Batch{}};
  BOOST_TEST(trainer.loss_scale() == 65536);
  trainer.step(floats<6, 6>(1), labels<6>(1, 3));
  BOOST_TEST(trainer.steps() == 1);
}
