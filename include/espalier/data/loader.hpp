// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/cpu/vectors.hpp"
#include "../storage/tensor.hpp"
#include "dataset.hpp"
#include "shuffle.hpp"
#include "transform.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::data {

namespace detail {

/// A fact for a refusal: a batch of the loader is N samples of the data set's shape.
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

/// Elements of a batch whose last samples may be padding, in their type: a trainer's step, which would learn from them, refuses it.
template <class T, class S>
struct padded_tensor : tensor<T, S> {
  using is_padded_batch = void;
};

/// Fills the images and labels of a batch of `count` with the samples order[from], order[from + 1], …; beyond order[last - 1], that one again. One function
/// for all batches of a data set: a call costs nothing beside a batch. Arch: translation units with other instructions keep one of their own.
template <class T, class Sample, class Target, class Transforms, class Element = typename targets_of<T, Target>::element, class Arch = on_cpu::default_arch>
[[gnu::noinline]] void gather_samples(samples<T, Sample, Target> const& all, std::int32_t const* order, std::int64_t from, std::int64_t last, int count,
                                      Transforms const& transform, view<T, Sample> scratch, std::int64_t epoch, T* images, Element* labels) noexcept {
  constexpr std::int64_t target_size = targets_of<T, Target>::shape::size;
  for (int i = 0; i < count; ++i) {
    std::int64_t const chosen = order[from + i < last ? from + i : last - 1];
    transform(all.image(chosen), view<T, Sample>{images + i * Sample::size}, scratch, epoch, chosen);
    for (std::int64_t j = 0; j < target_size; ++j) labels[i * target_size + j] = all.labels[chosen * target_size + j];
  }
}

/// A batch in memory, filled again and again.
template <class T, class Batch, class Target, bool Padded = false>
struct batch_memory {
  static constexpr int count = Batch::value.at[0];
  using targets = targets_of<T, Target>;
  using target_batch = typename batch_shape_of<typename targets::shape, count>::type;
  std::conditional_t<Padded, padded_tensor<T, Batch>, tensor<T, Batch>> images;
  tensor<typename targets::element, target_batch> labels;
};

struct unsaid_policy {};
struct drop_last_policy {};
struct padded_policy {};
template <int N>
struct second_batch_policy {};

/// The size of the last, smaller batch that a policy runs; 0: none.
template <class Policy>
inline constexpr int tail_size = 0;
template <int N>
inline constexpr int tail_size<second_batch_policy<N>> = N;

struct no_memory {};
struct no_scratch {};

}  // namespace detail

/// What becomes of the samples that do not fill a batch. There is no default: a loader says it.
/// drop_last         an epoch leaves them out (other ones each time, when the order is shuffled)
/// padded            the last batch repeats its last sample; each batch comes with its number of real samples: for evaluation, a trainer's step
///                   does not take it
/// second_batch<N>   they are a batch of their own of static size N, given by tail(); refused at construction unless exactly N remain
inline constexpr detail::drop_last_policy drop_last{};
inline constexpr detail::padded_policy padded{};
template <int N>
inline constexpr detail::second_batch_policy<N> second_batch{};

namespace detail {
template <class T, class Batch, class Target>
using batch_targets = tensor<typename targets_of<T, Target>::element, typename batch_memory<T, Batch, Target>::target_batch>;
}

/// A batch as a loader gives it: valid until the loader gives the next one. `labels` are real targets where the data set has such.
template <class T, class Batch, class Target = label>
struct loaded {
  tensor<T, Batch> const& images;
  detail::batch_targets<T, Batch, Target> const& labels;
};
/// The first `count` samples are real: for trainer.evaluate(images, labels, count). The type of `images` carries that the others are not.
template <class T, class Batch, class Target = label>
struct loaded_padded {
  detail::padded_tensor<T, Batch> const& images;
  detail::batch_targets<T, Batch, Target> const& labels;
  int count;
};

/// loader{samples, batch<N, ...>{}, order, policy, transforms}: a data set in batches of static size, in one order per epoch.
///
///     data::loader batches{train, esp::batch<32, 8, 8>{}, data::shuffled{seed}, data::drop_last};
///     for (auto const& [images, labels] : batches.epoch(k)) trainer.step(images, labels);
///
/// shape   images (N, Sample...), labels (N), real targets (N, Target...)
/// errors  size_error at construction: no sample, too few for one batch with drop_last, a remainder other than second_batch's N, positions that are no
///         permutation. Transforms that do not take the samples' shape do not compile.
/// memory  one batch, one index per sample and, for several transforms, one sample, allocated at construction; an epoch allocates nothing
/// order   epoch k of a seed is the same permutation whatever was asked for before; a sample's transforms depend on their seed, the epoch and the
///         sample's position in the data set alone
/// One epoch at a time: the range and the batches of epoch(k) look at the loader. A loader looks at the data set.
template <class T, class Sample, class Batch, class Policy = detail::unsaid_policy, class Target = label, class Transforms = transforms<>>
class loader {
  using facts = detail::batch_of_samples<Batch, Sample>;
  static_assert(facts::agree,
                ESPALIER_SENTENCE("loader{samples, batch<N, ...>{}, ...}: the batch must be N samples of the data set's shape", facts));
  /// What is refused has no members of its own that are refused, too.
  using sound_batch = std::conditional_t<facts::agree, Batch, typename detail::batch_shape_of<Sample, 1>::type>;
  static_assert(
      !std::is_same_v<Policy, detail::unsaid_policy>,
      "loader{samples, batch<N, ...>{}, order, policy}: say what becomes of the last batch: drop_last, padded or second_batch<N>");

