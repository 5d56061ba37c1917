// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "../model/quantized_weights.hpp"
#include "array.hpp"
#include "onnx_file.hpp"
#include "tflite_file.hpp"

/// Makes a TensorFlow Lite model of a quantized net in ONNX. Images have their channels last, activations are int8, and
/// products return int8; what the net computes in float is float.
namespace espalier::io::tflite {

/// What a product adds to its sums, and the range of its results.
struct product_results {
  bool has_bias, has_relu;
  float low, high;
};

/// Operations that become one operator on floats, with as many operands.
struct direct_row {
  char const* type;
  op code;
  options_layout const* options;
};
inline constexpr direct_row direct_table[] = {
    {"Abs", op::abs, nullptr},
    {"Add", op::add, &add_options},
    {"Cos", op::cos, nullptr},
    {"Div", op::div, &div_options},
    {"Equal", op::equal, nullptr},
    {"Exp", op::exp, nullptr},
    {"Floor", op::floor, nullptr},
    {"Greater", op::greater, nullptr},
    {"GreaterOrEqual", op::greater_equal, nullptr},
    {"Less", op::less, nullptr},
    {"LessOrEqual", op::less_equal, nullptr},
    {"Log", op::log, nullptr},
    {"Max", op::maximum, nullptr},
    {"Min", op::minimum, nullptr},
    {"Mul", op::mul, &mul_options},
    {"Neg", op::neg, nullptr},
    {"Not", op::logical_not, nullptr},
    {"Pow", op::pow, nullptr},
    {"Relu", op::relu, nullptr},
    {"Sigmoid", op::logistic, nullptr},
    {"Sin", op::sin, nullptr},
    {"Sqrt", op::sqrt, nullptr},
    {"Sub", op::sub, &sub_options},
    {"Tanh", op::tanh, nullptr},
    {"Where", op::select_v2, nullptr},
};
constexpr bool is_truth(op code) {
  return code == op::equal || code == op::greater || code == op::greater_equal || code == op::less ||
         code == op::less_equal || code == op::logical_not;
}

class translator {
 public:
  translator(onnx::model_file const& from, std::vector<product_results> products, bool writes_fully_connected,
             char const* path)
      : from_{from}, products_{std::move(products)}, writes_fully_connected_{writes_fully_connected}, path_{path} {}

  [[nodiscard]] model_file run() {
    to_.name = from_.name;
    to_.description = from_.description;
    for (onnx::initializer const& i : from_.initializers) constants_[i.name] = &i;
    for (std::size_t i = 0; i < from_.operations.size(); ++i)
      for (std::string const& input : from_.operations[i].inputs) readers_[input].push_back(i);
    for (onnx::value_info const& o : from_.outputs) results_.insert(o.name);
    for (onnx::value_info const& i : from_.inputs) {
      int const t = add(i.name, i.type == onnx::element::int32 ? element::int32 : element::float32, i.extents);
      to_.inputs.push_back(t);
      values_[i.name] = {t, in_order(i.extents.size())};
    }
    for (onnx::operation const& o : from_.operations)
      if (!values_.contains(o.result)) translate(o);
    for (onnx::value_info const& o : from_.outputs) to_.outputs.push_back(output(o.name));
    return std::move(to_);
  }

 private:
  /// A value of the net: axis i is axis order[i] of the tensor.
  struct value {
    int tensor;
    integers order;
  };

  // Tensors.

