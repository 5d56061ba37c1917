// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstring>
#include <map>

#include "../base/math.hpp"
#include "archive.hpp"
#include "load_options.hpp"
#include "mismatch.hpp"

/// Matches the arrays of a file with those of a model, and lists all disagreements.
namespace espalier::io::detail {

/// Calls f(type_identity<T>) with the C++ type of a real element kind.
template <class F>
auto with_real_type(element_kind kind, F&& f) {
  switch (kind) {
    case element_kind::f16:
      return f(std::type_identity<half>{});
    case element_kind::b16:
      return f(std::type_identity<bfloat16>{});
    case element_kind::f32:
      return f(std::type_identity<float>{});
    default:
      return f(std::type_identity<double>{});
  }
}

/// The i-th element of type T in bytes that may be unaligned.
template <class T>
T element_at(unsigned char const* bytes, std::int64_t i) noexcept {
  T x;
  std::memcpy(&x, bytes + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return x;
}

/// The number of elements that are infinite or NaN.
inline std::int64_t count_not_finite(named_array const& a) {
  if (!is_real(a.kind)) return 0;
  return with_real_type(a.kind, [&]<class T>(std::type_identity<T>) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) count += !math::isfinite(static_cast<double>(element_at<T>(a.data, i)));
    return count;
  });
}

/// Copies elements of one kind, or rounds real elements to another kind.
inline void copy_elements(named_array const& from, named_array const& to) {
  auto* const out = const_cast<unsigned char*>(to.data);
  if (from.kind == to.kind) {
    // A bool must be 0 or 1, but a file may store any byte.
    if (to.kind == element_kind::boolean)
      std::transform(from.data, from.data + to.bytes, out,
                     [](unsigned char byte) { return static_cast<unsigned char>(byte != 0); });
    else if (to.bytes > 0) std::memcpy(out, from.data, static_cast<std::size_t>(to.bytes));
    return;
  }
  with_real_type(from.kind, [&]<class From>(std::type_identity<From>) {
    with_real_type(to.kind, [&]<class To>(std::type_identity<To>) {
      for (std::int64_t i = 0; i < to.size(); ++i) {
        To const x = static_cast<To>(static_cast<double>(element_at<From>(from.data, i)));
        std::memcpy(out + i * static_cast<std::int64_t>(sizeof(To)), &x, sizeof(To));
      }
    });
  });
}

/// The same for a `from` whose axes are those of `to` in another order.
inline void copy_permuted(named_array const& from, named_array const& to, axis_order const& order) {
  // The stride in `from`, in elements, for each axis of `to`.
  std::int64_t step[max_rank]{}, distance = 1;
  for (int i = order.rank; i-- > 0;) {
    step[order.at[i]] = distance;
    distance *= to.extents[static_cast<std::size_t>(order.at[i])];
  }
  std::size_t const rank = to.extents.size();
  std::int64_t index[max_rank]{}, at = 0;
  named_array one_from = from, one_to = to;
  one_from.bytes = bytes_of(from.kind);
  one_to.bytes = bytes_of(to.kind);
  for (std::int64_t i = 0; i < to.size(); ++i) {
    one_from.data = from.data + at * one_from.bytes;
    one_to.data = to.data + i * one_to.bytes;
    copy_elements(one_from, one_to);
    for (std::size_t axis = rank; axis-- > 0;) {
      at += step[axis];
      if (++index[axis] < to.extents[axis]) break;
      at -= index[axis] * step[axis];
      index[axis] = 0;
    }
  }
}

/// "float (64, 10)"
inline std::string described(named_array const& a) { return std::string{name_of(a.kind)} + " " + text_of(a.extents); }

/// The name of the step count that training continues from; most_steps is its largest valid value.
inline constexpr char const* steps_name = "training/steps";
inline constexpr std::int64_t most_steps = std::int64_t{1} << 62;
/// Limits the search for the most similar name: a file with more unmatched names is not worth the time.
inline constexpr std::size_t most_similar_names = 1000;

