// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdlib>
#include <string_view>

#include "text.hpp"

/// Types as a reader of a table wants them: Linear<64, 32>, Dropout<0.1>, LayerNorm<(64)>, Repeat<3>; the same words from every compiler.
namespace espalier::report {

namespace detail {

template <class T>
constexpr std::string_view written_type() {
  std::string_view const text = __PRETTY_FUNCTION__;
  std::size_t const begin = text.find("T = ") + 4;
  std::size_t end = text.rfind(']');
  if (std::size_t const next = text.find("; ", begin); next != std::string_view::npos) end = next;  // g++ says what its alias stands for, too
  return text.substr(begin, end - begin);
}

constexpr std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}
constexpr bool opens(char c) { return c == '<' || c == '(' || c == '{' || c == '['; }
constexpr bool closes(char c) { return c == '>' || c == ')' || c == '}' || c == ']'; }

/// Splits at the commas that no bracket holds.
inline std::vector<std::string_view> split(std::string_view s) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= s.size(); ++i) {
    if (i < s.size() && opens(s[i])) ++depth;
    if (i < s.size() && closes(s[i])) --depth;
    if (i == s.size() || (s[i] == ',' && depth == 0)) {
      if (std::string_view const part = trimmed(s.substr(begin, i - begin)); !part.empty()) parts.push_back(part);
      begin = i + 1;
    }
  }
  return parts;
}
/// Behind the last :: that no bracket holds.
inline std::string_view unqualified(std::string_view s) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < s.size(); ++i) {
    if (opens(s[i])) ++depth;
    if (closes(s[i])) --depth;
    if (depth == 0 && s[i] == ':' && s[i + 1] == ':') begin = i + 2;
  }
  return s.substr(begin);
}
inline bool is_number(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789.+-e") == std::string_view::npos && s.find_first_of("0123456789") != std::string_view::npos;
}

inline std::string short_number(std::string_view s) {
  return s.find_first_of(".e") == std::string_view::npos ? std::string(s) : number_text(std::strtod(std::string(s).c_str(), nullptr));
}

/// A template argument; nothing where it is no number, no shape and no pair of numbers.
inline std::string short_argument(std::string_view s) {
  if (is_number(s)) return short_number(s);
  std::size_t const open = s.find_first_of("<{");
  if (open == std::string_view::npos || !closes(s.back())) return {};
  bool const shape = s[open] == '<' && unqualified(s.substr(0, open)) == "shape";
  if (s[open] == '<' && !shape) return {};
  std::string inside;
  int count = 0;
  for (std::string_view const part : split(s.substr(open + 1, s.size() - open - 2))) {
    std::string const text = short_argument(part);
    if (text.empty()) return {};
    inside += (count++ == 0 ? "" : ", ") + text;
  }
  if (!shape && count > 2) return {};
  return count == 1 && !shape ? inside : "(" + inside + ")";
}

}  // namespace detail

/// The short form of a type's name: no namespaces, and of its template arguments those that are numbers or shapes.
inline std::string short_name(std::string_view written) {
  std::size_t open = std::string_view::npos;
  if (!written.empty() && written.back() == '>') {
    int depth = 0;
    for (std::size_t i = written.size(); i-- > 0;) {
      if (detail::closes(written[i])) ++depth;
      if (detail::opens(written[i]) && --depth == 0) {
        open = i;
        break;
      }
    }
  }
  std::string name(detail::unqualified(written.substr(0, open)));
  if (open == std::string_view::npos) return name;
  std::string inside;
  for (std::string_view const part : detail::split(written.substr(open + 1, written.size() - open - 2)))
    if (std::string const text = detail::short_argument(part); !text.empty()) inside += (inside.empty() ? "" : ", ") + text;
  return inside.empty() ? name : name + '<' + inside + '>';
}
template <class T>
std::string short_name() {
  return short_name(detail::written_type<T>());
}

}  // namespace espalier::report
