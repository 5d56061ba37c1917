// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "embedded_fit.hpp"
#include "given.hpp"
#include "named_tensor.hpp"
#include "reference.hpp"
#include "source.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Where random numbers start.
struct seed {
  std::uint64_t value;
};

namespace detail {

/// Facts for refusals: the device is included, T is an element type of nets, the device computes with it, the net is a module.
template <class Device>
struct model_on {
  static constexpr bool included = storage_on<Device>::included || is_arithmetic<Device>;
};
template <class Device>
struct is_a_device {
  static constexpr bool agree = !is_arithmetic<Device>;
};
template <class X>
struct is_tensor_or_view {
  static constexpr bool agree = StoredAnywhere<X>;
};
template <class... Given>
struct one_input {
  ESPALIER_READS("given {...}")
  static constexpr bool agree = sizeof...(Given) == 1;
};
template <class T>
struct real_number {
  static constexpr bool agree = is_real<T>;
};
template <class T, class Device>
struct only_stored_on {
  ESPALIER_READS("{} on {}")
  static constexpr bool agree = !is_narrow<T> || is_graphics<Device>;
};
template <class Model>
struct copied_implicitly {
  static constexpr bool agree = false;
};
template <class Given>
struct begins_with_a_seed {
  ESPALIER_READS("{} is no seed")
  static constexpr bool agree = false;
};

}  // namespace detail

/// A net's parameters and buffers: contiguous, aligned, reachable by name. Trainers and predictors refer to it; it must outlive them. A model that is moved
/// takes them along; clone() makes a model of its own, to which nobody refers.
/// shape    parameters and buffers as the net declares them
/// start    each parameter by its initializer, from a stream of its own under the seed, in the order of declaration: the same bits on every device
/// T        float or double; on a graphics processor half or bfloat16, too: parameters, buffers, activations and slopes are stored in 16 bits, begin as
///          those of float rounded, and are computed with in float; a trainer or updater keeps what the bits have no room for
/// memory   one allocation at construction, or bytes that the user gives (model::bytes of them); on a graphics processor one of its memory
/// threads  with cpu_parallel<N>, N - 1 that help trainers, predictors and updaters of the model; they start and end with it
/// device   with cuda, what it computes runs on the machine that its tensors use, or on one that is given; elements are then reached by copies:
///          named_tensor::to_host and from_host, for_each_parameter, and copy(model, other)
template <class Net, class Device = cpu, class T = float>
class model {
  static_assert(detail::model_on<Device>::included,
                ESPALIER_SENTENCE("model<Net, cuda>: include <espalier/cuda.hpp> for models on the graphics processor",
                                  ESPALIER_STATED(detail::model_on<Device>::included, Device)));
  static_assert(detail::is_a_device<Device>::agree, ESPALIER_SENTENCE("model<Net, Device, T>: a device stands before the element type; write model<Net, cpu, double>",
                                                                      detail::is_a_device<Device>));
  static_assert(detail::threads_of<Device>::included,
                ESPALIER_SENTENCE(ESPALIER_THREADS_INCLUDED, ESPALIER_STATED(detail::threads_of<Device>::included, Device)));
  static_assert(detail::thread_count<Device>::agree, ESPALIER_SENTENCE(ESPALIER_THREAD_COUNT, detail::thread_count<Device>));
  static_assert(detail::real_number<T>::agree,
                ESPALIER_SENTENCE("model<Net, Device, T>: T is float or double; half and bfloat16 on a graphics processor",
                                  detail::real_number<T>));
  static_assert(detail::only_stored_on<T, Device>::agree,
                ESPALIER_SENTENCE("model<Net, cpu, half>: this processor only stores 16-bit numbers; model<Net, cuda, half> computes with them",
                                  detail::only_stored_on<T, Device>));
  static constexpr std::int64_t parameter_storage = slots_of<Net>.parameters.storage, buffer_storage = slots_of<Net>.buffers.storage;
  using Engine = typename detail::engine_of<Device>::type;

 public:
  using engine_type = Engine;
  using net_type = Net;
  using value_type = T;
  using device_type = Device;

