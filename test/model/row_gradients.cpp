// SPDX-License-Identifier: BSL-1.0
// Trainers whose nets look tables up: the numbers of whole gradients and whole updates, bit for bit, from rows.
#define BOOST_TEST_MODULE model_row_gradients
#include <boost/test/unit_test.hpp>

#include <cstring>

#include <espalier/parallel.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

using Words = nn::Sequential<nn::Embedding<50, 7>, nn::Flatten, nn::Linear<21, 3>>;
using Padded = nn::Sequential<nn::Embedding<50, 16, {.padding_idx = 3}>, nn::Flatten, nn::Linear<48, 3>>;
/// Between two tables and behind them are other parameters.
struct TwoTables {
  using input_element = std::int32_t;
  nn::Linear<7, 5> first;
  nn::Embedding<40, 7> a;
  nn::Linear<5, 5> between;
  nn::Embedding<60, 5> b;
  nn::Linear<15, 3> last;
  ESPALIER_MODULE(TwoTables, first, a, between, b, last)
  constexpr auto forward(auto x) const {
    auto const y = between(tanh(first(a(x)))) * b(x);
    return last(nn::Flatten{}(y));
  }
};
/// One table that is read in two ways: its gradient is a sum.
struct Twice {
  using input_element = std::int32_t;
  nn::Embedding<50, 7> table;
  nn::Linear<21, 3> last;
  ESPALIER_MODULE(Twice, table, last)
  constexpr auto forward(auto x) const { return last(nn::Flatten{}(table(x))) + sum(table.weight) * 0.01; }
};

/// Two tables with one gradient.
struct Sum {
  using input_element = std::int32_t;
  nn::Embedding<50, 7> a, b;
  ESPALIER_MODULE(Sum, a, b)
  constexpr auto forward(auto x) const { return a(x) + b(x); }
};
/// Each element of the prediction has the gradient 1.
struct Total {
  ESPALIER_MODULE(Total)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto z, auto k) const { return sum(z) + sum(k); }
};

template <class Net, class Batch = shape<4, 3>>
constexpr int tables_of = esp::detail::row_tables_of<Net, nn::CrossEntropyLoss<>, Batch, false>.count;
static_assert(tables_of<Words> == 1 && tables_of<Padded> == 1 && tables_of<TwoTables> == 2);
static_assert(tables_of<Twice> == 0);               // it is read elsewhere, too
static_assert(tables_of<Words, shape<9, 3>> == 0);  // more than half as many indices as rows
static_assert(tables_of<nn::Sequential<nn::Frozen<nn::Embedding<50, 7>>, nn::Flatten, nn::Linear<21, 3>>> == 0);

/// Indices of a step, with duplicates; every third step repeats indices of the one before.
template <class Batch>
tensor<std::int32_t, Batch> indices_of(int step) {
  tensor<std::int32_t, Batch> x;
  std::uint32_t s = static_cast<std::uint32_t>(step % 3 == 2 ? step - 1 : step) * 7919u + 1;
  for (int i = 0; i < Batch::size; ++i) {
    s = s * 1664525u + 1013904223u;
    x[i] = i % 5 == 4 ? x[i - 2] : static_cast<std::int32_t>((s >> 8) % 40u);
  }
  return x;
}
template <int Count>
tensor<std::int32_t, shape<Count>> targets_of(int step) {
  tensor<std::int32_t, shape<Count>> y;
  for (int i = 0; i < Count; ++i) y[i] = (i + step) % 3;
  return y;
}
template <class A, class B>
bool same_bits(A const& a, B const& b) {
  return a.size() == b.size() && std::memcmp(&a[0], &b[0], static_cast<std::size_t>(a.size()) * sizeof(a[0])) == 0;
}

