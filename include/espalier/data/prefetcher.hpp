// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstddef>
#include <exception>

#include "../base/needs_header.hpp"
#include "../device/aligned_bytes.hpp"
#include "../device/batch_slots.hpp"
#include "../device/cpu/thread/float_control.hpp"
#include "../device/cpu/thread/worker.hpp"
#include "loader.hpp"

ESPALIER_HEADER_INCLUDED(prefetcher);

namespace espalier::data {

/// A batch of a prefetcher, valid until the prefetcher makes the next one: views of the device's memory, with the
/// shapes that the loader's batches have.
template <class Images, class Labels>
struct prefetched {
  Images images;
  Labels labels;
};
/// A padded batch: the first `count` samples are real, for trainer.evaluate(images, labels, count).
template <class Images, class Labels>
struct prefetched_padded {
  Images images;
  Labels labels;
  int count;
};

namespace detail {

/// Images of a padded batch: a trainer's step does not compile with them.
template <class View>
struct padded_view : View {
  using is_padded_batch = void;
};

struct loader_access {
  template <class L>
  struct types;
  template <class T, class Sample, class Batch, class Policy, class Target, class Transforms>
  struct types<loader<T, Sample, Batch, Policy, Target, Transforms>> {
    using element = T;
    using target_element = typename targets_of<T, Target>::element;
    using batch = Batch;
    using memory = batch_memory<T, Batch, Target>;
    using images_shape = typename memory::images_batch;
    using labels_shape = typename memory::target_batch;
    template <int N>
    using first = batch_memory<T, typename batch_shape_of<Sample, N>::type, Target>;
    template <int N>
    using bounded_labels = typename batch_shape_of<typename targets_of<T, Target>::shape, N>::type;
  };
  template <class L>
  static void begin_epoch(L& from, std::int64_t k) noexcept {
    from.begin_epoch(k);
  }
  /// The number of real samples of batch `at`; of the tail for the number behind the last batch.
  template <class L>
  static int samples(L const& from, std::int64_t at) {
    std::int64_t const left = from.own().own_samples() - at * L::batch_size;
    return static_cast<int>(left < L::batch_size ? left : L::batch_size);
  }
  template <class L, class T, class Element>
  static void fill(L& from, std::int64_t at, T* images, Element* labels) {
    std::int64_t const first = at * L::batch_size;
    int const real = samples(from, at);
    from.fill(first, first + real, L::is_padded ? L::batch_size : real, images, labels);
  }
};

/// Relation that errors name: the loader is moved into the prefetcher, whose thread uses it.
template <class Loader>
struct own_loader {
  static constexpr bool agree = false;
};
/// Relation that errors name: batches of up to N samples are in memory of the host.
template <class Device, class Batch>
struct batch_on_device {
  ESPALIER_READS("the device is {}, the batch {}")
  static constexpr bool agree = !is_bounded_batch<Batch> || !espalier::detail::is_graphics<Device>;
};

}  // namespace detail

/// prefetcher{loader, device{}, ahead}: a loader whose batches are prepared before you need them. A thread fills
/// `ahead` batches in advance, and on a graphics processor copies them from page-locked memory while kernels run. The
/// batches are those of the loader, in the same order and with the same bits.
///
///     data::prefetcher batches{data::loader{train, batch{}, data::shuffled{1}, data::drop_last}, esp::cuda{}};
///     for (auto const& [images, labels] : batches.epoch(k)) trainer.step(images, labels, esp::queued{});
///
/// shape   as the loader: images (N, Sample...), labels (N), real targets (N, Target...)
/// range   ahead from 1 to 7
/// device  images and labels are views of the device's memory. A step reads them in place and checks the labels in the
///         host's copy. So it copies neither, and a queued step does not wait; if the optimizer may skip the update, the
///         next step waits for it. On esp::cpu they are in memory of the host
/// order   a batch is valid until the loop takes the next one. What you have queued by then, on the device's default
///         backend or by a trainer, is done before the memory gets another batch
/// errors  size_error for another `ahead`; a loader that is not moved does not compile, and batches of up to N samples
///         do not on a graphics processor. What a transform throws, and a cuda_error of a copy, comes from the loop
///         when it takes the batch; the next epoch() starts again. io::error for an iterator of a batch that has passed
/// memory  ahead + 1 batches on the host, as many on the device, and one thread, at construction; an epoch allocates
///         nothing
/// threads one thread uses a prefetcher. Its own thread runs the transforms: they share nothing with yours
/// Leave an epoch when you like: epoch() begins another one, and the destructor waits for the batch in preparation.
template <class Loader, class Device = cpu>
class prefetcher {
  using types = detail::loader_access::types<Loader>;
  using fit = detail::batch_on_device<Device, typename types::batch>;
  static_assert(fit::agree,
                ESPALIER_SENTENCE("prefetcher{loader, device}: batches of up to N samples are on the host; for a "
                                  "graphics processor use batch<N, ...>",
                                  fit));
  using one_device = espalier::detail::on_one_device<Device>;
  static_assert(one_device::agree,
                ESPALIER_SENTENCE("prefetcher{loader, device}: several devices take batches of the host, which "
                                  "prefetcher{loader, esp::cpu{}} prepares",
                                  one_device));
  using element = typename types::element;
  using target_element = typename types::target_element;
  using slots =
      typename espalier::detail::batch_slots_of<std::conditional_t<fit::agree && one_device::agree, Device, cpu>>::type;
  static constexpr std::size_t labels_at =
      espalier::detail::aligned_bytes(static_cast<std::size_t>(types::images_shape::size) * sizeof(element));
  static constexpr std::size_t bytes =
      labels_at + static_cast<std::size_t>(types::labels_shape::size) * sizeof(target_element);

