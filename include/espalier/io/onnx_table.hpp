// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/checkpoint.hpp"
#include "../operation/copied.hpp"
#include "../operation/loop.hpp"
#include "../operation/operation.hpp"
#include "../operation/over_processes.hpp"
#include "../operation/pack.hpp"
#include "../operation/winograd.hpp"
#include "onnx_builder.hpp"

namespace espalier::io {

/// True for your own elementwise op if write_onnx may export it by the formula in its rule's apply:
///   template <> inline constexpr bool espalier::io::exports_formula<own::softplus_> = true;
template <class Op>
inline constexpr bool exports_formula = false;

namespace onnx {

/// The number type with which the export calls a rule's generic body: a literal, or a value of the file.
class term {
 public:
  term(double number) : number_{number} {}
  term(builder& to, std::string name) : to_{&to}, name_{std::move(name)} {}

  /// Its name in the file `to`; a literal becomes an initializer.
  [[nodiscard]] std::string in(builder& to) const { return to_ != nullptr ? name_ : to.number(number_); }
  [[nodiscard]] bool is_number() const { return to_ == nullptr; }
  [[nodiscard]] double number() const { return number_; }

  template <class... X>
  static term made(char const* type, X const&... x) {
    builder* to = nullptr;
    ((to = x.to_ != nullptr ? x.to_ : to), ...);
    return term{*to, to->emit(type, {x.in(*to)...})};
  }
  /// An op with a boolean result, converted to numbers.
  static term truth(char const* type, term const& a, term const& b) {
    term const t = made(type, a, b);
    return term{*t.to_, t.to_->emit("Cast", {t.name_}, {with("to", static_cast<int>(t.to_->real()))})};
  }
  static term untruth(char const* type, term const& a, term const& b) {
    term const t = made("Not", made(type, a, b));
    return term{*t.to_, t.to_->emit("Cast", {t.name_}, {with("to", static_cast<int>(t.to_->real()))})};
  }
  [[nodiscard]] builder& file() const { return *to_; }

