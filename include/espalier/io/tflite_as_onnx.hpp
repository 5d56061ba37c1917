// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "array.hpp"
#include "onnx_windows.hpp"
#include "tflite_file.hpp"

/// Makes an ONNX model of a TensorFlow Lite model: int8 values become floats behind QuantizeLinear and
/// DequantizeLinear, and images have their channels second where write_quantized_onnx has them so.
namespace espalier::io::tflite {

/// Operators that become one operation.
struct unary_row {
  op code;
  char const* type;
};
inline constexpr unary_row unary_table[] = {{op::abs, "Abs"}, {op::cos, "Cos"},          {op::elu, "Elu"},
                                            {op::exp, "Exp"}, {op::floor, "Floor"},      {op::log, "Log"},
                                            {op::neg, "Neg"}, {op::logistic, "Sigmoid"}, {op::relu, "Relu"},
                                            {op::sin, "Sin"}, {op::sqrt, "Sqrt"},        {op::tanh, "Tanh"}};
/// options: those with an activation, or null.
struct binary_row {
  op code;
  char const* type;
  options_layout const* options;
};
inline constexpr binary_row binary_table[] = {{op::add, "Add", &add_options}, {op::sub, "Sub", &sub_options},
                                              {op::mul, "Mul", &mul_options}, {op::div, "Div", &div_options},
                                              {op::pow, "Pow", nullptr},      {op::maximum, "Max", nullptr},
                                              {op::minimum, "Min", nullptr}};
using reduction_row = unary_row;
inline constexpr reduction_row reduction_table[] = {
    {op::mean, "ReduceMean"}, {op::sum, "ReduceSum"}, {op::reduce_max, "ReduceMax"}, {op::reduce_min, "ReduceMin"}};

class onnx_translator {
 public:
  onnx_translator(model_file const& from, char const* path)
      : f_{from}, path_{path}, to_{path, onnx::element::float32, 0}, values_(from.tensors.size()) {
    for (std::string const& data : from.buffers) budget_ += 4 * data.size();
  }

  [[nodiscard]] onnx::model_file run() {
    for (std::int64_t const t : f_.inputs) add_input(t);
    std::vector<bool> const needed = needed_operations();
    for (std::size_t i = 0; i < f_.operations.size(); ++i)
      if (needed[i]) translate(f_.operations[i]);
    for (std::int64_t const t : f_.outputs) {
      value const v = value_of(t);
      if (!v.is_float) fail(t, "an output that is no float and no quantized value");
      onnx::view const y = to_.whole(unpadded(v, t).view, v.shape);
      to_.file.outputs.push_back({rounded(v, y.name), onnx::element::float32, onnx::integers_of(v.shape)});
    }
    return std::move(to_.file);
  }

 private:
  /// A value in float, or indices; edges: numbers around images that their reader adds: above, on the left, below, on
  /// the right; zeros, or the lowest number. rounded_as: the tensor whose scale rounds it, or -1; a reader writes the
  /// rounding behind the order of axes that it needs.
  struct value {
    onnx::view view{};
    extents shape{};
    bool is_float = true;
    std::array<std::int64_t, 4> edges{};
    std::int64_t rounded_as = -1;
    bool of_zeros = true, of_lowest = false;
  };
  using view = onnx::view;

  // Errors.

  tensor const& of(std::int64_t t) const { return f_.tensors[static_cast<std::size_t>(t)]; }
  std::string quoted(std::int64_t t) const { return in_quotes(of(t).name); }
  [[noreturn]] void fail(std::int64_t t, char const* what) const {
    throw_error<format_error>("%s: %s is %s, which is not read", path_, quoted(t).c_str(), what);
  }
  [[noreturn]] void fail(operation const& o, char const* what) const {
    throw_error<format_error>("%s: %s %s: %s", path_, name_of(o.code).c_str(),
                              o.outputs.empty() ? "" : quoted(o.outputs[0]).c_str(), what);
  }

  // Tensors.

  extents extents_of(std::int64_t t) const {
    extents s{};
    double all = 1;
    if (of(t).extents.size() > 6) fail(t, "a tensor with more than 6 axes");
    for (std::int64_t const e : of(t).extents) {
      all *= static_cast<double>(e);
      if (e < 1 || all > 1e12) fail(t, "a tensor without elements, or with more than memory holds");
      s.push(static_cast<int>(e));
    }
    return s;
  }
  bool is_constant(std::int64_t t) const { return !f_.buffers[of(t).buffer].empty(); }
  bool is_quantized(std::int64_t t) const { return of(t).type == element::int8 || of(t).type == element::uint8; }
  /// The elements of a constant as they are stored.
  template <class To>
  std::vector<To> stored(std::int64_t t) {
    std::string const& bytes = f_.buffers[of(t).buffer];
    std::size_t const each = size_of(of(t).type);
    std::int64_t const count = extents_of(t).size();
    if (each == 0)
      throw_error<format_error>("%s: %s has elements of TensorFlow Lite's type %d, which are not read", path_,
                                quoted(t).c_str(), static_cast<int>(of(t).type));
    if (bytes.size() != each * static_cast<std::size_t>(count))
      throw_error<format_error>("%s: %s of shape %s has %lld bytes", path_, quoted(t).c_str(),
                                text_of(of(t).extents).c_str(), static_cast<long long>(bytes.size()));
    if (bytes.size() > budget_) fail(t, "one of many tensors with the same bytes");
    budget_ -= bytes.size();
    switch (of(t).type) {
      case element::float32:
        return decoded<float, To>(bytes);
      case element::int32:
        return decoded<std::int32_t, To>(bytes);
      case element::int64:
        return decoded<std::int64_t, To>(bytes);
      case element::int16:
        return decoded<std::int16_t, To>(bytes);
      case element::int8:
        return decoded<std::int8_t, To>(bytes);
      default:
        return decoded<std::uint8_t, To>(bytes);
    }
  }
  template <class From, class To>
  static std::vector<To> decoded(std::string const& bytes) {
    std::vector<To> r(bytes.size() / sizeof(From));
    for (std::size_t i = 0; i < r.size(); ++i) {
      From x;
      std::memcpy(&x, bytes.data() + i * sizeof(From), sizeof x);
      r[i] = static_cast<To>(flatbuffers::EndianScalar(x));
    }
    return r;
  }
  /// Constant integers, such as axes.
  integers list(operation const& o, std::size_t input) {
    std::int64_t const t = input_of(o, input);
    if (!is_constant(t) || (of(t).type != element::int32 && of(t).type != element::int64))
      fail(o, "expected constant integers for its axes");
    return stored<std::int64_t>(t);
  }
  std::int64_t input_of(operation const& o, std::size_t i) const {
    if (i >= o.inputs.size() || o.inputs[i] < 0) fail(o, "an operand is missing");
    return o.inputs[i];
  }
  static bool has_input(operation const& o, std::size_t i) { return i < o.inputs.size() && o.inputs[i] >= 0; }
  double option(operation const& o, options_layout const& layout, std::size_t i) const {
    if (o.options == 0) return layout.missing[i];
    if (o.options != layout.type) fail(o, "its options are those of another operator");
    return o.fields[i];
  }
  /// The name of a value in ONNX: that of its tensor.
  std::string unused(std::int64_t t) { return to_.unused(of(t).name.empty() ? "value" : of(t).name); }
  std::string initializer(std::string const& name, onnx::element type, integers extents, std::vector<double> numbers,
                          integers whole) {
    std::string const given = to_.unused(name);
    to_.file.initializers.push_back({given, type, std::move(extents), std::move(numbers), std::move(whole)});
    return given;
  }
  std::string emit(char const* type, std::vector<std::string> inputs, std::vector<onnx::attribute> attributes,
                   std::int64_t t) {
    std::string const name = unused(t);
    to_.file.operations.push_back({type, std::move(inputs), name, std::move(attributes)});
    return name;
  }

