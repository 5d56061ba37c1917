// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../io/csv.hpp"
#include "dataset.hpp"

ESPALIER_HEADER_INCLUDED(table);

namespace espalier::data {

namespace detail {

/// Named relation: a table has as many target columns as one target has numbers; a label is one number.
template <class Target, int Columns>
struct target_columns {
  ESPALIER_READS("target {}, columns {}")
  static constexpr bool agree =
      Columns == (std::is_same_v<Target, label> ? 1 : static_cast<int>(targets_of<double, Target>::shape::size));
};

/// Finds the positions of the target columns. Throws if one is named twice, or if the number of other columns is not
/// the number of features.
template <std::size_t Count>
void find_columns(io::csv_table const& from, io::column const (&columns)[Count], int (&positions)[Count],
                  std::int64_t features) {
  constexpr int count = static_cast<int>(Count);
  for (int i = 0; i < count; ++i) {
    positions[i] = from.position_of(columns[i]);
    for (int j = 0; j < i; ++j)
      if (positions[j] == positions[i])
        io::throw_error<io::format_error>("%s: expected different target columns, got column %d twice", from.name(),
                                          positions[i]);
  }
  if (from.columns() - count != features)
    io::throw_error<io::format_error>(
        "%s: expected %lld features beside %d target column%s, for which the program was compiled, got %d", from.name(),
        static_cast<long long>(features), count, count == 1 ? "" : "s", from.columns() - count);
}

inline std::int32_t label_of(io::csv_table const& from, std::int64_t row, int column, int classes) {
  double const value = from.at(row, column);
  bool const fits = math::isfinite(value) && is_label(value, checked_classes(classes));
  auto const whole = fits ? static_cast<std::int32_t>(value) : 0;
  if (!fits || static_cast<double>(whole) != value)
    io::throw_error<io::format_error>("%s: expected a label %s in %s, got %g", from.name(),
                                      label_range_text{classes}.text,
                                      io::detail::csv_place{from, from.line(row), column}.text, value);
  return whole;
}

/// A number of a cell as an element of type T, where a finite cell stays finite.
template <class T>
T element_of(io::csv_table const& from, std::int64_t row, int column, double x) {
  T const element = static_cast<T>(x);
  if (!math::isfinite(static_cast<double>(element)) && math::isfinite(from.at(row, column)))
    io::throw_error<io::format_error>(
        "%s: expected a number that is finite as an element of the data set in %s, got %g", from.name(),
        io::detail::csv_place{from, from.line(row), column}.text, x);
  return element;
}

}  // namespace detail

/// table(csv, reading, columns...): reads the rows of a table into a data set. The columns in the argument list, by
/// name or position, are the label or the targets. All others are the features, in their order; a feature x becomes
/// x * scale + shift.
///     auto const csv = io::read_csv("iris.csv", {.header = true});
///     auto const flowers = data::table<float, esp::shape<4>>(csv, {.classes = 3}, "species");
///     auto const houses = data::table<float, esp::shape<13>, esp::shape<1>>(io::read_csv("houses.csv"), {}, -1);
/// shape   Sample::size features; one label column, or Target::size target columns
/// errors  io::format_error, with the file's name: no such column, another number of features than the compiled one, a
///         label outside the classes, a number beyond the range of T
template <class T, class Sample, class Target = label, class... Column>
dataset<T, Sample, Target> table(io::csv_table const& from, reading options, Column... target) {
  using fact = detail::target_columns<Target, static_cast<int>(sizeof...(Column))>;
  static_assert(
      fact::agree,
      ESPALIER_SENTENCE(
          "data::table<T, Sample, Target>(csv, reading, columns...): one column for a label, Target::size columns for targets",
          fact));
  if constexpr (fact::agree) {
    constexpr int count = static_cast<int>(sizeof...(Column));
    io::column const columns[] = {io::column{target}...};
    int positions[sizeof...(Column)];
    detail::find_columns(from, columns, positions, Sample::size);
    io::owned<T> inputs{from.rows() * Sample::size};
    io::owned<typename detail::targets_of<T, Target>::element> targets{from.rows() * count};
    T* to = inputs.data();
    for (std::int64_t row = 0; row < from.rows(); ++row) {
      for (int i = 0; i < from.columns(); ++i) {
        bool is_target = false;
        for (int const position : positions) is_target = is_target || position == i;
        if (!is_target) *to++ = detail::element_of<T>(from, row, i, from.at(row, i) * options.scale + options.shift);
      }
      for (int i = 0; i < count; ++i)
        if constexpr (std::is_same_v<Target, label>)
          targets[row] = detail::label_of(from, row, positions[i], options.classes);
        else targets[row * count + i] = detail::element_of<T>(from, row, positions[i], from.at(row, positions[i]));
    }
    return {static_cast<io::owned<T>&&>(inputs), static_cast<decltype(targets)&&>(targets)};
  } else {
    return {io::owned<T>{}, {}};
  }
}

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"
