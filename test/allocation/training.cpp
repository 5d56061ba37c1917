// SPDX-License-Identifier: BSL-1.0
// After construction nothing is allocated; with bytes that the user gives, nothing at all.
#define BOOST_TEST_MODULE allocation_training
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/up_to.hpp>

#include "support/allocation_counter.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using espalier_test::allocations;

namespace {
// Wide enough that neither activations nor scratch of a product would fit on the stack by chance.
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 96>, nn::BatchNorm1d<96>, nn::ReLU, nn::Dropout<0.3>,
                           nn::Residual<nn::Sequential<nn::Linear<96, 96>, nn::LayerNorm1d<96>>>, nn::Linear<96, 10>>;
using batch = esp::batch<32, 8, 8>;
using rest = esp::batch<29, 8, 8>;
using optimizer = optim::skip_non_finite<optim::clip_by_norm<optim::Adam>>;
using model_type = esp::model<Net>;
using trainer_type = esp::trainer<model_type, nn::SoftmaxLoss, optimizer, batch, rest>;
using predictor_type = esp::predictor<model_type, batch>;

struct buffers {
  tensor<float, batch> images{};
  tensor<float, rest> last_images{};
  tensor<std::int32_t, shape<32>> labels{};
  tensor<std::int32_t, shape<29>> last_labels{};
  tensor<float, shape<32, 10>> scores{};
};

/// How many allocations this is, and that it did something.
template <class F>
long count(F f) {
  long const before = allocations();
  f();
  return allocations() - before;
}
template <class Trainer, class Predictor>
void run(Trainer& trainer, Predictor& predict, buffers& g, double& loss) {
  for (int step = 0; step < 3; ++step) {
    trainer.optimizer().optimizer.optimizer.learning_rate = 1e-2 / (step + 1);
    loss += static_cast<double>(trainer.step(g.images, g.labels));
    loss += static_cast<double>(trainer.step(g.last_images, g.last_labels));
    loss += trainer.evaluate(g.images, g.labels, 20).loss;
    predict(g.images, g.scores);
    trainer.forward(g.images);
  }
}

esp::bytes<model_type::bytes> model_room;
esp::bytes<trainer_type::bytes> trainer_room;
esp::bytes<predictor_type::bytes> predictor_room;
}  // namespace

BOOST_AUTO_TEST_CASE(the_counter_counts) {
  BOOST_TEST(count([] { ::operator delete(::operator new(1)); }) == 1);
  BOOST_TEST(count([] { [[maybe_unused]] tensor<float, shape<64, 64>> large; }) == 1);
  BOOST_TEST(count([] { [[maybe_unused]] tensor<float, shape<2, 2>> small; }) == 0);
}
BOOST_AUTO_TEST_CASE(nothing_after_construction) {
  buffers g;
  double loss = 0;
  long const before = allocations();
  model_type model{esp::seed{1}};
  trainer_type trainer{model, nn::SoftmaxLoss{}, optimizer{{optim::Adam{}, 1.0}}, batch{}, rest{}};
  predictor_type predict{model, batch{}};
  BOOST_TEST(allocations() - before <= 3);
  BOOST_TEST(count([&] { run(trainer, predict, g, loss); }) == 0);
  BOOST_TEST(trainer.steps() == 6);
  BOOST_TEST(loss > 0);
}
BOOST_AUTO_TEST_CASE(nothing_from_construction_on_with_user_storage) {
  buffers g;
  double loss = 0;
  std::int64_t steps = 0;
  BOOST_TEST(
      count([&] {
        model_type model{esp::seed{1}, model_room};
        trainer_type trainer{trainer_room, model, nn::SoftmaxLoss{}, optimizer{{optim::Adam{}, 1.0}}, batch{}, rest{}};
        predictor_type predict{model, batch{}, predictor_room};
        run(trainer, predict, g, loss);
        steps = trainer.steps();
      }) == 0);
  BOOST_TEST(steps == 6);
  BOOST_TEST(loss > 0);
}
BOOST_AUTO_TEST_CASE(nothing_for_names_and_updates) {
  model_type model{esp::seed{1}};
  optim::updater updater{model, optim::AdamW{}};
  esp::gradients<Net> const gradients;
  std::int64_t elements = 0;
  BOOST_TEST(count([&] {
               updater.update(model, gradients);
               elements += model.parameter("5.fn.0.weight").span().size();
               model.for_each_parameter([&](char const*, esp::extents const&, auto span) { elements += span.size(); });
               model.initialize(esp::seed{2});
             }) == 0);
  BOOST_TEST(elements == 96 * 96 + model.parameter_count);
}

namespace {
inline constexpr auto loss_of = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto add_batch = [](auto net, auto total, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(loss_of)(net, x, y);
  accumulate(total, gradients);
  return loss;
};
}  // namespace
BOOST_AUTO_TEST_CASE(nothing_for_sums_over_batches) {
  buffers g;
  model_type model{esp::seed{1}};
  optim::updater updater{model, optim::AdamW{}};
  esp::gradients<Net> total, more;
  esp::compiled add{add_batch, model, total, g.images, g.labels};
  tensor<float, shape<>> loss;
  more.fill(1);
  BOOST_TEST(count([&] {
               for (int step = 0; step < 3; ++step) {
                 total.fill(0);
                 for (int batches = 0; batches < 2; ++batches) add(g.images, g.labels, loss);
                 total += more;
                 total *= 0.5f;
                 updater.update(model, total);
               }
             }) == 0);
  BOOST_TEST(updater.steps() == 3);
}

/// The gradient of the pooling adds to more numbers than a draft has on the stack.
BOOST_AUTO_TEST_CASE(nothing_for_batches_of_up_to) {
  using Images = nn::Sequential<nn::Conv<1, 4, 3>, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<4 * 8 * 8, 10>>;
  using up_to = esp::batch<esp::up_to<32>, 1, 16, 16>;
  esp::model<Images> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, up_to{}};
  esp::predictor predict{model, up_to{}};
  tensor<float, shape<32, 1, 16, 16>> images;
  tensor<std::int32_t, shape<32>> labels{};
  tensor<float, shape<32, 10>> scores;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 256; ++j) images(i, 0, j / 16, j % 16) = static_cast<float>((i * 7 + j * 5) % 11) / 11.0f;
  double loss = 0;
  BOOST_TEST(count([&] {
               for (int samples : {32, 1, 7}) {
                 esp::view<float const, up_to> const x{images.data(), samples};
                 esp::view<std::int32_t const, shape<esp::up_to<32>>> const y{labels.data(), samples};
                 loss += static_cast<double>(trainer.step(x, y));
                 predict(x, esp::view<float, shape<esp::up_to<32>, 10>>{scores.data(), samples});
               }
             }) == 0);
  BOOST_TEST(trainer.steps() == 3);
  BOOST_TEST(loss > 0);
  BOOST_TEST(scores(6, 0) != scores(6, 1));
}
