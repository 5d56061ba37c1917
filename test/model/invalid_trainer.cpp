// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_invalid_trainer
#include <boost/test/unit_test.hpp>

#include <espalier/model/prediction_plan.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Linear<8, 4>;
using Model = esp::model<Net>;
using Batch = esp::batch<2, 8>;
using Trainer = esp::trainer<Model, nn::SoftmaxLoss, optim::Adam, Batch>;
using Images = esp::tensor<float, Batch>;
using Labels = esp::tensor<std::int32_t, esp::shape<2>>;

/// The public members of a trainer. A member that is missing in the stand-in is a second error of one mistake.
template <class T>
concept HasCosts = requires {
  T::workspace_bytes + T::parameter_bytes + T::gradient_bytes + T::optimizer_bytes + T::bytes;
  T::parameter_count + T::flops + T::kernel_count;
};
template <class T>
concept HasTargets = requires {
  typename T::prediction_shape;
  typename T::target_element;
  typename T::template target_of<Batch>;
  T::has_labels;
  T::labels.classes;
};
template <class T>
concept HasCalls = requires(T trainer, Images images, Labels labels) {
  static_cast<float>(trainer.step(images, labels));
  trainer.step(images, labels, esp::queued{});
  trainer.evaluate(images, labels).accuracy();
  trainer.evaluate(images, labels, 1).loss;
  trainer.forward(images);
  trainer.optimizer().learning_rate = 0.1f;
  trainer.learning_rate() = 0.1f;
  static_cast<float>(trainer.penalty());
  trainer.continue_after(trainer.steps() + trainer.skipped_updates());
  trainer.states().size() + trainer.gradients().size();
};

template <class T>
concept TrainerMembers = HasCosts<T> && HasTargets<T> && HasCalls<T>;

static_assert(TrainerMembers<Trainer>);
static_assert(TrainerMembers<esp::detail::accepts_every_call<float, optim::Adam>>);
static_assert(TrainerMembers<esp::detail::accepts_every_call<>>);

template <class T>
concept UpdaterMembers = requires(T updater, Model model, esp::gradients<Net> gradients) {
  updater.update(model, gradients);
  updater.learning_rate() = 0.1f;
  static_cast<float>(updater.penalty(model));
  updater.states().size() + T::bytes;
};
static_assert(UpdaterMembers<optim::updater<Model, optim::Adam>> && UpdaterMembers<esp::detail::accepts_every_call<>>);

/// The costs of everything that has a stand-in.
template <class T>
concept HasZeros = requires {
  T::workspace_bytes + T::in_place_bytes + T::bytes;
  T::kernel_count + T::bytes_moved;
};
static_assert(HasZeros<esp::predictor<Model, Batch>> && HasZeros<esp::detail::zero_costs>);

template <class T>
concept HasPlan = requires {
  T::workspace_bytes + T::peak_live_bytes + T::parameter_bytes;
  T::parameter_count + T::flops + T::bytes_moved + T::kernel_count;
};
using Training = esp::training_facts<Net, nn::SoftmaxLoss, optim::Adam, Batch>;
static_assert(HasPlan<Training> && HasPlan<esp::prediction_facts<Net, Batch>> && HasPlan<esp::detail::zero_costs>);

BOOST_AUTO_TEST_CASE(a_stand_in_accepts_the_calls_of_a_trainer) {
  esp::detail::accepts_every_call<float, optim::Adam> trainer;
  trainer.learning_rate() = 0.5;
  trainer.continue_after(3);
  BOOST_TEST(trainer.step(1, 2) == 0.0f);
  BOOST_TEST(trainer.evaluate().count == 0);
  BOOST_TEST(trainer.steps() == 0);
  BOOST_TEST(trainer.learning_rate() == 0.5);
}
