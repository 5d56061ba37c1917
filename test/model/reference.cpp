// SPDX-License-Identifier: BSL-1.0
// Models that move, are cloned, and end: what refers to them follows, stays, or is reported. Death tests run in a child
// process.
#define BOOST_TEST_MODULE model_reference
#undef NDEBUG
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <espalier/eager/compiled.hpp>
#include <espalier/model/embedded.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>
#include <espalier/parallel.hpp>
#include <espalier/simulated_cuda.hpp>

#include "support/last_words.hpp"
#include "support/nets.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::batch;
using esp::shape;
using esp::tensor;
using test::floats;
using test::has;
using test::labels;
using test::last_words;

namespace {
using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 3>>;
using Batch = batch<5, 6>;
using Model = esp::model<Net>;
using Scores = tensor<float, shape<5, 3>>;

auto trainer_of(auto& model) { return esp::trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, Batch{}}; }

template <class A, class B>
bool same_numbers(A const& a, B const& b) {
  for (std::int64_t i = 0; i < a.parameters().size(); ++i)
    if (a.parameters()[i] != b.parameters()[i]) return false;
  for (std::int64_t i = 0; i < a.buffers().size(); ++i)
    if (a.buffers()[i] != b.buffers()[i]) return false;
  return true;
}
}  // namespace

static_assert(std::is_nothrow_move_constructible_v<Model> && std::is_nothrow_move_assignable_v<Model>);

BOOST_AUTO_TEST_CASE(a_trainer_and_a_predictor_follow) {
  auto const x = floats<5, 6>(1);
  auto const y = labels<5>(2, 3);
  Model first_result{esp::seed{4}}, other{esp::seed{4}};
  auto trainer = trainer_of(first_result), plain = trainer_of(other);
  esp::predictor p{first_result, Batch{}};
  Scores from_p;
  BOOST_TEST(trainer.step(x, y) == plain.step(x, y));
  Model moved = std::move(first_result);
  BOOST_TEST(trainer.step(x, y) == plain.step(x, y));
  BOOST_TEST(same_numbers(moved, other));
  BOOST_TEST(moved.random_steps() == 2u);
  p(x, from_p);
  BOOST_TEST((from_p == other(x)));
  // Again, by way of a list that grows.
  std::vector<Model> many;
  many.push_back(std::move(moved));
  for (unsigned i = 0; i < 5; ++i) many.emplace_back(esp::seed{i});
  BOOST_TEST(trainer.step(x, y) == plain.step(x, y));
  BOOST_TEST(same_numbers(many[0], other));
  p(x, from_p);
  BOOST_TEST((from_p == other(x)));
}

BOOST_AUTO_TEST_CASE(gradient_functions_follow) {
  auto const x = floats<5, 6>(1);
  auto const y = labels<5>(2, 3);
  Model first_result{esp::seed{4}}, other{esp::seed{4}};
  auto const of = esp::value_and_grad(first_result, nn::SoftmaxLoss{});
  auto const copied = of;
  Model const moved = std::move(first_result);
  BOOST_TEST(copied(x, y).loss == esp::value_and_grad(other, nn::SoftmaxLoss{})(x, y).loss);
  BOOST_TEST(of(x, y).loss == esp::value_and_grad(other, nn::SoftmaxLoss{})(x, y).loss);
}

BOOST_AUTO_TEST_CASE(swapped) {
  auto const x = floats<5, 6>(1);
  Model a{esp::seed{1}}, b{esp::seed{2}};
  esp::predictor of_a{a, Batch{}}, of_b{b, Batch{}};
  auto const ya = a(x), yb = b(x);
  std::swap(a, b);
  BOOST_TEST((a(x) == yb));
  BOOST_TEST((b(x) == ya));
  Scores y;
  of_a(x, y);
  BOOST_TEST((y == ya));
  of_b(x, y);
  BOOST_TEST((y == yb));
}

BOOST_AUTO_TEST_CASE(assigned) {
  auto const x = floats<5, 6>(1);
  Model a{esp::seed{1}};
  esp::predictor p{a, Batch{}};
  Scores y;
  {
    Model b{esp::seed{2}};
    b.next_random_step();
    esp::predictor of_b{b, Batch{}};
    a = std::move(b);
    p(x, y);
    BOOST_TEST((y == Model{esp::seed{2}}(x)));
    of_b(x, y);
    BOOST_TEST((y == Model{esp::seed{2}}(x)));
  }
  p(x, y);
  BOOST_TEST((y == Model{esp::seed{2}}(x)));
  BOOST_TEST(a.random_steps() == 1u);
  BOOST_TEST(a.initial_seed().value == 2u);
  // A model that was moved from takes numbers again.
  Model c = std::move(a);
  a = Model{esp::seed{7}};
  BOOST_TEST((a(x) == Model{esp::seed{7}}(x)));
  p(x, y);
  BOOST_TEST((y == c(x)));
  Model& same = a;
  a = std::move(same);
  BOOST_TEST((a(x) == Model{esp::seed{7}}(x)));
}

