// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/math.hpp"
#include "../base/needs_header.hpp"
#include "decimal.hpp"
#include "file.hpp"
#include "owned.hpp"

ESPALIER_HEADER_INCLUDED(csv);

namespace espalier::io {

/// The format of a file of numbers. Numbers have a decimal point in every locale: 1, -2.5, .5, 1e-3.
struct csv_format {
  char separator = ',';
  bool header = false;      ///< the first line has the names of the columns
  bool non_finite = false;  ///< nan and inf are accepted
};

/// A column by its name or by its position: from 0 on, or backwards from the last one, -1.
struct column {
  char const* name = nullptr;
  int position = 0;
  constexpr column(char const* called) noexcept : name{called} {}
  constexpr column(int at) noexcept : position{at} {}
};

/// csv_table: the numbers of one file, row by row. A constructed table is complete.
/// shape   rows() x columns(), at least 1 x 1
class csv_table {
 public:
  [[nodiscard]] std::int64_t rows() const noexcept { return columns_ == 0 ? 0 : numbers_.size() / columns_; }
  [[nodiscard]] int columns() const noexcept { return columns_; }
  [[nodiscard]] double at(std::int64_t row, int column) const noexcept { return numbers_[row * columns_ + column]; }
  /// The file's name, for errors.
  [[nodiscard]] char const* name() const noexcept { return name_.text; }
  /// The line of the file that has this row, from 1 on.
  [[nodiscard]] std::int64_t line(std::int64_t row) const noexcept { return row + (has_header_ ? 2 : 1); }
  /// A column's name; "" in a file without a header.
  [[nodiscard]] char const* column_name(int at) const noexcept {
    char const* name = header_.size() == 0 ? "" : header_.data();
    for (; at > 0 && header_.size() != 0; --at) name += std::strlen(name) + 1;
    return name;
  }
  /// The position of a column. errors: format_error if there is none, or two of that name
  [[nodiscard]] int position_of(column requested) const;

  friend csv_table read_csv(file_path path, csv_format format);

 private:
  owned<double> numbers_;
  owned<char> header_;
  int columns_ = 0;
  bool has_header_ = false;
  detail::file_name name_;
};

namespace detail {

/// A cell of a file: the text between separators, without spaces at its ends.
struct csv_cell {
  char const* first;
  char const* last;
};

/// A line of a file. It ends at its \n, without a \r before it, or at the end of the file.
struct csv_line {
  char const* first;
  char const* last;
  char const* next;  ///< the start of the next line

