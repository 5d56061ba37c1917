// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "../base/version.hpp"
#include "error.hpp"

/// A TensorFlow Lite model as a value, its serialization and its reader. This header depends on the file's tables only,
/// not on programs. It needs the headers of FlatBuffers, and no generated code.
/// source  github.com/tensorflow/tensorflow, tensorflow/lite/schema/schema.fbs (version 3; Apache License 2.0): the
///         numbers of fields, operators, options and element types
namespace espalier::io::tflite {

using integers = std::vector<std::int64_t>;

enum class element : std::int8_t {
  float32 = 0,
  int32 = 2,
  uint8 = 3,
  int64 = 4,
  boolean = 6,
  int16 = 7,
  int8 = 9,
};
/// Bytes of an element; 0 for types that are not read.
constexpr std::size_t size_of(element type) {
  switch (type) {
    case element::int64:
      return 8;
    case element::float32:
    case element::int32:
      return 4;
    case element::int16:
      return 2;
    case element::uint8:
    case element::int8:
    case element::boolean:
      return 1;
    default:
      return 0;
  }
}

/// Builtin operators that are written or read.
enum class op : std::int32_t {
  add = 0,
  average_pool_2d = 1,
  concatenation = 2,
  conv_2d = 3,
  depthwise_conv_2d = 4,
  dequantize = 6,
  floor = 8,
  fully_connected = 9,
  logistic = 14,
  max_pool_2d = 17,
  mul = 18,
  relu = 19,
  relu_n1_to_1 = 20,
  relu6 = 21,
  reshape = 22,
  softmax = 25,
  tanh = 28,
  custom = 32,
  pad = 34,
  gather = 36,
  transpose = 39,
  mean = 40,
  sub = 41,
  div = 42,
  squeeze = 43,
  strided_slice = 45,
  exp = 47,
  log_softmax = 50,
  cast = 53,
  maximum = 55,
  minimum = 57,
  less = 58,
  neg = 59,
  padv2 = 60,
  greater = 61,
  greater_equal = 62,
  less_equal = 63,
  sin = 66,
  expand_dims = 70,
  equal = 71,
  log = 73,
  sum = 74,
  sqrt = 75,
  pow = 78,
  reduce_max = 82,
  logical_not = 87,
  reduce_min = 89,
  leaky_relu = 98,
  abs = 101,
  cos = 108,
  elu = 111,
  quantize = 114,
  select_v2 = 123,
  batch_matmul = 126,
  broadcast_to = 130,
};
/// The name of an operator as errors have it.
struct op_name {
  op code;
  char const* name;
};
inline constexpr op_name op_names[] = {
    {op::add, "ADD"},
    {op::average_pool_2d, "AVERAGE_POOL_2D"},
    {op::concatenation, "CONCATENATION"},
    {op::conv_2d, "CONV_2D"},
    {op::depthwise_conv_2d, "DEPTHWISE_CONV_2D"},
    {op::dequantize, "DEQUANTIZE"},
    {op::floor, "FLOOR"},
    {op::fully_connected, "FULLY_CONNECTED"},
    {op::logistic, "LOGISTIC"},
    {op::max_pool_2d, "MAX_POOL_2D"},
    {op::mul, "MUL"},
    {op::relu, "RELU"},
    {op::relu_n1_to_1, "RELU_N1_TO_1"},
    {op::relu6, "RELU6"},
    {op::reshape, "RESHAPE"},
    {op::softmax, "SOFTMAX"},
    {op::tanh, "TANH"},
    {op::custom, "an operator of its own"},
    {op::pad, "PAD"},
    {op::gather, "GATHER"},
    {op::transpose, "TRANSPOSE"},
    {op::mean, "MEAN"},
    {op::sub, "SUB"},
    {op::div, "DIV"},
    {op::squeeze, "SQUEEZE"},
    {op::strided_slice, "STRIDED_SLICE"},
    {op::exp, "EXP"},
    {op::log_softmax, "LOG_SOFTMAX"},
    {op::cast, "CAST"},
    {op::maximum, "MAXIMUM"},
    {op::minimum, "MINIMUM"},
    {op::less, "LESS"},
    {op::neg, "NEG"},
    {op::padv2, "PADV2"},
    {op::greater, "GREATER"},
    {op::greater_equal, "GREATER_EQUAL"},
    {op::less_equal, "LESS_EQUAL"},
    {op::sin, "SIN"},
    {op::expand_dims, "EXPAND_DIMS"},
    {op::equal, "EQUAL"},
    {op::log, "LOG"},
    {op::sum, "SUM"},
    {op::sqrt, "SQRT"},
    {op::pow, "POW"},
    {op::reduce_max, "REDUCE_MAX"},
    {op::logical_not, "LOGICAL_NOT"},
    {op::reduce_min, "REDUCE_MIN"},
    {op::leaky_relu, "LEAKY_RELU"},
    {op::abs, "ABS"},
    {op::cos, "COS"},
    {op::elu, "ELU"},
    {op::quantize, "QUANTIZE"},
    {op::select_v2, "SELECT_V2"},
    {op::batch_matmul, "BATCH_MATMUL"},
    {op::broadcast_to, "BROADCAST_TO"},
};
inline std::string name_of(op code) {
  for (op_name const& each : op_names)
    if (each.code == code) return each.name;
  return "operator " + std::to_string(static_cast<int>(code));
}

/// Activation functions that operators include.
enum class activation : std::int8_t { none = 0, relu = 1, relu_n1_to_1 = 2, relu6 = 3 };
enum class padding : std::int8_t { same = 0, valid = 1 };

/// The fields of an operator's options: for each a letter, b (a byte), i (an integer), f (a number), and the value of a
/// missing one.
struct options_layout {
  int type;
  char const* fields;
  double missing[7];
};
/// padding, stride of columns, of rows, activation, dilation of columns, of rows
inline constexpr options_layout conv_2d_options{1, "biibii", {0, 0, 0, 0, 1, 1}},
    /// padding, stride of columns, of rows, outputs of a channel, activation, dilation of columns, of rows
    depthwise_options{2, "biiibii", {0, 0, 0, 0, 0, 1, 1}},
    /// padding, stride of columns, of rows, columns of a window, rows, activation
    pool_options{5, "biiiib", {}},
    /// activation, format of weights, whether leading axes stay
    fully_connected_options{8, "bbb", {}}, softmax_options{9, "f", {}},
    /// axis, activation
    concatenation_options{10, "ib", {}}, add_options{11, "b", {}}, mul_options{21, "b", {}}, sub_options{28, "b", {}},
    div_options{29, "b", {}},
    /// axis, leading axes that are alike in both operands
    gather_options{23, "ii", {}},
    /// whether the axes stay
    reducer_options{27, "b", {}},
    /// masks: begin, end, ellipsis, new axis, removed axis
    strided_slice_options{32, "iiiii", {}},
    /// element types: operand, result
    cast_options{37, "bb", {}}, leaky_relu_options{75, "f", {}},
    /// whether the operands are transposed
    batch_matmul_options{101, "bb", {}};
inline constexpr options_layout const* all_options[] = {
    &conv_2d_options,       &depthwise_options,     &pool_options,       &fully_connected_options,
    &softmax_options,       &concatenation_options, &add_options,        &mul_options,
    &sub_options,           &div_options,           &gather_options,     &reducer_options,
    &strided_slice_options, &cast_options,          &leaky_relu_options, &batch_matmul_options};
inline options_layout const* options_of_type(int type) {
  for (options_layout const* each : all_options)
    if (each->type == type) return each;
  return nullptr;
}

/// x = scale (q - zero point); several scales are along an axis.
struct quantization {
  std::vector<float> scales{};
  integers zero_points{};
  int axis = 0;
};
/// A value between operators, or a constant if its buffer has bytes.
struct tensor {
  std::string name;
  element type;
  integers extents;
  std::size_t buffer = 0;
  quantization by{};
};
/// inputs: numbers of tensors, -1 for a missing one. options: 0 or a type of options_layout, with its fields.
struct operation {
  op code;
  integers inputs, outputs;
  int options = 0;
  std::vector<double> fields{};
  std::int32_t version = 1;
};

/// A model with one graph. Buffer 0 is empty.
struct model_file {
  std::string name, description;
  std::vector<std::string> buffers{std::string{}};
  std::vector<tensor> tensors;
  std::vector<operation> operations;
  integers inputs, outputs;
};

/// Stores a model. The caller limits its size to 2 GiB.
class model_writer {
 public:
  explicit model_writer(model_file const& from) : from_{from} {}