BOOST_AUTO_TEST_CASE(cloned) {
  auto const x = floats<5, 6>(1);
  auto const y = labels<5>(2, 3);
  Model a{esp::seed{4}};
  auto trainer = trainer_of(a);
  trainer.step(x, y);
  Model const& read = a;
  Model b = read.clone();
  BOOST_TEST(same_numbers(a, b));
  BOOST_TEST(b.random_steps() == a.random_steps());
  BOOST_TEST(b.parameters().data() != a.parameters().data());
  auto const before = b(x);
  trainer.step(x, y);
  BOOST_TEST(!same_numbers(a, b));
  BOOST_TEST((b(x) == before));
  // The clone draws as the model would have.
  Model again = b.clone();
  BOOST_TEST(esp::value_and_grad(again, nn::SoftmaxLoss{})(x, y).loss ==
             esp::value_and_grad(b, nn::SoftmaxLoss{})(x, y).loss);
}

BOOST_AUTO_TEST_CASE(memory_of_the_user) {
  static esp::bytes<Model::bytes> room;
  Model a{esp::seed{3}, room};
  Model b = std::move(a);
  BOOST_TEST(static_cast<void const*>(b.parameters().data()) == static_cast<void const*>(room.at));
  Model c = b.clone();
  BOOST_TEST(static_cast<void const*>(c.parameters().data()) != static_cast<void const*>(room.at));
  BOOST_TEST(same_numbers(b, c));
}

BOOST_AUTO_TEST_CASE(threads_and_devices) {
  auto const x = floats<5, 6>(1);
  auto const expected = Model{esp::seed{3}}(x);
  auto const check = [&]<class M>(std::type_identity<M>) {
    M a{esp::seed{3}};
    esp::predictor p{a, Batch{}};
    Scores y;
    p(x, y);
    M b = std::move(a);
    p(x, y);
    BOOST_TEST(all_close(y, expected, 1e-5, 1e-5));
    M c = b.clone();
    b = M{esp::seed{9}};
    BOOST_TEST(all_close(c(x), expected, 1e-5, 1e-5));
    p(x, y);
    BOOST_TEST(!all_close(y, expected, 1e-5, 1e-5));
  };
  check(std::type_identity<esp::model<Net, esp::cpu_parallel<2>>>{});
  check(std::type_identity<esp::model<Net, esp::simulated_cuda>>{});
}

BOOST_AUTO_TEST_CASE(const_models) {
  // Nothing changes where the net has neither buffers nor random numbers, and so a const model has gradients.
  using Plain = nn::Sequential<nn::Linear<6, 8>, nn::ReLU, nn::Linear<8, 3>>;
  auto const x = floats<5, 6>(1);
  auto const y = labels<5>(2, 3);
  esp::model<Plain> const model{esp::seed{1}};
  esp::model<Plain> same{esp::seed{1}};
  auto const first_result = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y),
             second_result = esp::value_and_grad(same, nn::SoftmaxLoss{})(x, y);
  BOOST_TEST(first_result.loss == second_result.loss);
  BOOST_TEST(model.random_steps() == 0u);
  BOOST_TEST(same_numbers(model, same));
  BOOST_TEST(esp::grad(model, nn::SoftmaxLoss{})(x, y).parameter("2.bias").span()[1] ==
             second_result.gradients.parameter("2.bias").span()[1]);
}

BOOST_AUTO_TEST_CASE(temporary_gradients) {
  // What refers to their elements keeps them.
  auto const x = floats<5, 6>(1);
  auto const y = labels<5>(2, 3);
  esp::model<nn::Sequential<nn::Linear<6, 8>, nn::ReLU, nn::Linear<8, 3>>> model{esp::seed{3}};
  auto const of = esp::grad(model, nn::SoftmaxLoss{});
  auto const kept = of(x, y);
  auto const all = of(x, y).span();
  for (std::int64_t i = 0; i < all.size(); ++i) BOOST_TEST(all[i] == kept.span()[i]);
  auto const weight = of(x, y).parameter("0.weight"), none = of(x, y).find_parameter("no such name");
  BOOST_TEST(!none);
  BOOST_TEST(weight.span().size() == 48);
  std::int64_t i = 0;
  for (float const d : of(x, y).parameter("0.weight").span()) {
    BOOST_TEST(d == kept.parameter("0.weight").span()[i]);
    BOOST_TEST(d == weight.span()[i++]);
  }
  BOOST_TEST(i == 48);
}

