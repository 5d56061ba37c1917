// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/in_place.hpp"
#include "compound.hpp"
#include "eager_program.hpp"
#include "run_program.hpp"

/// Evaluates formulas over tensors immediately. The type of a formula determines its program, which is planned at
/// compile time.
namespace espalier {

namespace detail {

/// The number of elements that a program reads of each argument; 0 for none. The program itself is large and is not
/// needed at run time.
struct argument_sizes {
  std::int64_t of[plan::base::max_arguments];
};
template <class Program>
inline constexpr argument_sizes argument_sizes_of = [] {
  constexpr auto const& p = plan::graph_of<Program>;
  argument_sizes sizes{};
  for (int id = 1; id <= p.nodes.size; ++id)
    if (p.nodes[id].op->family == op_family::argument) sizes.of[position_of(p.nodes[id])] = p.nodes[id].shape.size();
  return sizes;
}();

/// Whether the only result shares memory with an argument in a way that the plan does not allow.
template <class Program, class T>
// Not T const*: g++ 12 would warn that the new tensor is uninitialized
bool overlaps(eager_inputs<T> const& in, T* result, std::int64_t size) {
  constexpr plan::sharing_table may = plan::sharing_of<Program>;
  for (int i = 0; i < plan::base::max_arguments; ++i) {
    std::int64_t const read = argument_sizes_of<Program>.of[i];
    if (read == 0 || may.of[i][0] == plan::sharing::any) continue;
    T const* const from = in.real[i];
    if (from == result && read == size && may.of[i][0] == plan::sharing::same) continue;
    if (overlap(from, static_cast<std::size_t>(read) * sizeof(T), result, static_cast<std::size_t>(size) * sizeof(T)))
      return true;
  }
  return false;
}

/// What an op makes of integers.
template <class Op>
constexpr of_integers made_of_integers() {
  if constexpr (requires { rule<Op>::makes; }) {
    return rule<Op>::makes;
  } else {
    switch (described<Op>.family) {
      case op_family::reduction:
        return described<Op>.adds ? of_integers::counts : of_integers::integers;
      case op_family::index_scatter_add:
        return of_integers::counts;
      case op_family::contraction:
        return of_integers::counts;
      case op_family::reshape:
      case op_family::permute:
      case op_family::broadcast:
      case op_family::move:
      case op_family::concatenate:
      case op_family::index_gather:
      case op_family::index_copy:
        return of_integers::integers;
      default:
        return of_integers::real_numbers;
    }
  }
}
/// Formulas of std::int32_t and bool alone are computed in double: every std::int32_t is exact there, and so are sums
/// below 2^53. reads: whether it is such a formula. value: what its elements are.
template <class E>
struct integer_formula {
  static constexpr bool reads = false;
  static constexpr of_integers value = of_integers::real_numbers;
};
template <class T, class S, class Device>
  requires(std::is_same_v<T, std::int32_t> || std::is_same_v<T, bool>)
struct integer_formula<borrowed<T, S, Device>> {
  static constexpr bool reads = true;
  static constexpr of_integers value = std::is_same_v<T, bool> ? of_integers::truth : of_integers::integers;
};
template <class Tensor>
struct integer_formula<owned<Tensor>>
    : integer_formula<borrowed<typename Tensor::value_type, typename Tensor::shape_type>> {};
template <class N>
  requires std::is_integral_v<N>
struct integer_formula<number<N>> {
  static constexpr bool reads = false;
  static constexpr of_integers value = of_integers::truth;  // of any size: 1 - mask is as real as mask
};
template <class Op, std::uint64_t Attribute, class S, class... X>
  requires(!real_element<element_of<node<Op, Attribute, S, X...>>>)
struct integer_formula<node<Op, Attribute, S, X...>> {
  static constexpr bool reads = (integer_formula<X>::reads || ...);
  static constexpr of_integers value = [] {
    if constexpr (!reads) return of_integers::real_numbers;
    of_integers most = of_integers::truth;
    for (of_integers const x : {integer_formula<X>::value...}) most = x > most ? x : most;
    of_integers const made = made_of_integers<Op>();
    if (made == of_integers::counts) return most > of_integers::integers ? most : of_integers::integers;
    return made == of_integers::integers ? most : made;
  }();
};

/// The type in which an expression is computed: its own real type; for integers double; else that of the target tensor,
/// else float. Targets of 16 bits are written by the kernels of a device, in their own type.
template <class E, class T = float>
using computed_element = std::conditional_t<real_element<element_of<E>>, element_of<E>,
                                            std::conditional_t<integer_formula<E>::reads && !is_narrow<T>, double,
                                                               std::conditional_t<real_element<T>, T, float>>>;
/// The element type of an expression's value: that of its real tensors; double for integers; else float.
template <class E>
using value_element =
    std::conditional_t<real_element<element_of<E>>, element_of<E>,
                       std::conditional_t<integer_formula<E>::value == of_integers::integers, double, float>>;

/// Writes the value of an expression to the elements of a tensor or view of T; operands may overlap them. Arch is in
/// the name so that translation units for different instruction sets do not share the function.
template <class T, class S, class Device, class E, class Arch = on_cpu::default_arch>
constexpr void evaluate_at(E const& e, T* y) {
  using Element = computed_element<E, T>;
  using Program = eager_program<typename skeleton<E>::type>;
  using Sound [[maybe_unused]] = typename plan::sound_program<Program>::checked;  // first, for a short trace
  using Separate = tensor<Element, S, Device>;
  eager_inputs<Element> in{};
  collect(in, e);
  auto const copied = [y](auto const& x) {
    if constexpr (is_graphics<Device>)
      typename engine_of<Device>::type{}.copy(y, x.data(), static_cast<std::size_t>(S::size) * sizeof(T));
    else
      for (std::int64_t i = 0; i < S::size; ++i) y[i] = x.data()[i];
  };
  if constexpr (!std::is_same_v<T, Element>) {
    Separate separate;
    Element* const result = separate.data();
    run_program<Program, Element, Device>(in, &result, 1);
    if constexpr (is_graphics<Device>) copied(tensor<T, S, Device>(separate));
    else if constexpr (std::is_same_v<T, bool>)
      for (std::int64_t i = 0; i < S::size; ++i) y[i] = result[i] != Element(0);
    else
      for (std::int64_t i = 0; i < S::size; ++i) y[i] = static_cast<T>(result[i]);
  } else {
    if (!std::is_constant_evaluated() && overlaps<Program, T>(in, y, S::size)) {
      Separate separate;
      T* const result = separate.data();
      run_program<Program, T, Device>(in, &result, 1);
      copied(separate);
    } else {
      run_program<Program, T, Device>(in, &y, 1);
    }
  }
}

/// Copies the elements of a tensor or view to y, which may overlap them.
template <class T, class Device, class X>
constexpr void copy_at(X const& x, T* y) {
  T const* const from = x.data();
  if constexpr (is_graphics<Device>) {
    typename engine_of<Device>::type{}.copy(y, tensor<T, typename X::shape_type, Device>(x).data(),
                                            static_cast<std::size_t>(X::size()) * sizeof(T));
  } else if (std::is_constant_evaluated()) {
    T* const kept = new T[static_cast<std::size_t>(X::size())]{};
    for (std::int64_t i = 0; i < X::size(); ++i) kept[i] = from[i];
    for (std::int64_t i = 0; i < X::size(); ++i) y[i] = kept[i];
    delete[] kept;
  } else {
    __builtin_memmove(y, from, static_cast<std::size_t>(X::size()) * sizeof(T));
  }
}
}  // namespace detail

/// y = the value of the expression: one program, whose elementwise parts are one fused loop. An operand may be y
/// itself, or overlap it in any way.
/// shape   S -> S
/// errors  another shape or element type does not compile
/// memory  workspace beyond 16 KiB comes from the heap for the duration of the call; a device keeps it for the next
///         call. If an operand overlaps y other than element by element, the value is computed separately and copied
template <class E, class T, class S, class Device>
  requires(detail::marked_expression<E> && !is_invalid<E>)
constexpr void evaluate_into(E const& e, tensor<T, S, Device>& y) {
  using Y = tensor<T, S, Device>;
  static_assert(
      detail::shape_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, Y>));
  static_assert(detail::integers_fit<E, Y>::agree,
                ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_INTEGERS,
                                  detail::integers_fit<E, Y>));
  static_assert(
      detail::element_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, Y>));
  static_assert(
      detail::device_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, tensor): " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, Y>));
  if constexpr (detail::Fitting<E, Y>) detail::evaluate_at<T, S, Device>(e, y.data());
}
/// The same for a view. Only the view's elements are written.
template <class E, class T, class S, class Device>
  requires(detail::marked_expression<E> && !is_invalid<E>)