  csv_line(char const* from, char const* end) noexcept : first{from}, last{from} {
    while (last != end && *last != '\n') ++last;
    next = last == end ? end : last + 1;
    if (last != first && last[-1] == '\r') --last;
  }
  /// Returns the cell that starts at `at` and moves `at` to the next one; `at` is beyond `last` after the last cell.
  csv_cell next_cell(char const*& at, char separator) const noexcept {
    csv_cell cell{at, at};
    while (cell.last != last && *cell.last != separator) ++cell.last;
    at = cell.last + 1;
    auto const is_space = [separator](char c) { return c == ' ' || (c == '\t' && separator != '\t'); };
    while (cell.first != cell.last && is_space(*cell.first)) ++cell.first;
    while (cell.first != cell.last && is_space(cell.last[-1])) --cell.last;
    return cell;
  }
  std::int64_t count(char separator) const noexcept {
    std::int64_t cells = 1;
    for (char const* c = first; c != last; ++c) cells += *c == separator;
    return cells;
  }
};

/// A cell's text for an error: its first 40 characters, with '?' for unprintable ones.
struct csv_text {
  char text[48];
  explicit csv_text(csv_cell cell) noexcept {
    int used = 0;
    for (char const* c = cell.first; c != cell.last && used < 40; ++c) text[used++] = *c >= ' ' && *c <= '~' ? *c : '?';
    for (int dots = 0; cell.last - cell.first > 40 && dots < 3; ++dots) text[used++] = '.';
    text[used] = 0;
  }
};

/// The position of a cell, for an error: "line 3, column 2 (width)".
struct csv_place {
  char text[128];
  csv_place(csv_table const& table, std::int64_t line, int column) noexcept {
    char const* const name = table.column_name(column);
    std::snprintf(text, sizeof text, *name != 0 ? "line %lld, column %d (%.60s)" : "line %lld, column %d",
                  static_cast<long long>(line), column, name);
  }
};

/// A cell without the quotes around it.
constexpr csv_cell without_quotes(csv_cell cell) noexcept {
  bool const quoted = cell.last - cell.first >= 2 && *cell.first == '"' && cell.last[-1] == '"';
  return quoted ? csv_cell{cell.first + 1, cell.last - 1} : cell;
}

inline double csv_number(csv_table const& table, csv_cell raw, csv_format format, std::int64_t line, int column) {
  csv_cell const cell = without_quotes(raw);
  double value = 0;
  auto const [end, fault] = detail::read_decimal(cell.first, cell.last, value);
  bool const whole = fault == std::errc{} && end == cell.last && cell.first != cell.last;
  bool const finite = math::isfinite(value);
  if (whole && (finite || format.non_finite)) return value;
  csv_place const where{table, line, column};
  csv_text const actual{cell};
  if (cell.first == cell.last)
    throw_error<format_error>("%s: expected a number in %s, got an empty cell", table.name(), where.text);
  if (whole)
    throw_error<format_error>(
        "%s: expected a finite number in %s, got \"%s\" (set csv_format::non_finite to accept it)", table.name(),
        where.text, actual.text);
  if (fault == std::errc::result_out_of_range)
    throw_error<format_error>("%s: expected a number that a double can hold in %s, got \"%s\"", table.name(),
                              where.text, actual.text);
  throw_error<format_error>("%s: expected a number in %s, got \"%s\"", table.name(), where.text, actual.text);
}

/// The names of a header, each with a terminating 0; quotes around a name are removed.
inline owned<char> csv_header(csv_line line, char separator) {
  owned<char> names{line.last - line.first + 2};
  char* to = names.data();
  for (char const* at = line.first; at <= line.last;) {
    csv_cell cell = without_quotes(line.next_cell(at, separator));
    while (cell.first != cell.last) *to++ = *cell.first++;
    *to++ = 0;
  }
  return names;
}

}  // namespace detail

inline int csv_table::position_of(column requested) const {
  if (requested.name == nullptr) {
    int const at = requested.position < 0 ? requested.position + columns_ : requested.position;
    if (at < 0 || at >= columns_)
      throw_error<format_error>("%s: expected a column from 0 to %d (or from -1 back), got %d", name(), columns_ - 1,
                                requested.position);
    return at;
  }
  if (!has_header_)
    throw_error<format_error>(
        "%s: expected a column's position, since the file was read without a header, got the name \"%.60s\"", name(),
        requested.name);
  int found = -1;
  char const* current = column_name(0);
  for (int i = 0; i < columns_; ++i, current += std::strlen(current) + 1) {
    if (std::strcmp(current, requested.name) != 0) continue;
    if (found >= 0)
      throw_error<format_error>("%s: expected one column named \"%.60s\", got two: columns %d and %d", name(),
                                requested.name, found, i);
    found = i;
  }
  if (found < 0)
    throw_error<format_error>("%s: expected a column named \"%.60s\", got a header without it (its first: \"%.60s\")",
                              name(), requested.name, column_name(0));
  return found;
}

/// read_csv(path, format): reads a file whose cells are numbers.
/// shape   every line has as many cells as the first; lines end with \n or \r\n, which the last one may omit; a byte
///         order mark, and empty lines at the end, are skipped
/// errors  format_error, with the file's name, the expected and the actual content: no such file, an empty file, a
///         header without rows, a line with another number of cells, a cell that is no number, with or without quotes
///         (with its line, column and text). nan and inf are errors unless csv_format::non_finite is set. Lines count from 1, columns from 0.
inline csv_table read_csv(file_path path, csv_format format = {}) {
  csv_table table;
  table.name_ = detail::file_name{path};
  char const* const name = table.name();
  errno = 0;
  detail::opened_file const opened{path};
  unsigned char start[3] = {};
  std::size_t const actual = detail::read_start(opened, name, start, sizeof start);
  std::int64_t const size = detail::size_of(opened.file, name);
  owned<char> text{size};
  detail::read_rest(opened.file, name, text.data(), size);
  bool const marked = actual == 3 && start[0] == 0xef && start[1] == 0xbb && start[2] == 0xbf;
  char const *const begin = text.data() + (marked ? 3 : 0), *end = text.data() + size;
  while (end != begin && (end[-1] == '\n' || end[-1] == '\r')) --end;
  if (begin == end) throw_error<format_error>("%s: expected lines of numbers, got an empty file", name);

  detail::csv_line const first{begin, end};
  std::int64_t const cells = first.count(format.separator);
  if (cells > 1000000)
    throw_error<format_error>("%s: expected at most 1000000 cells in a line, got %lld", name,
                              static_cast<long long>(cells));
  table.columns_ = static_cast<int>(cells);
  table.has_header_ = format.header;
  if (format.header) table.header_ = detail::csv_header(first, format.separator);
  char const* const data = format.header ? first.next : begin;
  if (data == end) throw_error<format_error>("%s: expected lines of numbers after the header, got none", name);

  std::int64_t rows = 0;
  for (char const* at = data; at != end; ++rows) {
    detail::csv_line const line{at, end};
    if (std::int64_t const current = line.count(format.separator); current != cells)
      throw_error<format_error>("%s: expected %lld cells in line %lld, as many as in line 1, got %lld", name,
                                static_cast<long long>(cells), static_cast<long long>(table.line(rows)),
                                static_cast<long long>(current));
    at = line.next;
  }
  table.numbers_ = owned<double>{rows * cells};
  char const* at = data;
  for (std::int64_t row = 0; row < rows; ++row) {
    detail::csv_line const line{at, end};
    char const* from = line.first;
    for (int i = 0; i < table.columns_; ++i)
      table.numbers_[row * cells + i] =
          detail::csv_number(table, line.next_cell(from, format.separator), format, table.line(row), i);
    at = line.next;
  }
  return table;
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
