// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/scan.hpp"
#include "../operation/concatenate.hpp"
#include "../operation/permute.hpp"
#include "../operation/reshape.hpp"
#include "../operation/slice.hpp"
#include "../operation/stack.hpp"
#include "../operation/zeros.hpp"
#include "dropout.hpp"
#include "linear.hpp"

/// What recurrent cells and layers share. A cell defines
///   In, Hidden      features of the input and of the state
///   state_count     values of its state: 1 (h), or 2 (h and c)
///   projected(x)    what does not depend on the state, as one product for all rows of x: a tuple of one value per gate
///   step()          a function for scan: step(state, projected) returns std::tuple{next state, output}
/// Layers call projected before their loop, so a step of the loop has only the products of the state.
namespace espalier::nn {

/// Named relation: a cell gets one position of a sequence, of the shape (batch, features).
template <int Features, class S>
struct cell_input {
  ESPALIER_READS("expected (batch, {}), got {}")
  static constexpr bool agree = S::rank == 2 && S::value.at[S::rank - 1] == Features;
};
template <int Features>
struct cell_input<Features, shape<>> {
  ESPALIER_READS("expected (batch, {}), got {}")
  static constexpr bool agree = false;
};
/// Named relation: a recurrent layer gets sequences, of the shape (steps, batch, features) or, if it is batch_first,
/// (batch, steps, features).
template <int Features, class S>
struct sequence_input {
  ESPALIER_READS("expected three axes, the last with {} features, got {}")
  static constexpr bool agree = S::rank == 3 && S::value.at[2] == Features;
};
/// Named relation: an initial state has the shape of the states that a cell or layer returns.
template <class Expected, class Got>
struct state_shape {
  ESPALIER_READS("expected a state of shape {}, got {}")
  static constexpr bool agree = std::is_same_v<Expected, Got>;
};
/// Named relation: an initial state has as many values as the states that a cell or layer returns.
template <int Expected, int Got>
struct state_values {
  ESPALIER_READS("expected a state of {} values, got {}")
  static constexpr bool agree = Expected == Got;
};
/// Named relation: what a recurrent layer gets behind its sequences is a state, or one count for all samples.
template <class Expected, class Got>
struct state_or_count {
  ESPALIER_READS(
      "expected a state of shape {}, or a count () or (1) for all samples, got {}; lengths of samples are masks in a scan")
  static constexpr bool agree = false;
};

namespace detail {

/// sqrt(1 / Hidden), the bound of the initial values; 1 where Hidden is invalid, which the module reports.
template <int Hidden>
inline constexpr double recurrent_bound = 1 / math::sqrt(double{Hidden > 0 ? Hidden : 1});
template <int Hidden, int... Extents>
using recurrent_parameter =
    parameter<shape<Extents...>,
              init::initialized_by<init::uniform{-recurrent_bound<Hidden>, recurrent_bound<Hidden>}>>;
template <bool Exists, int Hidden, int Gates>
using recurrent_bias = std::conditional_t<Exists, recurrent_parameter<Hidden, Gates * Hidden>, absent>;

/// (gates, features) for a weight; a bias is a vector.
constexpr axis_order recurrent_order(extents const& shape) {
  return shape.rank == 2 ? axes_in_order(1, 0) : own_order(shape);
}

/// The columns of one gate.
template <int Hidden, int Gate>
constexpr auto gate_columns(auto const& x) {
  return slice<-1, Gate * Hidden, (Gate + 1) * Hidden>(x);
}
/// The columns of all gates, as a tuple.
template <int Hidden, int Gates>
constexpr auto split_gates(auto const& x) {
  return [&]<int... Gate>(std::integer_sequence<int, Gate...>) { return std::tuple{gate_columns<Hidden, Gate>(x)...}; }
  (std::make_integer_sequence<int, Gates>{});
}

/// In a batch of more than one, each gate is a product of its own: its columns would be copied out of the rows of all
/// gates. In a batch of one they are a run of the row, which is not copied, and all gates are one product.
template <class X>
constexpr bool has_one_row = shape_of<X>::value.at[shape_of<X>::rank - 2] == 1;
/// x weight + bias, which is one value in a batch of one, and else a tuple of gates.
template <int Hidden, int Gates>
constexpr auto projected_gates(auto const& x, auto const& weight, auto const&... bias) {
  if constexpr (has_one_row<decltype(x)>) {
    return (matmul(x, weight) + ... + bias);
  } else {
    return [&]<int... Gate>(std::integer_sequence<int, Gate...>) {
      auto const one = [&]<int G>(std::integral_constant<int, G>) {
        return (matmul(x, gate_columns<Hidden, G>(weight)) + ... + gate_columns<Hidden, G>(bias));
      };
      return std::tuple{one(std::integral_constant<int, Gate>{})...};
    }
    (std::make_integer_sequence<int, Gates>{});
  }
}
/// The gates of x + h weight, as a tuple. x: what projected_gates returned
template <int Hidden, int Gates>
constexpr auto sums_of_gates(auto const& x, auto const& h, auto const& weight) {
  if constexpr (has_one_row<decltype(h)>) {
    return split_gates<Hidden, Gates>(x + matmul(h, weight));
  } else {
    return [&]<int... Gate>(std::integer_sequence<int, Gate...>) {
      return std::tuple{(std::get<Gate>(x) + matmul(h, gate_columns<Hidden, Gate>(weight)))...};
    }
    (std::make_integer_sequence<int, Gates>{});
  }
}

/// The shape of one row of the state for a batch: what a layer's state has for each cell.
template <class State, class Shape>
struct state_fault;
template <int Expected, class State, class Shape>
constexpr auto fault_of_state() {
  constexpr int got = static_cast<int>(espalier::detail::leaf_count_of<State>);
  using Leaves = espalier::detail::leaves_of<State>;
  if constexpr (!state_values<Expected, got>::agree) return state_values<Expected, got>{};
  else return typename state_fault<Leaves, Shape>::type{};
}
template <class... X, class Shape>
struct state_fault<espalier::detail::member_types<X...>, Shape> {
  using type = typename espalier::detail::first_fault<state_shape<Shape, shape_of<X>>...>::type;
};

/// Whether an argument behind the sequences is a number of steps: one value without axes, or with one axis. A state has
/// three.
template <class X>
inline constexpr bool is_count = false;
template <class X>
  requires std::is_same_v<typename shape_if_value<X>::type, shape<>> ||
      std::is_same_v<typename shape_if_value<X>::type, shape<1>>
inline constexpr bool is_count<X> = true;
template <class X>
  requires espalier::detail::is_arithmetic<X>
inline constexpr bool is_count<X> = true;  // scan reports it

/// Whether it is one value with one axis.
template <class X>
inline constexpr bool is_vector = false;
template <class X>
  requires(!espalier::detail::Structure<X> && shape_if_value<X>::type::rank == 1)
inline constexpr bool is_vector<X> = true;

/// What a layer or cell of `Values` states returns for invalid operands.
template <int Values, class Invalid>
constexpr auto invalid_state(Invalid found) {
  if constexpr (Values == 1) return found;
  else return std::tuple{found, found};
}

/// Zeros as the initial state.
template <int Values, class S>
constexpr auto zero_state(auto const& x) {
  if constexpr (Values == 1) return zeros<S>(x);
  else return std::tuple{zeros<S>(x), zeros<S>(x)};
}

/// The next state of a cell for one position of a sequence.
template <class Cell>
constexpr auto next_state(Cell const& cell, auto const& x, auto const& state) {
  using X = std::remove_cvref_t<decltype(x)>;
  using State = std::remove_cvref_t<decltype(state)>;
  if constexpr (espalier::detail::HoldsInvalid<X> || espalier::detail::HoldsInvalid<State>) {
    return espalier::detail::first_invalid_of<X, State>{};
  } else if constexpr (!cell_input<Cell::input_features, shape_of<X>>::agree) {
    return invalid<cell_input<Cell::input_features, shape_of<X>>>{};
  } else {
    using S = shape<shape_of<X>::value.at[0], Cell::state_features>;
    using Fault = decltype(fault_of_state<Cell::state_count, State, S>());
    if constexpr (!Fault::agree) return invalid<Fault>{};
    else return std::get<0>(cell.step()(state, cell.projected(x)));
  }
}
template <class Cell>
constexpr auto first_state(Cell const& cell, auto const& x) {
  using X = std::remove_cvref_t<decltype(x)>;
  if constexpr (is_invalid<X>) {
    return x;
  } else if constexpr (!cell_input<Cell::input_features, shape_of<X>>::agree) {
    return invalid<cell_input<Cell::input_features, shape_of<X>>>{};
  } else {
    using S = shape<shape_of<X>::value.at[0], Cell::state_features>;
    return next_state(cell, x, zero_state<Cell::state_count, S>(x));
  }
}

/// The options that all recurrent layers have.
struct layer_options {
  int layers;
  bool bidirectional, batch_first;
  double dropout;
};
template <class Options>
constexpr layer_options layers_of(Options const& o) {
  return {o.layers, o.bidirectional, o.batch_first, o.dropout};
}
constexpr bool in_range(layer_options const& o) {
  return o.layers >= 1 && o.dropout >= 0 && o.dropout < 1 && (o.dropout == 0 || o.layers > 1);
}
#define ESPALIER_RECURRENT_RANGE \
  "in, hidden and layers must be at least 1, dropout in [0, 1); dropout is between layers, so it requires 2 of them"
#define ESPALIER_RECURRENT_NUMBERS(fits)                                            \
  ESPALIER_STATED(fits, ESPALIER_NAMED("in", In), ESPALIER_NAMED("hidden", Hidden), \
                  ESPALIER_NAMED("layers", Options.layers), ESPALIER_NAMED("dropout", Options.dropout))

/// The members of a recurrent layer are those of its cells, with PyTorch's names.
#define ESPALIER_RECURRENT_MODULE                                                                                      \
  using is_module = void;                                                                                              \
  using takes_single_value_first = void;                                                                               \
  template <class Self>                                                                                                \
  static auto member_types_of(Self&)->typename stack_type::member_list;                                                \
  template <class Self, class Visit>                                                                                   \
  static constexpr void visit_members(Self& self, Visit&& visit) {                                                     \
    stack_type::visit_members(self.cells, visit);                                                                      \
  }                                                                                                                    \
  template <class... X>                                                                                                \
  constexpr auto operator()(X&&... x) const {                                                                          \
    if constexpr ((::espalier::detail::marked_tensor<X> || ...))                                                       \
      return ::espalier::detail::apply_module_to_temporary(*this, static_cast<X&&>(x)...);                             \
    else return ::espalier::detail::apply_module(*this, x...);                                                         \
  }                                                                                                                    \
  template <std::size_t Inputs>                                                                                        \
  static constexpr auto results_of_invalid(auto found) {                                                               \
    if constexpr (Inputs == 3) return std::tuple{found, found, found};                                                 \
    else return std::tuple{found, detail::invalid_state<state_count>(found)};                                          \
  }                                                                                                                    \
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return detail::recurrent_order(shape); } \
  static constexpr keras_layer in_keras() requires(stack_type::cells == 1 &&                                           \
                                                   InKeras<typename stack_type::first_cell>) {                         \
    return stack_type::first_cell::in_keras().with_ending("_l0");                                                      \
  }

/// "weight_ih_l0", "weight_ih_l0_reverse": PyTorch's names.
struct layer_member_name {
  char text[40]{};
};
constexpr layer_member_name name_in_layer(char const* member, int layer, bool reverse) {
  layer_member_name r{};
  int n = 0;
  auto const add = [&](char const* part) {
    for (; *part != 0; ++part) r.text[n++] = *part;
  };
  add(member);
  add("_l");
  add(name_of_position(layer).text);
  if (reverse) add("_reverse");
  return r;
}

/// Layers of cells, each of which reads the outputs of the layer before it.
/// First   the cell of the first layer; Later: that of all others
template <class First, class Later, layer_options Options>
struct cell_stack {
  static constexpr int layers = Options.layers < 1 ? 1 : Options.layers;
  static constexpr int directions = Options.bidirectional ? 2 : 1;
  static constexpr int cells = layers * directions;
  static constexpr bool drops = in_range(Options) && Options.dropout > 0;
  using first_cell = First;
  std::array<First, static_cast<std::size_t>(directions)> first{};
  std::array<Later, static_cast<std::size_t>(cells - directions)> later{};
  std::array<Dropout<drops ? Options.dropout : 0.0>, static_cast<std::size_t>(drops ? layers - 1 : 0)> dropouts{};

