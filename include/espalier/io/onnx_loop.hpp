// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_recurrent.hpp"

namespace espalier::io::onnx {

/// Writes a loop as a Scan: its states, then its sequences, are the inputs, and the body is a graph of its own.
class loop_writer {
 public:
  loop_writer(exporter& e, int loop, loop_parts parts)
      : e_{e},
        loop_{loop},
        number_{graph::loop_of(e[loop]).number},
        states_{std::move(parts.states)},
        slices_{std::move(parts.slices)},
        stacks_{std::move(parts.stacks)},
        finals_{std::move(parts.finals)} {
    body_ = body_of(number_);
  }

  void write() {
    prepare_operands();
    operation scan{"Scan", {}, {}, {}, {}, std::make_shared<subgraph>()};
    scan.body->name = e_.to.unused("loop");
    graph::loop_node const l = graph::loop_of(e_[loop_]);
    std::vector<view> first, sequence;
    for (auto const& s : states_) first.push_back(begin_state(e_, e_[s.state].operand[0], e_.shape(s.state)));
    for (int const slice : slices_) {
      int const xs = e_[slice].operand[0];
      sequence.push_back(e_.to.whole(e_.value(xs), e_.shape(xs)));
      if (sequence.back().samples_at == 0) e_.to.throw_open_batch("a loop runs over the samples");
    }
    for (view const& v : first) scan.inputs.push_back(v.name);
    for (view const& v : sequence) scan.inputs.push_back(v.name);
    std::vector<view> made;
    scan.body->operations = e_.graph_of([&] { made = write_body(*scan.body, first, sequence); });
    std::size_t inputs = sequence.size();
    if (inputs == 0) {  // a Scan has a sequence, if only to count the steps
      scan.inputs.push_back(e_.to.constant({"steps", extents{1, {l.steps}}, std::vector<double>(steps_of(l))}));
      scan.body->inputs.push_back({e_.to.unused("step"), e_.to.real(), {}});
      inputs = 1;
    }
    add_attributes(scan, l.backwards, inputs);
    set_results(scan, made);
    e_.to.file.operations.push_back(std::move(scan));
  }

 private:
  static std::size_t at(int id) { return static_cast<std::size_t>(id); }
  static std::size_t steps_of(graph::loop_node const& l) { return static_cast<std::size_t>(l.steps); }

  /// The nodes that depend on the slices and states of a loop.
  std::vector<bool> body_of(int number) const {
    std::vector<bool> r(at(e_.size()) + 1);
    for (int id = 1; id <= e_.size(); ++id) {
      graph::node const& n = e_[id];
      op_family const f = n.op->family;
      if (graph::is_of_loop(f) && graph::loop_of(n).number == number) {
        r[at(id)] = f == op_family::loop_slice || f == op_family::loop_state;
        continue;
      }
      operand_range const read = read_operands(n);
      for (int k = read.first; k < read.last; ++k)
        if (n.operand[k] != 0 && r[at(n.operand[k])]) r[at(id)] = true;
    }
    return r;
  }

  /// Writes what the body reads from outside, so that it is not computed in each step. Values of loops inside the body
  /// are not there yet.
  void prepare_operands() {
    std::map<int, std::vector<bool>> inside;
    for (int id = 1; id <= e_.size(); ++id)
      if (body_[at(id)] && graph::is_loop_result(e_[id].op->family))
        if (auto& body = inside[graph::loop_of(e_[id]).number]; body.empty())
          body = body_of(graph::loop_of(e_[id]).number);
    auto const outside = [&](int id) {
      for (auto const& [number, body] : inside)
        if (body[at(id)]) return false;
      return !body_[at(id)];
    };
    for (int id = 1; id <= e_.size(); ++id) {
      if (!body_[at(id)]) continue;
      operand_range const read = read_operands(e_[id]);
      for (int k = read.first; k < read.last; ++k)
        if (int const x = e_[id].operand[k]; x != 0 && outside(x)) prepare(x);
    }
  }
  void prepare(int id) {
    switch (e_[id].op->family) {
      case op_family::reshape:
      case op_family::broadcast:
      case op_family::permute:
      case op_family::move:
        return prepare(e_[id].operand[0]);
      case op_family::loop_slice:
      case op_family::loop_state:
      case op_family::loop_carry:
        return;
      default: {
        view v = e_.value(id);
        e_.set(id, std::move(v));  // outside of the graph that could give it a bias
      }
    }
  }

