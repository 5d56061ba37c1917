// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "checkpoint.hpp"
#include "json_document.hpp"
#include "json_state_dict.hpp"

ESPALIER_HEADER_INCLUDED(nam);

/// Files of Neural Amp Modeler (.nam): JSON with the configuration of a net and all of its numbers in one list.
namespace espalier::io {

/// A .nam file.
/// metadata  the numbers and texts of the object "metadata", and sample_rate: 48000 if the file states none
struct nam_file {
  std::string name, version, architecture;
  json_value config;
  std::vector<double> weights;
  std::vector<metadata_entry> metadata;
  double sample_rate = 48000;
};

namespace detail {

/// Named relation: .nam files can have this net.
template <class Net>
struct form_in_nam {
  ESPALIER_READS("got {}")
  static constexpr bool agree = [] {
    if constexpr (requires { Net::nam_architecture; }) return Net::has_nam_form;
    else return false;
  }();
};

/// Compares the configuration of a file with that of a net, entry by entry.
class nam_matching {
 public:
  std::vector<disagreement> disagreements;

  template <class Net>
  nam_matching(std::type_identity<Net>, nam_file const& file, load_options const& options)
      : config_{file.name.c_str(), file.config}, options_{&options} {
    if (file.architecture != Net::nam_architecture) {
      differ("architecture", in_quotes(Net::nam_architecture), in_quotes(file.architecture));
      return;
    }
    if (config_.has("layers")) layers_ = config_["layers"].list();
    Net::visit_nam_config([&](int position, char const* key, auto const& value) {
      last_ = position > last_ ? position : last_;
      if (position < static_cast<int>(layers_.size())) compare(position, key, text_of_value(value));
    });
    std::size_t const expected = static_cast<std::size_t>(last_ + 1);
    if (expected != layers_.size())
      differ("layers", std::to_string(expected) + " stacks", std::to_string(layers_.size()) + " stacks");
    else find_extra();
  }

 private:
  static std::string text_of_value(bool const& v) { return v ? "true" : "false"; }
  static std::string text_of_value(int const& v) { return std::to_string(v); }
  static std::string text_of_value(char const* v) { return in_quotes(v); }
  template <class Numbers>
  static std::string text_of_value(Numbers const& v) {
    std::string text = "[";
    for (int i = 0; i < v.count; ++i) text += (i > 0 ? ", " : "") + std::to_string(v.at[i]);
    return text + "]";
  }
  void differ(std::string name, std::string expected, std::string found) {
    disagreements.push_back({disagreement_kind::value, std::move(name), std::move(expected), std::move(found), {}});
  }
  void compare(int position, char const* key, std::string const& expected) {
    json_place const& at = position < 0 ? config_ : layers_[static_cast<std::size_t>(position)];
    json_value const* const found = at.object().value().find(key);
    std::string const name = at.path().empty() ? key : at.path() + "." + key;
    if (found == nullptr) differ(name, expected, "none");
    else if (json_text(*found) != expected) differ(name, expected, json_text(*found));
    compared_.push_back(name);
  }
  /// Entries that the net does not have: later versions of the format have more.
  void find_extra() {
    find_extra(config_);
    for (auto const& layer : layers_) find_extra(layer);
  }
  void find_extra(json_place const& at) {
    for (auto const& key : at.object().value().keys) {
      std::string const name = (at.path().empty() ? "" : at.path() + ".") + printable(key);
      bool const known = std::find(compared_.begin(), compared_.end(), name) != compared_.end();
      bool const structure = at.path().empty() && (key == "layers" || key == "head_scale");
      json_value const& v = *at.value().find(key);
      if (!known && !structure && !options_->ignores(name) && v.is != json_value::kind::null)
        disagreements.push_back({disagreement_kind::extra, name, {}, json_text(v), {}});
    }
  }

