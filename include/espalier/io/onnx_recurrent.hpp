// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_program.hpp"

/// Exports a loop whose step is that of an LSTM, a GRU or an RNN as the operation of that name. Runtimes have kernels
/// for these operations, and run the body of a Scan one operation at a time.
/// source  github.com/onnx/onnx, docs/Operators.md: LSTM, GRU, RNN
namespace espalier::io::onnx {

/// A gate before its function: x W + h R and biases. A weight is a product of the program, and its columns from
/// `column` on.
struct gate_sum {
  struct weight {
    int product, column;
  };
  int x = 0;                                     ///< the sequence, of all steps
  weight input{}, state{};                       ///< W and R
  int reset = 0;                                 ///< the argument of r, if the gate reads r h or r (h R) in place of h
  bool reset_after = false;                      ///< the gate reads r (h R)
  std::vector<double> input_bias, state_bias{};  ///< empty: none
  std::string bias_name{};
};

/// Finds an LSTM, a GRU or an RNN in the step of a loop. It reads formulas, not modules: all that computes the same
/// function by the same ops is found.
class recurrent_step {
 public:
  recurrent_step(exporter& e, int loop, loop_parts const& parts) : e_{e}, loop_{graph::loop_of(e[loop])} {
    if (parts.states.empty() || parts.states.size() > 2) return;
    for (auto const& s : parts.states)
      if (e.shape(s.state).rank != 2 || e.shape(s.state) != e.shape(parts.states[0].state)) return;
    shape_ = e.shape(parts.states[0].state);
    bool found = false;
    if (parts.states.size() == 1) found = reads_one_state(parts.states[0]);
    for (std::size_t i = 0; i < 2 && !found && parts.states.size() == 2; ++i)
      found = reads_lstm(parts.states[i], parts.states[1 - i]);
    if (!found) type = "";
  }

  char const* type = "";          ///< of the operation; empty if the step is none of them
  bool is_relu = false;           ///< the function of an RNN
  std::vector<gate_sum> gates{};  ///< in ONNX's order: i, o, f, c; z, r, h
  loop_parts::state h{}, c{};     ///< the states; c of an LSTM
  [[nodiscard]] int hidden() const { return shape_.at[1]; }
  [[nodiscard]] int features() const { return last(e_[gates[0].input.product].operand[0]); }
  /// (steps, samples, features) of the sequence
  [[nodiscard]] extents sequence() const { return {3, {loop_.steps, shape_.at[0], features()}}; }
  /// The node without reshapes and copies that keep its rows.
  [[nodiscard]] int behind(int id) const {
    for (;;) {
      graph::node const& n = e_[id];
      bool const copies = n.op->family == op_family::alias && read_operands(n).first == 0;
      bool const reshapes = n.op->family == op_family::reshape;
      int const x = n.operand[0];
      if (x == 0 || !(copies || reshapes) || e_.shape(x).rank == 0 || last(x) != last(id)) return id;
      id = x;
    }
  }
  /// Whether a node is numbers of the file, or an order or part of them.
  [[nodiscard]] bool is_constant(int id) const {
    switch (e_[id].op->family) {
      case op_family::parameter:
      case op_family::buffer:
      case op_family::constant:
      case op_family::values:
        return true;
      case op_family::reshape:
      case op_family::permute:
      case op_family::move:
        return is_constant(e_[id].operand[0]);
      default:
        return false;
    }
  }
  [[nodiscard]] tensor numbers_of(int id) const {
    return builder::broadcast_constant(*e_.value(id).held, e_.shape(id));
  }

 private:
  [[nodiscard]] int last(int id) const { return e_.shape(id).at[e_.shape(id).rank - 1]; }
  [[nodiscard]] std::int64_t rows(int id) const { return e_.shape(id).size() / last(id); }

  /// Calls f for the two operands of an op, and in the other order if it returns false.
  template <class F>
  bool either(int id, graph::descriptor const& op, F const& f) const {
    graph::node const& n = e_[behind(id)];
    int const a = n.operand[0], b = n.operand[1];
    return espalier::detail::same_address(n.op, &op) && e_.shape(a) == n.shape && e_.shape(b) == n.shape &&
           (f(a, b) || f(b, a));
  }
  /// The argument of a function, or 0 if the node is no such function.
  [[nodiscard]] int argument(int id, graph::descriptor const& op) const {
    graph::node const& n = e_[behind(id)];
    return espalier::detail::same_address(n.op, &op) ? n.operand[0] : 0;
  }
  [[nodiscard]] int of_sigmoid(int id) const { return argument(id, described<sigmoid_>); }
  [[nodiscard]] int of_tanh(int id) const { return argument(id, described<tanh_>); }

