// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cmath>
#include <set>

#include "onnx_shapes.hpp"

/// Compares the operations of a quantized ONNX file with those that a net has in ONNX, and takes the numbers of the
/// file. What differs is an error.
namespace espalier::io::onnx {

/// The numbers of an initializer behind DequantizeLinear, Transpose and Reshape: q - zero times a scale, or real ones.
struct constant_numbers {
  integers extents;
  std::vector<double> numbers;  ///< if the file has real ones
  integers whole;               ///< or integers behind DequantizeLinear
  std::vector<double> scales;   ///< one, or one for each index along `axis`
  std::int64_t zero = 0;
  std::size_t axis = 0;
  element type = element::float32;

  [[nodiscard]] bool is_real() const { return scales.empty(); }
  [[nodiscard]] std::size_t size() const { return is_real() ? numbers.size() : whole.size(); }
  [[nodiscard]] double scale(std::size_t i) const {
    if (scales.size() == 1) return scales[0];
    std::size_t inner = 1;
    for (std::size_t k = axis + 1; k < extents.size(); ++k) inner *= static_cast<std::size_t>(extents[k]);
    return scales[i / inner % scales.size()];
  }
  [[nodiscard]] double operator[](std::size_t i) const {
    return is_real() ? numbers[i] : static_cast<double>(whole[i] - zero) * scale(i);
  }
};

/// A product of the net: where its weights are, and how they lie there, (groups, depth, columns).
struct matched_product {
  int slot;
  std::int64_t groups, depth, columns;
};
/// The integers of a product that a file has.
struct found_product {
  float scale = 1;              ///< of its activations
  std::int32_t zero_point = 0;  ///< 0 to 255
  std::vector<std::int8_t> weights;
  std::vector<float> steps;
  bool found = false;
};

/// Steps through both graphs from the outputs to the inputs.
class quantized_matcher {
 public:
  /// expected: the net in ONNX, in float. Its parameters are initializers "slot_<number>", perhaps with another suffix,
  /// and their elements are their own indices in the slot.
  /// samples: of a batch in each of the graphs.
  quantized_matcher(file_values const& expected, file_values const& actual, std::int64_t expected_samples,
                    std::int64_t actual_samples, std::vector<matched_product> products,
                    std::vector<std::int64_t> slot_sizes, char const* path)
      : e_{expected},
        a_{actual},
        samples_e_{expected_samples},
        samples_a_{actual_samples},
        products_{std::move(products)},
        path_{path},
        found_(products_.size()) {
    for (std::int64_t const size : slot_sizes) {
      slots_.emplace_back(static_cast<std::size_t>(size), 0.0f);
      known_.emplace_back(static_cast<std::size_t>(size), false);
    }
    for (std::size_t k = 0; k < products_.size(); ++k) {
      matched_product const& p = products_[k];
      found_[k].weights.resize(static_cast<std::size_t>(p.groups * p.depth * p.columns));
      found_[k].steps.resize(static_cast<std::size_t>(p.groups * p.columns));
    }
  }

  void run() {
    std::vector<value_info> const &expected = e_.file().outputs, &actual = a_.file().outputs;
    if (expected.size() != actual.size())
      throw_error<format_error>("%s: expected %d outputs, got %d", path_, static_cast<int>(expected.size()),
                                static_cast<int>(actual.size()));
    for (std::size_t i = 0; i < expected.size(); ++i) match(expected[i].name, actual[i].name, compared::whole);
    for (std::vector<bool> const& known : known_)
      if (std::find(known.begin(), known.end(), false) != known.end())
        throw_error<format_error>("%s: the file has no numbers for a parameter of the net", path_);
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (!found_[k].found)
        throw_error<format_error>("%s: product %d of the net is in no operation of the file", path_,
                                  static_cast<int>(k));
  }
  /// The numbers of each slot, and the integers of each product.
  [[nodiscard]] std::vector<std::vector<float>> const& slots() const { return slots_; }
  [[nodiscard]] std::vector<found_product> const& products() const { return found_; }

 private:
  /// What of two shapes has to be the same. Elementwise operations and products of rows do not depend on how a reshape
  /// in front of them groups the other axes.
  enum class compared { whole, columns, size };

  /// An operation as an error names it.
  [[nodiscard]] std::string named(file_values const& in, std::string const& value) const {
    file_values::value const& v = in[value];
    if (v.made_by != nullptr) return v.made_by->type + ' ' + in_quotes(value);
    return (v.constant != nullptr ? "the initializer " : "the input ") + in_quotes(value);
  }
  static std::string kind(file_values const& in, std::string const& value) {
    file_values::value const& v = in[value];
    return v.made_by != nullptr ? v.made_by->type : v.constant != nullptr ? "a parameter or a number" : "an input";
  }
  [[noreturn]] void throw_other(std::string const& e, std::string const& a) const {
    throw_error<format_error>("%s: the net has %s where the file has %s", path_, kind(e_, e).c_str(),
                              named(a_, a).c_str());
  }

