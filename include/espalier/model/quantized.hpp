// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../device/cpu/kernel/winograd_int8.hpp"
#include "calibration.hpp"
#include "quantized_weights.hpp"

ESPALIER_HEADER_INCLUDED(quantized);

namespace espalier {

/// A trained model whose products run with integers of 8 bits: Linear and convolutions, also in groups and with a group
/// for each channel, with folded norms, their bias and a ReLU behind them. All else runs in float between them.
/// Weights are symmetric with a scale for each column, -127 to 127; activations have a scale and a zero point for each
/// product, 0 to 255. Sums are exact in 32 bits, so every processor has the same sums. A result is the sum, which
/// includes the bias, times the product of both scales, in float.
/// It keeps copies, as frozen does. Runs on the calling thread; use one per thread (asserted).
/// shape    (N, ...) -> the net's output for it
/// ranges   of calibration, or its stored ranges. The model is the calibrated one; the batch may be another
/// memory   one allocation at construction, none if you pass bytes (quantized{model, ranges, batch, bytes}); none in
///          calls
/// errors   a model of another element type than float, on a graphics processor, with a loop, or without a product do
///          not compile; ranges without data, of no width, not finite, or that do not contain 0 throw
///          quantization_error, and so do parameters that are not finite. A NaN in front of a product counts as the
///          lowest number of its range
/// source   Jacob et al. 2018; ONNX's QuantizeLinear and DequantizeLinear
template <class Model, class Batch, class Found = typename detail::found_for_fixed<Model, Batch>::type>
class quantized {
  using Net = typename Model::net_type;
  using Sound = typename plan::sound_program<detail::evaluation_program<Net, Batch>>::checked;
  using Host = detail::computes_on_host<typename Model::device_type>;
  using Element = quantizes_element<typename Model::value_type>;
  static_assert(Host::agree, ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_QUANTIZES_FLOAT, Host));
  static_assert(Element::agree,
                ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_QUANTIZES_FLOAT, Element));
  using Quantizes = detail::quantizes<Model, Batch>;
  using Loops = typename Quantizes::loops;
  static_assert(Loops::agree,
                ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_QUANTIZES_NO_LOOPS, Loops));
  using Products = typename Quantizes::products;
  static_assert(Products::agree,
                ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_QUANTIZES_PRODUCTS, Products));
  using T = float;
  using Arch = on_cpu::default_arch;
  using Types = on_cpu::detail::int8_types<Arch>;
  using Activation = typename Types::element;
  using Preparing = detail::constants_program<Net, Batch>;
  using Program = detail::calibrated_program<Net, Batch>;  // the same inputs and checks
  using Call = detail::call_of_net<Net, T, Batch, Found>;
  static constexpr detail::quantized_split const& split = detail::quantized_split_of<Net, Batch>;
  template <int K>
  using Product = detail::product_of_int8<Net, Batch, K, Arch>;
  static constexpr bool never_throws = !plan::has_checked_integers<Program> && Call::results == 1;

 public:
  using input_shape = Batch;
  using output_shape = typename detail::described_results<Found>::type;
  static constexpr int products = Quantizes::count > 0 ? Quantizes::count : 1;  // one error, not two

 private:
  /// Where the parts of the memory are, in bytes.
  struct memory_layout {
    std::size_t weights[static_cast<std::size_t>(products)], starts[static_cast<std::size_t>(products)],
        scales[static_cast<std::size_t>(products)], activations[static_cast<std::size_t>(products)];
    std::size_t parameters, values, workspace, inputs, end;
  };
  template <int K>
  static constexpr void place(memory_layout& r) {
    using P = Product<K>;
    r.weights[K] = r.end;
    r.starts[K] = r.weights[K] + detail::bytes_for<typename P::weight>(static_cast<std::size_t>(P::packed_size));
    r.scales[K] = r.starts[K] + detail::bytes_for<std::int32_t>(static_cast<std::size_t>(P::all_columns));
    r.end = r.scales[K] + detail::bytes_for<float>(static_cast<std::size_t>(P::all_columns));
  }
  template <int K>
  static constexpr void place_activations(memory_layout& r) {
    r.activations[K] = r.end;
    r.end += detail::bytes_for<Activation>(static_cast<std::size_t>(Product<K>::elements));
  }
  template <int... K>
  static constexpr memory_layout find_layout(std::integer_sequence<int, K...>) {
    memory_layout r{};
    (place<K>(r), ...);
    r.parameters = r.end;
    (place_activations<K>(r), ...);
    r.values = r.end;
    r.workspace = r.values + detail::bytes_for<T>(
                                 static_cast<std::size_t>(detail::constants_size<Net, Batch> + split.stored_size));
    std::size_t most = workspace_bytes(std::make_integer_sequence<int, products + 1>{});
    ((most = Product<K>::workspace > most ? Product<K>::workspace : most), ...);
    r.inputs = r.workspace + most;
    r.end = r.inputs + Call::results_at;
    return r;
  }
  template <int... Part>
  static constexpr std::size_t workspace_bytes(std::integer_sequence<int, Part...>) {
    std::size_t most = detail::workspace_elements<Preparing>;
    ((most = detail::workspace_elements<detail::part_program<Net, Batch, Part>> > most
                 ? detail::workspace_elements<detail::part_program<Net, Batch, Part>>
                 : most),
     ...);
    return detail::bytes_for<T>(most);
  }
  using all_products = std::make_integer_sequence<int, products>;
  static constexpr memory_layout places = [] {
    if constexpr (Quantizes::agree) return find_layout(all_products{});
    else return memory_layout{};
  }();

 public:
  template <class Calibrated>
  using ranges_relation =
      std::conditional_t<Quantizes::agree, detail::ranges_relation_of<Calibrated, Net, products>, agreed>;

  /// parameter_bytes: weights, and a scale and an integer bias for each column. Processors without products of bytes
  /// store weights in 16 bits, and convolutions by tiles store transformed kernels in 16 bits.
  static constexpr std::size_t parameter_bytes = places.parameters, bytes = places.end;

  template <class Calibrated, class B = Batch>
    requires(std::is_same_v<B, Batch>)
  quantized(Model const& model, Calibrated const& ranges, B) : memory_{bytes} {
    using Ranges = ranges_relation<Calibrated>;
    static_assert(Ranges::agree, ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_RANGES_FIT, Ranges));
    prepare(model, ranges);
  }
  /// storage  the net's memory, which it then does not allocate; fewer bytes do not compile
  template <class Calibrated, std::size_t Count, class B = Batch, class Enough = detail::enough_bytes<Count, bytes>>
    requires(std::is_same_v<B, Batch>)
  quantized(Model const& model, Calibrated const& ranges, B, espalier::bytes<Count>& storage)
      : memory_{storage, bytes} {
    using Ranges = ranges_relation<Calibrated>;
    static_assert(Ranges::agree, ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_RANGES_FIT, Ranges));
    static_assert(
        Enough::agree,
        ESPALIER_SENTENCE("quantized{model, ranges, batch, bytes}: " ESPALIER_FEWER_BYTES("quantized"), Enough));
    if constexpr (Enough::agree) prepare(model, ranges);
  }
  /// Several inputs: a batch for each, then bytes if you pass them.
  template <class Calibrated, class... B>
    requires(detail::AreBatchesOf<Batch, B...>)
  quantized(Model const& model, Calibrated const& ranges, B&&... arguments)
      : memory_{detail::memory_behind(
            [](auto&... storage) {
              return detail::block{storage..., bytes};
            },
            arguments...)} {
    using Ranges = ranges_relation<Calibrated>;
    using Enough = detail::enough_bytes_behind<bytes, B...>;
    static_assert(
        Enough::agree,
        ESPALIER_SENTENCE("quantized{model, ranges, batches..., bytes}: " ESPALIER_FEWER_BYTES("quantized"), Enough));
    static_assert(Ranges::agree, ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_RANGES_FIT, Ranges));
    if constexpr (Enough::agree) prepare(model, ranges);
  }
  /// The net of a file, for io::read_quantized_onnx.
  explicit quantized(detail::stored_net<products> const& from) : memory_{bytes} {
    if constexpr (Quantizes::agree) {
      __builtin_memcpy(values(), from.constants,
                       static_cast<std::size_t>(detail::constants_size<Net, Batch>) * sizeof(float));
      prepare_stored(from, all_products{});
    }
  }
  /// Does not compile: the arguments are not of the types that the program writes out.
  explicit quantized(detail::any_argument = 0, detail::any_argument = 0, detail::any_argument = 0,
                     detail::any_argument = 0)
      : memory_{bytes} {
    using Fit = arguments_fit_types<Model, Batch>;
    static_assert(Fit::agree,
                  ESPALIER_SENTENCE(ESPALIER_ARGUMENTS_FIT_TYPES("quantized", "model, ranges, Batch{}"), Fit));
  }
  quantized(quantized const&) ESPALIER_DELETED("a quantized net cannot be copied or moved: construct another one");
  quantized& operator=(quantized const&) = delete;

  /// quantized(x..., y...): each input, then a tensor for each result. Never allocates. Results may be inputs, or
  /// overlap them.
  /// errors  other shapes and element types do not compile; index_error, overlap_error
  template <class... X>
  void operator()(X&&... x) noexcept(never_throws && (TensorOrView<X> && ...)) {
    using Fit = detail::call_fit<Call, X...>;
    using Count = typename Fit::count;
    static_assert(Count::agree, ESPALIER_SENTENCE("quantized(x..., y...): " ESPALIER_CALL_COUNT, Count));
    using Range = typename Fit::range;
    static_assert(Range::agree, ESPALIER_SENTENCE("quantized(x..., y...): " ESPALIER_CALL_RANGE, Range));
    using Shape = typename Fit::shape;
    static_assert(Shape::agree, ESPALIER_SENTENCE("quantized(x..., y...): " ESPALIER_CALL_SHAPE, Shape));
    using ElementFit = typename Fit::element;
    static_assert(ElementFit::agree, ESPALIER_SENTENCE("quantized(x..., y...): " ESPALIER_CALL_ELEMENT, ElementFit));
    using Written = typename Fit::written;
    static_assert(Written::agree, ESPALIER_SENTENCE("quantized(x..., y...): " ESPALIER_RESULT_IS_CONST, Written));
    if constexpr (Fit::agree && Quantizes::agree) {
      using Reached = detail::reached_by_call<cpu, X...>;
      static_assert(Reached::agree, ESPALIER_SENTENCE("quantized(x..., y...): " ESPALIER_REACHABLE, Reached));
      if constexpr (Reached::agree)
        Call::with_elements(
            "quantized(x..., y...)", [&](auto... each) { this->run(each...); }, x...);
    }
  }

  /// Does not compile: the quantized is const.
  void operator()(detail::any_argument, detail::any_argument = 0, detail::any_argument = 0,
                  detail::any_argument = 0) const {
    static_assert(changes_its_workspace<Batch>::agree,
                  ESPALIER_SENTENCE(ESPALIER_CALL_IS_CONST("quantized"), changes_its_workspace<Batch>));
  }

 private:
  template <class Calibrated>
  void prepare(Model const& model, Calibrated const& calibrated) {
    using Ranges = ranges_relation<Calibrated>;
    if constexpr (Ranges::agree && Quantizes::agree) {
      detail::check_has_data(calibrated);
      detail::program_bases b = model.bases();
      b.at[plan::base::workspace] = memory_.template at<T>(places.workspace);
      b.at[plan::base::gradients] = values();
      on_cpu::run<Preparing, T>(b.at);
      prepare_products(detail::ranges_in(calibrated), all_products{});
    }
  }
  template <int... K>
  void prepare_products(float const* ranges, std::integer_sequence<int, K...>) {
    (prepare_product<K>(ranges + 2 * K), ...);
  }
  template <int... K>
  void prepare_stored(detail::stored_net<products> const& from, std::integer_sequence<int, K...>) {
    (prepare_product<K>(from.by[K], &from.integers[K]), ...);
  }
  template <int K>
  void prepare_product(float const* range) {
    prepare_product<K>(detail::scale_of_range(range[0], range[1], K), nullptr);
  }
  template <int K>
  void prepare_product(on_cpu::detail::int8_scale const& by, detail::stored_integers const* stored) {
    by_[K] = by;
    Product<K>::prepare(values(), by_[K], memory_.template at<typename Product<K>::weight>(places.weights[K]),
                        memory_.template at<std::int32_t>(places.starts[K]),
                        memory_.template at<float>(places.scales[K]), activations<K>(), stored);
  }
  T* values() const { return memory_.template at<T>(places.values); }
  template <int K>
  Activation* activations() const {
    return memory_.template at<Activation>(places.activations[K]);
  }

  template <class... X>
  void run(X... x) noexcept(never_throws) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    on_device::direct_exchange exchange;
    Call::template check<Program>("quantized(x..., y...)", exchange, x...);
    detail::program_bases b;
    b.at[plan::base::workspace] = memory_.template at<T>(places.workspace);
    b.at[plan::base::parameters] = b.at[plan::base::gradients] = values();
    Call::run(
        b, exchange,
        [&] {
          separate(b.at, std::make_integer_sequence<int, Call::inputs>{});
          run_part<0>(b.at);
          run_products(b.at, all_products{});
        },
        x...);
  }
  /// Inputs that a result overlaps are copied: they may be read after it is written.
  template <int... I>
  void separate(void** base, std::integer_sequence<int, I...>) {
    ((overlaps<I>(base, std::make_integer_sequence<int, Call::results>{}) ? move_input<I>(base) : void()), ...);
  }
  template <int I, int... R>
  static bool overlaps(void* const* base, std::integer_sequence<int, R...>) {
    auto const begin = [&](int at) { return reinterpret_cast<std::uintptr_t>(base[at]); };
    std::uintptr_t const x = begin(plan::base::arguments + I);
    return ((begin(plan::base::results + R) < x + Call::template bytes_at<I> &&
             x < begin(plan::base::results + R) + Call::template bytes_at<Call::inputs + R>) ||
            ...);
  }
  template <int I>
  void move_input(void** base) {
    void* const to = memory_.template at<void>(places.inputs + Call::in_exchange.at[I]);
    __builtin_memcpy(to, base[plan::base::arguments + I], Call::template bytes_at<I>);
    base[plan::base::arguments + I] = to;
  }
  template <int Part>
  void run_part(void* const* base) {
    using P = detail::part_program<Net, Batch, Part>;
    if constexpr (plan::graph_of<P>.output_count > 0) on_cpu::run<P, T>(base);
  }
  template <int... K>
  void run_products(void* const* base, std::integer_sequence<int, K...>) {
    (
        [&] {
          Product<K>::run(base, by_[K], memory_.template at<typename Product<K>::weight>(places.weights[K]),
                          memory_.template at<std::int32_t>(places.starts[K]),
                          memory_.template at<float>(places.scales[K]), activations<K>());
          run_part<K + 1>(base);
        }(),
        ...);
  }

  detail::block memory_;
  on_cpu::detail::int8_scale by_[static_cast<std::size_t>(products)];
  detail::call_mark call_;
};

