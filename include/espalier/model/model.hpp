// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/text.hpp"
#include "../device/cpu/run.hpp"
#include "../storage/bytes.hpp"
#include "../storage/tensor.hpp"
#include "source.hpp"

namespace espalier {

/// Where random numbers start.
struct seed {
  std::uint64_t value;
};

/// A parameter or buffer of a model, found by name.
template <class T>
class named_tensor {
 public:
  named_tensor(char const* path, extents const& shape, T* data) : shape_{shape}, data_{data} {
    std::size_t i = 0;
    for (; path[i] != 0 && i + 1 < sizeof name_; ++i) name_[i] = path[i];
    name_[i] = 0;
  }
  char const* name() const { return name_; }
  extents const& shape() const { return shape_; }
  espalier::span<T> span() const { return {data_, data_ != nullptr ? shape_.size() : 0}; }
  /// False for a name that the model does not have.
  explicit operator bool() const { return data_ != nullptr; }

 private:
  char name_[256];
  extents shape_;
  T* data_;
};

namespace detail {

/// The tensor of a path; one that does not exist converts to false.
template <class Net, bool Parameters, class T>
named_tensor<T> find_tensor(char const* wanted, T* base, bool trainable_only) {
  named_tensor<T> found{wanted, extents{}, nullptr};
  for_each_tensor<Net, Parameters>(base, trainable_only, [&](char const* path, extents const& shape, espalier::span<T> elements) {
    if (same_text(path, wanted)) found = named_tensor<T>{path, shape, elements.data()};
  });
  return found;
}

/// The pointers of a running program.
struct program_bases {
  void* at[plan::base::count];
};

template <class Source>
inline constexpr std::size_t workspace_elements = static_cast<std::size_t>(plan::plan_of<Source>.places.workspace);

/// Aligned bytes for some elements.
template <class T>
constexpr std::size_t bytes_for(std::size_t elements) {
  return (elements * sizeof(T) + tensor_alignment - 1) / tensor_alignment * tensor_alignment;
}

/// Facts for refusals: the device is included, T is an element type of nets, the net is a module.
template <class Device>
struct model_on {
  static constexpr bool included = std::is_same_v<Device, cpu> || is_parallel<Device>;
};
template <class X>
struct is_tensor_or_view {
  static constexpr bool agree = Stored<X>;
};
template <class T>
struct real_number {
  static constexpr bool agree = real_element<T>;
};
template <class Net>
struct is_net {
  static constexpr bool agree = nn::Module<Net>;
};

}  // namespace detail

/// A net's parameters and buffers: contiguous, aligned, reachable by name. Trainers and predictors refer to it; it must outlive them.
/// shape    parameters and buffers as the net declares them
/// start    each parameter by its initializer, from a stream of its own under the seed, in the order of declaration
/// memory   one allocation at construction, or bytes that the user gives (model::bytes of them)
/// threads  with cpu_parallel<N>, N - 1 that help trainers, predictors and updaters of the model; they start and end with it
template <class Net, class Device = cpu, class T = float>
class model {
  static_assert(detail::model_on<Device>::included, "model<Net, cuda>: include <espalier/cuda.hpp> for models on the graphics processor");
  static_assert(detail::threads_of<Device>::included, ESPALIER_THREADS_INCLUDED);
  static_assert(detail::thread_count<Device>::agree, ESPALIER_THREAD_COUNT);
  static_assert(detail::real_number<T>::agree, "model<Net, Device, T>: T is float or double");
  static_assert(detail::is_net<Net>::agree, "model<Net>: the net is no module; write ESPALIER_MODULE(Net, members...) in it");
  static_assert(nn::well_made<Net>::known, ESPALIER_MEMBERS_KNOWN);
  static_assert(nn::well_made<Net>::complete, ESPALIER_MEMBERS_LISTED);
  static_assert(nn::well_made<Net>::objects, ESPALIER_MEMBERS_ARE_OBJECTS);
  static constexpr std::int64_t parameter_storage = slots_of<Net>.parameters.storage, buffer_storage = slots_of<Net>.buffers.storage;

 public:
  using net_type = Net;
  using value_type = T;
  using device_type = Device;