  /// i, o, f, g of h' = o tanh(c'), c' = f c + i g.
  bool reads_lstm(loop_parts::state const& state_h, loop_parts::state const& state_c) {
    h = state_h;
    c = state_c;
    gates.clear();
    int i = 0, o = 0, f = 0, g = 0;
    bool const has_h = either(h.next, described<multiply_>, [&](int gate, int value) {
      int const x = of_tanh(value);
      return (o = of_sigmoid(gate)) != 0 && x != 0 && behind(x) == behind(c.next);
    });
    auto const keeps = [&](int gate, int value) { return (f = of_sigmoid(gate)) != 0 && behind(value) == c.state; };
    auto const adds = [&](int gate, int value) { return (i = of_sigmoid(gate)) != 0 && (g = of_tanh(value)) != 0; };
    bool const has_c = has_h && either(c.next, described<add_>, [&](int kept, int added) {
                         return either(kept, described<multiply_>, keeps) && either(added, described<multiply_>, adds);
                       });
    type = "LSTM";
    return has_c && reads_sums({i, o, f, g}) && all_read_h();
  }

  bool reads_one_state(loop_parts::state const& state) {
    h = state;
    if (reads_gru()) return true;
    gates.clear();
    type = "RNN";
    int const x = of_tanh(h.next), y = argument(h.next, described<relu_>);
    is_relu = x == 0;
    return (x != 0 || y != 0) && reads_sums({x != 0 ? x : y}) && all_read_h();
  }
  /// z, r, n of h' = (1 - z) n + z h.
  bool reads_gru() {
    int z = 0, gate_z = 0, n = 0;
    bool const has_z = either(h.next, described<add_>, [&](int kept, int added) {
      auto const keeps = [&](int gate, int value) {
        gate_z = behind(gate);
        return (z = of_sigmoid(gate)) != 0 && behind(value) == h.state;
      };
      auto const adds = [&](int rest, int value) {
        graph::node const& one_minus = e_[behind(rest)];
        return espalier::detail::same_address(one_minus.op, &described<subtract_>) && is_one(one_minus.operand[0]) &&
               behind(one_minus.operand[1]) == gate_z && (n = of_tanh(value)) != 0;
      };
      return either(kept, described<multiply_>, keeps) && either(added, described<multiply_>, adds);
    });
    type = "GRU";
    gate_sum candidate{};
    if (!has_z || !reads_sum(n, candidate) || candidate.reset == 0) return false;
    if (!reads_sums({z, candidate.reset}) || !all_read_h()) return false;
    if (candidate.x != gates[0].x) return false;
    gates.push_back(std::move(candidate));
    return true;
  }
  [[nodiscard]] bool is_one(int id) const {
    while (e_[id].op->family == op_family::broadcast || e_[id].op->family == op_family::reshape) id = e_[id].operand[0];
    return e_[id].op->family == op_family::constant && constant_of(e_[id]) == 1;
  }
  [[nodiscard]] bool all_read_h() const {
    for (gate_sum const& g : gates)
      if (g.reset != 0) return false;
    return true;
  }

  /// Reads gates of one sequence.
  bool reads_sums(std::vector<int> const& ids) {
    for (int const id : ids) {
      gate_sum s{};
      if (!reads_sum(id, s)) return false;
      gates.push_back(std::move(s));
      if (gates.back().x != gates.front().x) return false;
    }
    return true;
  }
  bool reads_sum(int id, gate_sum& s) const {
    return e_.shape(id) == shape_ && adds(id, 0, place::step, s) && s.x != 0 && s.state.product != 0;
  }
  /// Where a summand is: in the step, outside of the loop, or in the product with r.
  enum class place : std::uint8_t { step, outside, product };