  [[nodiscard]] std::string bytes() {
    std::vector<table> codes, buffers, tensors, operations;
    for (operation const& o : from_.operations) (void)code_of(o);
    for (auto const& [code, version] : codes_) {
      flatbuffers::uoffset_t const start = to_.StartTable();
      add<std::int8_t>(0, static_cast<std::int8_t>(std::min(static_cast<int>(code), 127)));
      add<std::int32_t>(2, version);
      add<std::int32_t>(3, static_cast<std::int32_t>(code));
      codes.push_back(end(start));
    }
    for (std::string const& data : from_.buffers) {
      flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes{};
      if (!data.empty()) {
        to_.ForceVectorAlignment(data.size(), 1, 16);  // as the schema requires
        bytes = to_.CreateVector(reinterpret_cast<std::uint8_t const*>(data.data()), data.size());
      }
      flatbuffers::uoffset_t const start = to_.StartTable();
      if (!data.empty()) to_.AddOffset(field(0), bytes);
      buffers.push_back(end(start));
    }
    for (tensor const& t : from_.tensors) tensors.push_back(store(t));
    for (operation const& o : from_.operations) operations.push_back(store(o));
    auto const all_tensors = to_.CreateVector(tensors), all_operations = to_.CreateVector(operations);
    auto const inputs = numbers<std::int32_t>(from_.inputs), outputs = numbers<std::int32_t>(from_.outputs);
    auto const name = to_.CreateString(from_.name);
    flatbuffers::uoffset_t start = to_.StartTable();
    to_.AddOffset(field(0), all_tensors);
    to_.AddOffset(field(1), inputs);
    to_.AddOffset(field(2), outputs);
    to_.AddOffset(field(3), all_operations);
    to_.AddOffset(field(4), name);
    auto const graphs = to_.CreateVector(std::vector<table>{end(start)});
    auto const all_codes = to_.CreateVector(codes), all_buffers = to_.CreateVector(buffers);
    auto const description = to_.CreateString(from_.description);
    start = to_.StartTable();
    add<std::uint32_t>(0, 3);
    to_.AddOffset(field(1), all_codes);
    to_.AddOffset(field(2), graphs);
    to_.AddOffset(field(3), description);
    to_.AddOffset(field(4), all_buffers);
    to_.Finish(end(start), "TFL3");
    return {reinterpret_cast<char const*>(to_.GetBufferPointer()), to_.GetSize()};
  }

