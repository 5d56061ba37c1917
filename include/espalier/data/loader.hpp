// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cassert>
#include <exception>

#include "../base/needs_header.hpp"
#include "../device/cpu/vector/vectors.hpp"
#include "../storage/bounded_view.hpp"
#include "../storage/tensor.hpp"
#include "dataset.hpp"
#include "sharded.hpp"
#include "shuffle.hpp"
#include "transform.hpp"

ESPALIER_HEADER_INCLUDED(loader);

namespace espalier::data {

namespace detail {

/// Relation that errors name: a batch of the loader is N samples of the data set's shape.
template <class Batch, class Sample>
struct batch_of_samples {
  ESPALIER_READS("the batch is {}, a sample {}")
  static constexpr bool agree = false;
};
template <int N, int... S>
struct batch_of_samples<shape<N, S...>, shape<S...>> {
  static constexpr bool agree = true;
};

template <class Sample, int N>
struct batch_shape_of;
template <int... S, int N>
struct batch_shape_of<shape<S...>, N> {
  using type = shape<N, S...>;
};

/// The type of a batch whose last samples may be padding. A trainer's step does not compile with it, because it would
/// learn from the padding.
template <class T, class S>
struct padded_tensor : tensor<T, S> {
  using is_padded_batch = void;
};

/// Fills a batch of `count` samples with order[from], order[from + 1], ...; past the end it repeats order[last - 1].
/// One function serves all batches of a data set: the cost of a call is negligible beside a batch. Arch: translation
/// units compiled for other instruction sets get their own copy.
template <class T, class Sample, class Target, class Transforms,
          class Element = typename targets_of<T, Target>::element, class Arch = on_cpu::default_arch>
[[gnu::noinline]] void gather_samples(samples<T, Sample, Target> const& all, std::int32_t const* order,
                                      std::int64_t from, std::int64_t last, int count, Transforms const& transform,
                                      view<T, Sample> scratch, std::int64_t epoch, T* images, Element* labels) {
  constexpr std::int64_t target_size = targets_of<T, Target>::shape::size;
  for (int i = 0; i < count; ++i) {
    std::int64_t const chosen = order[from + i < last ? from + i : last - 1];
    transform(all.image(chosen), view<T, Sample>{images + i * Sample::size}, scratch, epoch, chosen);
    for (std::int64_t j = 0; j < target_size; ++j) labels[i * target_size + j] = all.labels[chosen * target_size + j];
  }
}

/// The most samples of a batch, and its shape with that number.
template <class Batch>
struct memory_of_batch {
  static constexpr int count = Batch::value.at[0];
  using type = Batch;
};
template <class Batch>
  requires(is_bounded_batch<Batch>)
struct memory_of_batch<Batch> {
  static constexpr int count = Batch::max_samples;
  using type = typename Batch::template of<count>;
};

/// Memory of one batch, reused for every batch.
template <class T, class Batch, class Target, bool Padded = false>
struct batch_memory {
  static constexpr int count = memory_of_batch<Batch>::count;
  using targets = targets_of<T, Target>;
  using target_batch = typename batch_shape_of<typename targets::shape, count>::type;
  using images_batch = typename memory_of_batch<Batch>::type;
  std::conditional_t<Padded, padded_tensor<T, images_batch>, tensor<T, images_batch>> images;
  tensor<typename targets::element, target_batch> labels;
};

struct unspecified_policy {};
struct drop_last_policy {};
struct padded_policy {};
struct short_last_policy {};
template <int N>
struct second_batch_policy {};

/// The size of the smaller last batch that a policy adds; 0: none.
template <class Policy>
inline constexpr int tail_size = 0;
template <int N>
inline constexpr int tail_size<second_batch_policy<N>> = N;

/// Relations that errors name: a policy that fits the batch.
template <class Batch, class Policy>
struct policy_of_batches {
  ESPALIER_READS("the batch is {}")
  static constexpr bool agree = std::is_same_v<Policy, drop_last_policy> ||
                                std::is_same_v<Policy, unspecified_policy> ||
                                is_bounded_batch<Batch> == std::is_same_v<Policy, short_last_policy>;
};

struct no_memory {};
struct no_scratch {};

/// Whether an epoch with second_batch has passed its whole batches, and its tail() is still to be called. A loop that
/// leaves it out would train without these samples, so that the next epoch throws, and the end of the loader stops the
/// program in builds without NDEBUG.
class owed_tail {
 public:
  owed_tail() = default;
  owed_tail(owed_tail&& other) noexcept : due_{other.due_} { other.due_ = false; }
  owed_tail& operator=(owed_tail&& other) noexcept {
    check_end();
    due_ = other.due_;
    other.due_ = false;
    return *this;
  }
  ~owed_tail() { check_end(); }
  void falls_due() noexcept { due_ = true; }
  void is_taken() noexcept { due_ = false; }
  /// Throws if the epoch before was left without its tail.
  void check(char const* of, int samples) const {
    if (due_)
      io::throw_error<size_error>(
          "%s.epoch(k): the epoch before ended without its last %d samples; call tail() behind the loop, or write "
          "epoch(k, f), which calls f for each batch",
          of, samples);
  }

