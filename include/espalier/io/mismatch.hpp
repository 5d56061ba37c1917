// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <memory>
#include <utility>

#include "../base/text.hpp"
#include "array.hpp"

namespace espalier::io {

/// The ways in which a file can disagree with a model.
enum class disagreement_kind { missing, extra, shape, element, not_finite, value, twice, layout, layers, optimizer };
struct disagreement {
  disagreement_kind kind;
  std::string name;  ///< the model's; if extra, the file's
  std::string expected, found;
  /// if missing: the most similar of the file's unmatched names; empty: none is similar
  std::string nearest;
  /// what to write instead, if there is a fix
  std::string remedy{};
};

/// mismatch_error: the arrays of a file are not those of the model. what() has the first 40 disagreements, one per
/// line; disagreements() has all.
class mismatch_error : public error {
 public:
  mismatch_error(char const* file, std::vector<disagreement> all)
      : error{make_error("%s does not fit", file)},
        all_{std::make_shared<contents>(contents{text_of(file, all), std::move(all)})} {}
  [[nodiscard]] char const* what() const noexcept override { return all_->text.c_str(); }
  [[nodiscard]] std::vector<disagreement> const& disagreements() const noexcept { return all_->all; }

  /// A disagreement as text: "shape of \"0.bias\": expected (64), found (10)".
  static std::string line_of(disagreement const& d) {
    switch (d.kind) {
      case disagreement_kind::missing:
        return "missing " + in_quotes(d.name) + ": expected " + d.expected +
               (d.nearest.empty() ? "" : "; of the file's other names the most similar is " + in_quotes(d.nearest));
      case disagreement_kind::extra:
        return "extra " + in_quotes(d.name) + ": the file has " + d.found +
               (d.expected.empty() ? "" : ", " + d.expected);
      case disagreement_kind::shape:
        return "shape of " + in_quotes(d.name) + ": expected " + d.expected + ", found " + d.found +
               (d.remedy.empty() ? "" : ", " + d.remedy);
      case disagreement_kind::layout:
        return "layout" + (d.name.empty() ? "" : " of " + in_quotes(d.name)) + ": expected " + d.expected + ", found " +
               d.found + "; " + d.remedy;
      case disagreement_kind::layers:
        return "layers: expected " + d.expected + ", found " + d.found;
      case disagreement_kind::optimizer:
        return "optimizer: expected the state of " + d.expected + ", found that of " + d.found;
      case disagreement_kind::element:
        return "elements of " + in_quotes(d.name) + ": expected " + d.expected + ", found " + d.found;
      case disagreement_kind::not_finite:
        return "values of " + in_quotes(d.name) + ": expected finite numbers, found " + d.found;
      case disagreement_kind::value:
        return "value of " + in_quotes(d.name) + ": expected " + d.expected + ", found " + d.found;
      default:
        return "twice " + in_quotes(d.name) + ": found " + d.found;
    }
  }

 private:
  struct contents {
    std::string text;
    std::vector<disagreement> all;
  };
  static error make_error(char const* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    error const made{format, arguments};
    va_end(arguments);
    return made;
  }
  static std::string text_of(char const* file, std::vector<disagreement> const& all) {
    constexpr std::size_t most = 40;
    std::string text = std::string{file} + " does not fit: " + std::to_string(all.size()) +
                       (all.size() == 1 ? " disagreement" : " disagreements") + "; nothing was loaded";
    for (std::size_t i = 0; i < all.size() && i < most; ++i) text += "\n  " + line_of(all[i]);
    if (all.size() > most) text += "\n  and " + std::to_string(all.size() - most) + " more";
    return text;
  }
  std::shared_ptr<contents const> all_;
};

namespace detail {

/// The most similar of some names, at an edit distance of at most half the length of `query`; otherwise empty.
inline std::string nearest_name(std::string const& query, std::vector<std::string> const& names) {
  std::string nearest;
  espalier::detail::nearest_so_far search{query.data(), query.size()};
  for (auto const& name : names)
    if (search.update(name.data(), name.size())) nearest = name;
  return nearest;
}

}  // namespace detail

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
