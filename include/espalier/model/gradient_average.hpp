// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "../base/error_text.hpp"
#include "../base/hash.hpp"
#include "../base/needs_header.hpp"
#include "../base/raise.hpp"
#include "../base/version.hpp"
#include "../device/distributed/gradient_exchange.hpp"
#include "misuse.hpp"
#include "model_fit.hpp"
#include "model_lifetime.hpp"
#include "parameter_gradients.hpp"
#include "reference.hpp"

ESPALIER_HEADER_INCLUDED(gradient_average);

namespace espalier {

/// The number of samples that is passed with gradients is no weight. Thrown before anything is exchanged; the other
/// processes hear that this one has rejected its batch.
class samples_error : public std::exception {
 public:
  [[gnu::cold, gnu::noinline]] explicit samples_error(std::int64_t samples) noexcept {
    text_ << "gradient_average: expected the gradients of at least 1 sample (join(gradients) takes none), got "
          << samples;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

namespace detail {

/// A constraint that errors name: gradients that processes average are in the memory of the processor.
template <class Device>
struct averages_on_host {
  ESPALIER_READS("the model is on {}")
  static constexpr bool agree = std::is_same_v<Device, cpu> || is_parallel<Device>;
};

/// Whether a layer of a net has the statistics of all processes, which a model of one process cannot have.
template <class M>
constexpr bool has_statistics_of_all(M const& member) {
  bool found = false;
  if constexpr (requires { M::has_statistics_of_all; }) {
    found = M::has_statistics_of_all;
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto const& inner) { found = found || has_statistics_of_all(inner); });
  } else if constexpr (ArrayMember<M>) {
    for (auto const& inner : member) found = found || has_statistics_of_all(inner);
  }
  return found;
}
/// A constraint that errors name: the net of a model that is one process's own has no SyncBatchNorm.
template <class Net>
struct has_own_statistics {
  static constexpr bool agree = !has_statistics_of_all(numbered<Net>);
};

/// A constraint that errors name: what average(gradients, samples, loss) is called with.
template <class Gradients, class... X>
struct averages_call {
  ESPALIER_READS("expected {}, a number of samples and a loss")
  static constexpr bool agree = false;
};
template <class Gradients, class Samples>
struct averages_call<Gradients, Gradients&, Samples> {
  ESPALIER_READS("expected {}, a number of samples and a loss")
  static constexpr bool agree = std::is_integral_v<std::remove_cvref_t<Samples>>;
};
template <class Gradients, class Samples, class Loss>
struct averages_call<Gradients, Gradients&, Samples, Loss> {
  ESPALIER_READS("expected {}, a number of samples and a loss")
  static constexpr bool agree =
      std::is_integral_v<std::remove_cvref_t<Samples>> && std::is_arithmetic_v<std::remove_cvref_t<Loss>>;
};
/// A constraint that errors name: the arguments are processes and a model.
template <class... Argument>
struct averages_gradients_of {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class First, class Second>
inline constexpr bool is_averaged =
    std::is_base_of_v<processes, std::remove_cvref_t<First>> && !std::is_const_v<std::remove_reference_t<First>> &&
    std::is_lvalue_reference_v<Second> && ModelType<std::remove_cvref_t<Second>>;

/// The members of one that does not compile, so that one mistake produces one error.
struct accepts_every_average {
  accepts_every_average(auto&&...) {}
  template <class X>
  X operator()(auto&&, std::int64_t, X loss) {
    return loss;
  }
  void operator()(auto&&, std::int64_t) {}
  bool join(auto&&) { return false; }
  void reject() noexcept {}
};

/// Gradients in pieces that are exchanged one after the other, so that a process sums one while it receives the next.
template <std::int64_t Size, std::int64_t Most>
struct gradient_pieces {
  static constexpr int count = static_cast<int>((Size + Most - 1) / Most);
  plan::gradient_range at[static_cast<std::size_t>(count > 0 ? count : 1)]{};
  constexpr gradient_pieces() {
    for (int i = 0; i < count; ++i) at[i] = {i * Most, i + 1 < count ? Most : Size - i * Most};
  }
};

/// A hash of the shapes of a net's tensors.
template <class Net>
inline constexpr std::uint64_t shapes_hash = [] {
  std::uint64_t h = hash_seed;
  for (auto const* s : {&slots_of<Net>.parameters, &slots_of<Net>.buffers})
    for (int i = 0; i < s->count; ++i) {
      h = hash_number(s->trainable[i], h);
      for (int k = 0; k < s->shape[i].rank; ++k) h = hash_number(static_cast<std::uint64_t>(s->shape[i].at[k]), h);
    }
  return h;
}();

}  // namespace detail

/// Averages gradients over the processes that train a model together, in a training loop of your own: between
/// value_and_grad(model, loss) or a compiled function, which compute them, and the updater. A trainer of a
/// model<Net, distributed<>> does all of this, and exchanges gradients during the backward pass.
///
///     esp::gradient_average average{processes, model};
///     auto [loss, gradients] = esp::value_and_grad(model, nn::SoftmaxLoss{})(images, labels);
///     average(gradients, 32);  // of 32 samples
///     adam.update(model, gradients);
///
/// shape    gradients of the model's net, on the host
/// returns  gradients in place: the mean over the samples of all processes, with the same bits on all. Sums are in the
///          order of the ranks
/// errors   samples_error; distributed_error, on all processes: one has ended or does not answer, has rejected its
///          batch, or has another net, other parameters or another number of steps. A model on another device than cpu
///          and cpu_parallel does not compile
/// memory   allocated at construction, none afterwards
/// order    the constructor waits for all processes, and they continue with the parameters and buffers of process 0.
///          The model and the processes must outlive it
template <class Model>
class gradient_average {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Gradients = gradients<Net, T>;
  static constexpr std::int64_t size = slots_of<Net>.parameters.trainable_storage, line = processes::line / sizeof(T);
  /// Bytes of a piece: as the buckets of distributed<>.
  static constexpr std::int64_t piece = (std::int64_t{1} << 18) / static_cast<std::int64_t>(sizeof(T));
  using Pieces = detail::gradient_pieces<size, piece>;
  static constexpr Pieces pieces{};