  // Values.

  /// The operations that the outputs depend on; those that compute shapes are left out.
  std::vector<bool> needed_operations() const {
    std::vector<bool> needed(f_.operations.size()), read(f_.tensors.size());
    for (std::int64_t const t : f_.outputs) read[static_cast<std::size_t>(t)] = true;
    std::vector<bool> written(f_.tensors.size());
    for (std::size_t i = f_.operations.size(); i-- > 0;) {
      operation const& o = f_.operations[i];
      for (std::int64_t const t : o.outputs) {
        if (written[static_cast<std::size_t>(t)]) fail(o, "its result is that of a second operator");
        written[static_cast<std::size_t>(t)] = true;
        needed[i] = needed[i] || read[static_cast<std::size_t>(t)];
      }
      if (!needed[i]) continue;
      if (o.outputs.size() != 1) fail(o, "operators with several results are not read");
      std::size_t const count = o.code == op::reshape || o.code == op::expand_dims ? 1 : o.inputs.size();
      for (std::size_t k = 0; k < count && k < o.inputs.size(); ++k)
        if (o.inputs[k] >= 0) read[static_cast<std::size_t>(o.inputs[k])] = true;
    }
    return needed;
  }
  void add_input(std::int64_t t) {
    bool const is_float = of(t).type == element::float32 || is_quantized(t);
    if (!is_float && of(t).type != element::int32)
      throw_error<format_error>(
          "%s: expected an input of float, int8, uint8 or int32, got TensorFlow Lite's type %d for %s", path_,
          static_cast<int>(of(t).type), quoted(t).c_str());
    if (values_[static_cast<std::size_t>(t)] || is_constant(t)) fail(t, "an input twice, or a constant");
    value v;
    v.shape = extents_of(t);
    v.is_float = is_float;
    v.view = onnx::builder::plain(unused(t), v.shape, {});
    to_.file.inputs.push_back(
        {v.view.name, is_float ? onnx::element::float32 : onnx::element::int32, onnx::integers_of(v.shape)});
    set(t, std::move(v));
  }
  value value_of(std::int64_t t) {
    auto& v = values_[static_cast<std::size_t>(t)];
    if (!v && is_constant(t)) {
      value c;
      c.shape = extents_of(t);
      c.is_float = of(t).type == element::float32 || is_quantized(t);
      std::vector<double> numbers = stored<double>(t);
      if (is_quantized(t)) {
        quantization const q = one_scale(t);
        for (double& x : numbers) x = (x - static_cast<double>(q.zero_points[0])) * static_cast<double>(q.scales[0]);
      }
      c.view = numbers.size() == 1 ? onnx::builder::hold(numbers[0])
                                   : onnx::builder::hold({unused(t), c.shape, std::move(numbers)});
      v = std::move(c);
    }
    if (!v) throw_error<format_error>("%s: nothing in front of its readers computes %s", path_, quoted(t).c_str());
    return *v;
  }
  /// Values with edges that their reader does not add are not read.
  value const& unpadded(value const& v, std::int64_t t) const {
    if (v.edges != std::array<std::int64_t, 4>{}) fail(t, "padded, and its reader no convolution or pooling");
    return v;
  }
  /// An operand in float, perhaps with a rounding that is not written.
  value carried(operation const& o, std::size_t i) {
    std::int64_t const t = input_of(o, i);
    value v = unpadded(value_of(t), t);
    if (!v.is_float) fail(o, "expected operands of float, or quantized");
    return v;
  }
  value operand(operation const& o, std::size_t i) { return written(carried(o, i)); }
  value written(value v) {
    v.view.name = rounded(v, v.view.name);
    v.rounded_as = -1;
    return v;
  }
  /// A value of that name behind QuantizeLinear and DequantizeLinear, if it is rounded.
  std::string rounded(value const& v, std::string const& name) {
    std::int64_t const t = v.rounded_as;
    if (t < 0) return name;
    auto& by = scales_[t];
    if (by.first.empty()) {
      quantization const q = one_scale(t);
      by = {initializer("scale", onnx::element::float32, {}, {static_cast<double>(q.scales[0])}, {}),
            initializer("zero_point", element_of(t), {}, {}, {q.zero_points[0]})};
    }
    std::string const whole = emit("QuantizeLinear", {name, by.first, by.second}, {}, t);
    return emit("DequantizeLinear", {whole, by.first, by.second}, {}, t);
  }
  value variable(operation const& o, std::size_t i) {
    value v = operand(o, i);
    if (v.view.held) fail(o, "expected an operand that is no constant");
    return v;
  }
  quantization one_scale(std::int64_t t) const {
    quantization q = of(t).by;
    if (q.scales.size() != 1 || q.zero_points.size() > 1)
      throw_error<format_error>("%s: %s: expected one scale and one zero point for all elements, got %d and %d", path_,
                                quoted(t).c_str(), static_cast<int>(q.scales.size()),
                                static_cast<int>(q.zero_points.size()));
    if (q.zero_points.empty()) q.zero_points = {0};
    return q;
  }
  onnx::element element_of(std::int64_t t) const {
    return of(t).type == element::int8 ? onnx::element::int8 : onnx::element::uint8;
  }
  bool rounds_alike(std::int64_t a, std::int64_t b) const {
    return of(a).type == of(b).type && of(a).by.scales == of(b).by.scales &&
           of(a).by.zero_points == of(b).by.zero_points;
  }
  /// Sets the value of a tensor, which is rounded if the tensor is quantized.
  void set(std::int64_t t, value v) {
    if (!(extents_of(t) == v.shape))
      throw_error<format_error>("%s: %s of shape %s has another shape than its operands give, %s", path_,
                                quoted(t).c_str(), text_of(of(t).extents).c_str(),
                                text_of(onnx::integers_of(v.shape)).c_str());
    if (v.is_float && is_quantized(t)) {
      if (v.view.held) fail(t, "a constant that is computed");
      (void)one_scale(t);
      if (v.rounded_as >= 0 && !rounds_alike(v.rounded_as, t)) v = written(std::move(v));
      v.rounded_as = t;
    } else if (v.is_float && of(t).type != element::float32) {
      throw_error<format_error>("%s: expected %s of float, int8 or uint8, got TensorFlow Lite's type %d", path_,
                                quoted(t).c_str(), static_cast<int>(of(t).type));
    }
    v.view.accepts_bias = false;
    auto& to = values_[static_cast<std::size_t>(t)];
    if (to) fail(t, "computed twice");
    to = std::move(v);
  }
  /// The result of an operator with an activation.
  void set(operation const& o, value v, double activated) {
    std::int64_t const t = o.outputs[0];
    auto const which = static_cast<activation>(static_cast<std::int8_t>(activated));
    if (which == activation::relu) v.view.name = emit("Relu", {v.view.name}, {}, t);
    else if (which == activation::relu6) v.view.name = clipped(v.view.name, 0, 6, t);
    else if (which == activation::relu_n1_to_1) v.view.name = clipped(v.view.name, -1, 1, t);
    else if (which != activation::none) fail(o, "its activation is not read");
    set(t, std::move(v));
  }
  std::string clipped(std::string const& x, double low, double high, std::int64_t t) {
    return emit("Clip", {x, to_.number(low), to_.number(high)}, {}, t);
  }

