// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>

#include "array.hpp"
#include "file.hpp"
#include "file_bytes.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::io {

/// A word about a file, and what it says.
struct metadata_entry {
  std::string name, text;
};

/// archive: the arrays of a file by name, and words about them; complete whenever it exists, and the memory of all arrays.
class archive {
 public:
  archive() = default;
  /// Arrays in the order of their names; data must lie in the bytes.
  archive(char const* path, std::vector<named_array> arrays, std::vector<metadata_entry> metadata, file_bytes bytes)
      : name_{path}, arrays_{std::move(arrays)}, metadata_{std::move(metadata)}, bytes_{std::move(bytes)} {
    std::sort(arrays_.begin(), arrays_.end(), [](named_array const& a, named_array const& b) { return a.name < b.name; });
  }
  [[nodiscard]] std::vector<named_array> const& arrays() const noexcept { return arrays_; }
  [[nodiscard]] std::vector<metadata_entry> const& metadata() const noexcept { return metadata_; }
  /// The array of that name; null: there is none.
  [[nodiscard]] named_array const* find(std::string_view name) const noexcept {
    auto const at = std::lower_bound(arrays_.begin(), arrays_.end(), name, [](named_array const& a, std::string_view wanted) { return a.name < wanted; });
    return at != arrays_.end() && at->name == name ? &*at : nullptr;
  }
  /// An array whose name another one has, too; null: there is none.
  [[nodiscard]] named_array const* twice() const noexcept {
    auto const at = std::adjacent_find(arrays_.begin(), arrays_.end(), [](named_array const& a, named_array const& b) { return a.name == b.name; });
    return at != arrays_.end() ? &*at : nullptr;
  }
  /// The file's name, for errors (its end where it is very long).
  [[nodiscard]] char const* name() const noexcept { return name_.text; }

 private:
  detail::file_name name_;
  std::vector<named_array> arrays_;
  std::vector<metadata_entry> metadata_;
  file_bytes bytes_;
};

}  // namespace espalier::io
#pragma GCC diagnostic pop