  using member_list = types<First, Later, Dropout<drops ? Options.dropout : 0.0>>;
  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    auto const visit_cell = [&](auto& cell, int position) {
      std::remove_const_t<std::remove_reference_t<decltype(cell)>>::visit_members(
          cell, [&](char const* name, auto& member) {
            visit(name_in_layer(name, position / directions, position % directions == 1).text, member);
          });
    };
    int position = 0;
    for (auto& cell : self.first) visit_cell(cell, position++);
    for (auto& cell : self.later) visit_cell(cell, position++);
    position = 0;
    for (auto& dropout : self.dropouts) visit(name_in_layer("dropout", position++, false).text, dropout);
  }

  template <class S>
  static constexpr int batch = S::value.at[Options.batch_first ? 0 : 1];
  template <class S>
  using state_of = shape<cells, batch<S>, First::state_features>;

  /// std::tuple{outputs, last state} for an initial state. count: as scan takes it; all_steps: the layers run all steps
  template <class X, class State, class Count>
  constexpr auto run(X const& x, State const& state, Count const& count) const {
    if constexpr (espalier::detail::HoldsInvalid<X> || espalier::detail::HoldsInvalid<State> ||
                  espalier::detail::HoldsInvalid<Count>) {
      return espalier::detail::first_invalid_of<X, State, Count>{};
    } else if constexpr (!sequence_input<First::input_features, shape_of<X>>::agree) {
      return invalid<sequence_input<First::input_features, shape_of<X>>>{};
    } else {
      using Expected = state_of<shape_of<X>>;
      using Fault = decltype(fault_of_state<First::state_count, State, Expected>());
      if constexpr (is_vector<State>) return invalid<state_or_count<Expected, shape_of<State>>>{};
      else if constexpr (!Fault::agree) return invalid<Fault>{};
      else return layer<0>(time_first(x), state, count);
    }
  }
  /// For an initial state, or from zeros for a count.
  template <class X, class State>
  constexpr auto run(X const& x, State const& state) const {
    if constexpr (is_count<State>) return from_zeros(x, state);
    else return run(x, state, espalier::detail::all_steps{});
  }
  template <class X>
  constexpr auto run(X const& x) const {
    return from_zeros(x, espalier::detail::all_steps{});
  }