 private:
  void check_end() const noexcept {
    assert((!due_ || std::uncaught_exceptions() > 0) &&
           "data::second_batch<N>: an epoch ended without its last N samples; call tail() behind the loop, or write "
           "batches.epoch(k, f), which calls f for each batch");
  }

  bool due_ = false;
};
struct no_tail {
  static void falls_due() noexcept {}
  static void is_taken() noexcept {}
  static void check(char const*, int) noexcept {}
};
template <int Samples>
using tail_of = std::conditional_t<(Samples > 0), owed_tail, no_tail>;

/// Calls f for each batch of an epoch, and for its tail.
template <class Loader, class F>
void for_each_batch(Loader& batches, std::int64_t k, F& f) {
  for (auto const& each : batches.epoch(k)) {
    if constexpr (requires { each.count; }) f(each.images, each.labels, each.count);
    else f(each.images, each.labels);
  }
  if constexpr (Loader::tail_size > 0) {
    auto const& last = batches.tail();
    f(last.images, last.labels);
  }
}

/// What a prefetcher uses of a loader: it fills memory of its own with the loader's batches.
struct loader_access;

}  // namespace detail

/// What happens to the samples that do not fill a batch. There is no default: each loader names a policy.
/// drop_last         an epoch omits them (different ones in each epoch if the order is shuffled)
/// padded            for evaluation: the last batch repeats its last sample, and each batch has its number of real
///                   samples; a trainer's step does not compile with it
/// second_batch<N>   they are a separate batch of static size N: epoch(k, f) calls f for each batch and for that one,
///                   and tail() returns it behind a loop; the constructor throws unless exactly N remain
/// short_last        for batch<up_to<N>, ...>: the last batch has them, and every batch its number of samples
inline constexpr detail::drop_last_policy drop_last{};
inline constexpr detail::padded_policy padded{};
inline constexpr detail::short_last_policy short_last{};
template <int N>
inline constexpr detail::second_batch_policy<N> second_batch{};

namespace detail {
template <class T, class Batch, class Target>
using batch_targets =
    tensor<typename targets_of<T, Target>::element, typename batch_memory<T, Batch, Target>::target_batch>;
}

/// A batch of a loader, valid until the loader makes the next one. `labels` holds real targets if the data set has
/// them.
template <class T, class Batch, class Target = label>
struct loaded {
  tensor<T, Batch> const& images;
  detail::batch_targets<T, Batch, Target> const& labels;
};
/// A padded batch: the first `count` samples are real, for trainer.evaluate(images, labels, count). The type of
/// `images` marks the others as padding.
template <class T, class Batch, class Target = label>
struct loaded_padded {
  detail::padded_tensor<T, Batch> const& images;
  detail::batch_targets<T, Batch, Target> const& labels;
  int count;
};
/// A batch of up to N samples: views that have its number of samples.
template <class T, class Batch, class Target = label>
struct loaded_samples {
  view<T const, Batch> images;
  view<typename detail::targets_of<T, Target>::element const,
       typename detail::batch_shape_of<typename detail::targets_of<T, Target>::shape, up_to<Batch::max_samples>>::type>
      labels;
};

namespace detail {
template <class T, class Batch, class Target, bool Padded>
constexpr auto batch_type_of() {
  if constexpr (is_bounded_batch<Batch>) return std::type_identity<loaded_samples<T, Batch, Target>>{};
  else if constexpr (Padded) return std::type_identity<loaded_padded<T, Batch, Target>>{};
  else return std::type_identity<loaded<T, Batch, Target>>{};
}
}  // namespace detail

/// loader{samples, batch<N, ...>{}, order, policy, transforms}: iterates over a data set in batches of static size, or
/// of up to N samples (batch<up_to<N>, ...>), in one order per epoch.
///
///     data::loader batches{train, esp::batch<32, 8, 8>{}, data::shuffled{seed}, data::drop_last};
///     for (auto const& [images, labels] : batches.epoch(k)) trainer.step(images, labels);
///
/// shape   images (N, Sample...), labels (N), real targets (N, Target...)
/// errors  size_error at construction: no sample, too few for one batch with drop_last, a remainder other than
///         second_batch's N, positions that are no permutation. size_error from epoch() if the one before ended without
///         second_batch's tail(); without NDEBUG the end of the loader checks that, too. Transforms that do not support
///         the samples' shape do not compile. What a transform of yours throws comes from the loop over the batches.
/// memory  one batch, one index per sample and, for several transforms, one sample, allocated at construction; an epoch
///         allocates nothing
/// order   epoch k of a seed is always the same permutation, whatever epochs ran before; a sample's transforms depend
///         only on their seed, the epoch and the sample's position in the data set
/// Run one epoch at a time: the range and the batches of epoch(k) refer to the loader. The loader refers to the data
/// set.
template <class T, class Sample, class Batch, class Policy, class Target, class Transforms>
class loader {
  using facts = detail::batch_of_samples<Batch, Sample>;
  static_assert(
      facts::agree,
      ESPALIER_SENTENCE("loader{samples, batch<N, ...>{}, ...}: the batch must be N samples of the data set's shape",
                        facts));
  /// A valid batch in place of an invalid one, so that a mistake stays one error.
  using sound_batch = std::conditional_t<facts::agree, Batch, typename detail::batch_shape_of<Sample, 1>::type>;
  static_assert(
      !std::is_same_v<Policy, detail::unspecified_policy>,
      "loader{samples, batch<N, ...>{}, order, policy}: choose a policy for the last batch: drop_last, padded or second_batch<N>; short_last for batch<up_to<N>, ...>");
  using policy_fit = std::conditional_t<facts::agree, detail::policy_of_batches<Batch, Policy>, agreed>;
  static_assert(
      policy_fit::agree,
      ESPALIER_SENTENCE("loader{samples, batch, order, policy}: short_last is for batch<up_to<N>, ...>, padded "
                        "and second_batch<N> are for batch<N, ...>; drop_last is for both",
                        policy_fit));

