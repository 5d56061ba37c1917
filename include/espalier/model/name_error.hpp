// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <exception>

#include "../base/raise.hpp"
#include "named.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// A name that the model does not have: what was asked for, which came, and the most similar name that it has. Thrown before anything is changed.
class name_error : public std::exception {
 public:
  /// nearest  the most similar name, or nullptr
  /// remedy   what to write instead
  name_error(char const* call, char const* wanted, char const* problem, char const* nearest, char const* remedy) noexcept {
    put(call);
    put("(\"");
    put(wanted, 300);
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
    for (int i = 0; words[i] != 0 && i < most && size_ + 1 < static_cast<int>(sizeof text_); ++i) text_[size_++] = words[i];
    text_[size_] = 0;
  }
  char text_[1024]{};
  int size_ = 0;
};

namespace detail {

/// Throws a name_error for a path that a net's parameters (or buffers) do not have.
template <class Net, bool Parameters>
[[noreturn, gnu::cold, gnu::noinline]] void raise_unknown_name(char const* wanted) {
  unsigned long size = 0;
  while (wanted[size] != 0) ++size;
  nearest_so_far search{wanted, size};
  int const slot = nearest_slot<Net, Parameters>(search);
  raise(name_error{Parameters ? "parameter" : "buffer", wanted, Parameters ? "the net has no parameter of this name" : "the net has no buffer of this name",
                   slot >= 0 ? names_of<Net, Parameters>.at[slot < 0 ? 0 : slot] : nullptr,  // clang sees that a net without tensors has no slot
                   Parameters ? "find_parameter(name) may find nothing, for_each_parameter lists all names"
                              : "find_buffer(name) may find nothing, for_each_buffer lists all names"});
}
/// Throws a name_error for a parameter that has no gradient.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_frozen_name(char const* wanted) {
  raise(name_error{"parameter", wanted, "this parameter is frozen and has no gradient", nullptr, "find_parameter(name) may find nothing"});
}

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