  json_place config_;
  load_options const* options_;
  std::vector<json_place> layers_;
  std::vector<std::string> compared_;
  int last_ = -1;
};

/// Loads a file into a model, or changes nothing.
template <class Model>
void restore_from_nam(nam_file const& file, Model& model, load_options const& options = {}) {
  nam_matching match{std::type_identity<typename Model::net_type>{}, file, options};
  std::vector<named_array> arrays;
  {
    snapshot const all{model};
    arrays = all.arrays();
  }
  std::int64_t expected = 0;
  for (auto const& a : arrays) expected += a.size();
  auto const found = static_cast<std::int64_t>(file.weights.size());
  if (match.disagreements.empty() && expected != found)
    match.disagreements.push_back({disagreement_kind::value,
                                   "weights",
                                   std::to_string(expected) + " numbers",
                                   std::to_string(found) + " numbers",
                                   {}});
  if (!match.disagreements.empty()) espalier::detail::raise(mismatch_error{file.name.c_str(), match.disagreements});
  std::vector<std::vector<double>> numbers;
  std::int64_t at = 0;
  for (auto& a : arrays) {
    auto const begin = file.weights.begin() + at;
    numbers.push_back(std::vector<double>(begin, begin + a.size()));
    at += a.size();
    a.extents = in_order(a.in_pytorch, a.extents);
  }
  std::vector<std::vector<double> const*> all;
  for (auto const& n : numbers) all.push_back(&n);
  restore(archive_of(file.name.c_str(), std::move(arrays), all, {}), model, load_options{}.from_pytorch().convert());
}

}  // namespace detail

/// parse_nam(path, bytes): reads a file of Neural Amp Modeler in memory. path is only used in errors.
/// range   versions 0.5 to 0.7; later entries of a configuration are disagreements with a net
/// errors  format_error, with the file's name, the place in the file, the expected and the actual content; and the
///         errors of parse_json
/// source  https://github.com/sdatkinson/NeuralAmpModelerCore, NAM/get_dsp.cpp
inline nam_file parse_nam(char const* path, file_bytes const& bytes) {
  detail::file_name const name{path};
  json_value document = parse_json(path, bytes);
  json_place const root{name.text, document};
  nam_file file;
  file.name = name.text;
  file.version = root["version"].text();
  if (file.version.rfind("0.5.", 0) != 0 && file.version.rfind("0.6.", 0) != 0 && file.version.rfind("0.7.", 0) != 0)
    root["version"].fail("a version from 0.5 to 0.7", in_quotes(file.version).c_str());
  file.architecture = root["architecture"].text();
  file.weights = root["weights"].numbers();
  if (root.has("sample_rate") && root["sample_rate"].value().is != json_value::kind::null)
    file.sample_rate = root["sample_rate"].number();
  if (root.has("metadata") && root["metadata"].value().is != json_value::kind::null)
    detail::add_metadata(root["metadata"], file.metadata);
  file.config = root["config"].object().value();
  return file;
}

/// read_nam(path): reads such a file.
/// errors  as parse_nam; no such file, a folder
inline nam_file read_nam(file_path path) { return parse_nam(path, read_bytes(path)); }

/// load_nam(path, model, options): loads a file of Neural Amp Modeler into a model of nn::nam::WaveNet or nn::nam::LSTM
/// (<espalier/nn/nam.hpp>). If the file's configuration and the net disagree in anything, nothing is loaded.
/// options load_options{}.ignore(NAME) leaves out an entry of the configuration that the net does not have
/// range   numbers that are finite as float; they are rounded to the model's type
/// errors  another net does not compile. format_error; mismatch_error, which lists every disagreement. The model is
///         unchanged then.
template <class Model>
void load_nam(file_path path, Model& model, load_options const& options = {}) {
  using May = detail::loaded_fault<Model>;
  static_assert(May::agree, ESPALIER_SENTENCE("load or restore a model: " ESPALIER_MODEL_IS_CONST, May));
  using Form = detail::form_in_nam<typename Model::net_type>;
  static_assert(
      Form::agree,
      ESPALIER_SENTENCE("io::load_nam(path, model): files of Neural Amp Modeler have nn::nam::WaveNet, with an "
                        "activation that they name, and nn::nam::LSTM",
                        Form));
  if constexpr (May::agree && Form::agree) detail::restore_from_nam(read_nam(path), model, options);
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