  bool same_extent(std::int64_t e, std::int64_t a) const {
    return e == a || scaled(e, samples_a_) == scaled(a, samples_e_);
  }
  static double scaled(std::int64_t x, std::int64_t by) { return static_cast<double>(x) * static_cast<double>(by); }
  static double size_of(integers const& s) {
    double r = 1;
    for (std::int64_t const x : s) r *= static_cast<double>(x);
    return r;
  }
  bool same_size(integers const& e, integers const& a) const {
    double const x = size_of(e), y = size_of(a);
    return x == y || x * static_cast<double>(samples_a_) == y * static_cast<double>(samples_e_);
  }
  bool same(integers const& e, integers const& a, compared what) const {
    if (what == compared::size) return same_size(e, a);
    if (what == compared::columns) return !e.empty() && !a.empty() && e.back() == a.back() && same_size(e, a);
    if (e.size() != a.size()) return false;
    for (std::size_t i = 0; i < e.size(); ++i)
      if (!same_extent(e[i], a[i])) return false;
    return true;
  }
  static bool is_reshape(operation const* o) {
    return o != nullptr &&
           (o->type == "Reshape" || o->type == "Flatten" || o->type == "Squeeze" || o->type == "Unsqueeze");
  }
  static bool passes(operation const* o) { return o != nullptr && (o->type == "Identity" || o->type == "Dropout"); }
  static std::string behind_reshapes(file_values const& in, std::string name, bool* reshaped = nullptr) {
    for (operation const* o = in[name].made_by; is_reshape(o) || passes(o); o = in[name].made_by) {
      if (reshaped != nullptr && is_reshape(o)) *reshaped = true;
      name = o->inputs[0];
    }
    return name;
  }
  void compare_shapes(std::string const& e, std::string const& a, compared what, bool reshaped) const {
    auto const &x = e_.extents(e), &y = a_.extents(a);
    if (x && y) {
      if (!same(*x, *y, what))
        throw_error<format_error>("%s: expected %s of shape %s, as in the net, got %s", path_, named(a_, a).c_str(),
                                  text_of(*x).c_str(), text_of(*y).c_str());
    } else if (reshaped) {
      throw_error<format_error>("%s: the shape of %s cannot be compared with the net's", path_, named(a_, a).c_str());
    }
  }

  /// Compares two values and all in front of them. clips: the file sets numbers below 0 to 0 behind the value.
  void match(std::string e, std::string a, compared what, bool clips = false) {
    if (is_constant(e_, e) && is_constant(a_, a)) return match_constants(e, a);
    if (!done_.insert({e, a, what, clips}).second) return;
    bool reshaped = false, rounded_clips = false;
    std::string const e0 = e, a0 = a;
    e = behind_reshapes(e_, e, &reshaped);
    a = behind_reshapes(a_, a, &reshaped);
    while (a_[a].made_by != nullptr && a_[a].made_by->type == "DequantizeLinear" && !is_constant(a_, a)) {
      pair const p = pair_of(a, "in front of DequantizeLinear");
      if (p.zero_point == 255)
        throw_error<format_error>("%s: %s sets numbers above 0 to 0, which the net does not", path_,
                                  named(a_, a).c_str());
      rounded_clips = rounded_clips || p.zero_point == 0;
      a = behind_reshapes(a_, p.input, &reshaped);
    }
    compare_shapes(e0, a0, what, reshaped);
    if (is_relu(e_, e) && !is_relu(a_, a) && (clips || rounded_clips)) {
      e = behind_reshapes(e_, e_[e].made_by->inputs[0]);
      return match(e, a, compared::size);
    }
    if (rounded_clips && !clips && !is_never_negative(e))
      throw_error<format_error>("%s: the file sets numbers of %s below 0 to 0, and the net has no ReLU there", path_,
                                named(a_, a).c_str());
    match_operations(e, a);
  }
  static bool is_relu(file_values const& in, std::string const& name) {
    return in[name].made_by != nullptr && in[name].made_by->type == "Relu";
  }
  /// Whether a value of the net has no numbers below 0, whatever its inputs are. depth: of formulas that are searched.
  bool is_never_negative(std::string name, int depth = 16) const {
    for (; depth > 0; --depth) {
      operation const* const o = e_[name].made_by;
      if (o == nullptr) {
        initializer const* const c = e_[name].constant;
        return c != nullptr && slot_of(name) < 0 && c->numbers.size() == 1 && c->numbers[0] >= 0;
      }
      auto const is = [&](std::initializer_list<char const*> types) {
        return std::any_of(types.begin(), types.end(), [&](char const* type) { return o->type == type; });
      };
      if (is({"Relu", "Sigmoid", "Softmax", "Softplus", "Exp", "Abs", "Sqrt"})) return true;
      if (is({"Add", "Mul", "Div", "Concat"}))
        return std::all_of(o->inputs.begin(), o->inputs.end(),
                           [&](std::string const& input) { return is_never_negative(input, depth - 4); });
      if (!is_reshape(o) && !passes(o) &&
          !is({"MaxPool", "AveragePool", "Transpose", "ReduceMean", "ReduceMax", "ReduceSum"}))
        return false;
      name = o->inputs[0];
    }
    return false;
  }

