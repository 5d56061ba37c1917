// SPDX-License-Identifier: BSL-1.0
// Models, trainers and predictors in memory that the user gives, and what they cost.
#define BOOST_TEST_MODULE model_bytes
#include <boost/test/unit_test.hpp>

#include <cstring>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net =
    nn::Sequential<nn::Flatten, nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.3>, nn::Linear<8, 4>>;
using batch = esp::batch<16, 2, 3>;
using model_type = esp::model<Net>;
using trainer_type = esp::trainer<model_type, nn::SoftmaxLoss, optim::Adam, batch>;
using predictor_type = esp::predictor<model_type, batch>;

static_assert(model_type::parameter_count == 6 * 8 + 8 + 16 + 8 * 4 + 4);
static_assert(model_type::parameter_bytes >= sizeof(float) * model_type::parameter_count &&
              model_type::parameter_bytes % 64 == 0);
static_assert(model_type::buffer_bytes >= sizeof(float) * 16 &&
              model_type::bytes == model_type::parameter_bytes + model_type::buffer_bytes);

// The facts of a plan, of the trainer that runs it, and how they depend on the optimizer, the batch and the element
// type.
template <class Optimizer, class Batch = batch, class T = float>
constexpr auto const& plan = esp::training_plan<Net, nn::SoftmaxLoss, Optimizer, Batch, T>;
constexpr auto const& adam = plan<optim::Adam>;
static_assert(adam.workspace_bytes > 0 && adam.workspace_bytes < 64 * 1024 && adam.peak_live_bytes > 0 &&
              adam.peak_live_bytes <= adam.workspace_bytes);
static_assert(adam.parameter_count == model_type::parameter_count &&
              adam.parameter_bytes == model_type::parameter_bytes);
static_assert(adam.gradient_bytes == adam.parameter_bytes && adam.optimizer_bytes == 2 * adam.gradient_bytes);
static_assert(plan<optim::SGD<>>.optimizer_bytes == 0 &&
              plan<optim::SGD<optim::nesterov>>.optimizer_bytes == adam.gradient_bytes);
static_assert(adam.kernel_count > 5 && adam.kernel_count < 60);
// Forward and backward of both layers, but no gradient with respect to the images, in multiplications and additions.
static_assert(adam.flops > 2 * 16 * (2 * 6 * 8 + 3 * 8 * 4) && adam.flops < 4 * 16 * (3 * 6 * 8 + 3 * 8 * 4));
static_assert(plan<optim::Adam, esp::batch<32, 2, 3>>.flops > adam.flops &&
              plan<optim::Adam, esp::batch<32, 2, 3>>.workspace_bytes > adam.workspace_bytes);
static_assert(plan<optim::Adam, batch, double>.workspace_bytes > adam.workspace_bytes &&
              plan<optim::Adam, batch, double>.workspace_bytes <= 2 * adam.workspace_bytes);
static_assert(trainer_type::workspace_bytes == adam.workspace_bytes &&
              trainer_type::optimizer_bytes == adam.optimizer_bytes);
static_assert(trainer_type::kernel_count == adam.kernel_count && trainer_type::flops == adam.flops &&
              trainer_type::parameter_count == adam.parameter_count);
static_assert(trainer_type::bytes >=
              trainer_type::workspace_bytes + trainer_type::gradient_bytes + trainer_type::optimizer_bytes);
static_assert(predictor_type::bytes == predictor_type::workspace_bytes &&
              predictor_type::workspace_bytes < trainer_type::workspace_bytes);
static_assert(predictor_type::kernel_count > 0 && predictor_type::kernel_count < trainer_type::kernel_count);

// Frozen parameters have neither gradients nor states.
using Frozen = nn::Sequential<nn::Frozen<nn::Linear<6, 64>>, nn::Linear<64, 4>>;
constexpr auto const& frozen = esp::training_plan<Frozen, nn::SoftmaxLoss, optim::Adam, esp::batch<2, 6>>;
static_assert(frozen.parameter_count == 448 + 260 && frozen.gradient_bytes < frozen.parameter_bytes &&
              frozen.optimizer_bytes == 2 * frozen.gradient_bytes);

esp::bytes<model_type::bytes> model_room;
esp::bytes<trainer_type::bytes + 100> trainer_room;  // more than enough
esp::bytes<predictor_type::bytes> predictor_room;
bool inside(void const* at, auto const& room) { return at >= &room && at < &room + 1; }
}  // namespace

BOOST_AUTO_TEST_CASE(user_storage_serves_as_the_heap_does) {
  std::memset(&model_room, 0xff, sizeof model_room);  // whatever lies in the bytes is overwritten
  std::memset(&trainer_room, 0xff, sizeof trainer_room);
  std::memset(&predictor_room, 0xff, sizeof predictor_room);
  auto const images = floats<16, 2, 3>(1);
  auto const targets = labels<16>(2, 4);
  esp::model<Net> model{esp::seed{1}, model_room}, other{esp::seed{1}};
  esp::trainer trainer{trainer_room, model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  static_assert(std::is_same_v<decltype(trainer), trainer_type>);
  esp::trainer on_the_heap{other, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  esp::predictor predict{model, batch{}, predictor_room};
  BOOST_TEST(inside(model.parameters().data(), model_room));
  BOOST_TEST(inside(model.buffers().data(), model_room));
  BOOST_TEST(inside(trainer.gradients().data(), trainer_room));
  for (int step = 0; step < 3; ++step) {
    BOOST_TEST(trainer.step(images, targets) == on_the_heap.step(images, targets));
    BOOST_TEST(trainer.evaluate(images, targets).loss == on_the_heap.evaluate(images, targets).loss);
  }
  BOOST_TEST(copy(model.parameters()) == copy(other.parameters()), boost::test_tools::per_element());
  tensor<float, shape<16, 4>> scores;
  predict(images, scores);
  BOOST_TEST(scores == other(images));
  for (int i = 0; i < 100 - 64; ++i)
    BOOST_TEST(trainer_room.at[trainer_type::bytes + static_cast<std::size_t>(i)] == 0xff);
}
BOOST_AUTO_TEST_CASE(a_second_batch_is_part_of_the_bytes) {
  using two = esp::trainer<model_type, nn::SoftmaxLoss, optim::Adam, esp::batch<2, 2, 3>, batch>;
  static_assert(two::workspace_bytes == trainer_type::workspace_bytes);
  static esp::bytes<two::bytes> room;
  esp::model<Net> model, other;
  esp::trainer trainer{room, model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<2, 2, 3>{}, batch{}};
  esp::trainer plain{other, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  BOOST_TEST(trainer.step(floats<16, 2, 3>(1), labels<16>(2, 4)) == plain.step(floats<16, 2, 3>(1), labels<16>(2, 4)));
  BOOST_TEST(std::isfinite(trainer.step(floats<2, 2, 3>(1), labels<2>(2, 4))));
}
BOOST_AUTO_TEST_CASE(a_skipping_optimizer_needs_room_for_the_buffers) {
  using skipping = esp::trainer<model_type, nn::SoftmaxLoss, optim::skip_non_finite<optim::Adam>, batch>;
  static_assert(skipping::bytes >= trainer_type::bytes + model_type::buffer_bytes);
}