  using transformed = typename detail::transforms_fit<Transforms, Sample>::type;
  static_assert(
      transformed::agree,
      ESPALIER_SENTENCE(
          "loader{..., transforms}: a transform does not support samples of this shape in its layout (hwc, chw)",
          transformed));

 public:
  /// The number of samples of a batch, or the most of them.
  static constexpr int batch_size = detail::memory_of_batch<sound_batch>::count;
  static constexpr int tail_size = detail::tail_size<Policy>;
  static constexpr bool is_bounded = is_bounded_batch<sound_batch>;
  static constexpr bool is_padded = std::is_same_v<Policy, detail::padded_policy> && !is_bounded;
  using batch_type = typename decltype(detail::batch_type_of<T, sound_batch, Target, is_padded>())::type;

  loader(samples<T, Sample, Target> all, Batch, order requested, Policy, Transforms transforms = {})
      : all_{all},
        requested_{requested},
        transforms_{transforms},
        order_{detail::checked_count(all.size(), batch_size, has_last, tail_size, requested)} {
    detail::begin_order(order_, requested_);
  }
  loader(dataset<T, Sample, Target> const& all ESPALIER_BORROWS, Batch size, order requested, Policy policy,
         Transforms transforms = {})
      : loader{all.all(), size, requested, policy, transforms} {}
  loader(dataset<T, Sample, Target>&&, Batch, order, Policy, Transforms = {}) = delete;
  loader(samples<T, Sample, Target> all, Batch size,
         order requested) requires std::is_same_v<Policy, detail::unspecified_policy>
      : loader{all, size, requested, Policy{}} {}
  loader(dataset<T, Sample, Target> const& all, Batch size,
         order requested) requires std::is_same_v<Policy, detail::unspecified_policy>
      : loader{all.all(), size, requested, Policy{}} {}

