// SPDX-License-Identifier: BSL-1.0
// Models as arguments of grad, value_and_grad and vjp: their gradients, those of inputs, modes, several models, and
// derivatives of derivatives.
#define BOOST_TEST_MODULE model_model_argument
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

using Net = nn::Sequential<nn::Linear<4, 6>, nn::BatchNorm1d<6>, nn::Tanh, nn::Dropout<0.25>, nn::Linear<6, 3>>;
using Plain = nn::Sequential<nn::Linear<4, 6>, nn::Tanh, nn::Linear<6, 3>>;
template <class N>
using model = esp::model<N, esp::cpu, double>;

inline constexpr auto classify = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto in_evaluation = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(evaluate(net, x), y); };

/// The gradients of f(model, x...) against differences, for each parameter.
template <class F, class M, class G, class... X>
void check_parameters(F f, M& m, G const& gradients, X const&... x) {
  gradients.for_each_parameter([&](char const* name, esp::extents const&, auto g) {
    auto const p = m.parameter(name).span();
    for (std::int64_t i = 0; i < p.size(); ++i) {
      double const here = p[i], h = 1e-5;
      p[i] = here + h;
      double const up = f(x...);
      p[i] = here - h;
      double const down = f(x...);
      p[i] = here;
      BOOST_TEST(std::fabs(g[i] - (up - down) / (2 * h)) < 1e-8, name << '[' << i << "]: " << g[i]);
    }
  });
}
/// The gradient of f(x) against differences, for each element.
template <class F, class X, class G>
void check_elements(F f, X x, G const& g) {
  for (std::int64_t i = 0; i < X::size(); ++i) {
    double const here = x[i], h = 1e-5;
    x[i] = here + h;
    double const up = f(x);
    x[i] = here - h;
    double const down = f(x);
    x[i] = here;
    BOOST_TEST(std::fabs(g[i] - (up - down) / (2 * h)) < 1e-8, i << ": " << g[i]);
  }
}
template <class A, class B>
bool same(A const& a, B const& b) {
  bool equal = a.size() == b.size();
  for (std::int64_t i = 0; equal && i < a.size(); ++i) equal = a[i] == b[i];
  return equal;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_training_loss_as_a_function_is_the_step_of_value_and_grad) {
  model<Net> a{esp::seed{3}}, b{esp::seed{3}};
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  for (int i = 0; i < 3; ++i) {  // running statistics and random numbers move on
    auto const [loss, gradients] = esp::value_and_grad<0>(classify)(a, x, y);
    auto const expected = esp::value_and_grad(b, nn::SoftmaxLoss{})(x, y);
    BOOST_TEST(loss == expected.loss);
    BOOST_TEST(same(gradients.span(), expected.gradients.span()));
    BOOST_TEST(same(a.buffers(), b.buffers()));
    BOOST_TEST(a.random_steps() == b.random_steps());
  }
}

BOOST_AUTO_TEST_CASE(evaluation_reads_running_statistics_and_changes_nothing) {
  model<Net> m{esp::seed{3}};
  scramble(m);
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  auto const before = m.clone();
  model<Net> const& fixed = m;
  auto const loss = [&](auto const& at) {
    return static_cast<double>(esp::value_and_grad<1>(in_evaluation)(fixed, at, y).first);
  };
  auto const [value, both] = esp::value_and_grad<0, 1>(in_evaluation)(fixed, x, y);
  auto const& [parameters, input] = both;
  BOOST_TEST(value == loss(x));
  check_elements(loss, x, input);
  check_parameters(loss, m, parameters, x);
  BOOST_TEST(same(m.buffers(), before.buffers()));
  BOOST_TEST(same(m.parameters(), before.parameters()));
}

BOOST_AUTO_TEST_CASE(all_real_arguments_have_gradients_unless_they_are_constant) {
  model<Plain> m{esp::seed{3}};
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  auto const [parameters, input] = esp::grad(classify)(m, x, y);
  BOOST_TEST(same(parameters.span(), esp::grad<0>(classify)(m, x, y).span()));
  auto const only_input = esp::grad(classify)(esp::constant(m), x, y);
  for (std::int64_t i = 0; i < x.size(); ++i) BOOST_TEST(only_input[i] == input[i]);
}

namespace {
using Partly = nn::Sequential<nn::Frozen<nn::Linear<4, 5>>, nn::Tanh, nn::Linear<5, 3>>;
}
BOOST_AUTO_TEST_CASE(frozen_parameters_have_no_gradient) {
  model<Partly> m{esp::seed{3}};
  auto const x = doubles<8, 4>(1);
  auto const y = labels<8>(2, 3);
  auto const gradients = esp::grad<0>(classify)(m, x, y);
  BOOST_TEST(!gradients.find_parameter("0.module.weight"));
  check_parameters([&] { return static_cast<double>(esp::value_and_grad<1>(classify)(m, x, y).first); }, m, gradients);
}