 public:
  gradient_average(processes& all, Model& model) : exchange_{all}, model_{model} {
    constexpr std::uint64_t hash = detail::hash_text(ESPALIER_VERSION_STRING, detail::shapes_hash<Net>);
    exchange_.meet(hash, nullptr, pieces.at, Pieces::count, model.bases().at[plan::base::parameters],
                   static_cast<std::int64_t>(Model::bytes));
  }
  gradient_average(gradient_average const&) ESPALIER_DELETED("it cannot be copied or moved: construct another one");
  gradient_average& operator=(gradient_average const&) = delete;

  /// samples  of the batch of this process, at least 1. It is the weight of its gradients
  void operator()(Gradients& gradients, std::int64_t samples) {
    T mean = 0;
    check(samples);
    exchange(gradients, samples, false, mean);
  }
  /// loss     of this process. Returns the mean over the samples of all. All processes pass one, or none does
  T operator()(Gradients& gradients, std::int64_t samples, T loss) {
    check(samples);
    exchange(gradients, samples, true, loss);
    return loss;
  }
  /// Does not compile: other arguments.
  template <class... X>
    requires(!detail::averages_call<Gradients, X...>::agree)
  T operator()(X&&...) {
    using Call = detail::averages_call<Gradients, X...>;
    static_assert(Call::agree,
                  ESPALIER_SENTENCE("average(gradients, samples[, loss]): pass gradients of this model's net that are "
                                    "not const, the number of their samples, and the loss if you want its mean",
                                    Call));
    return T(0);
  }
  /// Takes part in an average without samples of its own, because other processes have more batches. Whether others
  /// had samples: then update the model with these gradients, as they do.
  ///
  ///     while (average.join(gradients)) adam.update(model, gradients);
  bool join(Gradients& gradients) {
    T mean = 0;
    return exchange(gradients, 0, false, mean);
  }
  /// Tells the others that this process rejects its batch, so that they do not wait for it: each has an error then.
  /// Call it where an error of the batch is caught.
  void reject() noexcept { exchange_.reject(steps_ + 1); }