 private:
  template <class X, class Count>
  constexpr auto from_zeros(X const& x, Count const& count) const {
    if constexpr (is_invalid<X>) return x;
    else if constexpr (!sequence_input<First::input_features, shape_of<X>>::agree)
      return invalid<sequence_input<First::input_features, shape_of<X>>>{};
    else return run(x, zero_state<First::state_count, state_of<shape_of<X>>>(x), count);
  }
  /// Exchanges the axes of steps and samples if samples come first in the arguments and results of the layer.
  static constexpr auto time_first(auto const& x) {
    if constexpr (Options.batch_first) return permute<1, 0, 2>(x);
    else return x;
  }
  template <int Position>
  constexpr auto const& cell() const {
    if constexpr (Position < directions) return first[static_cast<std::size_t>(Position)];
    else return later[static_cast<std::size_t>(Position - directions)];
  }
  /// The state of one cell: (batch, hidden) of (cells, batch, hidden).
  template <int Position>
  static constexpr auto state_of_cell(auto const& state) {
    return espalier::detail::map_leaves(state, [](auto const& leaf) {
      using S = shape_of<decltype(leaf)>;
      return reshape<S::value.at[1], S::value.at[2]>(slice<0, Position, Position + 1>(leaf));
    });
  }
  template <int Position, direction Direction>
  constexpr auto scanned(auto const& x, auto const& state, auto const& count) const {
    auto const& c = cell<Position>();
    return espalier::detail::scan<Direction == direction::backwards>(c.step(), state_of_cell<Position>(state),
                                                                     c.projected(x), count);
  }
  template <int L>
  constexpr auto dropped(auto const& y) const {
    if constexpr (drops && L + 1 < layers) return dropouts[static_cast<std::size_t>(L)](y);
    else return y;
  }

