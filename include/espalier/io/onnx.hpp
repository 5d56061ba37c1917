// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <set>

#include "../base/needs_header.hpp"
#include "../model/model.hpp"
#include "atomic_file.hpp"
#include "onnx_attention.hpp"
#include "onnx_elementwise.hpp"
#include "onnx_index.hpp"
#include "onnx_loop.hpp"
#include "onnx_move.hpp"
#include "onnx_product.hpp"
#include "onnx_reduction.hpp"

ESPALIER_HEADER_INCLUDED(onnx);

namespace espalier::io {

/// The name and the description of the net in an ONNX file, and ONNX's operator set: 17, or 23, which has the operation
/// Attention. Older runtimes do not load a file with operator set 23.
struct onnx_options {
  char const* name = "net";
  char const* description = "";
  int operator_set = 17;
};

/// A batch whose number of samples stays open in the file.
template <int... Sample>
struct any_batch {};

namespace onnx {

/// The batch that is traced. If the number of samples is open, it is traced with 7: few other extents are multiples of
/// 7, so axes that depend on it can be recognized.
template <class Batch>
struct traced_batch {
  using type = Batch;
  static constexpr int samples = 0;
};
template <int... Sample>
struct traced_batch<any_batch<Sample...>> {
  static constexpr int samples = 7;
  using type = shape<samples, Sample...>;
};
template <class First, class... More>
struct traced_batch<shapes<First, More...>> {
  static constexpr int samples = traced_batch<First>::samples;
  using type = shapes<typename traced_batch<First>::type, typename traced_batch<More>::type...>;
};
/// Named relation: all inputs of a file have an open number of samples, or none has.
template <class Batch>
struct samples_alike {
  static constexpr bool agree = true;
};
template <class... B>
struct samples_alike<shapes<B...>> {
  ESPALIER_READS("got {}")
  static constexpr bool agree = ((traced_batch<B>::samples == traced_batch<shapes<B...>>::samples) && ...);
};

/// The evaluation program of a net without simplifications, so that convolutions and norms can still be recognized.
template <class Net, class Batch>
struct exported_program {
  static constexpr graph::program build() {
    graph::program p{};
    p.nodes.plain = true;
    tracing::tracer t{p, tracing::mode::evaluation, false, 0, 0};
    tracing::add_values(t, espalier::detail::results_in<Net, Batch>(t));
    return p;
  }
};
template <class Program>
inline constexpr graph::program exported_graph = Program::build();

/// New numbers of the nodes that the results need; 0: not needed.
template <int Size>
struct numbering {
  int of[static_cast<std::size_t>(Size) + 1];
  int count;
};
template <class Program>
inline constexpr auto numbering_of = [] {
  graph::program const& p = exported_graph<Program>;
  numbering<exported_graph<Program>.nodes.size> r{};
  for (int i = 0; i < p.output_count; ++i) r.of[p.outputs[i].id] = 1;
  for (int id = p.nodes.size; id > 0; --id) {
    if (r.of[id] == 0) continue;
    operand_range const read = read_operands(p.nodes[id]);
    for (int k = read.first; k < read.last; ++k) r.of[p.nodes[id].operand[k]] = 1;
  }
  r.of[0] = 0;
  for (int id = 1; id <= p.nodes.size; ++id)
    if (r.of[id] != 0) r.of[id] = ++r.count;
  return r;
}();
template <class Program>
inline constexpr auto rows_of_program = [] {
  graph::program const& p = exported_graph<Program>;
  program_rows<numbering_of<Program>.count, exported_graph<Program>.nodes.map_count,
               exported_graph<Program>.output_count>
      r{};
  auto const& number = numbering_of<Program>;
  for (int id = 1; id <= p.nodes.size; ++id) {
    if (number.of[id] == 0) continue;
    graph::node& n = r.nodes[number.of[id]];
    n = p.nodes[id];
    operand_range const read = read_operands(p.nodes[id]);
    for (int k = 0; k < 4; ++k) n.operand[k] = k < read.first || k >= read.last ? 0 : number.of[p.nodes[id].operand[k]];
  }
  for (int i = 0; i < p.nodes.map_count; ++i) r.maps[i] = p.nodes.maps[i];
  for (int i = 0; i < p.output_count; ++i) r.results[i] = number.of[p.outputs[i].id];
  return r;
}();

template <class Program>
inline constexpr auto values_of_program = [] {
  value_rows<exported_graph<Program>.nodes.value_count> r{};
  for (int i = 0; i < exported_graph<Program>.nodes.value_count; ++i) r.at[i] = exported_graph<Program>.nodes.values[i];
  return r;
}();

/// The ops of a program that the table cannot export.
struct other_ops {
  static constexpr int most = 64;
  graph::descriptor const* at[most];
  int count;
};
constexpr bool is_written(graph::descriptor const* op) {
  if (op->family == op_family::alias) return true;
  table_row const* const row = row_of(op);
  return !espalier::detail::is_null(row) && row->how != written::unsupported;
}
template <class Program>
inline constexpr other_ops other_ops_of = [] {
  other_ops r{};
  graph::descriptor const* last = nullptr;
  for (int id = 1; id <= numbering_of<Program>.count; ++id) {
    graph::descriptor const* const op = rows_of_program<Program>.nodes[id].op;
    if (espalier::detail::same_address(op, last) || is_written(op)) continue;
    last = op;
    bool listed = false;
    for (int i = 0; i < r.count; ++i) listed = listed || espalier::detail::same_address(r.at[i], op);
    if (!listed && r.count < other_ops::most) r.at[r.count++] = op;
  }
  return r;
}();

/// Named relation: an op can be exported.
template <class Op>
struct in_onnx {
  static constexpr bool agree = exports_formula<Op>;
};
/// The type of an op that is not in the table.
template <graph::descriptor const* Op>
constexpr auto other_op() {
  if constexpr (espalier::detail::same_address(Op, &described<random_uniform_>))
    return std::type_identity<random_uniform_>{};
  else if constexpr (espalier::detail::same_address(Op, &described<label_>)) return std::type_identity<label_>{};
  else if constexpr (espalier::detail::same_address(Op, &described<convert_>)) return std::type_identity<convert_>{};
  else if constexpr (espalier::detail::same_address(Op, &described<hyperparameter_>))
    return std::type_identity<hyperparameter_>{};
  else return std::type_identity<graph::op_of<Op>>{};
}
template <class Program, int I>
using other_op_of = typename decltype(other_op<other_ops_of<Program>.at[I]>())::type;
template <class Program>
struct ops_in_onnx {
  template <int I>
  static constexpr auto first_fault() {
    if constexpr (I == other_ops_of<Program>.count) return agreed{};
    else if constexpr (in_onnx<other_op_of<Program, I>>::agree) return first_fault<I + 1>();
    else return in_onnx<other_op_of<Program, I>>{};
  }
  using type = decltype(first_fault<0>());
};
template <class Program, std::size_t... I>
std::vector<own_formula> own_formulas(std::index_sequence<I...>) {
  return {own_formula{other_ops_of<Program>.at[I], &formula_of<other_op_of<Program, static_cast<int>(I)>>}...};
}

/// 0, 1, 2, ... along the last axis of a shape.
inline view column_numbers(extents const& s) {
  tensor t{"column_index", extents{1, {s.at[s.rank - 1]}}, {}};
  for (int i = 0; i < t.shape.at[0]; ++i) t.numbers.push_back(i);
  return builder::hold(std::move(t));
}

inline view write_contraction(exporter& e, int id) {
  if (auto const y = write_as_attention(e, id)) return *y;
  auto const y = write_as_convolution(e, id);
  return y ? *y : write_product(e, id);
}

inline view exporter::made(int id) {
  graph::node const& n = nodes_[id];
  int const a = n.operand[0];
  switch (n.op->family) {
    case op_family::label:
      return input_of(*this, label_of(n).position, n.shape);
    case op_family::argument:
      return input_of(*this, position_of(n), n.shape);
    case op_family::convert:
      return write_conversion(*this, id);
    case op_family::index_gather:
      return write_gather(*this, id);
    case op_family::index_copy:
      return write_index_copy(*this, id);
    case op_family::parameter:
      return builder::hold(parameters[static_cast<std::size_t>(slot_of(n))]);
    case op_family::buffer:
      return builder::hold(buffers[static_cast<std::size_t>(slot_of(n))]);
    case op_family::constant:
      return builder::hold(constant_of(n));
    case op_family::values: {
      tensor t{"values", n.shape, {}};
      for (std::int64_t i = 0; i < n.shape.size(); ++i)
        t.numbers.push_back(static_cast<float>(values[offset_of(n) + i]));
      return builder::hold(std::move(t));
    }
    case op_family::column_index:
      return column_numbers(n.shape);
    case op_family::reshape:
      if (auto const y = write_as_grouped_convolution(*this, id)) return *y;
      return to.reshaped(value(a), shape(a), n.shape);
    case op_family::broadcast:
      return to.settled(value(a), shape(a));
    case op_family::permute:
      return to.permuted(value(a), shape(a), permutation_of(n));
    case op_family::elementwise:
      return passes(id) ? value(passed(id)) : elementwise_writer{*this, id}.write();
    case op_family::reduction: {
      if (auto const y = write_as_depthwise_convolution(*this, id)) return *y;
      auto const y = write_as_pooling(*this, id);
      return y ? *y : write_reduction(*this, id);
    }
    case op_family::contraction:
      return write_contraction(*this, id);
    case op_family::move:
      return mover{*this, id}.write();
    case op_family::scatter_add:
      return write_scatter_add(*this, id);
    case op_family::concatenate:
      return write_concatenate(*this, id);
    case op_family::loop_stack:
    case op_family::loop_final:
      return write_loop(*this, id);
    case op_family::alias:
      return n.operand[0] != 0 ? value(a) : write_whole(*this, id);
    default:
      to.throw_unsupported_op(n.op->name);
  }
}

/// Renames a value where operations read it, also in the bodies of loops.
inline void rename_inputs(std::vector<operation>& operations, std::string const& value, std::string const& name) {
  for (operation& o : operations) {
    for (std::string& input : o.inputs)
      if (input == value) input = name;
    if (o.body) rename_inputs(o.body->operations, value, name);
  }
}
/// Renames the value that an operation computes; false if no operation computes it.
inline bool rename(model_file& file, std::string const& value, std::string const& name) {
  bool computed = false;
  for (operation& o : file.operations) {
    for (std::string& result : o.more_results)
      if (result == value) result = name, computed = true;
    if (o.result == value) o.result = name, computed = true;
  }
  if (computed) rename_inputs(file.operations, value, name);
  return computed;
}
/// Adds the names that operations read, also in the bodies of loops.
inline void add_names(std::vector<operation> const& operations, std::set<std::string>& names) {
  for (operation const& o : operations) {
    names.insert(o.inputs.begin(), o.inputs.end());
    if (o.body) add_names(o.body->operations, names);
  }
}
/// Removes operations and initializers that no output depends on: what a loop would have read in its body, for example,
/// if it had not become one operation.
inline void remove_unused(model_file& file) {
  std::set<std::string> names;
  for (value_info const& output : file.outputs) names.insert(output.name);
  std::vector<operation> kept;
  for (auto o = file.operations.rbegin(); o != file.operations.rend(); ++o) {
    bool used = names.contains(o->result);
    for (std::string const& result : o->more_results) used = used || names.contains(result);
    if (!used) continue;
    kept.push_back(std::move(*o));
    add_names({kept.back()}, names);
  }
  file.operations.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  std::erase_if(file.initializers, [&](initializer const& i) { return !names.contains(i.name); });
}
/// The inputs of the file: "x", or "x0", "x1" and so on.
template <class Net, class... S, int... I>
void add_inputs(builder& to, shapes<S...>, std::integer_sequence<int, I...>) {
  auto const add = [&](std::size_t i, element type, extents const& s) {
    integers all = integers_of(s);
    if (to.open_samples()) all[0] = -1;
    to.file.inputs.push_back({to.numbered_name("x", i, sizeof...(S)), type, std::move(all)});
  };
  (add(static_cast<std::size_t>(I), std::is_void_v<nn::input_element_of<Net, I>> ? to.real() : element::int32,
       S::value),
   ...);
}
/// Exports the program; its results are the file's output "y", or "y0", "y1" and so on.
inline void write_program(exporter& e) {
  builder& to = e.to;
  std::size_t const count = e.results.size();
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) to.file.outputs.push_back({to.numbered_name("y", i, count), to.real(), {}});
  for (std::size_t i = 0; i < count; ++i) {
    extents const& s = e.shape(e.results[i]);
    view const y = to.whole(e.value(e.results[i]), s);
    to.file.outputs[i].extents = builder::stated(s, y);
    values.push_back(y.name);
  }
  std::map<std::string, std::string> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    std::string const& name = to.file.outputs[i].name;
    auto const [output, is_new] = outputs.emplace(values[i], name);
    if (!is_new || !rename(to.file, values[i], name))
      to.file.operations.push_back(operation{"Identity", {is_new ? values[i] : output->second}, name, {}});
  }
  remove_unused(to.file);
}

