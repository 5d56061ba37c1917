// SPDX-License-Identifier: BSL-1.0
// Modules of your own: members, arrays, Hana's accessors, frozen parts, updates and modes.
#define BOOST_TEST_MODULE nn_module
#include <boost/test/unit_test.hpp>

#include <array>
#include <boost/hana.hpp>
#include <tuple>

#include <espalier/model/constant_model.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;
namespace hana = boost::hana;

namespace {

struct Scaled {
  esp::parameter<shape<2>, nn::init::initialized_by<nn::init::constant{3}>> gain{};
  nn::Linear<2, 2> inner{};
  esp::buffer<shape<>, nn::init::initialized_by<nn::init::zeros{}>> seen{};
  ESPALIER_MODULE(Scaled, gain, inner, seen)

  constexpr auto forward(auto x) const { return with_update(by_mode(inner(x) * gain, inner(x) * 100), seen, seen + 1); }
};

struct Tower {
  nn::Linear<3, 2> first{};
  std::array<nn::Residual<nn::Linear<2, 2>>, 2> floors{};
  nn::Linear<2, 1> last{};
  ESPALIER_MODULE(Tower, first, floors, last)

  constexpr auto forward(auto x) const { return last(floors[1](floors[0](first(x)))); }
};

/// Counts its calls, and says how many there were.
struct Counted {
  esp::parameter<shape<2>, nn::init::initialized_by<nn::init::constant{3}>> gain{};
  esp::buffer<shape<2>, nn::init::initialized_by<nn::init::zeros{}>> seen{};
  ESPALIER_MODULE(Counted, gain, seen)