  // Operators.

  void translate(operation const& o) {
    for (unary_row const& row : unary_table)
      if (o.code == row.code) return unary(o, row.type);
    for (binary_row const& row : binary_table)
      if (o.code == row.code) return binary(o, row.type, row.options == nullptr ? 0 : option(o, *row.options, 0));
    for (reduction_row const& row : reduction_table)
      if (o.code == row.code) return reduced(o, row.type);
    switch (o.code) {
      case op::quantize:
      case op::dequantize:
        return set(o.outputs[0], carried(o, 0));
      case op::fully_connected:
        return fully_connected(o);
      case op::conv_2d:
        return convolution(o, false);
      case op::depthwise_conv_2d:
        return convolution(o, true);
      case op::max_pool_2d:
        return pooled(o, "MaxPool");
      case op::average_pool_2d:
        return pooled(o, "AveragePool");
      case op::reshape:
      case op::squeeze:
      case op::expand_dims:
        return reshaped(o);
      case op::transpose:
        return transposed(o);
      case op::pad:
      case op::padv2:
        return padded(o);
      case op::softmax:
        if (option(o, softmax_options, 0) != 1) fail(o, "expected a factor (beta) of 1");
        return softmax(o, "Softmax");
      case op::log_softmax:
        return softmax(o, "LogSoftmax");
      case op::concatenation:
        return concatenated(o);
      case op::strided_slice:
        return sliced(o);
      case op::gather:
        return gathered(o);
      case op::batch_matmul:
        return batch_matmul(o);
      case op::relu6:
        return set(o, variable(o, 0), static_cast<double>(activation::relu6));
      case op::relu_n1_to_1:
        return set(o, variable(o, 0), static_cast<double>(activation::relu_n1_to_1));
      case op::leaky_relu:
        return unary(o, "LeakyRelu", {onnx::with_number("alpha", option(o, leaky_relu_options, 0))});
      default:
        fail(o, "the operator is not read");
    }
  }
  void unary(operation const& o, char const* type, std::vector<onnx::attribute> attributes = {}) {
    value v = variable(o, 0);
    v.view.name = emit(type, {v.view.name}, std::move(attributes), o.outputs[0]);
    set(o.outputs[0], std::move(v));
  }
  /// As the exporter of elementwise ops: the other operand gets the axes of the first of the result's size.
  void binary(operation const& o, char const* type, double activated) {
    value const both[2] = {operand(o, 0), operand(o, 1)};
    if (both[0].view.held && both[1].view.held) fail(o, "expected an operand that is no constant");
    extents const s = broadcast(o, both[0].shape, both[1].shape);
    int lead = -1;
    for (int k = 0; k < 2 && lead < 0; ++k)
      if (!both[k].view.held && both[k].view.stored.size() == s.size()) lead = k;
    if (lead < 0) fail(o, "expected an operand of the result's shape");
    view first = both[lead].view;
    view const& other = both[1 - lead].view;
    bool const alike = !other.held && other.stored == first.stored && other.order == first.order;
    if (!other.is_number() && !alike && !(first.shape() == s)) first = to_.settled(first, s);
    std::string names[2];
    names[lead] = first.name;
    names[1 - lead] = other.is_number() ? to_.number(other.held->numbers[0])
                      : alike           ? other.name
                                        : beside(o, both[1 - lead], first, s);
    value r{first, s};
    r.view.name = emit(type, {names[0], names[1]}, {}, o.outputs[0]);
    set(o, std::move(r), activated);
  }
  std::string beside(operation const& o, value const& other, view const& first, extents const& s) {
    int const rank = first.stored.rank;
    bool const ordered = onnx::in_order(first.order, rank);
    if (!(first.shape() == s)) fail(o, "the shapes of its operands differ");
    if (other.view.held) {
      onnx::tensor const& t = *other.view.held;
      return to_.constant(ordered ? t
                                  : onnx::builder::transposed_numbers({t.name, onnx::widened(t.shape, rank), t.numbers},
                                                                      inverse_permutation(first.order, rank)));
    }
    view v = to_.settled(other.view, other.shape);
    if (!ordered || v.stored.size() == first.stored.size()) {
      extents const wide = onnx::widened(v.shape(), rank);
      if (v.stored.rank < rank) v = to_.reshaped_now(to_.transposed_now(v), wide);
      v.order = composed_permutation(v.order, inverse_permutation(first.order, rank), rank);
    }
    return to_.transposed_now(v).name;
  }
  extents broadcast(operation const& o, extents const& a, extents const& b) const {
    int const rank = a.rank > b.rank ? a.rank : b.rank;
    extents const x = onnx::widened(a, rank), y = onnx::widened(b, rank);
    extents r = x;
    for (int i = 0; i < rank; ++i) {
      if (x.at[i] != y.at[i] && x.at[i] != 1 && y.at[i] != 1) fail(o, "the shapes of its operands differ");
      if (r.at[i] == 1) r.at[i] = y.at[i];
    }
    return r;
  }

