// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <array>
#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"
#include "../expression/call.hpp"

namespace espalier {

/// A loss object has another number than its type's default, and a program is made from the type. The error names the
/// number. Thrown before anything is computed or changed.
class loss_error : public std::exception {
 public:
  [[gnu::cold, gnu::noinline]] explicit loss_error(char const* name) noexcept {
    text_
        << "loss: expected the number " << name
        << " of Loss{}, got another one; the program is built from the loss's type, so make the number a template argument";
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

namespace detail {

/// The name of the first plain number that differs between two modules of one type; null if all are equal.
template <class M>
constexpr char const* different_number(M const& a, M const& b, char const* name) {
  char const* found = nullptr;
  if constexpr (requires { M::member_types_of(a); }) {
    // visit_members visits one object at a time: for each member of a, find the member of b with the same index.
    int at = 0;
    M::visit_members(a, [&]<class Member>(char const* own, Member const& first) {
      int other = 0;
      M::visit_members(b, [&]<class Second>(char const*, Second const& second) {
        if constexpr (has_plain_numbers<Member> && std::is_same_v<Member, Second>)
          if (other == at && found == nullptr) found = different_number(first, second, own);
        ++other;
      });
      ++at;
    });
  } else if constexpr (requires { a.size(); }) {
    for (std::size_t i = 0; i < a.size() && found == nullptr; ++i) found = different_number(a[i], b[i], name);
  } else if constexpr (std::is_enum_v<M>) {
    if (a != b) found = name;
  } else {
    auto const first = static_cast<double>(a), second = static_cast<double>(b);
    if (first != second) found = name;
  }
  return found;
}

/// Checks a loss that is passed as an object: its program is made from the type only.
/// errors  loss_error if the object has another number than Loss{}
template <class Loss>
constexpr void check_loss(Loss const& loss) {
  if constexpr (has_plain_numbers<Loss>)
    if (char const* const name = different_number(loss, Loss{}, ""); name != nullptr) raise(loss_error(name));
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