  void match_operations(std::string const& e, std::string const& a) {
    if (!compared_.insert({e, a}).second) return;
    operation const *const x = e_[e].made_by, *const y = a_[a].made_by;
    if (is_constant(a_, a) || is_constant(e_, e)) return match_constants(e, a);
    if (x == nullptr || y == nullptr) {
      if (x != nullptr || y != nullptr || e_[e].input != a_[a].input) throw_other(e, a);
      return;
    }
    if (y->type == "Softmax" && x->type != "Softmax")
      if (auto const s = softmax_of(e)) return match_softmax(*s, *y);
    auto const in_net = product_of(e_, e), in_file = product_of(a_, a);
    if (in_net && in_file) return match_products(*in_net, *in_file, a);
    bool const both_add = x->type == "Add" && y->type == "Add";  // what they add may be no bias
    if (in_net && x->type == y->type && !both_add)
      throw_error<format_error>("%s: expected %s with constant weights", path_, named(a_, a).c_str());
    if (((in_net || in_file) && !both_add) || x->type != y->type) throw_other(e, a);
    match_attributes(*x, *y, a);
    if (x->inputs.size() != y->inputs.size())
      throw_error<format_error>("%s: expected %s with %d inputs, got %d", path_, named(a_, a).c_str(),
                                static_cast<int>(x->inputs.size()), static_cast<int>(y->inputs.size()));
    match_inputs(*x, *y);
  }
  /// A softmax that the net has as exp(x - max(x)) times 1 / sum.
  struct softmax {
    std::string input;
    std::int64_t axis;
  };
  std::optional<softmax> softmax_of(std::string const& name) const {
    operation const* const y = made_by("Mul", name);
    for (std::size_t k = 0; y != nullptr && k < 2; ++k) {
      operation const *const e = made_by("Exp", y->inputs[k]), *const d = made_by("Div", y->inputs[1 - k]);
      operation const* const x = e == nullptr ? nullptr : made_by("Sub", e->inputs[0]);
      operation const* const m = x == nullptr ? nullptr : made_by("ReduceMax", x->inputs[1]);
      operation const* const r = d == nullptr ? nullptr : made_by("ReduceSum", d->inputs[1]);
      if (m == nullptr || r == nullptr || r->inputs[0] != e->result || m->inputs[0] != x->inputs[0]) continue;
      initializer const* const one = e_[d->inputs[0]].constant;
      initializer const* const summed = r->inputs.size() < 2 ? nullptr : e_[r->inputs[1]].constant;
      integers const axes = list_of(*m, "axes", {});
      if (one != nullptr && one->numbers == std::vector<double>{1} && summed != nullptr && axes.size() == 1 &&
          summed->whole == axes)
        return softmax{x->inputs[0], axes[0]};
    }
    return {};
  }
  operation const* made_by(char const* type, std::string const& name) const {
    operation const* const o = e_[name].made_by;
    return o != nullptr && o->type == type ? o : nullptr;
  }
  void match_softmax(softmax const& x, operation const& y) {
    auto const& s = e_.extents(x.input);
    auto const axis = static_cast<double>(integer_of(y, "axis", -1));
    if (!s || position(static_cast<double>(x.axis), s->size()) != position(axis, s->size()))
      throw_error<format_error>("%s: %s differs from the net's in its attribute \"axis\"", path_,
                                named(a_, y.result).c_str());
    match(x.input, y.inputs[0], compared::whole);
  }
  void match_inputs(operation const& x, operation const& y) {
    std::vector<std::string> e = x.inputs, a = y.inputs;
    // Constants second, in sums and products of two.
    if (x.type == "Add" || x.type == "Mul") {
      if (is_constant(e_, e[0]) && !is_constant(e_, e[1])) std::swap(e[0], e[1]);
      if (is_constant(a_, a[0]) && !is_constant(a_, a[1])) std::swap(a[0], a[1]);
    }
    compared const what = depends_on_axes(x) ? compared::whole : compared::size;
    for (std::size_t i = 0; i < e.size(); ++i)
      if (e[i].empty() != a[i].empty()) throw_other(x.result, y.result);
      else if (!e[i].empty()) match(e[i], a[i], what);
  }
  /// All but operations on elements of the same position.
  bool depends_on_axes(operation const& x) const {
    for (char const* type :
         {"Relu", "Sigmoid", "Tanh",     "Erf",  "Exp", "Log", "Sqrt",  "Abs",         "Neg",       "LeakyRelu",
          "Elu",  "Selu",    "Softplus", "Clip", "Sin", "Cos", "Floor", "HardSigmoid", "HardSwish", "Gelu"})
      if (x.type == type) return false;
    if (x.type != "Add" && x.type != "Sub" && x.type != "Mul" && x.type != "Div" && x.type != "Pow" &&
        x.type != "Max" && x.type != "Min")
      return true;
    auto const& all = e_.extents(x.result);
    for (std::string const& input : x.inputs) {
      auto const& s = e_.extents(input);
      if (!all || !s || (size_of(*s) != size_of(*all) && size_of(*s) != 1)) return true;
    }
    return false;
  }

