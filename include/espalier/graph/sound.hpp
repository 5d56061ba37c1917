// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/sentence.hpp"
#include "program.hpp"

namespace espalier::graph {

/// Refuses a program in which tracing found a fault. Subject is what the user wrote, a net or a function: a class is instantiated once, so a net that is
/// trained and evaluated gives one error.
template <class Subject, fault Found>
struct sound {
  static constexpr bool agree = Found == fault::none || Found == fault::one_value_per_channel;
  static_assert(Found != fault::foreign_parameter,
                ESPALIER_SENTENCE("a layer, parameter, buffer or random stream is used that the model does not own; make it a member of the module "
                                  "and list it in ESPALIER_MODULE",
                                  ESPALIER_STATED(Found != fault::foreign_parameter, Subject)));
  static_assert(Found != fault::unknown_tensor,
                ESPALIER_SENTENCE("a formula uses a tensor whose elements the compiler does not know; declare the tensor constexpr, pass it as an "
                                  "argument, or make it a buffer of the module",
                                  ESPALIER_STATED(Found != fault::unknown_tensor, Subject)));
  static_assert(Found != fault::too_many_values,
                ESPALIER_SENTENCE("the constant tensors of a formula have more than 16384 elements in all; pass them as arguments, or make them "
                                  "buffers of the module",
                                  ESPALIER_STATED(Found != fault::too_many_values, Subject)));
  static_assert(Found != fault::too_many_nodes,
                ESPALIER_SENTENCE("the program has more than 31744 operations; split it into several functions or models",
                                  ESPALIER_STATED(Found != fault::too_many_nodes, Subject)));
};

}  // namespace espalier::graph