  constexpr auto forward(auto x) const {
    auto const y = with_update(x * gain + seen, seen, seen + gain);
    return y + 100 * seen;
  }
};
struct CountedTwice {
  Counted counted{};
  ESPALIER_MODULE(CountedTwice, counted)
  constexpr auto forward(auto x) const { return counted(counted(x)); }
};

/// Buffers that pass their values on: a and b change places, then c has what b had.
template <int Value>
using Held = esp::buffer<shape<2>, nn::init::initialized_by<nn::init::constant{Value}>>;
struct Exchange {
  Held<1> a{};
  Held<2> b{};
  Held<3> c{};
  ESPALIER_MODULE(Exchange, a, b, c)
  constexpr auto forward(auto x) const {
    auto const first = detach(a), second = detach(b);
    return with_update(with_update(with_update(x, a, b), b, first), c, second);
  }
};
/// In a ring, where the last one reads the new value of the first one.
struct Ring {
  Held<1> a{};
  Held<2> b{};
  Held<3> c{};
  ESPALIER_MODULE(Ring, a, b, c)
  constexpr auto forward(auto x) const { return with_update(with_update(with_update(x, a, b), b, c), c, a); }
};
/// The buffers of a net after each of two steps.
template <class Net>
std::vector<double> buffers_of_two_steps() {
  esp::model<Net, esp::cpu, double> model;
  tensor<double, shape<1, 2>> const x{{1, 2}};
  std::vector<double> r;
  for (int step = 0; step < 2; ++step) {
    (void)esp::value_and_grad(model, Weighted{})(x, x);
    for (char const* name : {"a", "b", "c"}) r.push_back(model.buffer(name).span()[1]);
  }
  return r;
}

/// Three inputs, and several values as a result.
struct Attend {
  ESPALIER_MODULE(Attend)
  constexpr auto forward(auto q, auto k, auto v) const { return matmul(softmax<-1>(matmul(q, transpose(k))), v); }
};
struct Halves {
  nn::Linear<2, 2> a{}, b{};
  ESPALIER_MODULE(Halves, a, b)
  constexpr auto forward(auto x) const { return std::tuple{a(x), b(x)}; }
};
struct Attending {
  nn::Linear<2, 2> q{};
  Halves rest{};
  Attend attend{};
  ESPALIER_MODULE(Attending, q, rest, attend)
  constexpr auto forward(auto x) const {
    auto const [k, v] = rest(x);
    return attend(q(x), k, v);
  }
};
/// A loop over time whose state begins at zero.
struct Recurrent {
  nn::Linear<3, 2> input{};
  nn::Linear<2, 2> state{};
  ESPALIER_MODULE(Recurrent, input, state)
  constexpr auto forward(auto x) const {
    auto h = esp::zeros<shape<4, 2>>(x);
    std::apply([&](auto... part) { ((h = tanh(input(part) + state(h))), ...); }, esp::split<1>(x));
    return h;
  }
};
/// The same with zeros that are computed.
struct RecurrentOfItsInput {
  nn::Linear<3, 2> input{};
  nn::Linear<2, 2> state{};
  ESPALIER_MODULE(RecurrentOfItsInput, input, state)
  constexpr auto forward(auto x) const {
    auto const [first, second] = esp::split<1>(x);
    auto h = 0 * input(first);
    h = tanh(input(first) + state(h));
    return tanh(input(second) + state(h));
  }
};
/// The same in one formula.
struct AttendingAtOnce {
  nn::Linear<2, 2> q{};
  Halves rest{};
  ESPALIER_MODULE(AttendingAtOnce, q, rest)
  constexpr auto forward(auto x) const { return matmul(softmax<-1>(matmul(q(x), transpose(rest.a(x)))), rest.b(x)); }
};

/// One module called twice shares its parameters.
struct Twice {
  nn::Linear<2, 2, nn::no_bias> layer{};
  ESPALIER_MODULE(Twice, layer)
  constexpr auto forward(auto x) const { return layer(layer(x)); }
};

using PartlyFrozen =
    nn::Sequential<nn::Frozen<nn::Linear<3, 4>>, nn::Tanh, nn::Linear<4, 2>, nn::Frozen<nn::LayerNorm1d<2>>>;

static_assert(esp::parameter_count<Scaled> == 8 && esp::output_shape<Scaled, shape<5, 2>> == shape<5, 2>{});
static_assert(esp::parameter_count<Tower> == 8 + 12 + 3 && esp::output_shape<Tower, shape<5, 3>> == shape<5, 1>{});
static_assert(std::is_aggregate_v<Scaled> && nn::Module<Scaled> && nn::Module<Tower>);

constexpr auto member_names = hana::transform(hana::accessors<Scaled>(), hana::first);
static_assert(member_names == hana::make_tuple(hana::string_c<'g', 'a', 'i', 'n'>,
                                               hana::string_c<'i', 'n', 'n', 'e', 'r'>,
                                               hana::string_c<'s', 'e', 'e', 'n'>));
static_assert(decltype(hana::length(hana::accessors<nn::ReLU>()))::value == 0);
// ESPALIER_MODULE's members are separated by commas.
static_assert(nn::detail::separated("") && nn::detail::separated("a, b , c") && !nn::detail::separated("a b") &&
              !nn::detail::separated("a, b c"));
static_assert(decltype(hana::length(hana::accessors<nn::Linear<2, 2>>()))::value == 2);

}  // namespace

