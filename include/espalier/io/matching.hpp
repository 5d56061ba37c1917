// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <cstring>
#include <map>

#include "archive.hpp"
#include "load_options.hpp"
#include "mismatch.hpp"

/// Which array of a file belongs to which of a model, and all that speaks against it.
namespace espalier::io::detail {

/// f(type_identity<T>) for the type of real elements of a kind.
template <class F>
auto with_real_type(element_kind kind, F&& f) {
  switch (kind) {
    case element_kind::f16: return f(std::type_identity<half>{});
    case element_kind::b16: return f(std::type_identity<bfloat16>{});
    case element_kind::f32: return f(std::type_identity<float>{});
    default: return f(std::type_identity<double>{});
  }
}

/// The i-th element of type T among bytes that need not be aligned.
template <class T>
T element_at(unsigned char const* bytes, std::int64_t i) noexcept {
  T x;
  std::memcpy(&x, bytes + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return x;
}

/// How many elements are infinite or no number.
inline std::int64_t count_not_finite(named_array const& a) {
  if (!is_real(a.kind)) return 0;
  return with_real_type(a.kind, [&]<class T>(std::type_identity<T>) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) count += !std::isfinite(static_cast<double>(element_at<T>(a.data, i)));
    return count;
  });
}

/// Copies elements of one kind, or rounds real ones to another kind.
inline void copy_elements(named_array const& from, named_array const& to) {
  auto* const out = const_cast<unsigned char*>(to.data);
  if (from.kind == to.kind) {
    // A bool is 0 or 1, whatever byte a file has for it.
    if (to.kind == element_kind::boolean) std::transform(from.data, from.data + to.bytes, out, [](unsigned char byte) { return static_cast<unsigned char>(byte != 0); });
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

/// "float (64, 10)"
inline std::string described(named_array const& a) { return std::string{name_of(a.kind)} + " " + text_of(a.extents); }

/// What a training is continued after: counted on from there.
inline constexpr char const* steps_name = "training/steps";
inline constexpr std::int64_t most_steps = std::int64_t{1} << 62;
/// Names among which the most similar one is looked for; a file that claims more is not worth the time.
inline constexpr std::size_t most_similar_names = 1000;

struct matching {
  struct pair {
    named_array const *from, *to;
  };
  std::vector<pair> pairs;
  std::vector<disagreement> disagreements;

  matching(archive const& from, std::vector<named_array> const& to, load_options const& options) {
    std::map<std::string, named_array const*, std::less<>> wanted, given;
    for (auto const& a : to) wanted[a.name] = &a;
    std::vector<named_array const*> extra;
    for (auto const& a : from.arrays()) {
      if (options.ignores(a.name)) continue;
      std::string const name = options.renamed(a.name);
      if (wanted.find(name) == wanted.end()) extra.push_back(&a);
      else if (!given.emplace(name, &a).second) disagreements.push_back({disagreement_kind::twice, name, {}, in_quotes(given[name]->name) + " and " + in_quotes(a.name), {}});
    }
    std::vector<std::string> names;
    for (auto const* a : extra)
      if (names.size() < most_similar_names) names.push_back(a->name);
    for (auto const& a : to) {
      auto const at = given.find(a.name);
      if (at != given.end()) compare(*at->second, a, options);
      else if (!options.keeps(a.name)) disagreements.push_back({disagreement_kind::missing, a.name, described(a), {}, disagreements.size() < 40 ? nearest_name(a.name, names) : std::string{}});
    }
    for (auto const* a : extra) {
      bool const of_training = a->name.rfind("training/", 0) == 0;
      disagreements.push_back({disagreement_kind::extra, a->name, of_training ? "which belongs to a trainer: load it with one, or ignore \"training/*\"" : "", described(*a), {}});
    }
  }

 private:
  void compare(named_array const& from, named_array const& to, load_options const& options) {
    if (from.kind != to.kind && !(options.converts() && is_real(from.kind) && is_real(to.kind))) {
      disagreements.push_back({disagreement_kind::element, to.name, name_of(to.kind), name_of(from.kind), {}});
    } else if (from.extents != to.extents) {
      disagreements.push_back({disagreement_kind::shape, to.name, text_of(to.extents), text_of(from.extents), {}});
    } else if (std::int64_t const bad = options.wants_finite() ? count_not_finite(from) : 0; bad > 0) {
      disagreements.push_back({disagreement_kind::not_finite, to.name, {}, std::to_string(bad) + " of " + std::to_string(from.size()) + " that are not", {}});
    } else if (std::int64_t const steps = to.name == steps_name ? element_at<std::int64_t>(from.data, 0) : 0; steps < 0 || steps > most_steps) {
      disagreements.push_back({disagreement_kind::value, to.name, "0 to 2^62", std::to_string(steps), {}});
    } else {
      pairs.push_back({&from, &to});
    }
  }
};

}  // namespace espalier::io::detail
