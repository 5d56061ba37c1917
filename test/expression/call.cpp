// SPDX-License-Identifier: BSL-1.0
// What a module's forward is checked for before a formula of it is made; test/compile_fail has the sentences.
#define BOOST_TEST_MODULE expression_call
#include <boost/test/unit_test.hpp>

#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>
#include <espalier/tracing/trace.hpp>

#include <espalier/expression/call.hpp>

using namespace espalier;

namespace {
using s = shape<2, 3>;
using matrix = tensor<float, s>;
using value = traced<s>;

struct Doubled {
  constexpr auto forward(auto x) const { return x + x; }
};
struct Transposed {
  constexpr auto forward(auto x) const { return transpose(x); }
};
struct Misfit {
  constexpr auto forward(auto x) const { return matmul(x, x); }
};
struct WithoutForward {};
struct NotConst {
  constexpr auto forward(auto x) { return x; }
};
struct NotGeneric {
  value forward(value x) const { return x; }
};
struct OfTwo {
  constexpr auto forward(auto x, auto y) const { return x + y; }
};
struct ReturnsANumber {
  constexpr auto forward(auto) const { return 1.0f; }
};
template <class M, class... X>
using result = typename detail::body_of<M, X...>::type;
}  // namespace

BOOST_AUTO_TEST_CASE(the_shape_of_a_call) {
  static_assert(std::is_same_v<shape_of<result<Doubled, value>>, s>);
  static_assert(std::is_same_v<shape_of<result<Transposed, value>>, shape<3, 2>>);
  static_assert(std::is_same_v<shape_of<result<OfTwo, value, value>>, s>);
}

BOOST_AUTO_TEST_CASE(faults_of_a_forward) {
  static_assert(std::is_same_v<result<WithoutForward, value>, invalid<has_forward<WithoutForward, s>>>);
  static_assert(std::is_same_v<result<OfTwo, value>, invalid<forward_takes<OfTwo, 2, 1>>>);
  static_assert(std::is_same_v<result<NotConst, value>, invalid<forward_is_const<NotConst>>>);
  static_assert(std::is_same_v<result<NotGeneric, value>, invalid<forward_is_generic<NotGeneric>>>);
  static_assert(std::is_same_v<result<ReturnsANumber, value>, invalid<forward_returns<ReturnsANumber, float>>>);
  static_assert(is_invalid<result<Misfit, value>> && holds<has_forward, result<Misfit, value>>);
}

BOOST_AUTO_TEST_CASE(a_module_of_tensors_is_a_formula) {
  matrix x{};
  auto const y = detail::apply_module(Doubled{}, x);
  static_assert(std::is_same_v<decltype(y), call<s, Doubled, borrowed<float, s>> const>);
  BOOST_TEST(y.a.data == x.data());
  static_assert(y.eager && std::is_same_v<element_of<decltype(y)>, float>);
  static_assert(formula_reads<std::remove_const_t<decltype(y)>>::tensors == 1);
  auto const owning = detail::apply_module_to_temporary(Doubled{}, matrix{});
  static_assert(std::is_same_v<decltype(owning.a), owned<matrix>>);
}

// The path of an error lists the modules that it came through.
BOOST_AUTO_TEST_CASE(invalid_results_have_a_path) {
  using inner = decltype(detail::apply_module(Misfit{}, std::declval<value&>()));  // of tensors, it is an error
  static_assert(std::is_same_v<inner, decltype(through<Misfit>(result<Misfit, value>{}))>);
  static_assert(std::is_same_v<decltype(detail::apply_module(Doubled{}, std::declval<inner&>())), inner>);
}
