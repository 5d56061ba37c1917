// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "calibration.hpp"

ESPALIER_HEADER_INCLUDED(result_calibration);

namespace espalier {

/// Runs a trained model on representative batches and records the range of what each product returns, with its bias and
/// ReLU. A quantized net needs no such ranges, because its results are float; io::write_tflite does, because the
/// products of TensorFlow Lite return integers of 8 bits.
/// shape    as calibration
/// range    as calibration; pass the same batches to both
/// memory   as calibration
/// errors   as calibration; a NaN or an infinity behind a product throws quantization_error, too
template <class Model, class Batch>
class result_calibration
    : public calibration<Model, Batch, typename detail::found_for_fixed<Model, Batch>::type, true> {
  using base = calibration<Model, Batch, typename detail::found_for_fixed<Model, Batch>::type, true>;

 public:
  using base::base;
};

template <ModelType Model, class Batch>
  requires(is_shape<Batch>)
result_calibration(Model const&, Batch)
->result_calibration<Model,
                     std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...>&& detail::batches_fault<Argument...>::agree)
result_calibration(Model const&, Argument&&...)
->result_calibration<
    Model,
    std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, detail::batches_in<Argument...>>) > 0),
                     detail::batches_in<Argument...>>>;

template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...> && !detail::batches_fault<Argument...>::agree)
result_calibration(Model const&, Argument&&...)
->result_calibration<detail::misused<detail::batches_fault<Argument...>>, void>;
template <class First, class... More>
  requires(!ModelType<First>)
result_calibration(First const&, More const&...)
->result_calibration<detail::misused<is_model<First>>, void>;
template <ModelType Model, class Argument>
  requires(!is_shape<Argument>)
result_calibration(Model const&, Argument)
->result_calibration<detail::misused<is_batch<Argument>>, void>;
template <ModelType Model>
result_calibration(Model const&) -> result_calibration<detail::misused<is_batch<no_batch>>, void>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
