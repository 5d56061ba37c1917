// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../base/needs_header.hpp"
#include "../model/model.hpp"
#include "foreign_layout.hpp"
#include "matching.hpp"
#include "owned.hpp"

ESPALIER_HEADER_INCLUDED(checkpoint);

/// Converts the state of a model and of its trainer to named arrays and back. All file formats share this code.
namespace espalier::io {

/// A trainer or an optim::updater: it has state vectors of the optimizer and a count of steps.
template <class X>
concept Training = requires(X& x) {
  x.states();
  x.steps();
  x.continue_after(x.steps());
};

/// A trainer whose optimizer's states are divided among processes (optim::sharded).
template <class X>
concept ShardedTraining = Training<X> && requires(X& x) {
  x.collect_states(x.steps(), x.steps());
};

/// Throws if a name occurs twice or is reserved by the format.
inline void check_names(char const* path, std::vector<named_array> const& arrays, std::string_view reserved) {
  std::vector<std::string_view> names;
  for (auto const& a : arrays) names.push_back(a.name);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == reserved)
      throw_error<name_error>("%s: expected another name than %s, which the format reserves", path,
                              in_quotes(reserved).c_str());
    if (i > 0 && names[i] == names[i - 1])
      throw_error<name_error>("%s: expected each name once, got %s twice", path, in_quotes(names[i]).c_str());
  }
}

namespace detail {

/// Host access to a range of a model's elements: the elements themselves, or a copy of device memory.
template <class Elements>
class host_elements {
 public:
  using T = std::remove_const_t<typename Elements::element_type>;
  explicit host_elements(Elements elements) : elements_{elements} {
    if constexpr (has_device_memory) {
      copy_ = owned<T>{elements.size()};
      elements_.to_host(espalier::span<T>{copy_.data(), copy_.size()});
    }
  }
  typename Elements::element_type* data() {
    if constexpr (has_device_memory) return copy_.data();
    else return elements_.data();
  }
  void send_back() {
    if constexpr (has_device_memory) elements_.from_host(espalier::span<T const>{copy_.data(), copy_.size()});
  }

 private:
  static constexpr bool has_device_memory = !std::is_same_v<Elements, espalier::span<typename Elements::element_type>>;
  struct nothing {};
  Elements elements_;
  [[no_unique_address]] std::conditional_t<has_device_memory, owned<T>, nothing> copy_;
};
template <class Elements>
host_elements(Elements) -> host_elements<Elements>;

struct no_loss_scale {
  static void send_back() {}
};

/// Calls f(name, extents, elements) for each tensor of a net whose elements start at `base`; with trainable_only, only
/// for the trainable ones.
template <class Net, bool Parameters, class T, class F>
void name_tensors(std::string const& before, T* base, bool trainable_only, F&& f) {
  espalier::detail::for_each_tensor<Net, Parameters>(
      base, trainable_only,
      [&](char const* path, extents const& shape, auto elements) { f(before + path, shape, elements.data()); });
}

/// The entry of metadata that says what the optimizer's state vectors are.
inline constexpr char const* optimizer_entry = "optimizer";
/// What the state vectors of an optimizer, or of the one that it wraps, are; null if it does not say.
template <class O>
constexpr char const* state_kind_of() {
  if constexpr (requires { O::state_kind; }) return O::state_kind;
  else if constexpr (requires { &O::optimizer; }) return state_kind_of<decltype(O::optimizer)>();
  else return nullptr;
}
template <class TrainedBy>
constexpr char const* kind_of_states() {
  if constexpr (requires(TrainedBy & x) { x.optimizer(); })
    return state_kind_of<std::remove_cvref_t<decltype(std::declval<TrainedBy&>().optimizer())>>();
  else return nullptr;
}
/// The metadata of a model's file.
template <class... TrainedBy>
std::vector<metadata_entry> metadata_of() {
  std::vector<metadata_entry> all{{"format", "espalier"}};
  for (char const* kind : {static_cast<char const*>(nullptr), kind_of_states<TrainedBy>()...})
    if (kind != nullptr) all.push_back({optimizer_entry, kind});
  return all;
}

inline constexpr char const *seed_name = "training/seed", *random_steps_name = "training/draws";
inline constexpr char const *loss_scale_name = "training/loss_scale",
                            *scaled_updates_name = "training/updates_of_scale";
/// Whether a trainer has a scale of its loss (optim::scale_loss).
template <class TrainedBy>
concept HasLossScale = requires(TrainedBy& x) {
  x.loss_scale_state();
};
/// Host access to the scale of a trainer, or to nothing.
template <class TrainedBy>
auto loss_scale_of(TrainedBy& training) {
  if constexpr (HasLossScale<TrainedBy>) return host_elements{training.loss_scale_state()};
  else return no_loss_scale{};
}
inline std::string state_name(std::int64_t number) { return "training/state" + std::to_string(number) + "/"; }
/// Calls f(name, extents, offset) for each tensor of each saved state of a sharded optimizer.
template <class Net, class TrainedBy, class F>
void name_sharded_states(std::int64_t vector, F&& f) {
  constexpr int states = std::remove_cvref_t<decltype(std::declval<TrainedBy&>().optimizer())>::states;
  for (std::int64_t k = 0; k < states; ++k)
    for (int i = 0; i < espalier::detail::tensor_count<Net, true>; ++i) {
      espalier::detail::tensor_row const& row = espalier::detail::rows_of<Net, true>.at[i];
      if (row.trainable)
        f(state_name(k) + static_cast<char const*>(espalier::detail::names_of<Net, true>.at[i]), row.shape,
          k * vector + row.offset);
    }
}

}  // namespace detail

