// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include "archive.hpp"

/// The header of a safetensors file: a JSON object with an entry for each tensor.
namespace espalier::io::detail {

inline constexpr char const* safetensors_kinds[element_kinds] = {"BOOL", "U8",  "I8",  "U16",  "I16", "U32", "I32",
                                                                 "U64",  "I64", "F16", "BF16", "F32", "F64"};
inline constexpr std::size_t longest_safetensors_header = 100'000'000;

/// A name in quotes, as JSON text.
/// errors  name_error if it is not UTF-8
inline std::string json_text(char const* path, std::string const& text) {
  // Checks UTF-8 without an exception, for programs without exceptions: one dump replaces invalid bytes and the other
  // drops them.
  using when_wrong = nlohmann::json::error_handler_t;
  nlohmann::json const name(text);
  std::string quoted = name.dump(-1, ' ', false, when_wrong::replace);
  if (quoted != name.dump(-1, ' ', false, when_wrong::ignore))
    throw_error<name_error>("%s: expected names in UTF-8, got %s", path, in_quotes(text).c_str());
  return quoted;
}

/// Receives the header from the JSON parser, event by event, and throws at the first entry that the format does not
/// have.
class safetensors_header {
 public:
  explicit safetensors_header(char const* file) : file_{file} {}

  struct entry {
    named_array array;
    std::int64_t begin = -1, end = -1;
  };
  std::vector<entry> entries;
  std::vector<metadata_entry> metadata;

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a truth value"); }
  bool number_float(double, std::string const& text) { return unexpected(text.c_str()); }
  bool binary(nlohmann::json::binary_t&) { return unexpected("binary data"); }
  bool number_integer(std::int64_t number) { return unexpected(std::to_string(number).c_str()); }
  bool number_unsigned(std::uint64_t number) {
    if (at_ != place::extents && at_ != place::offsets) return unexpected(std::to_string(number).c_str());
    if (number > std::uint64_t{1} << 62)
      throw_error<format_error>("%s: tensor %s: expected %s below 2^62, got %llu", file_, in_quotes(name_).c_str(),
                                key_.c_str(), static_cast<unsigned long long>(number));
    if (at_ == place::extents) {
      if (entries.back().array.extents.size() == most_extents)
        throw_error<format_error>("%s: tensor %s: expected at most %d extents, got more", file_,
                                  in_quotes(name_).c_str(), most_extents);
      entries.back().array.extents.push_back(static_cast<std::int64_t>(number));
      return true;
    }
    std::int64_t& to = offsets_ == 0 ? entries.back().begin : entries.back().end;
    if (++offsets_ > 2)
      throw_error<format_error>("%s: tensor %s: expected two data_offsets, got more", file_, in_quotes(name_).c_str());
    to = static_cast<std::int64_t>(number);
    return true;
  }
  bool string(std::string& text) {
    if (at_ == place::metadata && has_key_) {
      metadata.push_back({name_, text});
      has_key_ = false;
      return true;
    }
    if (at_ != place::tensor || key_ != "dtype") return unexpected(("the text " + in_quotes(text)).c_str());
    for (int kind = 0; kind < element_kinds; ++kind)
      if (text == safetensors_kinds[kind]) {
        entries.back().array.kind = static_cast<element_kind>(kind);
        return true;
      }
    throw_error<format_error>("%s: tensor %s: expected elements of a type from BOOL to F64, got %s", file_,
                              in_quotes(name_).c_str(), in_quotes(text).c_str());
  }
  bool start_object(std::size_t) {
    switch (at_) {
      case place::outside:
        at_ = place::names;
        return true;
      case place::names:
        at_ = name_ == "__metadata__" ? place::metadata : place::tensor;
        if (at_ == place::metadata && std::exchange(has_metadata_, true))
          throw_error<format_error>("%s: expected __metadata__ once, got it twice", file_);
        found_keys_ = 0;
        if (at_ == place::tensor)
          entries.push_back(entry{named_array{name_, element_kind::f32, {}, nullptr, 0}, -1, -1});
        return true;
      default:
        return unexpected("an object");
    }
  }
  bool key(std::string& name) {
    if (at_ == place::tensor) {
      int const which = name == "dtype" ? 1 : name == "shape" ? 2 : name == "data_offsets" ? 4 : 0;
      if (which == 0 || (found_keys_ & which) != 0)
        throw_error<format_error>("%s: tensor %s: expected dtype, shape and data_offsets once each, got %s", file_,
                                  in_quotes(name_).c_str(), in_quotes(name).c_str());
      found_keys_ |= which;
      key_ = name;
    } else {
      name_ = name;
      has_key_ = true;
    }
    return true;
  }
  bool end_object() {
    if (at_ == place::tensor && found_keys_ != 7)
      throw_error<format_error>("%s: tensor %s: expected dtype, shape and data_offsets, got no %s", file_,
                                in_quotes(name_).c_str(),
                                (found_keys_ & 1) == 0   ? "dtype"
                                : (found_keys_ & 2) == 0 ? "shape"
                                                         : "data_offsets");
    at_ = at_ == place::names ? place::outside : place::names;
    return true;
  }
  bool start_array(std::size_t) {
    if (at_ != place::tensor || key_ == "dtype") return unexpected("a list");
    at_ = key_ == "shape" ? place::extents : place::offsets;
    offsets_ = 0;
    return true;
  }
  bool end_array() {
    if (at_ == place::offsets && offsets_ != 2)
      throw_error<format_error>("%s: tensor %s: expected two data_offsets, got %d", file_, in_quotes(name_).c_str(),
                                offsets_);
    at_ = place::tensor;
    return true;
  }
  bool parse_error(std::size_t position, std::string const&, nlohmann::json::exception const&) {
    throw_error<format_error>("%s: expected a header in JSON, got something else at its byte %zu", file_, position);
  }

