// SPDX-License-Identifier: BSL-1.0
// A rule holds at every door: labels and indices outside of their range throw before anything is changed, wherever a
// program takes them. docs/design/rules.md lists the rules, the doors and their tests.
#define BOOST_TEST_MODULE law_every_door
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/up_to.hpp>

#include <string>
#include <vector>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

namespace {

struct loss_of_scores {
  constexpr auto operator()(auto const& scores, auto const& label) const { return esp::cross_entropy(scores, label); }
};
struct loss_of_net {
  constexpr auto operator()(auto const& net, auto const& x, auto const& label) const {
    return esp::cross_entropy(net(x), label);
  }
};
struct rows_of_table {
  constexpr auto operator()(auto const& table, auto const& index) const {
    return esp::square(esp::index_select<0>(table, index));
  }
};
struct Words {
  using input_element = std::int32_t;
  nn::Embedding<5, 4> table;
  ESPALIER_MODULE(Words, table)
  constexpr auto forward(auto index) const { return table(index); }
};
using Scores = nn::Linear<3, 4>;

template <class Error, class F>
void refuses(char const* door, F const& f) {
  bool thrown = false;
  try {
    f();
  } catch (Error const&) {
    thrown = true;
  }
  BOOST_TEST(thrown, door << " accepts it");
}
template <class Model>
std::vector<float> values(Model const& model) {
  return {model.parameters().begin(), model.parameters().end()};
}
tensor<std::int32_t, shape<2>> const right{0, 3}, wrong{0, 4}, negative{-1, 2}, late{1, 5};

}  // namespace

BOOST_AUTO_TEST_CASE(labels) {
  esp::model<Scores> model{esp::seed{1}};
  auto const before = values(model);
  tensor<float, shape<2, 3>> x;
  tensor<float, shape<2, 4>> scores, direction;
  x.fill(0.5f);
  scores.fill(0.25f);
  direction.fill(1);
  tensor<float, shape<>> loss{7};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<2, 3>{}};
  esp::trainer bounded{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<esp::up_to<4>, 3>{}};
  esp::compiled of_scores{loss_of_scores{}, scores, right};
  esp::compiled of_net{loss_of_net{}, model, x, right};
  auto const of_model = esp::value_and_grad(model, nn::SoftmaxLoss{});
  for (auto const& label : {wrong, negative}) {
    using error = esp::label_error;
    refuses<error>("trainer.step", [&] { trainer.step(x, label); });
    refuses<error>("trainer.evaluate", [&] { trainer.evaluate(x, label); });
    refuses<error>("trainer.step of a bounded batch", [&] { bounded.step(x, label); });
    refuses<error>("value_and_grad(model, loss)", [&] { of_model(x, label); });
    refuses<error>("value_and_grad of a function of a model",
                   [&] { (void)esp::value_and_grad<0>(loss_of_net{})(model, x, label); });
    refuses<error>("grad", [&] { (void)esp::grad<0>(loss_of_scores{})(scores, label); });
    refuses<error>("vjp", [&] { (void)esp::vjp<0>(loss_of_scores{})(scores, label)(loss); });
    refuses<error>("jvp", [&] { (void)esp::jvp<0>(loss_of_scores{})(scores, label)(direction); });
    refuses<error>("compiled", [&] { of_scores(scores, label, loss); });
    refuses<error>("compiled function of a model", [&] { of_net(x, label, loss); });
    refuses<error>("a formula", [&] { loss = esp::cross_entropy(scores, label); });
  }
  BOOST_TEST(loss[0] == 7.0f);
  BOOST_TEST((trainer.steps() == 0 && bounded.steps() == 0));
  BOOST_TEST(values(model) == before, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(indices) {
  esp::model<Words> model{esp::seed{1}};
  auto const before = values(model);
  tensor<float, shape<5, 4>> table, direction;
  table.fill(0.25f);
  direction.fill(1);
  tensor<float, shape<2, 4>> y;
  y.fill(7);
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<2>{}};
  esp::predictor predict{model, esp::batch<2>{}};
  esp::frozen frozen{model, esp::batch<2>{}};
  esp::compiled of_table{rows_of_table{}, table, right};
  auto const of_model = esp::value_and_grad(model, nn::SoftmaxLoss{});
  for (auto const& index : {late, negative}) {
    using error = esp::index_error;
    refuses<error>("model", [&] { (void)model(index); });
    refuses<error>("predictor", [&] { predict(index, y); });
    refuses<error>("frozen", [&] { frozen(index, y); });
    refuses<error>("trainer.step", [&] { trainer.step(index, right); });
    refuses<error>("value_and_grad(model, loss)", [&] { of_model(index, right); });
    refuses<error>("vjp", [&] { (void)esp::vjp<0>(rows_of_table{})(table, index)(y); });
    refuses<error>("jvp", [&] { (void)esp::jvp<0>(rows_of_table{})(table, index)(direction); });
    refuses<error>("compiled", [&] { of_table(table, index, y); });
    refuses<error>("a formula", [&] { y = rows_of_table{}(table, index); });
  }
  for (float const each : y) BOOST_TEST(each == 7.0f);
  BOOST_TEST(trainer.steps() == 0);
  BOOST_TEST(values(model) == before, boost::test_tools::per_element());
}