  /// The states after the step, then what the stacks collect, as outputs of the body.
  std::vector<view> write_body(subgraph& body, std::vector<view> const& first, std::vector<view> const& sequence) {
    builder& to = e_.to;
    auto const add_input = [&](int id, view like, char const* base) {
      like.name = to.unused(base);
      like.stored = e_.shape(id);
      body.inputs.push_back({like.name, to.real(), builder::stated(like.stored, like)});
      e_.set(id, like);
    };
    for (std::size_t i = 0; i < states_.size(); ++i) add_input(states_[i].state, first[i], "state");
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      view like = sequence[i];
      if (like.samples_at >= 0) --like.samples_at;
      add_input(slices_[i], like, "slice");
    }
    std::vector<view> made;
    auto const add_output = [&](int id, char const* base) {
      view y = to.whole(e_.value(id), e_.shape(id));
      std::string const name = to.unused(base);
      to.file.operations.push_back(operation{"Identity", {y.name}, name, {}});
      body.outputs.push_back({name, to.real(), builder::stated(e_.shape(id), y)});
      made.push_back(std::move(y));
    };
    for (std::size_t i = 0; i < states_.size(); ++i) {
      add_output(states_[i].next, "next");
      if (made.back().samples_at != first[i].samples_at)
        to.throw_open_batch("a state of a loop depends on the samples, but not in the first step");
    }
    for (int const stack : stacks_) add_output(e_[stack].operand[1], "value");
    return made;
  }

  static void add_attributes(operation& scan, bool backwards, std::size_t inputs) {
    scan.attributes.push_back(with("num_scan_inputs", static_cast<std::int64_t>(inputs)));
    if (!backwards) return;
    scan.attributes.push_back(with("scan_input_directions", integers(inputs, 1)));
    std::size_t const outputs = scan.body->outputs.size() - (scan.inputs.size() - inputs);
    if (outputs > 0) scan.attributes.push_back(with("scan_output_directions", integers(outputs, 1)));
  }

  void set_results(operation& scan, std::vector<view> const& made) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < made.size(); ++i) names.push_back(e_.to.unused(i < states_.size() ? "last" : "values"));
    scan.result = names[0];
    scan.more_results.assign(names.begin() + 1, names.end());
    for (int const id : finals_)
      for (std::size_t i = 0; i < states_.size(); ++i)
        if (states_[i].state == e_[id].operand[1]) e_.set(id, builder::plain(names[i], e_.shape(id), made[i]));
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
      view like = made[states_.size() + i];
      if (like.samples_at >= 0) ++like.samples_at;
      e_.set(stacks_[i], builder::plain(names[states_.size() + i], e_.shape(stacks_[i]), like));
    }
  }

  exporter& e_;
  int loop_, number_;
  std::vector<loop_parts::state> states_;
  std::vector<int> slices_, stacks_, finals_;
  std::vector<bool> body_{};
};

/// Writes the loop of a result, with all other results.
inline view write_loop(exporter& e, int result) {
  int const loop = e[result].operand[0];
  if (e[loop].operand[3] != 0) e.to.throw_unsupported_op("a loop whose number of steps is an argument");
  loop_parts const parts = parts_of_loop(e, loop);
  if (!recurrent_writer{e, loop, parts}.write()) loop_writer{e, loop, parts}.write();
  return e.value(result);
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
