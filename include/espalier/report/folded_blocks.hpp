// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "calls.hpp"

/// Equal blocks of a net that follow each other: drawings have one of them, and their number.
namespace espalier::report::detail {

class folded_blocks {
 public:
  explicit folded_blocks(architecture const& a)
      : a_{a}, shown_(a.vertices.size()), hidden_(shown_.size()), last_(a.modules.size()), count_(a.modules.size(), 1) {
    for (std::size_t i = 0; i < shown_.size(); ++i) shown_[i] = i;
    for (int m = 0; m < static_cast<int>(last_.size()); ++m) last_[at(m)] = m;
    for (int m = 1; m < static_cast<int>(last_.size()); ++m)
      if (is_box(m) && count_[at(m)] != 0) fold(m);
  }
  bool is_hidden(std::size_t vertex) const { return hidden_[vertex]; }
  /// The vertex that is drawn for this one.
  std::size_t shown(std::size_t vertex) const { return shown_[vertex]; }
  /// How many blocks a box stands for; 0: it is not drawn.
  int count(int module) const { return count_[at(module)]; }
  int last(int module) const { return last_[at(module)]; }

  bool is_box(int module) const {
    module_row const& m = a_.modules[at(module)];
    return module != 0 && m.facts.has_modules && m.calls > 0;
  }
  /// The innermost box that has a module's own vertices.
  int box_of(int module) const {
    while (module != 0 && !is_box(module)) module = a_.modules[at(module)].parent;
    return module;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_within(int module, int box) const {
    while (module != box && module > 0) module = a_.modules[at(module)].parent;
    return module == box;
  }
  std::vector<std::size_t> vertices_of(int box) const {
    std::vector<std::size_t> r;
    for (std::size_t i = 1; i < a_.vertices.size(); ++i)
      if (is_within(a_.vertices[i].inside, box)) r.push_back(i);
    return r;
  }
  std::string type_of(std::size_t vertex) const {
    std::string const& label = a_.vertices[vertex].label;
    std::size_t const gap = label.find("  ");
    return gap == std::string::npos ? label : label.substr(gap);
  }
  std::vector<int> modules_of(int box) const {
    std::vector<int> r;
    for (int m = 0; m < static_cast<int>(a_.modules.size()); ++m)
      if (is_within(m, box)) r.push_back(m);
    return r;
  }
  /// Whether `next` has the modules and vertices of `box`, and reads only the last vertex of `previous`. Equal blocks
  /// have one operand.
  bool repeats(int box, int previous, int next) const {
    std::vector<int> const m = modules_of(box), n = modules_of(next);
    std::vector<std::size_t> const b = vertices_of(box), p = vertices_of(previous), v = vertices_of(next);
    if (m.size() != n.size() || b.size() != v.size() || b.empty()) return false;
    for (std::size_t i = 0; i < m.size(); ++i)
      if (a_.modules[at(m[i])].type != a_.modules[at(n[i])].type) return false;
    int entry = 0;  // what the first block reads
    for (std::size_t i = 0; i < b.size(); ++i) {
      vertex const &x = a_.vertices[b[i]], &y = a_.vertices[v[i]];
      if (x.kind != y.kind || type_of(b[i]) != type_of(v[i]) || x.shapes != y.shapes || x.from.size() != y.from.size())
        return false;
      for (std::size_t j = 0; j < x.from.size(); ++j) {
        std::size_t const from = at(x.from[j]);
        if (from >= b[0] && from <= b.back()) {
          if (from - b[0] != at(y.from[j]) - v[0]) return false;
        } else {
          if ((entry != 0 && entry != x.from[j]) || at(y.from[j]) != p.back()) return false;
          entry = x.from[j];
        }
      }
    }
    return true;
  }
  /// Hides the blocks beside `box` that repeat it.
  void fold(int box) {
    std::vector<std::size_t> const first = vertices_of(box);
    for (int next = box + 1; next < static_cast<int>(a_.modules.size()); ++next) {
      if (a_.modules[at(next)].parent != a_.modules[at(box)].parent) continue;
      if (!is_box(next) || !repeats(box, last_[at(box)], next)) return;
      std::vector<std::size_t> const again = vertices_of(next);
      for (std::size_t i = 0; i < again.size(); ++i) {
        shown_[again[i]] = first[i];
        hidden_[again[i]] = true;
      }
      for (int const m : modules_of(next)) count_[at(m)] = 0;
      last_[at(box)] = next;
      ++count_[at(box)];
    }
  }

  architecture const& a_;
  std::vector<std::size_t> shown_;
  std::vector<bool> hidden_;
  std::vector<int> last_, count_;
};

}  // namespace espalier::report::detail
#include "../base/diagnostics_pop.hpp"