  class iterator {
   public:
    batch_type operator*() const noexcept {
      if constexpr (is_bounded)
        return {{from_->memory_.images.data(), last() - at_}, {from_->memory_.labels.data(), last() - at_}};
      else if constexpr (is_padded)
        return {from_->memory_.images, from_->memory_.labels, static_cast<int>(last() - at_)};
      else return {from_->memory_.images, from_->memory_.labels};
    }
    iterator& operator++() {
      at_ += batch_size;
      if (at_ >= from_->batches() * batch_size) from_->owed_.falls_due();
      gather();
      return *this;
    }
    bool operator==(iterator const& other) const noexcept { return at_ == other.at_; }

   private:
    friend loader;
    iterator(loader* from, std::int64_t at) : from_{from}, at_{at} { gather(); }
    std::int64_t last() const noexcept {
      std::int64_t const all = from_->own().own_samples();
      return at_ + batch_size < all ? at_ + batch_size : all;
    }
    void gather() {
      if (at_ < from_->batches() * batch_size) from_->fill(from_->memory_, at_, last());
    }

    loader* from_;
    std::int64_t at_;
  };
  class range {
   public:
    iterator begin() const {
      if (from_->batches() == 0) from_->owed_.falls_due();
      return {from_, 0};
    }
    iterator end() const { return {from_, from_->batches() * batch_size}; }

   private:
    friend loader;
    explicit range(loader* from) noexcept : from_{from} {}
    loader* from_;
  };

  /// The batches of epoch number k, in that epoch's order. With second_batch, call tail() after them.
  [[nodiscard]] range epoch(std::int64_t k) & noexcept(tail_size == 0) ESPALIER_BORROWS {
    owed_.check("loader", tail_size);
    begin_epoch(k);
    return range{this};
  }
  void epoch(std::int64_t) && = delete;
  /// f(images, labels) for each batch of epoch number k, and with second_batch for its tail: all samples. With padded,
  /// f(images, labels, count).
  void epoch(std::int64_t k, auto&& f) & { detail::for_each_batch(*this, k, f); }
  /// Does not compile: each epoch has its own order, so a loader has no begin() of its own.
  template <bool HasEpoch = false>
  iterator begin() {
    static_assert(HasEpoch, "for (... : loader): write for (... : loader.epoch(k)), where k counts the epochs");
    return {this, 0};
  }
  iterator end() { return {this, 0}; }

  /// The samples that remain after the batches of the latest epoch, as a batch of static size tail_size.
  [[nodiscard]] auto tail() & ESPALIER_BORROWS requires(tail_size > 0) {
    owed_.is_taken();
    fill(tail_, batches() * batch_size, own().own_samples());
    return loaded<T, tail_batch, Target>{tail_.images, tail_.labels};
  }

  /// Number of samples in no whole batch: dropped, in the padded or short batch, or in tail(), depending on the policy.
  /// Of a sharded order, those of its part.
  [[nodiscard]] std::int64_t tail_count() const noexcept { return own().own_rest(); }
  /// Number of batches of epoch().
  [[nodiscard]] std::int64_t batches() const noexcept { return own().whole() + (has_last && own().own_rest() > 0); }
  /// Number of samples of an epoch, with tail() and without padding.
  [[nodiscard]] std::int64_t samples_per_epoch() const noexcept {
    return own().own_samples() - (has_last || tail_size > 0 ? 0 : tail_count());
  }

 private:
  friend detail::loader_access;
  using tail_batch = typename detail::batch_shape_of<Sample, (tail_size > 0 ? tail_size : 1)>::type;

  static constexpr bool needs_scratch = Transforms::count > 1;
  /// Whether the last batch of epoch() may have fewer samples than the others.
  static constexpr bool has_last = is_padded || std::is_same_v<Policy, detail::short_last_policy>;