  static constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;
  static constexpr std::size_t parameter_bytes = detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.parameters.storage));
  static constexpr std::size_t buffer_bytes = detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.buffers.storage));
  static constexpr std::size_t bytes = parameter_bytes + buffer_bytes;

  explicit model(seed start = {0}) : memory_{bytes} { initialize(start); }
  /// errors  fewer bytes than the model needs do not compile
  template <std::size_t Count, class Enough = detail::enough_bytes<Count, bytes>>
  model(seed start, espalier::bytes<Count>& given) : memory_{given, bytes} {
    static_assert(Enough::agree, "model{seed, bytes}: the bytes are fewer than model::bytes");
    initialize(start);
  }
  model(model const&) = delete;
  model& operator=(model const&) = delete;

  /// Gives every parameter and buffer its first value again.
  void initialize(seed start) {
    seed_ = start;
    draws_ = 0;
    std::uint32_t number = 0;
    fill<true>(data(), number);
    fill<false>(buffer_data(), number);
  }
  seed initial_seed() const { return seed_; }
  /// Counts the training runs of this model, so that each draws its own random numbers.
  std::uint64_t next_draw() const { return draws_++; }

  /// All parameters in a row; gaps of zeros align each of them.
  espalier::span<T> parameters() { return {data(), parameter_storage}; }
  espalier::span<T const> parameters() const { return {data(), parameter_storage}; }
  espalier::span<T> buffers() { return {buffer_data(), buffer_storage}; }
  espalier::span<T const> buffers() const { return {buffer_data(), buffer_storage}; }

  /// The parameter or buffer of that path ("3.fc1.weight"); one that does not exist converts to false and has no elements.
  named_tensor<T> parameter(char const* path) { return detail::find_tensor<Net, true>(path, data(), false); }
  named_tensor<T> buffer(char const* path) { return detail::find_tensor<Net, false>(path, buffer_data(), false); }

  /// f(name, extents, span) for each, in the order of declaration.
  template <class F>
  void for_each_parameter(F&& f) {
    detail::for_each_tensor<Net, true>(data(), false, f);
  }
  template <class F>
  void for_each_buffer(F&& f) {
    detail::for_each_tensor<Net, false>(buffer_data(), false, f);
  }

  /// The net's output in evaluation mode: the convenient form, which takes its workspace from the heap. A predictor keeps its own.
  /// shape   any batch that the net takes
  /// errors  layers that do not fit the batch do not compile
  template <class X, class Found = detail::applied_net<Net, shape_of<X>>>
    requires(espalier::detail::marked_tensor<X> || espalier::detail::marked_view<X>)
  auto operator()(X const& x) const {
    using Element = detail::element_is<element_of<X>, T>;
    static_assert(layers_fit<Found>::value, ESPALIER_LAYERS_FIT);
    static_assert(Element::agree, "model(x): x has another element type than the model");
    if constexpr (!layers_fit<Found>::value) {
      return Found{};
    } else if constexpr (!Element::agree) {
      return refused<Element>{};
    } else {
      using Source = detail::evaluation_source<Net, shape_of<X>>;
      tensor<T, shape_of<Found>> y;
      detail::block const workspace{detail::bytes_for<T>(detail::workspace_elements<Source>)};
      detail::program_bases b = bases();
      b.at[plan::base::workspace] = workspace.template at<T>(0);
      b.at[plan::base::arguments] = const_cast<T*>(x.data());
      b.at[plan::base::results] = y.data();
      espalier::on_cpu::run<Source, T>(b.at, team());
      return y;
    }
  }

  /// A formula is refused: its memory is the caller's business.
  template <Expression X>
    requires(!Stored<X> && !is_refused<X>)
  auto operator()(X const&) const {
    static_assert(detail::is_tensor_or_view<X>::agree, "model(x): x is an expression; give the tensor, evaluate(x)");
    return refused<detail::is_tensor_or_view<X>>{};
  }
  /// A refusal has been said already.
  template <class... Facts>
  refused<Facts...> operator()(refused<Facts...> said) const {
    return said;
  }

  /// The threads that run this model's programs.
  auto const& team() const { return team_; }
  /// The start of a program's table of pointers.
  detail::program_bases bases() const {
    detail::program_bases b{};
    b.at[plan::base::parameters] = memory_.template at<T>(0);
    b.at[plan::base::buffers] = memory_.template at<T>(parameter_bytes);
    return b;
  }

 private:
  T* data() const { return memory_.template at<T>(0); }
  T* buffer_data() const { return memory_.template at<T>(parameter_bytes); }

  template <bool Parameters>
  void fill(T* base, std::uint32_t& number) {
    for (int i = 0; i < detail::tensor_count<Net, Parameters>; ++i) {
      detail::tensor_row const& row = detail::rows_of<Net, Parameters>.at[i];
      detail::fill_functions_of<Net, Parameters, T>.at[i](base + row.offset, row.shape.size(), seed_.value, number++);
    }
  }

  detail::block memory_;
  [[no_unique_address]] typename on_cpu::detail::team_of<Device>::type team_;
  seed seed_{};
  mutable std::uint64_t draws_ = 0;
};

}  // namespace espalier
