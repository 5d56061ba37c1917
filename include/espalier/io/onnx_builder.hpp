// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <memory>

#include "../operation/structure.hpp"
#include "../tracing/interpret.hpp"
#include "error.hpp"
#include "onnx_file.hpp"

/// Builds the operations of an ONNX file. The file may store a value with another order of axes or other extents than
/// the program; it is transposed or reshaped only if an operation requires it.
namespace espalier::io::onnx {

/// Numbers that are constant in the file: a parameter, a buffer, a literal (rank 0, no name).
struct tensor {
  std::string name;
  extents shape;
  std::vector<double> numbers;
};

constexpr std::uint64_t identity_order = packed_permutation(0, 1, 2, 3, 4, 5);
constexpr bool in_order(std::uint64_t order, int rank) {
  for (int i = 0; i < rank; ++i)
    if (axis_behind(order, i) != i) return false;
  return true;
}
/// A value of a program as the file stores it: `stored` extents with the axes in another order. Its shape can also
/// differ from the program's by a reshape or a broadcast that is not yet written.
struct view {
  std::string name{};  ///< in the file
  /// or a constant, with its axes in order
  std::shared_ptr<tensor const> held{};
  extents stored{};
  std::uint64_t order = identity_order;
  /// the axis of `stored` that grows with the number of samples
  int samples_at = -1, samples_times = 0;
  /// the result of a convolution with a single reader
  bool accepts_bias = false;

  [[nodiscard]] extents shape() const { return permuted_extents(stored, order); }
  [[nodiscard]] bool is_number() const { return held && held->name.empty() && held->numbers.size() == 1; }
};

inline integers integers_of(extents const& s) { return integers(s.at, s.at + s.rank); }
inline integers integers_of(std::uint64_t order, int rank) {
  integers r;
  for (int i = 0; i < rank; ++i) r.push_back(axis_behind(order, i));
  return r;
}
/// The extents, with extents of 1 in front up to `rank`.
constexpr extents widened(extents const& s, int rank) {
  extents r{};
  for (int i = s.rank; i < rank; ++i) r.push(1);
  for (int i = 0; i < s.rank; ++i) r.push(s.at[i]);
  return r;
}

class builder {
 public:
  /// samples: if the file leaves their number open, the number of samples in the traced program; otherwise 0.
  builder(char const* path, element real, int samples) : path_{path}, real_{real}, samples_{samples} {}

  model_file file;
  [[nodiscard]] element real() const { return real_; }
  [[nodiscard]] int operator_set() const { return file.operator_set; }
  [[nodiscard]] bool open_samples() const { return samples_ > 0; }
  [[nodiscard]] int samples() const { return samples_; }

  [[noreturn]] void throw_open_batch(char const* reason) const {
    throw_error<error>(
        "%s: cannot export with an open number of samples: %s; write_onnx<batch<N, ...>> exports the net for N samples",
        path_, reason);
  }
  [[noreturn]] void throw_unsupported_op(char const* reason) const {
    throw_error<error>("%s: %s cannot be exported", path_, reason);
  }