 private:
  using table = flatbuffers::Offset<flatbuffers::Table>;
  static constexpr flatbuffers::voffset_t field(int number) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * number);
  }
  template <class T>
  void add(int number, T value) {
    to_.AddElement<T>(field(number), value);
  }
  table end(flatbuffers::uoffset_t start) { return table{to_.EndTable(start)}; }
  template <class T>
  flatbuffers::Offset<flatbuffers::Vector<T>> numbers(integers const& x) {
    return to_.CreateVector(std::vector<T>(x.begin(), x.end()));
  }
  std::uint32_t code_of(operation const& o) {
    std::pair<op, std::int32_t> const code{o.code, o.version};
    auto const at = std::find(codes_.begin(), codes_.end(), code);
    if (at != codes_.end()) return static_cast<std::uint32_t>(at - codes_.begin());
    codes_.push_back(code);
    return static_cast<std::uint32_t>(codes_.size() - 1);
  }
  table store(tensor const& t) {
    auto const extents = numbers<std::int32_t>(t.extents);
    auto const name = to_.CreateString(t.name);
    table by{};
    if (!t.by.scales.empty()) {
      auto const scales = to_.CreateVector(t.by.scales);
      auto const zeros = numbers<std::int64_t>(t.by.zero_points);
      flatbuffers::uoffset_t const start = to_.StartTable();
      to_.AddOffset(field(2), scales);
      to_.AddOffset(field(3), zeros);
      add<std::int32_t>(6, t.by.axis);
      by = end(start);
    }
    flatbuffers::uoffset_t const start = to_.StartTable();
    to_.AddOffset(field(0), extents);
    add<std::int8_t>(1, static_cast<std::int8_t>(t.type));
    add<std::uint32_t>(2, static_cast<std::uint32_t>(t.buffer));
    to_.AddOffset(field(3), name);
    if (!t.by.scales.empty()) to_.AddOffset(field(4), by);
    add<std::uint8_t>(8, 1);  // the rank is known, also if it is 0
    return end(start);
  }
  table store(operation const& o) {
    auto const inputs = numbers<std::int32_t>(o.inputs), outputs = numbers<std::int32_t>(o.outputs);
    table options{};
    if (options_layout const* const layout = options_of_type(o.options)) {
      flatbuffers::uoffset_t const start = to_.StartTable();
      for (std::size_t i = 0; i < o.fields.size(); ++i) {
        char const kind = layout->fields[i];
        int const number = static_cast<int>(i);
        if (kind == 'b') add<std::int8_t>(number, static_cast<std::int8_t>(o.fields[i]));
        if (kind == 'i') add<std::int32_t>(number, static_cast<std::int32_t>(o.fields[i]));
        if (kind == 'f') add<float>(number, static_cast<float>(o.fields[i]));
      }
      options = end(start);
    }
    flatbuffers::uoffset_t const start = to_.StartTable();
    add<std::uint32_t>(0, code_of(o));
    to_.AddOffset(field(1), inputs);
    to_.AddOffset(field(2), outputs);
    if (o.options != 0) {
      add<std::uint8_t>(3, static_cast<std::uint8_t>(o.options));
      to_.AddOffset(field(4), options);
    }
    return end(start);
  }

  model_file const& from_;
  flatbuffers::FlatBufferBuilder to_{};
  std::vector<std::pair<op, std::int32_t>> codes_{};
};

