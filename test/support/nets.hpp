// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <vector>

#include <espalier.hpp>

#include "numbers.hpp"

/// Looking into models.
namespace test {

namespace nn = espalier::nn;
namespace optim = espalier::optim;

/// sum(z k): whose gradient is whatever k says.
struct Weighted {
  ESPALIER_MODULE(Weighted)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto z, auto k) const { return sum(z * k); }
};

/// What a model makes of x in training mode, element by element. Each element is one run of training: buffers are
/// updated as often.
template <class Model, class X>
auto training_output(Model& model, X const& x) {
  using S = espalier::shape_of<espalier::detail::applied_net<typename Model::net_type, espalier::shape_of<X>>>;
  espalier::tensor<typename Model::value_type, S> y, k;
  for (std::int64_t i = 0; i < S::size; ++i) {
    k.fill(0);
    k[i] = 1;
    y[i] = espalier::value_and_grad(model, Weighted{})(x, k).loss;
  }
  return y;
}

inline std::string text(espalier::extents const& shape) {
  std::string r = "(";
  for (int axis = 0; axis < shape.rank; ++axis) r += (axis == 0 ? "" : ",") + std::to_string(shape.at[axis]);
  return r + ")";
}
/// "0.weight(2,3) 0.bias(1,3)": the parameters in their order.
std::string parameter_list(auto& model) {
  std::string r;
  model.for_each_parameter([&](char const* name, espalier::extents const& shape, auto) {
    r += (r.empty() ? "" : " ") + (name + text(shape));
  });
  return r;
}
std::string buffer_list(auto& model) {
  std::string r;
  model.for_each_buffer([&](char const* name, espalier::extents const& shape, auto) {
    r += (r.empty() ? "" : " ") + (name + text(shape));
  });
  return r;
}

/// A copy of elements.
auto copy(auto span) {
  using T = std::remove_const_t<std::remove_reference_t<decltype(span[0])>>;
  return std::vector<T>(span.begin(), span.end());
}
/// Gives a parameter or a buffer its elements.
void assign(auto const& named, std::vector<double> const& values) {
  BOOST_REQUIRE(static_cast<bool>(named));
  BOOST_REQUIRE(named.span().size() == static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    named.span()[i] = static_cast<std::remove_reference_t<decltype(named.span()[0])>>(values[i]);
}
/// Numbers of no pattern in every parameter, so that no gradient vanishes.
void scramble(auto& model, double low = -1, double high = 1) {
  std::uint64_t number = 1;
  model.for_each_parameter([&](char const*, espalier::extents const&, auto span) {
    for (auto& element : span)
      element = numbers<std::remove_reference_t<decltype(element)>, espalier::shape<1>>(number++, low, high)[0];
  });
}

/// The gradients of sum(model(x...) k) in training mode, by all parameters, against a difference along a random
/// direction. The net must not be random.
template <class Model, class K, class... X>
void check_parameter_gradients(char const* what, Model& model, K const& k, X const&... x) {
  auto const result = espalier::value_and_grad(model, Weighted{})(x..., k);
  constexpr double step = 1e-5;
  auto const move = [&](double by) {
    std::uint64_t number = 1;
    double along = 0;
    model.for_each_parameter([&](char const* name, espalier::extents const&, auto span) {
      auto const gradient = result.gradients.parameter(name).span();
      for (std::ptrdiff_t i = 0; i < span.size(); ++i) {
        double const direction = numbers<double, espalier::shape<1>>(number++)[0];
        span[i] += by * direction;
        along += gradient[i] * direction;
      }
    });
    return along;
  };
  double sums[2]{};
  double const along = move(step);
  sums[0] = espalier::value_and_grad(model, Weighted{})(x..., k).loss;
  move(-2 * step);
  sums[1] = espalier::value_and_grad(model, Weighted{})(x..., k).loss;
  move(step);
  double const difference = (sums[0] - sums[1]) / (2 * step);
  BOOST_CHECK_MESSAGE(std::fabs(along - difference) <= 1e-6 * std::fmax(1, std::fabs(along)),
                      what << ": derivative " << along << ", difference " << difference);
}

/// a is near b, relative to the larger of 1 and |b|.
inline bool near(double a, double b, double within = 1e-12) {
  return std::fabs(a - b) <= within * std::fmax(1, std::fabs(b));
}

}  // namespace test
