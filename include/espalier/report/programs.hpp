// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../model/trainer.hpp"
#include "tensor_names.hpp"
#include "type_name.hpp"
#include "view.hpp"

/// The programs of a predictor, of a trainer or of a program definition, and the names of their values.
namespace espalier::report {

/// A program, and the names of its inputs and results.
struct titled {
  std::string title;
  view const* plan;
  std::size_t element_bytes;
  std::vector<std::string> parameters, buffers, arguments;
  std::vector<std::string> results;
};

/// The layers of a net, and which of them makes each node of a program.
struct program_layers {
  static constexpr int none = -1;
  struct row {
    std::string path, type;
    int parent;
  };
  std::vector<row> rows;  ///< 0: the net
  /// by node: a row, or `none` for the loss. A node of the backward pass belongs to the layer that it differentiates.
  std::vector<int> of;
};

namespace detail {

/// get(): the layers of a program; defined in program_layers.hpp.
template <class Program>
struct layers_of_program;

/// The program of a program definition with elements of type T.
template <class Program, class T>
struct titled_program {
  static titled get() { return {short_name<Program>(), &view_of<Program>, sizeof(T), {}, {}, {}, {}}; }
};
/// The names of inputs or results: "input", or "input 0", "input 1" and so on.
inline std::vector<std::string> numbered_names(char const* name, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(numbered_text(name, i, count));
  return all;
}
template <class Net, class Batch, class T>
struct titled_program<espalier::detail::evaluation_program<Net, Batch>, T> {
  static titled get() {
    using Inputs = espalier::detail::listed_shapes<Batch>;
    using Results = typename espalier::detail::result_shapes<espalier::detail::results_of_net<Net, Batch>>::type;
    return {"evaluation of " + short_name<Net>() + " on " + shapes_text(extents_of(Inputs{})),
            &view_of<espalier::detail::evaluation_program<Net, Batch>>,
            sizeof(T),
            tensor_names<Net, true>(),
            tensor_names<Net, false>(),
            numbered_names("input", Inputs::count),
            numbered_names("output", Results::count)};
  }
};
/// As for parameters of float: the same names, another plan.
template <class Program, class Stored, class Slots, class T>
struct titled_program<plan::narrow_program<Program, Stored, Slots>, T> {
  static titled get() {
    titled r = titled_program<Program, T>::get();
    r.title += ", parameters of 16 bits";
    r.plan = &view_of<plan::narrow_program<Program, Stored, Slots>>;
    return r;
  }
};
/// As before convolutions were rewritten: the same names, another plan.
template <class Program, class T>
struct titled_program<plan::convolution_program<Program>, T> {
  static titled get() {
    titled r = titled_program<Program, T>::get();
    view const& v = view_of<plan::convolution_program<Program>>;
    bool tiles = false;
    for (int id = 1; id <= v.node_count; ++id) tiles = tiles || v.nodes[id].op->family == graph::op_family::winograd;
    r.title += tiles ? ", convolutions by tiles" : ", convolutions rewritten";
    r.plan = &v;
    return r;
  }
};
template <class Net, class Loss, class Batch, class T>
struct titled_program<espalier::detail::training_program<Net, Loss, Batch>, T> {
  static titled get() {
    return {"training of " + short_name<Net>() + " on " + shape_text(Batch::value),
            &view_of<espalier::detail::training_program<Net, Loss, Batch>>,
            sizeof(T),
            tensor_names<Net, true>(),
            tensor_names<Net, false>(),
            {"input", "target"},
            {"loss"}};
  }
};
template <class Net, class Loss, class Batch, class T>
struct titled_program<espalier::detail::scaled_training_program<Net, Loss, Batch>, T> {
  static titled get() {
    titled r = titled_program<espalier::detail::training_program<Net, Loss, Batch>, T>::get();
    r.title += ", gradients times a scale";
    r.plan = &view_of<espalier::detail::scaled_training_program<Net, Loss, Batch>>;
    return r;
  }
};
template <class Net, class Loss, class Batch, bool Scaled, class T>
struct titled_program<espalier::detail::synchronized_training_program<Net, Loss, Batch, Scaled>, T> {
  static titled get() {
    titled r = titled_program<espalier::detail::training_program<Net, Loss, Batch>, T>::get();
    r.title += Scaled ? ", statistics of all processes, gradients times a scale" : ", statistics of all processes";
    r.plan = &view_of<espalier::detail::synchronized_training_program<Net, Loss, Batch, Scaled>>;
    return r;
  }
};
template <class Net, class Loss, class Batch, bool Always, class T>
struct titled_program<espalier::detail::row_training_program<Net, Loss, Batch, Always>, T> {
  static titled get() {
    titled r = titled_program<espalier::detail::training_program<Net, Loss, Batch>, T>::get();
    r.title += ", gradients of tables as rows";
    r.plan = &view_of<espalier::detail::row_training_program<Net, Loss, Batch, Always>>;
    for (int k = 1; k <= espalier::detail::row_tables_of<Net, Loss, Batch, Always>.count; ++k)
      r.results.push_back("rows of table " + std::to_string(k));
    return r;
  }
};
/// Stride: other than Size for a part of all parameters.
template <class Optimizer, int Size, int Stride, class T>
struct titled_program<espalier::detail::update_program<Optimizer, Size, Stride>, T> {
  static titled get() {
    std::vector<std::string> states;
    for (int i = 0; i < Optimizer::states; ++i) states.push_back("state " + std::to_string(i));
    if ((optim::scalars<Optimizer>) > 0 && (optim::vectors<Optimizer>) > Optimizer::states) states.push_back("marks");
    for (int i = 0; i < optim::scalars<Optimizer>; ++i) states.push_back("scalar " + std::to_string(i));
    return {
        "update by " + short_name<Optimizer>() + (Size == Stride ? "" : " of " + std::to_string(Size) + " parameters"),
        &view_of<espalier::detail::update_program<Optimizer, Size, Stride>>,
        sizeof(T),
        {"parameters"},
        states,
        {"gradient"},
        {"applied"}};
  }
};
template <class Net, class Batch, class T, class Stored, class Engine>
titled evaluation() {
  using Program = plan::program_for<espalier::detail::evaluation_program<Net, Batch>, Stored, T>;
  return titled_program<typename Engine::template program<Program>, T>::get();
}
template <class Net, class Loss, class Optimizer, class Batch, class T>
titled training() {
  return titled_program<espalier::detail::training_on_cpu<Net, Loss, Optimizer, Batch, T>, T>::get();
}
template <class Net, class Optimizer, class T>
titled update() {
  constexpr int size = static_cast<int>(slots_of<Net>.parameters.trainable_storage);
  return titled_program<espalier::detail::update_program<Optimizer, size>, espalier::detail::computed_in<T>>::get();
}

template <class X>
concept ProgramDefinition = requires {
  { X::build() } -> std::same_as<graph::program>;
  X::layout();
};

/// The fault of template arguments that name no program. Compilers print the arguments beside it.
struct no_programs {
  static constexpr bool agree = false;
};

/// programs(): the programs in order of execution. layer_rows(): the layers of the first one. net and trained: the
/// subjects under which faults are reported once. The other members are faults, which the entry functions assert:
/// arguments that name no program, or layers, loss and batch that do not fit.
struct programs_without_fault {
  using net = void;
  using trained = void;
  using arguments = agreed;
  using layers = agreed;
  using loss = agreed;
  using statistics = agreed;
  using fault = agreed;
  static program_layers layer_rows() { return {}; }
};
template <class... X>
struct programs_of : programs_without_fault {
  using arguments = no_programs;
  using fault = arguments;
};
template <class S>
struct programs_of<S> : programs_without_fault {
  using arguments = std::conditional_t<ProgramDefinition<S>, agreed, no_programs>;
  using fault = arguments;
  static std::vector<titled> programs() { return {titled_program<S, float>::get()}; }
};
/// Stored: the element type of parameters, if it is another one than T.
template <class Net, class Batch, class T, class Stored = T, class Engine = on_cpu::engine<cpu>>
struct programs_of_evaluation : programs_without_fault {
  using net = Net;
  using layers = std::conditional_t<is_invalid<espalier::detail::results_of_net<Net, Batch>>,
                                    espalier::detail::results_of_net<Net, Batch>, agreed>;
  using fault = layers;
  static std::vector<titled> programs() { return {evaluation<Net, Batch, T, Stored, Engine>()}; }
  static program_layers layer_rows() {
    return layers_of_program<
        typename Engine::template program<espalier::detail::evaluation_program<Net, Batch>>>::get();
  }
};
template <nn::Module Net, Shape Batch>
struct programs_of<Net, Batch> : programs_of_evaluation<Net, Batch, float> {};
template <nn::Module Net, class... S>
  requires(is_shape<S>&&...)
struct programs_of<Net, shapes<S...>> : programs_of_evaluation<Net, shapes<S...>, float> {};
template <class T, class Net, class Loss, class Optimizer, class Batch, class... More>
struct programs_of_training : espalier::detail::training_fit<Net, Loss, Batch, More...> {
  using net = Net;
  using trained = espalier::detail::faults_of<Net, Loss>;
  using arguments = agreed;
  static std::vector<titled> programs() {
    return {training<Net, Loss, Optimizer, Batch, T>(), training<Net, Loss, Optimizer, More, T>()...,
            update<Net, Optimizer, T>()};
  }
  static program_layers layer_rows() {
    return layers_of_program<espalier::detail::training_on_cpu<Net, Loss, Optimizer, Batch, T>>::get();
  }
};
template <nn::Module Net, class Loss, class Optimizer, Shape Batch>
  requires((is_loss<Loss>::agree) && (is_optimizer<Optimizer>::agree))
struct programs_of<Net, Loss, Optimizer, Batch> : programs_of_training<float, Net, Loss, Optimizer, Batch> {};
template <class Net, class Loss, class Optimizer, class Batch, class T>
struct programs_of<training_facts<Net, Loss, Optimizer, Batch, T>>
    : programs_of_training<T, Net, Loss, Optimizer, Batch> {
  using arguments = std::conditional_t<is_loss<Loss>::agree && is_batch<Batch>::agree && is_optimizer<Optimizer>::agree,
                                       agreed, no_programs>;
};
template <class Model, class Batch, class Found>
struct programs_of<predictor<Model, Batch, Found>>
    : programs_of_evaluation<typename Model::net_type, Batch, espalier::detail::activation_of<Model>,
                             typename Model::value_type, typename Model::engine_type> {};
template <class Model, class Loss, class Optimizer, class... Batches>
struct programs_of<trainer<Model, Loss, Optimizer, Batches...>>
    : programs_of_training<typename Model::value_type, typename Model::net_type, Loss, Optimizer, Batches...> {
  static std::vector<titled> programs() {
    using T = typename Model::value_type;
    using Memory = espalier::detail::trainer_memory<Model, Loss, Optimizer, Batches...>;
    using Engine = typename Memory::Engine;
    return {
        titled_program<typename Engine::template program<typename Memory::template step_program<Batches>>, T>::get()...,
        update<typename Model::net_type, Optimizer, T>()};
  }
  static program_layers layer_rows() {
    using Memory = espalier::detail::trainer_memory<Model, Loss, Optimizer, Batches...>;
    return layers_of_program<typename Memory::Engine::template program<typename Memory::first_program>>::get();
  }
};

/// The first fault. It is a template argument of the entry functions, so that compilers print it.
template <class... X>
using programs_fault = typename programs_of<X...>::fault;

#define ESPALIER_NAMES_PROGRAMS \
  "explain and draw_*: the arguments are <Net, Batch>, <Net, Loss, Optimizer, Batch>, a predictor, a trainer, or a program definition"

inline std::string named(std::vector<std::string> const& names, int i, char const* otherwise) {
  auto const at = static_cast<std::size_t>(i);
  return at < names.size() ? names[at] : otherwise + (' ' + std::to_string(i));
}

}  // namespace detail

/// The name of an argument, parameter, buffer, hyperparameter or constant; "v17" for the value of node 17.
inline std::string name_of(titled const& t, int id) {
  node_row const& n = t.plan->nodes[id];
  switch (n.op->family) {
    case graph::op_family::argument:
      return detail::named(t.arguments, position_of(n), "argument");
    case graph::op_family::label:
      return detail::named(t.arguments, label_of(n).position, "argument");
    case graph::op_family::parameter:
      return detail::named(t.parameters, slot_of(n), "parameter");
    case graph::op_family::buffer:
      return detail::named(t.buffers, slot_of(n), "buffer");
    case graph::op_family::hyperparameter:
      return "hyperparameter " + std::to_string(position_of(n));
    case graph::op_family::constant:
      return n.kernel == 0 ? number_text(constant_of(n)) : "v" + std::to_string(id);
    default:
      return "v" + std::to_string(id);
  }
}
inline std::string name_of(titled const& t, graph::output const& o) {
  switch (o.where) {
    case graph::destination::gradient:
      return "gradient of " + detail::named(t.parameters, o.index, "parameter");
    case graph::destination::parameter:
      return "new " + detail::named(t.parameters, o.index, "parameter");
    case graph::destination::buffer:
      return "new " + detail::named(t.buffers, o.index, "buffer");
    default:
      return detail::named(t.results, o.index, "result");
  }
}
/// A program's title with another name for its net: "training of MLPResNet on (32, 64)". An alias of a type has no name
/// of its own.
inline titled with_name(titled t, std::string const& name) {
  std::size_t const from = t.title.find(" of "), to = t.title.rfind(" on ");
  if (name.empty()) return t;
  if (from == std::string::npos || to == std::string::npos) t.title = name;
  else t.title = t.title.substr(0, from + 4) + name + t.title.substr(to);
  return t;
}
/// The address of a value: its bytes in the workspace, or the result that it is written to.
inline std::string address_text(titled const& t, int id) {
  view const& v = *t.plan;
  node_row const& n = v.nodes[id];
  if (n.at.base == plan::base::workspace && n.kernel != 0)
    return "workspace +" + std::to_string(n.at.offset * static_cast<std::int64_t>(t.element_bytes)) +
           (n.last_use > v.kernel_count ? ", to the end" : ", until kernel " + std::to_string(n.last_use));
  for (int i = 0; i < v.result_count; ++i)
    if (v.nodes[v.results[i].id].holder == id) return name_of(t, v.results[i]);
  return "memory";
}

/// A kernel's kind as text.
inline std::string kind_text(kernel_row const& k) {
  switch (k.kind) {
    case plan::kernel_kind::fused:
      return (k.order == plan::loop_order::columns ? "column by column, " : "row by row, ") + std::to_string(k.rows) +
             " x " + std::to_string(k.columns);
    case plan::kernel_kind::contraction:
      return k.windowed ? "product of windows" : "product";
    case plan::kernel_kind::winograd_kernels:
      return "kernels of tiles";
    case plan::kernel_kind::permute:
      return "permutation";
    case plan::kernel_kind::strided_broadcast:
      return "repetition";
    case plan::kernel_kind::strided_reduction:
      return k.windowed ? "reduction of windows" : "reduction";
    case plan::kernel_kind::window_sum:
      return "sum of windows times a factor";
    case plan::kernel_kind::convert:
      return "conversion";
    case plan::kernel_kind::random:
      return "random numbers";
    case plan::kernel_kind::move:
      return "movement";
    case plan::kernel_kind::scatter_add:
      return "scatter-add";
    case plan::kernel_kind::concatenate:
      return "concatenation";
    case plan::kernel_kind::pack:
      return "place in a vector";
    case plan::kernel_kind::part:
      return "part of a vector";
    case plan::kernel_kind::index_gather:
      return "gather";
    case plan::kernel_kind::index_scatter_add:
      return "scatter-add by index";
    case plan::kernel_kind::index_copy:
      return "copy by index";
    case plan::kernel_kind::exchange:
      return "exchange with other processes";
    case plan::kernel_kind::loop:
      return "loop";
  }
  return {};
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
