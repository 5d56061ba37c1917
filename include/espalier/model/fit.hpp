// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../derivative/derivative.hpp"
#include "../optim/optimizer.hpp"
#include "source.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Whether a net, a loss, an optimizer and batches can be trained together; what is not so is a fact that the roots show.
namespace espalier {

/// Named relations of trainer{model, loss, optimizer, batch...}: each is what its place asks for.
template <class Loss>
struct is_loss {
  static constexpr bool agree = nn::Module<Loss> && requires { typename Loss::template target<shape<1, 1>>; };
};
template <class Optimizer>
struct is_optimizer {
  static constexpr bool agree = optim::Optimizer<Optimizer>;
};
template <class Batch>
struct is_batch {
  static constexpr bool agree = is_shape<Batch>;
};
/// Named relation of BatchNorm in training: statistics need two values per channel.
template <class Batch>
struct several_values_per_channel {
  ESPALIER_READS("the batch is {}")
  static constexpr bool agree = false;
};
/// Named relation of trainer.step(images, targets).
template <class Given, class... Batches>
struct one_of_batches {
  ESPALIER_READS("given {}, the batches are {...}")
  static constexpr bool agree = (std::is_same_v<Given, Batches> || ...);
};

/// Named relation: every sample of a batch is a real one. The last batch of data::padded repeats a sample, which a step would learn from.
template <class Batch>
struct whole_batch {
  static constexpr bool agree = true;
};
template <class Batch>
  requires requires { typename Batch::is_padded_batch; }
struct whole_batch<Batch> {
  static constexpr bool agree = false;
};
/// Named relation: a step has no number of real samples.
template <class... Counts>
struct no_count {
  static constexpr bool agree = sizeof...(Counts) == 0;
};

namespace detail {

/// The number that is given, or else another one.
template <class Number>
constexpr Number first_or(Number, auto given) {
  return static_cast<Number>(given);
}
template <class Number>
constexpr Number first_or(Number otherwise) {
  return otherwise;
}

/// What is wrong with a net on a batch: its layers, the loss of what it predicts, or statistics over one value; `agreed` where nothing is.
template <class Net, class Batch>
constexpr auto layers_fault() {
  using Found = applied_net<Net, Batch>;
  if constexpr (is_refused<Found>) return Found{};
  else return agreed{};
}
template <class Loss, class Prediction>
using applied_loss = decltype(std::declval<Loss const&>()(traced<Prediction>{},
                                                         traced<target_shape<Loss, Prediction>, target_element<Loss, Prediction>>{}));
template <class Net, class Loss, class Batch>
constexpr auto loss_fault() {
  if constexpr (!decltype(layers_fault<Net, Batch>())::agree) {
    return agreed{};
  } else {
    using Value = applied_loss<Loss, shape_of<applied_net<Net, Batch>>>;
    if constexpr (is_refused<Value>) return Value{};
    else if constexpr (!scalar_result<shape_of<Value>>::agree) return refused<scalar_result<shape_of<Value>>, Loss>{};
    else return agreed{};
  }
}
template <class Net, class Loss, class Batch>
constexpr auto statistics_fault() {
  if constexpr (!decltype(layers_fault<Net, Batch>())::agree || !decltype(loss_fault<Net, Loss, Batch>())::agree) return agreed{};
  else if constexpr (traced_forward<Net, Loss, Batch>.program.nodes.found == graph::fault::one_value_per_channel) return several_values_per_channel<Batch>{};
  else return agreed{};
}

/// What is wrong with targets for a batch whose net and loss fit.
template <class Net, class Loss, class T, class Batch, class Y, bool Fits>
constexpr auto targets_fault() {
  if constexpr (!Fits) {
    return agreed{};
  } else {
    using Source = training_source<Net, Loss, Batch>;
    using Shape = shape_is<shape_of<Y>, typename Source::target>;
    using Element = element_is<element_of<Y>, std::conditional_t<std::is_void_v<typename Source::element>, T, typename Source::element>>;
    if constexpr (!Shape::agree) return refused<Shape>{};
    else if constexpr (!Element::agree) return refused<Element>{};
    else return agreed{};
  }
}

/// The faults of a training step. Each is looked for where those before it are `agreed`.
template <class Net, class Loss, class... Batches>
struct training_fit {
  using fault = typename first_fault<is_batch<Batches>..., is_loss<Loss>>::type;
  using loss_kind = is_loss<Loss>;
  using batch_kinds = typename first_fault<is_batch<Batches>...>::type;
  using layers = agreed;
  using loss = agreed;
  using statistics = agreed;
  static constexpr bool agree = false;
};
template <class Net, class Loss, class... Batches>
  requires(is_loss<Loss>::agree && (is_batch<Batches>::agree && ...))
struct training_fit<Net, Loss, Batches...> {
  using loss_kind = agreed;
  using batch_kinds = agreed;
  using layers = typename first_fault<decltype(layers_fault<Net, Batches>())...>::type;
  using loss = typename first_fault<decltype(loss_fault<Net, Loss, Batches>())...>::type;
  using statistics = typename first_fault<decltype(statistics_fault<Net, Loss, Batches>())...>::type;
  using fault = typename first_fault<layers, loss, statistics>::type;
  static constexpr bool agree = fault::agree;
};

/// Stands before the batches of a trainer that is refused, so that compilers name the fault where they name the trainer.
template <class Fault>
struct unfit {};
template <class Net, class Loss, class Fault, class... Batches>
struct training_fit<Net, Loss, unfit<Fault>, Batches...> : training_fit<Net, Loss, Batches...> {};
template <class Net, class Loss, class Optimizer, class... Batches>
using trainer_fault = typename first_fault<typename training_fit<Net, Loss, Batches...>::fault, is_optimizer<Optimizer>>::type;

}  // namespace detail

#define ESPALIER_WHOLE_BATCHES \
  "a step learns from whole batches; load them with data::drop_last or data::second_batch<N> instead of data::padded"
#define ESPALIER_LOSS_FITS \
  "the loss does not take this prediction and target" ESPALIER_WHERE_IT_STANDS("; refused<...> holds what disagrees")
#define ESPALIER_STATISTICS_FIT "BatchNorm cannot learn from one value per channel; train with larger batches"

namespace detail {

/// The facts of a training step that is refused: none, and one error, behind the members: clang knows none that stands behind an assertion that fails.
template <class Layers, class Loss, class Statistics>
struct refused_training {
  static constexpr std::size_t workspace_bytes = 0, peak_live_bytes = 0, parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0;
  static constexpr std::int64_t parameter_count = 0, flops = 0, bytes_moved = 0;
  static constexpr int kernel_count = 0;
  static_assert(Layers::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(Loss::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, Loss));
  static_assert(Statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, Statistics));
};
template <class Fit>
using refused_training_of = refused_training<typename Fit::layers, typename Fit::loss, typename Fit::statistics>;

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