  /// Adds the columns of a node from `column` on to the sum; false if they are something else than a gate's.
  bool adds(int id, int column, place at, gate_sum& s) const {
    graph::node const& n = e_[id = behind(id)];
    if (is_constant(id)) return adds_bias(id, column, at, s);
    int const x = n.operand[0];
    switch (n.op->family) {
      case op_family::broadcast:
        return e_.shape(x).rank > 0 && last(x) == last(id) && adds(x, column, at, s);
      case op_family::move: {
        int const first = first_column(id);
        return first >= 0 && adds(x, column + first, at, s);
      }
      case op_family::loop_slice:
        return at == place::step && graph::loop_of(n).number == loop_.number && adds(x, column, place::outside, s);
      case op_family::contraction:
        return adds_product(id, column, at, s);
      case op_family::elementwise:
        if (either(id, described<add_>, [&](int, int) { return true; }))
          return adds(x, column, at, s) && adds(n.operand[1], column, at, s);
        return at == place::step && n.shape == shape_ && s.reset == 0 && adds_reset(id, s);
      default:
        return false;
    }
  }
  /// The first column of a move that takes columns, or -1.
  [[nodiscard]] int first_column(int id) const {
    index_map const& m = e_.map_of(id);
    extents const &from = e_.shape(e_[id].operand[0]), &to = e_.shape(id);
    if (from.rank != to.rank || m.rank != from.rank) return -1;
    int const axis = from.rank - 1;
    for (int i = 0; i <= axis; ++i) {
      if (m.source[i] != i || m.step[i] != 1 || m.divisor[i] != 1) return -1;
      if (i != axis && (m.start[i] != 0 || to.at[i] != from.at[i])) return -1;
    }
    return m.start[axis] + to.at[axis] <= from.at[axis] ? m.start[axis] : -1;
  }
  /// The same numbers in all rows. The first bias is that of the input.
  bool adds_bias(int id, int column, place at, gate_sum& s) const {
    bool const is_number = e_[id].op->family == op_family::constant;
    if (e_.shape(id).rank == 0 || (!is_number && rows(id) != 1)) return false;
    tensor const t = numbers_of(id);
    bool const of_state = at == place::product || (!s.input_bias.empty() && s.reset == 0);
    std::vector<double>& bias = of_state ? s.state_bias : s.input_bias;
    bias.resize(static_cast<std::size_t>(hidden()));
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += t.numbers[static_cast<std::size_t>(column) + i];
    if (s.bias_name.empty()) s.bias_name = t.name;
    return true;
  }
  bool adds_product(int id, int column, place at, gate_sum& s) const {
    graph::node const& n = e_[id];
    int const weight = n.operand[1], a = behind(n.operand[0]);
    if (graph::transposes_of(n).a || n.shape.rank != 2 || e_.shape(weight).rank != 2 || !is_constant(weight))
      return false;
    if (at == place::outside) {
      if (s.x != 0 || rows(id) != std::int64_t{loop_.steps} * shape_.at[0]) return false;
      s.x = a;
      s.input = {id, column};
      return true;
    }
    if (s.state.product != 0 || rows(id) != shape_.at[0]) return false;
    s.state = {id, column};
    if (a == h.state) return true;
    return at == place::step && s.reset == 0 && either(a, described<multiply_>, [&](int gate, int value) {
             return behind(value) == h.state && (s.reset = of_sigmoid(gate)) != 0;
           });
  }
  /// r (h R + bias)
  bool adds_reset(int id, gate_sum& s) const {
    int product = 0;
    bool const found = either(id, described<multiply_>, [&](int gate, int value) {
      product = value;
      return (s.reset = of_sigmoid(gate)) != 0;
    });
    s.reset_after = true;
    // The biases up to here are outside of the product.
    for (std::size_t i = 0; i < s.state_bias.size(); ++i) s.input_bias[i] += s.state_bias[i];
    s.state_bias.clear();
    return found && s.state.product == 0 && adds(product, 0, place::product, s);
  }

  exporter& e_;
  graph::loop_node loop_;
  extents shape_{};  ///< of a state: (samples, hidden)
};

/// Writes the operation of a step that was found.
class recurrent_writer {
 public:
  recurrent_writer(exporter& e, int loop, loop_parts const& parts)
      : e_{e}, parts_{parts}, loop_{graph::loop_of(e[loop])}, step_{e, loop, parts} {}

  /// False if the loop is none that ONNX has an operation for; then nothing is written.
  bool write() {
    // ONNX defines these operations for double, too, but onnxruntime runs them in float only.
    if (*step_.type == 0 || e_.to.real() != element::float32) return false;
    for (int const stack : parts_.stacks)
      if (int const y = e_[stack].operand[1];
          step_.behind(y) != step_.behind(step_.h.next) || e_.shape(y) != e_.shape(step_.h.state))
        return false;
    view x{};
    if (!finds_sequence(x)) return false;
    std::vector<std::string> inputs{x.name, {}, {}, {}, {}, {}, {}};
    if (!finds_initial(step_.h, inputs[5]) || (step_.c.state != 0 && !finds_initial(step_.c, inputs[6]))) return false;
    inputs[1] = weights(&gate_sum::input, step_.features());
    inputs[2] = weights(&gate_sum::state, step_.hidden());
    inputs[3] = biases();
    while (inputs.back().empty()) inputs.pop_back();
    set_results(operation{step_.type, std::move(inputs), {}, attributes()});
    return true;
  }