  /// Adds an operation, or finds an equal one; returns the name of its result.
  std::string emit(char const* type, std::vector<std::string> inputs, std::vector<attribute> attributes = {}) {
    std::string key = type;
    for (std::string const& input : inputs) key += '|' + input;
    for (attribute const& a : attributes) {
      key += '/' + a.name + std::to_string(std::bit_cast<std::uint64_t>(a.value));
      for (auto const v : a.values) key += ',' + std::to_string(v);
    }
    std::string& existing = results_[key];
    if (existing.empty()) {
      std::string name = type;
      for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      existing = unused(name + '_' + std::to_string(++counts_[name]));
      file.operations.push_back(operation{type, std::move(inputs), existing, std::move(attributes)});
    }
    return existing;
  }
  /// The operations that f emits, as a graph of their own. They can read the values around them, but nothing around
  /// them can read theirs.
  template <class F>
  std::vector<operation> graph_of(F&& f) {
    auto const around = results_;
    std::vector<operation> outside;
    outside.swap(file.operations);
    f();
    outside.swap(file.operations);
    results_ = around;
    return outside;
  }
  /// A name that no value of the file has.
  std::string unused(std::string const& base_name) {
    std::string name = base_name;
    for (int i = 1; !used_.emplace(name, 0).second; ++i) name = base_name + '_' + std::to_string(i);
    return name;
  }
  /// The extents as the file states them: -1 for the number of samples, -2 for what depends on it.
  static integers stated(extents const& s, view const& v) {
    integers all = integers_of(s);
    if (v.samples_at >= 0) all[static_cast<std::size_t>(v.samples_at)] = v.samples_times == 1 ? -1 : -2;
    return all;
  }
  /// A constant of shape s whose axis `at` has the number of samples, which the file leaves open.
  view for_all_samples(tensor const& t, extents const& s, int at) {
    tensor const all = broadcast_constant(t, s);
    extents one = s;
    one.at[at] = 1;
    tensor first{t.name, one, std::vector<double>(static_cast<std::size_t>(one.size()))};
    std::int64_t const inner = s.product(at + 1, s.rank), run = inner * s.at[at];
    for (std::size_t i = 0; i < all.numbers.size(); ++i) {
      auto const k = static_cast<std::int64_t>(i);
      double& number = first.numbers[static_cast<std::size_t>(k / run * inner + k % inner)];
      if (k % run < inner) number = all.numbers[i];
      else if (number != all.numbers[i]) throw_open_batch("a constant differs between samples");
    }
    std::string const count = emit("Gather", {emit("Shape", {file.inputs[0].name}), list({0})}, {with("axis", 0)});
    std::vector<std::string> parts;
    integers const extents_of = integers_of(s);
    if (at > 0) parts.push_back(list(integers(extents_of.begin(), extents_of.begin() + at)));
    parts.push_back(count);
    if (at + 1 < s.rank) parts.push_back(list(integers(extents_of.begin() + at + 1, extents_of.end())));
    std::string const target = parts.size() == 1 ? count : emit("Concat", parts, {with("axis", 0)});
    view r = plain(emit("Expand", {constant(first), target}), s, {});
    r.samples_at = at;
    r.samples_times = 1;
    return r;
  }
  /// Adds an input to the latest operation with that result.
  void add_input(std::string const& result, std::string input) {
    for (auto o = file.operations.rbegin(); o != file.operations.rend(); ++o)
      if (o->result == result) return o->inputs.push_back(std::move(input));
  }

  /// The name of input or output number i of several ("x1"), or of the only one ("x").
  std::string numbered_name(char const* base, std::size_t i, std::size_t count) {
    return count == 1 ? std::string{base} : unused(base + std::to_string(i));
  }
  std::string number(double value) {
    std::string& existing = numbers_[std::bit_cast<std::uint64_t>(value)];
    if (existing.empty()) {
      char text[40];
      std::snprintf(text, sizeof text, "number_%.9g", value);
      existing = unused(text);
      file.initializers.push_back({existing, real_, {}, {value}, {}});
    }
    return existing;
  }
  std::string list(integers const& values, integers const& extents) {
    std::string key;
    for (auto const v : values) key += std::to_string(v) + ',';
    key += '|';
    for (auto const e : extents) key += std::to_string(e) + ',';
    std::string& existing = lists_[key];
    if (existing.empty()) {
      existing = unused("integers_" + std::to_string(lists_.size()));
      file.initializers.push_back({existing, element::int64, extents, {}, values});
    }
    return existing;
  }
  std::string list(integers const& values) { return list(values, {static_cast<std::int64_t>(values.size())}); }

  /// Adds numbers to the file, under their name if it is unused: the same parameter in another order gets its own name.
  std::string constant(tensor const& t) {
    if (t.name.empty() && t.numbers.size() == 1 && t.shape.rank == 0) return number(t.numbers[0]);
    std::string const base = t.name.empty() ? "numbers" : t.name;
    for (std::size_t const i : constants_[base])
      if (file.initializers[i].extents == integers_of(t.shape) && file.initializers[i].numbers == t.numbers)
        return file.initializers[i].name;
    constants_[base].push_back(file.initializers.size());
    file.initializers.push_back({unused(base), real_, integers_of(t.shape), t.numbers, {}});
    return file.initializers.back().name;
  }
  static view hold(tensor t) {
    view v;
    v.stored = t.shape;
    v.held = std::make_shared<tensor const>(std::move(t));
    return v;
  }
  static view hold(double number) { return hold(tensor{{}, extents{}, {number}}); }
  static view plain(std::string name, extents const& s, view const& like) {
    view v;
    v.name = std::move(name);
    v.stored = s;
    v.samples_at = like.samples_at;
    v.samples_times = like.samples_times;
    return v;
  }

