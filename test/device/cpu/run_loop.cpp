// SPDX-License-Identifier: BSL-1.0
// Loops in nets: training, prediction, frozen nets and functions of models run the same steps.
#define BOOST_TEST_MODULE device_cpu_run_loop
#include <espalier/device/cpu/run_loop.hpp>

#include <vector>

#include <espalier.hpp>

#include "support/numbers.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

/// A step with a table, a dropout and layers, whose values are kept or computed again.
template <bool Again>
struct residual {
  nn::Embedding<7, 4> table;
  nn::Linear<4, 6> in;
  nn::Linear<6, 4> out;
  nn::Dropout<0.25> drop;
  nn::LayerNorm1d<4> norm;
  ESPALIER_MODULE(residual, table, in, out, drop, norm)
  using input_element = std::int32_t;

  constexpr auto forward(auto indices) const {
    auto const block = [&](auto const& h, auto const& i) { return h + out(tanh(drop(in(norm(h + table(i)))))); };
    auto const next = [&](auto const& h, auto const& i) {
      if constexpr (Again) return esp::checkpoint(block, h, i);
      else return block(h, i);
    };
    auto const step = [&](auto const& h, auto const& i) {
      auto const n = next(h, i);
      return std::tuple{n, n};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, 4>>(indices), indices));
  }
};
/// The losses of some steps of training, then all parameters.
template <bool Again>
std::vector<double> trained() {
  esp::model<residual<Again>, esp::cpu, double> model{esp::seed{3}};
  esp::tensor<std::int32_t, esp::shape<5, 2>> x;
  for (int i = 0; i < 10; ++i) x[i] = i * 3 % 7;
  auto const y = test::numbers<double, esp::shape<5, 2, 4>>(1);
  esp::trainer trainer{model, nn::MeanSquaredError{}, esp::optim::SGD<>{.learning_rate = 0.1}, esp::batch<5, 2>{}};
  std::vector<double> r;
  for (int i = 0; i < 4; ++i) r.push_back(trainer.step(x, y));
  model.for_each_parameter([&](char const*, esp::extents const&, auto values) {
    for (double const v : values) r.push_back(v);
  });
  return r;
}
template <int H>
struct recurrent {
  nn::Linear<H, H> state;
  nn::Linear<4, H> input;
  nn::LayerNorm1d<H> norm;
  ESPALIER_MODULE(recurrent, state, input, norm)

  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& xt) {
      auto const next = tanh(norm(state(h) + input(xt)));
      return std::tuple{next, next};
    };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<2, H>>(x), x));
  }
};
template <int H>
struct written_out {
  nn::Linear<H, H> state;
  nn::Linear<4, H> input;
  nn::LayerNorm1d<H> norm;
  ESPALIER_MODULE(written_out, state, input, norm)

  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& xt) { return tanh(norm(state(h) + input(xt))); };
    auto const [x0, x1, x2, x3, x4] = esp::split<0>(x);
    auto const a = step(esp::zeros<esp::shape<2, H>>(x), x0), b = step(a, x1), c = step(b, x2), d = step(c, x3),
               e = step(d, x4);
    return esp::stack<0>(a, b, c, d, e);
  }
};
using input = esp::tensor<float, esp::shape<5, 2, 4>>;
using output = esp::tensor<float, esp::shape<5, 2, 6>>;
template <class X>
X filled(float step) {
  X x;
  int k = 0;
  for (auto& e : x) e = step * static_cast<float>(++k % 7) - 0.3f;
  return x;
}

struct masked {
  nn::Dropout<0.5> drop;
  ESPALIER_MODULE(masked, drop)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& xt) { return std::tuple{h, drop(xt)}; };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<8>>(x), x));
  }
};
struct tokens {
  nn::Embedding<9, 3> table;
  nn::Linear<3, 3> state;
  ESPALIER_MODULE(tokens, table, state)
  template <bool Loop>
  constexpr auto run(auto indices) const {
    auto const h0 = esp::zeros<esp::shape<2, 3>>(indices);
    if constexpr (Loop) {
      auto const step = [&](auto const& h, auto const& i) {
        return std::tuple{tanh(state(h) + table(i)), std::tuple{}};
      };
      return std::get<0>(esp::scan(step, h0, indices));
    } else {
      auto const [x0, x1, x2] = esp::split<0>(table(indices));
      return tanh(state(tanh(state(tanh(state(h0) + x0)) + x1)) + x2);
    }
  }
  constexpr auto forward(auto indices) const { return run<true>(indices); }
};
template <bool Loop>
inline constexpr auto loss_of_tokens =
    [](auto const& net, auto const& indices) { return sum(square(net.template run<Loop>(indices))); };

}  // namespace

