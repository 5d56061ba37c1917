// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "checkpoint.hpp"
#include "json_document.hpp"
#include "json_state_dict.hpp"
#include "keras_matching.hpp"
#include "load_options.hpp"

ESPALIER_HEADER_INCLUDED(rtneural);

namespace espalier::io {

namespace detail {
/// Entries beside the layers. Programs that play such files add the input to the result (in_skip, skip) or scale both
/// by decibels (in_gain, out_gain); a net loaded without them would compute something else.
inline void check_rtneural_entries(json_place const& root, load_options const& options) {
  for (std::string const& key : root.value().keys) {
    if (key == "layers" || key == "in_shape" || key == "samplerate" || key == "metadata" || options.ignores(key))
      continue;
    json_place const entry = root[key.c_str()];
    bool const has_effect = key == "in_skip" || key == "skip" || key == "in_gain" || key == "out_gain";
    bool const is_number = entry.value().is == json_value::kind::number;
    if (has_effect && is_number && entry.number() == 0) continue;
    entry.fail(has_effect ? "0, because a net has no such entry; compute it yourself and pass load_options{}.ignore"
                          : "layers, in_shape, samplerate and metadata only; load_options{}.ignore leaves out others",
               json_text(entry.value()).c_str());
  }
}
}  // namespace detail

/// parse_rtneural(path, bytes, options): the layers of a file that RTNeural's model_utils.py writes of a Keras model.
/// path is only used in errors.
/// options load_options{}.ignore(NAME) leaves out an entry beside the layers, such as AIDA-X's in_skip or in_gain
/// errors  format_error, with the file's name, the place in the file, the expected and the actual content; also an
///         entry that is unknown, or that changes what the file computes (in_skip, skip, in_gain, out_gain other than
///         0); and the errors of parse_json. A PyTorch state_dict has another form: load_json_state_dict.
/// source  https://github.com/jatinchowdhury18/RTNeural, python/model_utils.py and RTNeural/model_loader.h; AIDA-X
inline std::vector<keras_file_layer> parse_rtneural(char const* path, file_bytes const& bytes,
                                                    load_options const& options = {}) {
  detail::file_name const name{path};
  json_value const document = parse_json(path, bytes);
  json_place const root{name.text, document};
  if (!root.has("layers"))
    root.fail("an object with layers, as RTNeural exports Keras models",
              "one without; a PyTorch state_dict is read by load_json_state_dict");
  (void)root["in_shape"].last_number();
  detail::check_rtneural_entries(root, options);
  std::vector<keras_file_layer> layers;
  for (json_place const& from : root["layers"].list()) {
    std::string const& type = from["type"].text();
    std::string const activation = from.has("activation") ? from["activation"].text() : std::string{};
    bool const timed = type == "time-distributed-dense", recurrent = type == "lstm" || type == "gru";
    if (type != "activation") {
      keras_file_layer layer{timed ? "dense" : type, from.path(), from["shape"].last_number(), {}, {}};
      for (std::size_t i = 0; i < from.value().keys.size(); ++i) {
        json_place const member = from[from.value().keys[i].c_str()];
        if (json_value::kind const is = member.value().is; is == json_value::kind::number)
          layer.numbers.push_back({from.value().keys[i], member.number()});
        else if (is == json_value::kind::list && member.value().numbers.size() == 1)
          layer.numbers.push_back({from.value().keys[i], member.value().numbers[0]});
      }
      for (json_place const& tensor : from["weights"].list()) layer.tensors.push_back(tensor.tensor());
      layers.push_back(std::move(layer));
    }
    // tanh is the activation inside of recurrent layers.
    if (!activation.empty() && activation != "linear" && !(recurrent && activation == "tanh"))
      layers.push_back({activation, from.path(), 0, {}, {}});
  }
  return layers;
}

/// read_rtneural(path, options): reads such a file.
/// errors  as parse_rtneural; no such file, a folder
inline std::vector<keras_file_layer> read_rtneural(file_path path, load_options const& options = {}) {
  return parse_rtneural(path, read_bytes(path), options);
}

/// load_rtneural(path, model, options): loads the weights of a Keras model, as RTNeural reads them, into a model. The
/// layers of the net are compared with those of the file in the order of declaration: Linear (dense), Outputs<LSTM>,
/// Outputs<GRU>, LastOutput, Conv1d, BatchNorm, PReLU and activations, in nn::Sequential or in your own modules.
/// Dropout and Identity are not part of files. If the file and the net disagree in anything, nothing is loaded.
/// range   numbers that are finite as float; they are rounded to the model's type
/// options as parse_rtneural
/// errors  a net with a layer that such files do not have does not compile. format_error; mismatch_error, which lists
///         every disagreement: layers, tensors, shapes, and numbers such as dilation. The model is unchanged then.
template <class Model>
void load_rtneural(file_path path, Model& model, load_options const& options = {}) {
  using May = detail::loaded_fault<Model>;
  static_assert(May::agree, ESPALIER_SENTENCE("load or restore a model: " ESPALIER_MODEL_IS_CONST, May));
  using Layers = detail::keras_fault_of_model<Model>;
  static_assert(Layers::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_IN_KERAS, Layers));
  if constexpr (May::agree && Layers::agree) {
    std::vector<keras_file_layer> const layers = read_rtneural(path, options);
    detail::file_name const name{path};
    detail::restore_from_keras(name.text, layers, model);
  }
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
