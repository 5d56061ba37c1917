// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_narrow_models
#include <boost/test/unit_test.hpp>

#include <array>

#include <espalier.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = esp::nn;
namespace optim = esp::optim;
using esp::shape, esp::tensor;

namespace {

using Net = nn::Sequential<nn::Linear<24, 16>, nn::Tanh, nn::Linear<16, 8>>;
using Narrow = esp::model<Net, esp::cpu, esp::bfloat16>;

/// Models of 16 bits, and of floats with the same numbers.
struct models {
  Narrow narrow{esp::seed{3}};
  esp::model<Net> wide{esp::seed{4}};
  models() { copy(narrow, wide); }
};
tensor<float, shape<1, 24>> input() {
  tensor<float, shape<1, 24>> x;
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = 0.1f * static_cast<float>(i % 7) - 0.25f;
  return x;
}
template <class T>
bool same(T const& a, T const& b) {
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (a.data()[i] != b.data()[i]) return false;
  return true;
}

inline constexpr auto apply = [](auto net, auto x) { return net(x); };
inline constexpr auto length = [](auto net, auto x) { return sum(square(net(x))); };
/// How far a student is from its teacher.
inline constexpr auto distance = [](auto student, auto teacher, auto x) {
  return sum(square(student(x) - teacher(x)));
};
inline constexpr auto teach = [](auto student, auto adam, auto teacher, auto x) {
  auto const [loss, gradients] = esp::value_and_grad<0>(distance)(student, teacher, x);
  adam.update(student, gradients);
  return loss;
};
inline constexpr auto weight_of = [](auto net, auto x) { return parameter_of<"0.weight">(net) * 2.0 + sum(x); };

}  // namespace

BOOST_AUTO_TEST_CASE(a_compiled_function_reads_a_model_of_16_bits) {
  models m;
  auto const x = input();
  tensor<float, shape<1, 8>> y, expected;
  esp::compiled run{apply, m.narrow, x};
  esp::compiled wide{apply, m.wide, x};
  run(x, y);
  wide(x, expected);
  BOOST_TEST(same(y, expected));
  static_assert(decltype(run)::bytes_read < decltype(wide)::bytes_read);
  static_assert(decltype(run)::workspace_bytes < 16 * 8 * 4);  // no copy of a weight
}

BOOST_AUTO_TEST_CASE(a_gradient_of_the_input_is_computed_through_it) {
  models m;
  auto const x = input();
  BOOST_TEST(same(esp::grad<1>(length)(esp::constant(m.narrow), x), esp::grad<1>(length)(esp::constant(m.wide), x)));
}

BOOST_AUTO_TEST_CASE(a_model_of_floats_learns_from_one_of_16_bits) {
  models m;
  auto const x = input();
  esp::model<Net> student{esp::seed{5}}, expected{esp::seed{5}};
  BOOST_TEST(esp::value_and_grad<0>(distance)(student, m.narrow, x).first ==
             esp::value_and_grad<0>(distance)(student, m.wide, x).first);
  optim::updater adam{student, optim::Adam{}}, other{expected, optim::Adam{}};
  esp::compiled step{teach, student, adam, m.narrow, x};
  esp::compiled wide{teach, expected, other, m.wide, x};
  tensor<float, shape<>> loss, as_expected;
  for (int i = 0; i < 3; ++i) {
    step(x, loss);
    wide(x, as_expected);
    BOOST_TEST(loss[0] == as_expected[0]);
  }
  BOOST_TEST(same(student.parameters(), expected.parameters()));
}

BOOST_AUTO_TEST_CASE(a_parameter_is_an_operand_of_any_op) {
  models m;
  auto const x = input();
  tensor<float, shape<24, 16>> y, expected;
  esp::compiled run{weight_of, m.narrow, x};
  esp::compiled wide{weight_of, m.wide, x};
  run(x, y);
  wide(x, expected);
  BOOST_TEST(same(y, expected));
}
