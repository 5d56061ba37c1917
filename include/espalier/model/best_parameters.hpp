// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "early_stopping.hpp"
#include "model.hpp"

namespace espalier {

/// A copy of a model's parameters and buffers, to come back to: the best so far.
///     esp::best_parameters best{model};
///     ... if (enough.observe(loss); enough.improved) best.keep(model); ...
///     best.restore(model);
/// shape   of one net and element type; any model of them can be restored
/// start   the model as it is
/// memory  one allocation at construction, or bytes that the user gives (best_parameters::bytes of them); none afterwards
/// The optimizer's state is not part of it: a trainer that goes on after restore() still has the moments of the steps before.
template <class Model>
class best_parameters {
  using T = typename Model::value_type;

 public:
  static constexpr std::size_t bytes = Model::bytes;

  explicit best_parameters(Model const& model) : memory_{bytes} { keep(model); }
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, bytes>>
  best_parameters(Model const& model, espalier::bytes<Count>& given) : memory_{given, bytes} {
    static_assert(Enough::agree, "best_parameters{model, bytes}: the bytes are fewer than best_parameters::bytes");
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

  espalier::span<T const> parameters() const { return kept_parameters(); }
  espalier::span<T const> buffers() const { return kept_buffers(); }

 private:
  espalier::span<T> kept_parameters() const { return {memory_.template at<T>(0), slots_of<typename Model::net_type>.parameters.storage}; }
  espalier::span<T> kept_buffers() const {
    return {memory_.template at<T>(Model::parameter_bytes), slots_of<typename Model::net_type>.buffers.storage};
  }
  static void copy(espalier::span<T> to, espalier::span<T const> from) {
    if (from.size() > 0) __builtin_memcpy(to.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
  }
  detail::block memory_;
};

}  // namespace espalier
