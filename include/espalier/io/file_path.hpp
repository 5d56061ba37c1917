// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <type_traits>

#include "../base/supported.hpp"

namespace espalier::io {

/// A path argument of readers and writers: text, std::string, std::filesystem::path. It refers to the caller's text, so
/// use it only as an argument.
class file_path {
 public:
  constexpr file_path(char const* text) noexcept : text_{text} {}
  template <class Path>
    requires requires(Path const& path) { requires std::is_same_v<decltype(path.c_str()), char const*>; }
  constexpr file_path(Path const& path) noexcept : text_{path.c_str()} {}
  constexpr operator char const*() const noexcept { return text_; }

 private:
  char const* text_;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