  using transformed = typename detail::transforms_fit<Transforms, Sample>::type;
  static_assert(transformed::agree,
                ESPALIER_SENTENCE("loader{..., transforms}: a transform does not take samples of this shape in its layout (hwc, chw)",
                                  transformed));

 public:
  static constexpr int batch_size = sound_batch::value.at[0];
  static constexpr int tail_size = detail::tail_size<Policy>;
  static constexpr bool is_padded = std::is_same_v<Policy, detail::padded_policy>;
  using batch_type = std::conditional_t<is_padded, loaded_padded<T, sound_batch, Target>, loaded<T, sound_batch, Target>>;

  loader(samples<T, Sample, Target> all, Batch, order how, Policy, Transforms transforms = {})
      : all_{all}, how_{how}, transforms_{transforms}, order_{detail::checked_count(all.size(), batch_size, is_padded, tail_size)} {
    detail::begin_order(order_, how_);
  }
  loader(dataset<T, Sample, Target> const& all ESPALIER_BORROWS, Batch size, order how, Policy policy, Transforms transforms = {})
      : loader{all.all(), size, how, policy, transforms} {}
  loader(dataset<T, Sample, Target>&&, Batch, order, Policy, Transforms = {}) = delete;
  loader(samples<T, Sample, Target> all, Batch size, order how) requires std::is_same_v<Policy, detail::unsaid_policy>
      : loader{all, size, how, Policy{}} {}

  class iterator {
   public:
    batch_type operator*() const noexcept {
      if constexpr (is_padded) return {from_->memory_.images, from_->memory_.labels, static_cast<int>(last() - at_)};
      else return {from_->memory_.images, from_->memory_.labels};
    }
    iterator& operator++() noexcept {
      at_ += batch_size;
      gather();
      return *this;
    }
    bool operator==(iterator const& other) const noexcept { return at_ == other.at_; }

   private:
    friend loader;
    iterator(loader* from, std::int64_t at) noexcept : from_{from}, at_{at} { gather(); }
    std::int64_t last() const noexcept { return at_ + batch_size < from_->all_.size() ? at_ + batch_size : from_->all_.size(); }
    void gather() noexcept {
      if (at_ < from_->batches() * batch_size) from_->fill(from_->memory_, at_, last());
    }

    loader* from_;
    std::int64_t at_;
  };
  class range {
   public:
    iterator begin() const noexcept { return {from_, 0}; }
    iterator end() const noexcept { return {from_, from_->batches() * batch_size}; }

   private:
    friend loader;
    explicit range(loader* from) noexcept : from_{from} {}
    loader* from_;
  };

  /// The batches of epoch number k, in that epoch's order. With second_batch, tail() follows them.
  [[nodiscard]] range epoch(std::int64_t k) & noexcept ESPALIER_BORROWS {
    epoch_ = k;
    detail::arrange(order_, how_, k);
    return range{this};
  }
  void epoch(std::int64_t) && = delete;
  /// Refused: a loader has an order for each epoch.
  template <bool SaysItsEpoch = false>
  iterator begin() {
    static_assert(SaysItsEpoch, "for (... : loader): write for (... : loader.epoch(k)), where k counts the epochs");
    return {this, 0};
  }
  iterator end() { return {this, 0}; }

  /// The samples that remain after the batches of the epoch begun last, as a batch of static size tail_size.
  [[nodiscard]] auto tail() & noexcept ESPALIER_BORROWS requires(tail_size > 0) {
    fill(tail_, batches() * batch_size, all_.size());
    return loaded<T, tail_batch, Target>{tail_.images, tail_.labels};
  }

  /// How many samples are in no whole batch: dropped, in the padded batch, or in tail(), as the policy says.
  [[nodiscard]] std::int64_t tail_count() const noexcept { return all_.size() % batch_size; }
  /// Batches that epoch() gives.
  [[nodiscard]] std::int64_t batches() const noexcept { return (all_.size() + (is_padded ? batch_size - 1 : 0)) / batch_size; }
  /// Samples that an epoch gives, tail() included, padding not.
  [[nodiscard]] std::int64_t samples_per_epoch() const noexcept { return all_.size() - (is_padded || tail_size > 0 ? 0 : tail_count()); }

 private:
  using tail_batch = typename detail::batch_shape_of<Sample, (tail_size > 0 ? tail_size : 1)>::type;

  static constexpr bool needs_scratch = Transforms::count > 1;

  void fill(auto& memory, std::int64_t from, std::int64_t last) noexcept {
    T* room = nullptr;
    if constexpr (needs_scratch) room = scratch_.data();
    detail::gather_samples(all_, order_.data(), from, last, memory.count, transforms_, view<T, Sample>{room}, epoch_, memory.images.data(), memory.labels.data());
  }

  samples<T, Sample, Target> all_;
  order how_;
  Transforms transforms_;
  io::owned<std::int32_t> order_;
  std::int64_t epoch_ = 0;
  detail::batch_memory<T, sound_batch, Target, is_padded> memory_;
  [[no_unique_address]] std::conditional_t<(tail_size > 0), detail::batch_memory<T, tail_batch, Target>, detail::no_memory> tail_;
  [[no_unique_address]] std::conditional_t<needs_scratch, tensor<T, Sample>, detail::no_scratch> scratch_;
};

}  // namespace espalier::data
#pragma GCC diagnostic pop
