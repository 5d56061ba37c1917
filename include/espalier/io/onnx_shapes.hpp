// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "array.hpp"
#include "onnx_file.hpp"

/// The values of an ONNX file by their names, and their extents.
namespace espalier::io::onnx {

inline attribute const* attribute_of(operation const& o, std::string_view name) {
  for (attribute const& a : o.attributes)
    if (a.name == name) return &a;
  return nullptr;
}
inline std::int64_t integer_of(operation const& o, std::string_view name, std::int64_t missing) {
  attribute const* const a = attribute_of(o, name);
  if (a == nullptr) return missing;
  return a->value > -1e15 && a->value < 1e15 ? static_cast<std::int64_t>(a->value) : std::int64_t{-1} << 50;
}
inline integers list_of(operation const& o, std::string_view name, integers missing) {
  attribute const* const a = attribute_of(o, name);
  return a == nullptr ? std::move(missing) : a->values;
}

/// Windows along the axes behind the first two.
struct window_attributes {
  integers taps, stride, dilation, before, after, counts;
};

/// What the operations of a file compute: for each value its operation, initializer or input, and its extents, if they
/// are known.
class file_values {
 public:
  using extents_of_value = std::optional<integers>;

  /// input_extents: for each input of the file.
  file_values(model_file const& file, std::vector<integers> const& input_extents, char const* path)
      : file_{file}, path_{path} {
    for (std::size_t i = 0; i < file.inputs.size(); ++i) {
      add(file.inputs[i].name, {nullptr, nullptr, static_cast<int>(i)});
      extents_[file.inputs[i].name] = input_extents[i];
    }
    for (initializer const& i : file.initializers) {
      add(i.name, {nullptr, &i, -1});
      std::int64_t const count = count_of(i.extents);
      auto const have = static_cast<std::int64_t>(i.numbers.empty() ? i.whole.size() : i.numbers.size());
      if (count < 0 || (have != count && have != 0))
        throw_error<format_error>("%s: initializer %s of shape %s has %lld elements", path, in_quotes(i.name).c_str(),
                                  text_of(i.extents).c_str(), static_cast<long long>(have));
      extents_[i.name] = i.extents;
    }
    for (operation const& o : file.operations) {
      if (o.inputs.empty() || o.inputs[0].empty())
        throw_error<format_error>("%s: expected operation %s %s with an input, got none", path, o.type.c_str(),
                                  in_quotes(o.result).c_str());
      for (std::string const& input : o.inputs)
        if (!input.empty() && !contains(input))
          throw_error<format_error>("%s: operation %s reads %s, which nothing in front of it computes", path,
                                    in_quotes(o.type).c_str(), in_quotes(input).c_str());
      add(o.result, {&o, nullptr, -1});
      extents_[o.result] = extents_of_result(o);
      for (std::string const& result : o.more_results)
        if (!result.empty()) add(result, {&o, nullptr, -1});
    }
  }

  struct value {
    operation const* made_by;
    initializer const* constant;
    int input;  ///< its number, or -1
  };
  [[nodiscard]] bool contains(std::string const& name) const { return values_.contains(name); }
  [[nodiscard]] value const& operator[](std::string const& name) const {
    auto const at = values_.find(name);
    if (at == values_.end())
      throw_error<format_error>("%s: nothing computes the value %s", path_, in_quotes(name).c_str());
    return at->second;
  }
  [[nodiscard]] extents_of_value const& extents(std::string const& name) const {
    static extents_of_value const unknown;
    auto const at = extents_.find(name);
    return at == extents_.end() ? unknown : at->second;
  }
  [[nodiscard]] model_file const& file() const { return file_; }