  void match_attributes(operation const& x, operation const& y, std::string const& name) const {
    bool const windows = x.type == "Conv" || x.type == "MaxPool" || x.type == "AveragePool";
    if (windows) match_windows(x, y, name);
    for (operation const* of : {&x, &y})
      for (attribute const& a : of->attributes) {
        bool const is_window = a.name == "kernel_shape" || a.name == "strides" || a.name == "dilations" ||
                               a.name == "pads" || a.name == "auto_pad" || a.name == "ceil_mode" ||
                               a.name == "storage_order" || a.name == "count_include_pad";
        if (windows && is_window) continue;
        attribute const &expected = with_default(x, a), &actual = with_default(y, a);
        // Attributes of the file are of 32 bits.
        bool same = static_cast<float>(expected.value) == static_cast<float>(actual.value) &&
                    expected.values == actual.values && expected.text == actual.text;
        if (!same && a.name == "axis")
          if (auto const& s = e_.extents(x.inputs[0]))
            same = position(expected.value, s->size()) == position(actual.value, s->size());
        if (!same)
          throw_error<format_error>("%s: %s differs from the net's in its attribute %s", path_, named(a_, name).c_str(),
                                    in_quotes(a.name).c_str());
      }
  }
  static double position(double axis, std::size_t rank) { return axis < 0 ? axis + static_cast<double>(rank) : axis; }
  /// The attribute of an operation, or what ONNX says it is where it is missing.
  static attribute const& with_default(operation const& o, attribute const& like) {
    if (attribute const* const a = attribute_of(o, like.name)) return *a;
    static attribute const one = with_number("", 1), zero = with_number("", 0), last = with_number("", -1),
                           leak = with_number("", 0.01);
    if (like.name == "alpha") return o.type == "LeakyRelu" ? leak : one;
    if (like.name == "beta" || like.name == "keepdims" || like.name == "group") return one;
    return like.name == "axis" ? last : zero;
  }
  void match_windows(operation const& x, operation const& y, std::string const& name) const {
    auto const e = e_.windows_of(x), a = a_.windows_of(y);
    if (!e || !a)
      throw_error<format_error>("%s: %s: automatic padding is not read, nor windows of unknown shape", path_,
                                named(a_, name).c_str());
    auto const differ = [&](char const* what, integers const& expected, integers const& actual) {
      if (expected != actual)
        throw_error<format_error>("%s: expected %s with %s %s, got %s", path_, named(a_, name).c_str(), what,
                                  text_of(expected).c_str(), text_of(actual).c_str());
    };
    differ("kernels of", e->taps, a->taps);
    differ("strides", e->stride, a->stride);
    differ("dilations", e->dilation, a->dilation);
    differ("padding in front of", e->before, a->before);
    differ("padding behind of", e->after, a->after);
    differ("results of", e->counts, a->counts);
    bool const pads = std::any_of(e->before.begin(), e->before.end(), [](std::int64_t p) { return p != 0; }) ||
                      std::any_of(e->after.begin(), e->after.end(), [](std::int64_t p) { return p != 0; });
    if (pads && x.type == "AveragePool" &&
        integer_of(x, "count_include_pad", 0) != integer_of(y, "count_include_pad", 0))
      throw_error<format_error>("%s: %s counts its padding, or does not, other than the net", path_,
                                named(a_, name).c_str());
  }

  // Constants.

  /// Whether an operation's result is constant if its first input is.
  static bool keeps_constant(operation const* o) {
    return o != nullptr && (is_reshape(o) || passes(o) || o->type == "Transpose" || o->type == "DequantizeLinear" ||
                            o->type == "QuantizeLinear");
  }
  static bool is_constant(file_values const& in, std::string const& name) {
    file_values::value const* v = &in[name];
    while (keeps_constant(v->made_by)) v = &in[v->made_by->inputs[0]];
    return v->constant != nullptr;
  }
  initializer const& scalar_or_list(operation const& o, std::size_t input) const {
    file_values::value const& v = a_[o.inputs[input]];
    if (v.constant == nullptr)
      throw_error<format_error>("%s: %s: expected a constant scale and zero point", path_, named(a_, o.result).c_str());
    return *v.constant;
  }
  /// The scales of QuantizeLinear or DequantizeLinear.
  std::vector<double> scales_of(operation const& o) const {
    if (o.inputs.size() < 2) throw_error<format_error>("%s: %s has no scale", path_, named(a_, o.result).c_str());
    initializer const& c = scalar_or_list(o, 1);
    if (c.numbers.empty() || c.type != element::float32 || c.extents.size() > 1)
      throw_error<format_error>("%s: %s: expected one scale, or one for each index of an axis, as numbers of 32 bits",
                                path_, named(a_, o.result).c_str());
    for (double const s : c.numbers)
      if (!(s >= 1e-30 && s <= 1e30))
        throw_error<format_error>("%s: %s: expected a scale from 1e-30 to 1e30, got %g", path_,
                                  named(a_, o.result).c_str(), s);
    return c.numbers;
  }
  /// Its zero point, the same for all; 0 of uint8 if the file has none.
  struct zero_of {
    std::int64_t at;
    element type;
  };
  zero_of zero_point_of(operation const& o, element missing) const {
    if (o.inputs.size() < 3)
      return {0, static_cast<element>(integer_of(o, "output_dtype", 0) == 0 || o.type != "QuantizeLinear"
                                          ? static_cast<std::int64_t>(missing)
                                          : integer_of(o, "output_dtype", 0))};
    initializer const& c = scalar_or_list(o, 2);
    bool const eight = c.type == element::int8 || c.type == element::uint8;
    if ((!eight && c.type != element::int32) || c.whole.empty())
      throw_error<format_error>("%s: %s: expected a zero point of 8 bits, or of 32 for a bias, got element type %d",
                                path_, named(a_, o.result).c_str(), static_cast<int>(c.type));
    for (std::int64_t const z : c.whole) {
      if (z != c.whole[0])
        throw_error<format_error>("%s: %s: expected the same zero point for all indices, got several", path_,
                                  named(a_, o.result).c_str());
      if (eight && (z < (c.type == element::int8 ? -128 : 0) || z > (c.type == element::int8 ? 127 : 255)))
        throw_error<format_error>("%s: %s: zero point %lld is outside its type's range", path_,
                                  named(a_, o.result).c_str(), static_cast<long long>(z));
    }
    return {c.whole[0], c.type};
  }