/// The complete state of a model and of its trainer: snapshot{model, trainer}.arrays(). Parameters and buffers have the
/// names of the model. The k-th vector of an optimizer has "training/state<k>/" before the name of its parameter. The
/// step count is "training/steps", the seed "training/seed", and the count of random steps "training/draws". With
/// optim::scale_loss, the scale is "training/loss_scale", and the number of updates since it changed is
/// "training/updates_of_scale".
/// memory  if the device has memory of its own, a copy of everything; otherwise the arrays refer to the model
/// sharded the arrays of a sharded optimizer's states have no data here (state_at): save_together.hpp collects them
template <class Model, class... TrainedBy>
class snapshot {
  static_assert((Training<TrainedBy> && ...),
                ESPALIER_SENTENCE("snapshot{model, trainer}: the second is a trainer or an optim::updater of the model",
                                  ESPALIER_STATED((Training<TrainedBy> && ...), TrainedBy...)));
  using Net = typename Model::net_type;

 public:
  explicit snapshot(Model& model, TrainedBy&... training)
      : parameters_{model.parameters()},
        buffers_{model.buffers()},
        states_{detail::host_elements{training.states()}...},
        loss_scales_{detail::loss_scale_of(training)...},
        seed_{model.initial_seed().value},
        random_steps_{model.random_steps()} {
    auto const add = [&](std::string name, extents const& shape, auto const* data) {
      arrays_.push_back(array_of(std::move(name), shape, data));
    };
    detail::name_tensors<Net, true>({}, parameters_.data(), false, add);
    detail::name_tensors<Net, false>({}, buffers_.data(), false, add);
    std::size_t at = 0;
    detail::for_each_order<Net>([&](axis_order const& order) {
      arrays_[at].of_model = true;
      arrays_[at++].in_pytorch = order;
    });
    constexpr std::int64_t vector = espalier::slots_of<Net>.parameters.trainable_storage;
    auto const add_training = [&](auto& states, auto& loss_scale, auto& of) {
      using Of = std::remove_reference_t<decltype(of)>;
      if constexpr (ShardedTraining<Of>) {
        using T = typename decltype(of.states())::element_type;
        detail::name_sharded_states<Net, Of>(vector, [&](std::string name, extents const& shape, std::int64_t at) {
          add(std::move(name), shape, static_cast<T const*>(nullptr));
          arrays_.back().state_at = at;
        });
      } else {
        std::int64_t const count = vector > 0 ? static_cast<std::int64_t>(of.states().size()) / vector : 0;
        for (std::int64_t k = 0; k < count; ++k)
          detail::name_tensors<Net, true>(detail::state_name(k), states.data() + k * vector, true, add);
      }
      steps_ = of.steps();
      add(detail::steps_name, extents{}, &steps_);
      add(detail::seed_name, extents{}, &seed_);
      add(detail::random_steps_name, extents{}, &random_steps_);
      if constexpr (detail::HasLossScale<Of>) {
        add(detail::loss_scale_name, extents{}, loss_scale.data());
        add(detail::scaled_updates_name, extents{}, loss_scale.data() + 1);
      }
    };
    (void)add_training;
    std::apply(
        [&](auto&... states) {
          std::apply([&](auto&... loss_scale) { (add_training(states, loss_scale, training), ...); }, loss_scales_);
        },
        states_);
  }
  snapshot(snapshot const&) = delete;
  snapshot& operator=(snapshot const&) = delete;

  [[nodiscard]] std::vector<named_array> const& arrays() const noexcept { return arrays_; }

  /// Copies the content of the arrays back to the model and the trainer, after arrays() were overwritten.
  void restore(Model& model, TrainedBy&... training) {
    parameters_.send_back();
    buffers_.send_back();
    std::apply([](auto&... states) { (states.send_back(), ...); }, states_);
    std::apply([](auto&... loss_scale) { (loss_scale.send_back(), ...); }, loss_scales_);
    (training.continue_after(steps_), ...);
    if constexpr (sizeof...(TrainedBy) > 0) model.continue_with(seed{seed_}, random_steps_);
  }

