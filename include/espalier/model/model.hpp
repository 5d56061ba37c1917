// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/parts.hpp"
#include "applied_net.hpp"
#include "embedded_fit.hpp"
#include "frozen_module.hpp"
#include "initial_values.hpp"
#include "misuse.hpp"
#include "model_argument.hpp"
#include "model_fit.hpp"
#include "model_lifetime.hpp"
#include "named_tensor.hpp"
#include "net_call.hpp"
#include "on_host.hpp"
#include "output_shape.hpp"
#include "net_report.hpp"
#include "parameter_count.hpp"
#include "range_arguments.hpp"
#include "reference.hpp"
#include "seed.hpp"

namespace espalier {

/// Holds a net's parameters and buffers: contiguous, aligned, accessible by name. Trainers and predictors refer to the
/// model, which must outlive them. Their references follow a model that is moved; clone() makes an independent model.
/// shape    parameters and buffers as the net declares them
/// start    each initializer uses its own random stream of the seed, in the order of declaration: the same bits on
///          every device
/// T        float, double, half or bfloat16. Half and bfloat16 are stored in 16 bits and computed in float; initial
///          values are those of float, rounded. On a graphics processor, activations and gradients have 16 bits, too,
///          and a trainer or updater keeps master weights in float. On the processor, only parameters and buffers do:
///          inputs and results are float, and such a model is evaluated, not trained
/// memory   one allocation at construction, or `bytes` bytes that you pass; on a graphics processor, in its memory
/// threads  with cpu_parallel<N>, N - 1 threads that help trainers, predictors and updaters of the model; they start
///          and end with it
/// several  with cuda_parallel<N>, each of N devices has all numbers. What you write goes to all; what you read is that
///          of device 0
/// together with distributed<>, a model belongs to one of several processes, which train it together (trainer). With
///          distributed<cuda>, it is on the graphics processor processes.device(), which becomes current
/// device   with cuda, programs run on the backend that the model's tensors use, or on one that you pass. Elements are
///          then accessible by copies: named_tensor::to_host and from_host, for_each_parameter, and copy(model, other)
template <class Net, class Device = cpu, class T = float>
class model {
  static_assert(detail::model_on<Device>::included,
                ESPALIER_SENTENCE("model<Net, cuda>: include <espalier/cuda.hpp> for models on the graphics processor "
                                  "(cuda_parallel: <espalier/cuda_parallel.hpp>; distributed<cuda>: "
                                  "<espalier/cuda_distributed.hpp>)",
                                  ESPALIER_STATED(detail::model_on<Device>::included, Device)));
  static_assert(
      detail::is_a_device<Device>::agree,
      ESPALIER_SENTENCE(
          "model<Net, Device, T>: the device is the second template argument, before the element type; write model<Net, cpu, double>",
          detail::is_a_device<Device>));
  static_assert(detail::threads_of<Device>::included,
                ESPALIER_SENTENCE(ESPALIER_THREADS_INCLUDED,
                                  ESPALIER_STATED(detail::threads_of<Device>::included, Device)));
  static_assert(nn::detail::input_is_supported<Net>::agree,
                ESPALIER_SENTENCE("model<Net>: input_element of the net is std::int32_t, or left out for real numbers",
                                  nn::detail::input_is_supported<Net>));
  static_assert(detail::thread_count<Device>::agree,
                ESPALIER_SENTENCE(ESPALIER_THREAD_COUNT, detail::thread_count<Device>));
  static_assert(detail::real_number<T>::agree,
                ESPALIER_SENTENCE("model<Net, Device, T>: T is float, double, half or bfloat16",
                                  detail::real_number<T>));
  static_assert(
      detail::device_count<Device>::agree,
      ESPALIER_SENTENCE("model<Net, cuda_parallel<N, BucketBytes>>: N must be 1 to 64 devices, and a bucket of "
                        "gradients at least 1 byte",
                        detail::device_count<Device>));
  static_assert(detail::device_of_process<Device>::agree,
                ESPALIER_SENTENCE("model<Net, distributed<Device>>: Device must be cpu, cpu_parallel<N> or cuda",
                                  detail::device_of_process<Device>));
  static constexpr std::int64_t parameter_storage = slots_of<Net>.parameters.storage,
                                buffer_storage = slots_of<Net>.buffers.storage;
  using Engine = typename detail::engine_of<Device>::type;
  using Computed = detail::activation<T, Device>;

