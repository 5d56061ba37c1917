// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <vector>

#include <espalier/io/foreign_layout.hpp>

#include "module.hpp"
#include "torch_module.hpp"

// Recurrent cells, layers and nets of them. Parameters have PyTorch's names and the layout (in, out); a case has those
// of its attribute `weights`: torch ((out, in)) or needle ((in, out), other names).
namespace conformance {

template <class Case, text Name>
inline constexpr bool has_attribute = !std::is_same_v<attribute_of<Case, Name>, nothing>;
template <class Case, text Name, text Value>
inline constexpr bool attribute_is = std::is_same_v<attribute_of<Case, Name>, word<Value>>;
template <class Case>
inline constexpr bool in_needle_layout = attribute_is<Case, "weights", "needle">;

/// Sizes and options of a case.
template <class Case>
struct recurrent_options {
  static constexpr int in = attribute_or<Case, "input_size", int>(1),
                       hidden = attribute_or<Case, "hidden_size", int>(1);
  static constexpr int layers = attribute_or<Case, "num_layers", int>(1);
  static constexpr bool bias = attribute_or<Case, "bias", bool>(true);
  static constexpr bool batch_first = attribute_or<Case, "batch_first", bool>(false);
  static constexpr bool bidirectional = attribute_or<Case, "bidirectional", bool>(false);
  static constexpr bool reset_after = attribute_or<Case, "reset_after", bool>(true);
  static constexpr nn::nonlinearity nonlinearity =
      attribute_is<Case, "nonlinearity", "relu"> ? nn::nonlinearity::relu : nn::nonlinearity::tanh;
};
template <class Case, int In, class O = recurrent_options<Case>>
using rnn_layers = nn::RNN<In, O::hidden,
                           nn::rnn{.layers = O::layers,
                                   .bidirectional = O::bidirectional,
                                   .batch_first = O::batch_first,
                                   .bias = O::bias,
                                   .nonlinearity = O::nonlinearity}>;
template <class Case, int In, class O = recurrent_options<Case>>
using lstm_layers = nn::LSTM<
    In, O::hidden,
    nn::lstm{.layers = O::layers, .bidirectional = O::bidirectional, .batch_first = O::batch_first, .bias = O::bias}>;
template <class Case, int In, class O = recurrent_options<Case>>
using gru_layers = nn::GRU<In, O::hidden,
                           nn::gru{.layers = O::layers,
                                   .bidirectional = O::bidirectional,
                                   .batch_first = O::batch_first,
                                   .bias = O::bias,
                                   .reset_after = O::reset_after}>;
/// The layers that an attribute names: rnn, lstm or gru.
template <class Case, text Name, int In>
using named_layers =
    std::conditional_t<attribute_is<Case, Name, "lstm">, lstm_layers<Case, In>,
                       std::conditional_t<attribute_is<Case, Name, "gru">, gru_layers<Case, In>, rnn_layers<Case, In>>>;

/// The name that a case has for a parameter. needle's are W_ih, W_hh and the biases, in layers below
/// rnn_cells.<layer>. or lstm_cells.<layer>. For torch, `cells` is the name of the layers of a net.
template <class Case>
joined name_in_case(std::string_view name, std::string_view cells) {
  if constexpr (!in_needle_layout<Case>) {
    constexpr std::string_view layers = "seq_model.";
    if (name.substr(0, layers.size()) == layers) return join(cells, ".", name.substr(layers.size()));
    return join(name);
  } else {
    std::size_t const dot = name.rfind('.'), begin = dot == name.npos ? 0 : dot + 1;
    std::string_view member = name.substr(begin), layer;
    if (std::size_t const l = member.rfind("_l"); l != member.npos)
      layer = member.substr(l + 2), member = member.substr(0, l);
    if (member == "weight_ih") member = "W_ih";
    if (member == "weight_hh") member = "W_hh";
    if (layer.empty()) return join(name.substr(0, begin), member);
    return join(name.substr(0, begin), cells, ".", layer, ".", member);
  }
}

/// The axes of a parameter in a case's layout: for torch, a weight's are exchanged, except those of a table.
template <class Case, class Net>
std::vector<bool> transposed_parameters() {
  std::vector<bool> r;
  esp::io::detail::for_each_order<Net>([&](esp::axis_order const& order) {
    r.push_back(!in_needle_layout<Case> && order.rank == 2 && order.at[0] == 1);
  });
  return r;
}
/// Fills the parameters of a model from the case.
template <class Case, class Net, class T>
void read_recurrent(case_run& run, esp::model<Net, esp::cpu, T>& model, std::string_view cells) {
  auto const exchanged = transposed_parameters<Case, Net>();
  std::size_t number = 0;
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    std::vector<T> given(static_cast<std::size_t>(values.size()));
    run.read(role::parameter, name_in_case<Case>(name, cells), std::span<T>{given});
    if (exchanged[number++]) given = transposed(std::span<T const>{given}, shape.at[1], shape.at[0]);
    for (std::size_t i = 0; i < given.size(); ++i) values[static_cast<std::int64_t>(i)] = given[i];
  });
}
/// Numbers of each parameter (or its gradient) as results <before><name>.
template <class Case, class Net, class T>
void report_recurrent(case_run& run, auto const& of_parameters, std::string_view before, std::string_view cells) {
  auto const exchanged = transposed_parameters<Case, Net>();
  std::size_t number = 0;
  of_parameters.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    std::vector<T> result(values.begin(), values.end());
    esp::extents in_file = shape;
    if (exchanged[number++]) {
      result = transposed(std::span<T const>{result}, shape.at[0], shape.at[1]);
      in_file.at[0] = shape.at[1], in_file.at[1] = shape.at[0];
    }
    run.result(join(before, name_in_case<Case>(name, cells).operator std::string_view()), std::span<T const>{result},
               in_file);
  });
}