 private:
  detail::host_elements<decltype(std::declval<Model&>().parameters())> parameters_;
  detail::host_elements<decltype(std::declval<Model&>().buffers())> buffers_;
  std::tuple<detail::host_elements<decltype(std::declval<TrainedBy&>().states())>...> states_;
  std::tuple<decltype(detail::loss_scale_of(std::declval<TrainedBy&>()))...> loss_scales_;
  std::uint64_t seed_, random_steps_;
  std::int64_t steps_ = 0;
  std::vector<named_array> arrays_;
};
template <class Model, class... TrainedBy>
snapshot(Model&, TrainedBy&...) -> snapshot<Model, TrainedBy...>;

namespace detail {
/// Where the elements of an array are written: here, in its own memory.
struct in_its_memory {
  template <class Write>
  void operator()(named_array const& to, Write const& write) const {
    write(to);
  }
};
/// In a memory of their own, from which a process takes its part if they are divided.
template <class TrainedBy>
struct in_parts {
  TrainedBy& training;
  owned<unsigned char> memory{};
  template <class Write>
  void operator()(named_array const& to, Write const& write) {
    if (to.state_at < 0) return write(to);
    using T = typename decltype(training.states())::element_type;
    if (memory.size() < to.bytes) memory = owned<unsigned char>{to.bytes};
    named_array whole = to;
    whole.data = memory.data();
    write(whole);
    training.store_states(to.state_at, to.size(), reinterpret_cast<T const*>(memory.data()));
  }
};

/// fill, with disagreements that count if the arrays fit: those of arrays say more. place(to, write) calls write with
/// the array whose memory receives the elements.
template <class Place = in_its_memory>
void fill_unless(archive const& from, std::vector<named_array> const& to, load_options const& options,
                 std::vector<disagreement> const& others, Place place = {}) {
  matching const match{from, to, options};
  std::vector<disagreement> const& all = match.disagreements.empty() ? others : match.disagreements;
  if (!all.empty()) espalier::detail::raise(mismatch_error{from.name(), all});
  for (auto const& pair : match.pairs)
    place(*pair.to, [&](named_array const& array) {
      if (pair.order != nullptr) copy_permuted(*pair.from, array, *pair.order);
      else copy_elements(*pair.from, array);
    });
}
}  // namespace detail

/// fill(from, to, options): copies the file's array of the same name into every array of `to`, or changes nothing if
/// any of them does not fit.
/// errors  mismatch_error with every disagreement: names that only one side has, other extents, other element types,
///         and numbers that are not finite if load_options::finite is set. For the tensors of a model also a file whose
///         metadata names another library's format. A file without a format in its metadata is an error only if the
///         order of axes is ambiguous. The options can state the order.
inline void fill(archive const& from, std::vector<named_array> const& to, load_options const& options = {}) {
  detail::fill_unless(from, to, options, {});
}
namespace detail {
/// The disagreement about what an optimizer's state vectors are, if a file states it.
template <class TrainedBy>
std::vector<disagreement> optimizer_disagreement(archive const& from) {
  char const* const expected = kind_of_states<TrainedBy>();
  std::string const* const found = entry_of(from, optimizer_entry);
  if (expected == nullptr || found == nullptr || *found == expected) return {};
  return {{disagreement_kind::optimizer, {}, expected, *found, {}}};
}
}  // namespace detail

namespace detail {
/// `agreed`, or the fault of loading into this model: it is const.
template <class Model>
using loaded_fault = std::conditional_t<std::is_const_v<Model>, espalier::detail::may_change<Model>, agreed>;
}  // namespace detail

/// restore(archive, model[, trainer][, load_options]): loads the arrays of an archive into a model and its trainer.
/// errors  mismatch_error; nothing has changed then
template <class Model>
void restore(archive const& from, Model& model, load_options const& options = {}) {
  using May = detail::loaded_fault<Model>;
  static_assert(May::agree, ESPALIER_SENTENCE("load or restore a model: " ESPALIER_MODEL_IS_CONST, May));
  snapshot all{model};
  fill(from, all.arrays(), options);
  all.restore(model);
}
template <class Model, Training TrainedBy>
void restore(archive const& from, Model& model, TrainedBy& training, load_options const& options = {}) {
  using May = detail::loaded_fault<Model>;
  static_assert(May::agree, ESPALIER_SENTENCE("load or restore a model: " ESPALIER_MODEL_IS_CONST, May));
  snapshot all{model, training};
  auto const others = detail::optimizer_disagreement<TrainedBy>(from);
  if constexpr (ShardedTraining<TrainedBy>)
    detail::fill_unless(from, all.arrays(), options, others, detail::in_parts<TrainedBy>{training});
  else detail::fill_unless(from, all.arrays(), options, others);
  all.restore(model, training);
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
