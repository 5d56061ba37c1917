// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/hana/at.hpp>
#include <vector>

#include "support/recurrent.hpp"

// Dense and recurrent layers in order, one sample at a time with carried states, as RTNeural runs them.
namespace conformance {

template <int In, int Out, class Activation>
using dense_layer = nn::Sequential<nn::Linear<In, Out>, Activation>;

/// The number of values that a layer carries.
template <class Layer>
inline constexpr int carried_by = [] {
  if constexpr (requires { Layer::state_count; }) return Layer::state_count;
  else return 0;
}();

/// forward(x, states...): the output and all next states, in the order of the layers.
template <class... Layer>
struct layer_chain {
  boost::hana::tuple<Layer...> layers{};

  using is_module = void;
  template <class Self>
  static auto member_types_of(Self&) -> nn::detail::types<Layer...>;
  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (visit(nn::position_name_of<I>.text, boost::hana::at_c<I>(self.layers)), ...);
    }
    (std::make_integer_sequence<int, static_cast<int>(sizeof...(Layer))>{});
  }
  template <class... X>
  constexpr auto operator()(X&&... x) const {
    return esp::detail::apply_module(*this, x...);
  }
  constexpr auto forward(auto x, auto... state) const { return through<0>(x, std::tuple{state...}, std::tuple{}); }

 private:
  template <std::size_t I, class State, class Next>
  constexpr auto through(auto const& x, State const& state, Next const& next) const {
    if constexpr (I == sizeof...(Layer)) {
      return std::tuple_cat(std::tuple{x}, next);
    } else {
      auto const& layer = boost::hana::at_c<I>(layers);
      constexpr int carried = carried_by<std::remove_cvref_t<decltype(layer)>>;
      constexpr std::size_t at = std::tuple_size_v<Next>;
      if constexpr (carried == 0) {
        return through<I + 1>(layer(x), state, next);
      } else if constexpr (carried == 1) {
        auto const h = layer(x, std::get<at>(state));
        return through<I + 1>(h, state, std::tuple_cat(next, std::tuple{h}));
      } else {
        auto const both = layer(x, std::get<at>(state), std::get<at + 1>(state));
        return through<I + 1>(std::get<0>(both), state, std::tuple_cat(next, both));
      }
    }
  }
};

/// What stands before and behind the members' names of a layer: "gru2." and "_l1" of gru2.weight_ih_l1.
struct layer_affixes {
  std::string_view before, after;
};
/// Those of a recurrent layer or of another one with weights, by its number among those of its kind, in the order
/// in which the case names them.
template <class... CaseTensor>
layer_affixes affixes_of_layer(case_tensors<CaseTensor...> const*, bool is_recurrent, int number) {
  layer_affixes found{};
  auto const visit = [&](std::string_view name) {
    std::string_view const first = is_recurrent ? "weight_ih" : "weight";
    std::size_t const at = name.rfind(first);
    if (at == std::string_view::npos || (!is_recurrent && at + first.size() != name.size())) return;
    if (number-- == 0) found = {name.substr(0, at), name.substr(at + first.size())};
  };
  (visit(CaseTensor::name()), ...);
  return found;
}

/// The parameters of a layer from a case in Keras' or PyTorch's layout. Names begin with the number of the layer, or
/// are those of a PyTorch net. nth: the number among the layers of its kind.
template <class Case, class T>
struct layer_reader {
  case_run& run;
  int number;
  int nth;

  std::vector<T> read(std::string_view name, std::int64_t size, bool is_recurrent) const {
    std::vector<T> r(static_cast<std::size_t>(size));
    joined given = join(number, ".", name);
    if (!run.has(role::parameter, given)) {
      auto const [before, after] =
          affixes_of_layer(static_cast<typename Case::parameters const*>(nullptr), is_recurrent, nth);
      given = join(before, name, after);
    }
    run.read(role::parameter, given, std::span<T>{r});
    return r;
  }
  static void fill(auto const& named, std::vector<T> const& from) {
    for (std::size_t i = 0; i < from.size(); ++i) named.span()[static_cast<std::int64_t>(i)] = from[i];
  }
  template <int In, int Out, class Activation>
  void fill_layer(auto& model, dense_layer<In, Out, Activation> const*) const {
    constexpr bool keras = attribute_is<Case, "weights", "keras">;
    auto const weight = read(keras ? "kernel" : "weight", In * Out, false);
    fill(model.parameter(join(number, ".0.weight").c_str()),
         keras ? weight : transposed<T>(std::span<T const>{weight}, Out, In));
    fill(model.parameter(join(number, ".0.bias").c_str()), read("bias", Out, false));
  }
  template <int In, int Hidden>
  void fill_layer(auto& model, nn::LSTMCell<In, Hidden> const*) const {
    fill_cell<In, Hidden, 4>(model, nn::LSTMCell<In, Hidden>::in_keras());
  }
  template <int In, int Hidden>
  void fill_layer(auto& model, nn::GRUCell<In, Hidden> const*) const {
    fill_cell<In, Hidden, 3>(model, nn::GRUCell<In, Hidden>::in_keras());
  }

