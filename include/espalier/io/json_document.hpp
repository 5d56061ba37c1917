// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <nlohmann/json.hpp>

#include <cfloat>
#include <cstring>
#include <string>
#include <vector>

#include "array.hpp"
#include "file.hpp"
#include "file_bytes.hpp"

/// JSON documents with weights, as programs for audio write them. Lists of numbers are stored compactly.
namespace espalier::io {

/// A value of a JSON document.
/// numbers  of a list that has only numbers; otherwise the list's values are `items`
/// items    the values of an object, in the order of keys, or of a list
struct json_value {
  enum class kind : std::uint8_t { null, boolean, number, text, list, object };
  kind is = kind::null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<double> numbers;
  std::vector<std::string> keys;
  std::vector<json_value> items;

  /// The value of a key, or null if the object has none.
  [[nodiscard]] json_value const* find(std::string_view key) const noexcept {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] == key) return &items[i];
    return nullptr;
  }
};

namespace detail {

/// A text of a file for errors: shortened, without control characters.
inline std::string printable(std::string_view text) {
  std::string const quoted = in_quotes(text);
  return quoted.substr(1, quoted.size() - 2);
}

inline constexpr std::int64_t longest_json = 100'000'000;
inline constexpr std::size_t deepest_json = 16, most_json_values = 1'000'000, most_json_keys = 4096;

/// Builds a document from the events of the JSON parser, and throws at the first one that exceeds a limit.
class json_builder {
 public:
  json_builder(char const* file, json_value& root) : file_{file}, root_{root} {}