/// Reads a model. Every offset is checked against the file, and tables that refer to the same bytes again and again are
/// limited to 16 times the size of the file.
class model_reader {
 public:
  model_reader(std::string_view bytes, char const* path)
      : bytes_{bytes},
        path_{path},
        inside_{reinterpret_cast<std::uint8_t const*>(bytes.data()), checked_size(bytes, path)},
        budget_{16 * bytes.size() + 4096} {}

  [[nodiscard]] model_file read() {
    if (bytes_.size() < 16 || bytes_.substr(4, 4) != "TFL3")
      throw_error<format_error>("%s: expected a TensorFlow Lite model with the identifier TFL3, got a file without it",
                                path_);
    table const root = table_at(follow(0));
    auto const version = number<std::uint32_t>(root, 0, 0);
    if (version != 3)
      throw_error<format_error>("%s: expected a TensorFlow Lite model of version 3, got version %u", path_,
                                static_cast<unsigned>(version));
    model_file r;
    r.description = text(root, 3);
    r.buffers.clear();
    for_each_table(root, 4, [&](table const& b) { r.buffers.push_back(buffer(b)); });
    std::vector<op> codes;
    for_each_table(root, 1, [&](table const& c) {
      codes.push_back(
          static_cast<op>(std::max<std::int32_t>(number<std::int8_t>(c, 0, 0), number<std::int32_t>(c, 3, 0))));
    });
    int graphs = 0;
    for_each_table(root, 2, [&](table const& g) {
      if (++graphs == 1) read_graph(g, codes, r);
    });
    if (graphs != 1) throw_error<format_error>("%s: expected a model with one graph, got %d", path_, graphs);
    return r;
  }