  static integers in_order(std::size_t rank) {
    integers r;
    for (std::size_t i = 0; i < rank; ++i) r.push_back(static_cast<std::int64_t>(i));
    return r;
  }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  static std::int64_t count_of(integers const& extents) {
    std::int64_t r = 1;
    for (std::int64_t const e : extents) r *= e;
    return r;
  }
  tensor const& of(int t) const { return to_.tensors[at(t)]; }
  integers const& extents_of(int t) const { return of(t).extents; }
  integers shape_of(value const& v) const {
    integers r;
    for (std::int64_t const axis : v.order) r.push_back(extents_of(v.tensor)[at(axis)]);
    return r;
  }
  int add(std::string name, element type, integers extents, quantization by = {}) {
    to_.tensors.push_back({std::move(name), type, std::move(extents), 0, std::move(by)});
    return static_cast<int>(to_.tensors.size() - 1);
  }
  template <class T, class Numbers>
  int constant(std::string name, element type, integers extents, Numbers const& numbers, quantization by = {}) {
    std::string bytes;
    bytes.reserve(numbers.size() * sizeof(T));
    for (auto const each : numbers) {
      T const x = flatbuffers::EndianScalar(static_cast<T>(each));
      char raw[sizeof(T)];
      std::memcpy(raw, &x, sizeof x);
      bytes.append(raw, sizeof raw);
    }
    int const t = add(std::move(name), type, std::move(extents), std::move(by));
    to_.tensors.back().buffer = to_.buffers.size();
    to_.buffers.push_back(std::move(bytes));
    return t;
  }
  int list(integers const& numbers, integers extents) {
    int& existing = lists_[{numbers, extents}];
    if (existing == 0) {
      for (std::int64_t const x : numbers)
        if (x < -2147483648 || x > 2147483647) throw_error<error>("%s: an index exceeds 32 bits", path_);
      std::string const name = "integers_" + std::to_string(lists_.size());
      existing = 1 + constant<std::int32_t>(name, element::int32, std::move(extents), numbers);
    }
    return existing - 1;
  }
  int list(integers const& numbers) { return list(numbers, {static_cast<std::int64_t>(numbers.size())}); }
  int number(float x) {
    int& existing = numbers_[std::bit_cast<std::uint32_t>(x)];
    if (existing == 0)
      existing =
          1 + constant<float>("number_" + std::to_string(numbers_.size()), element::float32, {}, std::vector<float>{x});
    return existing - 1;
  }
  int emit(op code, integers inputs, int output, options_layout const* options = nullptr,
           std::vector<double> fields = {}, std::int32_t version = 1) {
    if (options != nullptr) fields.resize(std::string_view{options->fields}.size());
    to_.operations.push_back(
        {code, std::move(inputs), {output}, options == nullptr ? 0 : options->type, std::move(fields), version});
    return output;
  }
  static integers inputs(std::initializer_list<int> all) { return integers(all.begin(), all.end()); }
  bool is_quantized(int t) const { return of(t).type == element::int8; }
  /// The same numbers in float.
  int in_float(int t) {
    if (!is_quantized(t)) return t;
    int& existing = in_float_[t];
    if (existing == 0)
      existing = 1 + emit(op::dequantize, inputs({t}), add(of(t).name + "_float", element::float32, extents_of(t)),
                          nullptr, {}, 2);
    return existing - 1;
  }
  value in_float(value const& v) { return {in_float(v.tensor), v.order}; }
  /// The tensor with the axes of the value in another order.
  int arranged(value const& v, integers const& order) {
    if (v.order == order) return v.tensor;
    integers from(order.size()), extents(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) from[at(order[i])] = v.order[i];
    for (std::size_t i = 0; i < order.size(); ++i) extents[i] = extents_of(v.tensor)[at(from[i])];
    std::int64_t last = -1;
    bool moves = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (extents[i] == 1) continue;
      moves = moves || from[i] < last;
      last = from[i];
    }
    if (!moves) return reshaped(v.tensor, extents);
    int& existing = arranged_[{v.tensor, from}];
    if (existing == 0)
      existing = 1 + emit(op::transpose, inputs({v.tensor, list(from)}),
                          add(of(v.tensor).name + "_transposed_" + std::to_string(arranged_.size()), of(v.tensor).type,
                              extents, of(v.tensor).by),
                          nullptr, {}, is_quantized(v.tensor) ? 2 : 1);
    return existing - 1;
  }
  int arranged(value const& v) { return arranged(v, in_order(v.order.size())); }
  int reshaped(int t, integers const& extents) {
    if (extents_of(t) == extents) return t;
    int& existing = reshaped_[{t, extents}];
    if (existing == 0)
      existing =
          1 + emit(op::reshape, inputs({t, list(extents)}),
                   add(of(t).name + "_reshaped_" + std::to_string(reshaped_.size()), of(t).type, extents, of(t).by));
    return existing - 1;
  }

  // Values.

  onnx::initializer const* constant_named(std::string const& name) const {
    auto const found = constants_.find(name);
    return found == constants_.end() ? nullptr : found->second;
  }
  /// A constant in float with its axes in an order.
  int constant_tensor(onnx::initializer const& c, integers const& order) {
    if (c.extents.empty() && c.numbers.size() == 1) return number(static_cast<float>(c.numbers[0]));
    int& existing = constant_tensors_[{c.name, order}];
    if (existing == 0) {
      bool const whole = c.numbers.empty() && !c.whole.empty();
      integers extents(order.size(), 1), wide(order.size(), 1);
      std::copy(c.extents.begin(), c.extents.end(),
                wide.begin() + static_cast<std::ptrdiff_t>(order.size() - c.extents.size()));
      for (std::size_t i = 0; i < order.size(); ++i) extents[at(order[i])] = wide[i];
      std::string const name = order == in_order(order.size()) ? c.name : c.name + "_arranged";
      existing = 1 + (whole ? list(permuted(c.whole, wide, order), extents)
                            : constant<float>(name, element::float32, extents, permuted(c.numbers, wide, order)));
    }
    return existing - 1;
  }
  /// The elements of a constant whose axis i becomes axis order[i].
  template <class T>
  static std::vector<T> permuted(std::vector<T> const& x, integers const& extents, integers const& order) {
    std::size_t const rank = extents.size();
    integers step(rank, 1), to_extents(rank), to_step(rank, 1);
    for (std::size_t i = 0; i < rank; ++i) to_extents[at(order[i])] = extents[i];
    for (std::size_t i = rank; i-- > 1;) to_step[i - 1] = to_step[i] * to_extents[i];
    for (std::size_t i = 0; i < rank; ++i) step[i] = to_step[at(order[i])];
    std::vector<T> r(x.size());
    integers index(rank);
    std::int64_t to = 0;
    for (T const& each : x) {
      r[at(to)] = each;
      for (std::size_t k = rank; k-- > 0;) {
        to += step[k];
        if (++index[k] < extents[k]) break;
        to -= step[k] * index[k];
        index[k] = 0;
      }
    }
    return r;
  }
  value value_of(std::string const& name) {
    if (auto const found = values_.find(name); found != values_.end()) return found->second;
    onnx::initializer const* const c = constant_named(name);
    if (c == nullptr) throw_error<error>("%s: nothing computes the value %s", path_, in_quotes(name).c_str());
    integers const order = in_order(c->extents.size());
    return {constant_tensor(*c, order), order};
  }
  integers const& whole_of(std::string const& name) const {
    onnx::initializer const* const c = constant_named(name);
    if (c == nullptr) throw_error<error>("%s: expected constant integers %s", path_, in_quotes(name).c_str());
    return c->whole;
  }
  float number_of(std::string const& name) const { return static_cast<float>(constants_.at(name)->numbers.at(0)); }
  [[noreturn]] void throw_unsupported(onnx::operation const& o, char const* reason) const {
    throw_error<error>("%s: %s cannot be written for TensorFlow Lite%s%s", path_, o.type.c_str(),
                       *reason == 0 ? "" : ": ", reason);
  }
  static onnx::attribute const* attribute_of(onnx::operation const& o, char const* name) {
    for (onnx::attribute const& a : o.attributes)
      if (a.name == name) return &a;
    return nullptr;
  }
  static integers list_of(onnx::operation const& o, char const* name, integers missing) {
    onnx::attribute const* const a = attribute_of(o, name);
    return a == nullptr ? missing : a->values;
  }
  static std::int64_t integer_of(onnx::operation const& o, char const* name, std::int64_t missing) {
    onnx::attribute const* const a = attribute_of(o, name);
    return a == nullptr ? missing : static_cast<std::int64_t>(a->value);
  }
  /// The output of the file with that name.
  int output(std::string const& name) {
    int t = in_float(arranged(value_of(name)));
    bool const taken = std::count(to_.inputs.begin(), to_.inputs.end(), t) != 0 || of(t).buffer != 0 ||
                       std::count(to_.outputs.begin(), to_.outputs.end(), t) != 0;
    if (taken) t = emit(op::reshape, inputs({t, list(extents_of(t))}), add(name, of(t).type, extents_of(t)));
    for (tensor& each : to_.tensors)
      if (each.name == name) each.name += "_int8";  // a product's result that has no other name in ONNX
    to_.tensors[at(t)].name = name;
    return t;
  }