  // Operators along axes.

  void reshaped(operation const& o) {
    std::int64_t const t = input_of(o, 0);
    value v = unpadded(value_of(t), t);  // perhaps indices
    if (v.view.held) fail(o, "expected an operand that is no constant");
    if (!v.is_float && of(o.outputs[0]).type != of(t).type) fail(o, "expected a result of its operand's type");
    extents const s = extents_of(o.outputs[0]);
    if (s.size() != v.shape.size()) fail(o, "expected as many elements as its operand has");
    v.view = to_.reshaped(v.view, v.shape, s);
    v.shape = s;
    set(o.outputs[0], std::move(v));
  }
  int axis_of(operation const& o, std::int64_t axis, int rank) const {
    if (axis < -rank || axis >= rank) fail(o, "an axis is beyond those of its operand");
    return static_cast<int>(axis < 0 ? axis + rank : axis);
  }
  void transposed(operation const& o) {
    value v = carried(o, 0);
    if (v.view.held) fail(o, "expected an operand that is no constant");
    integers const order = list(o, 1);
    if (order.size() != static_cast<std::size_t>(v.shape.rank)) fail(o, "expected each axis once");
    std::uint64_t packed = 0;
    unsigned seen = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      int const axis = axis_of(o, order[i], v.shape.rank);
      seen |= 1u << axis;
      packed |= packed_axis(static_cast<int>(i), axis);
    }
    if (seen + 1 != 1u << v.shape.rank) fail(o, "expected each axis once");
    v.view = to_.permuted(v.view, v.shape, packed);
    v.shape = permuted_extents(v.shape, packed);
    set(o.outputs[0], std::move(v));
  }
  /// The value with all of its axes stored, perhaps in another order.
  view filled(value const& v) { return to_.settled(v.view, v.shape); }
  /// The axes in a mask as those of the stored extents, ascending; as in the exporter.
  static integers stored_axes(view const& v, unsigned mask) {
    integers axes;
    unsigned const behind = axes_behind(v.order, v.stored.rank, mask);
    for (int i = 0; i < v.stored.rank; ++i)
      if (behind >> i & 1u) axes.push_back(i);
    return axes;
  }
  void reduced(operation const& o, char const* type) {
    value v = variable(o, 0);
    unsigned mask = 0;
    for (std::int64_t const axis : list(o, 1)) mask |= 1u << axis_of(o, axis, v.shape.rank);
    v.view = filled(v);
    extents kept = v.shape, s{};
    for (int i = 0; i < v.shape.rank; ++i) {
      if (mask >> i & 1u) kept.at[i] = 1;
      else s.push(v.shape.at[i]);
    }
    integers const axes = stored_axes(v.view, mask);
    for (std::int64_t const axis : axes) v.view.stored.at[axis] = 1;
    if (std::string_view{type} == "ReduceSum")
      v.view.name = emit(type, {v.view.name, to_.list(axes)}, {onnx::with("keepdims", 1)}, o.outputs[0]);
    else v.view.name = emit(type, {v.view.name}, {onnx::with("axes", axes), onnx::with("keepdims", 1)}, o.outputs[0]);
    if (option(o, reducer_options, 0) != 0) s = kept;
    v.view = to_.reshaped(v.view, kept, s);
    v.shape = s;
    set(o.outputs[0], std::move(v));
  }
  void softmax(operation const& o, char const* type) {
    value v = variable(o, 0);
    if (v.shape.rank < 1) fail(o, "expected an axis");
    v.view = filled(v);
    integers const axes = stored_axes(v.view, 1u << (v.shape.rank - 1));
    v.view.name = emit(type, {v.view.name}, {onnx::with("axis", axes.at(0))}, o.outputs[0]);
    set(o.outputs[0], std::move(v));
  }
  void concatenated(operation const& o) {
    std::vector<view> views;
    extents s{};
    int axis = 0;
    bool alike = true;
    for (std::size_t i = 0; i < o.inputs.size(); ++i) {
      value const v = variable(o, i);
      if (i == 0) {
        s = v.shape;
        axis = axis_of(o, static_cast<std::int64_t>(option(o, concatenation_options, 0)), s.rank);
      } else {
        extents same = v.shape;
        if (same.rank == s.rank) same.at[axis] = s.at[axis];
        if (!(same == s)) fail(o, "the shapes of its operands differ");
        if (s.at[axis] > (1 << 30) - v.shape.at[axis]) fail(o, "its result is too large");
        s.at[axis] += v.shape.at[axis];
      }
      views.push_back(filled(v));
      alike = alike && views.back().order == views[0].order;
    }
    if (views.empty()) fail(o, "an operand is missing");
    std::vector<std::string> names;
    for (view& v : views) {
      if (!alike) v = to_.transposed_now(v);
      names.push_back(v.name);
    }
    value r{views[0], s};
    int const stored = axis_behind(views[0].order, axis);
    r.view.stored.at[stored] = s.at[axis];
    r.view.name = emit("Concat", names, {onnx::with("axis", stored)}, o.outputs[0]);
    set(o, std::move(r), option(o, concatenation_options, 1));
  }
  void sliced(operation const& o) {
    value v = variable(o, 0);
    integers const begin = list(o, 1), end = list(o, 2), step = list(o, 3);
    for (std::size_t i = 2; i < 5; ++i)
      if (option(o, strided_slice_options, i) != 0) fail(o, "slices that add or remove axes are not read");
    auto const rank = static_cast<std::size_t>(v.shape.rank);
    if (begin.size() != rank || end.size() != rank || step.size() != rank)
      fail(o, "expected a begin, an end and a step for each axis");
    auto const first_mask = static_cast<unsigned>(static_cast<std::int32_t>(option(o, strided_slice_options, 0))),
               last_mask = static_cast<unsigned>(static_cast<std::int32_t>(option(o, strided_slice_options, 1)));
    v.view = filled(v);
    integers starts, ends, axes, steps;
    for (int a = 0; a < v.shape.rank; ++a) {
      auto const i = static_cast<std::size_t>(a);
      std::int64_t const extent = v.shape.at[a];
      auto const place = [&](std::int64_t k) {
        return std::min(std::max<std::int64_t>(k < 0 ? k + extent : k, 0), extent);
      };
      std::int64_t const from = first_mask >> a & 1u ? 0 : place(begin[i]),
                         to = last_mask >> a & 1u ? extent : place(end[i]);
      if (step[i] < 1 || from >= to) fail(o, "slices backwards or without elements are not read");
      std::int64_t const count = (to - from - 1) / step[i] + 1;
      v.shape.at[a] = static_cast<int>(count);
      int const stored = axis_behind(v.view.order, a);
      v.view.stored.at[stored] = static_cast<int>(count);
      if (count == extent) continue;
      starts.push_back(from);
      ends.push_back(from + (count - 1) * step[i] + 1);
      axes.push_back(stored);
      steps.push_back(count == 1 ? 1 : step[i]);
    }
    if (!axes.empty())
      v.view.name = emit("Slice", {v.view.name, to_.list(starts), to_.list(ends), to_.list(axes), to_.list(steps)}, {},
                         o.outputs[0]);
    set(o.outputs[0], std::move(v));
  }
  void gathered(operation const& o) {
    value const table = operand(o, 0), index = value_of(input_of(o, 1));
    int const axis = axis_of(o, static_cast<std::int64_t>(option(o, gather_options, 0)), table.shape.rank);
    if (!table.view.held || table.view.is_number() || index.is_float || index.view.held ||
        option(o, gather_options, 1) != 0)
      fail(o, "expected a constant table and indices of int32");
    view const places = to_.whole(index.view, index.shape);
    value r;
    for (int i = 0; i < axis; ++i) r.shape.push(table.shape.at[i]);
    if (table.shape.rank - 1 + index.shape.rank > 6) fail(o, "its result has more than 6 axes");
    for (int i = 0; i < index.shape.rank; ++i) r.shape.push(index.shape.at[i]);
    for (int i = axis + 1; i < table.shape.rank; ++i) r.shape.push(table.shape.at[i]);
    r.view = onnx::builder::plain(
        emit("Gather", {to_.constant(*table.view.held), places.name}, {onnx::with("axis", axis)}, o.outputs[0]),
        r.shape, {});
    set(o.outputs[0], std::move(r));
  }
  void batch_matmul(operation const& o) {
    value both[2] = {variable(o, 0), variable(o, 1)};
    for (int k = 0; k < 2; ++k) {
      value& v = both[k];
      if (v.shape.rank < 2) fail(o, "expected operands with rows and columns");
      if (option(o, batch_matmul_options, static_cast<std::size_t>(k)) == 0) continue;
      std::uint64_t const packed = swap_permutation(v.shape.rank, v.shape.rank - 1, v.shape.rank - 2);
      v.view = to_.permuted(v.view, v.shape, packed);
      v.shape = permuted_extents(v.shape, packed);
    }
    extents const &a = both[0].shape, &b = both[1].shape;
    bool fits = a.rank == b.rank && a.at[a.rank - 1] == b.at[b.rank - 2];
    for (int i = 0; fits && i < a.rank - 2; ++i) fits = a.at[i] == b.at[i];
    if (!fits) fail(o, "the shapes of its operands differ");
    value r;
    r.shape = a;
    r.shape.at[a.rank - 1] = b.at[b.rank - 1];
    std::string const right = to_.whole(both[1].view, b).name, left = to_.whole(both[0].view, a).name;
    r.view = onnx::builder::plain(emit("MatMul", {left, right}, {}, o.outputs[0]), r.shape, {});
    set(o.outputs[0], std::move(r));
  }
  void padded(operation const& o) {
    std::int64_t const t = input_of(o, 0);
    value v = value_of(t);
    integers const edges = list(o, 1);
    bool zeros = v.shape.rank == 4 && edges.size() == 8 && v.is_float && !v.view.held;
    for (std::size_t i = 0; zeros && i < 8; ++i)
      zeros = edges[i] >= 0 && edges[i] < 1 << 20 && (edges[i] == 0 || (i >= 2 && i < 6));
    if (!zeros) fail(o, "expected padding around the rows and columns of images");
    bool const again = v.edges != std::array<std::int64_t, 4>{};
    bool of_zeros = true, of_lowest = false;
    if (o.code == op::padv2) {
      value const filler = operand(o, 2);
      if (!filler.view.is_number()) fail(o, "expected one number around images");
      double const x = filler.view.held->numbers[0];
      of_zeros = x == 0;
      of_lowest = is_quantized(t) ? stored<double>(input_of(o, 2)).at(0) == (of(t).type == element::int8 ? -128 : 0)
                                  : x < -3e38;
    }
    v.of_zeros = of_zeros && (!again || v.of_zeros);
    v.of_lowest = of_lowest && (!again || v.of_lowest);
    std::int64_t const to = o.outputs[0];
    if (of(to).type != of(t).type || of(to).by.scales != of(t).by.scales ||
        of(to).by.zero_points != of(t).by.zero_points)
      fail(o, "its result has another scale than its operand");
    v.edges = {v.edges[0] + edges[2], v.edges[1] + edges[4], v.edges[2] + edges[3], v.edges[3] + edges[5]};
    if (v.edges[0] + v.edges[1] + v.edges[2] + v.edges[3] > 1 << 20) fail(o, "its result is too large");
    extents wide = v.shape;  // of the images with the zeros
    wide.at[1] += static_cast<int>(edges[2] + edges[3]);
    wide.at[2] += static_cast<int>(edges[4] + edges[5]);
    if (!(extents_of(to) == wide)) fail(o, "its shape is not that of its operand with the zeros");
    v.shape = wide;
    auto& result = values_[static_cast<std::size_t>(to)];
    if (result) fail(to, "computed twice");
    result = std::move(v);
  }