 public:
  static constexpr int batch_size = Loader::batch_size;
  static constexpr int tail_size = Loader::tail_size;

  explicit prefetcher(Loader&& batches, Device = {}, int ahead = 2)
      : loader_(static_cast<Loader&&>(batches)), count_{checked(ahead) + 1}, slots_(count_, bytes) {
    thread_.start(&work, this);
    if (!thread_.started()) io::throw_error<io::error>("prefetcher: the system created no thread");
  }
  /// Does not compile: the prefetcher's thread uses the loader, so it must be the prefetcher's own.
  template <class L>
    requires(std::is_same_v<L, Loader>)
  explicit prefetcher(L const& batches, Device to = {}, int ahead = 2)
      : prefetcher{static_cast<Loader&&>(const_cast<Loader&>(batches)), to, ahead} {
    static_assert(detail::own_loader<L>::agree,
                  ESPALIER_SENTENCE("prefetcher{loader, device}: the prefetcher's thread uses the loader; move it, or "
                                    "construct it there: prefetcher{data::loader{...}, device}",
                                    detail::own_loader<L>));
  }
  /// Does not compile: its thread uses it.
  prefetcher(prefetcher const&) ESPALIER_DELETED("a prefetcher cannot be copied or moved: construct another one");
  prefetcher& operator=(prefetcher const&) = delete;
  ~prefetcher() {
    cancel();
    ending_ = true;
    begin_.post();
    thread_.join();
    slots_.finish();
  }

  class iterator {
   public:
    auto operator*() const {
      from_->check_present(at_);
      return from_->batch(at_);
    }
    iterator& operator++() {
      from_->check_present(at_);
      from_->leave();
      if (++at_ < from_->loader_.batches()) from_->take();
      else from_->owed_.falls_due();
      return *this;
    }
    bool operator==(iterator const& other) const noexcept { return at_ == other.at_; }

   private:
    friend prefetcher;
    iterator(prefetcher* from, std::int64_t at) noexcept : from_{from}, at_{at} {}
    prefetcher* from_;
    std::int64_t at_;
  };
  class range {
   public:
    /// Waits for the first batch. Call it once: the batches of an epoch pass once.
    iterator begin() const {
      if (from_->taken_ > 0) wrong_order();
      if (from_->loader_.batches() > 0) from_->take();
      else from_->owed_.falls_due();
      return {from_, 0};
    }
    iterator end() const noexcept { return {from_, from_->loader_.batches()}; }

   private:
    friend prefetcher;
    explicit range(prefetcher* from) noexcept : from_{from} {}
    prefetcher* from_;
  };