  /// The attributes of a convolution or a pooling, with what they leave out. The padding at the end covers what the
  /// last window reads, so different attributes of the same windows become equal. None: automatic padding, or extents
  /// that are not known.
  [[nodiscard]] std::optional<window_attributes> windows_of(operation const& o) const {
    extents_of_value const& x = extents(o.inputs[0]);
    attribute const* const automatic = attribute_of(o, "auto_pad");
    if (!x || x->size() < 3 || (automatic != nullptr && automatic->text != "NOTSET" && automatic->text != "VALID"))
      return {};
    std::size_t const axes = x->size() - 2;
    window_attributes w;
    w.taps = list_of(o, "kernel_shape", {});
    if (o.type == "Conv") {
      if (o.inputs.size() < 2) return {};
      extents_of_value const& kernels = extents(o.inputs[1]);
      if (!kernels || kernels->size() != x->size()) return {};
      w.taps.assign(kernels->begin() + 2, kernels->end());
    }
    w.stride = list_of(o, "strides", integers(axes, 1));
    w.dilation = list_of(o, "dilations", integers(axes, 1));
    integers const pads = list_of(o, "pads", integers(2 * axes, 0));
    if (w.taps.size() != axes || w.stride.size() != axes || w.dilation.size() != axes || pads.size() != 2 * axes)
      return {};
    w.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
    w.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
    for (std::size_t i = 0; i < axes; ++i) {
      if (w.stride[i] < 1 || w.dilation[i] < 1 || w.taps[i] < 1 || w.before[i] < 0 || w.after[i] < 0 ||
          std::max({w.stride[i], w.dilation[i], w.taps[i], w.before[i], w.after[i]}) > 1 << 20)
        return {};
      std::int64_t const size = (*x)[i + 2], reach = w.dilation[i] * (w.taps[i] - 1) + 1,
                         count = windows(o, size + w.before[i] + w.after[i] - reach, w.stride[i]);
      if (count < 1) return {};
      w.counts.push_back(count);
      if (count == 1) w.stride[i] = 1;
      if (w.taps[i] == 1) w.dilation[i] = 1;
      w.after[i] = std::max<std::int64_t>(0, (count - 1) * w.stride[i] + reach - w.before[i] - size);
    }
    return w;
  }

 private:
  void add(std::string const& name, value v) {
    if (!values_.emplace(name, v).second)
      throw_error<format_error>("%s: expected one value of each name, got several %s", path_, in_quotes(name).c_str());
  }
  static std::int64_t windows(operation const& o, std::int64_t room, std::int64_t stride) {
    if (room < 0) return 0;
    return (integer_of(o, "ceil_mode", 0) != 0 ? room + stride - 1 : room) / stride + 1;
  }
  static bool is_one_of(std::string const& type, std::initializer_list<char const*> list) {
    return std::any_of(list.begin(), list.end(), [&](char const* x) { return type == x; });
  }
  /// Integers that are constant in the file: those of an initializer, or of an attribute in older operator sets.
  [[nodiscard]] integers const* constant_integers(operation const& o, std::size_t input, char const* name) const {
    if (o.inputs.size() > input && !o.inputs[input].empty()) {
      initializer const* const c = values_.at(o.inputs[input]).constant;
      return c != nullptr && c->type == element::int64 ? &c->whole : nullptr;
    }
    attribute const* const a = attribute_of(o, name);
    return a == nullptr ? nullptr : &a->values;
  }

