// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <tuple>
#include <type_traits>

#include "every_op.hpp"
#include "support/nets.hpp"

/// Modules on the device that tests run on, against the processor: the output in evaluation, what training makes of it,
/// the gradients of the input and of every parameter, running statistics, and the output in evaluation that follows.
namespace every_module {

using namespace test;
using every_op::random_tensor;
using esp::shape, esp::tensor;

/// What the numbers of models on the device are stored as. Of 16 bits, the processor computes in float with the same
/// rounded numbers.
using stored = std::tuple<float>;
template <class T>
inline constexpr double within = std::is_same_v<T, float> ? every_op::within : every_op::within_narrow;

/// y = x + shift: what shift's gradient is, x has.
template <esp::Shape S>
struct Shifted {
  esp::parameter<S, nn::init::initialized_by<nn::init::zeros{}>> shift{};
  ESPALIER_MODULE(Shifted, shift)
  constexpr auto forward(auto x) const { return x + shift; }
};

inline double largest_of(auto const& elements) {
  double largest = 0;
  for (auto const e : elements) largest = std::fmax(largest, std::fabs(static_cast<double>(e)));
  return largest;
}
/// The elements of a model's tensors: on a device, a copy of them.
template <class Elements>
std::vector<float> on_host(Elements const& elements) {
  std::vector<std::remove_const_t<typename Elements::element_type>> r(static_cast<std::size_t>(elements.size()));
  if constexpr (requires { elements.to_host({r.data(), elements.size()}); })
    elements.to_host({r.data(), elements.size()});
  else r.assign(elements.begin(), elements.end());
  return {r.begin(), r.end()};
}
/// Real numbers as they are stored, and these as float; labels as they are.
template <class T, class E, class S>
auto stored_as(tensor<E, S> const& x) {
  if constexpr (std::is_same_v<E, float>) return tensor<T, S>{x};
  else return x;
}
template <class T, class E, class S>
auto rounded_to(tensor<E, S> const& x) {
  if constexpr (std::is_same_v<E, float>) return tensor<float, S>{stored_as<T>(x)};
  else return x;
}
inline void compare(char const* name, std::string const& what, std::vector<float> const& got,
                    std::vector<float> const& expected, double allowed) {
  BOOST_REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    double const a = static_cast<double>(got[i]), b = static_cast<double>(expected[i]);
    if (std::fabs(a - b) <= allowed) continue;
    BOOST_ERROR(name << ", " << what << ", element " << i << " of " << got.size() << ": " << a << ", expected " << b
                     << ", allowed " << allowed);
    return;
  }
}

/// One step of a loss: the loss, to `scale`, all gradients, and all buffers.
template <class T, class Net, class Loss, class X, class Y>
void check_step(char const* name, esp::model<Net>& host_model, esp::model<Net, device, T>& device_model, Loss loss,
                X const& x, Y const& y, double scale) {
  auto const expected = esp::value_and_grad(host_model, loss)(rounded_to<T>(x), rounded_to<T>(y));
  auto const got = esp::value_and_grad(device_model, loss)(stored_as<T>(x), stored_as<T>(y));
  compare(name, "loss", {got.loss}, {expected.loss},
          within<T> * std::fmax(scale, std::fabs(static_cast<double>(expected.loss))));
  double const largest = largest_of(expected.gradients.span());
  expected.gradients.for_each_parameter([&](char const* parameter, esp::extents const&, auto span) {
    // What is small beside other gradients is a sum whose terms cancel (a bias in front of a norm, a state that hardly
    // matters): it is held to the size of its terms.
    double const own = largest_of(span);
    compare(name, std::string("gradient of ") + parameter, on_host(got.gradients.parameter(parameter).span()),
            on_host(span), within<T> * (own < 1e-4 * largest ? largest : std::fmax(own, 0.05 * largest)));
  });
  host_model.for_each_buffer([&](char const* buffer, esp::extents const&, auto span) {
    compare(name, buffer, on_host(device_model.buffer(buffer).span()), on_host(span), within<T> * largest_of(span));
  });
}

template <class T, class Net, class X>
void check_net_as(char const* name, X const& x) {
  esp::model<Net> host_model{esp::seed{1}};
  esp::model<Net, device, T> device_model{esp::seed{1}};
  scramble(host_model, 0.25, 1);
  host_model.for_each_buffer([](char const* buffer, esp::extents const&, auto span) {
    if (std::string(buffer).ends_with("mask"))
      for (int i = 0; i < span.size(); ++i) span[i] = i % 3 == 0 ? 0.0f : 1.0f;
  });
  copy(host_model, device_model);
  if constexpr (!std::is_same_v<T, float>) copy(device_model, host_model);
  auto const k = numbers<float, typename decltype(host_model(x))::shape_type>(7, 0.5, 1.5);
  for (int time = 0; time < 2; ++time) {
    auto const expected = on_host(host_model(rounded_to<T>(x)).span());
    double const largest = largest_of(expected);
    compare(name, time == 0 ? "output" : "output after a step", on_host(device_model(stored_as<T>(x)).span()), expected,
            within<T> * largest);
    if (time == 0)
      check_step(name, host_model, device_model, Weighted{}, x, k, largest * std::sqrt(static_cast<double>(k.size())));
  }
}
template <class T, class Loss, class X, class Y>
void check_loss_as(char const* name, X const& x, Y const& y) {
  using Net = Shifted<typename X::shape_type>;
  esp::model<Net> host_model{esp::seed{1}};
  esp::model<Net, device, T> device_model{esp::seed{1}};
  check_step(name, host_model, device_model, Loss{}, x, y, 0);
}

/// A net and a batch.
template <class Net, class X>
void check_net(char const* name, X const& x) {
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    (check_net_as<T, Net>(name, x), ...);
  }(std::type_identity<stored>{});
}
/// A module, with the gradient of its input.
template <class Module, int... E>
void check(char const* name) {
  check_net<nn::Sequential<Shifted<shape<E...>>, Module>>(name, random_tensor<E...>(3));
}
template <class Loss, class X, class Y>
void check_loss(char const* name, X const& x, Y const& y) {
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    (check_loss_as<T, Loss>(name, x, y), ...);
  }(std::type_identity<stored>{});
}

}  // namespace every_module
