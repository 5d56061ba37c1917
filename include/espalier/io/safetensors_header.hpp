// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include "archive.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// The header of a safetensors file: a JSON object with an entry for each tensor.
namespace espalier::io::detail {

inline constexpr char const* safetensors_kinds[element_kinds] = {"BOOL", "U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "F16", "BF16", "F32", "F64"};
inline constexpr std::size_t longest_safetensors_header = 100'000'000;

/// A name in quotes, as JSON writes it.
/// errors  name_error where it is no UTF-8
inline std::string json_text(char const* path, std::string const& text) {
  // What is no UTF-8 is replaced in one of these and left out of the other: asked without an exception, which a program may have to do without.
  using when_wrong = nlohmann::json::error_handler_t;
  nlohmann::json const name(text);
  std::string quoted = name.dump(-1, ' ', false, when_wrong::replace);
  if (quoted != name.dump(-1, ' ', false, when_wrong::ignore))
    refuse<name_error>("%s: expected names in UTF-8, came %s", path, in_quotes(text).c_str());
  return quoted;
}

/// Takes the header from the JSON parser, event by event, and refuses what the format does not have where it comes.
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
    if (number > std::uint64_t{1} << 62) refuse<format_error>("%s: tensor %s: expected %s below 2^62, came %llu", file_, in_quotes(name_).c_str(), key_.c_str(), static_cast<unsigned long long>(number));
    if (at_ == place::extents) {
      if (entries.back().array.extents.size() == most_extents) refuse<format_error>("%s: tensor %s: expected at most %d extents, came more", file_, in_quotes(name_).c_str(), most_extents);
      entries.back().array.extents.push_back(static_cast<std::int64_t>(number));
      return true;
    }
    std::int64_t& to = offsets_ == 0 ? entries.back().begin : entries.back().end;
    if (++offsets_ > 2) refuse<format_error>("%s: tensor %s: expected two data_offsets, came more", file_, in_quotes(name_).c_str());
    to = static_cast<std::int64_t>(number);
    return true;
  }
  bool string(std::string& text) {
    if (at_ == place::metadata && key_given_) {
      metadata.push_back({name_, text});
      key_given_ = false;
      return true;
    }
    if (at_ != place::tensor || key_ != "dtype") return unexpected(("the text " + in_quotes(text)).c_str());
    for (int kind = 0; kind < element_kinds; ++kind)
      if (text == safetensors_kinds[kind]) {
        entries.back().array.kind = static_cast<element_kind>(kind);
        return true;
      }
    refuse<format_error>("%s: tensor %s: expected elements of a type from BOOL to F64, came %s", file_, in_quotes(name_).c_str(), in_quotes(text).c_str());
  }
  bool start_object(std::size_t) {
    switch (at_) {
      case place::outside:
        at_ = place::names;
        return true;
      case place::names:
        at_ = name_ == "__metadata__" ? place::metadata : place::tensor;
        if (at_ == place::metadata && std::exchange(words_given_, true)) refuse<format_error>("%s: expected __metadata__ once, came it twice", file_);
        given_ = 0;
        if (at_ == place::tensor) entries.push_back(entry{named_array{name_, element_kind::f32, {}, nullptr, 0}, -1, -1});
        return true;
      default:
        return unexpected("an object");
    }
  }
  bool key(std::string& name) {
    if (at_ == place::tensor) {
      int const which = name == "dtype" ? 1 : name == "shape" ? 2 : name == "data_offsets" ? 4 : 0;
      if (which == 0 || (given_ & which) != 0)
        refuse<format_error>("%s: tensor %s: expected dtype, shape and data_offsets once each, came %s", file_, in_quotes(name_).c_str(), in_quotes(name).c_str());
      given_ |= which;
      key_ = name;
    } else {
      name_ = name;
      key_given_ = true;
    }
    return true;
  }
  bool end_object() {
    if (at_ == place::tensor && given_ != 7)
      refuse<format_error>("%s: tensor %s: expected dtype, shape and data_offsets, came no %s", file_, in_quotes(name_).c_str(),
                           (given_ & 1) == 0 ? "dtype" : (given_ & 2) == 0 ? "shape" : "data_offsets");
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
    if (at_ == place::offsets && offsets_ != 2) refuse<format_error>("%s: tensor %s: expected two data_offsets, came %d", file_, in_quotes(name_).c_str(), offsets_);
    at_ = place::tensor;
    return true;
  }
  bool parse_error(std::size_t position, std::string const&, nlohmann::json::exception const&) {
    refuse<format_error>("%s: expected a header in JSON, came something else at its byte %zu", file_, position);
  }

