// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <type_traits>

#include "type_words.hpp"

/// Writes the facts of errors in words: (8, 13) for shape<8, 13>, channels 3 for channels<3>. The path of an `invalid`
/// type becomes "in Linear<64, 10>, layer 1 of 2". Only compilers with computed messages include this; see
/// sentence.hpp.
namespace espalier {

template <class... Facts>
struct invalid;

namespace detail {
struct one_of_the_results;

/// True for a relation that does not agree and for an `invalid` type; only those are printed.
template <class Fact>
inline constexpr bool is_violated = requires {
  requires !Fact::agree;
};

/// Types and values without a relation: stated<is_element<T>, T>, stated<(Count >= 0), named<"Count", Count>>. They are
/// printed if the first argument is false.
template <class... Values>
struct stated_values {
  static constexpr bool agree = false;
};
template <unsigned long Size>
struct name_text {
  char text[Size]{};
  consteval name_text(char const (&from)[Size]) {
    for (unsigned long i = 0; i < Size; ++i) text[i] = from[i];
  }
};
/// named<"stride", 2, 2> is printed as "stride (2, 2)".
template <name_text Name, auto... Values>
struct named {};
/// A relation whose result is not named `agree`: unless<Made::complete, Made>.
template <class Relation>
struct relation_of {
  static constexpr bool agree = false;
};
/// All facts that agree share one type, which costs nothing.
template <bool Agree>
struct only_where {
  template <class...>
  using values = only_where;
  template <class>
  using relation = only_where;
};
template <>
struct only_where<false> {
  template <class... Values>
  using values = stated_values<Values...>;
  template <class Relation>
  using relation = relation_of<Relation>;
};
template <bool Agree, class... Values>
using stated = typename only_where<Agree>::template values<Values...>;
template <bool Agree, class Relation>
using unless = typename only_where<Agree>::template relation<Relation>;

/// True for a tag of the library with only numbers, like channels<3>. Its name is printed in words; names of modules
/// and op tags are not.
constexpr bool is_numbers_tag(text_part s) {
  named_list const list = list_of(s);
  text_part const name = unqualified(list.name);
  if (list.bracket != '<' || !s.starts_with("espalier::") || name == "shape" || name == "cpu_parallel" ||
      name.size == 0)
    return false;
  if (name[0] < 'a' || name[0] > 'z') return false;
  for (text_part rest = list.inside; rest.size > 0;) {
    text_part const part = next_part(rest);
    if (!is_number(part) && !(part == "true") && !(part == "false")) return false;
  }
  return list.inside.size > 0;
}

constexpr void write_value(written_text& to, text_part s);

constexpr void write_list(written_text& to, text_part inside, bool always_parentheses) {
  bool const parentheses = always_parentheses || count_parts(inside) != 1;
  if (parentheses) to << '(';
  for (text_part rest = inside; rest.size > 0;) {
    write_value(to, next_part(rest));
    if (rest.size > 0) to << ", ";
  }
  if (parentheses) to << ')';
}
constexpr void write_words(written_text& to, text_part name) {
  for (int i = 0; i < name.size; ++i) to << (name[i] == '_' ? ' ' : name[i]);
}
/// layer<3, 7> is printed as "layer 3 of 7", axes<0, 2> as "axes (0, 2)", axes<1> and along<1> as "axis 1", at_axis<-1>
/// as "at axis -1".
constexpr void write_numbers_tag(written_text& to, text_part s) {
  named_list const list = list_of(s);
  text_part const name = unqualified(list.name);
  text_part rest = list.inside;
  if ((name == "axes" && count_parts(rest) == 1) || name == "along") to << "axis";
  else write_words(to, name);
  to << ' ';
  if (name == "layer") to << next_part(rest) << " of " << next_part(rest);
  else write_list(to, list.inside, false);
}
/// True for a name as a value. It is an array of characters, which some compilers print as numbers.
constexpr bool is_name(text_part s) {
  named_list const list = list_of(s);
  text_part const name = unqualified(list_of(list.name).name);
  return list.bracket == '{' && (name == "tensor_name" || name == "name_text");
}
constexpr void write_name(written_text& to, text_part s) {
  text_part inside = list_of(s).inside;
  if (int const quote = inside.find("\""); quote >= 0)
    return void(to << inside.part(quote + 1, inside.find("\"", quote + 1)));
  if (named_list const list = list_of(inside); list.bracket == '{') inside = list.inside;
  while (inside.size > 0)
    if (int const character = integer_of(next_part(inside)); character != 0) to << static_cast<char>(character);
}
/// True for named<"stride", 2, 2>.
constexpr bool is_named(text_part s) {
  text_part inside = list_of(s).inside;
  return unqualified(list_of(s).name) == "named" && is_name(next_part(inside));
}
constexpr void write_named(written_text& to, text_part s) {
  text_part inside = list_of(s).inside;
  write_name(to, next_part(inside));
  to << ' ';
  write_list(to, inside, false);
}
constexpr void write_plain_type(written_text& to, text_part s) {
  if (s == "int") to << "int32";
  else if (s == "long" || s == "long int" || s == "long long") to << "int64";
  // Tags of ops are relu_, tanh_.
  else to << (s.size > 0 && s.back() == '_' ? unqualified(s.part(0, s.size - 1)) : unqualified(s));
}
/// Writes a type or value that is an argument of a relation.
constexpr void write_value(written_text& to, text_part s) {
  s = trimmed(s);
  if (s.starts_with("const ")) s = s.part(6, s.size);
  if (is_number(s)) return write_number(to, s);
  if (text_part const own = unqualified(s); own.starts_with("(lambda") || own.starts_with("<lambda"))
    return void(to << "a lambda");
  named_list const list = list_of(s);
  if (is_shape_list(list)) return write_list(to, list.inside, true);
  if (is_numbers_tag(s)) return write_numbers_tag(to, s);
  if (is_named(s)) return write_named(to, s);
  if (is_name(s)) return write_name(to, s);
  if (list.bracket == '{') return write_list(to, list.inside, false);
  if (list.bracket == '<' && unqualified(list.name) == "tuple") return write_list(to, list.inside, false);
  if (list.bracket == '<' && s.starts_with("espalier::detail::")) {
    write_words(to, unqualified(list.name));
    return write_list(to << ' ', list.inside, true);
  }
  if (list.bracket == '<') return write_short_name(to, s);
  write_plain_type(to, s);
}

/// The operands that a sentence names: a and b in "matmul(a, b): ..." and in "a + b: ...".
struct operand_names {
  text_part of[6];
  int count = 0;
  bool valid = true;