BOOST_AUTO_TEST_CASE(frozen_from_a_temporary) {
  // It keeps a copy of what it needs.
  auto const x = floats<5, 6>(1);
  esp::frozen f{Model{esp::seed{3}}, Batch{}};
  Scores y;
  f(x, y);
  BOOST_TEST(all_close(y, Model{esp::seed{3}}(x), 1e-5, 1e-5));
}

BOOST_AUTO_TEST_CASE(many_predictors_come_and_go_on_many_threads) {
  Model const model{esp::seed{1}};
  auto const x = floats<5, 6>(1);
  auto const expected = model(x);
  std::vector<std::thread> threads;
  int wrong[4]{};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        esp::predictor p{model, Batch{}};
        Scores y;
        p(x, y);
        wrong[t] += !(y == expected);
      }
    });
  for (auto& thread : threads) thread.join();
  BOOST_TEST(wrong[0] + wrong[1] + wrong[2] + wrong[3] == 0);
}

// The compiler would see through the end of a local model, and warn.
BOOST_AUTO_TEST_CASE(a_model_that_ended) {
  auto const x = floats<5, 6>(1);
  auto const y = labels<5>(2, 3);
  Scores scores;
  BOOST_TEST(has(last_words([&] {
                   auto model = std::make_unique<Model>(esp::seed{1});
                   esp::predictor p{*model, Batch{}};
                   model.reset();
                   p(x, scores);
                 }),
                 "the model of this trainer, predictor or gradient function was destroyed"));
  BOOST_TEST(has(last_words([&] {
                   auto model = std::make_unique<Model>(esp::seed{1});
                   auto trainer = trainer_of(*model);
                   model.reset();
                   trainer.step(x, y);
                 }),
                 "was destroyed"));
  BOOST_TEST(has(last_words([&] {
                   auto model = std::make_unique<Model>(esp::seed{1});
                   auto const of = esp::value_and_grad(*model, nn::SoftmaxLoss{});
                   model.reset();
                   of(x, y);
                 }),
                 "was destroyed"));
  // What is not used any more may end in any order.
  BOOST_TEST(last_words([&] {
               auto model = std::make_unique<Model>(esp::seed{1});
               esp::predictor p{*model, Batch{}}, q{*model, Batch{}};
               auto trainer = trainer_of(*model);
               model.reset();
             }) == "");
}
BOOST_AUTO_TEST_CASE(a_model_that_was_moved_from) {
  BOOST_TEST(has(last_words([&] {
                   Model a{esp::seed{1}};
                   Model const b = std::move(a);
                   a.parameter("0.weight").span()[0] = 1;
                 }),
                 "this model was moved from"));
}

BOOST_AUTO_TEST_CASE(one_workspace_on_two_threads) {
  using Slow = nn::Sequential<nn::Linear<256, 256>, nn::ReLU, nn::Linear<256, 256>, nn::ReLU, nn::Linear<256, 256>>;
  using Wide = batch<64, 256>;
  static tensor<float, Wide> x;
  auto const together = [](auto& object) {
    tensor<float, Wide> y, z;
    std::thread other{[&] {
      for (int i = 0; i < 2000; ++i) object(x, y);
    }};
    for (int i = 0; i < 2000; ++i) object(x, z);
    other.join();
  };
  esp::model<Slow> model{esp::seed{1}};
  auto const words = "is in use by another thread";
  BOOST_TEST(has(last_words([&] {
                   esp::predictor p{model, Wide{}};
                   together(p);
                 }),
                 words));
  BOOST_TEST(has(last_words([&] {
                   esp::frozen f{model, Wide{}};
                   together(f);
                 }),
                 words));
  // Two of them are none of its business.
  BOOST_TEST(last_words([&] {
               esp::predictor p{model, Wide{}}, q{model, Wide{}};
               tensor<float, Wide> y, z;
               std::thread other{[&] {
                 for (int i = 0; i < 20; ++i) p(x, y);
               }};
               for (int i = 0; i < 20; ++i) q(x, z);
               other.join();
             }) == "");
}
