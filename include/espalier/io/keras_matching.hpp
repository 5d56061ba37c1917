// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "checkpoint.hpp"
#include "json_document.hpp"
#include "json_state_dict.hpp"

/// Compares the layers of a net with those of a Keras model in a file.
namespace espalier::io {

/// A layer of a file. Activations are layers of their own.
/// place     where the file has it, for errors
/// features  how many it returns; 0: not stated
/// numbers   numbers that the file states, such as dilation
struct keras_file_layer {
  struct stated_number {
    std::string name;
    double value;
  };
  std::string type, place;
  double features = 0;
  std::vector<stated_number> numbers;
  std::vector<json_tensor> tensors;
};

namespace detail {

/// Named relation: files of Keras have every layer of a net.
template <class... Layer>
struct layers_in_keras {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = sizeof...(Layer) == 0;
};

/// The first part of a net that Keras does not have as a layer.
template <class M>
struct keras_fault;
template <class... M>
struct first_keras_fault {
  using type = layers_in_keras<>;
};
template <class First, class... M>
struct first_keras_fault<First, M...> {
  using type = typename std::conditional_t<keras_fault<First>::type::agree, first_keras_fault<M...>,
                                           std::type_identity<typename keras_fault<First>::type>>::type;
};
template <class M>
struct keras_fault {
  using type = layers_in_keras<M>;
};
template <class M>
  requires InKeras<M>
struct keras_fault<M> {
  using type = layers_in_keras<>;
};
template <class M, std::size_t Count>
struct keras_fault<std::array<M, Count>> : keras_fault<M> {};
template <class List>
inline constexpr bool has_modules_only = false;
template <class... M>
inline constexpr bool has_modules_only<nn::detail::types<M...>> = ((nn::Module<M> || std::is_void_v<M> ||
                                                                    espalier::detail::ArrayMember<M>)&&...);
template <class List>
struct keras_fault_of_list;
template <class... M>
struct keras_fault_of_list<nn::detail::types<M...>> : first_keras_fault<M...> {};
template <class... M>
struct keras_fault_of_list<nn::detail::types<void, M...>> : first_keras_fault<M...> {};
template <class M>
  requires(!InKeras<M> && nn::Module<M> && has_modules_only<nn::detail::member_types<M>>)
struct keras_fault<M> : keras_fault_of_list<nn::detail::member_types<M>> {};

template <class Model>
using keras_fault_of_model = typename keras_fault<typename Model::net_type>::type;

#define ESPALIER_LAYERS_IN_KERAS \
  "load a Keras model: the net has a layer without a form in Keras; define in_keras() in it"

/// A layer of the net, and the path of its members.
struct keras_net_layer {
  std::string path;
  keras_layer layer;
};
template <class M>
void add_keras_layers(std::string const& path, M const& module, std::vector<keras_net_layer>& to) {
  if constexpr (InKeras<M>) {
    keras_layer const layer = M::in_keras();
    if (*layer.type != 0) to.push_back({path, layer});
  } else if constexpr (espalier::detail::ArrayMember<M>) {
    for (std::size_t i = 0; i < module.size(); ++i) add_keras_layers(path + std::to_string(i) + ".", module[i], to);
  } else {
    M::visit_members(module,
                     [&](char const* name, auto const& member) { add_keras_layers(path + name + ".", member, to); });
  }
}

/// "dense, tanh, lstm"
inline std::string types_of(auto const& layers, auto const& type) {
  std::string text;
  for (auto const& layer : layers) text += (text.empty() ? "" : ", ") + printable(type(layer));
  return text.empty() ? "none" : text;
}

/// Compares the layers of a net with those of a file, and collects what the net's tensors are filled with.
class keras_matching {
 public:
  std::vector<disagreement> disagreements;
  std::vector<named_array> arrays;  ///< with names and extents only
  std::vector<std::vector<double>> numbers;