constexpr void evaluate_into(E const& e, view<T, S, Device> y) {
  using Y = view<T, S, Device>;
  static_assert(!std::is_const_v<T>,
                ESPALIER_SENTENCE("evaluate_into(expression, view): the view is of const elements; write view<T, S>",
                                  ESPALIER_STATED(!std::is_const_v<T>, T)));
  static_assert(
      detail::shape_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_SHAPE, detail::shape_fit<E, Y>));
  static_assert(
      detail::integers_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_INTEGERS, detail::integers_fit<E, Y>));
  static_assert(
      detail::element_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_ELEMENT, detail::element_fit<E, Y>));
  static_assert(
      detail::device_fit<E, Y>::agree,
      ESPALIER_SENTENCE("evaluate_into(expression, view): " ESPALIER_EXPRESSION_DEVICE, detail::device_fit<E, Y>));
  if constexpr (!std::is_const_v<T> && detail::Fitting<E, Y>) detail::evaluate_at<T, S, Device>(e, y.data());
}
/// Copies the elements of a tensor or view to another one, which may overlap it.
/// shape   S -> S
/// errors  another shape, element type or device does not compile
template <TensorOrView X, TensorOrView Y>
constexpr void evaluate_into(X const& x, Y&& y) {
  using To = std::remove_cvref_t<Y>;
  using T = std::remove_pointer_t<decltype(y.data())>;
  using Shapes = detail::shape_is<shape_of<X>, shape_of<To>>;
  using Elements = detail::element_is<element_of<X>, element_of<To>>;
  using Devices = same_device<device_of<X>, device_of<To>>;
  static_assert(!std::is_const_v<T>, ESPALIER_SENTENCE("evaluate_into(x, y): the elements of y are const",
                                                       ESPALIER_STATED(!std::is_const_v<T>, T)));
  static_assert(Shapes::agree, ESPALIER_SENTENCE("evaluate_into(x, y): x has another shape than y", Shapes));
  static_assert(Elements::agree,
                ESPALIER_SENTENCE(
                    "evaluate_into(x, y): x has another element type than y; convert with tensor<T, S>(x)", Elements));
  static_assert(Devices::agree, ESPALIER_SENTENCE("evaluate_into(x, y): " ESPALIER_EXPRESSION_DEVICE, Devices));
  if constexpr (!std::is_const_v<T> && Shapes::agree && Elements::agree && Devices::agree)
    detail::copy_at<T, device_of<To>>(x, y.data());
}