/// A trainer and, as reference, whole gradients with an updater. change(optimizer, step) changes hyperparameters.
template <class Net, class T, class Device, class Optimizer, class Change>
void check(Optimizer optimizer, Change change) {
  esp::model<Net, Device, T> model{esp::seed{1}};
  esp::model<Net, esp::cpu, T> other{esp::seed{1}};
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optimizer, esp::batch<4, 3>{}, esp::batch<2, 3>{}};
  optim::updater updater{other, optimizer};
  auto const step = [&](auto const& x, auto const& y) {
    auto const [loss, gradients] = esp::value_and_grad(other, nn::CrossEntropyLoss<>{})(x, y);
    updater.update(other, gradients);
    BOOST_TEST(trainer.step(x, y) == static_cast<T>(loss));
    BOOST_TEST(same_bits(trainer.gradients(), gradients.span()));
    BOOST_TEST(same_bits(model.parameters(), other.parameters()));
  };
  for (int i = 0; i < 12; ++i) {
    change(trainer.optimizer(), i);
    change(updater.optimizer(), i);
    if (i % 4 == 3) step(indices_of<shape<2, 3>>(i), targets_of<2>(i));
    else step(indices_of<shape<4, 3>>(i), targets_of<4>(i));
  }
  if (updater.states().size() != 0) BOOST_TEST(same_bits(trainer.states(), updater.states()));
}
inline constexpr auto unchanged = [](auto&, int) {};

}  // namespace

BOOST_AUTO_TEST_CASE(plain_sgd) {
  optim::SGD<> const optimizer{.learning_rate = 0.3};
  check<Words, double, esp::cpu>(optimizer, unchanged);
  check<Words, float, esp::cpu>(optimizer, unchanged);
  check<Words, float, esp::cpu_parallel<2>>(optimizer, unchanged);
  check<Padded, float, esp::cpu>(optimizer, unchanged);
  check<TwoTables, float, esp::cpu>(optimizer, unchanged);
  check<Twice, float, esp::cpu>(optimizer, unchanged);
}
// Rows that are an argument, a constant, and those of two tables. Losses agree up to rounding.
BOOST_AUTO_TEST_CASE(gradients_that_are_not_computed) {
  auto const check_loss = [](auto loss, auto net) {
    esp::model<decltype(net)> model{esp::seed{1}}, other{esp::seed{1}};
    esp::trainer trainer{model, loss, optim::SGD<>{.learning_rate = 0.3}, esp::batch<4, 3>{}};
    optim::updater updater{other, optim::SGD<>{.learning_rate = 0.3}};
    for (int i = 0; i < 4; ++i) {
      auto const x = indices_of<shape<4, 3>>(i);
      auto const k = numbers<float, shape<4, 3, 7>>(static_cast<std::uint64_t>(i));
      auto const [value, gradients] = esp::value_and_grad(other, loss)(x, k);
      updater.update(other, gradients);
      // The kernel that sums the loss also stores the rows of the gradient, and the more a kernel does for an element,
      // the fewer sums it keeps side by side. The terms are then added in another order.
      BOOST_TEST(near(trainer.step(x, k), value, 1e-6));
      BOOST_TEST(same_bits(trainer.gradients(), gradients.span()));
      BOOST_TEST(same_bits(model.parameters(), other.parameters()));
    }
  };
  check_loss(Weighted{}, nn::Embedding<50, 7>{});
  check_loss(Total{}, nn::Embedding<50, 7>{});
  check_loss(Weighted{}, Sum{});
  static_assert(esp::detail::row_tables_of<Sum, Weighted, shape<4, 3>, false>.count == 2);
}
// The other rows change in some steps, and the gradients of earlier steps are no part of a later one.
BOOST_AUTO_TEST_CASE(hyperparameters_that_change) {
  check<Words, float, esp::cpu>(optim::SGD<>{.learning_rate = 0.3}, [](auto& optimizer, int i) {
    optimizer.weight_decay = i % 3 == 1 ? 0.1 : 0;
    optimizer.learning_rate = i == 8 ? 0.05 : 0.3;
  });
}
// Whole updates, because rows that a step does not read change, or all gradients are needed.
BOOST_AUTO_TEST_CASE(other_optimizers) {
  check<Words, float, esp::cpu>(optim::SGD{0.1, optim::heavy_ball{}}, unchanged);
  check<Words, float, esp::cpu>(optim::Adam{1e-2}, unchanged);
  check<TwoTables, float, esp::cpu>(optim::clip_by_norm{optim::SGD<>{.learning_rate = 0.3}, 0.1}, unchanged);
  check<Words, float, esp::cpu>(optim::skip_non_finite{optim::SGD<>{.learning_rate = 0.3}}, unchanged);
}