namespace detail {

/// The members of a quantized net that does not compile.
struct no_quantized : accepts_every_memory {
  static constexpr int products = 1;
  using accepts_every_memory::accepts_every_memory;
};

}  // namespace detail

/// Does not compile. It accepts every call without a further error, so that one mistake produces one error.
template <class Model, class Batch, class... Facts>
class quantized<Model, Batch, invalid<Facts...>> : public detail::no_quantized {
  using Layers = detail::root_message_fault<invalid<Facts...>, typename Model::net_type, quantized>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::own_message_fault<invalid<Facts...>, typename Model::net_type>::report()) != 0);

 public:
  using input_shape = Batch;
  using output_shape = invalid<Facts...>;
  quantized(auto&&...) {}
};

/// Does not compile: the types that the program writes out are not those of a model and a batch.
template <class Model, class Batch>
class quantized<Model, Batch, detail::misused<is_model<Model>>> : public detail::no_quantized {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("quantized<Model, Batch>", "esp::quantized"),
                                  is_model<Model>));

 public:
  quantized(auto&&...) {}
};
template <class Model, class Batch>
class quantized<Model, Batch, detail::misused<is_batch<Batch>>> : public detail::no_quantized {
  static_assert(is_batch<Batch>::agree || is_bounded_batch<Batch>,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_BATCH("quantized"), is_batch<Batch>));
  static_assert(!is_bounded_batch<Batch>,
                ESPALIER_SENTENCE("quantized<Model, Batch>: " ESPALIER_BATCH_IS_FIXED, is_batch<Batch>));

 public:
  quantized(auto&&...) {}
};
/// Does not compile: the arguments are not a model, ranges and a batch.
template <class Argument>
class quantized<detail::misused<is_model<Argument>>, void, void> : public detail::no_quantized {
  static_assert(is_model<Argument>::agree,
                ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_FIRST_IS_MODEL, is_model<Argument>));

 public:
  quantized(auto&&...) {}
};
template <class Argument>
class quantized<detail::misused<is_batch<Argument>>, void, void> : public detail::no_quantized {
  static_assert(is_batch<Argument>::agree || is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_BATCH_IS_SHAPE, is_batch<Argument>));
  static_assert(!is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("quantized{model, ranges, batch}: " ESPALIER_BATCH_IS_FIXED, is_batch<Argument>));

 public:
  quantized(auto&&...) {}
};
template <class... Argument>
class quantized<detail::misused<detail::quantized_arguments<Argument...>>, void, void> : public detail::no_quantized {
  using Arguments = detail::quantized_arguments<Argument...>;
  static_assert(Arguments::agree,
                ESPALIER_SENTENCE("quantized{...}: expected a model, its calibration or ranges, and a batch: "
                                  "esp::quantized{model, calibration, esp::batch<32, 8, 8>{}}",
                                  Arguments));