  keras_matching(std::vector<keras_net_layer> const& net, std::vector<keras_file_layer> const& file,
                 std::vector<named_array> const& tensors)
      : tensors_{tensors} {
    std::string const expected = types_of(net, [](auto const&l) { return l.layer.type; }),
                      found = types_of(file, [](auto const&l) { return l.type; });
    if (expected != found) {
      disagreements.push_back({disagreement_kind::layers, {}, expected, found, {}});
      return;
    }
    for (std::size_t i = 0; i < net.size(); ++i) compare(net[i], file[i]);
  }

 private:
  void compare(keras_net_layer const& net, keras_file_layer const& file) {
    auto const differ = [&](char const* of, double expected, double found, char const* unit = "") {
      if (expected != found)
        disagreements.push_back({disagreement_kind::value,
                                 net.path + of,
                                 text_of_number(expected) + unit,
                                 text_of_number(found) + unit,
                                 {}});
    };
    for (int i = 0; i < net.layer.number_count; ++i) {
      keras_number const& expected = net.layer.numbers[i];
      double found = expected.otherwise;
      for (auto const& n : file.numbers)
        if (n.name == expected.name) found = n.value;
      // A number of 8 digits in files: epsilon may have been rounded to float.
      if (!(espalier::math::abs(found - expected.value) <= 1e-6 * espalier::math::abs(expected.value)))
        differ(expected.name, expected.value, found);
    }
    differ("weights", net.layer.tensors, static_cast<double>(file.tensors.size()), " tensors");
    if (static_cast<std::size_t>(net.layer.tensors) != file.tensors.size()) return;
    std::size_t const before = disagreements.size();
    for (int i = 0; i < net.layer.member_count; ++i) take(net, net.layer.members[i], file);
    if (net.layer.features > 0 && file.features > 0 && disagreements.size() == before)
      differ("features", net.layer.features, file.features);
  }
  /// Takes the elements of a member from its tensor.
  void take(keras_net_layer const& net, keras_member const& member, keras_file_layer const& file) {
    named_array to{};
    to.name = net.path + member.name;
    for (auto const& t : tensors_)
      if (t.name == to.name) to.extents = t.extents;
    extents shape{};
    for (std::int64_t const extent : to.extents) shape.push(static_cast<int>(extent));
    std::vector<double> values(static_cast<std::size_t>(shape.size()));
    if (member.tensor != keras_member::zeros) {
      json_tensor const& from = file.tensors[static_cast<std::size_t>(member.tensor)];
      extents const stored = member.tensor_shape(shape);
      std::vector<std::int64_t> const expected(stored.at, stored.at + stored.rank);
      if (from.extents != expected) {
        if (member.row == 0)
          disagreements.push_back({disagreement_kind::shape,
                                   to.name,
                                   text_of(expected),
                                   text_of(from.extents),
                                   {},
                                   "which is " + file.place + ".weights[" + std::to_string(member.tensor) + "]"});
        return;
      }
      copy_from_keras(member, shape, from.numbers.data(), values.data());
    }
    arrays.push_back(std::move(to));
    numbers.push_back(std::move(values));
  }
  std::vector<named_array> const& tensors_;
};

/// Loads layers into a model, or changes nothing.
template <class Model>
void restore_from_keras(char const* name, std::vector<keras_file_layer> const& layers, Model& model) {
  std::vector<keras_net_layer> net;
  add_keras_layers({}, espalier::numbered<typename Model::net_type>, net);
  std::vector<named_array> tensors;
  {
    snapshot const all{model};
    tensors = all.arrays();
  }
  keras_matching match{net, layers, tensors};
  if (!match.disagreements.empty()) espalier::detail::raise(mismatch_error{name, match.disagreements});
  std::vector<std::vector<double> const*> numbers;
  for (auto const& n : match.numbers) numbers.push_back(&n);
  restore(archive_of(name, std::move(match.arrays), numbers, {}), model, load_options{}.from_espalier().convert());
}

}  // namespace detail

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
