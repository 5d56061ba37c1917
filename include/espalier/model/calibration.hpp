// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../device/cpu/engine.hpp"
#include "../device/one_caller.hpp"
#include "batch_arguments.hpp"
#include "misuse.hpp"
#include "model.hpp"
#include "quantization_error.hpp"
#include "quantized_program.hpp"
#include "scores_fit.hpp"

ESPALIER_HEADER_INCLUDED(calibration);

namespace espalier {

/// Constraints that errors name: what a net needs to be quantized.
template <class T>
struct quantizes_element {
  static constexpr bool agree = std::is_same_v<T, float>;
};
template <class Net>
struct quantizes_without_loops {
  static constexpr bool agree = false;
};
template <int Products>
struct has_products_to_quantize {
  static constexpr bool agree = Products > 0;
};

namespace detail {

/// What forbids a net to be quantized, or agreed. Loops first: a net with a loop has no products that are found.
template <class Model, class Batch,
          bool Fits = computes_on_host<typename Model::device_type>::agree&&
              quantizes_element<typename Model::value_type>::agree>
struct quantizes {
  static constexpr quantized_split const& split = quantized_split_of<typename Model::net_type, Batch>;
  using loops = std::conditional_t<split.has_loops, quantizes_without_loops<typename Model::net_type>, agreed>;
  using products = std::conditional_t<split.has_loops, agreed, has_products_to_quantize<split.count>>;
  static constexpr int count = split.count;
  static constexpr bool agree = loops::agree && products::agree;
};
template <class Model, class Batch>
struct quantizes<Model, Batch, false> {
  using loops = agreed;
  using products = agreed;
  static constexpr int count = 0;
  static constexpr bool agree = false;
};

/// The relations of a call that passes the inputs only; Scores: a tensor, or a tuple of tensors, for the results.
template <class Call, class Scores, class... X>
struct fit_of_inputs {
  using type = call_fit<Call, X const&..., Scores&>;
};
template <class Call, class... Y, class... X>
struct fit_of_inputs<Call, std::tuple<Y...>, X...> {
  using type = call_fit<Call, X const&..., Y&...>;
};

}  // namespace detail

#define ESPALIER_QUANTIZES_FLOAT \
  "integers of 8 bits are made of a model of float on this processor; copy(model, other) the parameters to a model<Net>"
#define ESPALIER_QUANTIZES_NO_LOOPS "a net with a loop (RNN, LSTM, GRU, scan, repeat) cannot be quantized; use frozen"
#define ESPALIER_QUANTIZES_PRODUCTS \
  "the net has no Linear and no convolution with parameters, so there is nothing to quantize; use frozen"

/// The smallest and largest number that each product of a net has read: row k holds those of product k, in the order of
/// the net. Both are 0 at most and at least, because padding is 0.
template <int Products>
using activation_ranges = tensor<float, shape<Products, 2>>;

/// Runs a trained model on representative batches and records the range of what each product reads. quantized makes
/// integers of 8 bits of these ranges.
/// shape    (N, ...), the batch; a net of several inputs has a batch for each, as in a predictor
/// range    a few hundred samples of the data that the net will see; outliers widen a range and make its steps coarse
/// memory   one allocation at construction, none afterwards; it keeps a copy of the parameters
/// errors   a model of another element type than float, on a graphics processor, with a loop, or without a product do
///          not compile; a NaN or an infinity in front of a product throws quantization_error, and the ranges stay as
///          they were
/// source   Jacob et al. 2018
/// Results: records what each product returns, for result_calibration.
template <class Model, class Batch, class Found = typename detail::found_for_fixed<Model, Batch>::type,
          bool Results = false>
class calibration {
  using Net = typename Model::net_type;
  using Sound = typename plan::sound_program<detail::evaluation_program<Net, Batch>>::checked;
  using Host = detail::computes_on_host<typename Model::device_type>;
  using Element = quantizes_element<typename Model::value_type>;
  static_assert(Host::agree, ESPALIER_SENTENCE("calibration{model, batch}: " ESPALIER_QUANTIZES_FLOAT, Host));
  static_assert(Element::agree, ESPALIER_SENTENCE("calibration{model, batch}: " ESPALIER_QUANTIZES_FLOAT, Element));
  using Quantizes = detail::quantizes<Model, Batch>;
  using Loops = typename Quantizes::loops;
  static_assert(Loops::agree, ESPALIER_SENTENCE("calibration{model, batch}: " ESPALIER_QUANTIZES_NO_LOOPS, Loops));
  using Products = typename Quantizes::products;
  static_assert(Products::agree,
                ESPALIER_SENTENCE("calibration{model, batch}: " ESPALIER_QUANTIZES_PRODUCTS, Products));
  using T = float;
  using Program = detail::calibrated_program<Net, Batch, Results>;
  using Preparing = detail::constants_program<Net, Batch>;
  using Call = detail::call_of_net<Net, T, Batch, Found>;
  static constexpr int counted = Quantizes::count > 0 ? Quantizes::count : 1;  // one error, not two
  using Scores = typename detail::returned_tensors<T, cpu, Found>::type;
  struct prepared {};  // tag of the constructor that evaluates what does not depend on the input

