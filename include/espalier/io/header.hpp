// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "atomic_file.hpp"
#include "checkpoint.hpp"

ESPALIER_HEADER_INCLUDED(header);

namespace espalier::io {

namespace detail {

/// Whether a text can name a type: letters, digits and _, no reserved identifier and no keyword of C++.
inline bool is_identifier(std::string_view text) {
  constexpr std::string_view words[] = {
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
      "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq",      "espalier", "std",        "tensors",   "numbers",   "value_type"};
  auto const letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text[0]) || text.find("__") != std::string_view::npos) return false;
  for (char const c : text)
    if (!letter(c) && c != '_' && !(c >= '0' && c <= '9')) return false;
  return std::find(std::begin(words), std::end(words), text) == std::end(words);
}

inline void add_number(std::string& to, std::uint64_t number, int base) {
  char digits[24];
  int n = 0;
  do digits[n++] = "0123456789abcdef"[number % static_cast<std::uint64_t>(base)];
  while ((number /= static_cast<std::uint64_t>(base)) != 0);
  while (n > 0) to += digits[--n];
}

/// Appends a C++ literal that keeps all bits of a number: an integer times a power of two ("0x3p-2f"), which no locale
/// changes. Infinities and NaN have no literal and are written by their bits.
template <class T>
void add_literal(std::string& to, T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int fraction = sizeof(T) == 4 ? 23 : 52, most = sizeof(T) == 4 ? 255 : 2047;
  Bits const bits = std::bit_cast<Bits>(x);
  int const power = static_cast<int>((bits >> fraction) & static_cast<Bits>(most));
  std::uint64_t steps = bits & ((Bits{1} << fraction) - 1);
  if (power == most) {
    to += sizeof(T) == 4 ? "espalier::float_of_bits(0x" : "espalier::double_of_bits(0x";
    add_number(to, bits, 16);
    to += ")";
    return;
  }
  if (power > 0) steps += std::uint64_t{1} << fraction;
  int exponent = steps == 0 ? 0 : (power > 0 ? power : 1) - most / 2 - fraction;
  for (; steps != 0 && steps % 2 == 0; steps /= 2) ++exponent;
  if ((bits >> (8 * sizeof(T) - 1)) != 0) to += "-";
  if (exponent == 0 && steps < 10) {
    add_number(to, steps, 10);
    to += ".0";
  } else {
    to += "0x";
    add_number(to, steps, 16);
    to += exponent < 0 ? "p-" : "p";
    add_number(to, static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent), 10);
  }
  if (sizeof(T) == 4) to += "f";
}

/// Appends lines of numbers, none longer than 120 characters.
template <class T>
void add_numbers(std::string& to, T const* numbers, std::int64_t count) {
  constexpr std::size_t longest = 120;
  std::string line = "     ", literal;
  for (std::int64_t i = 0; i < count; ++i) {
    literal.clear();
    add_literal(literal, numbers[i]);
    if (line.size() + literal.size() + 2 > longest) {
      to += line + "\n";
      line = "     ";
    }
    line += " " + literal + ",";
  }
  if (count > 0) to += line + "\n";
}

/// The text of a header of weights. Its numbers have the memory layout of a model: parameters, alignment gaps, buffers.
template <class Net, class T>
std::string header_text(std::string const& name, T const* parameters, T const* buffers) {
  struct written {
    char const* name;
    tensor_role role;
    std::int64_t offset;
    extents shape;
    T const* elements;
  };
  constexpr std::int64_t behind = espalier::detail::first_buffer_number<Net, T>;
  std::vector<written> tensors;
  auto const add = [&]<bool Parameters>(std::bool_constant<Parameters>, T const* base, std::int64_t from) {
    espalier::detail::for_each_tensor<Net, Parameters>(
        base, false, [&](char const* path, extents const& shape, auto elements) {
          tensors.push_back({path, Parameters ? tensor_role::parameter : tensor_role::buffer,
                             from + (elements.data() - base), shape, elements.data()});
        });
  };
  add(std::true_type{}, parameters, 0);
  add(std::false_type{}, buffers, behind);
  std::string text =
      "// The weights of a net, written by espalier. Load them with\n//   #include <espalier/model/embedded.hpp>\n//   espalier::model<Net> model{espalier::embedded<" +
      name + ">{}};\n#pragma once\n#include <espalier/base/embedded.hpp>\n\nstruct " + name +
      " {\n  using value_type = " + name_of(kind_of<T>) +
      ";\n\n  static constexpr espalier::embedded_tensor tensors[] = {\n";
  for (auto const& t : tensors) {
    text += "      {\"" + std::string{t.name} +
            "\", espalier::tensor_role::" + (t.role == tensor_role::parameter ? "parameter" : "buffer") + ", " +
            std::to_string(t.offset) + ", " + std::to_string(t.shape.rank) + ", {";
    for (int i = 0; i < t.shape.rank; ++i) text += (i > 0 ? ", " : "") + std::to_string(t.shape.at[i]);
    text += "}},\n";
  }
  text += "  };\n\n  alignas(" + std::to_string(tensor_alignment) + ") static constexpr " + name_of(kind_of<T>) +
          " numbers[] = {\n";
  std::sort(tensors.begin(), tensors.end(), [](auto const& a, auto const& b) { return a.offset < b.offset; });
  std::vector<T> const gap(tensor_alignment, T(0));
  std::int64_t at = 0;
  for (auto const& t : tensors) {
    add_numbers(text, gap.data(), t.offset - at);
    text += "      // " + std::string{t.name} + "\n";
    add_numbers(text, t.elements, t.shape.size());
    at = t.offset + t.shape.size();
  }
  add_numbers(text, gap.data(), (behind + slots_of<Net>.buffers.storage) - at);
  return text + "  };\n};\n";
}

}  // namespace detail

/// write_header(path, model, name): writes the model's parameters and buffers as a C++ header, a struct of that name,
/// so that programs can embed weights. The header only includes <espalier/base/embedded.hpp>. Use it as
/// model{embedded<name>{}} or read_only_model<Net, name>: the compiler then compares names, extents and element type
/// with those of the net. Numbers keep all their bits, including -0, infinities and NaN. An existing file is replaced
/// as a whole or unchanged.
/// cost     100,000 float numbers are 1.6 MB of text and take a compiler 0.2 to 0.3 s and 30 MB (g++ 12 and clang 19)
/// errors   name_error: a name that is no identifier; write_error. A net without tensors and 16-bit elements do not
///          compile (copy them to a model<Net>).
template <class Model>
void write_header(file_path path, Model& model, std::string const& name) {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  static_assert(
      std::is_same_v<T, float> || std::is_same_v<T, double>,
      ESPALIER_SENTENCE(
          "write_header(path, model, name): elements are float or double; copy(model, other) those of 16 bits to a model<Net>",
          ESPALIER_STATED((std::is_same_v<T, float> || std::is_same_v<T, double>), T)));
  static_assert(slots_of<Net>.parameters.count + slots_of<Net>.buffers.count > 0,
                "write_header(path, model, name): the net has neither parameters nor buffers");
  if (!detail::is_identifier(name))
    throw_error<name_error>("%s: expected a name for a struct of C++, got %s", detail::file_name{path}.text,
                            in_quotes(name).c_str());
  detail::host_elements parameters{model.parameters()};
  detail::host_elements buffers{model.buffers()};
  std::string const text = detail::header_text<Net, T>(name, parameters.data(), buffers.data());
  atomic_file file{path};
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
