// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_class_labels
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <string>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape;
using esp::tensor;

namespace {
using scores = tensor<float, shape<2, 3>>;
using labels = tensor<std::int32_t, shape<2>>;
constexpr esp::label_loss ignoring{.ignore_index = -100};

inline constexpr auto softmax_loss = [](auto z, auto y) { return nn::SoftmaxLoss{}(z, y); };
inline constexpr auto entropy = [](auto z, auto y) { return esp::cross_entropy(z, y); };
inline constexpr auto entropy_of_some = [](auto z, auto y) { return esp::cross_entropy<ignoring>(z, y); };
inline constexpr auto likelihood = [](auto z, auto y) {
  return esp::negative_log_likelihood<ignoring>(esp::log_softmax<1>(z), y);
};
inline constexpr auto entropy_layer = [](auto z, auto y) { return nn::CrossEntropyLoss<ignoring>{}(z, y); };
// Three classes for one use of the labels and two for the other: both have to accept a label.
inline constexpr auto two_uses = [](auto z, auto y) {
  return esp::cross_entropy(z, y) + sum(pick(esp::slice<1, 0, 2>(z), y));
};

using Net = nn::Sequential<nn::Linear<4, 3>, nn::Dropout<0.5>>;
inline constexpr auto net_loss = [](auto const& net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto net_step = [](auto const& net, auto updater, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(net_loss)(net, x, y);
  updater.update(net, gradients);
  return loss;
};

template <class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (esp::label_error const& error) {
    return error.what();
  }
  return "";
}
// The error of grad, value_and_grad, vjp, compiled and of the formula of tensors for the same function.
template <class F>
void check(F const& f, labels const& y, std::string const& expected) {
  scores const z{{1, 2, 3}, {3, 1, 2}};
  BOOST_TEST(error_of([&] { (void)esp::grad<0>(f)(z, y); }) == expected);
  BOOST_TEST(error_of([&] { (void)esp::value_and_grad<0>(f)(z, y); }) == expected);
  BOOST_TEST(error_of([&] { (void)esp::vjp<0>(f)(z, y)(tensor<float, shape<>>{1.0f}); }) == expected);
  BOOST_TEST(error_of([&] { (void)evaluate(f(z, y)); }) == expected);
  esp::compiled run{f, z, y};
  tensor<float, shape<>> result{-1.0f};
  BOOST_TEST(error_of([&] { run(z, y, result); }) == expected);
  if (!expected.empty()) BOOST_TEST(result[0] == -1);
}
}  // namespace

BOOST_AUTO_TEST_CASE(labels_inside_the_classes) {
  check(softmax_loss, {0, 2}, "");
  check(entropy, {2, 0}, "");
  check(entropy_of_some, {-100, 1}, "");
  check(likelihood, {-100, 1}, "");
  check(two_uses, {0, 1}, "");
}

BOOST_AUTO_TEST_CASE(labels_outside_the_classes) {
  check(softmax_loss, {0, 3}, "labels: expected 0 to 2, got 3 at position 1");
  check(entropy, {-1, 0}, "labels: expected 0 to 2, got -1 at position 0");
  check(entropy, {-100, 0}, "labels: expected 0 to 2, got -100 at position 0");
  check(entropy_of_some, {-100, 5}, "labels: expected 0 to 2 or -100, got 5 at position 1");
  check(likelihood, {3, -100}, "labels: expected 0 to 2 or -100, got 3 at position 0");
  check(entropy_layer, {3, -100}, "labels: expected 0 to 2 or -100, got 3 at position 0");
  check(two_uses, {0, 2}, "labels: expected 0 to 1, got 2 at position 1");
}

// Nothing is changed: neither parameters nor the count of random numbers nor the state of the updater.
BOOST_AUTO_TEST_CASE(functions_of_models) {
  esp::model<Net> model{esp::seed{0}}, other{esp::seed{0}};
  esp::optim::updater adam{model, esp::optim::Adam{}}, other_adam{other, esp::optim::Adam{}};
  tensor<float, shape<2, 4>> const x{{1, 2, 3, 4}, {4, 3, 2, 1}};
  labels const wrong{1, -7}, right{1, 2};
  tensor<float, shape<>> loss{-1.0f};
  esp::compiled step{net_step, model, adam, x, right};
  esp::compiled other_step{net_step, other, other_adam, x, right};
  std::string const expected = "labels: expected 0 to 2, got -7 at position 1";
  BOOST_TEST(error_of([&] { step(x, wrong, loss); }) == expected);
  BOOST_TEST(error_of([&] { (void)esp::value_and_grad<0>(net_loss)(model, x, wrong); }) == expected);
  BOOST_TEST(error_of([&] { (void)esp::grad<1>(net_loss)(model, x, wrong); }) == expected);
  BOOST_TEST(loss[0] == -1);
  step(x, right, loss);
  tensor<float, shape<>> other_loss;
  other_step(x, right, other_loss);
  BOOST_TEST(loss[0] == other_loss[0]);
  BOOST_TEST((model.parameter("0.weight").span()[0] == other.parameter("0.weight").span()[0]));
}

// The mark adds nothing to a program that runs: the same kernels as without it.
inline constexpr auto by_hand = [](auto z, auto y) {
  return mean(logsumexp<-1>(z) - sum<-1>(esp::where(esp::one_hot<3>(y), z, 0.0f * z)));
};
BOOST_AUTO_TEST_CASE(costs) {
  scores const z{{1, 2, 3}, {3, 1, 2}};
  labels const y{0, 1};
  esp::compiled marked{softmax_loss, z, y};
  esp::compiled unmarked{by_hand, z, y};
  BOOST_TEST(marked.kernel_count == unmarked.kernel_count);
}

// A constant expression with such a label is an error of the compiler.
static_assert([] {
  tensor<float, shape<1, 2>> const z{{1, 1}};
  tensor<std::int32_t, shape<1>> const y{1};
  return esp::grad<0>(softmax_loss)(z, y)(0, 1) == -0.5f;
}());