namespace {
/// A user's optimizer that is wrong about itself: its update reads all gradients.
struct scaled {
  static constexpr int states = 0;
  double learning_rate = 0.1;
  optim::hyperparameters hyperparameters_of(std::int64_t) const { return {{learning_rate}}; }
  static constexpr auto update(auto p, auto g) {
    return boost::hana::make_tuple(p - g * esp::hyperparameter<0>{} / (sum(g * g) + 1));
  }
  constexpr bool keeps_unread_rows() const { return true; }
};
/// Another update than that of its base class.
struct shrinking : optim::SGD<> {
  static constexpr auto update(auto p, auto g) {
    return boost::hana::make_tuple(p * 0.9 - g * esp::hyperparameter<0>{});
  }
};
}  // namespace
BOOST_AUTO_TEST_CASE(an_update_of_all_gradients) { check<Words, float, esp::cpu>(scaled{}, unchanged); }
BOOST_AUTO_TEST_CASE(a_derived_optimizer) { check<Words, float, esp::cpu>(shrinking{}, unchanged); }

BOOST_AUTO_TEST_CASE(an_index_outside_the_table) {
  esp::model<Words> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::CrossEntropyLoss<>{}, optim::SGD<>{.learning_rate = 0.3}, esp::batch<4, 3>{}};
  esp::trainer expected{other, nn::CrossEntropyLoss<>{}, optim::SGD<>{.learning_rate = 0.3}, esp::batch<4, 3>{}};
  auto const y = targets_of<4>(0);
  for (int i = 0; i < 4; ++i) {
    auto const x = indices_of<shape<4, 3>>(i);
    auto wrong = indices_of<shape<4, 3>>(i + 1);
    wrong[7] = 50;
    auto const gradients = copy(trainer.gradients());
    BOOST_CHECK_THROW(trainer.step(wrong, y), esp::index_error);
    BOOST_TEST(copy(trainer.gradients()) == gradients, boost::test_tools::per_element());
    BOOST_TEST(trainer.step(x, y) == expected.step(x, y));
    BOOST_TEST(same_bits(model.parameters(), other.parameters()));
  }
}
BOOST_AUTO_TEST_CASE(memory_of_the_user) {
  esp::model<Words> model{esp::seed{1}}, other{esp::seed{1}};
  using Trainer = esp::trainer<esp::model<Words>, nn::CrossEntropyLoss<>, optim::SGD<>, esp::batch<4, 3>>;
  static esp::bytes<Trainer::bytes> room;
  for (unsigned char& b : room.at) b = 0xff;
  Trainer trainer{room, model, nn::CrossEntropyLoss<>{}, optim::SGD<>{.learning_rate = 0.3}, esp::batch<4, 3>{}};
  Trainer expected{other, nn::CrossEntropyLoss<>{}, optim::SGD<>{.learning_rate = 0.3}, esp::batch<4, 3>{}};
  for (int i = 0; i < 4; ++i) {
    auto const x = indices_of<shape<4, 3>>(i);
    BOOST_TEST(trainer.step(x, targets_of<4>(i)) == expected.step(x, targets_of<4>(i)));
    BOOST_TEST(same_bits(trainer.gradients(), expected.gradients()));
    BOOST_TEST(same_bits(model.parameters(), other.parameters()));
  }
}