  // Operations.

  void translate(onnx::operation const& o) {
    if (o.type == "QuantizeLinear") return set(o, quantized(o));
    if (o.type == "DequantizeLinear") {
      if (constant_named(o.inputs[0]) == nullptr) set(o, value_of(o.inputs[0]));
      return;  // weights are read by their product
    }
    if (o.type == "MatMul" || o.type == "Conv") return product(o);
    if (o.type == "Identity") return set(o, value_of(o.inputs[0]));
    if (o.type == "Transpose") return set(o, transposed(o));
    if (o.type == "Reshape") return set(o, reshaped(value_of(o.inputs[0]), whole_of(o.inputs[1])));
    if (o.type == "MaxPool" || o.type == "AveragePool") return set(o, pooled(o));
    if (o.type == "Softmax" || o.type == "LogSoftmax") return set(o, softmax(o));
    if (o.type == "Concat") return set(o, concatenated(o));
    if (o.type == "Slice") return set(o, sliced(o));
    if (o.type == "Pad") return set(o, padded(o));
    if (o.type == "Gather") return set(o, gathered(o));
    if (o.type == "Expand") return set(o, expanded(o));
    if (o.type == "Cast") return set(o, converted(o));
    if (o.type == "Clip") return set(o, clipped(o));
    if (o.type == "Softplus") return set(o, softplus(o));
    if (o.type == "ReduceMean") return set(o, reduced(o, op::mean));
    if (o.type == "ReduceSum") return set(o, reduced(o, op::sum));
    if (o.type == "ReduceMax") return set(o, reduced(o, op::reduce_max));
    if (o.type == "ReduceMin") return set(o, reduced(o, op::reduce_min));
    if (o.type == "LeakyRelu") return set(o, unary(o, op::leaky_relu, &leaky_relu_options, {alpha_of(o)}));
    if (o.type == "Elu") {
      if (alpha_of(o) != 1) throw_unsupported(o, "its factor is not 1");
      return set(o, unary(o, op::elu));
    }
    for (direct_row const& row : direct_table)
      if (o.type == row.type) return set(o, elementwise(o, row.code, row.options));
    throw_unsupported(o, "");
  }
  void set(onnx::operation const& o, value v) { values_[o.result] = std::move(v); }
  value in_its_order(int t) const { return {t, in_order(extents_of(t).size())}; }
  static double alpha_of(onnx::operation const& o) {
    onnx::attribute const* const a = attribute_of(o, "alpha");
    return a == nullptr ? (o.type == "LeakyRelu" ? 0.01 : 1) : a->value;
  }

  value quantized(onnx::operation const& o) {
    value const v = value_of(o.inputs[0]);
    return {quantized(v.tensor, number_of(o.inputs[1]), whole_of(o.inputs[2]).at(0)), v.order};
  }
  static quantization scale_of(float scale, std::int64_t zero_point) { return {{scale}, {zero_point - 128}, 0}; }
  /// zero_point: 0 to 255
  int quantized(int t, float scale, std::int64_t zero_point) {
    quantization const by = scale_of(scale, zero_point);
    if (is_quantized(t) && of(t).by.scales == by.scales && of(t).by.zero_points == by.zero_points) return t;
    int& existing = quantized_[{t, scale, zero_point}];
    if (existing == 0)
      existing =
          1 + emit(op::quantize, inputs({t}),
                   add(of(t).name + "_int8_" + std::to_string(quantized_.size()), element::int8, extents_of(t), by),
                   nullptr, {}, is_quantized(t) ? 2 : 1);
    return existing - 1;
  }
  value transposed(onnx::operation const& o) {
    value const v = value_of(o.inputs[0]);
    value r{v.tensor, {}};
    for (std::int64_t const axis : list_of(o, "perm", {})) r.order.push_back(v.order[at(axis)]);
    return r;
  }

  /// A value in another shape; the tensor stays if only axes of 1 change their places.
  value reshaped(value const& v, integers const& to) {
    integers const from = shape_of(v);
    value r{v.tensor, integers(to.size(), -1)};
    std::size_t next = 0, next_of_one = 0;
    bool same = from.size() == to.size();
    for (std::size_t i = 0; same && i < to.size(); ++i) {
      std::size_t& k = to[i] == 1 ? next_of_one : next;
      while (k < from.size() && (from[k] == 1) != (to[i] == 1)) ++k;
      same = k < from.size() && from[k] == to[i];
      if (same) r.order[i] = v.order[k++];
    }
    return same ? r : in_its_order(reshaped(arranged(v), to));
  }

  // Elementwise operations.

