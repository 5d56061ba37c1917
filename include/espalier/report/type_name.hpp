// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <string>
#include <string_view>

#include "../base/type_words.hpp"
#include "text.hpp"

/// Short names of types for tables: Linear<64, 32>, Dropout<0.1>, LayerNorm<(64)>, Repeat<3>; the same with every
/// compiler.
namespace espalier::report {

namespace detail {

template <class T>
constexpr std::string_view written_type() {
  espalier::detail::text_part const text = espalier::detail::written_type<T>();
  return {text.begin, static_cast<std::size_t>(text.size)};
}

}  // namespace detail

/// The short form of a type's name: no namespaces, and only those template arguments that are numbers or shapes.
inline std::string short_name(std::string_view written) {
  espalier::detail::written_text text;
  espalier::detail::write_short_name(text, {written.data(), static_cast<int>(written.size())});
  return {text.text, static_cast<std::size_t>(text.size)};
}
template <class T>
std::string short_name() {
  return short_name(detail::written_type<T>());
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
