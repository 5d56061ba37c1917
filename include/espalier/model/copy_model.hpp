// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "model.hpp"

namespace espalier {

/// copy(from, to): copies all parameters and buffers to a model of the same net on any device: copy(on_gpu, on_cpu).
/// shape   models of one net and element type
/// errors  models of two nets do not compile
/// memory  between two devices with their own memory, a temporary copy on the host; otherwise none
template <class Net, class From, class To, class T>
void copy(model<Net, From, T> const& from, model<Net, To, T>& to) {
  auto const& source_engine = from.engine();
  auto const& target_engine = to.engine();
  auto const move = [&](std::size_t bytes, auto const& source, auto const& target) {
    if constexpr (!std::remove_cvref_t<decltype(target_engine)>::has_device_memory) {
      source_engine.to_host(target.data(), source.data(), bytes);
    } else if constexpr (!std::remove_cvref_t<decltype(source_engine)>::has_device_memory) {
      target_engine.to_device(target.data(), source.data(), bytes);
    } else {
      detail::block const between{bytes};
      source_engine.to_host(between.template at<void>(0), source.data(), bytes);
      target_engine.to_device(target.data(), between.template at<void>(0), bytes);
    }
  };
  move(static_cast<std::size_t>(from.parameters().size()) * sizeof(T), from.parameters(), to.parameters());
  move(static_cast<std::size_t>(from.buffers().size()) * sizeof(T), from.buffers(), to.buffers());
}
/// Does not compile: the target is const.
template <class Net, class From, class To, class T, class U>
void copy(model<Net, From, T> const&, model<Net, To, U> const&) {
  static_assert(detail::may_change<model<Net, To, U>>::agree,
                ESPALIER_SENTENCE("copy(from, to): " ESPALIER_MODEL_IS_CONST, detail::may_change<model<Net, To, U>>));
}

/// Does not compile: the models are of two nets.
template <class FromNet, class From, class T, class ToNet, class To, class U>
  requires(!std::is_same_v<FromNet, ToNet>)
void copy(model<FromNet, From, T> const&, model<ToNet, To, U> const&) {
  static_assert(
      same_net<FromNet, ToNet>::agree,
      ESPALIER_SENTENCE("copy(from, to): the models are of two nets; copy their tensors by name, model.parameter(name)",
                        same_net<FromNet, ToNet>));
}

/// copy(from, to) between models of two element types: numbers are converted, rounded to the nearest if `to` has fewer
/// bits. It moves a net trained in float to 16 bits and back.
/// shape   models of one net
/// errors  models of two nets do not compile
/// memory  a temporary copy of either model on the host
template <class Net, class From, class To, class T, class U>
  requires(!std::is_same_v<T, U>)
void copy(model<Net, From, T> const& from, model<Net, To, U>& to) {
  auto const move = [&](auto const& source, auto const& target) {
    if (source.size() == 0) return;
    detail::on_host(from.engine(), const_cast<T*>(source.data()), static_cast<std::size_t>(source.size()) * sizeof(T),
                    false, [&](unsigned char* source_bytes) {
                      detail::on_host(to.engine(), target.data(), static_cast<std::size_t>(target.size()) * sizeof(U),
                                      true, [&](unsigned char* target_bytes) {
                                        for (std::int64_t i = 0; i < source.size(); ++i)
                                          reinterpret_cast<U*>(target_bytes)[i] =
                                              static_cast<U>(reinterpret_cast<T const*>(source_bytes)[i]);
                                      });
                    });
  };
  move(from.parameters(), to.parameters());
  move(from.buffers(), to.buffers());
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