/// Whether from_pytorch() skips a tensor: a net has no use for the count of batches.
inline bool is_left_out_of_pytorch(std::string_view name) {
  constexpr std::string_view ending = "num_batches_tracked";
  return name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending &&
         (name.size() == ending.size() || name[name.size() - ending.size() - 1] == '.');
}
/// Extents without those of 1: arrays that agree in the rest have the same elements in the same order.
inline std::vector<std::int64_t> longer_than_one(std::vector<std::int64_t> const& extents) {
  std::vector<std::int64_t> r;
  for (std::int64_t const extent : extents)
    if (extent != 1) r.push_back(extent);
  return r;
}
inline std::vector<std::int64_t> in_order(axis_order const& order, std::vector<std::int64_t> const& extents) {
  std::vector<std::int64_t> r;
  for (int i = 0; i < order.rank; ++i) r.push_back(extents[static_cast<std::size_t>(order.at[i])]);
  return r;
}
inline constexpr char const* layout_remedy =
    "if PyTorch wrote it, load it with io::load_options{}.from_pytorch(), which converts; if its tensors have the model's axes, with .from_espalier()";

/// An entry of a file's metadata, or null.
inline std::string const* entry_of(archive const& file, std::string_view name) {
  for (auto const& m : file.metadata())
    if (m.name == name) return &m.text;
  return nullptr;
}

struct matching {
  struct pair {
    named_array const *from, *to;
    axis_order const* order;  ///< the order of the file's axes; null: the model's order
  };
  std::vector<pair> pairs;
  std::vector<disagreement> disagreements;

  matching(archive const& from, std::vector<named_array> const& to, load_options const& options)
      : from_pytorch_{options.layout() == file_layout::pytorch} {
    bool of_model = false;
    for (auto const& a : to) of_model = of_model || a.of_model;
    std::string const* const format = entry_of(from, "format");
    bool const is_espalier = format != nullptr && *format == "espalier";
    if (options.layout() == file_layout::from_metadata && of_model && format != nullptr && !is_espalier) {
      add_layout_mismatch({}, "espalier's",
                          "the format " + in_quotes(*format) + (*format == "pt" ? ", which is PyTorch's" : ""),
                          layout_remedy);
      return;
    }
    match(from, to, options);
    if (options.layout() == file_layout::from_metadata && of_model && !is_espalier) check_ambiguous_layout();
  }

 private:
  void match(archive const& from, std::vector<named_array> const& to, load_options const& options) {
    std::map<std::string, named_array const*, std::less<>> expected, found;
    for (auto const& a : to) expected[a.name] = &a;
    std::vector<named_array const*> extra;
    for (auto const& a : from.arrays()) {
      if (options.ignores(a.name)) continue;
      std::string const name = options.renamed(a.name);
      if (from_pytorch_ && expected.find(name) == expected.end() && is_left_out_of_pytorch(a.name)) continue;
      if (expected.find(name) == expected.end()) extra.push_back(&a);
      else if (!found.emplace(name, &a).second)
        disagreements.push_back(
            {disagreement_kind::twice, name, {}, in_quotes(found[name]->name) + " and " + in_quotes(a.name), {}});
    }
    std::vector<std::string> names;
    for (auto const* a : extra)
      if (names.size() < most_similar_names) names.push_back(a->name);
    for (auto const& a : to) {
      auto const at = found.find(a.name);
      if (at != found.end()) compare(*at->second, a, options);
      else if (!options.keeps(a.name))
        disagreements.push_back({disagreement_kind::missing,
                                 a.name,
                                 described(a),
                                 {},
                                 disagreements.size() < 40 ? nearest_name(a.name, names) : std::string{}});
    }
    for (auto const* a : extra) {
      bool const of_training = a->name.rfind("training/", 0) == 0;
      disagreements.push_back(
          {disagreement_kind::extra,
           a->name,
           of_training ? "which belongs to a trainer: load it with one, or ignore \"training/*\"" : "",
           described(*a),
           {}});
    }
  }