  bool null() { return add(json_value{}); }
  bool boolean(bool truth) {
    json_value v;
    v.is = json_value::kind::boolean;
    v.truth = truth;
    return add(std::move(v));
  }
  bool number_integer(std::int64_t number) { return add_number(static_cast<double>(number)); }
  bool number_unsigned(std::uint64_t number) { return add_number(static_cast<double>(number)); }
  bool number_float(double number, std::string const& text) {
    if (!(number >= -double{FLT_MAX} && number <= double{FLT_MAX}))
      throw_error<format_error>("%s: expected numbers in the range of float, got %.40s", file_, text.c_str());
    return add_number(number);
  }
  bool string(std::string& text) {
    json_value v;
    v.is = json_value::kind::text;
    v.text = std::move(text);
    return add(std::move(v));
  }
  bool binary(nlohmann::json::binary_t&) { return true; }  // JSON text has none
  bool start_object(std::size_t) { return open(json_value::kind::object); }
  bool start_array(std::size_t) { return open(json_value::kind::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    json_value& object = *open_.back();
    if (object.find(name) != nullptr)
      throw_error<format_error>("%s: expected each key once, got %s twice", file_, in_quotes(name).c_str());
    if (object.keys.size() == most_json_keys)
      throw_error<format_error>("%s: expected objects of at most %zu keys, got more", file_, most_json_keys);
    object.keys.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t position, std::string const&, nlohmann::json::exception const&) {
    throw_error<format_error>("%s: expected JSON with finite numbers, got something else at its byte %zu", file_,
                              position);
  }

 private:
  bool add_number(double number) {
    if (!open_.empty() && open_.back()->is == json_value::kind::list && open_.back()->items.empty()) {
      open_.back()->numbers.push_back(number);
      return true;
    }
    json_value v;
    v.is = json_value::kind::number;
    v.number = number;
    return add(std::move(v));
  }
  bool add(json_value&& v) {
    (void)added(std::move(v));
    return true;
  }
  json_value* added(json_value&& v) {
    if (++count_ > most_json_values)
      throw_error<format_error>("%s: expected at most %zu values beside those in lists of numbers, got more", file_,
                                most_json_values);
    if (open_.empty()) {
      root_ = std::move(v);
      return &root_;
    }
    json_value& to = *open_.back();
    std::vector<double> const numbers = std::move(to.numbers);  // a list of numbers and other values
    to.numbers.clear();
    for (double const number : numbers) {
      json_value n;
      n.is = json_value::kind::number;
      n.number = number;
      (void)added(std::move(n));
    }
    to.items.push_back(std::move(v));
    return &to.items.back();
  }
  bool open(json_value::kind kind) {
    if (open_.size() == deepest_json)
      throw_error<format_error>("%s: expected lists and objects at most %zu deep, got deeper ones", file_,
                                deepest_json);
    json_value v;
    v.is = kind;
    open_.push_back(added(std::move(v)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  char const* file_;
  json_value& root_;
  std::vector<json_value*> open_;  // a list or object grows only while it is the last one
  std::size_t count_ = 0;
};

}  // namespace detail

/// parse_json(path, bytes): a JSON document in memory; path is only used in errors.
/// range   numbers that are finite as float
/// memory  up to 60 times the text's; at most 100 MB of text, 1,000,000 values beside those in lists of numbers, 16
///         levels, and 4,096 keys for an object
/// errors  format_error: text that is truncated or no JSON, a key that an object has twice, and what exceeds the limits
/// source  RFC 8259
inline json_value parse_json(char const* path, unsigned char const* bytes, std::int64_t size) {
  detail::file_name const name{path};
  if (size > detail::longest_json)
    throw_error<format_error>("%s: expected JSON of at most %lld bytes, got %lld", name.text,
                              static_cast<long long>(detail::longest_json), static_cast<long long>(size));
  // The parser stops at a zero byte, even if text follows it.
  void const* const zero = size > 0 ? std::memchr(bytes, 0, static_cast<std::size_t>(size)) : nullptr;
  if (zero != nullptr)
    throw_error<format_error>("%s: expected JSON with finite numbers, got something else at its byte %td", name.text,
                              static_cast<unsigned char const*>(zero) - bytes + 1);
  json_value root;
  detail::json_builder builder{name.text, root};
  char const* const text = reinterpret_cast<char const*>(bytes);
  (void)nlohmann::json::sax_parse(text, text + size, &builder);
  return root;
}
inline json_value parse_json(char const* path, file_bytes const& bytes) {
  return parse_json(path, bytes.data(), bytes.size());
}

/// The numbers of nested lists in row-major order.
struct json_tensor {
  std::vector<std::int64_t> extents;
  std::vector<double> numbers;
};

/// A value and where it is in a document, for readers. Each function throws format_error if the document has something
/// else there: "f.json: layers[2].weights: expected a list, got text".
class json_place {
 public:
  json_place(char const* file, json_value const& root) : file_{file}, value_{&root} {}

  [[nodiscard]] json_value const& value() const noexcept { return *value_; }
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] bool has(char const* key) const {
    (void)object();
    return value_->find(key) != nullptr;
  }
  [[nodiscard]] json_place operator[](char const* key) const {
    (void)object();
    json_value const* const v = value_->find(key);
    if (v == nullptr) fail((std::string{"an object with "} + key).c_str(), "one without");
    return {file_, (path_.empty() ? path_ : path_ + ".") + detail::printable(key), *v};
  }
  /// The values of a list; numbers are values, too.
  [[nodiscard]] std::vector<json_place> list() const {
    expect(json_value::kind::list, "a list");
    std::vector<json_place> r;
    if (!value_->numbers.empty()) fail("a list of lists, objects or texts", "numbers");
    for (auto const& item : value_->items) r.push_back({file_, path_ + "[" + std::to_string(r.size()) + "]", item});
    return r;
  }
  [[nodiscard]] json_place const& object() const {
    expect(json_value::kind::object, "an object");
    return *this;
  }
  [[nodiscard]] std::string const& text() const {
    expect(json_value::kind::text, "text");
    return value_->text;
  }
  [[nodiscard]] double number() const {
    expect(json_value::kind::number, "a number");
    return value_->number;
  }
  [[nodiscard]] bool truth() const {
    expect(json_value::kind::boolean, "true or false");
    return value_->truth;
  }
  /// A number, or the last number of a list.
  [[nodiscard]] double last_number() const {
    if (value_->is == json_value::kind::number) return value_->number;
    expect(json_value::kind::list, "a number or a list that ends with one");
    if (!value_->numbers.empty()) return value_->numbers.back();
    if (value_->items.empty() || value_->items.back().is != json_value::kind::number)
      fail("a number or a list that ends with one", "another list");
    return value_->items.back().number;
  }
  [[nodiscard]] std::vector<double> const& numbers() const {
    expect(json_value::kind::list, "a list of numbers");
    if (!value_->items.empty()) fail("a list of numbers", "other values");
    return value_->numbers;
  }
  /// The numbers of nested lists, which have equal lengths; a number has no extents.
  [[nodiscard]] json_tensor tensor() const {
    json_tensor r;
    add_to(r, 0, true);
    return r;
  }
  [[noreturn]] void fail(char const* expected, char const* actual) const {
    throw_error<format_error>("%s: %.160s%sexpected %.160s, got %.160s", file_, path_.c_str(),
                              path_.empty() ? "" : ": ", expected, actual);
  }

 private:
  json_place(char const* file, std::string path, json_value const& value)
      : file_{file}, path_{std::move(path)}, value_{&value} {}

  void expect(json_value::kind kind, char const* expected) const {
    constexpr char const* names[] = {"null", "true or false", "a number", "text", "a list", "an object"};
    if (value_->is != kind) fail(expected, names[static_cast<int>(value_->is)]);
  }
  void add_to(json_tensor& r, std::size_t depth, bool first) const {
    if (value_->is == json_value::kind::number) {
      if (depth != r.extents.size()) fail("a list, as in the rows before", "a number");
      r.numbers.push_back(value_->number);
      return;
    }
    expect(json_value::kind::list, "a number or nested lists of numbers");
    std::size_t const length = value_->numbers.size() + value_->items.size();
    bool const innermost = value_->items.empty();
    if (length == 0) fail("at least one number", "an empty list");
    if (first) r.extents.push_back(static_cast<std::int64_t>(length));
    if (r.extents.size() <= depth || static_cast<std::int64_t>(length) != r.extents[depth] ||
        (!first && innermost != (depth + 1 == r.extents.size())))
      fail("lists of equal lengths", "others");
    r.numbers.insert(r.numbers.end(), value_->numbers.begin(), value_->numbers.end());
    for (std::size_t i = 0; i < value_->items.size(); ++i)
      json_place{file_, path_, value_->items[i]}.add_to(r, depth + 1, first && i == 0);
  }

  char const* file_;
  std::string path_;
  json_value const* value_;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
