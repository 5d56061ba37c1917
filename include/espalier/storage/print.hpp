// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdio>

#include "tensor.hpp"

namespace espalier {

/// A stream of characters. Printing is a template of the stream, since including <ostream> costs half a second; a
/// program that prints includes it already.
template <class Out>
concept CharacterStream = requires(Out& out) {
  out.put('x');
  out.write("", 1);
  out.precision();
};

namespace detail {

/// One element as text. std::snprintf formats it: a stream would apply its locale and keep changed flags.
struct element_text {
  char at[40];
  int length;
};

template <class T>
element_text to_text(T value, int digits) {
  element_text text{};
  if constexpr (std::is_same_v<T, bool>)
    text.length = std::snprintf(text.at, sizeof text.at, "%s", value ? "true" : "false");
  else if constexpr (std::is_integral_v<T>)
    text.length = std::snprintf(text.at, sizeof text.at, "%lld", static_cast<long long>(value));
  else text.length = std::snprintf(text.at, sizeof text.at, "%.*g", digits, static_cast<double>(value));
  return text;
}

/// Prints nested brackets. A tensor of more than `most` elements shows only the `edge` first and last elements of a
/// long axis.
template <class Out, class T>
class bracket_printer {
 public:
  bracket_printer(Out& out, T const* data, extents const& s)
      : out_(out), data_(data), shape_(s), strides_(strides(s)), abbreviated_(s.size() > most) {
    auto const precision = static_cast<int>(out.precision());
    digits_ = precision < 1 ? 1 : precision > 17 ? 17 : precision;
  }
  void print() {
    visit(0, 0, [this](T value) {
      int const length = to_text(value, digits_).length;
      if (length > width_) width_ = length;
    });
    brackets(0, 0);
  }

 private:
  static constexpr std::int64_t most = 1000;
  static constexpr int edge = 3;

  bool skips(int axis) const { return abbreviated_ && shape_.at[axis] > 2 * edge; }

  template <class F>
  void visit(int axis, std::int64_t offset, F const& f) const {
    if (axis == shape_.rank) return f(data_[offset]);
    for (int i = 0; i < shape_.at[axis]; ++i) {
      if (skips(axis) && i == edge) i = shape_.at[axis] - edge;
      visit(axis + 1, offset + std::int64_t{i} * strides_.at[axis], f);
    }
  }
  void pad(int count) {
    for (int i = 0; i < count; ++i) out_.put(' ');
  }
  /// Separates two parts along an axis: parts of the last axis stay on one line, others start a new line, with empty
  /// lines between slabs.
  void separate(int axis) {
    out_.put(',');
    if (axis == shape_.rank - 1) {
      out_.put(' ');
    } else {
      for (int i = axis; i < shape_.rank - 1; ++i) out_.put('\n');
      pad(axis + 1);
    }
  }
  void brackets(int axis, std::int64_t offset) {
    if (axis == shape_.rank) {
      element_text const text = to_text(data_[offset], digits_);
      pad(width_ - text.length);
      out_.write(text.at, text.length);
      return;
    }
    out_.put('[');
    for (int i = 0; i < shape_.at[axis]; ++i) {
      if (i > 0) separate(axis);
      if (skips(axis) && i == edge) {
        out_.write("...", 3);
        separate(axis);
        i = shape_.at[axis] - edge;
      }
      brackets(axis + 1, offset + std::int64_t{i} * strides_.at[axis]);
    }
    out_.put(']');
  }

  Out& out_;
  T const* data_;
  extents shape_, strides_;
  bool abbreviated_;
  int digits_ = 6, width_ = 0;
};

template <class Out>
void print_list(Out& out, char const* opening, int length, extents const& s, char closing) {
  out.write(opening, length);
  for (int axis = 0; axis < s.rank; ++axis) {
    if (axis > 0) out.write(", ", 2);
    element_text const text = to_text(s.at[axis], 0);
    out.write(text.at, text.length);
  }
  out.put(closing);
}

}  // namespace detail

/// Prints `(32, 10)`.
template <CharacterStream Out>
Out& operator<<(Out& out, extents const& s) {
  detail::print_list(out, "(", 1, s, ')');
  return out;
}

/// Prints `shape<32, 10>`.
template <CharacterStream Out, int... Extents>
Out& operator<<(Out& out, shape<Extents...>) {
  detail::print_list(out, "shape<", 6, shape<Extents...>::value, '>');
  return out;
}

/// Prints a tensor or a view in nested brackets, columns aligned, with the stream's precision (6 significant digits by
/// default).
/// Above 1000 elements, axes longer than 6 show their first and last 3 and `...` between.
template <CharacterStream Out, Stored X>
Out& operator<<(Out& out, X const& x) {
  detail::bracket_printer<Out, typename X::value_type>(out, x.data(), X::shape()).print();
  return out;
}

/// Evaluates a formula of tensors and prints its value: `std::cout << x * 2`.
template <CharacterStream Out, class E>
  requires(E::eager)
&&requires { typename E::is_expression; }
Out& operator<<(Out& out, E const& formula) { return out << evaluate(formula); }

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
