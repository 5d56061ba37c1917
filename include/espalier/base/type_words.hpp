// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

/// Readable names of types for error messages, made from the compiler's spelling. constexpr, and without a header of
/// the standard library.
namespace espalier::detail {

/// A part of a text that is stored elsewhere.
struct text_part {
  char const* begin = "";
  int size = 0;

  constexpr text_part() = default;
  constexpr text_part(char const* first, int count) : begin(first), size(count) {}
  constexpr text_part(char const* text) : begin(text), size(static_cast<int>(__builtin_strlen(text))) {}
  constexpr char operator[](int i) const { return begin[i]; }
  constexpr char back() const { return begin[size - 1]; }
  constexpr text_part part(int from, int to) const { return {begin + from, to - from}; }
  constexpr bool starts_with(text_part s) const { return s.size <= size && part(0, s.size) == s; }
  /// The position of s, or -1 if it does not occur.
  constexpr int find(text_part s, int from = 0) const {
    for (int i = from; i + s.size <= size; ++i)
      if (part(i, i + s.size) == s) return i;
    return -1;
  }
  friend constexpr bool operator==(text_part a, text_part b) {
    if (a.size != b.size) return false;
    for (int i = 0; i < a.size; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
};

/// A text under construction. Text that does not fit is replaced by three dots.
struct written_text {
  static constexpr int capacity = 1000;
  char text[capacity + 1] = {};
  int size = 0;
  bool full = false;

  constexpr written_text& operator<<(text_part s) {
    for (int i = 0; i < s.size && !full; ++i) {
      full = size == capacity;
      if (full) text[capacity - 3] = text[capacity - 2] = text[capacity - 1] = '.';
      else text[size++] = s[i];
    }
    return *this;
  }
  constexpr written_text& operator<<(char c) { return *this << text_part{&c, 1}; }
  constexpr text_part view() const { return {text, size}; }
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool opens(char c) { return c == '<' || c == '(' || c == '{' || c == '['; }
constexpr bool closes(char c) { return c == '>' || c == ')' || c == '}' || c == ']'; }
constexpr text_part trimmed(text_part s) {
  while (s.size > 0 && s[0] == ' ') s = s.part(1, s.size);
  while (s.size > 0 && s.back() == ' ') --s.size;
  return s;
}

template <class T>
constexpr text_part written_type() {
  text_part const text = __PRETTY_FUNCTION__;
  int const begin = text.find("T = ") + 4;
#if !defined(__clang__)
  // g++ also prints what its alias stands for.
  if (int const next = text.find("; ", begin); next >= 0) return text.part(begin, next);
#endif
  return text.part(begin, text.size - 1);
}
/// Of types with a longer name, only the name before the template arguments is read: compilers limit the steps of a
/// constant expression.
inline constexpr int longest_read = 8000;
constexpr text_part name_alone(text_part written) {
  int const open = written.find("<");
  return open < 0 ? written : written.part(0, open);
}

/// Counts the nesting depth while a text is read; text in brackets or quotation marks is nested.
struct depth_of {
  int depth = 0;
  bool quoted = false;
  constexpr void step(char c) {
    if (c == '"') quoted = !quoted;
    else if (!quoted && opens(c)) ++depth;
    else if (!quoted && closes(c)) --depth;
  }
  constexpr bool outside() const { return depth == 0 && !quoted; }
};

/// Removes the part before the next top-level comma from `rest` and returns it.
constexpr text_part next_part(text_part& rest) {
  depth_of at;
  int i = 0;
  while (i < rest.size && !(rest[i] == ',' && at.outside())) at.step(rest[i++]);
  text_part const found = trimmed(rest.part(0, i));
  rest = rest.part(i < rest.size ? i + 1 : i, rest.size);
  return found;
}
constexpr int count_parts(text_part s) {
  int count = 0;
  while (s.size > 0) count += next_part(s).size > 0 ? 1 : 0;
  return count;
}
/// The part after the last :: at top level.
constexpr text_part unqualified(text_part s) {
  depth_of at;
  int begin = 0;
  for (int i = 0; i + 1 < s.size; ++i) {
    at.step(s[i]);
    if (at.outside() && s[i] == ':' && s[i + 1] == ':') begin = i + 2;
  }
  return s.part(begin, s.size);
}

/// A type or value as the compiler prints it: name<inside> or name{inside}.
struct named_list {
  text_part name, inside;
  char bracket = ' ';  ///< ' ' if there is no list
};
constexpr named_list list_of(text_part written) {
  if (written.size == 0 || (written.back() != '>' && written.back() != '}')) return {written, {}, ' '};
  int depth = 0;
  for (int i = written.size; i-- > 0;) {
    if (closes(written[i])) ++depth;
    if (opens(written[i]) && --depth == 0)
      return {written.part(0, i), written.part(i + 1, written.size - 1), written[i]};
  }
  return {written, {}, ' '};
}
constexpr bool is_shape_list(named_list const& list) {
  return list.bracket == '<' && unqualified(list.name) == "shape";
}

/// True for a literal as compilers print it: 7, 7UL, -1, 1.500000e+00.
constexpr bool is_number(text_part s) {
  bool digits = false;
  for (int i = 0; i < s.size; ++i) {
    digits = digits || is_digit(s[i]);
    bool const suffix = digits && (s[i] == 'u' || s[i] == 'U' || s[i] == 'l' || s[i] == 'L');
    if (!is_digit(s[i]) && s[i] != '.' && s[i] != '+' && s[i] != '-' && !(s[i] == 'e' && digits) && !suffix)
      return false;
  }
  return digits;
}
constexpr int integer_of(text_part s) {
  int value = 0;
  for (int i = 0; i < s.size; ++i)
    if (is_digit(s[i])) value = 10 * value + (s[i] - '0');
  return s.size > 0 && s[0] == '-' ? -value : value;
}

/// Writes six digits of a number, like printf's %g.
constexpr void write_real(written_text& to, text_part s) {
  int digits[7] = {}, count = 0, point = 0, i = 0;  // 0.d0 d1 d2 ... times ten to the power of `point`
  bool fraction = false;
  if (s[0] == '-') to << '-';
  for (; i < s.size && s[i] != 'e'; ++i) {
    fraction = fraction || s[i] == '.';
    if (!is_digit(s[i])) continue;
    bool const leading = count == 0 && s[i] == '0';
    if (count < 7 && !leading) digits[count++] = s[i] - '0';
    if (fraction ? leading : !leading) point += fraction ? -1 : 1;
  }
  if (i < s.size) point += integer_of(s[i + 1] == '+' ? s.part(i + 2, s.size) : s.part(i + 1, s.size));
  int carry = digits[6] >= 5 ? 1 : 0;
  for (int d = 5; d >= 0; --d) {
    digits[d] += carry;
    carry = digits[d] / 10;
    digits[d] %= 10;
  }
  if (carry != 0) {
    for (int d = 5; d > 0; --d) digits[d] = digits[d - 1];
    digits[0] = 1;
    ++point;
  }
  int used = 6;
  while (used > 0 && digits[used - 1] == 0) --used;
  auto const digit = [&](int d) { to << static_cast<char>('0' + (d >= 0 && d < 6 ? digits[d] : 0)); };
  if (used == 0) {
    to << '0';
  } else if (point > -4 && point <= 0) {
    to << "0.";
    for (int d = point; d < used; ++d) digit(d);
  } else if (point > 0 && point <= 6) {
    for (int d = 0; d < used || d < point; ++d) {
      if (d == point) to << '.';
      digit(d);
    }
  } else {
    digit(0);
    if (used > 1) to << '.';
    for (int d = 1; d < used; ++d) digit(d);
    int const power = point > 0 ? point - 1 : 1 - point;
    to << (point > 0 ? "e+" : "e-");
    if (power >= 100) to << static_cast<char>('0' + power / 100);
    to << static_cast<char>('0' + power / 10 % 10) << static_cast<char>('0' + power % 10);
  }
}
constexpr void write_number(written_text& to, text_part s) {
  if (s.find(".") >= 0 || s.find("e") >= 0) return write_real(to, s);
  while (s.size > 0 && !is_digit(s.back())) --s.size;
  to << s;
}

/// Writes a template argument if it is a number, a shape or at most two numbers in braces. Returns whether it was.
constexpr bool write_argument(written_text& to, text_part s) {
  if (is_number(s)) return write_number(to, s), true;
  named_list const list = list_of(s);
  bool const shape = is_shape_list(list);
  int const count = count_parts(list.inside);
  if (!shape && (list.bracket != '{' || count > 2)) return false;
  bool const parentheses = shape || count != 1;
  if (parentheses) to << '(';
  text_part rest = list.inside;
  for (int i = 0; i < count; ++i) {
    if (i > 0) to << ", ";
    if (!write_argument(to, next_part(rest))) return false;
  }
  if (parentheses) to << ')';
  return true;
}

/// Writes the short form of a type's name: without namespaces, and with only those template arguments that are numbers
/// or shapes.
constexpr void write_short_name(written_text& to, text_part written) {
  if (written.size > longest_read && __builtin_is_constant_evaluated())
    return void(to << unqualified(name_alone(written)));
  named_list const list = list_of(written);
  if (list.bracket != '<') return void(to << unqualified(written));
  to << unqualified(list.name);
  int const before = to.size;
  for (text_part rest = list.inside; rest.size > 0;) {
    int const start = to.size;
    to << (start == before ? "<" : ", ");
    if (!write_argument(to, next_part(rest))) to.size = start;
  }
  if (to.size > before) to << '>';
}

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
