// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/parts.hpp"
#include "training_fit.hpp"

/// Checks that a batch and its targets divide into equal parts for the devices of a model.
namespace espalier {

/// Named relation: the number of devices divides the number of samples of a batch.
template <class Batch, int Devices>
struct batch_divides {
  ESPALIER_READS("the batch is {}, for {} devices")
  static constexpr bool agree = Batch::rank > 0 && Batch::value.at[0] % Devices == 0;
};
/// Named relation: the targets of a batch are those of its parts, one after the other.
template <class Targets, class OfPart, int Devices>
struct targets_divide {
  ESPALIER_READS("targets of a batch are {}, those of a part {}, for {} devices")
  static constexpr bool agree = Targets::size == OfPart::size * Devices;
};

/// Named relation: net and loss fit the part of a batch that each device trains. Fault: what does not fit.
template <class Part, class Fault>
struct part_fits {
  ESPALIER_READS("the part is {}")
  static constexpr bool agree = false;
};

#define ESPALIER_BATCH_DIVIDES                                                                             \
  "trainer{model, loss, optimizer, batch...}: each device trains an equal part of a batch; the number of " \
  "samples must be a multiple of the number of devices"
#define ESPALIER_TARGETS_DIVIDE                                                                               \
  "trainer{model, loss, optimizer, batch...}: the loss has targets that do not belong to single samples, so " \
  "devices cannot divide them"
#define ESPALIER_PART_FITS                                                                                   \
  "trainer{model, loss, optimizer, batch...}: net and loss fit the batch, but not the part of it that each " \
  "device trains; BatchNorm needs two values per channel on each device"

namespace detail {

/// The first fault of a batch that several devices divide, or `agreed`. It is looked for only if net, loss and batch
/// fit.
template <class Net, class Loss, int Parts, class Batch>
constexpr auto parts_fault() {
  if constexpr (Parts == 1) {
    return agreed{};
  } else if constexpr (!batch_divides<Batch, Parts>::agree) {
    return batch_divides<Batch, Parts>{};
  } else if constexpr (training_fit<Net, Loss, Batch>::agree) {
    using Part = typename espalier::on_device::part_of_batch<Batch, Parts>::type;
    if constexpr (!training_fit<Net, Loss, Part>::agree)
      return part_fits<Part, typename training_fit<Net, Loss, Part>::fault>{};
    else
      return targets_divide<target_shape<Loss, shape_of<applied_net<Net, Batch>>>,
                            target_shape<Loss, shape_of<applied_net<Net, Part>>>, Parts>{};
  } else {
    return agreed{};
  }
}

template <class Model>
inline constexpr int parts_of_model = 1;
template <class Model>
  requires requires { typename Model::engine_type; }
inline constexpr int parts_of_model<Model> = espalier::on_device::parts_of<typename Model::engine_type>;
/// The same for all batches of a trainer.
template <class Model, class Loss, class... Batches>
using parts_fit = typename first_fault<
    decltype(parts_fault<typename Model::net_type, Loss, parts_of_model<Model>, Batches>())...>::type;

/// The fault of parts, sorted by the sentence that reports it.
template <class Fault>
struct parts_report {
  using divides = agreed;
  using fits = agreed;
  using targets = agreed;
};
template <class Batch, int Devices>
struct parts_report<batch_divides<Batch, Devices>> : parts_report<agreed> {
  using divides = batch_divides<Batch, Devices>;
};
template <class Part, class Fault>
struct parts_report<part_fits<Part, Fault>> : parts_report<agreed> {
  using fits = part_fits<Part, Fault>;
};
template <class Targets, class OfPart, int Devices>
struct parts_report<targets_divide<Targets, OfPart, Devices>> : parts_report<agreed> {
  using targets = targets_divide<Targets, OfPart, Devices>;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