  // Windows.

  struct windows {
    std::int64_t taps[2], stride[2], dilation[2], before[2], after[2];
    int counts[2];
  };
  /// image: with the zeros around it that are part of the value.
  windows windows_of(operation const& o, value const& v, extents const& image, double how, windows w) const {
    auto const which = static_cast<padding>(static_cast<std::int8_t>(how));
    for (int i = 0; i < 2; ++i) {
      if (w.taps[i] < 1 || w.stride[i] < 1 || w.dilation[i] < 1 ||
          std::max({w.taps[i], w.stride[i], w.dilation[i]}) > 1 << 20)
        fail(o, "expected windows, strides and dilations of at least 1");
      std::int64_t const size = image.at[1 + i], reach = w.dilation[i] * (w.taps[i] - 1) + 1;
      w.before[i] = v.edges[static_cast<std::size_t>(i)];
      w.after[i] = v.edges[static_cast<std::size_t>(2 + i)];
      std::int64_t count = (size + w.stride[i] - 1) / w.stride[i];
      if (which == padding::same) {
        std::int64_t const all = std::max<std::int64_t>((count - 1) * w.stride[i] + reach - size, 0);
        w.before[i] += all / 2;
        w.after[i] += all - all / 2;
      } else if (which == padding::valid) {
        count = size < reach ? 0 : (size - reach) / w.stride[i] + 1;
      } else {
        fail(o, "expected padding SAME or VALID");
      }
      if (count < 1) fail(o, "its windows are larger than its images");
      w.counts[i] = static_cast<int>(count);
    }
    return w;
  }
  static std::vector<onnx::attribute> attributes_of(windows const& w, bool signals, bool dilates) {
    int const first = signals ? 1 : 0;
    auto const list = [&](std::int64_t const(&x)[2]) { return integers(x + first, x + 2); };
    std::vector<onnx::attribute> r{onnx::with("kernel_shape", list(w.taps)), onnx::with("strides", list(w.stride))};
    if (dilates) r.push_back(onnx::with("dilations", list(w.dilation)));
    integers edges = list(w.before);
    for (std::int64_t const after : list(w.after)) edges.push_back(after);
    r.push_back(onnx::with("pads", std::move(edges)));
    return r;
  }
  /// The images without the zeros around them.
  static extents image_of(value const& v) {
    extents s = v.shape;
    s.at[1] -= static_cast<int>(v.edges[0] + v.edges[2]);
    s.at[2] -= static_cast<int>(v.edges[1] + v.edges[3]);
    return s;
  }
  /// Images with the channels second, or signals of one row, as the exporter places them.
  onnx::placed_images placed(view v, extents const& image, bool may_be_signals) {
    extents const s = v.shape();
    if (may_be_signals && image.at[1] == 1 && s.rank == 3 && s.at[0] == image.at[0] && s.at[1] == image.at[2] &&
        s.at[2] == image.at[3]) {
      v.order = composed_permutation(v.order, packed_permutation(0, 2, 1), 3);
      return {to_.transposed_now(v), true};
    }
    return {
        to_.whole(to_.permuted(v, image, onnx::to_channels_first), permuted_extents(image, onnx::to_channels_first)),
        false};
  }
  static view placed_result(std::string name, bool signals, int samples, int channels, int const (&counts)[2]) {
    view r = onnx::builder::plain(
        std::move(name),
        signals ? extents{3, {samples, channels, counts[1]}} : extents{4, {samples, channels, counts[0], counts[1]}},
        {});
    r.order = signals ? packed_permutation(0, 2, 1) : onnx::to_channels_last;
    return r;
  }
  void pooled(operation const& o, char const* type) {
    value v = value_of(input_of(o, 0));
    bool const largest = std::string_view{type} == "MaxPool", adds_edges = v.edges != std::array<std::int64_t, 4>{};
    if (!v.is_float || v.view.held || v.shape.rank != 4) fail(o, "expected images of 4 axes");
    if (adds_edges && !(largest ? v.of_lowest : v.of_zeros))
      fail(o, "expected padding with zeros in front of an average, with the lowest number in front of a maximum");
    auto const at = [&](std::size_t i) { return static_cast<std::int64_t>(option(o, pool_options, i)); };
    double const how = option(o, pool_options, 0);
    windows const w = windows_of(o, v, v.shape, how, {{at(4), at(3)}, {at(2), at(1)}, {1, 1}, {}, {}, {}});
    // Of its own padding an average counts none.
    if (adds_edges && how != static_cast<double>(padding::valid)) fail(o, "expected padding VALID behind PAD");
    v = written(std::move(v));
    onnx::placed_images const x = placed(v.view, image_of(v), false);
    std::vector<onnx::attribute> attributes = attributes_of(w, false, false);
    if (!largest && adds_edges) attributes.push_back(onnx::with("count_include_pad", 1));
    view const y = placed_result(emit(type, {x.images.name}, std::move(attributes), o.outputs[0]), false, v.shape.at[0],
                                 v.shape.at[3], w.counts);
    set(o, {y, extents{4, {v.shape.at[0], w.counts[0], w.counts[1], v.shape.at[3]}}}, option(o, pool_options, 5));
  }

