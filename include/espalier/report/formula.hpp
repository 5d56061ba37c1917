// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "programs.hpp"

/// The computation of a kernel, as lines of formulas in the names of its ops.
namespace espalier::report {

/// prefix: add(x, multiply(y, 2)), each op by its name. infix: x + y * 2; matrix products are a @ b.
enum class notation : std::uint8_t { prefix, infix };

namespace detail {

/// The sign of an op that is written between its operands.
struct infix_sign {
  char const *op, *sign;
  int precedence;
};
inline constexpr int function_precedence = 3;
inline constexpr infix_sign infix_signs[] = {
    {"add", " + ", 1}, {"subtract", " - ", 1}, {"multiply", " * ", 2}, {"divide", " / ", 2}, {"matmul", " @ ", 2}};

class formulas {
 public:
  formulas(titled const& t, int kernel, notation form)
      : t_{t},
        v_{*t.plan},
        k_{v_.kernels[kernel]},
        uses_(static_cast<std::size_t>(k_.instructions)),
        stored_(uses_.size()),
        text_(uses_.size()),
        precedence_(uses_.size(), function_precedence),
        form_{form} {
    for (int i = 0; i < k_.outputs; ++i)
      stored_[static_cast<std::size_t>(v_.nodes[v_.outputs[k_.first_output + i]].instruction)] =
          v_.outputs[k_.first_output + i];
    for (int i = 0; i < k_.instructions; ++i)
      for (int j = 0; j < arity(i); ++j)
        if (int const x = instruction(i).operand[j]; x >= 0) ++uses_[static_cast<std::size_t>(x)];
  }
  /// One line for each value that the kernel writes, or that it uses more than once.
  std::vector<std::string> lines() {
    std::vector<std::string> r;
    for (int i = 0; i < k_.instructions; ++i) {
      std::size_t const s = static_cast<std::size_t>(i);
      made_ = function_precedence;
      std::string const formula = formula_of(i);
      precedence_[s] = made_;
      if (stored_[s] == 0 && uses_[s] < 2) {
        text_[s] = formula;
      } else {
        text_[s] = stored_[s] != 0 ? "v" + std::to_string(stored_[s]) : "t" + std::to_string(++temporaries_);
        precedence_[s] = function_precedence;
        r.push_back(text_[s] + " = " + formula);
      }
    }
    return r;
  }

 private:
  plan::ir_instruction const& instruction(int i) const { return v_.instructions[k_.first_instruction + i]; }
  /// Whether instruction i is the op of an unfused kernel; fused instructions may follow it.
  bool is_unfused(int i) const { return i == 0 && k_.kind != plan::kernel_kind::fused; }
  int arity(int i) const {
    if (!is_unfused(i)) return espalier::detail::is_null(instruction(i).op) ? 1 : instruction(i).op->arity;
    return v_.nodes[k_.first].op->arity < 3 ? v_.nodes[k_.first].op->arity : 3;
  }
  std::string operand(int x) const {
    if (x >= 0) return text_[static_cast<std::size_t>(x)];
    plan::ir_operand const& l = v_.operands[k_.first_operand - 1 - x];
    if (l.kind == plan::operand_kind::constant) return number_text(graph::constant_in(l.bits));
    if (l.kind == plan::operand_kind::column_index) return "column_index";
    return name_of(t_, l.node);
  }
  std::string operands(int i) const {
    std::string text;
    for (int j = 0; j < arity(i); ++j) text += (j == 0 ? "" : ", ") + operand(instruction(i).operand[j]);
    return "(" + text + ")";
  }
  std::string formula_of(int i) {
    plan::ir_instruction const& s = instruction(i);
    if (is_unfused(i)) return formula_of_unfused();
    if (espalier::detail::is_null(s.op)) {
      made_ = precedence_of(s.operand[0]);
      return operand(s.operand[0]);
    }
    std::string const along = s.op->family != graph::op_family::reduction ? ""
                              : s.extent == plan::extent_class::row       ? "[row]"
                              : s.extent == plan::extent_class::column    ? "[column]"
                                                                          : "[all]";
    if (arity(i) == 2)
      return pair(s.op->name, operand(s.operand[0]), operand(s.operand[1]), s.operand[0], s.operand[1]);
    return s.op->name + along + operands(i);
  }
  int precedence_of(int x) const { return x >= 0 ? precedence_[static_cast<std::size_t>(x)] : function_precedence; }
  /// An op of two operands. Operands that bind less are in brackets; the right one also if it binds as much.
  std::string pair(char const* op, std::string a, std::string b, int left, int right) {
    for (infix_sign const& s : infix_signs) {
      if (form_ != notation::infix || std::string_view{op} != s.op) continue;
      if (precedence_of(left) < s.precedence) a = '(' + a + ')';
      if (precedence_of(right) <= s.precedence) b = '(' + b + ')';
      made_ = s.precedence;
      return a + s.sign + b;
    }
    return op + ('(' + a + ", " + b + ')');
  }
  std::string formula_of_unfused() {
    node_row const& n = v_.nodes[k_.first];
    plan::ir_instruction const& s = instruction(0);
    switch (n.op->family) {
      case graph::op_family::contraction: {
        std::string a = operand(s.operand[0]), b = operand(s.operand[1]);
        if (k_.windowed) a = "windows(" + a + ")";
        if (transposes_of(n).a) a = "transpose(" + a + ")";
        if (transposes_of(n).b) b = "transpose(" + b + ")";
        return pair(n.op->name, a, b, s.operand[0], s.operand[1]);
      }
      case graph::op_family::permute: {
        std::string axes;
        for (int i = 0; i < n.shape.rank; ++i)
          axes += (i == 0 ? "" : ", ") + std::to_string(axis_behind(permutation_of(n), i));
        return n.op->name + ("[" + axes + "]") + operands(0);
      }
      case graph::op_family::concatenate:
      case graph::op_family::index_gather:
      case graph::op_family::index_scatter_add:
      case graph::op_family::index_copy:
        return n.op->name + ("[" + std::to_string(axis_of(n)) + "]") + operands(0);
      case graph::op_family::random:
        return n.op->name + ("[" + std::to_string(stream_of(n)) + "]");
      case graph::op_family::reduction:
        if (k_.kind == plan::kernel_kind::window_sum)
          return n.op->name + ("(windows(" + operand(s.operand[0]) + ") * " + operand(s.operand[1]) + ")");
        return n.op->name + (k_.windowed ? "(windows" + operands(0) + ")" : "[middle]" + operands(0));
      default:
        return n.op->name + operands(0);
    }
  }

  titled const& t_;
  view const& v_;
  kernel_row const& k_;
  /// by instruction; stored_: the node whose value the kernel writes
  std::vector<int> uses_, stored_;
  std::vector<std::string> text_;
  std::vector<int> precedence_;  ///< by instruction, of its text
  notation form_;
  int made_ = function_precedence;  ///< that of the formula being written
  int temporaries_ = 0;
};

}  // namespace detail

/// A kernel's formulas, one line for each value that it writes or uses more than once.
inline std::vector<std::string> formulas_of(titled const& t, int kernel, notation form = notation::prefix) {
  return detail::formulas{t, kernel, form}.lines();
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