  [[nodiscard]] extents_of_value extents_of_result(operation const& o) const {
    if (o.inputs.empty()) return {};
    extents_of_value const& x = extents(o.inputs[0]);
    if (!x) return {};
    if (is_one_of(o.type, {"Relu",
                           "Sigmoid",
                           "Tanh",
                           "Softmax",
                           "LogSoftmax",
                           "Erf",
                           "Exp",
                           "Log",
                           "Sqrt",
                           "Abs",
                           "Neg",
                           "LeakyRelu",
                           "Elu",
                           "Selu",
                           "Softplus",
                           "Clip",
                           "Identity",
                           "Dropout",
                           "Sin",
                           "Cos",
                           "Floor",
                           "Not",
                           "QuantizeLinear",
                           "DequantizeLinear",
                           "Cast",
                           "BatchNormalization",
                           "LayerNormalization",
                           "HardSigmoid",
                           "HardSwish",
                           "Gelu"}))
      return x;
    if (is_one_of(o.type, {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Where", "Equal", "Greater", "Less",
                           "GreaterOrEqual", "LessOrEqual", "And", "Or"}))
      return broadcast(o);
    if (o.type == "MatMul" || o.type == "Gemm") return product(o);
    if (o.type == "Conv" || o.type == "MaxPool" || o.type == "AveragePool") return windowed(o, *x);
    if (o.type == "Transpose") return transposed(o, *x);
    if (o.type == "Reshape") return reshaped(o, *x);
    if (o.type == "Flatten") return flattened(o, *x);
    if (o.type == "Squeeze" || o.type == "Unsqueeze") return squeezed(o, *x);
    if (o.type == "Concat") return concatenated(o, *x);
    if (o.type.starts_with("Reduce")) return reduced(o, *x);
    if (o.type == "Slice") return sliced(o, *x);
    if (o.type == "Gather") return gathered(o, *x);
    return {};
  }
  [[nodiscard]] extents_of_value broadcast(operation const& o) const {
    integers r;
    for (std::string const& input : o.inputs) {
      extents_of_value const& x = extents(input);
      if (!x) return {};
      if (x->size() > r.size()) r.insert(r.begin(), x->size() - r.size(), 1);
      for (std::size_t i = 0; i < x->size(); ++i) {
        std::int64_t &to = r[r.size() - x->size() + i], of = (*x)[i];
        if (to != of && to != 1 && of != 1)
          throw_error<format_error>("%s: %s %s of operands whose shapes do not fit", path_, o.type.c_str(),
                                    in_quotes(o.result).c_str());
        if (to == 1) to = of;
      }
    }
    return r;
  }
  [[noreturn]] void throw_unfit(operation const& o, integers const& a, integers const& b) const {
    throw_error<format_error>("%s: %s %s multiplies shapes that do not fit, %s and %s", path_, o.type.c_str(),
                              in_quotes(o.result).c_str(), text_of(a).c_str(), text_of(b).c_str());
  }
  [[nodiscard]] extents_of_value product(operation const& o) const {
    if (o.inputs.size() < 2 || !extents(o.inputs[1])) return {};
    integers a = *extents(o.inputs[0]), b = *extents(o.inputs[1]);
    if (a.size() < 2 || b.size() < 2) return {};
    if (integer_of(o, "transA", 0) != 0) std::swap(a[a.size() - 2], a[a.size() - 1]);
    if (integer_of(o, "transB", 0) != 0) std::swap(b[b.size() - 2], b[b.size() - 1]);
    if (a.back() != b[b.size() - 2]) throw_unfit(o, a, b);
    std::int64_t const columns = b.back();
    if (b.size() != 2 && (b.size() != a.size() || !std::equal(a.begin(), a.end() - 2, b.begin()))) return {};
    a.back() = columns;
    return a;
  }
  [[nodiscard]] extents_of_value windowed(operation const& o, integers const& x) const {
    std::optional<window_attributes> const w = windows_of(o);
    if (!w) return {};
    integers r = x;
    std::copy(w->counts.begin(), w->counts.end(), r.begin() + 2);
    if (o.type != "Conv") return r;
    integers const& kernels = *extents(o.inputs[1]);
    std::int64_t const groups = integer_of(o, "group", 1);
    if (groups < 1 || groups > x[1] || kernels[1] * groups != x[1]) throw_unfit(o, x, kernels);
    r[1] = kernels[0];
    return r;
  }
  [[nodiscard]] static extents_of_value transposed(operation const& o, integers const& x) {
    integers r, order = list_of(o, "perm", {});
    if (order.empty())
      for (std::size_t i = x.size(); i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
    if (order.size() != x.size()) return {};
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::int64_t const axis = order[i];
      if (axis < 0 || axis >= static_cast<std::int64_t>(x.size())) return {};
      if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i), axis) !=
          order.begin() + static_cast<std::ptrdiff_t>(i))
        return {};
      r.push_back(x[static_cast<std::size_t>(axis)]);
    }
    return r;
  }
  [[nodiscard]] extents_of_value reshaped(operation const& o, integers const& x) const {
    integers const* const target = constant_integers(o, 1, "shape");
    if (target == nullptr) return {};
    integers r = *target;
    std::int64_t known = 1, open = -1;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (r[i] == 0 && i < x.size() && integer_of(o, "allowzero", 0) == 0) r[i] = x[i];
      if (r[i] == -1) open = static_cast<std::int64_t>(i);
      else if (r[i] < 1 || known > (std::int64_t{1} << 59) / r[i]) return {};
      else known *= r[i];
    }
    std::int64_t const all = count_of(x);
    if (all < 0) return {};
    if (open >= 0) r[static_cast<std::size_t>(open)] = all / known;
    if (open >= 0 ? all % known != 0 : all != known)
      throw_error<format_error>("%s: Reshape %s of shape %s to %s", path_, in_quotes(o.result).c_str(),
                                text_of(x).c_str(), text_of(*target).c_str());
    return r;
  }
  [[nodiscard]] static extents_of_value flattened(operation const& o, integers const& x) {
    std::int64_t axis = integer_of(o, "axis", 1);
    auto const rank = static_cast<std::int64_t>(x.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank || count_of(x) < 1) return {};
    integers r{1, 1};
    for (std::int64_t i = 0; i < rank; ++i) r[i < axis ? 0 : 1] *= x[static_cast<std::size_t>(i)];
    return r;
  }
  [[nodiscard]] extents_of_value squeezed(operation const& o, integers const& x) const {
    integers const* const axes = constant_integers(o, 1, "axes");
    bool const removes = o.type == "Squeeze";
    if (axes == nullptr) return {};
    auto const rank = static_cast<std::int64_t>(x.size() + (removes ? 0 : axes->size()));
    std::vector<bool> listed(static_cast<std::size_t>(rank));
    for (std::int64_t const axis : *axes) {
      if (axis < -rank || axis >= rank) return {};
      listed[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
    }
    integers r;
    std::size_t from = 0;
    for (bool const is : listed) {
      if (!removes && is) {
        r.push_back(1);
        continue;
      }
      if (from == x.size() || (is && x[from] != 1)) return {};
      if (!is) r.push_back(x[from]);
      ++from;
    }
    return r;
  }
  [[nodiscard]] extents_of_value concatenated(operation const& o, integers const& x) const {
    auto const rank = static_cast<std::int64_t>(x.size());
    std::int64_t axis = integer_of(o, "axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return {};
    integers r = x;
    for (std::size_t i = 1; i < o.inputs.size(); ++i) {
      extents_of_value const& y = extents(o.inputs[i]);
      if (!y || y->size() != x.size()) return {};
      std::int64_t& sum = r[static_cast<std::size_t>(axis)];
      sum += (*y)[static_cast<std::size_t>(axis)];
      if (sum > std::int64_t{1} << 59) return {};
    }
    return r;
  }
  [[nodiscard]] extents_of_value reduced(operation const& o, integers const& x) const {
    integers const* const axes = constant_integers(o, 1, "axes");
    if (axes == nullptr) return {};
    auto const rank = static_cast<std::int64_t>(x.size());
    integers r = x;
    for (std::int64_t const axis : *axes) {
      if (axis < -rank || axis >= rank) return {};
      r[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = integer_of(o, "keepdims", 1) != 0 ? 1 : -1;
    }
    std::erase(r, -1);
    return r;
  }

  [[nodiscard]] extents_of_value sliced(operation const& o, integers const& x) const {
    integers const *const first = constant_integers(o, 1, ""), *const last = constant_integers(o, 2, ""),
                          *const axes = constant_integers(o, 3, ""), *const steps = constant_integers(o, 4, "");
    if (first == nullptr || last == nullptr || axes == nullptr || first->size() != last->size() ||
        axes->size() != first->size() || (steps != nullptr && steps->size() != first->size()))
      return {};
    auto const rank = static_cast<std::int64_t>(x.size());
    integers r = x;
    for (std::size_t i = 0; i < axes->size(); ++i) {
      std::int64_t const axis = (*axes)[i], step = steps == nullptr ? 1 : (*steps)[i];
      if (axis < -rank || axis >= rank || step < 1) return {};
      std::int64_t& extent = r[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
      auto const at = [&](std::int64_t k) { return std::clamp(k < 0 ? k + extent : k, std::int64_t{0}, extent); };
      std::int64_t const begin = at((*first)[i]), end = at((*last)[i]);
      extent = begin < end ? (end - begin - 1) / step + 1 : 0;
    }
    return r;
  }
  [[nodiscard]] extents_of_value gathered(operation const& o, integers const& x) const {
    auto const rank = static_cast<std::int64_t>(x.size());
    std::int64_t axis = integer_of(o, "axis", 0);
    if (axis < 0) axis += rank;
    if (o.inputs.size() != 2 || !extents(o.inputs[1]) || axis < 0 || axis >= rank) return {};
    integers r(x.begin(), x.begin() + axis);
    integers const& index = *extents(o.inputs[1]);
    r.insert(r.end(), index.begin(), index.end());
    r.insert(r.end(), x.begin() + axis + 1, x.end());
    return r;
  }

  model_file const& file_;
  char const* path_;
  std::map<std::string, value> values_;
  std::map<std::string, extents_of_value> extents_;
};

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