  /// Layer L and all after it. last: the last states of the cells before it
  template <int L>
  constexpr auto layer(auto const& x, auto const& state, auto const& count, auto const&... last) const {
    if constexpr (is_invalid<std::remove_cvref_t<decltype(x)>>) {
      return x;
    } else if constexpr (L == layers) {
      return std::tuple{time_first(x), stacked(last...)};
    } else if constexpr (directions == 1) {
      auto const all = scanned<L, direction::forwards>(x, state, count);
      if constexpr (is_invalid<std::remove_cvref_t<decltype(all)>>) return all;
      else return layer<L + 1>(dropped<L>(std::get<1>(all)), state, count, last..., std::get<0>(all));
    } else {
      auto const all = scanned<2 * L, direction::forwards>(x, state, count);
      auto const back = scanned<2 * L + 1, direction::backwards>(x, state, count);
      if constexpr (is_invalid<std::remove_cvref_t<decltype(all)>>) return all;
      else
        return layer<L + 1>(dropped<L>(concatenate<-1>(std::get<1>(all), std::get<1>(back))), state, count, last...,
                            std::get<0>(all), std::get<0>(back));
    }
  }
  /// (cells, batch, hidden) of the states of all cells.
  template <class State>
  static constexpr auto stacked(State const& state, auto const&... last) {
    if constexpr (espalier::detail::Structure<State>)
      return std::tuple{stacked(std::get<0>(state), std::get<0>(last)...),
                        stacked(std::get<1>(state), std::get<1>(last)...)};
    else return stack<0>(state, last...);
  }
};

}  // namespace detail
}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