  constexpr void add(text_part name) {
    for (int i = 0; i < name.size; ++i) valid = valid && is_letter(name[i]);
    valid = valid && name.size > 0 && count < 6;
    if (valid) of[count++] = name;
  }
};
constexpr operand_names names_in(text_part sentence) {
  operand_names found;
  int const end = sentence.find(": ");
  text_part const head = sentence.part(0, end < 0 ? 0 : end);
  int const first = head.find(" "), second = first < 0 ? -1 : head.find(" ", first + 1);
  if (head.size > 0 && head.back() == ')') {
    int open = head.size;
    while (open > 0 && head[open - 1] != '(') --open;
    for (text_part rest = head.part(open, head.size - 1); rest.size > 0;) found.add(next_part(rest));
  } else if (second > 0 && head.find(" ", second + 1) < 0 && !is_letter(head[first + 1])) {
    found.add(head.part(0, first));
    found.add(head.part(second + 1, head.size));
  }
  if (!found.valid) found.count = 0;
  return found;
}

/// True for arguments without a name of their own: shapes, element types, devices.
constexpr bool is_operand(text_part s) {
  return !is_number(s) && !is_numbers_tag(s) && !is_named(s) && list_of(s).bracket != '{';
}

/// Writes the arguments of a relation: "a is (8, 13), b is (12, 16)", "channels 3, kernel inputs 4". A sentence that
/// names no operands may belong to several relations. The relation's name is then printed, too: "inner dimensions: (8,
/// 13) and (12, 16)".
constexpr void write_arguments(written_text& to, text_part relation, text_part inside, text_part sentence) {
  operand_names names = names_in(sentence);
  int operands = 0, count = 0;
  for (text_part rest = inside; rest.size > 0; ++count) operands += is_operand(next_part(rest)) ? 1 : 0;
  bool const named = operands == names.count && operands > 0,
             alone = !named && count == 1 && !is_numbers_tag(inside) && !is_named(inside);
  if (names.count == 0 && count > 1 && relation.size > 0) {
    write_words(to, relation);
    to << ": ";
  }
  int at = 0, position = 0;
  for (text_part rest = inside; rest.size > 0; ++position) {
    text_part const part = next_part(rest);
    if (position > 0) to << (operands == 2 && count == 2 && !named ? " and " : ", ");
    if (alone) to << "got ";
    if (named && is_operand(part)) {
      text_part const name = names.of[at++];
      bool const several = name.size > 1 && name.back() == 's' && name[name.size - 2] != 's';
      to << name << (several ? " are " : " is ");
    }
    write_value(to, part);
  }
}
/// Writes the arguments of a relation in the format of ESPALIER_READS.
constexpr void write_as_it_reads(written_text& to, text_part format, text_part inside) {
  for (int i = 0; i < format.size;) {
    bool const all = format.part(i, format.size).starts_with("{...}");
    if (!all && !format.part(i, format.size).starts_with("{}")) {
      to << format[i++];
      continue;
    }
    i += all ? 5 : 2;
    do {
      write_value(to, next_part(inside));
      if (all && inside.size > 0) to << (count_parts(inside) == 1 ? " and " : ", ");
    } while (all && inside.size > 0);
  }
}
/// Writes one element of the path of an `invalid` type: axes and positions unchanged, shapes after "of", modules after
/// "in".
constexpr void write_step(written_text& to, text_part s) {
  to << ", ";
  if (s.size > longest_read) return write_short_name(to << "in ", s);
  if (is_numbers_tag(s)) return write_numbers_tag(to, s);
  bool const shape = is_shape_list(list_of(s));
  to << (shape ? "of " : "in ");
  if (shape) write_value(to, s);
  else write_short_name(to, s);
}

template <class Fact>
struct fact_words {
  static constexpr void write(written_text& to, text_part sentence) {
    text_part const written = written_type<Fact>();
    if (written.size > longest_read) return write_words(to, unqualified(name_alone(written)));
    named_list const list = list_of(written);
    if constexpr (requires { Fact::reads; }) write_as_it_reads(to, Fact::reads, list.inside);
    else if (list.bracket == '<') write_arguments(to, unqualified(list.name), list.inside, sentence);
    else write_value(to, written);
  }
};
template <class... Values>
struct fact_words<stated_values<Values...>> {
  static constexpr void write(written_text& to, text_part sentence) {
    write_arguments(to, "", list_of(written_type<stated_values<Values...>>()).inside, sentence);
  }
};
template <class Relation>
struct fact_words<relation_of<Relation>> : fact_words<Relation> {};
template <class Relation, class... Path>
struct fact_words<invalid<Relation, Path...>> {
  static constexpr void write(written_text& to, text_part sentence) {
    fact_words<Relation>::write(to, sentence);
    (write_step_of<Path>(to), ...);
  }
  template <class Fact>
  static constexpr void write_step_of(written_text& to) {
    if constexpr (!std::is_same_v<Fact, one_of_the_results>) write_step(to, written_type<Fact>());
  }
};

/// A message for static_assert without facts.
struct plain_sentence {
  char const* sentence;
  constexpr unsigned long size() const { return __builtin_strlen(sentence); }
  constexpr char const* data() const { return sentence; }
};
/// The sentence and the facts that do not agree.
template <class... Facts>
struct computed_sentence {
  written_text words;

  constexpr computed_sentence(char const* sentence) {
    words << sentence;
    (add<Facts>(sentence), ...);
  }
  constexpr unsigned long size() const { return static_cast<unsigned long>(words.size); }
  constexpr char const* data() const { return words.text; }

 private:
  template <class Fact>
  constexpr void add(text_part sentence) {
    if constexpr (is_violated<Fact>) fact_words<Fact>::write(words << "; ", sentence);
  }
};
template <bool>
struct message_type {
  template <class...>
  using type = plain_sentence;
};
template <>
struct message_type<true> {
  template <class... Facts>
  using type = computed_sentence<Facts...>;
};
template <class... Facts>
using sentence = typename message_type<(is_violated<Facts> || ...)>::template type<Facts...>;

}  // namespace detail
}  // namespace espalier
#include "diagnostics_pop.hpp"