template <class Net, bool Parameters, class Model>
std::vector<tensor> tensors_of(Model const& model) {
  using T = typename Model::value_type;
  std::vector<tensor> r;
  auto const elements = [&] {
    if constexpr (Parameters) return model.parameters();
    else return model.buffers();
  }();
  espalier::detail::on_host(
      model.engine(), const_cast<T*>(elements.data()), static_cast<std::size_t>(elements.size()) * sizeof(T), false,
      [&](unsigned char* at) {
        espalier::detail::for_each_tensor<Net, Parameters>(
            reinterpret_cast<T*>(at), false, [&](char const* name, extents const& shape, espalier::span<T> numbers) {
              r.push_back(tensor{name, shape, std::vector<double>(numbers.begin(), numbers.end())});
            });
      });
  return r;
}

/// Adds a program's inputs, operations and outputs to a file. fill(exporter) stores the parameters and buffers.
template <class Program, class Batch, class Net, class Fill>
void export_program(builder& to, Fill const& fill) {
  auto const& rows = rows_of_program<Program>;
  using Inputs = espalier::detail::listed_shapes<typename traced_batch<Batch>::type>;
  add_inputs<Net>(to, Inputs{}, std::make_integer_sequence<int, Inputs::count>{});
  exporter e{to,
             rows.nodes,
             numbering_of<Program>.count,
             rows.maps,
             {std::begin(rows.results), std::end(rows.results)},
             own_formulas<Program>(std::make_index_sequence<static_cast<std::size_t>(other_ops_of<Program>.count)>{})};
  e.values = values_of_program<Program>.at;
  fill(e);
  write_program(e);
}