BOOST_AUTO_TEST_CASE(training_is_that_of_the_steps) {
  esp::model<recurrent<6>> loop{esp::seed{3}};
  esp::model<written_out<6>> steps{esp::seed{3}};
  esp::trainer train_loop{loop, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<5, 2, 4>{}};
  esp::trainer train_steps{steps, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<5, 2, 4>{}};
  input const x = filled<input>(0.1f);
  output const y = filled<output>(0.2f);
  for (int i = 0; i < 20; ++i) {
    float const a = train_loop.step(x, y), b = train_steps.step(x, y);
    BOOST_TEST(a == b, boost::test_tools::tolerance(1e-4f));
  }
  esp::predictor predict{loop, esp::batch<5, 2, 4>{}};
  esp::frozen frozen{loop, esp::batch<5, 2, 4>{}};
  output predicted, from_frozen;
  predict(x, predicted);
  frozen(x, from_frozen);
  output const called = loop(x), expected = steps(x);
  BOOST_TEST((predicted == called));
  BOOST_TEST(all_close(predicted, expected, 1e-3));
  BOOST_TEST(all_close(from_frozen, called, 1e-6));
}

BOOST_AUTO_TEST_CASE(random_numbers_differ_from_step_to_step) {
  esp::model<masked> model{esp::seed{3}};
  esp::tensor<float, esp::shape<16, 8>> ones;
  for (auto& e : ones) e = 1;
  auto const gradient = esp::grad<1>([](auto const& net, auto const& x) { return sum(net(x)); })(model, ones);
  int zeros = 0, equal_to_first = 0;
  for (int t = 0; t < 16; ++t) {
    bool same = true;
    for (int i = 0; i < 8; ++i) {
      float const d = gradient(t, i);
      BOOST_TEST((d == 0.0f || d == 2.0f));
      zeros += d == 0.0f ? 1 : 0;
      same = same && d == gradient(0, i);
    }
    equal_to_first += same ? 1 : 0;
  }
  BOOST_TEST(zeros > 32);
  BOOST_TEST(zeros < 96);
  BOOST_TEST(equal_to_first < 4);
}

BOOST_AUTO_TEST_CASE(a_table_is_read_in_the_step) {
  esp::model<tokens> model{esp::seed{3}};
  esp::tensor<std::int32_t, esp::shape<3, 2>> const indices{{1, 8}, {0, 1}, {4, 4}};
  auto const [a, da] = esp::value_and_grad<0>(loss_of_tokens<true>)(model, indices);
  auto const [b, db] = esp::value_and_grad<0>(loss_of_tokens<false>)(model, indices);
  BOOST_TEST(a == b, boost::test_tools::tolerance(1e-5f));
  auto const at = da.parameter("table.weight").span(), bt = db.parameter("table.weight").span();
  BOOST_REQUIRE(at.size() == 27);
  for (std::int64_t i = 0; i < 27; ++i) BOOST_TEST(std::abs(at[i] - bt[i]) < 1e-5f);
  esp::tensor<std::int32_t, esp::shape<3, 2>> const wrong{{1, 8}, {0, 9}, {4, 4}};
  BOOST_CHECK_THROW((void)esp::grad<0>(loss_of_tokens<true>)(model, wrong), esp::index_error);
}

// The masks are those of the forward pass, and the gradients of the layers are summed in the steps.
BOOST_AUTO_TEST_CASE(layers_that_each_step_computes_again) {
  auto const kept = trained<false>(), again = trained<true>();
  BOOST_REQUIRE(kept.size() == again.size());
  for (std::size_t i = 0; i < kept.size(); ++i) BOOST_TEST(std::abs(kept[i] - again[i]) < 1e-12);
  BOOST_TEST(again[3] < again[0]);
}

namespace {
/// A recurrent layer over the first positions of its input, whose number is an input, too.
struct counted {
  using input_element = std::tuple<float, std::int32_t>;
  nn::Linear<4, 6> input;
  nn::Linear<6, 6> state;
  ESPALIER_MODULE(counted, input, state)
  constexpr auto forward(auto x, auto count) const {
    auto const step = [&](auto const& h, auto const& xt) {
      auto const next = tanh(input(xt) + state(h));
      return std::tuple{next, next};
    };
    return esp::scan(step, esp::zeros<esp::shape<2, 6>>(x), x, count);
  }
};
/// The same for sequences of one length.
struct whole {
  nn::Linear<4, 6> input;
  nn::Linear<6, 6> state;
  ESPALIER_MODULE(whole, input, state)
  constexpr auto forward(auto x) const {
    auto const step = [&](auto const& h, auto const& xt) {
      auto const next = tanh(input(xt) + state(h));
      return std::tuple{next, next};
    };
    return esp::scan(step, esp::zeros<esp::shape<2, 6>>(x), x);
  }
};
/// A power of a number, which is a parameter.
struct power {
  using input_element = std::int32_t;
  nn::Linear<1, 1> factor;
  ESPALIER_MODULE(power, factor)
  constexpr auto forward(auto count) const {
    auto const one = esp::zeros<esp::shape<1, 1>>(count) + 1;
    return esp::repeat<8>([&](auto const& x) { return matmul(x, factor.weight); }, one, count);
  }
};
using count_type = esp::tensor<std::int32_t, esp::shape<1>>;
inline constexpr auto loss_of_count = [](auto net, auto xs, auto n) { return sum(square(std::get<1>(net(xs, n)))); };
inline constexpr auto descend = [](auto net, auto optimizer, auto xs, auto n) {
  auto const [value, gradients] = esp::value_and_grad<0>(loss_of_count)(net, xs, n);
  optimizer.update(net, gradients);
  return value;
};
}  // namespace