  void begin_epoch(std::int64_t k) noexcept {
    all_.check_memory();
    epoch_ = k;
    detail::arrange(order_, requested_, k);
  }
  detail::share own() const noexcept { return {all_.size(), batch_size, requested_.part, requested_.parts}; }
  /// from, last: samples of this part, of one batch.
  void fill(auto& memory, std::int64_t from, std::int64_t last) {
    fill(from, last, is_bounded ? static_cast<int>(last - from) : memory.count, memory.images.data(),
         memory.labels.data());
  }
  void fill(std::int64_t from, std::int64_t last, int count, T* images,
            typename detail::targets_of<T, Target>::element* labels) {
    all_.check_memory();
    T* room = nullptr;
    if constexpr (needs_scratch) room = scratch_.data();
    std::int64_t const first = own().begin_of(from);
    detail::gather_samples(all_, order_.data(), first, first + (last - from), count, transforms_, view<T, Sample>{room},
                           epoch_, images, labels);
  }

  samples<T, Sample, Target> all_;
  order requested_;
  Transforms transforms_;
  io::owned<std::int32_t> order_;
  std::int64_t epoch_ = 0;
  [[no_unique_address]] detail::tail_of<tail_size> owed_;
  detail::batch_memory<T, sound_batch, Target, is_padded> memory_;
  [[no_unique_address]] std::conditional_t<(tail_size > 0), detail::batch_memory<T, tail_batch, Target>,
                                           detail::no_memory>
      tail_;
  [[no_unique_address]] std::conditional_t<needs_scratch, tensor<T, Sample>, detail::no_scratch> scratch_;
};

template <class T, class Sample, class Target, class Batch, class Policy, class Transforms = transforms<>>
loader(samples<T, Sample, Target>, Batch, order, Policy, Transforms = {})
    -> loader<T, Sample, Batch, Policy, Target, Transforms>;
template <class T, class Sample, class Target, class Batch, class Policy, class Transforms = transforms<>>
loader(dataset<T, Sample, Target> const&, Batch, order, Policy, Transforms = {})
    -> loader<T, Sample, Batch, Policy, Target, Transforms>;
template <class T, class Sample, class Target, class Batch>
loader(samples<T, Sample, Target>, Batch, order) -> loader<T, Sample, Batch, detail::unspecified_policy, Target>;
template <class T, class Sample, class Target, class Batch>
loader(dataset<T, Sample, Target> const&, Batch, order) -> loader<T, Sample, Batch, detail::unspecified_policy, Target>;

namespace detail {
template <class T, class Sample, class Target>
void of_samples(samples<T, Sample, Target> const&);
template <class T, class Sample, class Target>
void of_samples(dataset<T, Sample, Target> const&);
/// Named relations: the arguments of a loader.
template <class All>
struct is_data_set {
  static constexpr bool agree = requires(All const& all) { of_samples(all); };
};
template <class Requested>
struct is_order {
  static constexpr bool agree = std::is_convertible_v<Requested, order>;
};
/// Tag of a loader that does not compile.
template <class Fault>
struct invalid_loader {};
}  // namespace detail

/// Does not compile: the arguments are not those of a loader.
template <class Fault>
class loader<detail::invalid_loader<Fault>, void, void> {
  static_assert(
      Fault::agree,
      ESPALIER_SENTENCE("loader{samples, batch<N, ...>{}, order, policy}: samples is a data set or a part of "
                        "one; order is data::shuffled{seed}, data::in_order{} or data::permutation{positions}",
                        Fault));

 public:
  struct batch_type {
    invalid<already_reported> images, labels;
  };
  struct range {
    batch_type const* begin() const { return nullptr; }
    batch_type const* end() const { return nullptr; }
  };
  loader(auto&&...) {}
  range epoch(std::int64_t) const { return {}; }
};
template <class All, class Batch, class Requested, class... More,
          class Fault =
              typename espalier::detail::first_fault<detail::is_data_set<All>, detail::is_order<Requested>>::type>
  requires(!Fault::agree)
loader(All const&, Batch, Requested, More...)
->loader<detail::invalid_loader<Fault>, void, void>;
template <class All, class Batch>
loader(All const&, Batch) -> loader<detail::invalid_loader<detail::is_order<void>>, void, void>;

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"