  constant_numbers numbers_of(file_values const& in, std::string const& name, int depth = 64) const {
    file_values::value const& v = in[name];
    if (depth == 0)
      throw_error<format_error>("%s: more than 64 operations in front of %s are constant", path_,
                                named(in, name).c_str());
    if (v.constant != nullptr) {
      initializer const& c = *v.constant;
      if (c.numbers.empty() && c.whole.empty() && count_of(c.extents) != 0)
        throw_error<format_error>("%s: %s has elements of ONNX's type %d, which are not read", path_,
                                  named(in, name).c_str(), static_cast<int>(c.type));
      constant_numbers r{c.extents, c.numbers, {}, {}, 0, 0, c.type};
      if (c.numbers.empty()) r.numbers.assign(c.whole.begin(), c.whole.end());
      check_range(r, in, name);
      return r;
    }
    if (!keeps_constant(v.made_by))
      throw_error<format_error>("%s: expected constant numbers, got %s", path_, named(in, name).c_str());
    operation const& o = *v.made_by;
    constant_numbers r = numbers_of(in, o.inputs[0], depth - 1);
    if (o.type == "DequantizeLinear") return dequantized(std::move(r), o);
    if (o.type == "QuantizeLinear") return quantized(std::move(r), o);
    if (o.type == "Transpose" && !in.extents(name))
      throw_error<format_error>("%s: %s has no order of its axes", path_, named(in, name).c_str());
    if (o.type == "Transpose") return transposed(r, o);
    if (is_reshape(&o)) reshape(r, in, name);
    return r;
  }
  /// Files may store small integers in wider ones.
  void check_range(constant_numbers const& r, file_values const& in, std::string const& name) const {
    double const low = r.type == element::int8    ? -128
                       : r.type == element::uint8 ? 0
                                                  : -2147483648.0,
                 high = r.type == element::int8    ? 127
                        : r.type == element::uint8 ? 255
                                                   : 2147483647.0;
    if (r.type != element::int8 && r.type != element::uint8 && r.type != element::int32) return;
    for (double const x : r.numbers)
      if (!(x >= low && x <= high))
        throw_error<format_error>("%s: %s has the number %g, which its element type does not have", path_,
                                  named(in, name).c_str(), x);
  }
  /// Takes the scales of QuantizeLinear or DequantizeLinear for numbers.
  void take_scales(constant_numbers& r, operation const& o) const {
    if (integer_of(o, "block_size", 0) != 0)
      throw_error<format_error>("%s: %s: scales of blocks are not read", path_, named(a_, o.result).c_str());
    r.scales = scales_of(o);
    std::int64_t axis = integer_of(o, "axis", 1);
    if (axis < 0) axis += static_cast<std::int64_t>(r.extents.size());
    r.axis = static_cast<std::size_t>(axis);
    bool const fits =
        axis >= 0 && r.axis < r.extents.size() && static_cast<std::size_t>(r.extents[r.axis]) == r.scales.size();
    if (r.scales.size() != 1 && !fits)
      throw_error<format_error>("%s: %s: expected a scale for each index of axis %lld of %s, got %d", path_,
                                named(a_, o.result).c_str(), static_cast<long long>(axis), text_of(r.extents).c_str(),
                                static_cast<int>(r.scales.size()));
  }
  /// Weights that a file has as real numbers. The integers stay in `numbers`.
  constant_numbers quantized(constant_numbers r, operation const& o) const {
    if (!r.is_real() || r.type != element::float32)
      throw_error<format_error>("%s: %s: expected numbers of 32 bits, got element type %d", path_,
                                named(a_, o.result).c_str(), static_cast<int>(r.type));
    take_scales(r, o);
    zero_of const zero = zero_point_of(o, element::uint8);
    if (zero.type == element::int32)
      throw_error<format_error>("%s: %s: expected a zero point of 8 bits, got 32", path_, named(a_, o.result).c_str());
    double const low = zero.type == element::int8 ? -128 : 0;
    for (std::size_t i = 0; i < r.numbers.size(); ++i) {
      double const q = std::nearbyint(r.numbers[i] / r.scale(i)) + static_cast<double>(zero.at);
      r.numbers[i] = q > low ? (q < low + 255 ? q : low + 255) : low;
    }
    r.scales.clear();
    r.type = zero.type;
    return r;
  }
  constant_numbers dequantized(constant_numbers r, operation const& o) const {
    if (!r.is_real() || (r.type != element::int8 && r.type != element::uint8 && r.type != element::int32))
      throw_error<format_error>("%s: %s: expected integers of 8 or 32 bits, got element type %d", path_,
                                named(a_, o.result).c_str(), static_cast<int>(r.type));
    take_scales(r, o);
    r.zero = zero_point_of(o, r.type).at;
    for (double const x : r.numbers) r.whole.push_back(static_cast<std::int64_t>(x));
    r.numbers.clear();
    return r;
  }
  static constant_numbers transposed(constant_numbers const& x, operation const& o) {
    integers order = list_of(o, "perm", {});
    std::size_t const rank = x.extents.size();
    if (order.empty())
      for (std::size_t i = rank; i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
    return permuted(x, order);
  }
  static constant_numbers permuted(constant_numbers const& x, integers const& order) {
    std::size_t const rank = x.extents.size();
    constant_numbers r = x;
    std::vector<std::size_t> step(rank, 1);
    for (std::size_t i = rank; i-- > 1;) step[i - 1] = step[i] * static_cast<std::size_t>(x.extents[i]);
    for (std::size_t i = 0; i < rank; ++i) {
      auto const from = static_cast<std::size_t>(order[i]);
      r.extents[i] = x.extents[from];
      if (from == x.axis) r.axis = i;
    }
    std::vector<std::size_t> at(rank);
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::size_t from = 0;
      for (std::size_t k = 0; k < rank; ++k) from += at[k] * step[static_cast<std::size_t>(order[k])];
      if (x.is_real()) r.numbers[i] = x.numbers[from];
      else r.whole[i] = x.whole[from];
      for (std::size_t k = rank; k-- > 0 && ++at[k] == static_cast<std::size_t>(r.extents[k]);) at[k] = 0;
    }
    return r;
  }
  void reshape(constant_numbers& r, file_values const& in, std::string const& name) const {
    auto const& to = in.extents(name);
    if (!to || static_cast<std::size_t>(std::max<std::int64_t>(count_of(*to), 0)) != r.size())
      throw_error<format_error>("%s: %s has an unknown shape", path_, named(in, name).c_str());
    if (r.scales.size() > 1) {
      // Only axes of 1 may come or go: then the axis of the scales stays one.
      integers before = r.extents, after = *to;
      std::size_t index = 0;
      for (std::size_t i = 0; i < r.axis; ++i) index += before[i] != 1;
      std::erase(before, 1);
      std::erase(after, 1);
      if (before != after)
        throw_error<format_error>("%s: %s reshapes numbers with several scales", path_, named(in, name).c_str());
      for (std::size_t i = 0, seen = 0; i < to->size(); ++i)
        if ((*to)[i] != 1 && seen++ == index) r.axis = i;
    }
    r.extents = *to;
  }
  static integers without_leading_ones(integers s) {
    while (!s.empty() && s.front() == 1) s.erase(s.begin());
    return s;
  }

