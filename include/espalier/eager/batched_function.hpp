// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../operation/batching.hpp"
#include "body_gradients.hpp"

/// A function of one sample as a function of all samples, in the body of another function.
namespace espalier::detail {

/// The shape of one sample, and how many samples a mapped argument has. Without a leading axis: the shape itself, 0.
template <class S>
struct leading_samples {
  using type = S;
  static constexpr int count = 0;
};
template <int Count, int... Sample>
struct leading_samples<shape<Count, Sample...>> {
  using type = shape<Sample...>;
  static constexpr int count = Count;
};

/// An argument of the function of one sample, from one of all samples.
template <class V>
struct sample_of {
  using type = V;
};
template <class S, class Data, class Observer>
struct sample_of<traced<S, Data, Observer>> {
  using type = traced<typename leading_samples<S>::type, Data>;
};
template <class T, class S, class Device>
struct sample_of<borrowed<T, S, Device>> {
  using type = borrowed<T, typename leading_samples<S>::type, Device>;
};
template <class... V>
struct sample_of<std::tuple<V...>> {
  using type = std::tuple<typename sample_of<V>::type...>;
};
template <bool Mapped, class V>
using sample_if = typename std::conditional_t<Mapped, sample_of<V>, std::type_identity<V>>::type;

/// The number of samples of the first tensor of an argument; a model has none.
template <class V>
inline constexpr int sample_count = 0;
template <class S, class Data, class Observer>
inline constexpr int sample_count<traced<S, Data, Observer>> = leading_samples<S>::count;
template <class First, class... V>
inline constexpr int sample_count<std::tuple<First, V...>> = sample_count<First>;

/// What the function of one sample returns, for all samples.
template <int Count, class V>
struct result_for_all;
template <int Count, int... Extents, class Data, class Observer>
struct result_for_all<Count, traced<shape<Extents...>, Data, Observer>> {
  using type = traced<shape<Count, Extents...>>;
};
template <int Count, class... V>
struct result_for_all<Count, std::tuple<V...>> {
  using type = std::tuple<typename result_for_all<Count, V>::type...>;
};

/// Notes the updates of models that a program has, to find those that a function adds.
class update_record {
 public:
  constexpr explicit update_record(graph::program const& p)
      : program_{p}, count_{p.output_count}, ids_{new int[static_cast<std::size_t>(p.output_count) + 1]{}} {
    for (int i = 0; i < count_; ++i) ids_[i] = p.outputs[i].id;
  }
  constexpr ~update_record() { delete[] ids_; }
  update_record(update_record const&) = delete;
  update_record& operator=(update_record const&) = delete;

  constexpr bool has_changed() const {
    bool changed = program_.output_count != count_;
    for (int i = 0; i < count_; ++i) changed = changed || program_.outputs[i].id != ids_[i];
    return changed;
  }

 private:
  graph::program const& program_;
  int count_;
  int* ids_;
};

/// Traces f for one sample and rewrites its nodes for all samples.
/// Mapped  a bit for each argument
template <class F, unsigned Mapped, int Count, std::size_t... I, class... V>
constexpr auto trace_for_all(tracing::tracer& t, std::index_sequence<I...>, V const&... argument) {
  node_table& g = t.nodes();
  int const first = g.size + 1;
  auto* const leaves =
      new operation::sample_leaf[2 * static_cast<std::size_t>(derivative::leaf_count(argument...)) + 1]{};
  int leaf_count = 0;
  auto const sample = [&]<bool IsMapped, class Each>(std::bool_constant<IsMapped>, Each const& all) {
    if constexpr (!IsMapped) {
      return all;
    } else {
      using One = typename sample_of<Each>::type;
      auto const one_of = [&]<class Value, class All>(auto const& self, std::type_identity<Value>, All const& x) {
        if constexpr (requires { std::tuple_size<All>::value; })
          return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return Value{self(self, std::type_identity<std::tuple_element_t<K, Value>>{}, std::get<K>(x))...};
          }
        (std::make_index_sequence<std::tuple_size_v<All>>{});
        else return Value{&t, operation::add_sample_leaf(g, x.id, shape_of<Value>::value, leaves, leaf_count)};
      };
      return one_of(one_of, std::type_identity<One>{}, all);
    }
  };
  // Constants, as outside: f may declare `auto`, `auto const&` or `auto&`.
  std::tuple<sample_if<(Mapped >> I & 1u) != 0, V>...> const one{
      sample(std::bool_constant<(Mapped >> I & 1u) != 0>{}, argument)...};
  tracing::inside_body const inside{t};
  bool const had_samples = t.has_samples;
  t.has_samples = true;
  update_record const updates{t.program};
  auto const values = derivative::as_body_value(t, std::apply(F{}, one));
  t.has_samples = had_samples;
  if (updates.has_changed()) g.report(graph::fault::update_in_vmap);
  int const count = derivative::leaf_count(values);
  int* const roots = new int[static_cast<std::size_t>(count) + 1]{};
  int at = 0;
  tracing::visit_leaves(values, [&](auto const& leaf, bool) { roots[at++] = leaf.id; });
  operation::batcher samples{g, Count, first};
  samples.run(leaves, leaf_count, roots, count);
  typename result_for_all<Count, std::remove_const_t<decltype(values)>>::type r{};
  at = 0;
  tracing::visit_leaves(r, [&](auto& leaf, bool) { tracing::set_node(t, leaf, samples.value(roots[at++])); });
  samples.remove_samples();
  delete[] roots;
  delete[] leaves;
  return r;
}

/// (x...) -> f of each sample of the mapped arguments, as one value with an axis of samples in front. A function of a
/// body.
template <class F, unsigned Mapped>
struct batched_function {
  template <class... X>
  constexpr auto operator()(X const&... x) const {
    constexpr int count = [] {
      int r = 0, i = 0;
      ((r = r == 0 && (Mapped >> i & 1u) != 0 ? sample_count<as_body_argument<X>> : r, ++i), ...);
      return r;
    }();
    using Observer = typename observer_of<X...>::type;
    using Positions = std::index_sequence_for<X...>;
    tracing::tracer* const t = common_tracer(x...);
    using Found = decltype(trace_for_all<F, Mapped, count>(std::declval<tracing::tracer&>(), Positions{},
                                                           argument_in_body(t, x)...));
    Found const found =
        t == nullptr ? Found{} : trace_for_all<F, Mapped, count>(*t, Positions{}, argument_in_body(t, x)...);
    if constexpr (requires { std::tuple_size<Found>::value; })
      return std::apply(
          [&](auto const&... each) { return std::make_tuple(observed_gradient<Observer>(t, each, x...)...); }, found);
    else return observed_gradient<Observer>(t, found, x...);
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
