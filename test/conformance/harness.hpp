// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <espalier.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

// What generated code and adapters share. A case is a type (shapes and attributes) plus numbers read at run time by the
// case's id, so that compile time grows with distinct shapes and not with data.
namespace conformance {

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

/// A string as a template argument.
template <std::size_t N>
struct text {
  char characters[N]{};
  consteval text(char const (&from)[N]) {
    for (std::size_t i = 0; i < N; ++i) characters[i] = from[i];
  }
  constexpr std::string_view view() const { return {characters, N - 1}; }
  template <std::size_t M>
  constexpr bool operator==(text<M> const& other) const {
    return view() == other.view();
  }
};

// ---- attribute values

struct nothing {};
template <auto Value>
struct constant_value {
  static constexpr auto value = Value;
};
template <int... Values>
struct integers {};
template <double... Values>
struct numbers {};
template <text Word>
struct word {};
template <class Type>
struct type_is {
  using type = Type;
};

template <text Name, class Value>
struct attribute {};
template <class... Attribute>
struct attributes : Attribute... {};

namespace detail {
template <text Name, class Default, class Value>
Value pick(attribute<Name, Value> const*);
template <text Name, class Default>
Default pick(void const*);
}  // namespace detail

/// The value type of a case's attribute, or `Default` where the case has none.
template <class Case, text Name, class Default = nothing>
using attribute_of = decltype(detail::pick<Name, Default>(static_cast<typename Case::attributes const*>(nullptr)));

/// The number an attribute holds, or `otherwise`.
template <class Case, text Name, class Number>
consteval Number attribute_or(Number otherwise) {
  using found = attribute_of<Case, Name>;
  if constexpr (requires { found::value; }) return static_cast<Number>(found::value);
  else return otherwise;
}

// ---- given tensors

enum class element { real, label, truth };

template <text Name, element Kind, class Shape>
struct case_tensor {
  static constexpr std::string_view name() { return Name.view(); }
  static constexpr element kind = Kind;
  using shape = Shape;
};
template <class... CaseTensor>
struct case_tensors {
  static constexpr int size = sizeof...(CaseTensor);
};

/// The static half of a case. `Gradient` says whether some expected value is a derivative.
template <class Inputs, class Parameters, class Attributes, bool Gradient>
struct test_case {
  using inputs = Inputs;
  using parameters = Parameters;
  using attributes = Attributes;
  static constexpr bool gradient = Gradient;
};

namespace detail {
template <text Name, element Kind, class Shape>
Shape shape_named(case_tensor<Name, Kind, Shape> const*);
template <class List>
struct bases;
template <class... CaseTensor>
struct bases<case_tensors<CaseTensor...>> : CaseTensor... {};
}  // namespace detail

/// The shape of the given tensor of that name.
template <class List, text Name>
using shape_of = decltype(detail::shape_named<Name>(static_cast<detail::bases<List> const*>(nullptr)));

// ---- the run-time half, in harness.cpp

struct stored_case;

enum class role { input, parameter, expected };

/// One run of one case in one element type: gives numbers, takes results, keeps the verdict.
class case_run {
 public:
  explicit case_run(stored_case const& stored, bool in_float);
  ~case_run();
  case_run(case_run const&) = delete;
  case_run& operator=(case_run const&) = delete;

  /// Copies a given tensor; a name or size that the case does not have is a failure.
  void read(role from, std::string_view name, std::span<float> to);
  void read(role from, std::string_view name, std::span<double> to);
  void read(role from, std::string_view name, std::span<std::int32_t> to);
  void read(role from, std::string_view name, std::span<bool> to);
  /// The same from row `first` on, of a tensor that has more rows than are taken.
  void read_rows(std::string_view name, std::size_t first, std::span<float> to);
  void read_rows(std::string_view name, std::size_t first, std::span<double> to);
  void read_rows(std::string_view name, std::size_t first, std::span<std::int32_t> to);

  bool has(role where, std::string_view name) const;
  bool expects(std::string_view name) const { return has(role::expected, name); }

  /// dL/dy of the case's loss L at y.
  void gradient_of_loss(std::span<float const> y, std::span<float> gradient);
  void gradient_of_loss(std::span<double const> y, std::span<double> gradient);

  /// Compares with the expected value of that name and with its independent evaluation `<name>#f64`, whichever the case
  /// has.
  void result(std::string_view name, std::span<float const> got, esp::extents const& shape);
  void result(std::string_view name, std::span<double const> got, esp::extents const& shape);
  void result(std::string_view name, double got);

  void fail(std::string_view reason, std::string_view detail = {});

  struct state;
  state const& verdict() const { return *state_; }

 private:
  template <class T>
  void read_any(role from, std::string_view name, std::size_t first, bool whole, std::span<T> to);
  template <class T>
  void gradient_any(std::span<T const> y, std::span<T> gradient);
  template <class T>
  void result_any(std::string_view name, std::span<T const> got, esp::extents const& shape);
  state* state_;
};

/// prefix + name in a fixed buffer; names of parameters are short.
struct joined {
  char characters[128]{};
  std::size_t size = 0;
  joined& add(std::string_view part) {
    for (char c : part)
      if (size + 1 < sizeof characters) characters[size++] = c;
    return *this;
  }
  joined& add(int number) {
    char digits[12];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0) add(std::string_view{&digits[--count], 1});
    return *this;
  }
  operator std::string_view() const { return {characters, size}; }
  char const* c_str() const { return characters; }
};
template <class... Part>
joined join(Part... part) {
  joined result;
  (result.add(part), ...);
  return result;
}

/// A case's code: one function per element type; no function in float means that the run is left out by rule.
/// `trouble`: why there is no code.
struct entry {
  char const* id;
  void (*in_double)(case_run&);
  void (*in_float)(case_run&);
  char const* trouble;
};

/// All entries, written by generate.py.
std::span<std::span<entry const> const> all_units();

}  // namespace conformance