 private:
  /// Where a table, its list of fields and the end of that list are.
  struct table {
    std::size_t at, fields;
    std::uint16_t size;
  };
  struct list {
    std::size_t at, count;
  };

  [[noreturn]] void fail(char const* what) const {
    throw_error<format_error>("%s: expected a TensorFlow Lite model, got %s", path_, what);
  }
  static std::size_t checked_size(std::string_view bytes, char const* path) {
    if (bytes.size() >= 0x7fffffffu)
      throw_error<format_error>("%s: expected a TensorFlow Lite model of less than 2 GiB, got more", path);
    return bytes.size();
  }
  void spend(std::size_t bytes) {
    if (bytes > budget_) fail("tables that refer to the same bytes too often");
    budget_ -= bytes;
  }
  template <class T>
  T number_at(std::size_t at) const {
    if (!inside_.Verify<T>(at)) fail("an offset beyond its end, or one that is not aligned");
    T x;
    std::memcpy(&x, bytes_.data() + at, sizeof x);
    return flatbuffers::EndianScalar(x);
  }
  std::size_t follow(std::size_t at) const {
    auto const distance = number_at<flatbuffers::uoffset_t>(at);
    if (distance == 0 || distance >= bytes_.size() - at) fail("an offset beyond its end");
    return at + distance;
  }
  table table_at(std::size_t at) {
    auto const back = static_cast<std::int64_t>(number_at<flatbuffers::soffset_t>(at));
    std::int64_t const fields = static_cast<std::int64_t>(at) - back;
    if (fields < 0 || fields >= static_cast<std::int64_t>(bytes_.size())) fail("a table without a list of its fields");
    table r{at, static_cast<std::size_t>(fields), 0};
    r.size = number_at<flatbuffers::voffset_t>(r.fields);
    if (r.size < 4 || r.size % 2 != 0 || r.size > bytes_.size() - r.fields) fail("a list of fields beyond its end");
    spend(8);
    return r;
  }
  /// Where a field is, or 0.
  std::size_t field(table const& t, int number) const {
    std::size_t const entry = 4 + 2 * static_cast<std::size_t>(number);
    if (entry + 2 > t.size) return 0;
    auto const at = number_at<flatbuffers::voffset_t>(t.fields + entry);
    return at == 0 ? 0 : t.at + at;
  }
  template <class T>
  T number(table const& t, int n, T missing) const {
    std::size_t const at = field(t, n);
    return at == 0 ? missing : number_at<T>(at);
  }
  template <class T>
  list list_of(table const& t, int n) {
    std::size_t const at = field(t, n);
    if (at == 0) return {0, 0};
    std::size_t const vector = follow(at), count = number_at<flatbuffers::uoffset_t>(vector),
                      room = bytes_.size() - vector - sizeof(flatbuffers::uoffset_t);
    if (count > room / sizeof(T)) fail("a list beyond its end");
    spend(count * sizeof(T));
    return {vector + sizeof(flatbuffers::uoffset_t), count};
  }
  template <class T, class To>
  std::vector<To> numbers(table const& t, int n) {
    list const l = list_of<T>(t, n);
    std::vector<To> r;
    r.reserve(l.count);
    for (std::size_t i = 0; i < l.count; ++i) r.push_back(static_cast<To>(number_at<T>(l.at + i * sizeof(T))));
    return r;
  }
  std::string text(table const& t, int n) {
    list const l = list_of<char>(t, n);
    return std::string{bytes_.substr(l.at, l.count)};
  }
  template <class F>
  void for_each_table(table const& t, int n, F&& f) {
    list const l = list_of<flatbuffers::uoffset_t>(t, n);
    for (std::size_t i = 0; i < l.count; ++i) f(table_at(follow(l.at + i * sizeof(flatbuffers::uoffset_t))));
  }
  std::string buffer(table const& b) {
    if (number<std::uint64_t>(b, 1, 0) > 1) fail("weights behind its tables, which are not read");
    return text(b, 0);
  }