/// The results of a net with a state as one list: outputs, h, c.
constexpr auto results_in_list(auto const& y) { return std::tuple{y}; }
template <class... R>
constexpr auto results_in_list(std::tuple<R...> const& r) {
  return std::apply([](auto const&... each) { return std::tuple_cat(results_in_list(each)...); }, r);
}
/// The sum of the products of all results with their given gradients. Arguments: a net, Inputs inputs, the gradients.
template <std::size_t Inputs>
struct dot_of_results {
  template <class... X>
  constexpr auto operator()(auto net, X... x) const {
    return with(net, std::tuple{x...}, std::make_index_sequence<Inputs>{},
                std::make_index_sequence<sizeof...(X) - Inputs>{});
  }

 private:
  template <class All, std::size_t... I, std::size_t... G>
  static constexpr auto with(auto net, All all, std::index_sequence<I...>, std::index_sequence<G...>) {
    auto const results = results_in_list(net(std::get<I>(all)...));
    return (sum(std::get<G>(results) * std::get<Inputs + G>(all)) + ...);
  }
};

/// A net with a state: its results by the names y, ..., and the gradients of parameters and real inputs.
/// other_names: of the results after y
template <class Case, class T, class Net, std::size_t Names>
void run_recurrent(case_run& run, std::string_view cells, std::array<std::string_view, Names> const& other_names) {
  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  read_recurrent<Case>(run, model, cells);
  auto const with = [&](auto const&... x) {
    auto const results = results_in_list(model(x...));
    [&]<std::size_t... R>(std::index_sequence<R...>) {
      auto const gradient = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        auto const& y = std::get<I>(results);
        report_result(run, I == 0 ? std::string_view{"y"} : other_names[I - 1], y);
        std::remove_cvref_t<decltype(y)> dy;
        dy.fill(0);
        if constexpr (I == 0) dy = gradient_of_loss(run, y);
        else if (joined const name = join("gy", static_cast<int>(I)); run.has(role::input, name))
          run.read(role::input, name, as_span<T>(dy));
        return dy;
      };
      auto const gradients = std::tuple{gradient(std::integral_constant<std::size_t, R>{})...};
      if constexpr (Case::gradient) report_gradients<Case, T, Net>(run, model, cells, std::tie(x...), gradients);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(results)>>{});
  };
  detail::with_inputs<T>(run, with, typename Case::inputs{});
}

namespace detail {
template <class... CaseTensor>
consteval std::array<bool, sizeof...(CaseTensor)> real_inputs(case_tensors<CaseTensor...>) {
  return {(CaseTensor::kind != element::label)...};
}
template <class... CaseTensor>
std::array<std::string_view, sizeof...(CaseTensor)> names_of(case_tensors<CaseTensor...>) {
  return {CaseTensor::name()...};
}
}  // namespace detail

/// Indices are the first input, if there are any.
template <class Case, class T, class Net, class... X, class... G>
void report_gradients(case_run& run, auto& model, std::string_view cells, std::tuple<X const&...> x,
                      std::tuple<G...> const& gradients) {
  constexpr std::size_t first = detail::real_inputs(typename Case::inputs{})[0] ? 0 : 1;
  auto const names = detail::names_of(typename Case::inputs{});
  auto const all = std::tuple_cat(x, std::apply([](auto const&... g) { return std::tie(g...); }, gradients));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const computed = std::apply(
        [&](auto const&... each) {
          constexpr dot_of_results<sizeof...(X)> loss;
#if defined(CONFORMANCE_ALONE)
          auto const beside = esp::value_and_grad<0, static_cast<int>(1 + first + I)...>(loss)(model, each...);
          esp::compiled alone{loss, model, each...};
          esp::tensor<T, esp::shape<>> value;
          alone(each..., value);
          compare_alone(run, value, decltype(value)(std::get<0>(beside)));
#endif
          return esp::grad<0, static_cast<int>(1 + first + I)...>(loss)(model, each...);
        },
        all);
    if constexpr (sizeof...(I) == 0) {
      report_recurrent<Case, Net, T>(run, computed, "grad.", cells);
    } else {
      report_recurrent<Case, Net, T>(run, std::get<0>(computed), "grad.", cells);
      (report_result(run, join("grad.", names[first + I]), std::get<1 + I>(computed)), ...);
    }
  }
  (std::make_index_sequence<sizeof...(X) - first>{});
}

}  // namespace conformance
