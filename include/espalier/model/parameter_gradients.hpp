// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "named_tensor.hpp"
#include "on_host.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {

/// Gradients of a model's trainable parameters, with the names and the layout of the parameters, in the memory of the
/// model's device.
template <class Net, class T = float, class Device = cpu>
class gradients {
  using Engine = typename detail::engine_of<Device>::type;
  static constexpr std::int64_t size = slots_of<Net>.parameters.trainable_storage;
  static constexpr std::size_t bytes = detail::bytes_for<T>(static_cast<std::size_t>(size));

 public:
  gradients() : gradients{Engine{}} {}
  explicit gradients(Engine const& engine) : engine_{engine}, memory_(engine_.allocate(bytes)) {}
  gradients(gradients const& other) : gradients{other.engine_} { *this = other; }
  gradients& operator=(gradients const& other) {
    if (this != &other) engine_.copy(span().data(), other.span().data(), bytes);
    return *this;
  }

  /// All elements, contiguous. On a device with its own memory: a device_span.
  auto span() { return engine_.span_of(memory_.template at<T>(0), size); }
  auto span() const { return engine_.span_of(static_cast<T const*>(memory_.template at<T>(0)), size); }

  /// The gradient of the parameter with that path.
  /// errors  an unknown name and the name of a frozen parameter throw name_error
  auto parameter(detail::name_argument name) const {
    return detail::get_tensor<Net, true>(engine_, name.of, memory_.template at<T>(0), true);
  }
  /// The same, but an unknown or frozen name is no error: the result converts to false and has no elements.
  auto find_parameter(detail::name_argument name) const {
    return detail::find_tensor<Net, true>(engine_, name.of, memory_.template at<T>(0), true);
  }
  /// Calls f(name, extents, span) for each parameter, in the order of declaration. On a device with its own memory, the
  /// spans refer to a copy on the host.
  template <class F>
  void for_each_parameter(F&& f) const {
    using Accepts = detail::accepts_tensors<F, T>;
    static_assert(Accepts::agree,
                  ESPALIER_SENTENCE("gradients.for_each_parameter(f): " ESPALIER_ACCEPTS_TENSORS, Accepts));
    detail::on_host(engine_, memory_.template at<void>(0), static_cast<std::size_t>(size) * sizeof(T), false,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, true>(reinterpret_cast<T*>(at), true, f); });
  }

 private:
  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