/// fill(exporter) stores the parameters and buffers; change(file) changes the operations before they are written.
template <class Program, class Batch, class Model, class Fill, class Change>
void write(char const* path, onnx_options const& options, Fill const& fill, Change const& change) {
  using Net = typename Model::net_type;
  if (options.operator_set != 17 && options.operator_set != 23)
    throw_error<error>("%s: operator set %d; write_onnx writes operator set 17 or 23", path, options.operator_set);
  builder to{path, std::is_same_v<typename Model::value_type, float> ? element::float32 : element::float64,
             traced_batch<Batch>::samples};
  to.file.operator_set = options.operator_set;
  to.file.name = options.name;
  to.file.description = options.description;
  to.file.metadata = {{"parameters", std::to_string(Model::parameter_count)}, {"mode", "evaluation"}};
  export_program<Program, Batch, Net>(to, fill);
  change(to.file);
  std::string const bytes = to.file.to_protobuf().bytes();
  if (bytes.size() > 0x7fffffffu)
    throw_error<write_error>("%s: an ONNX file has at most 2 GiB, and this net needs %lld bytes", path,
                             static_cast<long long>(bytes.size()));
  atomic_file file{path};
  file.write(bytes.data(), bytes.size());
  file.commit();
}

template <class Program, class Batch, class Model>
void write(char const* path, Model const& model, onnx_options const& options) {
  using Net = typename Model::net_type;
  write<Program, Batch, Model>(
      path, options,
      [&](exporter& e) {
        e.parameters = tensors_of<Net, true>(model);
        e.buffers = tensors_of<Net, false>(model);
      },
      [](model_file&) {});
}

