// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "array.hpp"
#include "file.hpp"
#include "file_bytes.hpp"

namespace espalier::io {

/// One entry of a file's metadata: its name and its text.
struct metadata_entry {
  std::string name, text;
};

/// archive: the arrays of a file by name, and the file's metadata. It owns the memory of all arrays; a constructed
/// archive is complete.
class archive {
 public:
  archive() = default;
  /// The arrays are sorted by name; their data must lie in `bytes`.
  archive(char const* path, std::vector<named_array> arrays, std::vector<metadata_entry> metadata, file_bytes bytes)
      : name_{path}, arrays_{std::move(arrays)}, metadata_{std::move(metadata)}, bytes_{std::move(bytes)} {
    std::sort(arrays_.begin(), arrays_.end(),
              [](named_array const& a, named_array const& b) { return a.name < b.name; });
  }
  [[nodiscard]] std::vector<named_array> const& arrays() const noexcept { return arrays_; }
  [[nodiscard]] std::vector<metadata_entry> const& metadata() const noexcept { return metadata_; }
  /// The array of that name, or null if there is none.
  [[nodiscard]] named_array const* find(std::string_view name) const noexcept {
    auto const at = std::lower_bound(arrays_.begin(), arrays_.end(), name,
                                     [](named_array const& a, std::string_view key) { return a.name < key; });
    return at != arrays_.end() && at->name == name ? &*at : nullptr;
  }
  /// An array whose name another array has, or null if all names differ.
  [[nodiscard]] named_array const* twice() const noexcept {
    auto const at = std::adjacent_find(arrays_.begin(), arrays_.end(),
                                       [](named_array const& a, named_array const& b) { return a.name == b.name; });
    return at != arrays_.end() ? &*at : nullptr;
  }
  /// The file's name, for errors (only the end of a very long one).
  [[nodiscard]] char const* name() const noexcept { return name_.text; }

 private:
  detail::file_name name_;
  std::vector<named_array> arrays_;
  std::vector<metadata_entry> metadata_;
  file_bytes bytes_;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