BOOST_AUTO_TEST_CASE(members_have_the_names_of_the_list) {
  esp::model<Scaled, esp::cpu, double> model;
  BOOST_TEST(parameter_list(model) == "gain(2) inner.weight(2,2) inner.bias(1,2)");
  BOOST_TEST(buffer_list(model) == "seen()");
  BOOST_TEST(model.parameter("gain").span()[1] == 3);
}
BOOST_AUTO_TEST_CASE(training_and_evaluation_are_two_formulas_and_only_training_updates) {
  esp::model<Scaled, esp::cpu, double> model;
  assign(model.parameter("inner.weight"), {1, 0, 0, 1});
  assign(model.parameter("inner.bias"), {0, 0});
  tensor<double, shape<1, 2>> const x{{1, 2}};
  auto const seen = model.buffer("seen").span();
  BOOST_TEST(model(x) == (tensor<double, shape<1, 2>>{{100, 200}}));
  BOOST_TEST(seen[0] == 0);
  BOOST_TEST(training_output(model, x) == (tensor<double, shape<1, 2>>{{3, 6}}));
  BOOST_TEST(seen[0] == 2);  // two runs
}
BOOST_AUTO_TEST_CASE(updates_are_sequential_and_visible_to_later_reads) {
  esp::model<CountedTwice, esp::cpu, double> model;
  tensor<double, shape<1, 2>> const x{{1, 2}}, ones{{1, 1}};
  auto const seen = model.buffer("counted.seen").span();
  auto const result = esp::value_and_grad(model, Weighted{})(x, ones);
  // The first call: 3 x + 0 + 100 * 3. The second: 3 (3 x + 300) + 3 + 100 * 6.
  BOOST_TEST(result.loss == 9 * 3 + 2 * 1503);
  BOOST_TEST(copy(seen) == (std::vector<double>{6, 6}), boost::test_tools::per_element());
  // 2 * 3 x + 100 * 3: none through the buffer.
  BOOST_TEST(copy(result.gradients.parameter("counted.gain").span()) == (std::vector<double>{306, 312}),
             boost::test_tools::per_element());
  BOOST_TEST(model(x) == (tensor<double, shape<1, 2>>{{9 + 2424, 18 + 2424}}));
  BOOST_TEST(seen[0] == 6);
  esp::trainer trainer{model, Weighted{}, optim::SGD<>{.learning_rate = 0}, esp::batch<1, 2>{}};
  trainer.step(x, ones);
  BOOST_TEST(copy(seen) == (std::vector<double>{12, 12}), boost::test_tools::per_element());
  // In a constant expression, too.
  constexpr esp::constant_model<CountedTwice, double> start{};
  constexpr auto once =
      esp::value_and_grad(start, Weighted{})(tensor<double, shape<1, 2>>{{1, 2}}, tensor<double, shape<1, 2>>{{1, 1}});
  static_assert(once.loss == 9 * 3 + 2 * 1503);
  static_assert(once.buffers.elements()[0] == 6);
}
BOOST_AUTO_TEST_CASE(buffers_exchange_values) {
  BOOST_TEST(buffers_of_two_steps<Exchange>() == (std::vector<double>{2, 1, 2, 1, 2, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(buffers_of_two_steps<Ring>() == (std::vector<double>{2, 3, 2, 3, 2, 3}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(hana_reaches_the_members) {
  Scaled const module{};
  auto const members = hana::members(module);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(hana::at_c<1>(members))>, nn::Linear<2, 2>>);
  int members_seen = 0;
  hana::for_each(module, [&](auto const&) { ++members_seen; });
  BOOST_TEST(members_seen == 3);
}
BOOST_AUTO_TEST_CASE(arrays_of_modules_are_numbered) {
  esp::model<Tower, esp::cpu, double> model;
  BOOST_TEST(
      parameter_list(model) ==
      "first.weight(3,2) first.bias(1,2) floors.0.fn.weight(2,2) floors.0.fn.bias(1,2) floors.1.fn.weight(2,2) floors.1.fn.bias(1,2) "
      "last.weight(2,1) last.bias(1,1)");
  assign(model.parameter("first.weight"), {1, 0, 0, 1, 0, 0});
  assign(model.parameter("first.bias"), {0, 0});
  assign(model.parameter("floors.0.fn.weight"), {1, 0, 0, 1});
  assign(model.parameter("floors.0.fn.bias"), {0, 0});
  assign(model.parameter("floors.1.fn.weight"), {0, 1, 1, 0});
  assign(model.parameter("floors.1.fn.bias"), {0, 5});
  assign(model.parameter("last.weight"), {1, 10});
  assign(model.parameter("last.bias"), {0.5});
  // (1, 2, 9) -> (1, 2) -> (2, 4) -> (2 + 4, 4 + 2 + 5) -> 6 + 110 + 0.5
  BOOST_TEST(model(tensor<double, shape<1, 3>>{{1, 2, 9}})[0] == 116.5);
}
BOOST_AUTO_TEST_CASE(a_shared_module_gathers_its_gradient) {
  esp::model<Twice, esp::cpu, double> model;
  assign(model.parameter("layer.weight"), {2, 0, 0, 3});
  auto const r =
      esp::value_and_grad(model, Weighted{})(tensor<double, shape<1, 2>>{{1, 1}}, tensor<double, shape<1, 2>>{{1, 1}});
  BOOST_TEST(r.loss == 13);
  // y = x W W; dW = x^T (dy W^T) + (x W)^T dy
  BOOST_TEST(copy(r.gradients.parameter("layer.weight").span()) == (std::vector<double>{4, 5, 5, 6}),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(frozen_parameters_have_no_gradient_and_stay) {
  esp::model<PartlyFrozen> model{esp::seed{3}};
  BOOST_TEST(parameter_list(model) ==
             "0.module.weight(3,4) 0.module.bias(1,4) 2.weight(4,2) 2.bias(1,2) 3.module.weight(2) 3.module.bias(2)");
  BOOST_TEST(model.parameter_count == 12 + 4 + 8 + 2 + 4);
  // They stand behind all others.
  auto const frozen = model.parameter("0.module.weight").span(), weight = model.parameter("2.weight").span(),
             bias = model.parameter("2.bias").span();
  BOOST_TEST((weight.data() == model.parameters().data() && bias.data() < frozen.data()));

  auto const x = floats<4, 3>(1);
  tensor<std::int32_t, shape<4>> const y{0, 1, 1, 0};
  auto const gradients = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).gradients;
  BOOST_TEST(!gradients.find_parameter("0.module.weight"));
  BOOST_TEST(static_cast<bool>(gradients.parameter("2.weight")));
  std::string names;
  gradients.for_each_parameter([&](char const* name, esp::extents const&, auto) { names += name + std::string(" "); });
  BOOST_TEST(names == "2.weight 2.bias ");

  auto const before = copy(frozen), moving = copy(weight), norm = copy(model.parameter("3.module.weight").span());
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::AdamW{.learning_rate = 0.1, .weight_decay = 0.5},
                       esp::batch<4, 3>{}};
  for (int step = 0; step < 5; ++step) trainer.step(x, y);
  BOOST_TEST(copy(frozen) == before, boost::test_tools::per_element());
  BOOST_TEST(copy(model.parameter("3.module.weight").span()) == norm, boost::test_tools::per_element());
  BOOST_TEST((copy(weight) != moving));
}
BOOST_AUTO_TEST_CASE(a_net_all_frozen_learns_nothing) {
  esp::model<nn::Frozen<nn::Linear<3, 2>>> model;
  auto const before = copy(model.parameters());
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<2, 3>{}};
  float const loss = trainer.step(floats<2, 3>(1), tensor<std::int32_t, shape<2>>{0, 1});
  BOOST_TEST(loss == trainer.step(floats<2, 3>(1), tensor<std::int32_t, shape<2>>{0, 1}));
  BOOST_TEST(copy(model.parameters()) == before, boost::test_tools::per_element());
}

// Modules of three inputs and of several results are those of one formula, forward and in training.
BOOST_AUTO_TEST_CASE(several_inputs_and_results) {
  esp::model<Attending> a{esp::seed{3}};
  esp::model<AttendingAtOnce> b{esp::seed{3}};
  auto const x = floats<4, 2>(1);
  auto const expected = floats<4, 2>(2);
  BOOST_TEST(a(x) == b(x));
  esp::trainer train_a{a, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<4, 2>{}};
  esp::trainer train_b{b, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<4, 2>{}};
  for (int i = 0; i < 3; ++i) BOOST_TEST(train_a.step(x, expected) == train_b.step(x, expected));
  BOOST_TEST(a(x) == b(x));
}

namespace {
struct ByNumber {
  float by = 2;
  ESPALIER_MODULE(ByNumber, by)
  constexpr auto forward(auto x) const { return x * by; }
};
struct ByItTwice {
  ByNumber inner;
  ESPALIER_MODULE(ByItTwice, inner)
  constexpr auto forward(auto x) const { return inner(inner(x)); }
};
struct NumbersInABody {
  ESPALIER_MODULE(NumbersInABody)
  constexpr auto forward(auto x) const { return ByNumber{.by = 5}(x) + ByItTwice{{.by = 3}}(x); }
};
}  // namespace
// A module's plain numbers are those of the object that is called.
BOOST_AUTO_TEST_CASE(numbers_are_those_of_the_object) {
  tensor<float, shape<2>> const x{1, 2};
  ByNumber scaled{.by = 3};
  tensor<float, shape<2>> const once = scaled(x), twice = ByItTwice{{.by = 4}}(x), sum = ByNumber{.by = 7}(x) + x,
                                of_formula = scaled(x + x);
  BOOST_TEST(once == (tensor<float, shape<2>>{3, 6}));
  BOOST_TEST(twice == (tensor<float, shape<2>>{16, 32}));
  BOOST_TEST(sum == (tensor<float, shape<2>>{8, 16}));
  BOOST_TEST(of_formula == (tensor<float, shape<2>>{6, 12}));
  auto const owning = scaled(tensor<float, shape<2>>{5, 6});
  tensor<float, shape<2>> const owned = owning;
  BOOST_TEST(owned == (tensor<float, shape<2>>{15, 18}));
  esp::model<NumbersInABody> model;
  BOOST_TEST(model(x) == (tensor<float, shape<2>>{14, 28}));
  BOOST_TEST(esp::grad([](auto v) { return esp::sum(ByNumber{.by = 9}(v)); })(x) == (tensor<float, shape<2>>{9, 9}));
}
// As an op does, a module applied to tensors owns those that would be gone, and refers to those that stay.
BOOST_AUTO_TEST_CASE(temporaries_live_as_long_as_the_call_of_a_module) {
  auto scores = floats<40, 3>(1);
  tensor<std::int32_t, shape<40>> const classes{};
  tensor<float, shape<>> const expected = nn::SoftmaxLoss{}(scores, classes);
  auto const loss = nn::SoftmaxLoss{}(tensor<float, shape<40, 3>>(scores), classes);
  auto const layers = nn::Sequential<nn::ReLU, nn::Tanh>{}(tensor<float, shape<40, 3>>(scores));
  static_assert(std::is_same_v<decltype(loss.a), esp::owned<tensor<float, shape<40, 3>>>>);
  static_assert(std::is_same_v<decltype(layers.a), esp::owned<tensor<float, shape<40, 3>>>>);
  static_assert(std::is_same_v<decltype(nn::SoftmaxLoss{}(scores, classes).a), esp::borrowed<float, shape<40, 3>>>);
  tensor<float, shape<40, 3>> const activated = tanh(relu(scores));
  scores.fill(9);
  tensor<float, shape<>> const owned = loss;
  tensor<float, shape<40, 3>> const kept = layers;
  BOOST_TEST(owned == expected);
  BOOST_TEST(kept == activated);
}

BOOST_AUTO_TEST_CASE(a_loop_in_a_body_begins_with_zeros) {
  esp::model<Recurrent> const model{esp::seed{3}};
  auto const x = floats<4, 2, 3>(1);
  tensor<float, shape<4, 2>> const y = model(x);
  tensor<float, shape<4, 2>> const expected = esp::model<RecurrentOfItsInput>{esp::seed{3}}(x);
  BOOST_TEST((y == expected));
  tensor<float, shape<2, 3>> const one = esp::zeros<shape<2, 3>>(x) + tensor<float, shape<3>>{1, 1, 1};
  BOOST_TEST((one == tensor<float, shape<2, 3>>{{1, 1, 1}, {1, 1, 1}}));
}
