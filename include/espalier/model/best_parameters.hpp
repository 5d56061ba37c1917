// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "copy_model.hpp"
#include "early_stopping.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// A copy of a model's parameters and buffers, to come back to: the best so far.
///     esp::best_parameters best{model};
///     ... if (enough.observe(loss); enough.improved) best.keep(model); ...
///     best.restore(model);
/// shape   of one net and element type; any model of them can be restored
/// start   the model as it is
/// memory  one allocation at construction, in the memory of the model's device, or bytes that the user gives (best_parameters::bytes of them); none afterwards
/// The optimizer's state is not part of it: a trainer that goes on after restore() still has the moments of the steps before.
template <class Model>
class best_parameters {
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type::alone;

 public:
  static constexpr std::size_t bytes = Model::bytes;

  explicit best_parameters(Model const& model) : engine_{model.engine().without_threads()}, memory_(engine_.take(bytes)) { keep(model); }
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, bytes>>
  best_parameters(Model const& model, espalier::bytes<Count>& given) : engine_{model.engine().without_threads()}, memory_(engine_.take(given, bytes)) {
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("best_parameters{model, bytes}: the bytes are fewer than best_parameters::bytes", Enough));
    static_assert(detail::computes_on_host<typename Model::device_type>::agree,
                  ESPALIER_SENTENCE("best_parameters{model, bytes}: " ESPALIER_BYTES_OF_HOST,
                                    detail::computes_on_host<typename Model::device_type>));
    keep(model);
  }

  /// From now on the model as it is counts as the best.
  void keep(Model const& model) {
    copy(kept_parameters(), model.parameters());
    copy(kept_buffers(), model.buffers());
  }
  /// Gives the model the parameters and buffers that were kept last.
  void restore(Model& model) const {
    copy(model.parameters(), parameters());
    copy(model.buffers(), buffers());
  }

  /// Does not compile: a const model stays as it is.
  template <detail::TemporaryOrConst<Model> M>
  void restore(M&&) const {
    static_assert(detail::may_change<Model>::agree, ESPALIER_SENTENCE("best_parameters.restore(model): " ESPALIER_MODEL_IS_CONST, detail::may_change<Model>));
  }

  auto parameters() const { return engine_.see(static_cast<T const*>(kept_parameters().data()), parameter_storage); }
  auto buffers() const { return engine_.see(static_cast<T const*>(kept_buffers().data()), buffer_storage); }

 private:
  static constexpr std::int64_t parameter_storage = slots_of<typename Model::net_type>.parameters.storage;
  static constexpr std::int64_t buffer_storage = slots_of<typename Model::net_type>.buffers.storage;
  auto kept_parameters() const { return engine_.see(memory_.template at<T>(0), parameter_storage); }
  auto kept_buffers() const { return engine_.see(memory_.template at<T>(Model::parameter_bytes), buffer_storage); }
  void copy(auto const& to, auto const& from) const { engine_.copy(to.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(T)); }

  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
};

}  // namespace espalier
#pragma GCC diagnostic pop