  /// The number of a slot, by the name of its initializer; -1 for other constants.
  static int slot_of(std::string const& name) {
    if (!name.starts_with("slot_")) return -1;
    int r = 0;
    for (std::size_t i = 5; i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i) r = 10 * r + (name[i] - '0');
    return r;
  }
  std::string initializer_behind(file_values const& in, std::string name) const {
    while (in[name].made_by != nullptr) name = in[name].made_by->inputs[0];
    return name;
  }
  void match_constants(std::string const& e, std::string const& a) {
    if (!is_constant(e_, e) || !is_constant(a_, a)) throw_other(e, a);
    constant_numbers const expected = numbers_of(e_, e), actual = numbers_of(a_, a);
    int const slot = slot_of(initializer_behind(e_, e));
    if (without_leading_ones(expected.extents) != without_leading_ones(actual.extents) ||
        expected.size() != actual.size())
      throw_error<format_error>("%s: expected %s of shape %s, as in the net, got %s", path_, named(a_, a).c_str(),
                                text_of(expected.extents).c_str(), text_of(actual.extents).c_str());
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (slot >= 0) set(slot, static_cast<std::size_t>(expected.numbers[i]), actual[i], a);
      else if (static_cast<float>(expected[i]) != static_cast<float>(actual[i]))
        throw_error<format_error>("%s: expected %s with the number %.9g, as in the net, got %.9g", path_,
                                  named(a_, a).c_str(), expected[i], actual[i]);
  }
  void set(int slot, std::size_t at, double x, std::string const& a) {
    auto const s = static_cast<std::size_t>(slot);
    auto const number = static_cast<float>(x);
    if ((std::bit_cast<std::uint32_t>(number) & 0x7f800000u) == 0x7f800000u)
      throw_error<format_error>("%s: expected finite numbers in %s, got a NaN or an infinity", path_,
                                named(a_, a).c_str());
    if (known_[s][at] && slots_[s][at] != number)
      throw_error<format_error>("%s: %s differs from another operand, and in the net both are one parameter", path_,
                                named(a_, a).c_str());
    slots_[s][at] = number;
    known_[s][at] = true;
  }

  // Products.