 public:
  using net_type = Net;
  /// The products that will run with integers.
  static constexpr int products = Quantizes::count;

  template <class B = Batch>
    requires(std::is_same_v<B, Batch>)
  calibration(Model const& model, B) : calibration{model, prepared{}} {}
  template <class... B>
    requires(detail::AreBatchesOf<Batch, B...>)
  calibration(Model const& model, B&&...) : calibration{model, prepared{}} {}
  /// Does not compile: the arguments are not of the types that the program writes out.
  explicit calibration(detail::any_argument = 0, detail::any_argument = 0, detail::any_argument = 0,
                       detail::any_argument = 0)
      : calibration{detail::never_called<Model const>(), Batch{}} {
    using Fit = arguments_fit_types<Model, Batch>;
    static_assert(Fit::agree, ESPALIER_SENTENCE(ESPALIER_ARGUMENTS_FIT_TYPES("calibration", "model, Batch{}"), Fit));
  }
  calibration(calibration const&) ESPALIER_DELETED("a calibration cannot be copied or moved: construct another one");
  calibration& operator=(calibration const&) = delete;

  /// calibration(x...): evaluates a batch in float and widens the ranges by what the products read.
  /// errors  other shapes and element types do not compile; quantization_error
  template <class... X>
  void operator()(X const&... x) {
    using Fit = typename detail::fit_of_inputs<Call, Scores, X...>::type;
    using Count = typename Fit::count;
    static_assert(Count::agree, ESPALIER_SENTENCE("calibration(x...): expected a tensor for each input", Count));
    using Range = typename Fit::range;
    static_assert(Range::agree, ESPALIER_SENTENCE("calibration(x...): " ESPALIER_CALL_RANGE, Range));
    using Shape = typename Fit::shape;
    static_assert(Shape::agree, ESPALIER_SENTENCE("calibration(x...): " ESPALIER_CALL_SHAPE, Shape));
    using ElementFit = typename Fit::element;
    static_assert(ElementFit::agree, ESPALIER_SENTENCE("calibration(x...): " ESPALIER_CALL_ELEMENT, ElementFit));
    if constexpr (Fit::agree && Quantizes::agree) observe(x...);
  }

  /// Whether a batch was evaluated.
  bool has_data() const { return has_data_; }
  /// What quantized{model, ranges, batch} reads; they can be stored with the parameters.
  activation_ranges<counted> const& ranges() const { return ranges_; }

 private:
  template <class... X>
  void observe(X const&... x) {
    detail::with_each(scores_, [&](auto&... y) {
      Call::with_elements(
          "calibration(x...)", [&](auto... each) { this->run(each...); }, x..., y...);
    });
    widen(std::make_integer_sequence<int, products>{});
    has_data_ = true;
  }
  calibration(Model const& model, prepared) : memory_{constant_bytes + workspace_bytes} {
    if constexpr (Quantizes::agree) prepare(model);
  }
  void prepare(Model const& model) {
    detail::program_bases b = model.bases();
    b.at[plan::base::workspace] = workspace();
    b.at[plan::base::gradients] = values();
    espalier::on_cpu::run<Preparing, T>(b.at);
  }
  static constexpr std::size_t constant_bytes = [] {
    if constexpr (Quantizes::agree) return detail::bytes_for<T>(static_cast<std::size_t>(Program::size));
    else return std::size_t{64};
  }();
  static constexpr std::size_t workspace_bytes = [] {
    if constexpr (!Quantizes::agree) return std::size_t{64};
    else {
      constexpr std::size_t run = detail::workspace_elements<Program>, once = detail::workspace_elements<Preparing>;
      return detail::bytes_for<T>(run > once ? run : once);
    }
  }();
  T* values() const { return memory_.template at<T>(0); }
  T* workspace() const { return memory_.template at<T>(constant_bytes); }

  template <class... X>
  void run(X... x) {
    [[maybe_unused]] ESPALIER_CALL_GUARD const guard{call_};
    on_device::direct_exchange exchange;
    Call::template check<Program>("calibration(x...)", exchange, x...);
    detail::program_bases b;
    b.at[plan::base::workspace] = workspace();
    b.at[plan::base::parameters] = b.at[plan::base::gradients] = values();
    Call::run(
        b, exchange, [&] { espalier::on_cpu::run<Program, T>(b.at); }, x...);
  }
  /// All ranges are found before one is changed.
  template <int... K>
  void widen(std::integer_sequence<int, K...>) {
    activation_ranges<counted> found = ranges_;
    (find_range<K>(found.data() + 2 * K), ...);
    ranges_ = found;
  }
  template <int K>
  void find_range(float* range) const {
    float const* const x = values() + Program::numbered.of[Program::constants + K];
    float low = range[0], high = range[1];
    std::uint32_t largest = 0;  // by its bits, which -ffast-math leaves alone
    for (std::int64_t i = 0; i < Program::size_of(K); ++i) {
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
      std::uint32_t const magnitude = __builtin_bit_cast(std::uint32_t, x[i]) & 0x7fffffffu;
      largest = magnitude > largest ? magnitude : largest;
    }
    if (largest >= 0x7f800000u)
      detail::raise(quantization_error("calibration(x...)", K, "expected finite numbers, got a NaN or an infinity"));
    range[0] = low;
    range[1] = high;
  }

