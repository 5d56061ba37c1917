// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstring>

#include "../base/needs_header.hpp"
#include "checkpoint.hpp"
#include "json_document.hpp"

ESPALIER_HEADER_INCLUDED(json_state_dict);

/// PyTorch's state_dict as JSON: an object of nested lists by name, as RTNeural's and GuitarML's training scripts write
/// it.
namespace espalier::io {

namespace detail {

/// Text for a number of metadata: 1, 0.5.
inline std::string text_of_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}
/// Text of a JSON value, for comparisons and errors: 16, true, "Tanh", [1, 2].
inline std::string json_text(json_value const& v) {
  switch (v.is) {
    case json_value::kind::null:
      return "null";
    case json_value::kind::boolean:
      return v.truth ? "true" : "false";
    case json_value::kind::number:
      return text_of_number(v.number);
    case json_value::kind::text:
      return in_quotes(v.text);
    case json_value::kind::object:
      return "an object";
    default:
      break;
  }
  std::string text = "[";
  for (double const number : v.numbers) text += (text.size() > 1 ? ", " : "") + text_of_number(number);
  for (auto const& item : v.items) text += (text.size() > 1 ? ", " : "") + json_text(item);
  return text + "]";
}
/// Numbers, texts and truth values of an object as metadata; other values are left out.
inline void add_metadata(json_place const& object, std::vector<metadata_entry>& to) {
  for (auto const& key : object.object().value().keys) {
    json_value const& v = *object.value().find(key);
    if (v.is == json_value::kind::number) to.push_back({key, text_of_number(v.number)});
    if (v.is == json_value::kind::text) to.push_back({key, v.text});
    if (v.is == json_value::kind::boolean) to.push_back({key, v.truth ? "true" : "false"});
  }
}

/// Arrays of doubles that own their memory, as an archive.
inline archive archive_of(char const* path, std::vector<named_array> arrays,
                          std::vector<std::vector<double> const*> const& numbers,
                          std::vector<metadata_entry> metadata) {
  std::int64_t bytes = 0;
  for (auto const* n : numbers) bytes += static_cast<std::int64_t>(n->size() * sizeof(double));
  file_bytes memory{bytes};
  std::int64_t at = 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays[i].kind = element_kind::f64;
    arrays[i].data = memory.data() + at;
    arrays[i].bytes = static_cast<std::int64_t>(numbers[i]->size() * sizeof(double));
    if (arrays[i].bytes > 0) std::memcpy(memory.data() + at, numbers[i]->data(), numbers[i]->size() * sizeof(double));
    at += arrays[i].bytes;
  }
  return archive{path, std::move(arrays), std::move(metadata), std::move(memory)};
}

}  // namespace detail

/// parse_json_state_dict(path, bytes): the tensors of a PyTorch state_dict in JSON, as doubles. They are the members of
/// the object "state_dict" (GuitarML), or of the document itself (RTNeural). path is only used in errors.
/// metadata  format "pt", and the numbers and texts of the object "model_data" if the file has one: unit_type, skip
/// errors  format_error: a member that is neither a number nor nested lists of numbers of equal lengths; and the errors
///         of parse_json
inline archive parse_json_state_dict(char const* path, file_bytes const& bytes) {
  detail::file_name const name{path};
  json_value const document = parse_json(path, bytes);
  json_place const root{name.text, document};
  std::vector<metadata_entry> metadata;
  if (root.has("model_data")) detail::add_metadata(root["model_data"], metadata);
  for (auto const& m : metadata)
    if (m.name == "format") root["model_data"].fail("no format", "one");
  metadata.push_back({"format", "pt"});
  if (root.has("layers") && root.has("in_shape"))
    root.fail("a PyTorch state_dict", "layers of Keras, which load_rtneural reads");
  json_place const tensors = root.has("state_dict") ? root["state_dict"].object() : root;
  std::vector<json_tensor> all;
  std::vector<named_array> arrays;
  for (auto const& key : tensors.value().keys) {
    all.push_back(tensors[key.c_str()].tensor());
    arrays.push_back({});
    arrays.back().name = key;
    arrays.back().extents = all.back().extents;
  }
  std::vector<std::vector<double> const*> numbers;
  for (auto const& tensor : all) numbers.push_back(&tensor.numbers);
  return detail::archive_of(path, std::move(arrays), numbers, std::move(metadata));
}

/// read_json_state_dict(path): reads such a file.
/// errors  as parse_json_state_dict; no such file, a folder
inline archive read_json_state_dict(file_path path) { return parse_json_state_dict(path, read_bytes(path)); }

/// load_json_state_dict(path, model[, load_options]): loads such a file into a model: converts PyTorch's order of axes,
/// and rounds to the model's type. Names that differ are renamed: io::load_options{}.rename("rec.*", "0.*"). If the file
/// and the model disagree in anything, nothing is loaded.
/// errors  format_error; mismatch_error, which lists every disagreement. The model is unchanged then.
template <class Model>
void load_json_state_dict(file_path path, Model& model, load_options options = {}) {
  restore(read_json_state_dict(path), model, options.from_pytorch().convert());
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
