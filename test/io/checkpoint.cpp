// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_checkpoint
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/io/safetensors.hpp>

#include <cmath>
#include <limits>

#include "support/temporary.hpp"

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 3>>;
using Batch = esp::batch<16, 6>;

template <class T>
auto pictures(std::uint64_t number) {
  esp::tensor<T, esp::shape<16, 6>> x;
  for (std::int64_t i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<T>(std::sin(0.1 * static_cast<double>(i) + static_cast<double>(number)));
  return x;
}
auto labels(std::uint64_t number) {
  esp::tensor<std::int32_t, esp::shape<16>> y;
  for (std::int64_t i = 0; i < 16; ++i)
    y.data()[i] = static_cast<std::int32_t>((static_cast<std::uint64_t>(i) + number) % 3);
  return y;
}
template <class Trainer>
void steps(Trainer& trainer, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t k = from; k < to; ++k) trainer.step(pictures<float>(k), labels(k));
}
template <class Model>
std::vector<float> bits(Model& model) {
  std::vector<float> all;
  auto const add = [&](char const*, esp::extents const&, auto elements) {
    all.insert(all.end(), elements.begin(), elements.end());
  };
  model.for_each_parameter(add);
  model.for_each_buffer(add);
  return all;
}
template <class F>
io::mismatch_error mismatch_of(F f) {
  try {
    f();
  } catch (io::mismatch_error const& e) {
    return e;
  }
  BOOST_FAIL("nothing was refused");
  return io::mismatch_error{"", {}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_comes_back_bit_for_bit) {
  temporary::folder const folder;
  esp::model<Net> one{esp::seed{1}}, other{esp::seed{2}};
  esp::trainer trainer{one, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f}, Batch{}};
  steps(trainer, 0, 3);
  BOOST_TEST((bits(one) != bits(other)));
  io::save_safetensors(folder.path("net.safetensors"), one);
  io::load_safetensors(folder.path("net.safetensors"), other);
  BOOST_TEST((bits(one) == bits(other)));
  auto const file = io::read_safetensors(folder.path("net.safetensors"));
  BOOST_TEST(file.arrays().size() == 8u);
  auto const* const weight = file.find("0.weight");
  BOOST_REQUIRE(weight != nullptr);
  BOOST_TEST((weight->extents == std::vector<std::int64_t>{6, 8}));
  BOOST_TEST((weight->kind == io::element_kind::f32));
}

BOOST_AUTO_TEST_CASE(training_goes_on_with_the_same_bits) {
  temporary::folder const folder;
  auto const adam = optim::Adam{.learning_rate = 1e-2f, .weight_decay = 1e-2f};
  esp::model<Net> straight{esp::seed{5}}, first{esp::seed{5}}, second{esp::seed{77}};
  esp::trainer all{straight, nn::SoftmaxLoss{}, adam, Batch{}};
  steps(all, 0, 10);
  {
    esp::trainer half{first, nn::SoftmaxLoss{}, adam, Batch{}};
    steps(half, 0, 4);
    io::save_safetensors(folder.path("half.safetensors"), first, half);
  }
  esp::trainer rest{second, nn::SoftmaxLoss{}, adam, Batch{}};
  steps(rest, 0, 2);
  io::load_safetensors(folder.path("half.safetensors"), second, rest);
  BOOST_TEST(rest.steps() == 4);
  BOOST_TEST(second.random_steps() == 4u);
  steps(rest, 4, 10);
  BOOST_TEST((bits(straight) == bits(second)));
  // An updater keeps the same as a trainer.
  esp::model<Net> third{esp::seed{9}};
  optim::updater updater{third, adam};
  io::load_safetensors(folder.path("half.safetensors"), third, updater);
  BOOST_TEST(updater.steps() == 4);
  BOOST_TEST((bits(third) == bits(first)));
}