  // Products.

  /// The weights behind DequantizeLinear, and their extents as the file has them or without axes of 1.
  std::string weights(operation const& o, integers extents, int outputs_axis) {
    std::int64_t const t = input_of(o, 1);
    std::string const name = of(t).name.empty() ? "weights" : of(t).name;
    quantization const& q = of(t).by;
    if (of(t).type == element::float32)
      return initializer(name, onnx::element::float32, std::move(extents), stored<double>(t), {});
    if (!is_quantized(t))
      throw_error<format_error>("%s: %s: expected weights of int8 or uint8, got TensorFlow Lite's type %d", path_,
                                quoted(t).c_str(), static_cast<int>(of(t).type));
    std::size_t const outputs = static_cast<std::size_t>(extents[static_cast<std::size_t>(outputs_axis)]);
    // Of matrices and convolutions the first axis, for each channel the last.
    int const axis_in_file = outputs_axis == 0 ? 0 : static_cast<int>(of(t).extents.size()) - 1;
    bool const by_output = q.scales.size() == outputs && (outputs == 1 || q.axis == axis_in_file);
    if (q.scales.size() != 1 && !by_output)
      throw_error<format_error>("%s: %s: expected one scale, or one for each of the %d outputs, got %d along axis %d",
                                path_, quoted(t).c_str(), static_cast<int>(outputs), static_cast<int>(q.scales.size()),
                                q.axis);
    if (q.zero_points.size() > 1 && q.zero_points.size() != q.scales.size())
      throw_error<format_error>("%s: %s has %d scales and %d zero points", path_, quoted(t).c_str(),
                                static_cast<int>(q.scales.size()), static_cast<int>(q.zero_points.size()));
    auto const count = static_cast<std::int64_t>(q.scales.size());
    integers zeros = q.zero_points.empty() ? integers(q.scales.size(), 0) : q.zero_points;
    zeros.resize(q.scales.size(), zeros.front());
    integers const some = count == 1 ? integers{} : integers{count};
    std::string const whole = initializer(name, element_of(t), std::move(extents), {}, stored<std::int64_t>(t));
    std::string const scales = initializer("scales_of_weights", onnx::element::float32, some,
                                           std::vector<double>(q.scales.begin(), q.scales.end()), {}),
                      zero_points = initializer("zero_points_of_weights", element_of(t), some, {}, zeros);
    std::string const result = to_.unused(name + "_dequantized");
    to_.file.operations.push_back(
        {"DequantizeLinear", {whole, scales, zero_points}, result, {onnx::with("axis", outputs_axis)}});
    return result;
  }
  /// The bias of each output in float: a file has integers in units of both scales.
  std::vector<double> bias_of(operation const& o, std::size_t outputs) {
    if (!has_input(o, 2)) return std::vector<double>(outputs);
    std::int64_t const t = o.inputs[2], x = input_of(o, 0), w = input_of(o, 1);
    if (!is_constant(t) || static_cast<std::size_t>(extents_of(t).size()) != outputs)
      fail(o, "expected a constant bias with a number for each output");
    std::vector<double> numbers = stored<double>(t);
    if (of(t).type == element::float32) return numbers;
    if (of(t).type != element::int32 || !is_quantized(x) || of(x).by.scales.size() != 1 || of(w).by.scales.empty())
      fail(o, "expected a bias of float, or of int32 with quantized activations and weights");
    quantization const& q = of(w).by;
    auto const of_activations = static_cast<double>(of(x).by.scales[0]);
    for (std::size_t i = 0; i < outputs; ++i) {
      double const both = of_activations * static_cast<double>(q.scales[q.scales.size() == 1 ? 0 : i]);
      if (!of(t).by.scales.empty()) {
        auto const stated = static_cast<double>(of(t).by.scales[of(t).by.scales.size() == outputs ? i : 0]);
        if (!(std::fabs(stated - both) <= 0.01 * both))
          throw_error<format_error>("%s: %s: expected a bias in units of both scales, %g, got %g", path_,
                                    quoted(t).c_str(), both, stated);
      }
      numbers[i] *= both;
    }
    return numbers;
  }
  std::string bias_initializer(std::int64_t t, std::vector<double> numbers) {
    auto const count = static_cast<std::int64_t>(numbers.size());
    for (double& x : numbers) x = static_cast<double>(static_cast<float>(x));
    return initializer(of(t).name + "_bias", onnx::element::float32, {count}, std::move(numbers), {});
  }

