// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "array.hpp"
#include "file_bytes.hpp"
#include "onnx_file.hpp"
#include "protobuf_reader.hpp"

/// Reads an ONNX model as a value. Like onnx_file.hpp, this header depends on ONNX's messages only, not on programs.
/// source  onnx.ai, onnx.proto
namespace espalier::io::onnx {

/// Reads the messages of an ONNX file.
class model_reader {
 public:
  model_reader(std::string_view bytes, char const* path) : bytes_{bytes}, path_{path} {}

  /// The model. A Constant becomes an initializer. Operations of a domain that is not ONNX's own have it in their type:
  /// "com.microsoft.QLinearAdd". Bodies of loops are not read.
  model_file read() {
    model_file r;
    bool has_graph = false;
    r.operator_set = 0;
    for (protobuf_reader m{bytes_, path_}; m.next();) {
      if (m.field() == 7) {
        if (has_graph) throw_error<format_error>("%s: expected a model with one graph, got several", path_);
        read_graph(m.message(), r);
        has_graph = true;
      }
      if (m.field() == 8) read_operator_set(m.message(), r);
    }
    if (!has_graph) throw_error<format_error>("%s: expected an ONNX model, got a message without a graph", path_);
    return r;
  }

 private:
  void read_operator_set(protobuf_reader m, model_file& r) const {
    std::string domain;
    std::int64_t version = 0;
    while (m.next()) {
      if (m.field() == 1) domain = m.text();
      if (m.field() == 2) version = m.integer();
    }
    if (domain.empty() || domain == "ai.onnx") r.operator_set = static_cast<int>(version);
  }
  void read_graph(protobuf_reader m, model_file& r) {
    while (m.next()) {
      if (m.field() == 1) read_node(m.message(), r);
      if (m.field() == 2) r.name = m.text();
      if (m.field() == 5) r.initializers.push_back(read_tensor(m.message()));
      if (m.field() == 11) r.inputs.push_back(read_info(m.message()));
      if (m.field() == 12) r.outputs.push_back(read_info(m.message()));
      if (m.field() == 15)
        throw_error<format_error>("%s: expected dense initializers, got a sparse one, which is not read", path_);
    }
    // Files before version 4 list initializers as inputs, too.
    std::erase_if(r.inputs, [&](value_info const& v) {
      for (initializer const& i : r.initializers)
        if (i.name == v.name) return true;
      return false;
    });
  }
  void read_node(protobuf_reader m, model_file& r) {
    operation o;
    std::vector<std::string> results;
    std::vector<initializer> tensors;
    std::string domain;
    while (m.next()) {
      if (m.field() == 1) o.inputs.emplace_back(m.text());
      if (m.field() == 2) results.emplace_back(m.text());
      if (m.field() == 4) o.type = m.text();
      if (m.field() == 7) domain = m.text();
      if (m.field() == 5) read_attribute(m.message(), o, tensors);
    }
    if (results.empty())
      throw_error<format_error>("%s: expected an operation with a result, got %s without one", path_,
                                in_quotes(o.type).c_str());
    if (!domain.empty() && domain != "ai.onnx") o.type = domain + '.' + o.type;
    // Optional inputs at the end may be left out or be empty.
    while (!o.inputs.empty() && o.inputs.back().empty()) o.inputs.pop_back();
    o.result = results[0];
    o.more_results.assign(results.begin() + 1, results.end());
    if (o.type == "Constant") r.initializers.push_back(constant(o, tensors));
    else r.operations.push_back(std::move(o));
  }
  initializer constant(operation const& o, std::vector<initializer>& tensors) const {
    if (tensors.size() == 1) {
      tensors[0].name = o.result;
      return std::move(tensors[0]);
    }
    for (attribute const& a : o.attributes) {
      auto const count = static_cast<std::int64_t>(a.values.size());
      if (a.name == "value_int") return {o.result, element::int64, {}, {}, {static_cast<std::int64_t>(a.value)}};
      if (a.name == "value_ints") return {o.result, element::int64, {count}, {}, a.values};
      if (a.name == "value_float") return {o.result, element::float32, {}, {a.value}, {}};
    }
    throw_error<format_error>("%s: expected a Constant %s with numbers, got one of another kind", path_,
                              in_quotes(o.result).c_str());
  }
  void read_attribute(protobuf_reader m, operation& o, std::vector<initializer>& tensors) const {
    attribute a{};
    a.kind = attribute::integer;
    while (m.next()) {
      int const f = m.field();
      if (f == 1) a.name = m.text();
      if (f == 2) a.value = static_cast<double>(m.number());
      if (f == 3) a.value = static_cast<double>(m.integer());
      if (f == 4) a.text = m.text();
      if (f == 5) tensors.push_back(read_tensor(m.message()));
      if (f == 8) m.each_integer([&](std::int64_t x) { a.values.push_back(x); });
      if (f == 2) a.kind = attribute::number;
      if (f == 4) a.kind = attribute::word;
      if (f == 6) a.kind = attribute::graph;
      if (f == 8) a.kind = attribute::list;
      if (f == 9) a.kind = attribute::words;
    }
    o.attributes.push_back(std::move(a));
  }
  initializer read_tensor(protobuf_reader m) const {
    initializer r{};
    std::string_view raw;
    bool external = false, is_raw = false;
    while (m.next()) switch (m.field()) {
        case 1:
          m.each_integer([&](std::int64_t x) { r.extents.push_back(x); });
          break;
        case 2:
          r.type = static_cast<element>(m.integer());
          break;
        case 4:
          m.each_number<float>([&](float x) { r.numbers.push_back(static_cast<double>(x)); });
          break;
        case 5:  // also of smaller integers
        case 7:
          m.each_integer([&](std::int64_t x) { r.whole.push_back(x); });
          break;
        case 8:
          r.name = m.text();
          break;
        case 9:
          raw = m.text();
          is_raw = true;
          break;
        case 10:
          m.each_number<double>([&](double x) { r.numbers.push_back(x); });
          break;
        case 14:
          external = m.integer() != 0;
          break;
        default:
          break;
      }
    if (external)
      throw_error<format_error>("%s: initializer %s is in another file, which is not read; store all data in one file",
                                path_, in_quotes(r.name).c_str());
    if (is_raw) add_raw(r, raw);
    return r;
  }
  /// Elements of types that are not listed are left out: they are an error where something reads them.
  void add_raw(initializer& r, std::string_view raw) const {
    auto const each = [&]<class T>(T, auto& to) {
      using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                      std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
      if (raw.size() % sizeof(T) != 0)
        throw_error<format_error>("%s: initializer %s ends inside an element", path_, in_quotes(r.name).c_str());
      for (std::size_t i = 0; i < raw.size(); i += sizeof(T))
        to.push_back(std::bit_cast<T>(protobuf_reader::little_endian<bits>(raw.data() + i)));
    };
    switch (r.type) {
      case element::float32:
        return each(float{}, r.numbers);
      case element::float64:
        return each(double{}, r.numbers);
      case element::int8:
        return each(std::int8_t{}, r.whole);
      case element::uint8:
      case element::boolean:
        return each(std::uint8_t{}, r.whole);
      case element::int32:
        return each(std::int32_t{}, r.whole);
      case element::int64:
        return each(std::int64_t{}, r.whole);
    }
  }
  /// -1: an extent that the file leaves open.
  value_info read_info(protobuf_reader m) const {
    value_info r{{}, element::float32, {}};
    while (m.next()) {
      if (m.field() == 1) r.name = m.text();
      if (m.field() != 2) continue;
      for (protobuf_reader type = m.message(); type.next();) {
        if (type.field() != 1)
          throw_error<format_error>("%s: expected a tensor %s, got a value of another kind", path_,
                                    in_quotes(r.name).c_str());
        for (protobuf_reader tensor = type.message(); tensor.next();) {
          if (tensor.field() == 1) r.type = static_cast<element>(tensor.integer());
          if (tensor.field() == 2) read_shape(tensor.message(), r);
        }
      }
    }
    return r;
  }
  static void read_shape(protobuf_reader m, value_info& r) {
    while (m.next()) {
      if (m.field() != 1) continue;
      std::int64_t extent = -1;
      for (protobuf_reader axis = m.message(); axis.next();)
        if (axis.field() == 1) extent = axis.integer();
      r.extents.push_back(extent);
    }
  }

  std::string_view bytes_;
  char const* path_;
};

/// Reads an ONNX file.
/// errors  format_error: no ONNX model, a model whose data is in another file
inline model_file read_model(char const* path) {
  file_bytes const bytes = read_bytes(path);
  return model_reader{{reinterpret_cast<char const*>(bytes.data()), static_cast<std::size_t>(bytes.size())}, path}
      .read();
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