  /// Begins epoch number k, in that epoch's order; an earlier epoch ends. With second_batch, call tail() after its
  /// batches.
  [[nodiscard]] range epoch(std::int64_t k) & ESPALIER_BORROWS {
    owed_.check("prefetcher", tail_size);
    if (holds_) slots_.after_use(slot_);
    cancel();
    epoch_ = k;
    float_control_ = on_cpu::detail::float_control();
    free_.reset(static_cast<unsigned>(count_));
    ready_.reset(0);
    running_ = true;
    taken_ = 0;
    begin_.post();
    return range{this};
  }
  void epoch(std::int64_t) && = delete;
  /// f(images, labels) for each batch of epoch number k, and with second_batch for its tail: all samples. With padded,
  /// f(images, labels, count).
  void epoch(std::int64_t k, auto&& f) & { detail::for_each_batch(*this, k, f); }

  /// The samples that remain after the batches of the latest epoch, as a batch of static size tail_size. It passes over
  /// the batches that were not taken.
  [[nodiscard]] auto tail() & ESPALIER_BORROWS requires(tail_size > 0) {
    if (!running_)
      io::throw_error<size_error>("prefetcher.tail(): expected a call after epoch(k), which begins an epoch, got none");
    owed_.is_taken();
    using memory = typename types::template first<tail_size>;
    while (taken_ <= loader_.batches()) {
      leave();
      take();
    }
    return views<typename memory::images_batch, typename memory::target_batch>();
  }

  /// Number of samples in no whole batch: dropped, in the padded or short batch, or in tail(), depending on the policy.
  [[nodiscard]] std::int64_t tail_count() const noexcept { return loader_.tail_count(); }
  /// Number of batches of epoch().
  [[nodiscard]] std::int64_t batches() const noexcept { return loader_.batches(); }
  /// Number of samples of an epoch, with tail() and without padding.
  [[nodiscard]] std::int64_t samples_per_epoch() const noexcept { return loader_.samples_per_epoch(); }

 private:
  static int checked(int ahead) {
    if (ahead < 1 || ahead >= on_device::most_slots)
      io::throw_error<size_error>("prefetcher{loader, device, ahead}: expected 1 to %d batches ahead, got %d",
                                  on_device::most_slots - 1, ahead);
    return ahead;
  }
  std::int64_t parts() const { return loader_.batches() + (tail_size > 0 ? 1 : 0); }

  // ---- on the thread of the user ----

  [[noreturn]] static void wrong_order() {
    io::throw_error<io::error>(
        "prefetcher: expected an iterator of the latest epoch, at its present batch, got one of a batch that has passed");
  }
  void check_present(std::int64_t at) const {
    if (!holds_ || at + 1 != taken_) wrong_order();
  }

  /// Waits for the next batch.
  void take() {
    if (!broken_) ready_.wait();
    broken_ = __atomic_load_n(&failed_at_, __ATOMIC_SEQ_CST) == taken_;
    if (broken_) rethrow();
    slots_.before_use(slot_);
    holds_ = true;
    ++taken_;
  }
  /// Gives the slot of the present batch back: everything that uses it is queued.
  void leave() {
    if (!holds_) return;
    slots_.after_use(slot_);
    holds_ = false;
    slot_ = slot_ + 1 < count_ ? slot_ + 1 : 0;
    free_.post();
  }
  /// Ends the epoch, if there is one, and waits until the thread has stopped.
  void cancel() {
    if (!running_) return;
    holds_ = false;
    __atomic_store_n(&cancelled_, true, __ATOMIC_SEQ_CST);
    free_.post();
    idle_.wait();
    __atomic_store_n(&cancelled_, false, __ATOMIC_SEQ_CST);
    running_ = broken_ = false;
    error_ = nullptr;
    failed_at_ = none;
    slot_ = next_ = 0;
  }

