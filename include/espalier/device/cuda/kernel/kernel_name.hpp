// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <type_traits>

#include "../error.hpp"

/// Short names of kernels for errors: template, grid, shapes and ops. The full type name has thousands of characters.
namespace espalier::on_cuda {

/// A text that ends with a zero, cut off after 511 characters.
struct kernel_name {
  char text[512];
};

namespace detail {

constexpr bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Appends texts and numbers to a kernel_name as far as they fit.
class sentence {
 public:
  explicit sentence(kernel_name& to) : at_(to.text), end_(to.text + sizeof to.text - 1) { *at_ = 0; }
  void add(char const* from, int size) {
    for (int i = 0; i < size && at_ < end_; ++i) *at_++ = from[i];
    *at_ = 0;
  }
  void add(char const* text) {
    int size = 0;
    while (text[size] != 0) ++size;
    add(text, size);
  }
  void add(long long number) {
    char digits[24];
    add(digits, std::snprintf(digits, sizeof digits, "%lld", number));
  }

 private:
  char *at_, *end_;
};

/// Appends the ops in a type (add_, multiply_, ...), in order.
inline void add_ops(sentence& to, spelling const& type) {
  bool first = true;
  for (int i = 0; i < type.size;) {
    if (!in_word(type.at[i])) {
      ++i;
      continue;
    }
    int end = i;
    while (end < type.size && in_word(type.at[end])) ++end;
    if (end - i > 1 && type.at[end - 1] == '_') {
      to.add(first ? ", ops " : " ");
      to.add(type.at + i, end - i - 1);
      first = false;
    }
    i = end;
  }
}
/// Appends the name of a type's template, without namespaces.
inline void add_family(sentence& to, spelling const& type) {
  int end = 0, begin = 0;
  while (end < type.size && type.at[end] != '<') ++end;
  for (int i = 0; i < end; ++i)
    if (type.at[i] == ':') begin = i + 1;
  to.add(type.at + begin, end - begin);
}
/// Appends the first argument of a template if it is short: the element type of a kernel.
inline void add_element(sentence& to, spelling const& type) {
  int begin = 0;
  while (begin < type.size && type.at[begin] != '<') ++begin;
  int end = ++begin;
  while (end < type.size && end - begin < 40 && (in_word(type.at[end]) || type.at[end] == ':')) {
    if (type.at[end++] == ':') begin = end;
  }
  if (end >= type.size || (type.at[end] != ',' && type.at[end] != '>')) return;
  to.add(" of ");
  to.add(type.at + begin, end - begin);
}

}  // namespace detail

/// The short name of a kernel, such as
///   "row_kernel of float: 4096 rows x 1024 columns, ops multiply add (16 blocks of 256 threads)"
template <class Kernel>
kernel_name name_of() {
  kernel_name name;
  detail::sentence to{name};
  detail::spelling const type = detail::spelling_of<Kernel>();
  detail::add_family(to, type);
  detail::add_element(to, type);
  if constexpr (requires { static_cast<long long>(Kernel::rows) + static_cast<long long>(Kernel::columns); }) {
    to.add(": ");
    to.add(static_cast<long long>(Kernel::rows));
    to.add(" rows x ");
    to.add(static_cast<long long>(Kernel::columns));
    to.add(" columns");
  }
  detail::add_ops(to, type);
  to.add(" (");
  to.add(static_cast<long long>(Kernel::blocks));
  to.add(Kernel::blocks == 1 ? " block of " : " blocks of ");
  to.add(static_cast<long long>(Kernel::threads));
  to.add(" threads)");
  return name;
}

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