/// Whether ONNX's operations and this exporter support the element type.
template <class T>
struct exported_element {
  static constexpr bool agree = std::is_same_v<T, float> || std::is_same_v<T, double>;
};

}  // namespace onnx

/// write_onnx<batch<N, ...>>(path, model): exports the model's forward pass in evaluation mode as an ONNX file
/// (operator set 17 or 23, standard operators only).
/// shape    as of model(x): input "x", output "y"; with any_batch<...> in place of batch<N, ...>, the number of samples
///          stays open. For several inputs, shapes<batch<N, ...>, ...> has a batch for each: inputs "x0", "x1"; several
///          results are the outputs "y0", "y1"
/// names    parameters and buffers are initializers under their paths ("0.weight"); those of convolutions in ONNX's
///          order (outputs, inputs, rows, columns)
/// device   any; parameters on a GPU are copied
/// memory   some copies of the parameters, as double and as bytes, during the call
/// errors   Does not compile: layers that do not fit the batch, an op without an operation in ONNX, elements other than
///          float and double. write_error: the file cannot be written; an existing file is unchanged. error: the number
///          of samples is open, but a result depends on it; another operator set.
/// source   github.com/onnx/onnx, docs/Operators.md
template <
    class Batch, class Model,
    class Found = espalier::detail::results_of_net<typename Model::net_type, typename onnx::traced_batch<Batch>::type>>