  void add_layout_mismatch(std::string const& of, std::string expected, std::string found, std::string remedy) {
    disagreements.push_back(
        {disagreement_kind::layout, of, std::move(expected), std::move(found), {}, std::move(remedy)});
  }
  /// Whether the file's extents are the model's in that order.
  bool fits_in_order(named_array const& from, named_array const& to, axis_order const& order) const {
    return longer_than_one(from.extents) == longer_than_one(in_order(order, to.extents));
  }
  void compare(named_array const& from, named_array const& to, load_options const& options) {
    axis_order const* order = options.order_of(to.name);
    extents const shape = shape_of_array(to);
    bool const is_specified = order != nullptr;
    if (from_pytorch_ && to.of_model && order == nullptr) order = &to.in_pytorch;
    if (order != nullptr && order->is_known() && !is_order_of(*order, shape)) {
      add_layout_mismatch(to.name, "each axis of " + text_of(to.extents) + " once", "another list",
                          is_specified
                              ? "write load_options.axes(name, axes...) with the model's axes in the file's order"
                              : "in_pytorch of the module is wrong");
      return;
    }
    if (order != nullptr && !order->is_known()) {
      add_layout_mismatch(to.name, "an order of axes",
                          "a module without an order for its " + text_of(to.extents) + " from PyTorch",
                          "write load_options.axes(\"" + to.name +
                              "\", ...) with the model's axes in the file's order, or in_pytorch in the module");
      return;
    }
    if (from.kind != to.kind && !(options.converts() && is_real(from.kind) && is_real(to.kind))) {
      disagreements.push_back({disagreement_kind::element, to.name, name_of(to.kind), name_of(from.kind), {}});
    } else if (order != nullptr ? !fits_in_order(from, to, *order) : from.extents != to.extents) {
      std::string remedy;
      bool const may_convert = order == nullptr && to.of_model && to.in_pytorch.is_known();
      if (may_convert && options.layout() == file_layout::from_metadata && fits_in_order(from, to, to.in_pytorch))
        remedy = "which is PyTorch's order: io::load_options{}.from_pytorch() converts it";
      if (order != nullptr && from.extents == to.extents) remedy = "which is the model's order of axes";
      std::string const expected = text_of(order != nullptr ? in_order(*order, to.extents) : to.extents);
      disagreements.push_back({disagreement_kind::shape, to.name, expected, text_of(from.extents), {}, remedy});
    } else if (std::int64_t const bad = options.requires_finite() ? count_not_finite(from) : 0; bad > 0) {
      disagreements.push_back({disagreement_kind::not_finite,
                               to.name,
                               {},
                               std::to_string(bad) + " of " + std::to_string(from.size()) + " that are not",
                               {}});
    } else if (std::int64_t const steps = to.name == steps_name ? element_at<std::int64_t>(from.data, 0) : 0;
               steps < 0 || steps > most_steps) {
      disagreements.push_back({disagreement_kind::value, to.name, "0 to 2^62", std::to_string(steps), {}});
    } else {
      pairs.push_back({&from, &to, order});
      if (to.of_model && !is_specified && !from_pytorch_) judge(to, shape);
    }
  }
  static extents shape_of_array(named_array const& a) {
    extents s{};
    for (std::int64_t const extent : a.extents)
      if (s.rank < max_rank) s.push(static_cast<int>(extent));
    return s;
  }
  /// Checks for a tensor that fits: would PyTorch's order of axes have the same extents? Then the file's layout may be
  /// ambiguous. If the extents would differ, this tensor proves the layout.
  void judge(named_array const& to, extents const& shape) {
    if (!to.in_pytorch.is_known()) {
      bool equal = false;
      for (int i = 0; i < shape.rank; ++i)
        for (int k = 0; k < i; ++k) equal = equal || (shape.at[i] == shape.at[k] && shape.at[i] != 1);
      if (equal && doubtful_ == nullptr) doubtful_ = &to;
      return;
    }
    if (!(espalier::in_order(to.in_pytorch, shape) == shape)) {
      proven_ = true;
      return;
    }
    int last = -1;
    for (int i = 0; i < to.in_pytorch.rank; ++i) {
      int const axis = to.in_pytorch.at[i];
      if (shape.at[axis] == 1) continue;
      if (axis < last && doubtful_ == nullptr) doubtful_ = &to;
      last = axis;
    }
  }
  void check_ambiguous_layout() {
    if (proven_ || doubtful_ == nullptr || !disagreements.empty()) return;
    add_layout_mismatch(doubtful_->name, "metadata that names the format",
                        "none, and PyTorch's extents would be the same " + text_of(doubtful_->extents), layout_remedy);
  }

  bool from_pytorch_, proven_ = false;
  named_array const* doubtful_ = nullptr;
};

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