  detail::block memory_;
  activation_ranges<counted> ranges_{};
  Scores scores_{};
  bool has_data_ = false;
  detail::call_mark call_;
};

namespace detail {

/// The members of a calibration that does not compile.
struct no_calibration : accepts_every_call<> {
  static constexpr int products = 1;
  using accepts_every_call<>::accepts_every_call;
  bool has_data() const { return true; }
  activation_ranges<1> ranges() const { return {}; }
};

}  // namespace detail

/// Does not compile. It accepts every call without a further error, so that one mistake produces one error.
template <class Model, class Batch, class... Facts, bool Results>
class calibration<Model, Batch, invalid<Facts...>, Results> : public detail::no_calibration {
  using Layers = detail::root_message_fault<invalid<Facts...>, typename Model::net_type, calibration>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::own_message_fault<invalid<Facts...>, typename Model::net_type>::report()) != 0);

 public:
  calibration(auto&&...) {}
};

/// Does not compile: the types that the program writes out are not those of a model and a batch.
template <class Model, class Batch, bool Results>
class calibration<Model, Batch, detail::misused<is_model<Model>>, Results> : public detail::no_calibration {
  static_assert(is_model<Model>::agree,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_MODEL("calibration<Model, Batch>", "esp::calibration"),
                                  is_model<Model>));

 public:
  calibration(auto&&...) {}
};
template <class Model, class Batch, bool Results>
class calibration<Model, Batch, detail::misused<is_batch<Batch>>, Results> : public detail::no_calibration {
  static_assert(is_batch<Batch>::agree || is_bounded_batch<Batch>,
                ESPALIER_SENTENCE(ESPALIER_TYPE_OF_BATCH("calibration"), is_batch<Batch>));
  static_assert(!is_bounded_batch<Batch>,
                ESPALIER_SENTENCE("calibration<Model, Batch>: " ESPALIER_BATCH_IS_FIXED, is_batch<Batch>));

 public:
  calibration(auto&&...) {}
};
/// Does not compile: the arguments are not a model and a batch.
template <class Argument, bool Results>
class calibration<detail::misused<is_model<Argument>>, void, void, Results> : public detail::no_calibration {
  static_assert(is_model<Argument>::agree,
                ESPALIER_SENTENCE("calibration{model, batch}: " ESPALIER_FIRST_IS_MODEL, is_model<Argument>));

 public:
  calibration(auto&&...) {}
};
template <class Argument, bool Results>
class calibration<detail::misused<is_batch<Argument>>, void, void, Results> : public detail::no_calibration {
  static_assert(is_batch<Argument>::agree || is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("calibration{model, batch}: " ESPALIER_BATCH_IS_SHAPE, is_batch<Argument>));
  static_assert(!is_bounded_batch<Argument>,
                ESPALIER_SENTENCE("calibration{model, batch}: " ESPALIER_BATCH_IS_FIXED, is_batch<Argument>));

 public:
  calibration(auto&&...) {}
};

template <ModelType Model, class Batch>
  requires(is_shape<Batch>)
calibration(Model const&, Batch)
->calibration<Model, std::enable_if_t<(sizeof(detail::probe_forward<typename Model::net_type, Batch>) > 0), Batch>>;
template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...>&& detail::batches_fault<Argument...>::agree)
calibration(Model const&, Argument&&...)
->calibration<Model, std::enable_if_t<
                         (sizeof(detail::probe_forward<typename Model::net_type, detail::batches_in<Argument...>>) > 0),
                         detail::batches_in<Argument...>>>;

template <ModelType Model, class... Argument>
  requires(detail::SeveralBatches<Argument...> && !detail::batches_fault<Argument...>::agree)
calibration(Model const&, Argument&&...)
->calibration<detail::misused<detail::batches_fault<Argument...>>, void, void>;
template <class First, class... More>
  requires(!ModelType<First>)
calibration(First const&, More const&...)
->calibration<detail::misused<is_model<First>>, void, void>;
template <ModelType Model, class Argument>
  requires(!is_shape<Argument>)
calibration(Model const&, Argument)
->calibration<detail::misused<is_batch<Argument>>, void, void>;
template <ModelType Model>
calibration(Model const&) -> calibration<detail::misused<is_batch<no_batch>>, void, void>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