 public:
  quantized(auto&&...) {}
};

template <ModelType Model, class Calibrated, class Batch>
  requires(is_shape<Batch>)
quantized(Model const&, Calibrated const&, Batch)
->quantized<Model, std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
template <ModelType Model, class Calibrated, class Batch, std::size_t Count>
  requires(is_shape<Batch>)
quantized(Model const&, Calibrated const&, Batch, bytes<Count>&)
->quantized<Model, std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
template <ModelType Model, class Calibrated, class... Argument>
  requires(detail::SeveralBatches<Argument...>&& detail::batches_fault<Argument...>::agree)
quantized(Model const&, Calibrated const&, Argument&&...)
->quantized<Model, std::enable_if_t<
                       (sizeof(detail::probe_forward<typename Model::net_type, detail::batches_in<Argument...>>) > 0),
                       detail::batches_in<Argument...>>>;

template <ModelType Model, class Calibrated, class... Argument>
  requires(detail::SeveralBatches<Argument...> && !detail::batches_fault<Argument...>::agree)
quantized(Model const&, Calibrated const&, Argument&&...)
->quantized<detail::misused<detail::batches_fault<Argument...>>, void, void>;
template <class First, class... More>
  requires(!ModelType<First>)
quantized(First const&, More const&...)
->quantized<detail::misused<is_model<First>>, void, void>;
template <ModelType Model, class Calibrated, class Argument>
  requires(!is_shape<Argument>)
quantized(Model const&, Calibrated const&, Argument)
->quantized<detail::misused<is_batch<Argument>>, void, void>;
template <ModelType Model, class... More>
  requires(sizeof...(More) < 2)
quantized(Model const&, More const&...)
->quantized<detail::misused<detail::quantized_arguments<More...>>, void, void>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