/// The scale of a loss, and how many updates it has lasted, are states of a training.
BOOST_AUTO_TEST_CASE(a_loss_scale_goes_on) {
  temporary::folder const folder;
  auto const scaled = optim::scale_loss{optim::Adam{.learning_rate = 1e-2f}, 1024, 2, 0.5, 3};
  esp::model<Net> straight{esp::seed{5}}, first{esp::seed{5}}, second{esp::seed{77}};
  esp::trainer all{straight, nn::SoftmaxLoss{}, scaled, Batch{}}, begun{first, nn::SoftmaxLoss{}, scaled, Batch{}},
      rest{second, nn::SoftmaxLoss{}, scaled, Batch{}};
  steps(all, 0, 10);
  steps(begun, 0, 5);
  BOOST_TEST(begun.loss_scale() == 2048);
  io::save_safetensors(folder.path("half.safetensors"), first, begun);
  auto const file = io::read_safetensors(folder.path("half.safetensors"));
  BOOST_REQUIRE(file.find("training/loss_scale") != nullptr);
  BOOST_REQUIRE(file.find("training/updates_of_scale") != nullptr);
  BOOST_TEST(file.find("training/loss_scale")->extents.empty());
  io::load_safetensors(folder.path("half.safetensors"), second, rest);
  BOOST_TEST(rest.loss_scale() == 2048);
  BOOST_TEST(rest.loss_scale_state().data()[1] == 2);
  steps(rest, 5, 6);  // the third update with this scale
  BOOST_TEST(rest.loss_scale() == 4096);
  steps(rest, 6, 10);
  BOOST_TEST(rest.loss_scale() == all.loss_scale());
  BOOST_TEST((bits(straight) == bits(second)));
  // A trainer without a scale has no place for it, and one with a scale requires it: nothing changes.
  esp::model<Net> third{esp::seed{9}};
  esp::trainer plain{third, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}};
  auto const before = bits(third);
  auto const more = mismatch_of([&] { io::load_safetensors(folder.path("half.safetensors"), third, plain); });
  BOOST_TEST(std::string{more.what()}.find("training/loss_scale") != std::string::npos, more.what());
  io::save_safetensors(folder.path("plain.safetensors"), third, plain);
  auto const fewer = mismatch_of([&] { io::load_safetensors(folder.path("plain.safetensors"), second, rest); });
  BOOST_TEST(std::string{fewer.what()}.find("training/loss_scale") != std::string::npos, fewer.what());
  BOOST_TEST((bits(third) == before));
  BOOST_TEST((bits(straight) == bits(second)));
  BOOST_TEST(rest.loss_scale() == all.loss_scale());
}

BOOST_AUTO_TEST_CASE(a_checkpoint_is_no_model) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{2}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{.learning_rate = 0.1f, .momentum = optim::damped{0.9f}},
                       Batch{}};
  io::save_safetensors(folder.path("checkpoint.safetensors"), model, trainer);
  auto const before = bits(other);
  auto const error = mismatch_of([&] { io::load_safetensors(folder.path("checkpoint.safetensors"), other); });
  BOOST_TEST(std::string{error.what()}.find("load it with one, or ignore \"training/*\"") != std::string::npos,
             error.what());
  BOOST_TEST((bits(other) == before));
  io::load_safetensors(folder.path("checkpoint.safetensors"), other, io::load_options{}.ignore("training/*"));
  BOOST_TEST((bits(other) == bits(model)));
  // Another optimizer keeps other vectors.
  esp::trainer adam{other, nn::SoftmaxLoss{}, optim::Adam{}, Batch{}};
  auto const vectors = mismatch_of([&] { io::load_safetensors(folder.path("checkpoint.safetensors"), other, adam); });
  BOOST_TEST(vectors.disagreements().size() == 6u);
  BOOST_TEST((vectors.disagreements()[0].kind == io::disagreement_kind::missing));
  BOOST_TEST(vectors.disagreements()[0].name == "training/state1/0.weight");
}

// Both optimizers have one vector, of another meaning.
BOOST_AUTO_TEST_CASE(the_state_of_another_optimizer_is_refused) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{2}};
  esp::trainer root{model, nn::SoftmaxLoss{}, optim::RMSProp{}, Batch{}};
  auto const momentum = [](auto kind) { return optim::SGD{.learning_rate = .1, .momentum = kind}; };
  esp::trainer ball{other, nn::SoftmaxLoss{}, optim::clip_by_norm{momentum(optim::heavy_ball{.9})}, Batch{}};
  esp::trainer damped{other, nn::SoftmaxLoss{}, momentum(optim::damped{.9}), Batch{}};
  optim::updater nesterov{other, momentum(optim::nesterov{.9})};
  steps(root, 0, 2);
  steps(ball, 0, 2);
  io::save_safetensors(folder.path("root.safetensors"), model, root);
  io::save_safetensors(folder.path("ball.safetensors"), other, ball);
  auto const before = bits(other);
  auto const error = mismatch_of([&] { io::load_safetensors(folder.path("root.safetensors"), other, ball); });
  BOOST_TEST(error.disagreements().size() == 1u);
  BOOST_TEST(std::string{error.what()}.find("expected the state of SGD with momentum, found that of RMSProp") !=
             std::string::npos);
  mismatch_of([&] { io::load_safetensors(folder.path("ball.safetensors"), other, damped); });
  BOOST_TEST((bits(other) == before));
  BOOST_TEST(ball.steps() == 2);
  io::load_safetensors(folder.path("ball.safetensors"), other, nesterov);
  BOOST_TEST(nesterov.steps() == 2);
  // A file without the entry, as 0.6.0 wrote it.
  io::write_safetensors(folder.path("old.safetensors"), io::snapshot{model, root}.arrays(), {{"format", "espalier"}});
  io::load_safetensors(folder.path("old.safetensors"), other, ball);
}

