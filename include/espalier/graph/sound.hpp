// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/sentence.hpp"
#include "program.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::graph {

/// True for what a root refuses with words of its own, as a module that does not list all its members.
template <class Subject>
inline constexpr bool is_refused_elsewhere = false;

/// Refuses a program in which tracing found a fault. Subject is what the user wrote, a net or a function: a class is instantiated once, so a net that is
/// trained and evaluated gives one error.
template <class Subject, fault Found>
struct sound {
  static constexpr bool agree = Found == fault::none || Found == fault::one_value_per_channel;
  using checked = void;  ///< naming it makes the compiler read this class: a root does so first, for a short trace
  static constexpr bool owns_what_it_uses = Found != fault::foreign_parameter || is_refused_elsewhere<Subject>;
  static_assert(owns_what_it_uses,
                ESPALIER_SENTENCE("a layer, parameter, buffer or random stream is used that the model does not own; make it a member of the module "
                                  "and list it in ESPALIER_MODULE",
                                  ESPALIER_STATED(owns_what_it_uses, Subject)));
  static constexpr bool knows_its_tensors = Found != fault::unknown_tensor || is_refused_elsewhere<Subject>;
  static_assert(knows_its_tensors,
                ESPALIER_SENTENCE("a formula uses a tensor whose elements the compiler does not know; declare the tensor constexpr, pass it as an "
                                  "argument, or make it a buffer of the module",
                                  ESPALIER_STATED(knows_its_tensors, Subject)));
  static constexpr bool has_room_for_tensors = Found != fault::too_many_values || is_refused_elsewhere<Subject>;
  static_assert(has_room_for_tensors,
                ESPALIER_SENTENCE("the constant tensors of a formula have more than 16384 elements in all; pass them as arguments, or make them "
                                  "buffers of the module",
                                  ESPALIER_STATED(has_room_for_tensors, Subject)));
  static constexpr bool has_room_for_operations = Found != fault::too_many_nodes || is_refused_elsewhere<Subject>;
  static_assert(has_room_for_operations,
                ESPALIER_SENTENCE("the program has more than 31744 operations; split it into several functions or models",
                                  ESPALIER_STATED(has_room_for_operations, Subject)));
  static constexpr bool has_room_for_maps = Found != fault::too_many_maps || is_refused_elsewhere<Subject>;
  static_assert(has_room_for_maps,
                ESPALIER_SENTENCE("the program has more than 4096 different slices, paddings and windows; split it into several functions or models",
                                  ESPALIER_STATED(has_room_for_maps, Subject)));
  static constexpr bool has_room_for_kernels = Found != fault::too_many_groups || is_refused_elsewhere<Subject>;
  static_assert(has_room_for_kernels,
                ESPALIER_SENTENCE("the program has more than 4095 kernels; split it into several functions or models",
                                  ESPALIER_STATED(has_room_for_kernels, Subject)));
};

}  // namespace espalier::graph
#pragma GCC diagnostic pop