 public:
  using engine_type = Engine;
  using net_type = Net;
  using value_type = T;
  using device_type = Device;

  static constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;
  static constexpr std::size_t parameter_bytes =
      detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.parameters.storage));
  static constexpr std::size_t buffer_bytes =
      detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.buffers.storage));
  static constexpr std::size_t bytes = parameter_bytes + buffer_bytes;

  explicit model(seed start = {0}) : memory_(engine_.allocate(bytes)) {
    using Alone = detail::begins_alone<model>;
    static_assert(Alone::agree, ESPALIER_SENTENCE("model<Net, distributed<>> m{seed}: " ESPALIER_BEGINS_ALONE, Alone));
    initialize(start);
  }
  template <class Argument, class... More>
    requires(detail::is_arithmetic<Argument> || nn::Module<Argument> || std::is_constructible_v<Engine, Argument&>)
  explicit model(Argument const&, More const&...) : memory_(engine_.allocate(bytes)) {
    static_assert(
        detail::begins_with_a_seed<Argument>::agree,
        ESPALIER_SENTENCE(
            "model{...}: the first argument must be a seed, and the net a template argument; write model<Net> m{seed{1}}",
            detail::begins_with_a_seed<Argument>));
  }
  /// backend  runs kernels on a graphics processor, for example on a stream of yours; with distributed, the processes
  ///          that train together (esp::mpi). It must outlive the model
  template <class Backend>
    requires((Engine::has_device_memory || detail::is_distributed<Device>)&&std::is_constructible_v<Engine, Backend&>)
  model(seed start, Backend& backend) : engine_{backend}, memory_(engine_.allocate(bytes)) { initialize(start); }
  template <class Argument>
    requires(!std::is_constructible_v<Engine, Argument&> && !detail::is_bytes<Argument>)
  model(seed, Argument&) : memory_(engine_.allocate(bytes)) {
    using After = detail::takes_after_seed<Device, Argument>;
    static_assert(After::agree, ESPALIER_SENTENCE("model{seed, x}: " ESPALIER_TAKES_AFTER_SEED, After));
  }
  /// errors  fewer bytes than the model needs do not compile
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, bytes>>
  model(seed start, espalier::bytes<Count>& storage) : memory_(engine_.allocate(storage, bytes)) {
    static_assert(Enough::agree, ESPALIER_SENTENCE("model{seed, bytes}: " ESPALIER_FEWER_BYTES("model"), Enough));
    static_assert(detail::computes_on_host<Device>::agree,
                  ESPALIER_SENTENCE("model{seed, bytes}: " ESPALIER_BYTES_OF_HOST, detail::computes_on_host<Device>));
    initialize(start);
  }
  /// weights  a header's numbers (io::write_header), which the model copies; read_only_model uses them without a copy
  /// errors   a header with a missing tensor, an additional one, other extents or another element type does not compile
  template <class Weights, class Fit = detail::embedded_fit<Weights, Net, T>>
  explicit model(embedded<Weights>) : memory_(engine_.allocate(bytes)) {
    static_assert(Fit::agree, ESPALIER_SENTENCE("model{embedded<Weights>}: " ESPALIER_HEADER_FITS, Fit));
    if constexpr (Fit::agree) load_weights<Weights>();
  }
  template <class Weights, std::size_t Count, class Fit = detail::embedded_fit<Weights, Net, T>,
            class Enough = detail::enough_bytes<Count, bytes>>
  model(embedded<Weights>, espalier::bytes<Count>& storage) : memory_(engine_.allocate(storage, bytes)) {
    static_assert(Fit::agree, ESPALIER_SENTENCE("model{embedded<Weights>, bytes}: " ESPALIER_HEADER_FITS, Fit));
    static_assert(Enough::agree,
                  ESPALIER_SENTENCE("model{embedded<Weights>, bytes}: " ESPALIER_FEWER_BYTES("model"), Enough));
    static_assert(detail::computes_on_host<Device>::agree,
                  ESPALIER_SENTENCE("model{embedded<Weights>, bytes}: " ESPALIER_BYTES_OF_HOST,
                                    detail::computes_on_host<Device>));
    if constexpr (Fit::agree) load_weights<Weights>();
  }
  /// An independent model with the same parameters, buffers, seed and count of training runs, on the same device.
  /// memory  one allocation
  model clone() const { return model{by_clone{}, *this}; }
  /// Trainers and predictors of the other model now refer to this one. The other model is empty until you assign to it.
  model(model&& other) noexcept
      : model{std::bool_constant<detail::has_engine_of_its_own<Device>>{}, other,
              [&](Engine const&) { return Engine::hand_over(other.memory_); }} {
    other.references_.redirect(&references_, this);
  }
  ESPALIER_INLINE ~model() {}  // inlined: translation units for other instruction sets would share a function
  /// Moves the other model's numbers. An empty model receives memory and references. Any other model copies the
  /// numbers, and no references change.
  model& operator=(model&& other) noexcept {
    if (this == &other) return *this;
    continue_with(other.seed_, other.random_steps_);
    if (memory_) {
      engine_.copy(data(), other.data(), bytes);
    } else {
      Engine::hand_over(other.memory_, memory_);
      other.references_.redirect(&references_, this);
    }
    return *this;
  }
  model(model const&) ESPALIER_DELETED("a model is copied by model.clone(), and moved by std::move(model)");
  model& operator=(model const&) ESPALIER_DELETED("copy(other, model) copies the numbers of a model to another one");

  /// Resets every parameter and buffer to its initial value.
  void initialize(seed start) {
    seed_ = start;
    random_steps_ = 0;
    detail::on_host(engine_, data(), bytes, true, [&](unsigned char* at) {
      std::uint32_t number = 0;
      begin<true>(reinterpret_cast<T*>(at), number);
      begin<false>(reinterpret_cast<T*>(at + parameter_bytes), number);
    });
  }
  seed initial_seed() const { return seed_; }
  /// Counts the training runs of this model, so that each has its own random numbers.
  std::uint64_t next_random_step() { return random_steps_++; }
  std::uint64_t random_steps() const { return random_steps_; }
  /// Continues with the random numbers of a model with that seed after that many training runs. A resumed training has
  /// to restore these and all elements.
  void continue_with(seed start, std::uint64_t random_steps) {
    seed_ = start;
    random_steps_ = random_steps;
  }

  /// All parameters, contiguous; zeros fill the gaps that align each tensor. On a device with its own memory: a
  /// device_span.
  auto parameters() & { return engine_.span_of(data(), parameter_storage); }
  auto parameters() const& { return engine_.span_of(static_cast<T const*>(data()), parameter_storage); }
  auto buffers() & { return engine_.span_of(buffer_data(), buffer_storage); }
  auto buffers() const& { return engine_.span_of(static_cast<T const*>(buffer_data()), buffer_storage); }

  /// Do not compile: they refer to memory of a temporary model.
  template <class Lives = detail::lives_on<model>>
  auto parameters() && {
    return detail::memory_of_temporary<Lives>::in(*this).parameters();
  }
  template <class Lives = detail::lives_on<model>>
  auto buffers() && {
    return detail::memory_of_temporary<Lives>::in(*this).buffers();
  }
  template <class Lives = detail::lives_on<model>>
  auto parameter(detail::name_argument path) && {
    return detail::memory_of_temporary<Lives>::in(*this).parameter(path);
  }
  template <class Lives = detail::lives_on<model>>
  auto buffer(detail::name_argument path) && {
    return detail::memory_of_temporary<Lives>::in(*this).buffer(path);
  }
  template <class Lives = detail::lives_on<model>>
  auto find_parameter(detail::name_argument path) && {
    return detail::memory_of_temporary<Lives>::in(*this).find_parameter(path);
  }
  template <class Lives = detail::lives_on<model>>
  auto find_buffer(detail::name_argument path) && {
    return detail::memory_of_temporary<Lives>::in(*this).find_buffer(path);
  }
  template <tensor_name Name, class Lives = detail::lives_on<model>>
  auto parameter() && {
    return detail::memory_of_temporary<Lives>::in(*this).template parameter<Name>();
  }
  template <tensor_name Name, class Lives = detail::lives_on<model>>
  auto buffer() && {
    return detail::memory_of_temporary<Lives>::in(*this).template buffer<Name>();
  }

  /// The parameter or buffer with that path ("3.fc1.weight"). The elements of a const model are const.
  /// errors  an unknown name throws name_error, which shows the most similar name
  auto parameter(detail::name_argument path) & {
    return detail::get_tensor<Net, true>(engine_, path.of, data(), false);
  }
  auto parameter(detail::name_argument path) const& {
    return detail::get_tensor<Net, true>(engine_, path.of, static_cast<T const*>(data()), false);
  }
  auto buffer(detail::name_argument path) & {
    return detail::get_tensor<Net, false>(engine_, path.of, buffer_data(), false);
  }
  auto buffer(detail::name_argument path) const& {
    return detail::get_tensor<Net, false>(engine_, path.of, static_cast<T const*>(buffer_data()), false);
  }

  /// The same, but an unknown name is no error: the result converts to false and has no elements.
  auto find_parameter(detail::name_argument path) & {
    return detail::find_tensor<Net, true>(engine_, path.of, data(), false);
  }
  auto find_parameter(detail::name_argument path) const& {
    return detail::find_tensor<Net, true>(engine_, path.of, static_cast<T const*>(data()), false);
  }
  auto find_buffer(detail::name_argument path) & {
    return detail::find_tensor<Net, false>(engine_, path.of, buffer_data(), false);
  }
  auto find_buffer(detail::name_argument path) const& {
    return detail::find_tensor<Net, false>(engine_, path.of, static_cast<T const*>(buffer_data()), false);
  }

  /// The same for a name that is checked at compile time: the parameter model.parameter<"3.fc1.weight">() always
  /// exists.
  /// errors  an unknown name does not compile; the error shows the most similar name
  template <tensor_name Name, class Found = detail::parameter_named<Net, Name>>
  auto parameter() & {
    static_assert(Found::agree, ESPALIER_SENTENCE("model.parameter<name>(): " ESPALIER_HAS_NAME("parameter"),
                                                  detail::name_fact<Found>));
    return find_parameter(Name.text);
  }
  template <tensor_name Name, class Found = detail::parameter_named<Net, Name>>
  auto parameter() const& {
    static_assert(Found::agree, ESPALIER_SENTENCE("model.parameter<name>(): " ESPALIER_HAS_NAME("parameter"),
                                                  detail::name_fact<Found>));
    return find_parameter(Name.text);
  }
  template <tensor_name Name, class Found = detail::buffer_named<Net, Name>>
  auto buffer() & {
    static_assert(Found::agree,
                  ESPALIER_SENTENCE("model.buffer<name>(): " ESPALIER_HAS_NAME("buffer"), detail::name_fact<Found>));
    return find_buffer(Name.text);
  }
  template <tensor_name Name, class Found = detail::buffer_named<Net, Name>>
  auto buffer() const& {
    static_assert(Found::agree,
                  ESPALIER_SENTENCE("model.buffer<name>(): " ESPALIER_HAS_NAME("buffer"), detail::name_fact<Found>));
    return find_buffer(Name.text);
  }

  /// Calls f(name, extents, span) for each parameter, in the order of declaration. On a device with its own memory, the
  /// spans refer to a copy on the host. It is copied back as a whole at the end.
  template <class F>
  void for_each_parameter(F&& f) {
    using Accepts = detail::accepts_tensors<F, T>;
    static_assert(Accepts::agree, ESPALIER_SENTENCE("model.for_each_parameter(f): " ESPALIER_ACCEPTS_TENSORS, Accepts));
    detail::on_host(engine_, data(), parameter_bytes, true,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, true>(reinterpret_cast<T*>(at), false, f); });
  }
  template <class F>
  void for_each_buffer(F&& f) {
    using Accepts = detail::accepts_tensors<F, T>;
    static_assert(Accepts::agree, ESPALIER_SENTENCE("model.for_each_buffer(f): " ESPALIER_ACCEPTS_TENSORS, Accepts));
    detail::on_host(engine_, buffer_data(), buffer_bytes, true, [&](unsigned char* at) {
      detail::for_each_tensor<Net, false>(reinterpret_cast<T*>(at), false, f);
    });
  }
  /// The same for a const model: the elements are const.
  template <class F>
  void for_each_parameter(F&& f) const {
    using Accepts = detail::accepts_tensors<F, T const>;
    static_assert(Accepts::agree, ESPALIER_SENTENCE("model.for_each_parameter(f): " ESPALIER_ACCEPTS_TENSORS, Accepts));
    detail::on_host(engine_, data(), parameter_bytes, false, [&](unsigned char* at) {
      detail::for_each_tensor<Net, true>(reinterpret_cast<T const*>(at), false, f);
    });
  }
  template <class F>
  void for_each_buffer(F&& f) const {
    using Accepts = detail::accepts_tensors<F, T const>;
    static_assert(Accepts::agree, ESPALIER_SENTENCE("model.for_each_buffer(f): " ESPALIER_ACCEPTS_TENSORS, Accepts));
    detail::on_host(engine_, buffer_data(), buffer_bytes, false, [&](unsigned char* at) {
      detail::for_each_tensor<Net, false>(reinterpret_cast<T const*>(at), false, f);
    });
  }

  /// The net's output in evaluation mode, for one input or several: model(x), model(x, h). If forward returns a
  /// std::tuple, the call returns a std::tuple of tensors. This convenient form allocates its workspace in each call; a
  /// predictor keeps its own.
  /// shape   any batch that fits the net; the result is on the device of x
  /// errors  layers that do not fit the batch, and another number of inputs than forward takes do not compile
  template <class... X>
    requires(sizeof...(X) > 0 && ((espalier::detail::marked_tensor<X> || espalier::detail::marked_view<X>)&&...))
  auto operator()(X const&... x) const {
    using Batch = detail::batch_of_shapes<shape_of<X>...>;
    static_assert(sizeof(detail::probe_forward<Net, Batch>) > 0);
    using Found = detail::results_of_net<Net, Batch>;
    using Element =
        std::conditional_t<layers_fit<Found>::agree, detail::elements_of_inputs<Net, Computed, X...>, agreed>;
    using Layers = detail::root_message_fault<Found, Net, detail::root_at<model, X...>>;
    using Devices = typename detail::common_device<typename X::device_type...>::relation;
    static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(detail::own_message_fault<Found, Net>::report()) != 0);
    static_assert(Element::agree || sizeof...(X) > 1, ESPALIER_SENTENCE("model(x): " ESPALIER_INPUT_ELEMENT, Element));
    static_assert(Element::agree || sizeof...(X) == 1,
                  ESPALIER_SENTENCE("model(x...): " ESPALIER_INPUTS_ELEMENT, Element));
    static_assert(detail::reaches<Device, X...>::agree,
                  ESPALIER_SENTENCE("model(x): " ESPALIER_REACHABLE, detail::reaches<Device, X...>));
    static_assert(Devices::agree, ESPALIER_SENTENCE("model(x...): " ESPALIER_DEVICES_OF_INPUTS, Devices));
    if constexpr (!layers_fit<Found>::agree) return detail::results_of_fault<Net, sizeof...(X)>(Found{});
    else if constexpr (!Element::agree) return detail::results_of_fault<Net, sizeof...(X)>(invalid<Element>{});
    else if constexpr (!detail::reaches<Device, X...>::agree) return invalid<detail::reaches<Device, X...>>{};
    else if constexpr (!Devices::agree) return invalid<Devices>{};
    else {
      using Program = plan::program_for<detail::evaluation_program<Net, Batch>, T, Computed>;
      using Sound [[maybe_unused]] = typename plan::sound_program<Program>::checked;
      using Call = detail::call_of_net<Net, Computed, Batch, Found>;
      using From = typename detail::common_device<typename X::device_type...>::type;
      typename detail::returned_tensors<Computed, From, Found>::type y;
      using Evaluating = on_device::evaluating<Engine>;
      auto const& engine = Evaluating::of(engine_);
      auto const workspace = engine.allocate(Engine::template run_bytes<Program, Computed>);
      auto exchange = engine.template make_exchange_with<From>(Call::end, Call::end);
      void const* const inputs[]{x.data()...};
      auto const indices = [&](int i) { return static_cast<std::int32_t const*>(inputs[i]); };
      if constexpr (std::is_same_v<From, cpu>)
        detail::check_indices<Program>([&](int i, std::int64_t) { return indices(i); });
      else detail::check_indices_of<Program>(engine_, indices);
      detail::program_bases b = bases();
      b.at[plan::base::workspace] = workspace.template at<Computed>(0);
      detail::with_each(y, [&](auto&... each) {
        Call::run(
            b, exchange, [&] { engine.template run<Program, Computed>(b.at); }, detail::input_elements(x)...,
            detail::elements_of<Computed>(each)...);
      });
      return y;
    }
  }

  /// Does not compile: x is a formula, whose memory the caller has to choose, or a range, whose elements have no shape.
  template <class... X>
    requires(detail::has_input_without_memory<X...>)
  auto operator()(X const&...) const {
    using Inputs = detail::inputs_in_memory<X...>;
    static_assert(
        Inputs::agree,
        ESPALIER_SENTENCE("model(x): x is a tensor or view; of an expression write model(evaluate(x)), of a range "
                          "model(view<T const, shape<N, ...>>(x)), of a tuple model(x, h, c); a number is a "
                          "tensor<T, shape<>>",
                          Inputs));
    return detail::results_of_fault<Net, sizeof...(X)>(invalid<Inputs>{});
  }
  /// Passes on an `invalid` operand, whose error is already reported.
  template <class... X>
    requires((is_invalid<X> || ...))
  auto operator()(X const&...) const { return typename detail::first_invalid<X...>::type{}; }

  /// The list of references to this model.
  detail::references& referring() const { return references_; }
  /// The engine of the model's device, which runs its programs.
  Engine const& engine() const { return engine_; }
  /// The pointers to parameters and buffers in a program's table of bases.
  detail::program_bases bases() const {
    detail::program_bases b;
    if constexpr (Engine::has_device_memory) b = {};  // a device may look at all of them
    b.at[plan::base::parameters] = data();
    b.at[plan::base::buffers] = buffer_data();
    return b;
  }

 private:
  struct by_clone {};
  model(by_clone, model const& other)
      : model{std::bool_constant<detail::has_engine_of_its_own<Device>>{}, other,
              [](Engine const& own) { return own.allocate(bytes); }} {
    engine_.copy(data(), other.data(), bytes);
  }
  /// Constructs a model like another one: with its own threads on the host, or on the same backend or processes.
  template <class Memory>
  model(std::true_type, model const& other, Memory memory)
      : memory_(memory(engine_)), seed_{other.seed_}, random_steps_{other.random_steps_} {}
  template <class Memory>
  model(std::false_type, model const& other, Memory memory)
      : engine_{detail::source_of_engine(other.engine_)},
        memory_(memory(engine_)),
        seed_{other.seed_},
        random_steps_{other.random_steps_} {}

  T* data() const {
    assert((bytes == 0 || memory_) &&
           "this model was moved from; it has no numbers until another one is assigned to it");
    return memory_.template at<T>(0);
  }
  T* buffer_data() const { return data() + parameter_bytes / sizeof(T); }

  template <class Weights>
  void load_weights() {
    detail::on_host(engine_, data(), bytes, true, [&](unsigned char* at) {
      detail::copy_embedded<Weights, Net>(reinterpret_cast<T*>(at), reinterpret_cast<T*>(at + parameter_bytes));
    });
  }

  template <bool Parameters, class Number>
  void fill(Number* base, std::uint32_t& number) {
    for (int i = 0; i < detail::tensor_count<Net, Parameters>; ++i) {
      detail::tensor_row const& row = detail::rows_of<Net, Parameters>.at[i];
      detail::fill_functions_of<Net, Parameters, Number>.at[i](base + row.offset, row.shape.size(), seed_.value,
                                                               number++);
    }
  }
  /// Computes initial values in the type of computation (float for 16 bits), then rounds them.
  template <bool Parameters>
  void begin(T* base, std::uint32_t& number) {
    using Number = detail::computed_in<T>;
    if constexpr (std::is_same_v<Number, T>) {
      fill<Parameters>(base, number);
    } else {
      constexpr std::int64_t count = Parameters ? parameter_storage : buffer_storage;
      detail::block const first_values{detail::bytes_for<Number>(static_cast<std::size_t>(count))};
      Number* const from = first_values.template at<Number>(0);
      fill<Parameters>(from, number);
      for (std::int64_t i = 0; i < count; ++i) base[i] = static_cast<T>(from[i]);
    }
  }

  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
  seed seed_{};
  std::uint64_t random_steps_ = 0;
  mutable detail::references references_;
  // The assertions follow the members: clang does not find members that follow a failed assertion. The most frequent
  // ones are here and not only in own_message, where clang takes two lines more.
  using Kind = decltype(detail::unreported_kind_fault<Net, model>());
  static_assert(Kind::agree || detail::net_is_public<Net>::agree,
                ESPALIER_SENTENCE("model<Net>: " ESPALIER_NET_IS_PUBLIC, detail::net_is_public<Net>));
  static_assert(Kind::agree || !detail::net_is_public<Net>::agree,
                ESPALIER_SENTENCE("model<Net>: " ESPALIER_IS_NET, detail::is_net<Net>));
  using Made = decltype(detail::unreported_list_fault<Net, model>());
  static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
  static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
  static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
  static_assert(sizeof(detail::own_message_fault<detail::net_fault<Net>, Net>::report()) != 0);
  using Begins = detail::initial_fault<Net, T>;
  static_assert(Begins::agree, ESPALIER_SENTENCE("model<Net>: " ESPALIER_INITIAL_ELEMENTS, Begins));
};
/// Does not compile: a net is passed as an object, but a model constructs its own.
template <nn::Module Net, class... More>
model(Net const&, More const&...) -> model<Net>;

/// Named relation: evaluate(net, x) is called in the body of a function.
template <class Model>
struct evaluated_in_a_body {
  ESPALIER_READS("got {}")
  static constexpr bool agree = false;
};
/// Does not compile: a model evaluates its net by a call.
template <ModelType Model, class... X>
  requires(sizeof...(X) > 0)
constexpr auto evaluate(Model const&, X const&...) {
  static_assert(
      evaluated_in_a_body<Model>::agree,
      ESPALIER_SENTENCE("evaluate(model, x): write model(x), which evaluates the net; evaluate(net, x) is for "
                        "an argument net of a function, which compiled(f, model, x) calls",
                        evaluated_in_a_body<Model>));
  return invalid<already_reported>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
