// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../eager/evaluate.hpp"
#include "../operation/add.hpp"
#include "../operation/compare.hpp"
#include "../operation/multiply.hpp"
#include "../operation/where.hpp"
#include "named_tensor.hpp"
#include "on_host.hpp"

namespace espalier {

namespace detail {
/// The tensor of a name in temporary gradients, with the gradients.
template <class Gradients, class Named>
class kept_parameter : public kept_with<Gradients, Named> {
 public:
  using kept_with<Gradients, Named>::kept_with;
  auto span() const& { return Named::span(); }
  auto span() && {
    return kept_with{static_cast<Gradients&&>(this->owner),
                     [this](Gradients& of) { return of.find_parameter(this->name()).span(); }};
  }
};
template <class Gradients, class F>
kept_parameter(Gradients&&, F) -> kept_parameter<Gradients, std::invoke_result_t<F, Gradients&>>;
}  // namespace detail

/// Gradients of a model's trainable parameters, with the names and the layout of the parameters, in the memory of the
/// model's device.
template <class Net, class T = float, class Device = cpu>
class gradients {
  using Engine = typename detail::engine_of<Device>::type;
  static constexpr std::int64_t size = slots_of<Net>.parameters.trainable_storage;
  static constexpr std::size_t bytes = detail::bytes_for<T>(static_cast<std::size_t>(size));

 public:
  using gradients_of = Net;
  using value_type = T;
  using device_type = Device;

  gradients() : gradients{Engine{}} {}
  explicit gradients(Engine const& engine) : engine_{engine}, memory_(engine_.allocate(bytes)) {}
  gradients(gradients const& other) : gradients{other.engine_} { *this = other; }
  gradients& operator=(gradients const& other) {
    if (this != &other) engine_.copy(span().data(), other.span().data(), bytes);
    return *this;
  }

  /// total += gradients adds those of another batch, parameter by parameter. total *= number scales them, for example
  /// by 1 over the number of batches. fill(0) is the start of the next sum. None of them allocates.
  gradients& operator+=(gradients const& other) {
    if constexpr (size > 0) evaluate_into(elements(*this) + elements(other), elements(*this));
    return *this;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> gradients& operator*=(Number by) {
    if constexpr (size > 0) evaluate_into(elements(*this) * static_cast<number>(by), elements(*this));
    return *this;
  }
  void fill(T value) {
    if constexpr (size > 0)  // no element is greater than itself
      evaluate_into(where(elements(*this) > elements(*this), elements(*this), static_cast<number>(value)),
                    elements(*this));
  }

  /// a + b, a - b, -a, a * number and a / number are new gradients, which allocate.
  friend gradients operator+(gradients const& a, gradients const& b) {
    return a.mapped([&](auto const& x) { return x + elements(b); });
  }
  friend gradients operator-(gradients const& a, gradients const& b) {
    return a.mapped([&](auto const& x) { return x - elements(b); });
  }
  friend gradients operator-(gradients const& a) {
    return a.mapped([](auto const& x) { return -x; });
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  friend gradients operator*(gradients const& a, Number b) {
    return a.mapped([&](auto const& x) { return x * static_cast<number>(b); });
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  friend gradients operator*(Number a, gradients const& b) { return b * a; }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  friend gradients operator/(gradients const& a, Number b) {
    return a.mapped([&](auto const& x) { return x / static_cast<number>(b); });
  }

  /// All elements, contiguous. On a device with its own memory: a device_span. Those of temporary gradients, and what
  /// parameter and find_parameter return of them, keep a copy of the gradients.
  auto span() & { return engine_.span_of(memory_.template at<T>(0), size); }
  auto span() const& { return engine_.span_of(static_cast<T const*>(memory_.template at<T>(0)), size); }
  auto span() && {
    return detail::kept_with{static_cast<gradients&&>(*this), [](gradients& of) { return of.span(); }};
  }

  /// The gradient of the parameter with that path.
  /// errors  an unknown name and the name of a frozen parameter throw name_error
  auto parameter(detail::name_argument name) const& {
    return detail::get_tensor<Net, true>(engine_, name.of, memory_.template at<T>(0), true);
  }
  auto parameter(detail::name_argument name) && {
    return detail::kept_parameter{static_cast<gradients&&>(*this), [&](gradients& of) { return of.parameter(name); }};
  }
  /// The same, but an unknown or frozen name is no error: the result converts to false and has no elements.
  auto find_parameter(detail::name_argument name) const& {
    return detail::find_tensor<Net, true>(engine_, name.of, memory_.template at<T>(0), true);
  }
  auto find_parameter(detail::name_argument name) && {
    return detail::kept_parameter{static_cast<gradients&&>(*this),
                                  [&](gradients& of) { return of.find_parameter(name); }};
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
  using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  /// Gradients with the elements f(x), a formula of all elements x of these. f(0) is 0, which the gaps have.
  template <class F>
  gradients mapped(F const& f) const {
    gradients r{engine_};
    if constexpr (size > 0) evaluate_into(f(elements(*this)), elements(r));
    return r;
  }
  /// All elements of gradients as a view.
  template <class Gradients>
  static auto elements(Gradients& of) {
    using Element = std::conditional_t<std::is_const_v<Gradients>, T const, T>;
    return view<Element, shape<static_cast<int>(size)>, Device>(of.span().data());
  }

  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