  static constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;
  static constexpr std::size_t parameter_bytes = detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.parameters.storage));
  static constexpr std::size_t buffer_bytes = detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.buffers.storage));
  static constexpr std::size_t bytes = parameter_bytes + buffer_bytes;

  explicit model(seed start = {0}) : memory_(engine_.take(bytes)) { initialize(start); }
  template <class Given, class... More>
    requires(detail::is_arithmetic<Given> || nn::Module<Given>)
  explicit model(Given const&, More const&...) : model{seed{0}} {
    static_assert(detail::begins_with_a_seed<Given>::agree,
                  ESPALIER_SENTENCE("model{...}: a model begins with a seed, and its net is a type; write model<Net> m{seed{1}}", detail::begins_with_a_seed<Given>));
  }
  /// machine  what runs kernels on a graphics processor: a stream of the user's; it must outlive the model
  template <class Machine>
    requires(Engine::apart && std::is_constructible_v<Engine, Machine&>)
  model(seed start, Machine& machine) : engine_{machine}, memory_(engine_.take(bytes)) {
    initialize(start);
  }
  /// errors  fewer bytes than the model needs do not compile
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, bytes>>
  model(seed start, espalier::bytes<Count>& given) : memory_(engine_.take(given, bytes)) {
    static_assert(Enough::agree, ESPALIER_SENTENCE("model{seed, bytes}: the bytes are fewer than model::bytes", Enough));
    static_assert(detail::computes_on_host<Device>::agree,
                  ESPALIER_SENTENCE("model{seed, bytes}: " ESPALIER_BYTES_OF_HOST, detail::computes_on_host<Device>));
    initialize(start);
  }
  /// weights  a header's numbers (io::write_header), of which the model takes a copy; read_only_model reads them where they are
  /// errors   a header that misses a tensor, has one too many, or one of other extents or elements, does not compile
  template <class Weights, class Fit = detail::embedded_fit<Weights, Net, T>>
  explicit model(embedded<Weights>) : memory_(engine_.take(bytes)) {
    static_assert(Fit::agree, ESPALIER_SENTENCE("model{embedded<Weights>}: " ESPALIER_HEADER_FITS, Fit));
    if constexpr (Fit::agree) take<Weights>();
  }
  template <class Weights, std::size_t Count, class Fit = detail::embedded_fit<Weights, Net, T>, class Enough = detail::enough_bytes<Count, bytes>>
  model(embedded<Weights>, espalier::bytes<Count>& given) : memory_(engine_.take(given, bytes)) {
    static_assert(Fit::agree, ESPALIER_SENTENCE("model{embedded<Weights>, bytes}: " ESPALIER_HEADER_FITS, Fit));
    static_assert(Enough::agree, ESPALIER_SENTENCE("model{embedded<Weights>, bytes}: the bytes are fewer than model::bytes", Enough));
    static_assert(detail::computes_on_host<Device>::agree,
                  ESPALIER_SENTENCE("model{embedded<Weights>, bytes}: " ESPALIER_BYTES_OF_HOST, detail::computes_on_host<Device>));
    if constexpr (Fit::agree) take<Weights>();
  }
  /// A model of its own with the same parameters, buffers, seed and number of draws, on the same device.
  /// memory  one allocation
  model clone() const { return model{by_clone{}, *this}; }
  /// What refers to the other model (trainers, predictors) refers to this one from now on. The other one is empty until it is assigned to.
  model(model&& other) noexcept : model{std::bool_constant<Engine::apart>{}, other, [&](Engine const&) { return Engine::hand_over(other.memory_); }} {
    other.references_.give(&references_, this);
  }
  ESPALIER_INLINE ~model() {}  // a function of its own would be shared by translation units with other instructions
  /// Takes the numbers of the other model: an empty model as it would be constructed, others by a copy, and then nobody's references change.
  model& operator=(model&& other) noexcept {
    if (this == &other) return *this;
    continue_with(other.seed_, other.draws_);
    if (memory_) {
      engine_.copy(data(), other.data(), bytes);
    } else {
      Engine::hand_over(other.memory_, memory_);
      other.references_.give(&references_, this);
    }
    return *this;
  }
  model(model const& other) : model{by_clone{}, other} {
    static_assert(detail::copied_implicitly<model>::agree,
                  ESPALIER_SENTENCE("model other = model: a model is copied by model.clone(), and moved by std::move(model)", detail::copied_implicitly<model>));
  }
  model& operator=(model const&) {
    static_assert(detail::copied_implicitly<model>::agree,
                  ESPALIER_SENTENCE("model = other: copy(other, model) copies the numbers of a model to another one", detail::copied_implicitly<model>));
    return *this;
  }

  /// Gives every parameter and buffer its first value again.
  void initialize(seed start) {
    seed_ = start;
    draws_ = 0;
    detail::on_host(engine_, data(), bytes, true, [&](unsigned char* at) {
      std::uint32_t number = 0;
      begin<true>(reinterpret_cast<T*>(at), number);
      begin<false>(reinterpret_cast<T*>(at + parameter_bytes), number);
    });
  }
  seed initial_seed() const { return seed_; }
  /// Counts the training runs of this model, so that each draws its own random numbers.
  std::uint64_t next_draw() { return draws_++; }
  std::uint64_t draws() const { return draws_; }
  /// Draws from now on as a model of that seed does that has drawn so often: what a training that is continued later needs, beside all elements.
  void continue_with(seed start, std::uint64_t draws) {
    seed_ = start;
    draws_ = draws;
  }

  /// All parameters in a row; gaps of zeros align each of them. On a device with memory of its own: a device_span.
  auto parameters() { return engine_.see(data(), parameter_storage); }
  auto parameters() const { return engine_.see(static_cast<T const*>(data()), parameter_storage); }
  auto buffers() { return engine_.see(buffer_data(), buffer_storage); }
  auto buffers() const { return engine_.see(static_cast<T const*>(buffer_data()), buffer_storage); }

  /// The parameter or buffer of that path ("3.fc1.weight"). Of a const model its elements are const.
  /// errors  a name that the net does not have throws name_error, with the most similar one
  auto parameter(detail::asked_name path) { return detail::get_tensor<Net, true>(engine_, path.of, data(), false); }
  auto parameter(detail::asked_name path) const { return detail::get_tensor<Net, true>(engine_, path.of, static_cast<T const*>(data()), false); }
  auto buffer(detail::asked_name path) { return detail::get_tensor<Net, false>(engine_, path.of, buffer_data(), false); }
  auto buffer(detail::asked_name path) const { return detail::get_tensor<Net, false>(engine_, path.of, static_cast<T const*>(buffer_data()), false); }

  /// The same for a name that the net may not have: what is not found converts to false and has no elements.
  auto find_parameter(detail::asked_name path) { return detail::find_tensor<Net, true>(engine_, path.of, data(), false); }
  auto find_parameter(detail::asked_name path) const { return detail::find_tensor<Net, true>(engine_, path.of, static_cast<T const*>(data()), false); }
  auto find_buffer(detail::asked_name path) { return detail::find_tensor<Net, false>(engine_, path.of, buffer_data(), false); }
  auto find_buffer(detail::asked_name path) const { return detail::find_tensor<Net, false>(engine_, path.of, static_cast<T const*>(buffer_data()), false); }

  /// The same by a name that the compiler looks up: model.parameter<"3.fc1.weight">() exists.
  /// errors  a name that the net does not have does not compile; the most similar one is shown
  template <tensor_name Name, class Found = detail::parameter_named<Net, Name>>
  auto parameter() {
    static_assert(Found::agree, ESPALIER_SENTENCE("model.parameter<name>(): " ESPALIER_HAS_NAME("parameter"), detail::name_in_words<Found>));
    return find_parameter(Name.text);
  }
  template <tensor_name Name, class Found = detail::parameter_named<Net, Name>>
  auto parameter() const {
    static_assert(Found::agree, ESPALIER_SENTENCE("model.parameter<name>(): " ESPALIER_HAS_NAME("parameter"), detail::name_in_words<Found>));
    return find_parameter(Name.text);
  }
  template <tensor_name Name, class Found = detail::buffer_named<Net, Name>>
  auto buffer() {
    static_assert(Found::agree, ESPALIER_SENTENCE("model.buffer<name>(): " ESPALIER_HAS_NAME("buffer"), detail::name_in_words<Found>));
    return find_buffer(Name.text);
  }
  template <tensor_name Name, class Found = detail::buffer_named<Net, Name>>
  auto buffer() const {
    static_assert(Found::agree, ESPALIER_SENTENCE("model.buffer<name>(): " ESPALIER_HAS_NAME("buffer"), detail::name_in_words<Found>));
    return find_buffer(Name.text);
  }

  /// f(name, extents, span) for each, in the order of declaration. On a device with memory of its own the spans are of a copy on the host, all of
  /// which goes back at the end.
  template <class F>
  void for_each_parameter(F&& f) {
    using Takes = detail::takes_tensors<F, T>;
    static_assert(Takes::agree, ESPALIER_SENTENCE("model.for_each_parameter(f): " ESPALIER_TAKES_TENSORS, Takes));
    detail::on_host(engine_, data(), parameter_bytes, true,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, true>(reinterpret_cast<T*>(at), false, f); });
  }
  template <class F>
  void for_each_buffer(F&& f) {
    using Takes = detail::takes_tensors<F, T>;
    static_assert(Takes::agree, ESPALIER_SENTENCE("model.for_each_buffer(f): " ESPALIER_TAKES_TENSORS, Takes));
    detail::on_host(engine_, buffer_data(), buffer_bytes, true,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, false>(reinterpret_cast<T*>(at), false, f); });
  }
  /// The same of a const model: the elements are const.
  template <class F>
  void for_each_parameter(F&& f) const {
    using Takes = detail::takes_tensors<F, T const>;
    static_assert(Takes::agree, ESPALIER_SENTENCE("model.for_each_parameter(f): " ESPALIER_TAKES_TENSORS, Takes));
    detail::on_host(engine_, data(), parameter_bytes, false,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, true>(reinterpret_cast<T const*>(at), false, f); });
  }
  template <class F>
  void for_each_buffer(F&& f) const {
    using Takes = detail::takes_tensors<F, T const>;
    static_assert(Takes::agree, ESPALIER_SENTENCE("model.for_each_buffer(f): " ESPALIER_TAKES_TENSORS, Takes));
    detail::on_host(engine_, buffer_data(), buffer_bytes, false,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, false>(reinterpret_cast<T const*>(at), false, f); });
  }

  /// The net's output in evaluation mode: the convenient form, which takes its workspace from the heap. A predictor keeps its own.
  /// shape   any batch that the net takes; the result lies where x does
  /// errors  layers that do not fit the batch do not compile
  template <class X>
    requires(espalier::detail::marked_tensor<X> || espalier::detail::marked_view<X>)
  auto operator()(X const& x) const {
    static_assert(sizeof(detail::first_look<Net, shape_of<X>>) > 0);
    using Found = detail::applied_net<Net, shape_of<X>>;
    using Element = detail::element_is<element_of<X>, T>;
    using Layers = detail::in_facts<Found, detail::root_at<model, X>>;
    static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(detail::say_in_words(detail::in_words<Found>{})) != 0);
    static_assert(Element::agree, ESPALIER_SENTENCE("model(x): x has another element type than the model", Element));
    static_assert(detail::reaches<Device, X>::agree, ESPALIER_SENTENCE("model(x): " ESPALIER_REACHABLE, detail::reaches<Device, X>));
    if constexpr (!layers_fit<Found>::value) return Found{};
    else if constexpr (!Element::agree) return refused<Element>{};
    else if constexpr (!detail::reaches<Device, X>::agree) return refused<detail::reaches<Device, X>>{};
    else {
      using Source = detail::evaluation_source<Net, shape_of<X>>;
      using Sound [[maybe_unused]] = typename plan::sound_program<Source>::checked;
      using S = shape_of<Found>;
      constexpr std::size_t output = detail::bytes_for<T>(shape_of<X>::size), end = output + detail::bytes_for<T>(S::size);
      tensor<T, S, typename X::device_type> y;
      auto const workspace = engine_.take(Engine::template workspace_bytes<Source, T>);
      auto exchange = engine_.template exchange_with<typename X::device_type>(end, end);
      detail::program_bases b = bases();
      b.at[plan::base::workspace] = workspace.template at<T>(0);
      b.at[plan::base::arguments] = exchange.give(detail::elements_of<T const>(x), 0);
      b.at[plan::base::results] = exchange.want(detail::elements_of<T>(y), output);
      exchange.send();
      engine_.template run<Source, T>(b.at);
      exchange.fetch(output, detail::bytes_for<T>(S::size));
      exchange.take(detail::elements_of<T>(y), output);
      return y;
    }
  }

  /// A formula is refused, since its memory is the caller's business, and a range, since its elements have no shape.
  template <class X>
    requires((Expression<X> || detail::Range<X>) && !StoredAnywhere<X> && !is_refused<X>)
  auto operator()(X const&) const {
    static_assert(detail::is_tensor_or_view<X>::agree, ESPALIER_SENTENCE("model(x): x is an expression, write model(evaluate(x)), or a range without a shape, "
                                                                         "write model(view<T const, shape<N, ...>>(x))", detail::is_tensor_or_view<X>));
    return refused<detail::is_tensor_or_view<X>>{};
  }
  /// Refused: a model has one input.
  template <class First, class Second, class... More>
  auto operator()(First const&, Second const&, More const&...) const {
    using Input = detail::one_input<First, Second, More...>;
    static_assert(Input::agree, ESPALIER_SENTENCE("model(x): a model takes one input; value_and_grad(model, loss)(x, y) compares its output with targets, and a "
                                                  "forward of several inputs is a module inside the net", Input));
    return refused<Input>{};
  }
  /// A refusal has been said already.
  template <class... Facts>
  refused<Facts...> operator()(refused<Facts...> said) const {
    return said;
  }

  /// Those that refer to this model.
  detail::references& referring() const { return references_; }
  /// What runs this model's programs: its device.
  Engine const& engine() const { return engine_; }
  /// The start of a program's table of pointers.
  detail::program_bases bases() const {
    detail::program_bases b{};
    b.at[plan::base::parameters] = data();
    b.at[plan::base::buffers] = buffer_data();
    return b;
  }

 private:
  struct by_clone {};
  model(by_clone, model const& other) : model{std::bool_constant<Engine::apart>{}, other, [](Engine const& own) { return own.take(bytes); }} {
    engine_.copy(data(), other.data(), bytes);
  }
  /// Beside another model, with threads of its own, or on the same machine.
  template <class Memory>
  model(std::false_type, model const& other, Memory memory) : memory_(memory(engine_)), seed_{other.seed_}, draws_{other.draws_} {}
  template <class Memory>
  model(std::true_type, model const& other, Memory memory) : engine_{other.engine_}, memory_(memory(engine_)), seed_{other.seed_}, draws_{other.draws_} {}

  T* data() const {
    assert((bytes == 0 || memory_) && "this model was moved from; it has no numbers until another one is assigned to it");
    return memory_.template at<T>(0);
  }
  T* buffer_data() const { return data() + parameter_bytes / sizeof(T); }

  template <class Weights>
  void take() {
    detail::on_host(engine_, data(), bytes, true,
                    [&](unsigned char* at) { detail::copy_embedded<Weights, Net>(reinterpret_cast<T*>(at), reinterpret_cast<T*>(at + parameter_bytes)); });
  }

  template <bool Parameters, class Number>
  void fill(Number* base, std::uint32_t& number) {
    for (int i = 0; i < detail::tensor_count<Net, Parameters>; ++i) {
      detail::tensor_row const& row = detail::rows_of<Net, Parameters>.at[i];
      detail::fill_functions_of<Net, Parameters, Number>.at[i](base + row.offset, row.shape.size(), seed_.value, number++);
    }
  }
  /// First values are drawn in what is computed with, and rounded.
  template <bool Parameters>
  void begin(T* base, std::uint32_t& number) {
    using Number = detail::computed_in<T>;
    if constexpr (std::is_same_v<Number, T>) {
      fill<Parameters>(base, number);
    } else {
      constexpr std::int64_t count = Parameters ? parameter_storage : buffer_storage;
      detail::block const drawn{detail::bytes_for<Number>(static_cast<std::size_t>(count))};
      Number* const from = drawn.template at<Number>(0);
      fill<Parameters>(from, number);
      for (std::int64_t i = 0; i < count; ++i) base[i] = static_cast<T>(from[i]);
    }
  }

  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
  seed seed_{};
  std::uint64_t draws_ = 0;
  mutable detail::references references_;
  // Behind the members: clang knows none that stands behind an assertion that fails.
  static_assert(detail::net_is_public<Net>::agree, ESPALIER_SENTENCE(ESPALIER_NET_IS_PUBLIC, detail::net_is_public<Net>));
  static_assert(detail::is_net<Net>::agree || !detail::net_is_public<Net>::agree, ESPALIER_SENTENCE(ESPALIER_IS_NET, detail::is_net<Net>));
  using Made = decltype(detail::unsaid_list_fault<Net, model>());
  static_assert(Made::known, ESPALIER_SENTENCE(ESPALIER_MEMBERS_KNOWN, ESPALIER_UNLESS(Made::known, Made)));
  static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
  static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
  static_assert(sizeof(detail::say_in_words(detail::in_words<detail::net_fault<Net>>{})) != 0);
};
/// A net as an object is refused: a model makes its own.
template <nn::Module Net, class... More>
model(Net const&, More const&...) -> model<Net>;

}  // namespace espalier
#pragma GCC diagnostic pop