/// Writes the value of an expression to a range of as many numbers: std::vector, std::array, std::span, an array.
/// errors  as for a view of the range
template <class E, class R>
  requires(detail::marked_expression<E> && !is_invalid<E> && detail::Range<std::remove_cvref_t<R>>)
constexpr void evaluate_into(E const& e, R&& y) {
  using Numbers = detail::numbers_in_a_row<std::remove_reference_t<R>>;
  static_assert(Numbers::agree,
                ESPALIER_SENTENCE("evaluate_into(expression, range): " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
  if constexpr (Numbers::agree)
    evaluate_into(e, view<detail::number_of<std::remove_reference_t<R>>, shape_of<E>>(static_cast<R&&>(y)));
}

/// Does nothing for an `invalid` expression, whose error is already reported.
template <class... Facts, class T, class S, class Device>
constexpr void evaluate_into(invalid<Facts...> const&, tensor<T, S, Device>&) {}
template <class... Facts, class T, class S, class Device>
constexpr void evaluate_into(invalid<Facts...> const&, view<T, S, Device>) {}

/// Returns the value of an expression as a tensor: auto c = evaluate(a * b);
/// shape   S -> S
/// element that of its real tensors. A formula of std::int32_t and bool alone is computed in double; its value is
///         double if it has integers, such as a + b and sum(a), and float if it has truth or other numbers: a < b
/// device  that of the tensors in the expression
/// errors  tensors of two devices do not compile
template <class E>
  requires detail::marked_expression<E>
constexpr auto evaluate(E const& e) {
  using Devices = typename detail::one_device<device_of<E>>::relation;
  static_assert(Devices::agree, ESPALIER_SENTENCE("evaluate(expression): " ESPALIER_DEVICES_FIT, Devices));
  static_assert(!detail::of_a_body<E>, ESPALIER_SENTENCE("evaluate(formula): " ESPALIER_NO_NUMBERS,
                                                         ESPALIER_STATED(!detail::of_a_body<E>, shape_of<E>)));
  if constexpr (is_invalid<E>) return e;
  else if constexpr (detail::of_a_body<E>) return invalid<already_reported>{};
  else if constexpr (!Devices::agree) return invalid<Devices>{};
  else return tensor<detail::value_element<E>, shape_of<E>, detail::device_or_cpu<device_of<E>>>(e);
}

/// A tensor or a view has its value already: evaluate(argmax<1>(x)) is a tensor with its elements.
template <class X>
  requires TensorOrView<X>
constexpr auto evaluate(X const& x) {
  return tensor<std::remove_const_t<std::remove_pointer_t<decltype(x.data())>>, shape_of<X>, device_of<X>>(x);
}
/// Relation that errors name: the argument of evaluate is a formula, a tensor or a view.
template <class X>
struct is_formula {
  ESPALIER_READS("got {}")
  static constexpr bool agree = false;
};
/// Does not compile: a number, for example, has its value already.
template <class X>
  requires(!detail::marked_expression<X> && !TensorOrView<X> && !is_invalid<X>)
constexpr auto evaluate(X const&) {
  static_assert(is_formula<X>::agree,
                ESPALIER_SENTENCE("evaluate(x): x is a formula of tensors, a tensor or a view; a number has its value",
                                  is_formula<X>));
  return invalid<already_reported>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