namespace {
// A teacher and a student; the loss and the student's scores.
inline constexpr auto distil = [](auto student, auto teacher, auto x) {
  auto const scores = student(x);
  auto const wanted = detach(softmax(evaluate(teacher, x)));
  return std::tuple{-mean(sum<-1>(wanted * log_softmax(scores))), scores};
};
}  // namespace
BOOST_AUTO_TEST_CASE(two_models_and_several_values) {
  model<Plain> student{esp::seed{3}};
  model<Net> teacher{esp::seed{4}};
  auto const x = doubles<8, 4>(1);
  auto const loss = [&] { return std::get<0>(esp::value_and_grad<0>(distil)(student, teacher, x).first); };
  auto const [values, gradients] = esp::value_and_grad<0>(distil)(student, teacher, x);
  check_parameters(loss, student, gradients);
  auto const scores = student(x);
  for (std::int64_t i = 0; i < scores.size(); ++i)
    BOOST_TEST(std::get<1>(values)[i] == scores[i], boost::test_tools::tolerance(1e-12));
  auto const of_teacher = esp::value_and_grad<1>(distil)(student, teacher, x).second;  // detached
  for (double const g : of_teacher.span()) BOOST_TEST(g == 0);
}

namespace {
// The teacher is a constant of the function; the second term has no gradient, either.
inline constexpr auto of_constants = [](auto student, auto teacher, auto x) {
  return mean(square(student(x) - esp::constant(teacher)(x))) +
         mean(detach(student)(x)) * mean(stop_gradient(teacher)(x));
};
inline constexpr auto distance = [](auto student, auto teacher, auto x) {
  return mean(square(student(x) - teacher(x)));
};
inline constexpr auto gradient_norm = [](auto student, auto teacher, auto x) {
  return sum_parameters([](auto p) { return sum(p * p); },
                        esp::grad(distance)(student, constant(teacher), constant(x)));
};
inline constexpr auto listed_gradient_norm = [](auto student, auto teacher, auto x) {
  return sum_parameters([](auto p) { return sum(p * p); }, esp::grad<0>(distance)(student, detach(teacher), detach(x)));
};
}  // namespace
BOOST_AUTO_TEST_CASE(nets_that_are_constants_of_a_function) {
  model<Plain> student{esp::seed{3}}, teacher{esp::seed{4}};
  auto const x = doubles<8, 4>(1);
  auto const [of_student, of_teacher] = esp::grad<0, 1>(of_constants)(student, teacher, x);
  auto const expected = esp::grad<0>(distance)(student, teacher, x);
  BOOST_TEST(same(of_student.span(), expected.span()));
  for (double const g : of_teacher.span()) BOOST_TEST(g == 0);
  auto const second = esp::grad<0>(gradient_norm)(student, teacher, x);
  BOOST_TEST(same(second.span(), esp::grad<0>(listed_gradient_norm)(student, teacher, x).span()));
  check_parameters(
      [&] { return static_cast<double>(esp::value_and_grad<0>(gradient_norm)(student, teacher, x).first); }, student,
      second);
}