 private:
  enum class place { outside, names, metadata, tensor, extents, offsets };
  static constexpr int most_extents = 32;

  [[noreturn]] bool unexpected(char const* what) const {
    if (at_ == place::outside) refuse<format_error>("%s: expected a header that is a JSON object, came %s", file_, what);
    if (at_ == place::names) refuse<format_error>("%s: tensor %s: expected an object, came %s", file_, in_quotes(name_).c_str(), what);
    if (at_ == place::metadata) refuse<format_error>("%s: expected metadata that is text, came %s for %s", file_, what, in_quotes(name_).c_str());
    refuse<format_error>("%s: tensor %s: expected %s, came %s", file_, in_quotes(name_).c_str(),
                         key_ == "dtype" ? "a dtype that is text" : key_ == "shape" ? "a shape of whole numbers" : "data_offsets of two whole numbers", what);
  }

  char const* file_;
  place at_ = place::outside;
  std::string name_, key_;
  int given_ = 0, offsets_ = 0;
  bool key_given_ = false, words_given_ = false;
};

/// Refuses a word of the metadata that is there twice.
template <class Error>
void check_words(char const* file, std::vector<metadata_entry> const& metadata) {
  std::vector<std::string_view> names;
  for (auto const& m : metadata) names.push_back(m.name);
  std::sort(names.begin(), names.end());
  auto const twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse<Error>("%s: expected each word of the metadata once, came %s twice", file, in_quotes(*twice).c_str());
}

/// Refuses entries whose bytes do not follow each other from the first to the last byte of the data, or are not those of their extents.
inline void check_safetensors_entries(char const* file, std::vector<safetensors_header::entry>& entries, std::int64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](auto const& a, auto const& b) { return std::tie(a.begin, a.end, a.array.name) < std::tie(b.begin, b.end, b.array.name); });
  std::int64_t at = 0;
  for (auto& e : entries) {
    std::int64_t const count = count_of(e.array.extents);
    if (count < 0) refuse<format_error>("%s: tensor %s: expected extents whose product fits a file, came %s", file, in_quotes(e.array.name).c_str(), text_of(e.array.extents).c_str());
    std::int64_t const bytes = count * bytes_of(e.array.kind);
    if (e.end < e.begin || e.end - e.begin != bytes)
      refuse<format_error>("%s: tensor %s: expected %lld bytes for %s of %s, came data_offsets %lld to %lld", file, in_quotes(e.array.name).c_str(), static_cast<long long>(bytes),
                           text_of(e.array.extents).c_str(), safetensors_kinds[static_cast<int>(e.array.kind)], static_cast<long long>(e.begin), static_cast<long long>(e.end));
    if (e.begin != at)
      refuse<format_error>("%s: tensor %s: expected data_offsets from %lld on, came %lld: %s", file, in_quotes(e.array.name).c_str(), static_cast<long long>(at),
                           static_cast<long long>(e.begin), e.begin < at ? "two tensors overlap" : "bytes that belong to no tensor");
    if (e.end > data_bytes)
      refuse<format_error>("%s: tensor %s: expected data up to byte %lld, came a file with %lld bytes of data: truncated", file, in_quotes(e.array.name).c_str(),
                           static_cast<long long>(e.end), static_cast<long long>(data_bytes));
    e.array.bytes = bytes;
    at = e.end;
  }
  if (at != data_bytes) refuse<format_error>("%s: expected %lld bytes of data, came %lld: trailing bytes", file, static_cast<long long>(at), static_cast<long long>(data_bytes));
}

}  // namespace espalier::io::detail
#pragma GCC diagnostic pop
