// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../base/option_error.hpp"
#include "../base/philox.hpp"
#include "gradient.hpp"

ESPALIER_HEADER_INCLUDED(gradient_agrees);

/// A gradient check for static_assert: a wrong pullback does not compile.
namespace espalier {

/// Options of a gradient check.
/// range   tolerance >= 0 (0: 1e-6 if the arguments are double, 1e-4 if they are float), step > 0
struct gradient_check {
  double tolerance = 0;
  double step = 1e-5;
  std::uint64_t seed = 0;
};

/// The result of a gradient check; true if both derivatives agree.
struct gradient_comparison {
  double derivative;  ///< along the direction, by reverse differentiation
  double difference;  ///< along the direction, by a central difference
  double allowed;     ///< tolerated difference between the two
  constexpr explicit operator bool() const { return math::constant::abs(derivative - difference) <= allowed; }
};

namespace detail {

/// errors  option_error: a number outside its range
constexpr gradient_check const& checked(gradient_check const& options) {
  check_option("gradient_agrees", "tolerance", options.tolerance, option_range::at_least_0);
  check_option("gradient_agrees", "step", options.step, option_range::above_0);
  return options;
}

/// Element i of the random direction of argument k, in [-1, 1).
constexpr double direction_at(gradient_check const& options, int k, std::int64_t i) {
  return 2 * uniform_from_bits<double>(philox_bits(i, options.seed, static_cast<std::uint64_t>(k))) - 1;
}
/// The weight of element i of f's result, in [1/2, 3/2). Its random stream differs from those of all arguments.
constexpr double weight_at(gradient_check const& options, std::int64_t i) {
  return uniform_from_bits<double>(philox_bits(i, options.seed, ~std::uint64_t{0})) + 0.5;
}

template <class T>
constexpr double tolerance_of(gradient_check const& options) {
  return options.tolerance != 0 ? options.tolerance : std::is_same_v<T, float> ? 1e-4 : 1e-6;
}

/// An argument in double, moved along its direction; labels and truth values are unchanged.
template <class X>
constexpr auto moved_argument(X const& x, gradient_check const& options, int k, double by) {
  if constexpr (real_element<element_of<X>>) {
    tensor<double, shape_of<X>> r;
    for (std::int64_t i = 0; i < shape_of<X>::size; ++i)
      r[i] = static_cast<double>(x.data()[i]) + (by != 0 ? by * direction_at(options, k, i) : 0);
    return r;
  } else {
    return x;
  }
}

template <class F, class... X>
class gradient_checker {
  template <class U>
  using stored = typename argument_type<U>::type;
  using T = typename shared_element<stored<X>...>::type;
  static constexpr unsigned differentiated = all_differentiated<X...>();
  using Program = gradient_program<F, differentiated, true, eager_leaf<stored<X>>...>;
  static constexpr auto const& program = plan::graph_of<Program>;
  static constexpr std::int64_t result_size = program.nodes[program.outputs[0].id].shape.size();

 public:
  static constexpr gradient_comparison compare(gradient_check const& options, stored<X> const&... x) {
    double size = 0, value_size = 0, ignored = 0;
    double const derivative = along(options, size, x...);
    double const ahead = value(options, options.step, value_size, x...),
                 behind = value(options, -options.step, ignored, x...);
    // Rounding error of the difference of two sums in double (2^-50 is 4 epsilons).
    double const rounding = 0x1p-50 * value_size / options.step;
    return {derivative, (ahead - behind) / (2 * options.step), tolerance_of<T>(options) * size + rounding};
  }

