// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/io/onnx_reader.hpp>

#include <algorithm>
#include <random>

/// Changes of ONNX models, not of their bytes: each message stays whole, and what it says differs.
namespace fuzz {

class changed_onnx {
 public:
  changed_onnx(espalier::io::onnx::model_file& file, unsigned seed) : file_{file}, random_{seed} {
    for (auto const& i : file.inputs) names_.push_back(i.name);
    for (auto const& i : file.initializers) names_.push_back(i.name);
    for (auto const& o : file.operations) names_.push_back(o.result);
    names_.emplace_back();
  }
  void change() {
    switch (below(8)) {
      case 0:
        return change_type();
      case 1:
      case 2:
        return change_operands();
      case 3:
        return change_order();
      case 4:
      case 5:
        return change_attribute();
      case 6:
        return change_initializer();
      default:
        return change_ends();
    }
  }

 private:
  using integers = espalier::io::onnx::integers;

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  template <class List>
  auto& one_of(List& list) {
    return list[below(std::size(list))];
  }
  std::int64_t number() {
    static constexpr std::int64_t numbers[] = {0, 1, 2, 3, 4, 7, 9, 127, 128, 255, 256, -1, -2, -128, 1LL << 31};
    return one_of(numbers);
  }
  /// Longer, shorter, or with another element.
  void change_list(integers& list) {
    std::size_t const at = below(list.size() + 1);
    if (below(4) == 0) list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), number());
    else if (at == list.size()) list.clear();
    else if (below(3) == 0) list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    else list[at] = number();
  }
  void change_type() {
    static constexpr char const* types[] = {"Relu",
                                            "Reshape",
                                            "Flatten",
                                            "Squeeze",
                                            "Unsqueeze",
                                            "Identity",
                                            "Dropout",
                                            "MatMul",
                                            "Gemm",
                                            "Conv",
                                            "MaxPool",
                                            "AveragePool",
                                            "Add",
                                            "Mul",
                                            "Div",
                                            "Sub",
                                            "Clip",
                                            "Softmax",
                                            "Tanh",
                                            "Exp",
                                            "Concat",
                                            "Slice",
                                            "Gather",
                                            "Transpose",
                                            "QuantizeLinear",
                                            "DequantizeLinear",
                                            "Where",
                                            "ReduceMax",
                                            "Sigmoid",
                                            "ReduceSum",
                                            "Unknown"};
    if (!file_.operations.empty()) one_of(file_.operations).type = one_of(types);
  }
  void change_operands() {
    if (file_.operations.empty()) return;
    auto& list = one_of(file_.operations).inputs;
    if (list.empty() || below(4) == 0) list.push_back(one_of(names_));
    else if (below(4) == 0) list.erase(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
    else if (below(3) == 0) list.resize(below(list.size()));
    else if (below(3) == 0) std::swap(one_of(list), one_of(list));
    else one_of(list) = one_of(names_);
  }
  void change_order() {
    auto& list = file_.operations;
    if (list.empty()) return;
    auto const at = list.begin() + static_cast<std::ptrdiff_t>(below(list.size()));
    switch (below(3)) {
      case 0:
        list.erase(at);
        break;
      case 1:
        std::iter_swap(at, list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
        break;
      default: {  // one more, whose result is read in place of another's operand
        auto more = *at;
        more.result = "more_" + std::to_string(list.size());
        more.more_results.clear();
        one_of(list).inputs.push_back(more.result);
        list.insert(at, std::move(more));
      }
    }
  }
  void change_attribute() {
    static constexpr char const* attributes[] = {"axis",         "axes",   "perm",   "pads",      "strides",   "group",
                                                 "kernel_shape", "transA", "transB", "dilations", "ceil_mode", "alpha",
                                                 "auto_pad",     "to",     "shape",  "keepdims"};
    if (file_.operations.empty()) return;
    auto& list = one_of(file_.operations).attributes;
    if (list.empty() || below(5) == 0) {
      auto const& from = one_of(file_.operations).attributes;
      if (from.empty()) list.push_back(espalier::io::onnx::with(one_of(attributes), number()));
      else list.push_back(one_of(from));
    }
    auto& a = one_of(list);
    switch (below(4)) {
      case 0:
        a.name = one_of(attributes);
        break;
      case 1:
        list.erase(list.begin() + (&a - list.data()));
        break;
      case 2:
        a.value = static_cast<double>(number());
        break;
      default:
        change_list(a.values);
    }
  }
  void change_initializer() {
    using espalier::io::onnx::element;
    if (file_.initializers.empty()) return;
    auto& i = one_of(file_.initializers);
    static constexpr element types[] = {element::float32, element::uint8, element::int8, element::int32,
                                        element::int64};
    switch (below(4)) {
      case 0:
        i.type = one_of(types);
        break;
      case 1:
        change_list(i.extents);
        break;
      case 2:
        if (i.whole.empty())
          (i.numbers.empty() ? i.numbers.emplace_back() : one_of(i.numbers)) = 0.5 * static_cast<double>(number());
        else one_of(i.whole) = number();
        break;
      default: {  // another number of elements, which fits
        std::size_t const size = below(9);
        i.extents = {static_cast<std::int64_t>(size)};
        if (i.whole.empty()) i.numbers.resize(size, 0.5);
        else i.whole.resize(size, 1);
      }
    }
  }
  void change_ends() {
    auto& list = below(2) == 0 ? file_.inputs : file_.outputs;
    if (list.empty()) return;
    auto& i = one_of(list);
    switch (below(4)) {
      case 0:
        i.name = one_of(names_);
        break;
      case 1:
        list.push_back(i);
        break;
      default:
        change_list(i.extents);
    }
  }

  espalier::io::onnx::model_file& file_;
  std::minstd_rand random_;
  std::vector<std::string> names_;
};

}  // namespace fuzz