  void read_graph(table const& g, std::vector<op> const& codes, model_file& r) {
    r.name = text(g, 4);
    for_each_table(g, 0, [&](table const& t) { r.tensors.push_back(read_tensor(t, r.buffers.size())); });
    r.inputs = tensors_of(g, 1, r, false);
    r.outputs = tensors_of(g, 2, r, false);
    for_each_table(g, 3, [&](table const& o) {
      auto const code = number<std::uint32_t>(o, 0, 0);
      if (code >= codes.size()) fail("an operator without a code");
      operation made{codes[code], tensors_of(o, 1, r, true), tensors_of(o, 2, r, false)};
      made.options = number<std::uint8_t>(o, 3, 0);
      options_layout const* const layout = options_of_type(made.options);
      if (layout == nullptr) made.options = 0;
      else read_options(o, *layout, made.fields);
      r.operations.push_back(std::move(made));
    });
  }
  void read_options(table const& o, options_layout const& layout, std::vector<double>& to) {
    std::size_t const count = std::string_view{layout.fields}.size();
    to.assign(layout.missing, layout.missing + count);
    std::size_t const at = field(o, 4);
    if (at == 0) return;
    table const t = table_at(follow(at));
    for (std::size_t i = 0; i < count; ++i) {
      int const n = static_cast<int>(i);
      if (layout.fields[i] == 'b') to[i] = number<std::int8_t>(t, n, static_cast<std::int8_t>(to[i]));
      if (layout.fields[i] == 'i') to[i] = number<std::int32_t>(t, n, static_cast<std::int32_t>(to[i]));
      if (layout.fields[i] == 'f') to[i] = static_cast<double>(number<float>(t, n, static_cast<float>(to[i])));
    }
  }
  tensor read_tensor(table const& t, std::size_t buffers) {
    tensor r{text(t, 3), static_cast<element>(number<std::int8_t>(t, 1, 0)), numbers<std::int32_t, std::int64_t>(t, 0)};
    r.buffer = number<std::uint32_t>(t, 2, 0);
    if (r.buffer >= buffers) fail("a tensor without a buffer");
    for (std::int64_t const extent : r.extents)
      if (extent < 0) fail("a tensor with a negative extent");
    if (field(t, 6) != 0) fail("sparse weights, which are not read");
    if (std::size_t const at = field(t, 4); at != 0) {
      table const q = table_at(follow(at));
      r.by.scales = numbers<float, float>(q, 2);
      r.by.zero_points = numbers<std::int64_t, std::int64_t>(q, 3);
      r.by.axis = number<std::int32_t>(q, 6, 0);
    }
    return r;
  }
  integers tensors_of(table const& t, int n, model_file const& r, bool may_be_missing) {
    integers all = numbers<std::int32_t, std::int64_t>(t, n);
    for (std::int64_t const each : all)
      if (each >= static_cast<std::int64_t>(r.tensors.size()) || each < (may_be_missing ? -1 : 0))
        fail("an operator that reads or writes no tensor");
    return all;
  }

  std::string_view bytes_;
  char const* path_;
  flatbuffers::Verifier inside_;
  std::size_t budget_;
};

}  // namespace espalier::io::tflite
#include "../base/diagnostics_pop.hpp"
