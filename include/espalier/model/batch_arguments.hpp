// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/cpu/engine.hpp"
#include "../device/reachable.hpp"
#include "applied_net.hpp"
#include "misuse.hpp"
#include "model_fit.hpp"

/// The arguments behind the model of a predictor or a frozen net: a batch for each input, then bytes if the user passes
/// them.
namespace espalier::detail {

/// What a net returns for a batch: its result, or an `invalid` type. What is no batch is misused.
template <class Net, class Batch>
struct found_on {
  using type = misused<is_batch<Batch>>;
};
template <class Net, class Batch>
  requires(is_shape<Batch>)
struct found_on<Net, Batch> {
  using type = results_of_net<Net, Batch>;
};
template <class Net, class... S>
  requires(sizeof...(S) > 0)
struct found_on<Net, shapes<S...>> {
  using type = results_of_net<Net, shapes<S...>>;
};
/// The same for the type of a model; a type that is none is misused.
template <class Model, class Batch>
struct found_for {
  using type = misused<is_model<Model>>;
};
template <ModelType Model, class Batch>
struct found_for<Model, Batch> : found_on<typename Model::net_type, Batch> {};
/// The same where batches have a fixed size.
template <class Model, class Batch>
struct found_for_fixed : found_for<Model, Batch> {};
template <ModelType Model, class Batch>
  requires(is_bounded_batch<Batch>)
struct found_for_fixed<Model, Batch> {
  using type = misused<is_batch<Batch>>;
};
/// A root without valid arguments has no types.
template <class Relation>
struct found_for<misused<Relation>, void> {
  using type = void;
};
/// Whether a call of the net is run(x, y), with one input and one result.
template <class Batch, class Found>
inline constexpr bool is_one_to_one = is_shape<Batch>;
template <class Batch, class... R>
inline constexpr bool is_one_to_one<Batch, std::tuple<R...>> = false;

template <class List, class... Argument>
struct collected_batches {
  using type = List;
};
template <class... S, class First, class... More>
struct collected_batches<shapes<S...>, First, More...>
    : collected_batches<std::conditional_t<is_bytes<First>, shapes<S...>, shapes<S..., First>>, More...> {};
/// The types of these arguments, without bytes.
template <class... Argument>
using batches_in = typename collected_batches<shapes<>, std::remove_cvref_t<Argument>...>::type;
template <class... Argument>
inline constexpr bool bytes_are_last = false;
template <class Last>
inline constexpr bool bytes_are_last<Last> = true;
template <class First, class Second, class... More>
inline constexpr bool bytes_are_last<First, Second, More...> =
    !is_bytes<std::remove_cvref_t<First>> && bytes_are_last<Second, More...>;
/// Several batches, and bytes at most behind them.
template <class... Argument>
concept SeveralBatches = batches_in<Argument...>::count >
1 && bytes_are_last<Argument...>;
template <class Batch, class... Argument>
concept AreBatchesOf = SeveralBatches<Argument...> && std::is_same_v<batches_in<Argument...>, Batch>;
template <class List>
struct fault_of_batches;
template <class... S>
struct fault_of_batches<shapes<S...>> : first_fault<is_batch<S>...> {};
/// The first of these arguments that is no batch, or `agreed`.
template <class... Argument>
using batches_fault = typename fault_of_batches<batches_in<Argument...>>::type;

template <std::size_t Needed, class... Argument>
struct bytes_behind {
  using enough = agreed;
  template <class Device>
  using on_host = agreed;
};
template <std::size_t Needed, std::size_t Count>
struct bytes_behind<Needed, bytes<Count>> {
  using enough = enough_bytes<Count, Needed>;
  template <class Device>
  using on_host = computes_on_host<Device>;
};
template <std::size_t Needed, class First, class Second, class... More>
struct bytes_behind<Needed, First, Second, More...> : bytes_behind<Needed, Second, More...> {};
/// The relations of the bytes that the user passes; without them, `agreed`.
template <std::size_t Needed, class... Argument>
using enough_bytes_behind = typename bytes_behind<Needed, std::remove_cvref_t<Argument>...>::enough;
template <class Device, class... Argument>
using bytes_behind_on_host = typename bytes_behind<0, std::remove_cvref_t<Argument>...>::template on_host<Device>;

/// The memory that the arguments determine: those bytes, or new memory from allocate(bytes...).
template <class Allocate>
auto memory_behind(Allocate const& allocate) {
  return allocate();
}
template <class Allocate, std::size_t Count>
auto memory_behind(Allocate const& allocate, bytes<Count>& storage) {
  return allocate(storage);
}
template <class Allocate, class Batch, class... More>
auto memory_behind(Allocate const& allocate, Batch const&, More&... more) {
  return memory_behind(allocate, more...);
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
