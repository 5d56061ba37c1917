// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "model.hpp"

namespace espalier {

/// A model's evaluation for one batch size, with a workspace of its own. It only reads the model: use one for each thread.
/// shape    (N, ...) -> the net's output for it
/// memory   one allocation at construction, or bytes that the user gives (predictor::bytes of them); none afterwards
/// errors   a batch that the net's layers do not take does not compile
template <class Model, class Batch, class Found = detail::applied_net<typename Model::net_type, Batch>>
class predictor {
  static_assert(layers_fit<Found>::value, "a layer's input does not fit its weights");
  using Source = detail::evaluation_source<typename Model::net_type, Batch>;
  using T = typename Model::value_type;

 public:
  using input_shape = Batch;
  using output_shape = shape_of<Found>;

  static constexpr std::size_t workspace_bytes = detail::bytes_for<T>(detail::workspace_elements<Source>);
  static constexpr std::size_t bytes = workspace_bytes;
  static constexpr int kernel_count = plan::plan_of<Source>.groups.group_count;

  predictor(Model const& model, Batch) : model_{&model}, memory_{bytes} {}
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, bytes>>
  predictor(Model const& model, Batch, espalier::bytes<Count>& given) : model_{&model}, memory_{given, bytes} {
    static_assert(Enough::agree, "predictor{model, batch, bytes}: the bytes are fewer than predictor::bytes");
  }

  /// scores = net(x). Never allocates.
  void operator()(view<T const, Batch> x, view<T, output_shape> scores) noexcept {
    detail::program_bases b = model_->bases();
    b.at[plan::base::workspace] = memory_.template at<T>(0);
    b.at[plan::base::arguments] = const_cast<T*>(x.data());
    b.at[plan::base::results] = scores.data();
    espalier::on_cpu::run<Source, T>(b.at);
  }

 private:
  Model const* model_;
  detail::block memory_;
};

/// Refused: kept empty, so that the one error stays one.
template <class Model, class Batch, class... Facts>
class predictor<Model, Batch, refused<Facts...>> {
  static_assert(layers_fit<refused<Facts...>>::value, "a layer's input does not fit its weights");

 public:
  predictor(Model const&, Batch) {}
  void operator()(auto&&...) noexcept {}
};

template <class Model, class Batch>
predictor(Model const&, Batch) -> predictor<Model, Batch>;
template <class Model, class Batch, std::size_t Count>
predictor(Model const&, Batch, bytes<Count>&) -> predictor<Model, Batch>;

}  // namespace espalier