  void fully_connected(operation const& o) {
    value const v = carried(o, 0);
    if (v.view.held) fail(o, "expected an operand that is no constant");
    std::int64_t const w = input_of(o, 1);
    if (!is_constant(w) || of(w).extents.size() != 2) fail(o, "expected constant weights of 2 axes");
    if (option(o, fully_connected_options, 1) != 0) fail(o, "expected weights in the usual order");
    extents const k = extents_of(w);
    bool const keeps = option(o, fully_connected_options, 2) != 0;
    if (v.shape.size() % k.at[1] != 0 || (keeps && (v.shape.rank < 1 || v.shape.at[v.shape.rank - 1] != k.at[1])))
      fail(o, "the shapes of its operands do not fit");
    extents s{2, {static_cast<int>(v.shape.size() / k.at[1]), k.at[0]}};
    if (keeps) {
      s = v.shape;
      s.at[s.rank - 1] = k.at[0];
    }
    std::vector<double> bias = bias_of(o, static_cast<std::size_t>(k.at[0]));
    value const y = product(o, v, {k.at[0], k.at[1]}, std::move(bias));
    view const r = to_.reshaped(y.view, y.shape, s);
    set(o, {r, s}, option(o, fully_connected_options, 0));
  }
  /// Rows times a matrix of weights (outputs, depth); as the exporter: if the rows are pixels of images whose channels
  /// are stored second, a convolution.
  value product(operation const& o, value const& x, integers const& matrix, std::vector<double> bias) {
    int const outputs = static_cast<int>(matrix[0]), depth = static_cast<int>(matrix[1]);
    extents const rows{2, {static_cast<int>(x.shape.size() / depth), depth}};
    view v = to_.reshaped(x.view, x.shape, rows);
    bool const signals = v.stored.rank == 3 && v.order == packed_permutation(0, 2, 1);
    if ((signals || (v.stored.rank == 4 && v.order == onnx::to_channels_last)) && v.stored.at[1] == depth) {
      integers kernels{outputs, depth, 1, 1};
      if (signals) kernels.pop_back();
      std::string const w = weights(o, kernels, 0), b = bias_initializer(o.outputs[0], std::move(bias));
      extents const image = v.shape();
      view const y =
          placed_result(emit("Conv", {rounded(x, v.name), w, b},
                             {onnx::with("kernel_shape", integers(kernels.size() - 2, 1))}, o.outputs[0]),
                        signals, v.stored.at[0], outputs, {signals ? 1 : image.at[1], image.at[signals ? 1 : 2]});
      return {y, y.shape()};
    }
    std::string const w = to_.emit("Transpose", {weights(o, matrix, 0)}, {onnx::with("perm", integers{1, 0})});
    extents const before = v.shape();
    bool const stacked = v.stored.size() == rows.size() && before.rank > 2 && before.at[before.rank - 1] == depth;
    v = stacked ? to_.transposed_now(v) : to_.whole(v, rows);
    extents s = stacked ? before : rows;
    s.at[s.rank - 1] = outputs;
    std::string const y = emit("MatMul", {rounded(x, v.name), w}, {}, o.outputs[0]);
    std::string const b = bias_initializer(o.outputs[0], std::move(bias));
    return {onnx::builder::plain(emit("Add", {y, b}, {}, o.outputs[0]), s, {}), s};
  }