namespace {
// A gradient penalty (WGAN-GP): the loss contains the gradient of the net by its input.
inline constexpr auto critic = [](auto net, auto x) { return sum(net(x)); };
inline constexpr auto penalty = [](auto net, auto x) {
  auto const by_input = esp::grad<1>(critic)(net, x);
  auto const norm = sqrt(sum<-1>(by_input * by_input) + 1e-6);
  return mean(net(x)) + mean((norm - 1) * (norm - 1));
};
// Two steps of an inner training (MAML), and the loss behind them.
inline constexpr auto squares = [](auto net, auto x, auto y) {
  auto const d = net(x) - y;
  return mean(d * d);
};
inline constexpr auto adapted = [](auto net, auto x, auto y) {
  auto ahead = net;
  for (int i = 0; i < 2; ++i)
    ahead = map_parameters([](auto p, auto g) { return p - 0.1 * g; }, ahead, esp::grad<0>(squares)(ahead, x, y));
  return squares(ahead, x * 0.5, y) + 0.01 * sum_parameters([](auto p) { return sum(p * p); }, net);
};
inline constexpr auto first_weight = [](auto net, auto x) {
  auto const w = esp::parameter_of<"0.weight">(net);
  return sum(tanh(matmul(x, w))) + sum(w * w);
};
}  // namespace
BOOST_AUTO_TEST_CASE(a_gradient_inside_a_loss) {
  model<Plain> m{esp::seed{3}};
  auto const x = doubles<5, 4>(1);
  auto const loss = [&](auto const& at) { return static_cast<double>(esp::value_and_grad<1>(penalty)(m, at).first); };
  auto const [parameters, input] = esp::grad(penalty)(m, x);
  check_parameters(loss, m, parameters, x);
  check_elements(loss, x, input);
}
BOOST_AUTO_TEST_CASE(an_inner_training_is_differentiated) {
  model<Plain> m{esp::seed{3}};
  auto const x = doubles<5, 4>(1);
  auto const y = doubles<5, 3>(2);
  auto const loss = [&](auto const& at) {
    return static_cast<double>(esp::value_and_grad<1>(adapted)(m, at, y).first);
  };
  auto const [parameters, input, target] = esp::grad(adapted)(m, x, y);
  check_parameters(loss, m, parameters, x);
  check_elements(loss, x, input);
}
namespace {
// The same functions with operators, and parameter by parameter.
inline constexpr auto by_operators = [](auto net, auto x, auto y) {
  auto [loss, g] = esp::value_and_grad<0>(squares)(net, x, y);
  auto ahead = net - 0.1 * g;
  ahead -= -(g + g) / 4.0;
  g *= loss;
  return squares(ahead, x, y) + 0.1 * sum(square(g)) + sum(g * net) + mean(abs(net)) + sum(tanh(g) * sigmoid(sin(net)));
};
inline constexpr auto by_parameters = [](auto net, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(squares)(net, x, y);
  auto const ahead = map_parameters([](auto p, auto g) { return p - 0.1 * g + (g + g) / 4.0; }, net, gradients);
  auto const g = map_parameters([scale = loss](auto p) { return p * scale; }, gradients);
  return squares(ahead, x, y) + 0.1 * sum_parameters([](auto p) { return sum(square(p)); }, g) +
         sum_parameters([](auto p, auto q) { return sum(p * q); }, g, net) +
         sum_parameters([](auto p) { return sum(abs(p)); }, net) * (1.0 / 51) +
         sum_parameters([](auto p, auto q) { return sum(tanh(p) * sigmoid(sin(q))); }, g, net);
};
}  // namespace
BOOST_AUTO_TEST_CASE(arithmetic_of_nets_and_gradients) {
  model<Plain> m{esp::seed{3}};
  auto const x = doubles<5, 4>(1);
  auto const y = doubles<5, 3>(2);
  auto const [value, found] = esp::value_and_grad<0>(by_operators)(m, x, y);
  auto const [expected_value, expected] = esp::value_and_grad<0>(by_parameters)(m, x, y);
  BOOST_TEST(value == expected_value, boost::test_tools::tolerance(1e-12));
  for (std::int64_t i = 0; i < found.span().size(); ++i)
    BOOST_TEST(found.span()[i] == expected.span()[i], boost::test_tools::tolerance(1e-12));
  auto const outside = 2 * found + -(found - found * 0.5) / 4;
  for (std::int64_t i = 0; i < found.span().size(); ++i)
    BOOST_TEST(outside.span()[i] == 1.875 * found.span()[i], boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_parameter_by_name) {
  model<Plain> m{esp::seed{3}};
  auto const x = doubles<5, 4>(1);
  auto const loss = [&](auto const& at) {
    return static_cast<double>(esp::value_and_grad<1>(first_weight)(m, at).first);
  };
  auto const [parameters, input] = esp::grad(first_weight)(m, x);
  check_parameters(loss, m, parameters, x);
  check_elements(loss, x, input);
  for (double const g : parameters.parameter("2.bias").span()) BOOST_TEST(g == 0);
}

namespace {
inline constexpr auto scores = [](auto net, auto x) { return net(x); };
}
BOOST_AUTO_TEST_CASE(pullbacks_of_scores) {
  model<Plain> m{esp::seed{3}};
  auto const x = doubles<5, 4>(1);
  auto const dy = doubles<5, 3>(2);
  auto const [parameters, input] = esp::vjp(scores)(m, x)(dy);
  auto const weighted = [&](auto const& at) {
    auto const y = m(at);
    double sum = 0;
    for (std::int64_t i = 0; i < y.size(); ++i) sum += y[i] * dy[i];
    return sum;
  };
  check_parameters(weighted, m, parameters, x);
  check_elements(weighted, x, input);
}

BOOST_AUTO_TEST_CASE(the_same_model_twice_is_two_arguments) {
  model<Plain> m{esp::seed{3}};
  auto const x = doubles<8, 4>(1);
  auto const [student, teacher] = esp::grad<0, 1>([](auto a, auto b, auto at) { return sum(a(at) * b(at)); })(m, m, x);
  auto const both = esp::grad<0>([](auto a, auto at) { return sum(a(at) * a(at)); })(m, x);
  for (std::int64_t i = 0; i < both.span().size(); ++i) {
    BOOST_TEST(student.span()[i] == teacher.span()[i], boost::test_tools::tolerance(1e-12));
    BOOST_TEST(2 * student.span()[i] == both.span()[i], boost::test_tools::tolerance(1e-12));
  }
}