void write_onnx(file_path path, Model const& model, onnx_options const& options = {}) {
  using Element = onnx::exported_element<typename Model::value_type>;
  using Samples = onnx::samples_alike<Batch>;
  using Fault = std::conditional_t<Samples::agree, Found, agreed>;
  using Layers = espalier::detail::root_message_fault<Fault, typename Model::net_type,
                                                      espalier::detail::root_at<Model, struct write_onnx_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(espalier::detail::own_message_fault<Fault, typename Model::net_type>::report()) != 0);
  static_assert(
      Element::agree,
      ESPALIER_SENTENCE(
          "write_onnx<batch>(path, model): the elements are float or double; copy(model, other) to a model<Net> and write that one",
          Element));
  static_assert(
      Samples::agree,
      ESPALIER_SENTENCE(
          "write_onnx<shapes<...>>(path, model): the number of samples is open in some batches only; write any_batch<...> for each input, or batch<N, ...> for each",
          Samples));
  if constexpr (layers_fit<Found>::agree && Element::agree && Samples::agree) {
    using Program = onnx::exported_program<typename Model::net_type, typename onnx::traced_batch<Batch>::type>;
    using Ops = typename onnx::ops_in_onnx<Program>::type;
    static_assert(
        Ops::agree,
        ESPALIER_SENTENCE(
            "write_onnx<batch>(path, model): the net has an op that ONNX has no operation for; io::exports_formula<Op> writes one of yours by its formula",
            Ops));
    if constexpr (Ops::agree) onnx::write<Program, Batch>(path, model, options);
  }
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