  void convolution(operation const& o, bool by_channel) {
    std::int64_t const t = input_of(o, 0), kernels = input_of(o, 1);
    value const v = value_of(t);
    if (!v.is_float || v.view.held || v.shape.rank != 4) fail(o, "expected images of 4 axes");
    if (!is_constant(kernels) || of(kernels).extents.size() != 4) fail(o, "expected constant kernels of 4 axes");
    if (v.edges != std::array<std::int64_t, 4>{} && !v.of_zeros) fail(o, "expected padding with zeros");
    extents const k = extents_of(kernels), image = image_of(v);
    options_layout const& layout = by_channel ? depthwise_options : conv_2d_options;
    auto const at = [&](std::size_t i) { return static_cast<std::int64_t>(option(o, layout, i)); };
    std::size_t const dilation = by_channel ? 5 : 4;
    windows const w = windows_of(o, v, v.shape, option(o, layout, 0),
                                 {{k.at[1], k.at[2]}, {at(2), at(1)}, {at(dilation + 1), at(dilation)}, {}, {}, {}});
    int const channels = image.at[3], outputs = by_channel ? k.at[3] : k.at[0];
    if (by_channel ? k.at[0] != 1 || outputs % channels != 0 : channels % k.at[3] != 0)
      fail(o, "the channels of its kernels and images do not fit");
    int const groups = by_channel ? channels : channels / k.at[3];
    if (outputs % groups != 0) fail(o, "the channels of its kernels and images do not fit");
    std::vector<double> bias = bias_of(o, static_cast<std::size_t>(outputs));
    double const activated = option(o, layout, by_channel ? 4 : 3);
    extents const s{4, {image.at[0], w.counts[0], w.counts[1], outputs}};
    bool const pixels = !by_channel && groups == 1 && k.at[1] == 1 && k.at[2] == 1 && w.stride[0] == 1 &&
                        w.stride[1] == 1 && w.before[0] + w.before[1] + w.after[0] + w.after[1] == 0;
    if (pixels) {
      value const y = product(o, v, {outputs, channels}, std::move(bias));
      return set(o, {to_.reshaped(y.view, y.shape, s), s}, activated);
    }
    bool const one_row = w.taps[0] == 1 && w.before[0] + w.after[0] == 0 && w.counts[0] == 1;
    onnx::placed_images const x = placed(v.view, image, one_row);
    integers order = by_channel ? integers{3, 0, 1, 2} : integers{0, 3, 1, 2};
    integers extents_of_kernels = of(kernels).extents;
    int outputs_axis = by_channel ? 3 : 0;
    if (x.signals) {  // without the axis of one row
      extents_of_kernels.erase(extents_of_kernels.begin() + 1);
      order = by_channel ? integers{2, 0, 1} : integers{0, 2, 1};
      if (by_channel) outputs_axis = 2;
    }
    std::string const in_order = weights(o, std::move(extents_of_kernels), outputs_axis),
                      placed_kernels = to_.emit("Transpose", {in_order}, {onnx::with("perm", std::move(order))}),
                      b = bias_initializer(o.outputs[0], std::move(bias));
    std::vector<onnx::attribute> how = attributes_of(w, x.signals, true);
    if (groups != 1) how.push_back(onnx::with("group", groups));
    view const y =
        placed_result(emit("Conv", {rounded(v, x.images.name), placed_kernels, b}, std::move(how), o.outputs[0]),
                      x.signals, image.at[0], outputs, w.counts);
    set(o, {y, s}, activated);
  }

  model_file const& f_;
  char const* path_;
  onnx::builder to_;
  std::vector<std::optional<value>> values_;
  std::map<std::int64_t, std::pair<std::string, std::string>> scales_{};  ///< names of a tensor's scale and zero point
  std::size_t budget_ = 1 << 16;
};

}  // namespace espalier::io::tflite
#include "../base/diagnostics_pop.hpp"
