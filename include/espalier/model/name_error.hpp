// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <exception>

#include "../base/raise.hpp"
#include "named.hpp"

namespace espalier {

/// The model has no tensor of the requested name. The error shows the requested name and the most similar existing one.
/// Thrown before anything is changed.
class name_error : public std::exception {
 public:
  /// nearest  the most similar name, or nullptr
  /// remedy   the suggested correction
  name_error(char const* call, char const* name, char const* problem, char const* nearest,
             char const* remedy) noexcept {
    put(call);
    put("(\"");
    put(name, 300);
    put("\"): ");
    put(problem);
    if (nearest != nullptr) {
      put("; the nearest is \"");
      put(nearest, 300);
      put("\"");
    }
    put("; ");
    put(remedy);
  }
  [[nodiscard]] char const* what() const noexcept override { return text_; }

 private:
  void put(char const* words, int most = 1023) noexcept {
    for (int i = 0; words[i] != 0 && i < most && size_ + 1 < static_cast<int>(sizeof text_); ++i)
      text_[size_++] = words[i];
    text_[size_] = 0;
  }
  char text_[1024]{};
  int size_ = 0;
};

namespace detail {

/// Throws a name_error for a path that is not among a net's parameters (or buffers).
template <class Net, bool Parameters>
[[noreturn, gnu::cold, gnu::noinline]] void raise_unknown_name(char const* name) {
  unsigned long size = 0;
  while (name[size] != 0) ++size;
  nearest_so_far search{name, size};
  int const slot = nearest_slot<Net, Parameters>(search);
  raise(name_error{Parameters ? "parameter" : "buffer", name,
                   Parameters ? "the net has no parameter of this name" : "the net has no buffer of this name",
                   // clang diagnoses at[-1] without tensors
                   slot >= 0 ? names_of<Net, Parameters>.at[slot < 0 ? 0 : slot] : nullptr,
                   Parameters ? "find_parameter(name) accepts unknown names, for_each_parameter lists all names"
                              : "find_buffer(name) accepts unknown names, for_each_buffer lists all names"});
}
/// Throws a name_error for a parameter that has no gradient.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_frozen_name(char const* name) {
  raise(name_error{"parameter", name, "this parameter is frozen and has no gradient", nullptr,
                   "find_parameter(name) accepts names without a gradient"});
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