 private:
  enum class place { outside, names, metadata, tensor, extents, offsets };
  static constexpr int most_extents = 32;

  [[noreturn]] bool unexpected(char const* actual) const {
    if (at_ == place::outside)
      throw_error<format_error>("%s: expected a header that is a JSON object, got %s", file_, actual);
    if (at_ == place::names)
      throw_error<format_error>("%s: tensor %s: expected an object, got %s", file_, in_quotes(name_).c_str(), actual);
    if (at_ == place::metadata)
      throw_error<format_error>("%s: expected metadata that is text, got %s for %s", file_, actual,
                                in_quotes(name_).c_str());
    throw_error<format_error>("%s: tensor %s: expected %s, got %s", file_, in_quotes(name_).c_str(),
                              key_ == "dtype"   ? "a dtype that is text"
                              : key_ == "shape" ? "a shape of whole numbers"
                                                : "data_offsets of two whole numbers",
                              actual);
  }

  char const* file_;
  place at_ = place::outside;
  std::string name_, key_;
  int found_keys_ = 0, offsets_ = 0;
  bool has_key_ = false, has_metadata_ = false;
};

/// Throws if a key of the metadata occurs twice.
template <class Error>
void check_words(char const* file, std::vector<metadata_entry> const& metadata) {
  std::vector<std::string_view> names;
  for (auto const& m : metadata) names.push_back(m.name);
  std::sort(names.begin(), names.end());
  auto const twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw_error<Error>("%s: expected each key of the metadata once, got %s twice", file, in_quotes(*twice).c_str());
}

/// Throws unless the entries' bytes match their extents and cover the data from its first to its last byte without
/// gaps.
inline void check_safetensors_entries(char const* file, std::vector<safetensors_header::entry>& entries,
                                      std::int64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](auto const& a, auto const& b) {
    return std::tie(a.begin, a.end, a.array.name) < std::tie(b.begin, b.end, b.array.name);
  });
  std::int64_t at = 0;
  for (auto& e : entries) {
    std::int64_t const count = count_of(e.array.extents);
    if (count < 0)
      throw_error<format_error>("%s: tensor %s: expected extents whose product fits a file, got %s", file,
                                in_quotes(e.array.name).c_str(), text_of(e.array.extents).c_str());
    std::int64_t const bytes = count * bytes_of(e.array.kind);
    if (e.end < e.begin || e.end - e.begin != bytes)
      throw_error<format_error>("%s: tensor %s: expected %lld bytes for %s of %s, got data_offsets %lld to %lld", file,
                                in_quotes(e.array.name).c_str(), static_cast<long long>(bytes),
                                text_of(e.array.extents).c_str(), safetensors_kinds[static_cast<int>(e.array.kind)],
                                static_cast<long long>(e.begin), static_cast<long long>(e.end));
    if (e.begin != at)
      throw_error<format_error>("%s: tensor %s: expected data_offsets from %lld on, got %lld: %s", file,
                                in_quotes(e.array.name).c_str(), static_cast<long long>(at),
                                static_cast<long long>(e.begin),
                                e.begin < at ? "two tensors overlap" : "bytes that belong to no tensor");
    if (e.end > data_bytes)
      throw_error<format_error>(
          "%s: tensor %s: expected data up to byte %lld, got a file with %lld bytes of data: truncated", file,
          in_quotes(e.array.name).c_str(), static_cast<long long>(e.end), static_cast<long long>(data_bytes));
    e.array.bytes = bytes;
    at = e.end;
  }
  if (at != data_bytes)
    throw_error<format_error>("%s: expected %lld bytes of data, got %lld: trailing bytes", file,
                              static_cast<long long>(at), static_cast<long long>(data_bytes));
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