BOOST_AUTO_TEST_CASE(invalid_step_counts_throw) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{1}};
  optim::updater updater{model, optim::SGD<>{.learning_rate = 0.1f}};
  for (std::int64_t const steps : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    updater.continue_after(steps);
    io::save_safetensors(folder.path("steps.safetensors"), model, updater);
    updater.continue_after(3);
    esp::model<Net> other{esp::seed{2}};
    auto const before = bits(other);
    auto const error = mismatch_of([&] { io::load_safetensors(folder.path("steps.safetensors"), other, updater); });
    BOOST_TEST(error.disagreements().size() == 1u);
    BOOST_TEST(std::string{error.what()}.find("\n  value of \"training/steps\": expected 0 to 2^62, found " +
                                              std::to_string(steps)) != std::string::npos,
               error.what());
    BOOST_TEST(updater.steps() == 3);
    BOOST_TEST((bits(other) == before));
  }
}

BOOST_AUTO_TEST_CASE(every_disagreement_is_named) {
  temporary::folder const folder;
  using Other = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 4>>;
  esp::model<Net> model{esp::seed{1}};
  esp::model<Other> saved{esp::seed{2}};
  auto const before = bits(model);
  io::save_safetensors(folder.path("other.safetensors"), saved);
  auto const shapes = mismatch_of([&] { io::load_safetensors(folder.path("other.safetensors"), model); });
  BOOST_TEST(shapes.disagreements().size() == 2u);
  std::string const text = shapes.what();
  BOOST_TEST(
      text ==
      std::string{folder.path("other.safetensors")} +
          " does not fit: 2 disagreements; nothing was loaded\n  shape of \"4.weight\": expected (8, 3), found (8, 4)\n" +
          "  shape of \"4.bias\": expected (1, 3), found (1, 4)");

  // Names, elements and values, all in one file.
  float const numbers[48] = {1, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  double const doubles[8] = {};
  std::vector<io::named_array> arrays{io::array_of("0.wieght", esp::extents{2, {6, 8}}, numbers),
                                      io::array_of("0.bias", esp::extents{2, {1, 8}}, doubles),
                                      io::array_of("4.weight", esp::extents{2, {8, 3}}, numbers),
                                      io::array_of("4.bias", esp::extents{2, {1, 3}}, numbers + 3)};
  for (char const* name : {"1.weight", "1.bias", "1.running_mean", "1.running_var"})
    arrays.push_back(io::array_of(name, esp::extents{1, {8}}, numbers + 3));
  io::write_safetensors(folder.path("names.safetensors"), arrays);
  auto const all =
      mismatch_of([&] { io::load_safetensors(folder.path("names.safetensors"), model, io::load_options{}.finite()); });
  std::string const lines = all.what();
  auto const has = [&](char const* part) {
    BOOST_TEST(lines.find(part) != std::string::npos, lines << "\n has no: " << part);
  };
  BOOST_TEST(all.disagreements().size() == 4u);
  has("\n  missing \"0.weight\": expected float (6, 8); of the file's other names the most similar is \"0.wieght\"");
  has("\n  elements of \"0.bias\": expected float, found double");
  has("\n  values of \"4.weight\": expected finite numbers, found 2 of 24 that are not");
  has("\n  extra \"0.wieght\": the file has float (6, 8)");
  BOOST_TEST((bits(model) == before));

  // What is said in words is taken.
  io::load_safetensors(folder.path("names.safetensors"), model,
                       io::load_options{}.rename("*.wieght", "*.weight").convert());
  BOOST_TEST(model.parameter("0.weight").span()[0] == 1.0f);
  auto const twice = mismatch_of([&] {
    io::load_safetensors(folder.path("names.safetensors"), model,
                         io::load_options{}.rename("*.wieght", "4.weight").convert().keep("0.*"));
  });
  BOOST_TEST((twice.disagreements().front().kind == io::disagreement_kind::twice));
  BOOST_TEST(twice.disagreements().size() == 2u);  // and its extents
}
