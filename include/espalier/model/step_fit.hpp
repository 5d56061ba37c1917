// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "misuse.hpp"

/// Relations of the images and targets of a trainer's calls.
namespace espalier {

/// Named relation of trainer.step(images, targets): the images have the shape of one of the batches.
template <class Actual, class... Batches>
struct one_of_batches {
  ESPALIER_READS("got {}, the batches are {...}")
  static constexpr bool agree = (std::is_same_v<Actual, Batches> || ...);
};

/// Named relation of trainer.step(images, targets): the arguments are in this order. Swapped: each would fit as the
/// other argument.
template <class Images, class Targets, bool Swapped>
struct images_before_targets {
  ESPALIER_READS("got {}, then {}")
  static constexpr bool agree = !Swapped;
};

/// Named relation: a batch has no padding. The last batch of data::padded repeats a sample, and a step would learn from
/// it again.
template <class Batch>
struct whole_batch {
  static constexpr bool agree = true;
};
template <class Batch>
  requires requires { typename Batch::is_padded_batch; }
struct whole_batch<Batch> {
  static constexpr bool agree = false;
};
/// Named relation: each sample of a batch has the same number of rows in the prediction.
template <class Prediction, class Batch>
struct samples_are_rows {
  ESPALIER_READS("a prediction of {}, a batch of {}")
  static constexpr bool agree = Prediction::rank > 0 && Prediction::value.at[0] % Batch::value.at[0] == 0;
};
/// Named relation: a step has no argument for the number of real samples.
template <class... Counts>
struct no_count {
  static constexpr bool agree = sizeof...(Counts) == 0;
};

#define ESPALIER_IMAGES_ELEMENT "images have another element type than the model"
#define ESPALIER_TARGETS_ELEMENT "targets have another element type than the loss requires"
#define ESPALIER_TARGETS_SHAPE "targets must have the shape that the loss requires"
#define ESPALIER_WHOLE_BATCHES \
  "a step learns from whole batches; load them with data::drop_last or data::second_batch<N> instead of data::padded"

namespace detail {

/// The relations of a call with images and targets, in the order of their reports: each is checked only if those before
/// it agree.
template <class Images, class Image, class Target, class Targets, class Reached>
struct batch_fit {
  using images_shape = Images;
  using images_element = behind<Image, Images>;
  using targets_element = behind<Target, Images, Image>;
  using targets_shape = behind<Targets, Images, Image, Target>;
  using reached = Reached;
  static constexpr bool agree = Images::agree && Image::agree && Target::agree && Targets::agree && Reached::agree;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