  struct product {
    operation const* made_by;
    std::string input, weights, bias;  ///< bias: empty if there is none
  };
  std::optional<product> product_without_sum(file_values const& in, std::string const& name) const {
    operation const* const o = in[name].made_by;
    if (o == nullptr || o->inputs.size() < 2) return {};
    bool const is = (o->type == "MatMul" || o->type == "Gemm" || o->type == "Conv") && is_constant(in, o->inputs[1]) &&
                    !is_constant(in, o->inputs[0]);
    if (!is) return {};
    bool const constant_bias = o->inputs.size() > 2 && !o->inputs[2].empty();
    return product{o, o->inputs[0], o->inputs[1], constant_bias ? o->inputs[2] : std::string{}};
  }
  /// A product, perhaps with the sum of its bias behind it.
  std::optional<product> product_of(file_values const& in, std::string const& name) const {
    if (auto p = product_without_sum(in, name)) return p;
    operation const* const o = in[name].made_by;
    if (o == nullptr || o->type != "Add" || o->inputs.size() != 2) return {};
    for (std::size_t k = 0; k < 2; ++k) {
      if (is_constant(in, o->inputs[k]) || !is_constant(in, o->inputs[1 - k])) continue;
      std::string x = behind_reshapes(in, o->inputs[k]);
      // Some writers round the product before they add the bias.
      while (in[x].made_by != nullptr && in[x].made_by->type == "DequantizeLinear") {
        pair const p = pair_of(x, "in front of DequantizeLinear");
        if (p.zero_point == 0 || p.zero_point == 255)
          throw_error<format_error>("%s: %s clips a product before its bias is added", path_, named(in, x).c_str());
        x = behind_reshapes(in, p.input);
      }
      auto p = product_without_sum(in, x);
      auto const &bias = in.extents(o->inputs[1 - k]), &result = in.extents(x);
      if (!p || !p->bias.empty() || !bias || !result) return {};
      bool const images = p->made_by->type == "Conv";
      std::int64_t const outputs = images ? (*result)[1] : result->back();
      integers const s = without_leading_ones(*bias);
      if (static_cast<double>(outputs) != size_of(s) || (s.empty() ? outputs != 1 : s.front() != outputs)) return {};
      if (s.size() != (images && outputs != 1 ? result->size() - 1 : s.empty() ? 0 : 1)) return {};
      p->bias = o->inputs[1 - k];
      return p;
    }
    return {};
  }

  /// QuantizeLinear and DequantizeLinear with the same scale.
  struct pair {
    std::string input;
    float scale;
    std::int32_t zero_point;  ///< of 0 to 255
  };
  pair pair_of(std::string const& dequantized, char const* where) const {
    operation const* const d = a_[dequantized].made_by;
    std::string const between = behind_reshapes(a_, d->inputs[0]);
    operation const* const q = a_[between].made_by;
    if (q == nullptr || q->type != "QuantizeLinear")
      throw_error<format_error>("%s: expected QuantizeLinear %s %s, got %s", path_, where,
                                in_quotes(dequantized).c_str(), named(a_, between).c_str());
    std::vector<double> const s = scales_of(*q), s2 = scales_of(*d);
    if (s.size() != 1 || s2.size() != 1)
      throw_error<format_error>("%s: %s: expected one scale for all activations, got %d", path_,
                                named(a_, between).c_str(), static_cast<int>(s.size()));
    zero_of const z = zero_point_of(*q, element::uint8), z2 = zero_point_of(*d, z.type);
    if (s != s2 || z.at != z2.at || z.type != z2.type)
      throw_error<format_error>("%s: %s and %s have different scales or zero points", path_, named(a_, between).c_str(),
                                named(a_, dequantized).c_str());
    if (z.type != element::int8 && z.type != element::uint8)
      throw_error<format_error>("%s: %s: expected activations of 8 bits, got element type %d", path_,
                                named(a_, between).c_str(), static_cast<int>(z.type));
    return {q->inputs[0], static_cast<float>(s[0]),
            static_cast<std::int32_t>(z.at + (z.type == element::int8 ? 128 : 0))};
  }