  /// The value with other extents.
  view reshaped(view const& v, extents const& from, extents const& to) {
    if (v.is_number()) return v;
    if (v.held && v.stored.size() != from.size()) return reshaped_constant(*v.held, from, to);
    if (v.stored.size() != from.size()) return reshaped(expanded(v, from), from, to);
    if (!v.held) return v;
    return hold(tensor{v.held->name, to, v.held->numbers});
  }
  /// A view of a value of shape s whose last axes are those of s, or 1.
  view settled(view const& v, extents const& s) {
    if (v.stored.size() != s.size() || v.shape() == s) return v;
    if (v.held) return reshaped(v, s, s);
    if (view r = v; places_ones(r, s)) return r;
    return reshaped_now(transposed_now(v), s);
  }
  /// The value with its axes in another order.
  view permuted(view const& operand, extents const& s, std::uint64_t packed) {
    if (view v = operand; !operand.held && operand.stored.size() == s.size() && permutes_behind_ones(v, s, packed))
      return v;
    view v = settled(operand, s);
    if (v.is_number()) return v;
    extents const aligned = widened(v.shape(), s.rank);
    if (v.held) return hold(transposed_numbers({v.held->name, aligned, v.held->numbers}, packed));
    if (v.stored.rank < s.rank) v = reshaped_now(transposed_now(v), aligned);
    v.order = composed_permutation(v.order, packed, s.rank);
    return v;
  }
  /// The name of the whole value, with its axes in order.
  std::string named(view const& v, extents const& s) { return whole(v, s).name; }
  view whole(view const& v, extents const& s) {
    if (!v.held && v.stored.size() == s.size()) return with_shape(transposed_now(v), s);
    return expanded(v, s);
  }
  /// The constant numbers, or the value with its axes in order: an operand that ONNX can broadcast.
  std::string in_place(view const& v) { return v.held ? constant(*v.held) : transposed_now(v).name; }

  static tensor transposed_numbers(tensor const& t, std::uint64_t packed) {
    if (in_order(packed, t.shape.rank)) return t;
    tensor r{t.name, permuted_extents(t.shape, packed), std::vector<double>(t.numbers.size())};
    for (std::size_t i = 0; i < t.numbers.size(); ++i)
      r.numbers[i] = t.numbers[static_cast<std::size_t>(
          tracing::detail::permuted_offset(t.shape, r.shape, packed, static_cast<std::int64_t>(i)))];
    return r;
  }
  /// Repeats numbers until they fill a shape.
  static tensor broadcast_constant(tensor const& t, extents const& s) {
    if (t.numbers.size() == static_cast<std::size_t>(s.size())) return {t.name, s, t.numbers};
    tensor r{t.name, s, std::vector<double>(static_cast<std::size_t>(s.size()))};
    for (std::size_t i = 0; i < r.numbers.size(); ++i)
      r.numbers[i] =
          t.numbers[static_cast<std::size_t>(tracing::detail::source_offset(t.shape, s, static_cast<std::int64_t>(i)))];
    return r;
  }

  view transposed_now(view const& v) {
    if (v.held || in_order(v.order, v.stored.rank)) return v;
    if (moves_ones(v.order, v.stored)) return reshaped_now(plain(v.name, v.stored, v), v.shape());
    view r = plain(emit("Transpose", {v.name}, {with("perm", integers_of(v.order, v.stored.rank))}), v.shape(), v);
    for (int i = 0; i < r.stored.rank; ++i)
      if (axis_behind(v.order, i) == v.samples_at) r.samples_at = i;
    if (v.samples_at < 0) r.samples_at = -1;
    return r;
  }
  view reshaped_now(view const& v, extents const& to) {
    if (v.stored == to) return v;
    integers target = integers_of(to);
    view r = plain({}, to, v);
    if (v.samples_at >= 0) {
      r.samples_at = samples_after_reshape(v, to);
      r.samples_times = to.at[r.samples_at] / samples_;
      target[static_cast<std::size_t>(r.samples_at)] = -1;
    }
    r.name = emit("Reshape", {v.name, list(target)});
    return r;
  }

  /// Whether the axes longer than 1 keep their order.
  static bool moves_ones(std::uint64_t order, extents const& s) {
    int last = -1;
    for (int i = 0; i < s.rank; ++i) {
      int const axis = axis_behind(order, i);
      if (s.at[axis] == 1) continue;
      if (axis < last) return false;
      last = axis;
    }
    return true;
  }