 private:
  template <int In, int Hidden, int Gates>
  void fill_cell(auto& model, [[maybe_unused]] esp::keras_layer const& in_keras) const {
    constexpr int columns = Gates * Hidden;
    auto const to = [&](std::string_view name) { return model.parameter(join(number, ".", name).c_str()); };
    if constexpr (attribute_is<Case, "weights", "keras">) {
      std::vector<T> const tensors[] = {read("kernel", In * columns, true), read("recurrent", Hidden * columns, true),
                                        read("bias", Gates == 3 ? 2 * columns : columns, true)};
      for (int i = 0; i < in_keras.member_count; ++i) {
        esp::keras_member const& member = in_keras.members[i];
        auto const named = to(member.name);
        T const* const from = member.tensor == esp::keras_member::zeros ? nullptr : tensors[member.tensor].data();
        esp::copy_from_keras(member, named.shape(), from, named.span().data());
      }
    } else {
      fill(to("weight_ih"), transposed<T>(std::span<T const>{read("weight_ih", In * columns, true)}, columns, In));
      fill(to("weight_hh"),
           transposed<T>(std::span<T const>{read("weight_hh", Hidden * columns, true)}, columns, Hidden));
      fill(to("bias_ih"), read("bias_ih", columns, true));
      fill(to("bias_hh"), read("bias_hh", columns, true));
    }
  }
};

template <class Layer>
struct layer_states {
  using type = std::tuple<>;
};
template <class Layer>
  requires(carried_by<Layer> == 1)
struct layer_states<Layer> {
  using type = std::tuple<esp::shape<1, Layer::state_features>>;
};
template <class Layer>
  requires(carried_by<Layer> == 2)
struct layer_states<Layer> {
  using type = std::tuple<esp::shape<1, Layer::state_features>, esp::shape<1, Layer::state_features>>;
};

template <class Case, class T, class... Layer>
void run_layer_chain(case_run& run, layer_chain<Layer...> const*) {
  esp::model<layer_chain<Layer...>, esp::cpu, T> model{esp::seed{0}};
  int number = 0, of_kind[2]{};
  (layer_reader<Case, T>{run, number++, of_kind[carried_by<Layer> > 0]++}.fill_layer(
       model, static_cast<Layer const*>(nullptr)),
   ...);
  using In = input_shape<Case>;
  constexpr int steps = In::template extent<0>(), features = In::template extent<1>();
  esp::tensor<T, In> x;
  run.read(role::input, "x", as_span<T>(x));
  std::vector<T> y;
  int width = 0;
  std::apply(
      [&](auto... s) {
        std::tuple<esp::tensor<T, decltype(s)>...> state;
        esp::tensor<T, esp::shape<1, features>> sample;
        for (int i = 0; i < steps; ++i) {
          for (int k = 0; k < features; ++k) sample[k] = x(i, k);
          auto const results = std::apply([&](auto const&... each) { return model(sample, each...); }, state);
          [&]<std::size_t... I>(std::index_sequence<I...>) { ((std::get<I>(state) = std::get<I + 1>(results)), ...); }
          (std::index_sequence_for<decltype(s)...>{});
          auto const& output = std::get<0>(results);
          y.insert(y.end(), output.data(), output.data() + output.size());
          width = static_cast<int>(output.size());
        }
      },
      decltype(std::tuple_cat(typename layer_states<Layer>::type{}...)){});
  run.result("y", std::span<T const>{y}, esp::extents{2, {steps, width}});
}

template <class Case, class T>
void check_sequence_model(case_run& run) {
  using Chain = typename attribute_of<Case, "chain">::type;
  run_layer_chain<Case, T>(run, static_cast<Chain const*>(nullptr));
}

}  // namespace conformance