  void match_products(product const& e, product const& a, std::string const& name) {
    bool const images = e.made_by->type == "Conv";
    if (images != (a.made_by->type == "Conv")) throw_other(e.made_by->result, a.made_by->result);
    if (images) {
      match_windows(*e.made_by, *a.made_by, a.made_by->result);
      std::int64_t const expected = integer_of(*e.made_by, "group", 1), actual = integer_of(*a.made_by, "group", 1);
      if (expected != actual)
        throw_error<format_error>("%s: expected %s with %lld groups, got %lld", path_,
                                  named(a_, a.made_by->result).c_str(), static_cast<long long>(expected),
                                  static_cast<long long>(actual));
    }
    check_gemm(*a.made_by);
    bool const adds_nothing = e.bias.empty() && !a.bias.empty() && is_zero(a.bias);
    if (e.bias.empty() != a.bias.empty() && !adds_nothing)
      throw_error<format_error>("%s: expected %s %s a bias", path_, named(a_, name).c_str(),
                                e.bias.empty() ? "without" : "with");
    int const slot = slot_of(initializer_behind(e_, e.weights));
    constant_numbers const index = in_columns(e_, e), weights = in_columns(a_, a);
    if (index.extents != weights.extents)
      throw_error<format_error>("%s: expected %s with weights of shape %s, as in the net, got %s", path_,
                                named(a_, a.made_by->result).c_str(), text_of(index.extents).c_str(),
                                text_of(weights.extents).c_str());
    if (!e.bias.empty()) match_bias(e.bias, a.bias);
    compared const what = images ? compared::whole : compared::columns;
    std::size_t k = 0;
    while (k < products_.size() && products_[k].slot != slot) ++k;
    if (k == products_.size()) {  // a product in float
      for (std::size_t i = 0; i < index.size(); ++i)
        set(slot, static_cast<std::size_t>(index.numbers[i]), weights[i], a.weights);
      return match(e.input, a.input, what);
    }
    take_weights(k, index, weights, images ? 0 : index.extents.size() - 1, a);
    std::string const pair_at = behind_reshapes(a_, a.input);
    operation const* const d = a_[pair_at].made_by;
    if (d == nullptr || d->type != "DequantizeLinear")
      throw_error<format_error>("%s: expected QuantizeLinear and DequantizeLinear in front of %s, got %s", path_,
                                named(a_, a.made_by->result).c_str(), named(a_, pair_at).c_str());
    pair const p = pair_of(pair_at, "in front of");
    found_[k].scale = p.scale;
    found_[k].zero_point = p.zero_point;
    match(e.input, p.input, compared::size, p.zero_point == 0);
    compare_shapes(e.input, a.input, what, true);  // behind what makes the shape unknown
  }
  void check_gemm(operation const& o) const {
    if (o.type != "Gemm") return;
    attribute const *const alpha = attribute_of(o, "alpha"), *const beta = attribute_of(o, "beta");
    if ((alpha != nullptr && alpha->value != 1) || (beta != nullptr && beta->value != 1) ||
        integer_of(o, "transA", 0) != 0)
      throw_error<format_error>("%s: %s: expected alpha and beta of 1, and activations that are not transposed", path_,
                                named(a_, o.result).c_str());
  }
  /// The weights, with the outputs of a matrix last.
  constant_numbers in_columns(file_values const& in, product const& p) const {
    constant_numbers const r = numbers_of(in, p.weights);
    if (p.made_by->type == "Gemm" && r.extents.size() != 2)
      throw_error<format_error>("%s: expected %s with weights of rank 2, got %s", path_,
                                named(in, p.made_by->result).c_str(), text_of(r.extents).c_str());
    return p.made_by->type == "Gemm" && integer_of(*p.made_by, "transB", 0) != 0 ? permuted(r, {1, 0}) : r;
  }
  /// Some writers give a bias of zeros to products without one.
  bool is_zero(std::string const& a) const {
    constant_numbers const x = numbers_of(a_, a);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != 0) return false;
    return true;
  }
  /// Axes of 1 around the outputs do not count.
  void match_bias(std::string const& e, std::string const& a) {
    constant_numbers const expected = numbers_of(e_, e), actual = numbers_of(a_, a);
    if (expected.size() != actual.size())
      throw_error<format_error>("%s: expected %s with %d numbers, got %d", path_, named(a_, a).c_str(),
                                static_cast<int>(expected.size()), static_cast<int>(actual.size()));
    int const slot = slot_of(initializer_behind(e_, e));
    if (slot < 0) return match_constants(e, a);
    for (std::size_t i = 0; i < expected.size(); ++i)
      set(slot, static_cast<std::size_t>(expected.numbers[i]), actual[i], a);
  }
  void take_weights(std::size_t k, constant_numbers const& index, constant_numbers const& w, std::size_t outputs_axis,
                    product const& a) {
    std::string const where = named(a_, a.made_by->result);
    if (found_[k].found)
      throw_error<format_error>("%s: the weights of %s are read by several products, which is not read", path_,
                                where.c_str());
    if (w.is_real() || w.type == element::int32)
      throw_error<format_error>("%s: expected %s with weights of 8 bits behind DequantizeLinear, got %s", path_,
                                where.c_str(), named(a_, a.weights).c_str());
    std::int64_t const zero = w.type == element::uint8 ? 128 : 0;
    if (w.zero != zero)
      throw_error<format_error>("%s: expected %s with symmetric weights, zero point %lld, got %lld", path_,
                                where.c_str(), static_cast<long long>(zero), static_cast<long long>(w.zero));
    if (w.scales.size() > 1 && w.axis != outputs_axis)
      throw_error<format_error>("%s: expected %s with scales of weights along axis %d, the outputs, got axis %d", path_,
                                where.c_str(), static_cast<int>(outputs_axis), static_cast<int>(w.axis));
    matched_product const& p = products_[k];
    found_product& to = found_[k];
    for (std::size_t i = 0; i < index.size(); ++i) {
      auto const at = static_cast<std::size_t>(index.numbers[i]);
      std::size_t const columns = static_cast<std::size_t>(p.columns),
                        group = at / (static_cast<std::size_t>(p.depth) * columns);
      to.weights[at] = static_cast<std::int8_t>(w.whole[i] - w.zero);
      to.steps[group * columns + at % columns] = static_cast<float>(w.scale(i));
      set(p.slot, at, w[i], a.weights);
    }
    to.found = true;
  }

  struct visit {
    std::string e, a;
    compared what;
    bool clips;
    auto operator<=>(visit const&) const = default;
  };
  file_values const &e_, &a_;
  std::int64_t samples_e_, samples_a_;
  std::vector<matched_product> products_;
  char const* path_;
  std::vector<found_product> found_;
  std::vector<std::vector<float>> slots_;
  std::vector<std::vector<bool>> known_;
  std::set<visit> done_;
  std::set<std::pair<std::string, std::string>> compared_;
};

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