  auto batch(std::int64_t at) const {
    if constexpr (Loader::is_bounded) {
      using targets = typename types::template bounded_labels<up_to<batch_size>>;
      int const count = detail::loader_access::samples(loader_, at);
      auto const images = slots_.template view_at<element, typename types::batch>(slot_, 0, count);
      auto const labels = slots_.template view_at<target_element, targets>(slot_, labels_at, count);
      return prefetched<decltype(images), decltype(labels)>{images, labels};
    } else if constexpr (Loader::is_padded) {
      auto const whole = views<typename types::images_shape, typename types::labels_shape>();
      using images = detail::padded_view<std::remove_cvref_t<decltype(whole.images)>>;
      return prefetched_padded<images, std::remove_cvref_t<decltype(whole.labels)>>{
          images{whole.images}, whole.labels, detail::loader_access::samples(loader_, at)};
    } else {
      return views<typename types::images_shape, typename types::labels_shape>();
    }
  }
  template <class Images, class Labels>
  auto views() const {
    using images = decltype(slots_.template view_at<element, Images>(0, 0));
    using labels = decltype(slots_.template view_at<target_element, Labels>(0, 0));
    return prefetched<images, labels>{slots_.template view_at<element, Images>(slot_, 0),
                                      slots_.template view_at<target_element, Labels>(slot_, labels_at)};
  }

  // ---- on the thread of the prefetcher ----

  static void* work(void* me) {
    auto& self = *static_cast<prefetcher*>(me);
    for (;;) {
      self.begin_.wait();
      if (self.ending_) return nullptr;
      self.prepare_epoch();
      self.idle_.post();
    }
  }
  void prepare_epoch() {
    on_cpu::detail::float_control(float_control_);
    for (std::int64_t at = 0; at < parts(); ++at) {
      free_.wait();
      if (__atomic_load_n(&cancelled_, __ATOMIC_SEQ_CST)) return;
      bool const made = prepare(at);
      if (made) next_ = next_ + 1 < count_ ? next_ + 1 : 0;
      ready_.post();
      if (!made) return;
    }
  }
#if defined(__cpp_exceptions)
  bool prepare(std::int64_t at) noexcept {
    try {
      prepare_slot(at);
      return true;
    } catch (...) {
      error_ = std::current_exception();
      __atomic_store_n(&failed_at_, at, __ATOMIC_SEQ_CST);
      return false;
    }
  }
  [[noreturn]] void rethrow() const { std::rethrow_exception(error_); }
#else
  bool prepare(std::int64_t at) {
    prepare_slot(at);
    return true;
  }
  [[noreturn]] static void rethrow() { __builtin_trap(); }  // without exceptions, errors have ended the program
#endif
  void prepare_slot(std::int64_t at) {
    if (at == 0) {
      slots_.begin_thread();
      detail::loader_access::begin_epoch(loader_, epoch_);
    }
    slots_.wait_until_sent(next_);
    unsigned char* const to = slots_.host(next_);
    detail::loader_access::fill(loader_, at, reinterpret_cast<element*>(to),
                                reinterpret_cast<target_element*>(to + labels_at));
    slots_.send(next_);
  }

  Loader loader_;
  int const count_;
  slots slots_;
  // Written by one thread while the other one waits: begin_ and free_ wake the prefetcher's, ready_ and idle_ the
  // user's.
  on_cpu::semaphore begin_, free_, ready_, idle_;
  std::int64_t epoch_ = 0;
  std::uint64_t float_control_ = 0;
  std::exception_ptr error_;
  static constexpr std::int64_t none = -1;
  std::int64_t failed_at_ = none;  // the batch that error_ is about
  bool ending_ = false, cancelled_ = false;
  int next_ = 0;  // the slot that is prepared
  // Of the user's thread.
  int slot_ = 0;            // the slot of the present batch, or of the next one
  std::int64_t taken_ = 0;  // batches of this epoch
  bool holds_ = false, running_ = false, broken_ = false;
  [[no_unique_address]] detail::tail_of<tail_size> owed_;
  on_cpu::worker thread_;
};
template <class Loader>
prefetcher(Loader&&) -> prefetcher<std::remove_cvref_t<Loader>>;
template <class Loader, class Device>
prefetcher(Loader&&, Device) -> prefetcher<std::remove_cvref_t<Loader>, Device>;
template <class Loader, class Device>
prefetcher(Loader&&, Device, int) -> prefetcher<std::remove_cvref_t<Loader>, Device>;

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"
