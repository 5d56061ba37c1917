// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <map>
#include <memory>
#include <vector>

#include "../base/version.hpp"
#include "protobuf.hpp"

/// An ONNX model as a value, and its serialization. This header only depends on ONNX's messages, not on programs.
/// source  onnx.ai, "Open Neural Network Exchange Intermediate Representation" and onnx.proto
namespace espalier::io::onnx {

/// The version of the format that operator sets 17 and 23 came with.
constexpr int ir_version(int operator_set) { return operator_set < 23 ? 8 : 11; }

/// ONNX's numbers of element types.
enum class element : int { float32 = 1, uint8 = 2, int8 = 3, int32 = 6, int64 = 7, boolean = 9, float64 = 11 };

using integers = std::vector<std::int64_t>;

/// An attribute of an operation: an integer, a number, a word, a list of integers or a list of one word.
struct attribute {
  enum kind_of : int { number = 1, integer = 2, word = 3, graph = 5, list = 7, words = 8 };
  std::string name;
  kind_of kind;
  double value;
  integers values;
  std::string text{};
};
inline attribute with_word(std::string name, std::string text) {
  return {std::move(name), attribute::word, 0, {}, std::move(text)};
}
inline attribute with_list_of(std::string name, std::string text) {
  return {std::move(name), attribute::words, 0, {}, std::move(text)};
}
inline attribute with(std::string name, std::int64_t value) {
  return {std::move(name), attribute::integer, static_cast<double>(value), {}};
}
inline attribute with_number(std::string name, double value) { return {std::move(name), attribute::number, value, {}}; }
inline attribute with(std::string name, integers values) {
  return {std::move(name), attribute::list, 0, std::move(values)};
}

struct subgraph;

/// One operation. It has the name of its first result.
struct operation {
  std::string type;
  std::vector<std::string> inputs;
  std::string result;
  std::vector<attribute> attributes;
  std::vector<std::string> more_results{};
  std::shared_ptr<subgraph> body{};  ///< of a loop
};

/// Numbers or integers that the file stores.
struct initializer {
  std::string name;
  element type;
  integers extents;
  std::vector<double> numbers;
  integers whole;
};

/// An input or output and its extents. -1: the number of samples, if the file leaves it open; -2: an extent that
/// depends on it.
struct value_info {
  std::string name;
  element type;
  integers extents;
};

/// The body of a loop. Its operations can also read values of the graphs around it.
struct subgraph {
  std::string name;
  std::vector<value_info> inputs, outputs;
  std::vector<operation> operations;
};

struct model_file {
  std::string name, description;
  int operator_set = 17;
  std::vector<value_info> inputs, outputs;
  std::vector<initializer> initializers;
  std::vector<operation> operations;
  std::vector<std::pair<std::string, std::string>> metadata;

  [[nodiscard]] protobuf to_protobuf() const {
    protobuf model;
    model.integer(1, ir_version(operator_set));
    model.text(2, "espalier");
    model.text(3, ESPALIER_VERSION_STRING);
    model.integer(5, 1);
    if (!description.empty()) model.text(6, description);
    model.message(7, graph(name, operations, initializers, inputs, outputs));
    protobuf set;
    set.text(1, "");
    set.integer(2, operator_set);
    model.message(8, set);
    for (auto const& [key, value] : metadata) {
      protobuf entry;
      entry.text(1, key);
      entry.text(2, value);
      model.message(14, entry);
    }
    return model;
  }

 private:
  static protobuf graph(std::string const& name, std::vector<operation> const& operations,
                        std::vector<initializer> const& initializers, std::vector<value_info> const& inputs,
                        std::vector<value_info> const& outputs) {
    protobuf graph;
    for (operation const& o : operations) graph.message(1, node(o));
    graph.text(2, name);
    for (initializer const& i : initializers) graph.message(5, tensor(i));
    for (value_info const& i : inputs) graph.message(11, info(i));
    for (value_info const& o : outputs) graph.message(12, info(o));
    return graph;
  }
  static protobuf node(operation const& o) {
    protobuf node;
    for (std::string const& input : o.inputs) node.text(1, input);
    node.text(2, o.result);
    for (std::string const& result : o.more_results) node.text(2, result);
    node.text(3, o.result);
    node.text(4, o.type);
    for (attribute const& a : o.attributes) {
      protobuf one;
      one.text(1, a.name);
      if (a.kind == attribute::number) one.number(2, static_cast<float>(a.value));
      if (a.kind == attribute::integer) one.integer(3, static_cast<std::int64_t>(a.value));
      if (a.kind == attribute::word) one.text(4, a.text);
      if (a.kind == attribute::list) one.integers(8, a.values);
      if (a.kind == attribute::words) one.text(9, a.text);
      one.integer(20, a.kind);
      node.message(5, one);
    }
    if (o.body) {
      protobuf one;
      one.text(1, "body");
      one.message(6, graph(o.body->name, o.body->operations, {}, o.body->inputs, o.body->outputs));
      one.integer(20, attribute::graph);
      node.message(5, one);
    }
    return node;
  }
  static protobuf tensor(initializer const& i) {
    protobuf tensor;
    tensor.integers(1, i.extents);
    tensor.integer(2, static_cast<int>(i.type));
    tensor.text(8, i.name);
    if (i.type == element::int64) tensor.raw<std::int64_t>(9, i.whole);
    else if (i.type == element::int8) tensor.raw<std::int8_t>(9, i.whole);
    else if (i.type == element::uint8) tensor.raw<std::uint8_t>(9, i.whole);
    else if (i.type == element::float64) tensor.raw<double>(9, i.numbers);
    else tensor.raw<float>(9, i.numbers);
    return tensor;
  }
  static protobuf info(value_info const& v) {
    protobuf shape, tensor, type, info;
    for (std::int64_t const extent : v.extents) {
      protobuf axis;
      if (extent == -1) axis.text(2, "N");
      if (extent >= 0) axis.integer(1, extent);
      shape.message(1, axis);
    }
    tensor.integer(1, static_cast<int>(v.type));
    tensor.message(2, shape);
    type.message(1, tensor);
    info.text(1, v.name);
    info.message(2, type);
    return info;
  }
};

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