 private:
  builder* to_ = nullptr;
  std::string name_{};
  double number_ = 0;
};

#define ESPALIER_TERM_1(name, folded, type) \
  inline term name(term const& x) { return x.is_number() ? term{folded(x.number())} : term::made(type, x); }
#define ESPALIER_TERM_2(name, folded, type)                                                                \
  inline term name(term const& a, term const& b) {                                                         \
    return a.is_number() && b.is_number() ? term{folded(a.number(), b.number())} : term::made(type, a, b); \
  }
#define ESPALIER_TERM_TRUTH(name, function, type)                                                                  \
  inline term name(term const& a, term const& b) {                                                                 \
    return a.is_number() && b.is_number() ? term{math::name(a.number(), b.number())} : term::function(type, a, b); \
  }
ESPALIER_TERM_1(exp, math::exp, "Exp")
ESPALIER_TERM_1(log, math::log, "Log")
ESPALIER_TERM_1(sqrt, math::sqrt, "Sqrt")
ESPALIER_TERM_1(tanh, math::tanh, "Tanh")
ESPALIER_TERM_1(sigmoid, math::sigmoid, "Sigmoid")
ESPALIER_TERM_1(abs, math::abs, "Abs")
ESPALIER_TERM_1(erf, math::erf, "Erf")
ESPALIER_TERM_1(sin, math::sin, "Sin")
ESPALIER_TERM_1(cos, math::cos, "Cos")
ESPALIER_TERM_1(floor, math::floor, "Floor")
ESPALIER_TERM_1(operator-, -, "Neg")
ESPALIER_TERM_2(
    operator+, [](double x, double y) { return x + y; }, "Add")
ESPALIER_TERM_2(
    operator-, [](double x, double y) { return x - y; }, "Sub")
ESPALIER_TERM_2(
    operator*, [](double x, double y) { return x * y; }, "Mul")
ESPALIER_TERM_2(
    operator/, [](double x, double y) { return x / y; }, "Div")
ESPALIER_TERM_2(pow, math::pow, "Pow")
ESPALIER_TERM_2(maximum, math::maximum, "Max")
ESPALIER_TERM_2(minimum, math::minimum, "Min")
ESPALIER_TERM_TRUTH(greater, truth, "Greater")
ESPALIER_TERM_TRUTH(greater_equal, truth, "GreaterOrEqual")
ESPALIER_TERM_TRUTH(less, truth, "Less")
ESPALIER_TERM_TRUTH(less_equal, truth, "LessOrEqual")
ESPALIER_TERM_TRUTH(equal, truth, "Equal")
ESPALIER_TERM_TRUTH(not_equal, untruth, "Equal")
inline term is_finite(term const& x) {
  if (x.is_number()) return term{math::is_finite(x.number())};
  return term::truth("Less", abs(x), term{math::constant::infinite});
}
#undef ESPALIER_TERM_1
#undef ESPALIER_TERM_2
#undef ESPALIER_TERM_TRUTH
/// a if the condition is not 0, else b.
inline term select(term const& condition, term const& a, term const& b) {
  if (condition.is_number()) return condition.number() != 0 ? a : b;
  builder& to = condition.file();
  return term{to,
              to.emit("Where", {to.emit("Cast", {condition.in(to)}, {with("to", static_cast<int>(element::boolean))}),
                                a.in(to), b.in(to)})};
}

/// A function that exports the formula of an op's rule.
using steps = term (*)(term const* x);
template <class Op, std::size_t... I>
term applied_to_terms(term const* x, std::index_sequence<I...>) {
  return rule<Op>::template apply<term>(x[I]...);
}
template <class Op>
term formula_of(term const* x) {
  return applied_to_terms<Op>(x, std::make_index_sequence<static_cast<std::size_t>(rule<Op>::arity)>{});
}

/// Ops whose second operand is an attribute ("alpha") in ONNX, if that operand is a number.
template <class Op>
term with_factor(char const* type, term const* x) {
  if (x[0].is_number() || !x[1].is_number()) return formula_of<Op>(x);
  builder& to = x[0].file();
  return term{to, to.emit(type, {x[0].in(to)}, {with_number("alpha", x[1].number())})};
}
inline term clipped(term const& x, term const& low, term const& high) {
  if (x.is_number() || !low.is_number() || !high.is_number()) return minimum(maximum(x, low), high);
  builder& to = x.file();
  return term{to, to.emit("Clip", {x.in(to), low.in(to), high.in(to)})};
}
inline term elu_steps(term const* x) { return with_factor<elu_>("Elu", x); }
inline term leaky_relu_steps(term const* x) { return with_factor<leaky_relu_>("LeakyRelu", x); }
inline term clamp_steps(term const* x) { return clipped(x[0], x[1], x[2]); }
inline term hard_tanh_steps(term const* x) { return clipped(x[0], -1, 1); }

/// In files, squares may overflow as in other libraries: the usual formula has operations that every runtime reads.
inline term inverse_deviation_steps(term const* x) { return term{1} / sqrt(x[0] + x[2]); }
/// Of floats; the formula above does not use it.
inline term square_of_large_steps(term const* x) {
  using range = espalier::detail::square_range<float>;
  term const scaled = x[0] * term{range::large} + term{range::beside};
  return scaled * scaled;
}

/// The way in which an op is exported.
enum class written : std::uint8_t {
  operation,   ///< as the operation `type` with the same operands
  formula,     ///< in several operations
  reduction,   ///< as the operation `type` over axes
  by_family,   ///< by its op family: values, movements, products
  whole,       ///< a formula of ops that ONNX has an operation or a short formula for
  expanded,    ///< a formula of ops: its ops are exported
  unsupported  ///< not at all
};
struct table_row {
  graph::descriptor const* op;
  written how;
  char const* type;
  onnx::steps steps;
};

/// Every op and its export.
inline constexpr table_row table[] = {
    {&described<argument_>, written::by_family, "", nullptr},
    {&described<parameter_>, written::by_family, "", nullptr},
    {&described<buffer_>, written::by_family, "", nullptr},
    {&described<constant_>, written::by_family, "", nullptr},
    {&described<column_index_>, written::by_family, "", nullptr},
    {&described<values_>, written::by_family, "", nullptr},
    {&described<reshape_>, written::by_family, "Reshape", nullptr},
    {&described<broadcast_>, written::by_family, "Expand", nullptr},
    {&described<permute_>, written::by_family, "Transpose", nullptr},
    {&described<moved_>, written::by_family, "Slice, Pad, Gather", nullptr},
    {&described<scatter_add_>, written::by_family, "ConvTranspose", nullptr},
    {&described<concatenate_>, written::by_family, "Concat", nullptr},
    {&described<index_gather_>, written::by_family, "Gather, GatherElements", nullptr},
    {&described<index_scatter_add_>, written::unsupported, "", nullptr},
    {&described<index_copy_>, written::by_family, "ScatterElements", nullptr},
    {&described<matmul_>, written::by_family, "MatMul, Conv", nullptr},
    {&described<label_>, written::by_family, "", nullptr},
    {&described<convert_>, written::by_family, "Cast", nullptr},
    {&described<hyperparameter_>, written::unsupported, "", nullptr},
    {&described<random_uniform_>, written::unsupported, "", nullptr},
    {&described<loop_slice_>, written::by_family, "", nullptr},
    {&described<loop_state_>, written::by_family, "", nullptr},
    {&described<loop_carry_>, written::by_family, "", nullptr},
    {&described<loop_final_>, written::by_family, "Scan", nullptr},
    {&described<loop_stack_>, written::by_family, "Scan", nullptr},

    {&described<abs_>, written::operation, "Abs", nullptr},
    {&described<add_>, written::operation, "Add", nullptr},
    {&described<copied_>, written::operation, "Identity", nullptr},
    {&described<cos_>, written::operation, "Cos", nullptr},
    {&described<divide_>, written::operation, "Div", nullptr},
    {&described<erf_>, written::operation, "Erf", nullptr},
    {&described<exp_>, written::operation, "Exp", nullptr},
    {&described<log_>, written::operation, "Log", nullptr},
    {&described<maximum_>, written::operation, "Max", nullptr},
    {&described<minimum_>, written::operation, "Min", nullptr},
    {&described<multiply_>, written::operation, "Mul", nullptr},
    {&described<negate_>, written::operation, "Neg", nullptr},
    {&described<power_>, written::operation, "Pow", nullptr},
    {&described<recentered_>, written::operation, "Sub", nullptr},
    {&described<relu_>, written::operation, "Relu", nullptr},
    {&described<sigmoid_>, written::operation, "Sigmoid", nullptr},
    {&described<sin_>, written::operation, "Sin", nullptr},
    {&described<softplus_>, written::operation, "Softplus", nullptr},
    {&described<sqrt_>, written::operation, "Sqrt", nullptr},
    {&described<subtract_>, written::operation, "Sub", nullptr},
    {&described<tanh_>, written::operation, "Tanh", nullptr},

    {&described<clamp_>, written::formula, "Clip", &clamp_steps},
    {&described<elu_>, written::formula, "Elu", &elu_steps},
    {&described<equal_>, written::formula, "Equal", &formula_of<equal_>},
    {&described<gate_>, written::formula, "Greater, Where", &formula_of<gate_>},
    {&described<gelu_>, written::formula, "Erf", &formula_of<gelu_>},
    {&described<gelu_tanh_>, written::formula, "Tanh", &formula_of<gelu_tanh_>},
    {&described<greater_>, written::formula, "Greater", &formula_of<greater_>},
    {&described<greater_equal_>, written::formula, "GreaterOrEqual", &formula_of<greater_equal_>},
    {&described<hard_tanh_>, written::formula, "Clip", &hard_tanh_steps},
    {&described<huber_>, written::formula, "Max, Min", &formula_of<huber_>},
    {&described<inverse_deviation_>, written::formula, "Sqrt, Div", &inverse_deviation_steps},
    {&described<is_finite_>, written::formula, "Abs, Less", &formula_of<is_finite_>},
    {&described<leaky_relu_>, written::formula, "LeakyRelu", &leaky_relu_steps},
    {&described<less_>, written::formula, "Less", &formula_of<less_>},
    {&described<less_equal_>, written::formula, "LessOrEqual", &formula_of<less_equal_>},
    {&described<logistic_loss_>, written::formula, "Exp, Log", &formula_of<logistic_loss_>},
    {&described<not_equal_>, written::formula, "Equal, Not", &formula_of<not_equal_>},
    {&described<silu_>, written::formula, "Sigmoid, Mul", &formula_of<silu_>},
    {&described<square_of_large_>, written::formula, "Mul, Add", &square_of_large_steps},
    {&described<where_>, written::formula, "Where", &formula_of<where_>},

    {&described<max_>, written::reduction, "ReduceMax", nullptr},
    {&described<min_>, written::reduction, "ReduceMin", nullptr},
    {&described<estimated_sum_>, written::reduction, "ReduceSum", nullptr},
    {&described<sum_>, written::reduction, "ReduceSum", nullptr},

    {&described<log_softmax_>, written::whole, "LogSoftmax", nullptr},
    {&described<norm_>, written::whole, "ReduceSum, Sqrt", nullptr},
    {&described<normalize_>, written::whole, "ReduceMean, Sqrt", nullptr},
    {&described<normalize_tracked_>, written::whole, "ReduceMean, Sqrt", nullptr},
    {&described<rms_normalize_>, written::whole, "ReduceMean, Sqrt", nullptr},
    {&described<softmax_>, written::whole, "Softmax", nullptr},
    {&described<unit_>, written::whole, "ReduceSum, Sqrt, Max", nullptr},

    {&described<checkpoint_>, written::expanded, "", nullptr},
    {&described<detach_>, written::expanded, "", nullptr},
    {&described<detach_where_>, written::expanded, "", nullptr},
    {&described<logsumexp_>, written::expanded, "", nullptr},
    {&described<recompute_from_>, written::expanded, "", nullptr},
    {&described<same_>, written::expanded, "", nullptr},
};

/// Ops that are formulas and have no node of their own in a program, and those of programs that update a model or that
/// processes train together. Op templates have none either; their operands are exported.
template <class...>
struct ops {};
using never_nodes = ops<exchange_, pack_, part_, range_scale_, scaled_in_range_, scaled_root_, shifted_variance_,
                        square_, square_of_small_, winograd_kernels_>;

constexpr table_row const* row_of(graph::descriptor const* op) {
  for (table_row const& row : table)
    if (espalier::detail::same_address(row.op, op)) return &row;
  return nullptr;
}

}  // namespace onnx

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
