// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "shape.hpp"

/// How Keras stores the layers of a net: which tensors a layer has, and where the members of a module are in them.
/// Keras has the axes of this library: kernels (in, out), and (taps, in, out) for convolutions. Gates may have another
/// order, two biases may be the rows of one tensor, and axes of extent 1 may be left out.
namespace espalier {

/// Where a layer of Keras has the elements of a member.
/// tensor  the number of the layer's tensor; zeros: none, the member is filled with zeros
/// axes    how many of the member's last axes the tensor has; all_axes: all of them
/// rows    the tensor has one more axis in front, of this extent, and the member is `row` of it; 0: it has none
/// gates   the last axis has this many parts; part g of the member is part gate[g] of the tensor
struct keras_member {
  static constexpr int zeros = -1, all_axes = -1;
  char name[24]{};
  int tensor = zeros;
  int axes = all_axes;
  int rows = 0, row = 0;
  int gates = 1;
  int gate[4] = {0, 1, 2, 3};

  constexpr void append_to_name(char const* text) {
    int n = 0;
    while (name[n] != 0) ++n;
    for (; *text != 0; ++text) name[n++] = *text;
  }
  /// The extents of the tensor for a member of this shape.
  [[nodiscard]] constexpr extents tensor_shape(extents const& shape) const {
    extents r{};
    if (rows > 0) r.push(rows);
    for (int i = axes == all_axes ? 0 : shape.rank - axes; i < shape.rank; ++i) r.push(shape.at[i]);
    return r;
  }
};

/// A number that files of a layer state under this name. `otherwise`: what a file means that does not state it.
struct keras_number {
  char const* name = nullptr;
  double value = 0, otherwise = 0;
};

/// A layer as Keras stores it. Modules return it from in_keras(), a static constexpr member function.
/// type     "dense", "lstm", ...: the name in files; "": a module that files do not have, because it does nothing in
///          evaluation
/// features  how many the layer returns; 0: as many as it reads
/// tensors  how many tensors the layer has
struct keras_layer {
  char const* type = "";
  int features = 0;
  int tensors = 0;
  keras_member members[4]{};
  int member_count = 0;
  keras_number numbers[4]{};
  int number_count = 0;

  /// Adds a member that is the layer's next tensor, or part of it if `from` states rows.
  constexpr keras_layer& add(char const* name, keras_member from = {}) {
    from.append_to_name(name);
    from.tensor = from.rows > 0 && from.row > 0 ? tensors - 1 : tensors++;
    members[member_count++] = from;
    return *this;
  }
  /// Adds a member that Keras does not have.
  constexpr keras_layer& add_zeros(char const* name) {
    members[member_count++].append_to_name(name);
    return *this;
  }
  constexpr keras_layer& add_number(char const* name, double value, double otherwise) {
    numbers[number_count++] = {name, value, otherwise};
    return *this;
  }
  /// The same with names of another ending: "weight_ih_l0".
  [[nodiscard]] constexpr keras_layer with_ending(char const* text) const {
    keras_layer r = *this;
    for (int i = 0; i < r.member_count; ++i) r.members[i].append_to_name(text);
    return r;
  }
};

/// A module that Keras has as a layer.
template <class M>
concept InKeras = requires {
  M::in_keras();
};

/// Copies the elements of a member of this shape from its layer's tensor, whose extents are member.tensor_shape(shape).
template <class From, class To>
constexpr void copy_from_keras(keras_member const& member, extents const& shape, From const* from, To* to) {
  std::int64_t const size = shape.size(), columns = shape.rank > 0 ? shape.at[shape.rank - 1] : 1;
  std::int64_t const part = columns / member.gates;
  for (std::int64_t i = 0; i < size; ++i) {
    if (member.tensor == keras_member::zeros) {
      to[i] = To(0);
    } else {
      std::int64_t const column = i % columns, g = member.gates == 1 ? 0 : column / part;
      to[i] = static_cast<To>(from[member.row * size + i + (member.gate[g] - g) * part]);
    }
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