 private:
  /// The derivative by the pullback, in the element type of the arguments: the sum of gradient times direction. `size`
  /// is the sum of absolute values.
  static constexpr double along(gradient_check const& options, double& size, stored<X> const&... x) {
    T* const seed = new T[static_cast<std::size_t>(result_size)];
    for (std::int64_t i = 0; i < result_size; ++i) seed[i] = static_cast<T>(weight_at(options, i));
    eager_inputs<T> in{};
    (in.add(x.data()), ...);
    in.add(seed);
    int roots[sizeof...(X) + 1]{};
    for (int i = 1; i < program.output_count; ++i) roots[i - 1] = program.outputs[i].id;
    tracing::interpreter<T> run{program.nodes, roots, program.output_count - 1};
    run.run(tracing::leaf_values<T>{in.real, in.labels, in.flags, nullptr, nullptr, nullptr, nullptr});
    double sum = 0;
    int result = 0;
    for (int k = 0; k < static_cast<int>(sizeof...(X)); ++k) {
      if (!(differentiated >> k & 1u)) continue;
      int const id = roots[result++];
      for (std::int64_t i = 0; i < program.nodes[id].shape.size(); ++i) {
        double const term = static_cast<double>(run.value(id)[i]) * direction_at(options, k, i);
        sum += term;
        size += math::constant::abs(term);
      }
    }
    delete[] seed;
    return sum;
  }

  /// f at moved arguments, in double: the weighted sum of its elements. `size` is the sum of absolute values.
  static constexpr double value(gradient_check const& options, double by, double& size, stored<X> const&... x) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      std::tuple const at{moved_argument(x, options, static_cast<int>(K), (differentiated >> K & 1u) ? by : 0.0)...};
      eager_inputs<double> in{};
      (in.add(std::get<K>(at).data()), ...);
      int const root = program.outputs[0].id;
      tracing::interpreter<double> run{program.nodes, &root, 1};
      run.run(tracing::leaf_values<double>{in.real, in.labels, in.flags, nullptr, nullptr, nullptr, nullptr});
      double sum = 0;
      for (std::int64_t i = 0; i < result_size; ++i) {
        double const term = run.value(root)[i] * static_cast<double>(static_cast<T>(weight_at(options, i)));
        sum += term;
        size += math::constant::abs(term);
      }
      return sum;
    }
    (std::index_sequence_for<X...>{});
  }
};

template <class F>
struct gradient_agrees_function {
  gradient_check options;

  template <TensorArgument... X>
  constexpr auto operator()(X const&... x) const {
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(probe_function<F, leaf_of_argument<X>...>) > 0);
    using Fault = fault_of_function<F, required_result::one, leaf_of_argument<X>...>;
    static_assert(Fault::elements,
                  ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments,
                  ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes,
                  ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::calls,
                  ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_CALLS_INSIDE, typename Fault::type));
    static_assert(Fault::returned,
                  ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs,
                  ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    static_assert(Fault::result,
                  ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_ONE_RESULT, typename Fault::type));
    if constexpr (Fault::agree) return gradient_checker<F, X...>::compare(options, argument_value(x)...);
    else return true;  // the error is already reported
  }
};

}  // namespace detail

/// gradient_agrees(f)(x...): whether the pullbacks in f agree with f itself, along one random direction through x. The
/// compiler computes the derivative by reverse differentiation and by a central difference. One direction finds a wrong
/// gradient in any element, at the cost of two values and one gradient.
///
///     inline constexpr auto f = [](auto x, auto w) { return sum(own_op(matmul(x, w))); };
///     static_assert(esp::gradient_agrees(f)(x, w));
///     // on failure, print found.derivative, found.difference and found.allowed
///     constexpr auto found = esp::gradient_agrees(f)(x, w);
///
/// shape      as vjp: f may return any shape, and its elements are summed with random weights. constant(x), labels and
///            truth values are not moved
/// direction  random, as are the weights: from Philox with options.seed, so that a check is the same on every compiler;
///            gradient_agrees(f, {.seed = 1}) uses another one
/// tolerance  1e-6 (float arguments: 1e-4) of the sum of |gradient times direction| over all elements, plus the
///            rounding error of a difference with step 1e-5. Differences are computed in double, the gradient in the
///            arguments' type
/// range      x away from kinks (relu at 0, a maximum of equal elements), where difference and gradient have different
///            meanings
/// order      f may contain grad, so that the same call checks second-order gradients
/// errors     f that captures and f whose shapes do not fit do not compile; option_error for options outside their
///            range
/// cost       no kernels are instantiated, because the interpreter runs the check; about as much as three evaluations
///            of grad(f) in a constant expression
template <class F>
constexpr auto gradient_agrees(F, gradient_check options = {}) {
  static_assert(captureless<F>::agree, ESPALIER_SENTENCE("gradient_agrees(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::gradient_agrees_function<F>{detail::checked(options)};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