 private:
  /// x as (steps, samples, features). An open number of samples must be that of its second axis.
  bool finds_sequence(view& x) {
    int const id = step_.gates[0].x;
    extents const s = step_.sequence();
    bool const open = e_.to.open_samples();
    if (open && e_.shape(id) != s) return false;
    x = e_.to.reshaped_now(e_.to.whole(e_.value(id), e_.shape(id)), s);
    return !open || (x.samples_at == 1 && x.samples_times == 1);
  }
  /// The input for the state before the first step; zeros need none.
  bool finds_initial(loop_parts::state const& s, std::string& name) {
    int const initial = e_[s.state].operand[0];
    if (step_.is_constant(initial)) {
      bool zeros = true;
      for (double const number : step_.numbers_of(initial).numbers) zeros = zeros && number == 0;
      if (zeros) return true;
    }
    view const v = begin_state(e_, initial, e_.shape(s.state));
    if (e_.to.open_samples() && v.samples_at != 0) return false;
    name = e_.to.emit("Unsqueeze", {v.name, e_.to.list({0})});
    return true;
  }

  /// (1, gates hidden, features): rows of the columns of the program's weights.
  std::string weights(gate_sum::weight gate_sum::*of, int features) {
    int const hidden = step_.hidden();
    tensor all{{}, {3, {1, static_cast<int>(step_.gates.size()) * hidden, features}}, {}};
    for (gate_sum const& gate : step_.gates) {
      auto const [product, column] = gate.*of;
      int const id = e_[product].operand[1];
      tensor const t = step_.numbers_of(id);
      bool const transposed = graph::transposes_of(e_[product]).b;
      int const columns = e_.shape(product).at[1];
      if (all.name.empty()) all.name = t.name;
      for (int k = column; k < column + hidden; ++k)
        for (int i = 0; i < features; ++i)
          all.numbers.push_back(t.numbers[static_cast<std::size_t>(transposed ? k * features + i : i * columns + k)]);
    }
    return e_.to.constant(all);
  }
  /// (1, 2 gates hidden): those of the input, then those of the state.
  std::string biases() {
    auto const hidden = static_cast<std::size_t>(step_.hidden());
    tensor all{{}, {2, {1, 2 * static_cast<int>(step_.gates.size()) * step_.hidden()}}, {}};
    bool any = false;
    for (auto const of : {&gate_sum::input_bias, &gate_sum::state_bias})
      for (gate_sum const& gate : step_.gates) {
        std::vector<double> const& bias = gate.*of;
        any = any || !bias.empty();
        if (all.name.empty()) all.name = gate.bias_name;
        for (std::size_t i = 0; i < hidden; ++i) all.numbers.push_back(bias.empty() ? 0 : bias[i]);
      }
    return any ? e_.to.constant(all) : std::string{};
  }
  [[nodiscard]] std::vector<attribute> attributes() const {
    std::vector<attribute> r{with("hidden_size", step_.hidden())};
    if (loop_.backwards) r.push_back(with_word("direction", "reverse"));
    if (step_.gates.back().reset_after) r.push_back(with("linear_before_reset", 1));
    if (step_.is_relu) r.push_back(with_list_of("activations", "Relu"));
    return r;
  }

  /// The results have an axis of directions, which is 1.
  void set_results(operation o) {
    char const* const base = step_.c.state != 0 ? "lstm" : step_.gates.size() == 3 ? "gru" : "rnn";
    std::string const last = std::string{base} + "_last_";
    bool last_h = false, last_c = false;
    for (int const id : parts_.finals) (e_[id].operand[1] == step_.h.state ? last_h : last_c) = true;
    o.result = e_.to.unused(base);
    if (last_h || last_c) o.more_results.push_back(e_.to.unused(last + "h"));
    if (last_c) o.more_results.push_back(e_.to.unused(last + "c"));
    e_.to.file.operations.push_back(o);
    auto const set = [&](int id, std::string const& name, int samples_at) {
      view like{};
      if (e_.to.open_samples()) like.samples_at = samples_at, like.samples_times = 1;
      e_.set(id, builder::plain(e_.to.emit("Squeeze", {name, e_.to.list({samples_at})}), e_.shape(id), like));
    };
    for (int const id : parts_.stacks) set(id, o.result, 1);
    for (int const id : parts_.finals) set(id, o.more_results[e_[id].operand[1] == step_.h.state ? 0 : 1], 0);
  }

  exporter& e_;
  loop_parts const& parts_;
  graph::loop_node loop_;
  recurrent_step step_;
};

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
