// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "copy_model.hpp"
#include "early_stopping.hpp"

namespace espalier {

/// Keeps a copy of a model's best parameters and buffers, to restore them later.
///     esp::best_parameters best{model};
///     ... if (enough.observe(loss); enough.improved) best.keep(model); ...
///     best.restore(model);
/// shape   of one net and element type; any model of them can be restored
/// start   the model as it is
/// memory  one allocation at construction, in the memory of the model's device, or `bytes` bytes that you pass; none
///         afterwards
/// The optimizer's state is not part of the copy: after restore(), a trainer still has the moments of earlier steps.
template <class Model>
class best_parameters {
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type::single_threaded;

 public:
  static constexpr std::size_t bytes = Model::bytes;

  explicit best_parameters(Model const& model)
      : engine_{model.engine().without_threads()}, memory_(engine_.allocate(bytes)) {
    keep(model);
  }
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, bytes>>
  best_parameters(Model const& model, espalier::bytes<Count>& storage)
      : engine_{model.engine().without_threads()}, memory_(engine_.allocate(storage, bytes)) {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("best_parameters{model, bytes}: " ESPALIER_FEWER_BYTES("best_parameters"), Enough));
    static_assert(detail::computes_on_host<typename Model::device_type>::agree,
                  ESPALIER_SENTENCE("best_parameters{model, bytes}: " ESPALIER_BYTES_OF_HOST,
                                    detail::computes_on_host<typename Model::device_type>));
    keep(model);
  }

  /// Keeps the model's present parameters and buffers as the best.
  void keep(Model const& model) {
    copy(kept_parameters(), model.parameters());
    copy(kept_buffers(), model.buffers());
  }
  /// Copies the parameters and buffers that were kept last to the model.
  void restore(Model& model) const {
    copy(model.parameters(), parameters());
    copy(model.buffers(), buffers());
  }

  /// Does not compile: a const model cannot be changed.
  template <detail::TemporaryOrConst<Model> M>
  void restore(M&&) const {
    static_assert(
        detail::may_change<Model>::agree,
        ESPALIER_SENTENCE("best_parameters.restore(model): " ESPALIER_MODEL_IS_CONST, detail::may_change<Model>));
  }

  auto parameters() const& {
    return engine_.span_of(static_cast<T const*>(kept_parameters().data()), parameter_storage);
  }
  auto buffers() const& { return engine_.span_of(static_cast<T const*>(kept_buffers().data()), buffer_storage); }
  /// Do not compile: they refer to memory of a temporary.
  template <class Lives = detail::lives_on<best_parameters>>
  auto parameters() && {
    return detail::memory_of_temporary<Lives>::in(*this).parameters();
  }
  template <class Lives = detail::lives_on<best_parameters>>
  auto buffers() && {
    return detail::memory_of_temporary<Lives>::in(*this).buffers();
  }

 private:
  static constexpr std::int64_t parameter_storage = slots_of<typename Model::net_type>.parameters.storage;
  static constexpr std::int64_t buffer_storage = slots_of<typename Model::net_type>.buffers.storage;
  auto kept_parameters() const { return engine_.span_of(memory_.template at<T>(0), parameter_storage); }
  auto kept_buffers() const { return engine_.span_of(memory_.template at<T>(Model::parameter_bytes), buffer_storage); }
  void copy(auto const& to, auto const& from) const {
    engine_.copy(to.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
  }

  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
};

/// Does not compile: the type that the program writes out is none of a model.
template <class Model>
  requires(!ModelType<Model>)
class best_parameters<Model> : public detail::accepts_every_memory {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("best_parameters<Model>", "esp::best_parameters"),
                                  is_model<Model>));

 public:
  best_parameters(auto&&...) {}
  void keep(auto&&...) {}
  void restore(auto&&...) const {}
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