BOOST_AUTO_TEST_CASE(the_number_of_steps_is_an_input) {
  esp::model<counted> const model{esp::seed{3}};
  esp::model<whole> const first_three{esp::seed{3}};
  auto const x = filled<input>(0.1f);
  esp::tensor<float, esp::shape<3, 2, 4>> part;
  for (int i = 0; i < 24; ++i) part[i] = x[i];
  auto const [expected_last, expected] = first_three(part);
  esp::predictor predict{model, esp::batch<5, 2, 4>{}, esp::batch<1>{}};
  esp::frozen frozen{model, esp::batch<5, 2, 4>{}, esp::batch<1>{}};
  esp::tensor<float, esp::shape<2, 6>> last;
  output hs;
  auto const check = [&] {
    BOOST_TEST(all_close(last, expected_last, 1e-6));
    for (int i = 0; i < 60; ++i) BOOST_TEST(std::abs(hs[i] - (i < 36 ? expected[i] : 0.0f)) < 1e-6f);
  };
  auto const run = [&](auto const& f) {
    hs.fill(77);
    f(x, count_type{3}, last, hs);
    check();
    f(x, count_type{0}, last, hs);
    BOOST_TEST((last == esp::tensor<float, esp::shape<2, 6>>{} && hs == output{}));
    f(x, count_type{5}, last, hs);
    output const all = hs;
    for (int wrong : {-1, 6}) {
      BOOST_CHECK_THROW(f(x, count_type{wrong}, last, hs), esp::index_error);
      BOOST_TEST(hs == all);
    }
  };
  run([&](auto&&... at) { predict(at...); });
  run([&](auto&&... at) { frozen(at...); });
  run([&](auto const& a, auto const& n, auto& l, auto& all) { std::tie(l, all) = model(a, n); });
  try {
    predict(x, count_type{6}, last, hs);
  } catch (esp::index_error const& e) {
    BOOST_TEST(std::string(e.what()) == "number of steps of a loop: expected 0 to 5, got 6");
  }
}

BOOST_AUTO_TEST_CASE(training_with_a_number_of_steps) {
  // Functions of a model, with an update that a wrong count prevents.
  esp::model<counted> model{esp::seed{3}};
  auto const x = filled<input>(0.1f);
  esp::optim::updater sgd{model, esp::optim::SGD<>{.learning_rate = 0.01}};
  auto const before = esp::value_and_grad<0>(loss_of_count)(model, x, count_type{3});
  esp::compiled step{descend, model, sgd, x, count_type{}};
  esp::tensor<float, esp::shape<>> value;
  auto const weight = [&] {
    auto const w = model.parameter("state.weight").span();
    return std::vector<float>(w.begin(), w.end());
  };
  auto const initial = weight();
  BOOST_CHECK_THROW(step(x, count_type{6}, value), esp::index_error);
  BOOST_TEST((weight() == initial));
  step(x, count_type{3}, value);
  float const first = value[0];
  BOOST_TEST(first == before.first, boost::test_tools::tolerance(1e-5f));
  BOOST_TEST((weight() != initial));
  step(x, count_type{3}, value);
  BOOST_TEST(value[0] < first);

  // A trainer whose input is the count.
  esp::model<power> of{esp::seed{1}};
  esp::trainer trainer{of, nn::MeanSquaredError{}, esp::optim::SGD<>{.learning_rate = 0.01}, esp::batch<1>{}};
  of.parameters()[0] = 1.5f;
  esp::tensor<float, esp::shape<1, 1>> const target{{0}};
  float const trained_loss = trainer.step(count_type{2}, target);
  BOOST_TEST(trained_loss == 2.25f * 2.25f, boost::test_tools::tolerance(1e-5f));
  // d(w^2)^2/dw = 4 w^3
  float const w = of.parameters()[0];
  BOOST_TEST(w == 1.5f - 0.01f * 4 * 3.375f, boost::test_tools::tolerance(1e-5f));
  BOOST_CHECK_THROW(trainer.step(count_type{9}, target), esp::index_error);
  BOOST_TEST(of.parameters()[0] == w);
  BOOST_TEST(trainer.step(count_type{0}, target) == 1.0f);
  BOOST_TEST(of.parameters()[0] == w);
}