 private:
  void check(std::int64_t samples) {
    if (samples > 0) return;
    reject();
    detail::raise(samples_error(samples));
  }
  /// Whether a process has samples. loss: becomes the mean.
  bool exchange(Gradients& gradients, std::int64_t samples, bool wants_loss, T& loss) {
    T* const at = gradients.span().data();
    exchange_.move_to(at);
    exchange_.begin(header(samples, wants_loss));
    exchange_.wait_for_headers();
    if (exchange_.all_have_joined()) return false;
    exchange_.ready_all();
    loss = static_cast<T>(exchange_.finish(static_cast<double>(loss)));
    ++steps_;
    return true;
  }
  on_device::step_header header(std::int64_t samples, bool wants_loss) const {
    on_device::step_header r{};
    r.number = steps_ + 1;
    if constexpr (size >= line)
      r.parameters = detail::hash_bytes(
          static_cast<T const*>(model_->bases().at[plan::base::parameters]) +
              static_cast<std::int64_t>(r.number * 7 % static_cast<std::uint64_t>(size / line)) * line,
          processes::line);
    r.samples = samples;
    r.is = samples > 0 ? on_device::step_header::state::trains : on_device::step_header::state::has_joined;
    r.wants_loss = wants_loss;
    return r;
  }

  on_device::gradient_exchange<T> exchange_;
  detail::reference<Model> model_;
  std::uint64_t steps_ = 0;
};

/// Does not compile: the gradients are not in the memory of the processor, or the model cannot be trained.
template <class Model>
  requires(!detail::averages_on_host<typename Model::device_type>::agree || !detail::can_be_trained<Model>::agree ||
           !detail::has_own_statistics<typename Model::net_type>::agree || std::is_const_v<Model>)
class gradient_average<Model> : public detail::accepts_every_average {
  using Changes = std::conditional_t<std::is_const_v<Model>, detail::may_change<Model>, agreed>;
  using OnHost = detail::averages_on_host<typename Model::device_type>;
  using Stored = detail::can_be_trained<Model>;
  using Statistics = detail::has_own_statistics<typename Model::net_type>;
  static_assert(Changes::agree || !OnHost::agree || !Stored::agree || !Statistics::agree,
                ESPALIER_SENTENCE("gradient_average{processes, model}: " ESPALIER_MODEL_IS_CONST, Changes));
  static_assert(Statistics::agree || !OnHost::agree || !Stored::agree,
                ESPALIER_SENTENCE("gradient_average{processes, model}: the net has a SyncBatchNorm, whose statistics a "
                                  "trainer of a model<Net, distributed<>> exchanges; use BatchNorm",
                                  Statistics));
  static_assert(OnHost::agree,
                ESPALIER_SENTENCE("gradient_average{processes, model}: the model is a model<Net> or a model<Net, "
                                  "cpu_parallel<N>>; a trainer averages the gradients of a model<Net, distributed<>>",
                                  OnHost));
  static_assert(Stored::agree || !OnHost::agree,
                ESPALIER_SENTENCE("gradient_average{processes, model}: " ESPALIER_MODEL_IS_EVALUATED, Stored));

 public:
  using detail::accepts_every_average::accepts_every_average;
};

/// Does not compile: the arguments are not processes and a model.
template <class... Argument>
class gradient_average<detail::misused<detail::averages_gradients_of<Argument...>>>
    : public detail::accepts_every_average {
  using Arguments = detail::averages_gradients_of<Argument...>;
  static_assert(Arguments::agree,
                ESPALIER_SENTENCE("gradient_average{...}: pass the processes that train together (esp::mpi processes), "
                                  "and the model, a variable",
                                  Arguments));

 public:
  using detail::accepts_every_average::accepts_every_average;
};
template <class First, class Second>
  requires(detail::is_averaged<First, Second>)
gradient_average(First&&, Second&&)
->gradient_average<std::remove_reference_t<Second>>;
template <class First, class Second>
  requires(!detail::is_averaged<First, Second>)
gradient_average(First&&, Second&&)
->gradient_average<
    detail::misused<detail::averages_gradients_of<std::remove_cvref_t<First>, std::remove_cvref_t<Second>>>>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