 private:
  /// Permutes a value whose shape in the program has some additional axes of extent 1.
  static bool permutes_behind_ones(view& v, extents const& s, std::uint64_t packed) {
    extents const shape = v.shape();
    int axis_of[max_rank], found = 0;
    for (int i = 0; i < s.rank; ++i) {
      bool const same = found < shape.rank && shape.at[found] == s.at[i];
      if (!same && s.at[i] != 1) return false;
      axis_of[i] = same ? found++ : -1;
    }
    if (found != shape.rank) return false;
    std::uint64_t order = 0;
    int at = 0;
    for (int i = 0; i < s.rank; ++i)
      if (int const axis = axis_of[axis_behind(packed, i)]; axis >= 0)
        order |= packed_axis(at++, axis_behind(v.order, axis));
    v.order = order;
    return true;
  }
  /// Moves axes of extent 1 between the others, without an operation, if the value then has shape s.
  static bool places_ones(view& v, extents const& s) {
    if (v.stored.rank != s.rank) return false;
    extents const shape = v.shape();
    std::uint64_t order = 0;
    int longer = 0, one = 0;
    for (int i = 0; i < s.rank; ++i) {
      int axis = 0;
      if (s.at[i] != 1) {
        while (longer < s.rank && shape.at[longer] == 1) ++longer;
        if (longer == s.rank || shape.at[longer] != s.at[i]) return false;
        axis = axis_behind(v.order, longer++);
      } else {
        while (one < s.rank && v.stored.at[one] != 1) ++one;
        if (one == s.rank) return false;
        axis = one++;
      }
      order |= packed_axis(i, axis);
    }
    v.order = order;
    return true;
  }
  view with_shape(view const& v, extents const& s) { return v.stored == s ? v : reshaped_now(v, s); }
  view expanded(view const& operand, extents const& s) {
    if (operand.held) return plain(constant(repeated(*operand.held, s)), s, operand);
    view const v = transposed_now(operand);
    int const lead = s.rank - v.stored.rank;
    integers target = integers_of(s);
    if (open_samples()) {
      for (int i = 0; i < s.rank; ++i) {
        bool const repeats = i < lead || v.stored.at[i - lead] != s.at[i];
        if (repeats && s.at[i] % samples_ == 0) throw_open_batch("a tensor is broadcast along the samples");
        if (i - lead == v.samples_at && v.samples_at >= 0) target[static_cast<std::size_t>(i)] = 1;
      }
    }
    view r = plain(emit("Expand", {v.name, list(target)}), s, v);
    if (v.samples_at >= 0) r.samples_at = v.samples_at + lead;
    return r;
  }
  /// A constant that fills a shape. An open number of samples has no constant that repeats it.
  tensor repeated(tensor const& t, extents const& s) const {
    extents const own = widened(t.shape, s.rank);
    bool const fills = t.numbers.size() == static_cast<std::size_t>(s.size());
    for (int i = 0; i < s.rank && open_samples() && !fills; ++i)
      if (own.at[i] != s.at[i] && s.at[i] % samples_ == 0) throw_open_batch("a constant is repeated along the samples");
    return broadcast_constant(t, s);
  }
  /// The leading axes that a reshape keeps, and that the constant is the same along, stay a broadcast.
  view reshaped_constant(tensor const& t, extents const& from, extents const& to) const {
    extents const own = widened(t.shape, from.rank);
    int kept = 0;
    while (kept < from.rank && kept < to.rank && from.at[kept] == to.at[kept] && own.at[kept] == 1) ++kept;
    auto const rest = [&](extents const& s) {
      extents r{};
      for (int i = kept; i < s.rank; ++i) r.push(s.at[i]);
      return r;
    };
    return hold(tensor{t.name, rest(to), repeated(t, rest(from)).numbers});
  }
  /// The axis of the samples after a reshape: unchanged, or the first axis that is longer than 1.
  int samples_after_reshape(view const& v, extents const& to) const {
    int same = 0;
    while (same < to.rank && same < v.stored.rank && to.at[same] == v.stored.at[same]) ++same;
    if (same > v.samples_at) return v.samples_at;
    int first = 0;
    while (first < to.rank && to.at[first] == 1) ++first;
    if (v.stored.product(0, v.samples_at) != 1 || first == to.rank || to.at[first] % samples_ != 0)
      throw_open_batch("a reshape splits samples");
    return first;
  }

  char const* path_;
  element real_;
  int samples_;
  std::map<std::string, std::string> results_, lists_;
  std::map<std::string, int> counts_, used_{{"x", 0}, {"y", 0}};
  std::map<std::uint64_t, std::string> numbers_;
  std::map<std::string, std::vector<std::size_t>> constants_;
};

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
