// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "../shape/axis_order.hpp"

namespace espalier::io {

/// The library whose order of axes the tensors of a file have: as the file's metadata states, or as load_options
/// override it.
enum class file_layout { from_metadata, espalier, pytorch };

/// load_options: permitted differences between a file and the model that is loaded from it. Without options, the file
/// must have each tensor of the model under its name, with its shape and element type, and nothing else.
///
///     io::load_safetensors("net.safetensors", model,
///                          io::load_options{}.rename("encoder.*", "0.*").ignore("*.num_batches_tracked"));
///
/// patterns  names in which each * matches any characters, including none
class load_options {
 public:
  /// Loads `in_file` of the file into `in_model` of the model. A * in both matches the same characters; the first
  /// matching rule applies.
  load_options& rename(std::string in_file, std::string in_model) {
    renamed_.push_back({static_cast<std::string&&>(in_file), static_cast<std::string&&>(in_model)});
    return *this;
  }
  /// Ignores tensors of the file that the model does not have.
  load_options& ignore(std::string in_file) {
    ignored_.push_back(static_cast<std::string&&>(in_file));
    return *this;
  }
  /// Keeps tensors of the model that the file may lack: their values do not change.
  load_options& keep(std::string in_model) {
    kept_.push_back(static_cast<std::string&&>(in_model));
    return *this;
  }
  /// Rounds real numbers of another type to the model's type.
  load_options& convert(bool enabled = true) {
    converts_ = enabled;
    return *this;
  }
  /// Converts the tensors of a PyTorch state_dict, member by member (nn::in_pytorch): weights of Linear are (outputs,
  /// inputs), kernels (outputs, inputs, rows, columns), and so on. num_batches_tracked is skipped.
  load_options& from_pytorch() {
    layout_ = file_layout::pytorch;
    return *this;
  }
  /// The file's tensors have the axes of the model's; this overrides the file's metadata.
  load_options& from_espalier() {
    layout_ = file_layout::espalier;
    return *this;
  }
  /// axes("own.*", 1, 0): axis 0 of the file's tensor is axis 1 of the model's, and so on. For tensors of modules that
  /// do not define PyTorch's order of their axes.
  template <class... Axis>
  load_options& axes(std::string in_model, Axis... axis) {
    static_assert(sizeof...(Axis) <= static_cast<std::size_t>(max_rank),
                  "load_options.axes(name, axes...): a tensor has at most 6 axes");
    ordered_.push_back({static_cast<std::string&&>(in_model), axes_in_order(axis...)});
    return *this;
  }
  /// Rejects infinities and NaN.
  load_options& finite(bool enabled = true) {
    finite_ = enabled;
    return *this;
  }

  /// The model's name for a name of the file.
  [[nodiscard]] std::string renamed(std::string const& in_file) const {
    for (auto const& r : renamed_) {
      std::string_view starred;
      if (!matches(r.in_file, in_file, &starred)) continue;
      std::string name = r.in_model;
      if (auto const star = name.find('*'); star != std::string::npos) name.replace(star, 1, starred);
      return name;
    }
    return in_file;
  }
  [[nodiscard]] bool ignores(std::string_view in_file) const { return any(ignored_, in_file); }
  [[nodiscard]] bool keeps(std::string_view in_model) const { return any(kept_, in_model); }
  /// The order of axes that axes() set for a tensor of the model; null: none.
  [[nodiscard]] axis_order const* order_of(std::string_view in_model) const {
    for (auto const& o : ordered_)
      if (matches(o.in_model, in_model)) return &o.order;
    return nullptr;
  }
  [[nodiscard]] file_layout layout() const noexcept { return layout_; }
  [[nodiscard]] bool converts() const noexcept { return converts_; }
  [[nodiscard]] bool requires_finite() const noexcept { return finite_; }

  /// Whether a name matches a pattern. starred: the text that the first * matches, as long as possible.
  static bool matches(std::string_view pattern, std::string_view name, std::string_view* starred = nullptr) {
    std::size_t const star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == name;
    if (name.substr(0, star) != pattern.substr(0, star)) return false;
    for (std::size_t length = name.size() - star + 1; length-- > 0;) {
      if (!matches(pattern.substr(star + 1), name.substr(star + length))) continue;
      if (starred != nullptr) *starred = name.substr(star, length);
      return true;
    }
    return false;
  }

 private:
  struct rule {
    std::string in_file, in_model;
  };
  struct order_rule {
    std::string in_model;
    axis_order order;
  };
  static bool any(std::vector<std::string> const& patterns, std::string_view name) {
    for (auto const& pattern : patterns)
      if (matches(pattern, name)) return true;
    return false;
  }
  std::vector<rule> renamed_;
  std::vector<std::string> ignored_, kept_;
  std::vector<order_rule> ordered_;
  file_layout layout_ = file_layout::from_metadata;
  bool converts_ = false, finite_ = false;
};

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