  static integers broadcast(std::vector<integers> const& shapes) {
    integers r;
    for (integers const& s : shapes) {
      if (s.size() > r.size()) r.insert(r.begin(), s.size() - r.size(), 1);
      for (std::size_t i = 0; i < s.size(); ++i)
        if (std::int64_t& to = r[r.size() - s.size() + i]; to == 1) to = s[i];
    }
    return r;
  }
  value elementwise(onnx::operation const& o, op code, options_layout const* options) {
    std::vector<integers> shapes;
    std::vector<std::optional<value>> operands;  // none: a constant
    for (std::string const& input : o.inputs) {
      onnx::initializer const* const c = values_.contains(input) ? nullptr : constant_named(input);
      operands.push_back(c == nullptr ? std::optional{in_float(value_of(input))} : std::nullopt);
      shapes.push_back(c == nullptr ? shape_of(*operands.back()) : c->extents);
    }
    integers const shape = broadcast(shapes);
    // The order of the first operand of that shape, if it is that of all.
    integers order = in_order(shape.size());
    for (std::size_t i = operands.size(); i-- > 0;)
      if (operands[i] && shapes[i] == shape) order = operands[i]->order;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i] && operands[i]->order != order && count_of(shapes[i]) != 1) order = in_order(shape.size());
    bool const ordered = order == in_order(shape.size());
    integers of_op, stored(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) stored[at(order[i])] = shape[i];
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i])
        of_op.push_back(constant_tensor(*constant_named(o.inputs[i]), ordered ? in_order(shapes[i].size()) : order));
      else of_op.push_back(ordered || count_of(shapes[i]) == 1 ? arranged(*operands[i]) : operands[i]->tensor);
    }
    int const t = add(o.result, is_truth(code) ? element::boolean : element::float32, stored);
    return {emit(code, std::move(of_op), t, options), order};
  }
  value unary(onnx::operation const& o, op code, options_layout const* options = nullptr,
              std::vector<double> fields = {}) {
    value const v = in_float(value_of(o.inputs[0]));
    int const t = add(o.result, element::float32, extents_of(v.tensor));
    return {emit(code, inputs({v.tensor}), t, options, std::move(fields)), v.order};
  }
  value clipped(onnx::operation const& o) {
    float const low = number_of(o.inputs[1]), high = number_of(o.inputs[2]);
    if (low == 0 && high == 6) return unary(o, op::relu6);
    if (low == -1 && high == 1) return unary(o, op::relu_n1_to_1);
    value const v = in_float(value_of(o.inputs[0]));
    int const raised = emit(op::maximum, inputs({v.tensor, number(low)}),
                            add(o.result + "_raised", element::float32, extents_of(v.tensor)));
    return {emit(op::minimum, inputs({raised, number(high)}), add(o.result, element::float32, extents_of(v.tensor))),
            v.order};
  }
  /// max(x, 0) + log(1 + exp(-|x|))
  value softplus(onnx::operation const& o) {
    value const v = in_float(value_of(o.inputs[0]));
    int step = 0;
    auto const next = [&](op code, integers of_op, options_layout const* options = nullptr) {
      return emit(code, std::move(of_op),
                  add(o.result + '_' + std::to_string(++step), element::float32, extents_of(v.tensor)), options);
    };
    int const e = next(op::exp, inputs({next(op::neg, inputs({next(op::abs, inputs({v.tensor}))}))}));
    int const log = next(op::log, inputs({next(op::add, inputs({e, number(1)}), &add_options)}));
    int const positive = next(op::relu, inputs({v.tensor}));
    return {emit(op::add, inputs({positive, log}), add(o.result, element::float32, extents_of(v.tensor)), &add_options),
            v.order};
  }
  value converted(onnx::operation const& o) {
    value const v = in_float(value_of(o.inputs[0]));
    auto const to = static_cast<onnx::element>(integer_of(o, "to", 1));
    element const type = to == onnx::element::boolean ? element::boolean : element::float32;
    if (of(v.tensor).type == type) return v;
    int const t = add(o.result, type, extents_of(v.tensor));
    return {emit(op::cast, inputs({v.tensor}), t, &cast_options,
                 {static_cast<double>(of(v.tensor).type), static_cast<double>(type)}),
            v.order};
  }

  // Operations along axes.

  static std::int64_t axis_of(std::int64_t axis, std::size_t rank) {
    return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  }
  value reduced(onnx::operation const& o, op code) {
    value const v = in_float(value_of(o.inputs[0]));
    integers axes = o.inputs.size() > 1 ? whole_of(o.inputs[1]) : list_of(o, "axes", {});
    integers extents = extents_of(v.tensor);
    for (std::int64_t& axis : axes) {
      axis = v.order[at(axis_of(axis, v.order.size()))];
      extents[at(axis)] = 1;
    }
    int const t = add(o.result, element::float32, extents);
    return {emit(code, inputs({v.tensor, list(axes)}), t, &reducer_options, {1}), v.order};
  }
  value softmax(onnx::operation const& o) {
    value const v = in_float(value_of(o.inputs[0]));
    std::size_t const rank = v.order.size();
    std::int64_t const axis = axis_of(integer_of(o, "axis", -1), rank);
    // TensorFlow Lite's is along the last axis.
    integers order = v.order;
    if (order[at(axis)] != static_cast<std::int64_t>(rank) - 1) {
      std::int64_t next = 0;
      for (std::size_t i = 0; i < rank; ++i)
        order[i] = static_cast<std::int64_t>(i) == axis ? static_cast<std::int64_t>(rank) - 1 : next++;
    }
    int const x = arranged(v, order), t = add(o.result, element::float32, extents_of(x));
    if (o.type == "LogSoftmax") return {emit(op::log_softmax, inputs({x}), t), order};
    return {emit(op::softmax, inputs({x}), t, &softmax_options, {1}), order};
  }
  value concatenated(onnx::operation const& o) {
    std::vector<value> all;
    for (std::string const& input : o.inputs) all.push_back(in_float(value_of(input)));
    bool alike = true;
    for (value const& v : all) alike = alike && v.order == all[0].order;
    integers const order = alike ? all[0].order : in_order(all[0].order.size());
    integers of_op;
    for (value const& v : all) of_op.push_back(arranged(v, order));
    std::int64_t const axis = order[at(axis_of(integer_of(o, "axis", 0), order.size()))];
    integers extents = extents_of(static_cast<int>(of_op[0]));
    extents[at(axis)] = 0;
    for (std::int64_t const t : of_op) extents[at(axis)] += extents_of(static_cast<int>(t))[at(axis)];
    return {emit(op::concatenation, of_op, add(o.result, element::float32, extents), &concatenation_options,
                 {static_cast<double>(axis)}),
            order};
  }
  value sliced(onnx::operation const& o) {
    value const v = in_float(value_of(o.inputs[0]));
    integers extents = extents_of(v.tensor), begin(extents.size(), 0), end = extents, step(extents.size(), 1);
    integers const &starts = whole_of(o.inputs[1]), &ends = whole_of(o.inputs[2]), &axes = whole_of(o.inputs[3]),
                   &steps = whole_of(o.inputs[4]);
    std::int64_t end_mask = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      std::size_t const axis = at(v.order[at(axes[i])]);
      begin[axis] = starts[i];
      end[axis] = ends[i];
      step[axis] = steps[i];
      if (steps[i] < 0 && ends[i] < -extents[axis]) {
        end_mask |= std::int64_t{1} << axis;
        end[axis] = -1;  // behind the first
      }
      std::int64_t const length = steps[i] > 0 ? end[axis] - begin[axis] : begin[axis] - end[axis],
                         by = steps[i] > 0 ? steps[i] : -steps[i];
      extents[axis] = (length + by - 1) / by;
    }
    return {emit(op::strided_slice, inputs({v.tensor, list(begin), list(end), list(step)}),
                 add(o.result, element::float32, extents), &strided_slice_options, {0, static_cast<double>(end_mask)}),
            v.order};
  }
  value padded(onnx::operation const& o) {
    value const v = in_float(value_of(o.inputs[0]));
    integers const& edges = whole_of(o.inputs[1]);
    std::size_t const rank = v.order.size();
    integers before(rank), after(rank);
    for (std::size_t i = 0; i < rank; ++i) {
      before[at(v.order[i])] = edges[i];
      after[at(v.order[i])] = edges[rank + i];
    }
    return {with_edges(v.tensor, before, after, number(lowest_finite(number_of(o.inputs[2]))), o.result), v.order};
  }
  /// TensorFlow Lite compares with the lowest number, not with an infinity.
  static constexpr float lowest = -3.402823466e38f;
  static float lowest_finite(float x) { return x < lowest ? lowest : x; }
  int with_edges(int t, integers const& before, integers const& after, int filler, std::string const& name) {
    integers edges, extents = extents_of(t);
    for (std::size_t i = 0; i < before.size(); ++i) {
      edges.push_back(before[i]);
      edges.push_back(after[i]);
      extents[i] += before[i] + after[i];
    }
    int const list_of_edges = list(edges, {static_cast<std::int64_t>(before.size()), 2});
    return emit(op::padv2, inputs({t, list_of_edges, filler}), add(name, of(t).type, extents, of(t).by), nullptr, {},
                is_quantized(t) ? 2 : 1);
  }
  value gathered(onnx::operation const& o) {
    int const table = in_float(arranged(value_of(o.inputs[0]))), index = arranged(value_of(o.inputs[1]));
    integers const &from = extents_of(table), &places = extents_of(index);
    std::int64_t const axis = axis_of(integer_of(o, "axis", 0), from.size());
    if (of(index).type != element::int32) throw_unsupported(o, "its indices are computed");
    integers extents(from.begin(), from.begin() + axis);
    extents.insert(extents.end(), places.begin(), places.end());
    extents.insert(extents.end(), from.begin() + axis + 1, from.end());
    return in_its_order(emit(op::gather, inputs({table, index}), add(o.result, element::float32, extents),
                             &gather_options, {static_cast<double>(axis)}));
  }
  value expanded(onnx::operation const& o) {
    int const x = in_float(arranged(value_of(o.inputs[0])));
    integers const to = broadcast({extents_of(x), whole_of(o.inputs[1])});
    if (to == extents_of(x)) return in_its_order(x);
    return in_its_order(emit(op::broadcast_to, inputs({x, list(to)}), add(o.result, of(x).type, to), nullptr, {}, 2));
  }

  // Windows.

  struct windows {
    integers taps, stride, dilation, before, after, counts;
  };
  /// extents: (N, H, W, C)
  static windows windows_of(onnx::operation const& o, integers taps, integers const& extents) {
    std::size_t const axes = taps.size();
    windows w{std::move(taps),
              list_of(o, "strides", integers(axes, 1)),
              list_of(o, "dilations", integers(axes, 1)),
              {},
              {},
              {}};
    integers const edges = list_of(o, "pads", integers(2 * axes, 0));
    w.before.assign(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(axes));
    w.after.assign(edges.begin() + static_cast<std::ptrdiff_t>(axes), edges.end());
    if (axes == 1)  // signals are images of one row
      for (auto* const x : {&w.taps, &w.stride, &w.dilation, &w.before, &w.after})
        x->insert(x->begin(), x == &w.before || x == &w.after ? 0 : 1);
    for (std::size_t i = 0; i < 2; ++i)
      w.counts.push_back(
          (extents[i + 1] + w.before[i] + w.after[i] - w.dilation[i] * (w.taps[i] - 1) - 1) / w.stride[i] + 1);
    return w;
  }
  /// Whether the operator's own padding is that of the windows.
  static bool is_same_padding(windows const& w, integers const& extents) {
    for (std::size_t i = 0; i < 2; ++i) {
      std::int64_t const count = (extents[i + 1] + w.stride[i] - 1) / w.stride[i],
                         all = std::max<std::int64_t>(
                             (count - 1) * w.stride[i] + w.dilation[i] * (w.taps[i] - 1) + 1 - extents[i + 1], 0);
      if (count != w.counts[i] || all / 2 != w.before[i] || all - all / 2 != w.after[i]) return false;
    }
    return true;
  }
  static bool pads(windows const& w) {
    return std::any_of(w.before.begin(), w.before.end(), [](std::int64_t x) { return x != 0; }) ||
           std::any_of(w.after.begin(), w.after.end(), [](std::int64_t x) { return x != 0; });
  }
  /// Images with the padding around them that the operator does not add, and which padding it adds.
  std::pair<int, padding> placed(int images, windows const& w, bool by_operator, double filler,
                                 std::string const& name) {
    if (!pads(w)) return {images, padding::valid};
    if (by_operator && is_same_padding(w, extents_of(images))) return {images, padding::same};
    tensor const x = of(images);
    int const number_around = is_quantized(images) ? constant<std::int8_t>(name + "_filler", element::int8, {},
                                                                           std::vector<double>{filler}, x.by)
                                                   : number(static_cast<float>(filler));
    return {with_edges(images, {0, w.before[0], w.before[1], 0}, {0, w.after[0], w.after[1], 0}, number_around,
                       name + "_padded"),
            padding::valid};
  }
  static integers channels_last() { return {0, 3, 1, 2}; }  ///< where (N, C, H, W) are in (N, H, W, C)

  value pooled(onnx::operation const& o) {
    bool const largest = o.type == "MaxPool";
    value v = value_of(o.inputs[0]);
    if (!largest) v = in_float(v);
    int const images = arranged(v, channels_last());
    windows const w = windows_of(o, list_of(o, "kernel_shape", {}), extents_of(images));
    if (w.dilation != integers{1, 1}) throw_unsupported(o, "its windows are dilated");
    double const least = is_quantized(images) ? -128 : static_cast<double>(lowest);
    auto const [x, how] = placed(images, w, largest, largest ? least : 0, o.result);
    integers const extents{extents_of(images)[0], w.counts[0], w.counts[1], extents_of(images)[3]};
    int const t = add(o.result, of(x).type, extents, of(x).by);
    emit(largest ? op::max_pool_2d : op::average_pool_2d, inputs({x}), t, &pool_options,
         {static_cast<double>(how), static_cast<double>(w.stride[1]), static_cast<double>(w.stride[0]),
          static_cast<double>(w.taps[1]), static_cast<double>(w.taps[0])},
         is_quantized(x) ? 2 : 1);
    return {t, channels_last()};
  }

  // Products.

  /// The weights of a product: integers with a scale for each output, or floats.
  struct weights {
    onnx::initializer const* numbers;
    onnx::initializer const* scales;
    int product;
  };
  onnx::operation const* made_by(std::string const& name) const {
    for (onnx::operation const& o : from_.operations)
      if (o.result == name) return &o;
    return nullptr;
  }
  std::optional<weights> weights_of(onnx::operation const& o) const {
    std::string const& name = o.inputs[1];
    if (onnx::initializer const* const c = constant_named(name)) return weights{c, nullptr, -1};
    std::string_view const prefix = "quantized_weights_";
    if (!name.starts_with(prefix)) return {};
    onnx::operation const* const d = made_by(name);
    int product = 0;
    for (char const digit : name.substr(prefix.size())) product = 10 * product + (digit - '0');
    return weights{constant_named(d->inputs[0]), constant_named(d->inputs[1]), product};
  }
  /// The weights as a tensor: axis i of the file's numbers becomes axis order[i].
  int weights_tensor(weights const& w, integers const& order, integers const& extents, int axis) {
    integers const& from = w.numbers->extents;
    if (w.scales == nullptr)
      return constant<float>(w.numbers->name + "_arranged", element::float32, extents,
                             permuted(w.numbers->numbers, from, order));
    return constant<std::int8_t>(w.numbers->name, element::int8, extents, permuted(w.numbers->whole, from, order),
                                 scales_of(w, 1, axis));
  }
  static quantization scales_of(weights const& w, double factor, int axis) {
    quantization by;
    by.axis = axis;
    for (double const s : w.scales->numbers) by.scales.push_back(static_cast<float>(s * factor));
    by.zero_points.assign(by.scales.size(), 0);
    return by;
  }
  /// The bias in units of both scales. If the net adds it in float, its scale may be too small.
  int bias_tensor(weights const& w, std::vector<double> const& bias, std::size_t outputs, int activations) {
    std::string const name = w.numbers->name + "_bias";
    auto const count = static_cast<std::int64_t>(outputs);
    std::vector<double> numbers = bias;
    numbers.resize(outputs);
    if (w.scales == nullptr) return constant<float>(name, element::float32, {count}, numbers);
    auto const of_activations = static_cast<double>(of(activations).by.scales[0]);
    for (std::size_t i = 0; i < outputs; ++i)
      numbers[i] = whole_bias(numbers[i] / (of_activations * w.scales->numbers[i]), w.product);
    return constant<std::int32_t>(name, element::int32, {count}, numbers, scales_of(w, of_activations, 0));
  }

  double whole_bias(double in_steps, int product) const {
    double const r = std::nearbyint(in_steps);
    if (!(std::fabs(r) < 1 << 30))
      throw_error<error>("%s: the bias of product %d of the quantized net is too large for the scale of its weights",
                         path_, product);
    return r;
  }

  /// The bias and the ReLU of a product, and the last of its operations.
  struct epilogue {
    onnx::operation const* last;
    std::vector<double> bias{};
    bool relu = false;
  };
  epilogue epilogue_of(onnx::operation const& o, weights const& w, std::size_t outputs) const {
    epilogue e{&o};
    product_results const& p = products_.at(at(w.product));
    bool const in_operation = o.inputs.size() > 2;
    if (in_operation) e.bias = constant_named(o.inputs[2])->numbers;
    bool has_bias = !p.has_bias || in_operation;
    for (onnx::operation const* x = &o; !has_bias || e.relu != p.has_relu;) {
      auto const all = readers_.find(x->result);
      if (all == readers_.end() || all->second.size() != 1 || results_.contains(x->result)) break;
      x = &from_.operations[all->second[0]];
      if (x->type == "Reshape" && whole_of(x->inputs[1]).back() == static_cast<std::int64_t>(outputs) &&
          o.type == "MatMul")
        continue;
      if (x->type == "Relu" && has_bias) {
        e.relu = true;
        e.last = x;
        break;
      }
      if (x->type != "Add" || has_bias) break;
      onnx::initializer const* const c =
          constant_named(constant_named(x->inputs[0]) != nullptr ? x->inputs[0] : x->inputs[1]);
      if (c == nullptr || c->numbers.size() != outputs) break;
      std::size_t const behind = o.type == "Conv" ? channels_behind(o) : 0;
      if (c->extents.size() < behind + 1 ||
          c->extents[c->extents.size() - 1 - behind] != static_cast<std::int64_t>(outputs))
        break;
      e.bias = c->numbers;
      e.last = x;
      has_bias = true;
    }
    if (!has_bias || e.relu != p.has_relu)
      throw_error<error>("%s: product %d of the quantized net has its bias or its ReLU behind another operation", path_,
                         w.product);
    return e;
  }
  /// The axes behind the channels: 2 of images, 1 of signals.
  std::size_t channels_behind(onnx::operation const& o) const { return value_shape(o.inputs[0]).size() - 2; }
  integers value_shape(std::string const& name) const { return shape_of(values_.at(name)); }

  /// What quantizes a result, if that is the same for all of its readers.
  struct reader_scale {
    float scale = 0;
    std::int64_t zero_point = 0;
    bool found = false, alike = true;
  };
  void find_readers(std::string const& name, reader_scale& r) const {
    if (results_.contains(name)) r.alike = false;
    auto const all = readers_.find(name);
    if (all == readers_.end()) return;
    for (std::size_t const i : all->second) {
      if (!r.alike) return;
      onnx::operation const& o = from_.operations[i];
      if (o.type == "Reshape" || o.type == "Transpose" || o.type == "Identity" || o.type == "MaxPool") {
        find_readers(o.result, r);
        continue;
      }
      if (o.type != "QuantizeLinear") {
        r.alike = false;
        return;
      }
      float const scale = number_of(o.inputs[1]);
      std::int64_t const zero = whole_of(o.inputs[2]).at(0);
      if (r.found && (r.scale != scale || r.zero_point != zero)) r.alike = false;
      r.scale = scale;
      r.zero_point = zero;
      r.found = true;
    }
  }
  /// The scale of a product's results: that of the next product, if nothing else reads them, or that of their range. A
  /// bias that the net adds in float widens the range.
  quantization scale_of_results(std::string const& name, int product, std::vector<double> const& bias) const {
    reader_scale r;
    find_readers(name, r);
    if (r.alike && r.found) return scale_of(r.scale, r.zero_point);
    product_results const& p = products_.at(at(product));
    double low = static_cast<double>(p.low), high = static_cast<double>(p.high);
    if (!p.has_bias && !bias.empty()) {
      low = std::fmin(0, low + *std::min_element(bias.begin(), bias.end()));
      high = std::fmax(0, high + *std::max_element(bias.begin(), bias.end()));
    }
    auto const by = espalier::detail::scale_of_range(static_cast<float>(low), static_cast<float>(high), product);
    return scale_of(by.scale, by.zero_point);
  }

  void product(onnx::operation const& o) {
    auto const w = weights_of(o);
    if (o.type == "MatMul" && (!w || w->scales == nullptr)) return set(o, float_product(o));
    if (!w) throw_unsupported(o, "its kernels are computed");
    if (o.type == "MatMul") matrix_product(o, *w);
    else convolution(o, *w);
  }
  value float_product(onnx::operation const& o) {
    int const a = in_float(arranged(value_of(o.inputs[0]))), b = in_float(arranged(value_of(o.inputs[1])));
    integers left = extents_of(a), right = extents_of(b);
    std::int64_t const rows = left[left.size() - 2], columns = right.back();
    left.resize(left.size() - 2);
    right.resize(right.size() - 2);
    integers extents = broadcast({left, right});
    extents.push_back(rows);
    extents.push_back(columns);
    return in_its_order(
        emit(op::batch_matmul, inputs({a, b}), add(o.result, element::float32, extents), &batch_matmul_options));
  }
  void matrix_product(onnx::operation const& o, weights const& w) {
    integers const& from = w.numbers->extents;  // (depth, columns)
    epilogue const e = epilogue_of(o, w, at(from[1]));
    int const x = arranged(value_of(o.inputs[0])), bias = bias_tensor(w, e.bias, at(from[1]), x);
    integers extents = extents_of(x);
    extents.back() = from[1];
    quantization const by = scale_of_results(e.last->result, w.product, e.bias);
    auto const act = static_cast<double>(e.relu ? activation::relu : activation::none);
    int t = 0;
    if (writes_fully_connected_) {
      int const kernels = weights_tensor(w, {1, 0}, {from[1], from[0]}, 0);
      t = emit(op::fully_connected, inputs({x, kernels, bias}), add(o.result, element::int8, extents, by),
               &fully_connected_options, {act, 0, 1}, w.scales->numbers.size() == 1 ? 4 : 12);
    } else {  // a convolution of one pixel
      std::int64_t const rows = count_of(extents) / from[1];
      int const kernels = weights_tensor(w, {1, 0}, {from[1], 1, 1, from[0]}, 0),
                images = reshaped(x, {1, rows, 1, from[0]});
      t = emit(op::conv_2d, inputs({images, kernels, bias}), add(o.result, element::int8, {1, rows, 1, from[1]}, by),
               &conv_2d_options, {static_cast<double>(padding::valid), 1, 1, act, 1, 1}, 3);
      t = reshaped(t, extents);
    }
    finish(o, e, in_its_order(t));
  }
  void convolution(onnx::operation const& o, weights const& w) {
    integers const& from = w.numbers->extents;  // (outputs, inputs of a group, rows, columns)
    bool const signals = from.size() == 3;
    std::size_t const outputs = at(from[0]);
    int x = arranged(value_of(o.inputs[0]), signals ? integers{0, 2, 1} : channels_last());
    if (w.scales == nullptr) x = in_float(x);
    integers const given = extents_of(x);
    if (signals) x = reshaped(x, {given[0], 1, given[1], given[2]});
    windows const w2 = windows_of(o, integers(from.begin() + 2, from.end()), extents_of(x));
    epilogue const e = w.scales == nullptr ? float_epilogue(o) : epilogue_of(o, w, outputs);
    std::int64_t const groups = integer_of(o, "group", 1), channels = extents_of(x).back();
    bool const by_channel = groups == channels && groups > 1;
    integers const taps = w2.taps;
    integers const kernel_extents =
        by_channel ? integers{1, taps[0], taps[1], from[0]} : integers{from[0], taps[0], taps[1], from[1]};
    int const kernels = weights_tensor(weights_of_rank_4(w, signals),
                                       by_channel ? integers{3, 0, 1, 2} : integers{0, 3, 1, 2}, kernel_extents,
                                       by_channel ? 3 : 0),
              bias = bias_tensor(w, e.bias, outputs, x);
    double const zero = w.scales == nullptr ? 0 : static_cast<double>(of(x).by.zero_points[0]);
    auto const [images, how] = placed(x, w2, true, zero, o.result);
    integers const extents{given[0], w2.counts[0], w2.counts[1], from[0]};
    quantization const by = w.scales == nullptr ? quantization{} : scale_of_results(e.last->result, w.product, e.bias);
    int t = add(o.result, w.scales == nullptr ? element::float32 : element::int8, extents, by);
    auto const act = static_cast<double>(e.relu ? activation::relu : activation::none), pad = static_cast<double>(how);
    auto const number_at = [](integers const& l, std::size_t i) { return static_cast<double>(l[i]); };
    if (by_channel)
      emit(op::depthwise_conv_2d, inputs({images, kernels, bias}), t, &depthwise_options,
           {pad, number_at(w2.stride, 1), number_at(w2.stride, 0), static_cast<double>(from[0] / channels), act,
            number_at(w2.dilation, 1), number_at(w2.dilation, 0)},
           w.scales == nullptr ? 2 : 3);
    else
      emit(op::conv_2d, inputs({images, kernels, bias}), t, &conv_2d_options,
           {pad, number_at(w2.stride, 1), number_at(w2.stride, 0), act, number_at(w2.dilation, 1),
            number_at(w2.dilation, 0)},
           w.scales == nullptr ? 1 : 3);
    if (signals) t = reshaped(t, {given[0], w2.counts[1], from[0]});
    finish(o, e, {t, signals ? integers{0, 2, 1} : channels_last()});
  }
  epilogue float_epilogue(onnx::operation const& o) const {
    epilogue e{&o};
    if (o.inputs.size() > 2) e.bias = constant_named(o.inputs[2])->numbers;
    return e;
  }
  /// Kernels of signals get an axis of one row.
  weights weights_of_rank_4(weights w, bool signals) {
    if (!signals) return w;
    rank_4_.push_back(std::make_unique<onnx::initializer>(*w.numbers));
    rank_4_.back()->extents.insert(rank_4_.back()->extents.begin() + 2, 1);
    w.numbers = rank_4_.back().get();
    return w;
  }
  /// The product's result is that of the last of its operations.
  void finish(onnx::operation const& o, epilogue const& e, value v) {
    for (onnx::operation const* x = &o; x != e.last;) {
      x = &from_.operations[readers_.at(x->result)[0]];
      if (x->type == "Reshape") v = in_its_order(reshaped(arranged(v), whole_of(x->inputs[1])));
      values_[x->result] = v;
    }
    values_[o.result] = v;
  }

  onnx::model_file const& from_;
  std::vector<product_results> products_;
  bool writes_fully_connected_;
  char const* path_;
  model_file to_{};
  std::map<std::string, onnx::initializer const*> constants_{};
  std::map<std::string, value> values_{};
  std::map<std::string, std::vector<std::size_t>> readers_{};
  std::set<std::string> results_{};
  std::vector<std::unique_ptr<onnx::initializer>> rank_4_{};
  // What was written, plus 1.
  std::map<std::pair<integers, integers>, int> lists_{};
  std::map<std::uint32_t, int> numbers_{};
  std::map<int, int> in_float_{};
  std::map<std::pair<int, integers>, int> arranged_{}, reshaped_{};
  std::map<std::pair<std::string, integers>, int> constant_tensors_{};
  std::map<std::tuple<int, float, std::int64_t>, int> quantized_{};
};

}  // namespace espalier::io::tflite
#include "../base/diagnostics_pop.hpp"
