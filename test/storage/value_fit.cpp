// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_value_fit
#include <boost/test/unit_test.hpp>

#include <espalier/storage/value_fit.hpp>

using namespace espalier;
using namespace espalier::detail;

namespace {
/// Stand-ins with the names that the constraints read.
template <class T, class S, class Device = cpu>
struct tensor_like {
  using is_tensor = void;
  using value_type = T;
  using shape_type = S;
  using device_type = Device;
};
template <class T, class S>
struct formula {
  using shape_type = S;
  using element_type = T;
};
template <class T, class S>
void evaluate_into(formula<T, S> const&, tensor_like<T, S>&) {}
struct traced_value {
  using is_traced = void;
};

using s = shape<2, 3>;
template <class T>
using into = tensor_like<T, s>;
}  // namespace

BOOST_AUTO_TEST_CASE(tensors_and_expressions) {
  static_assert(TensorOrView<into<float>> && TensorOrView<into<float> const&> && !TensorOrView<formula<float, s>>);
  static_assert(Stored<into<float>> && !Stored<tensor_like<float, s, cuda>>);
  static_assert(EvaluableInto<formula<float, s>, into<float>> && !EvaluableInto<into<float>, into<float>>);
  static_assert(!EvaluableInto<formula<float, s>, into<double>> && !EvaluableInto<int, into<float>>);
  static_assert(of_a_body<traced_value> && !of_a_body<formula<float, s>>);
}

BOOST_AUTO_TEST_CASE(the_shape_must_be_the_same) {
  static_assert(Fitting<formula<float, s>, into<float>>);
  static_assert(!Fitting<formula<float, shape<6>>, into<float>> && !Fitting<formula<float, shape<3, 2>>, into<float>>);
  static_assert(!shape_fit<formula<float, shape<6>>, into<float>>::agree);
}

// A formula without a real type of its own is computed in the tensor's.
BOOST_AUTO_TEST_CASE(real_types_must_be_the_same) {
  static_assert(Fitting<formula<double, s>, into<double>> && Fitting<formula<void, s>, into<double>>);
  static_assert(Fitting<formula<std::int32_t, s>, into<float>>);
  static_assert(!Fitting<formula<double, s>, into<float>> && !Fitting<formula<float, s>, into<double>>);
  static_assert(std::is_same_v<element_fit<formula<double, s>, into<float>>, same_element_as_tensor<double, float>>);
}

BOOST_AUTO_TEST_CASE(booleans_accept_all_and_integers_none) {
  static_assert(Fitting<formula<float, s>, into<bool>> && Fitting<formula<void, s>, into<bool>>);
  static_assert(!Fitting<formula<float, s>, into<std::int32_t>> && !Fitting<formula<void, s>, into<std::int32_t>>);
  // Only the rule about integers is reported.
  static_assert(!integers_fit<formula<float, s>, into<std::int32_t>>::agree &&
                element_fit<formula<float, s>, into<std::int32_t>>::agree);
}

BOOST_AUTO_TEST_CASE(sixteen_bits_are_only_stored_on_the_host) {
  static_assert(!Fitting<formula<half, s>, into<half>> && !Fitting<formula<float, s>, into<bfloat16>>);
  static_assert(std::is_same_v<element_fit<formula<half, s>, into<float>>, only_stored_on_host<half, float>>);
}

BOOST_AUTO_TEST_CASE(both_are_on_one_device) {
  using there = tensor_like<float, s, cuda>;
  static_assert(device_fit<into<float>, into<float>>::agree && device_fit<there, there>::agree);
  static_assert(!device_fit<there, into<float>>::agree);
  static_assert(device_fit<formula<float, s>, there>::agree);  // reads no memory
}

// The error of an invalid expression has been reported, and what has no shape is not an expression.
BOOST_AUTO_TEST_CASE(nothing_is_reported_twice) {
  static_assert(Fitting<invalid<shape_is<s, shape<6>>>, into<float>> && Fitting<int, into<float>>);
}
