// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../base/raise.hpp"
#include "../../plan/gradient_buckets.hpp"
#include "../cpu/vector/pack.hpp"
#include "exchange_times.hpp"
#include "line_part.hpp"
#include "processes.hpp"
#include "step_header.hpp"

/// How processes average their gradients while the backward pass continues.
namespace espalier::on_device {

namespace detail {

/// out[i] = factor[0] part[0][i] + factor[1] part[1][i] + ... in this order, for the processes whose factor is not 0.
/// The others take no part: 0 times what they have may be NaN.
template <class T, class Arch = on_cpu::default_arch>
[[gnu::noinline]] void weighted_sum(T* out, T const* const* part, T const* factor, int parts, std::int64_t count) {
  using P = on_cpu::pack<T, Arch>;
  int begin = 0;
  while (begin < parts && factor[begin] == T(0)) ++begin;
  if (begin == parts) return;
  std::int64_t i = 0;
  for (; i + P::size <= count; i += P::size) {
    P sum = P(factor[begin]) * P::load(part[begin] + i);
    for (int k = begin + 1; k < parts; ++k)
      if (factor[k] != T(0)) sum = sum + P(factor[k]) * P::load(part[k] + i);
    sum.store(out + i);
  }
  for (; i < count; ++i) {
    T sum = factor[begin] * part[begin][i];
    for (int k = begin + 1; k < parts; ++k)
      if (factor[k] != T(0)) sum = sum + factor[k] * part[k][i];
    out[i] = sum;
  }
}

/// Arrays whose size is known when processes meet.
template <class X>
class sized_array {
 public:
  sized_array() = default;
  explicit sized_array(std::int64_t count) : at_{new X[static_cast<std::size_t>(count)]{}} {}
  sized_array(sized_array const&) = delete;
  sized_array& operator=(sized_array&& other) noexcept {
    X* const mine = at_;
    at_ = other.at_;
    other.at_ = mine;
    return *this;
  }
  ~sized_array() { delete[] at_; }
  X& operator[](std::int64_t i) const { return at_[i]; }
  X* data() const { return at_; }

 private:
  X* at_ = nullptr;
};

}  // namespace detail

/// What a process does with its part of a range as soon as it has the mean of the gradients there.
template <class T>
class part_update {
 public:
  /// parameters  those of the part, which become the new ones; another memory than the model's
  /// gradient    the mean of all processes
  virtual void update(int range, T* parameters, T const* gradient) = 0;

 protected:
  ~part_update() = default;
};

/// Averages the gradients of all processes, each with the weight of its number of samples. A range of gradients is
/// exchanged as soon as it is complete: each process receives its part of the range from all others, sums it in the
/// order of their ranks, and sends the sums to all. Every process therefore ends with the same bits, and sends
/// 2 (n - 1) / n times the bytes of the range, the least there is. A range of few bytes is sent whole to all, which
/// costs one latency instead of two.
/// With a part_update, each process sends the new parameters of its part to all, in place of the sums. They are
/// received beside the model, which store() changes when all are there: a step that fails leaves the parameters as they
/// were.
/// memory   allocated at construction: what is received, which is at most n times the small ranges and once the others
/// order    nothing is sent before all processes are known to train (step_header), so that a step that is rejected has
///          no exchange under way
template <class T>
class gradient_exchange {
 public:
  /// Ranges of at most so many bytes, times the number of the others, are sent whole.
  static constexpr std::int64_t small_bytes = 32768;

  template <class Engine>
  explicit gradient_exchange(Engine const& engine) : all_{&engine.all()} {}
  explicit gradient_exchange(processes& all) : all_{&all} {}
  gradient_exchange(gradient_exchange const&) = delete;
  gradient_exchange& operator=(gradient_exchange const&) = delete;
  ~gradient_exchange() {
    // An exchange that was cut off may still use its memory.
    if (cut_off()) all_->keep(memory_);
    else delete memory_;
  }

  /// Meets the other processes: all must call it with the same program, and continue with the numbers of process 0.
  /// program  a hash of what all have to agree on
  /// at       the gradients; offsets of ranges count from here. nullptr: move_to says it before each step
  /// state    what becomes that of process 0, in whole lines
  /// update   what a process does with its parts, or null; `parameters` are those at the offsets of the gradients
  void meet(std::uint64_t program, T* at, plan::gradient_range const* ranges, int count, void* state,
            std::int64_t state_bytes, part_update<T>* update = nullptr, T* parameters = nullptr) {
    int const n = all_->size(), me = all_->rank();
    count_ = count;
    update_ = update;
    gradients_ = at;
    parameters_ = parameters;
    program_ = espalier::detail::hash_bytes(ranges, static_cast<std::size_t>(count) * sizeof *ranges, program);
    memory_->headers = detail::sized_array<cache_line>(n);
    memory_->losses = detail::sized_array<cache_line>(n);
    memory_->one_each = division(n);
    for (int k = 0; k < n; ++k) memory_->one_each.counts[k] = 1, memory_->one_each.firsts[k] = k;
    factors_ = detail::sized_array<T>(n);
    parts_ = detail::sized_array<T const*>(n);
    memory_->ranges = detail::sized_array<range>(count);
    times_ = detail::sized_array<range_times>(count);
    std::int64_t lines = 0;
    for (int i = 0; i < count; ++i) {
      range& r = memory_->ranges[i];
      r.offset = ranges[i].offset;
      r.at = at == nullptr ? nullptr : at + r.offset;
      r.lines = lines_of(ranges[i].size * static_cast<std::int64_t>(sizeof(T)));
      r.is_small = update == nullptr && (n - 1) * r.lines * line <= small_bytes;
      r.received = lines;
      r.pieces = division(n);
      r.places = division(n);
      r.sent = division(n);
      for (int k = 0; k < n; ++k) {
        line_part const part = part_of_lines(r.lines, k, n);
        r.pieces.counts[k] = static_cast<int>(part.count);
        r.pieces.firsts[k] = r.sent.firsts[k] = static_cast<int>(part.first);
        r.sent.counts[k] = k == me ? 0 : static_cast<int>(part.count);
      }
      std::int64_t const own = r.is_small ? r.lines : r.pieces.counts[me];
      for (int k = 0; k < n; ++k) {
        r.places.counts[k] = k == me && !r.is_small ? 0 : static_cast<int>(own);
        r.places.firsts[k] = static_cast<int>(own * k);
      }
      // New parameters of the range take the place of what was summed.
      lines += update != nullptr && own * n < r.lines ? r.lines : own * n;
      times_[i].bytes =
          (r.is_small ? (n - 1) * r.lines : r.lines - r.pieces.counts[me] + (n - 1) * r.pieces.counts[me]) * line;
      bytes_ += times_[i].bytes;
    }
    memory_->received = detail::sized_array<cache_line>(lines);
    // First the programs, then the numbers: processes of different programs have numbers of other sizes.
    begin({});
    wait_for_headers();
    detail::sized_array<int> counts(n), firsts(n);
    for (int k = 0; k < n; ++k) counts[k] = k == 0 ? static_cast<int>(lines_of(state_bytes)) : 0;
    processes::transfer sending;
    all_->gather(sending, processes::channel::others, state, {counts.data(), firsts.data()});
    all_->wait(sending, 0);
  }

  /// The gradients of the next steps are there.
  void move_to(T* at) {
    for (int i = 0; i < count_; ++i) memory_->ranges[i].at = at + memory_->ranges[i].offset;
  }

  /// Begins a step: all processes learn what each is about to do.
  /// errors   distributed_error: with a part_update, an exchange before it was cut off
  void begin(step_header own) {
    if (update_ != nullptr && cut_off()) raise_cut_off();
    step_ = static_cast<std::int64_t>(own.number);
    own.program = program_;
    ready_ = started_ = summed_ = finished_ = 0;
    begun_ = all_->now();
    header(all_->rank()) = own;
    knows_headers_ = false;
    wants_loss_ = false;  // until all have said so
    all_->gather(headers_sent_, processes::channel::headers, memory_->headers.data(), memory_->one_each.refer());
  }
  /// Waits for the headers of all, and compares them.
  /// errors   distributed_error: a process rejected its step, or does not agree on what to do
  void wait_for_headers() {
    if (knows_headers_) return;
    all_->wait(headers_sent_, step_);
    read_headers();
  }
  [[nodiscard]] std::int64_t samples() const { return samples_; }
  /// The samples of process k.
  [[nodiscard]] std::int64_t samples_of(int k) const { return header(k).samples; }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] processes& all() const { return *all_; }
  /// The samples of the processes before this one.
  [[nodiscard]] std::int64_t samples_before() const { return samples_before_; }
  [[nodiscard]] bool all_have_joined() const { return samples_ == 0; }
  /// The weight of a process in means, and whether a process wants that of the losses.
  [[nodiscard]] T factor(int k) const { return factors_[k]; }
  [[nodiscard]] bool wants_loss() const { return wants_loss_; }

  /// The first `count` ranges are complete. Starts and continues exchanges without waiting.
  void ready(int count) {
    double const now = seconds();
    for (; ready_ < count; ++ready_) times_[ready_].ready = now;
    advance();
  }
  void ready_all() { ready(count_); }
  void advance() {
    if (!knows_headers_) {
      if (!all_->is_complete(headers_sent_)) return;
      read_headers();
    }
    for (; started_ < ready_; ++started_) {
      times_[started_].started = seconds();
      start(memory_->ranges[started_]);
    }
    for (; summed_ < started_ && all_->is_complete(memory_->ranges[summed_].transfer); ++summed_) {
      times_[summed_].summed = seconds();
      sum(summed_);
    }
    for (; finished_ < summed_ && is_finished(memory_->ranges[finished_]); ++finished_)
      times_[finished_].finished = seconds();
  }
  /// Waits until all ranges have been exchanged. Returns the mean of a number over the samples of all processes, if a
  /// process wants it (step_header::wants_loss).
  double finish(double own) {
    backward_ended_ = seconds();
    wait_for_headers();
    if (wants_loss_) begin_mean(own);
    for (advance(); finished_ < count_; advance()) {
      if (summed_ < started_) all_->wait(memory_->ranges[summed_].transfer, step_);
      else if (finished_ < summed_) all_->wait(memory_->ranges[finished_].transfer, step_);
    }
    ended_ = seconds();
    return wants_loss_ ? mean() : 0;
  }
  /// Stores the new parameters of all processes, after finish().
  void store() const {
    for (int i = 0; i < count_; ++i) {
      range const& r = memory_->ranges[i];
      __builtin_memcpy(parameters_ + (r.at - gradients_), received(r), static_cast<std::size_t>(r.lines * line));
    }
  }
  /// Process 0 receives elements of a range from the processes whose parts they are in. All call it; it waits for all.
  /// first, count  in lines of the range
  /// copy_own      copy_own(first, count, to): the elements of these lines of this process's part
  /// returns       the elements on process 0 until the next call, else nothing of use
  template <class CopyOwn>
  T const* collect(int of, std::int64_t first, std::int64_t count, CopyOwn const& copy_own) {
    int const n = all_->size(), me = all_->rank();
    if (cut_off()) raise_cut_off();
    memory& m = *memory_;
    if (m.collected_lines < count) {
      m.collected = detail::sized_array<cache_line>(count);
      m.collected_lines = count;
    }
    if (m.given.counts.data() == nullptr) {
      m.given = division(n);
      m.taken = division(n);
    }
    line_part own{};
    for (int k = 0; k < n; ++k) {
      line_part part = part_of_lines(m.ranges[of].lines, k, n);
      std::int64_t const begin = part.first > first ? part.first : first,
                         last = part.first + part.count < first + count ? part.first + part.count : first + count;
      part = {begin, last > begin ? last - begin : 0};
      if (k == me) own = part;
      m.given.counts[k] = m.given.firsts[k] = 0;
      m.taken.counts[k] = me == 0 && k != 0 ? static_cast<int>(part.count) : 0;
      m.taken.firsts[k] = part.count > 0 ? static_cast<int>(begin - first) : 0;
    }
    auto* const at = reinterpret_cast<T*>(m.collected.data());
    if (own.count > 0)
      copy_own(own.first, own.count,
               me == 0 ? at + (own.first - first) * line / static_cast<std::int64_t>(sizeof(T)) : at);
    if (me != 0) m.given.counts[0] = static_cast<int>(own.count);
    // Where nothing is sent or received, the address is another one than that of the elements, as MPI requires.
    void* const none = m.headers.data();
    all_->scatter(m.collecting, processes::channel::others, me == 0 ? none : at, m.given.refer(), me == 0 ? at : none,
                  m.taken.refer());
    all_->wait(m.collecting, step_);
    return at;
  }
  /// Whether it is true of any process. All call it; it waits for all.
  bool any(bool own) {
    begin_mean(own ? 1 : 0);
    all_->wait(losses_sent_, step_);
    for (int k = 0; k < all_->size(); ++k)
      if (*reinterpret_cast<double const*>(&memory_->losses[k]) != 0) return true;
    return false;
  }
  /// How the latest exchange went. Refers to this object.
  [[nodiscard]] exchange_times times() const { return {backward_ended_, ended_, bytes_, {times_.data(), count_}}; }
  /// Tells the others that this process rejects its batch, so that they do not wait for it.
  void reject(std::uint64_t number) noexcept {
    step_header own{};
    own.number = number;
    own.is = step_header::state::rejects;
#if defined(__cpp_exceptions)
    try {
      begin(own);
      all_->wait(headers_sent_, step_);
    } catch (distributed_error const&) {
      // The error of the batch is on its way, and says more.
    }
#else
    begin(own);
    all_->wait(headers_sent_, step_);
#endif
    knows_headers_ = true;
  }

 private:
  static constexpr auto line = static_cast<std::int64_t>(processes::line);
  struct alignas(processes::line) cache_line {
    unsigned char at[processes::line];
  };
  struct division {
    division() = default;
    explicit division(int n) : counts(n), firsts(n) {}
    processes::pieces refer() const { return {counts.data(), firsts.data()}; }
    detail::sized_array<int> counts, firsts;
  };
  struct range {
    std::int64_t offset;
    T* at;
    std::int64_t lines;
    bool is_small;
    std::int64_t received;  ///< the line of memory_->received where the parts of the others begin
    division pieces;        ///< the part of each process
    division sent;          ///< the same without that of this process
    division places;        ///< where the parts of the others are received
    processes::transfer transfer;
  };

  step_header& header(int k) const { return *reinterpret_cast<step_header*>(&memory_->headers[k]); }
  T* received(range const& r) const { return reinterpret_cast<T*>(&memory_->received[r.received]); }
  T* received(range const& r, int k) const {
    return reinterpret_cast<T*>(&memory_->received[r.received + r.places.firsts[k]]);
  }
  double seconds() const { return all_->now() - begun_; }
  bool cut_off() const {
    for (int i = 0; i < count_; ++i)
      if (memory_->ranges[i].transfer.pending) return true;
    return headers_sent_.pending || losses_sent_.pending || memory_->collecting.pending;
  }
  void raise_cut_off() const {
    espalier::detail::error_text text;
    espalier::detail::raise(distributed_error{
        text << "process " << all_->rank() << " of " << all_->size() << ": the exchange of step " << step_
             << " was cut off; its trainer can neither go on nor save the optimizer's states"});
  }

  void read_headers() {
    int const n = all_->size();
    check_headers(*all_, [this](int k) -> step_header const& { return header(k); });
    knows_headers_ = true;
    samples_ = samples_before_ = 0;
    for (int k = 0; k < n; ++k) {
      if (header(k).samples > 0 && header(k).wants_loss != 0) wants_loss_ = true;
      if (k < all_->rank()) samples_before_ += header(k).samples;
      samples_ += header(k).samples;
    }
    for (int k = 0; k < n; ++k)
      factors_[k] =
          samples_ == 0 ? T(0) : static_cast<T>(static_cast<double>(header(k).samples) / static_cast<double>(samples_));
  }
  void begin_mean(double own) {
    *reinterpret_cast<double*>(&memory_->losses[all_->rank()]) = own;
    all_->gather(losses_sent_, processes::channel::others, memory_->losses.data(), memory_->one_each.refer());
  }
  double mean() {
    all_->wait(losses_sent_, step_);
    double sum = 0;
    for (int k = 0; k < all_->size(); ++k)
      if (std::int64_t const samples = header(k).samples; samples > 0)
        sum += *reinterpret_cast<double const*>(&memory_->losses[k]) * static_cast<double>(samples);
    return samples_ > 0 ? sum / static_cast<double>(samples_) : 0;
  }
  void start(range& r) {
    if (!r.is_small)
      return all_->scatter(r.transfer, processes::channel::parts, r.at, r.sent.refer(), received(r, 0),
                           r.places.refer());
    __builtin_memcpy(received(r, all_->rank()), r.at, static_cast<std::size_t>(r.lines * line));
    all_->gather(r.transfer, processes::channel::parts, received(r, 0), r.places.refer());
  }
  void sum(int i) {
    range& r = memory_->ranges[i];
    int const me = all_->rank();
    std::int64_t const first = r.is_small ? 0 : r.pieces.firsts[me], count = r.is_small ? r.lines : r.pieces.counts[me];
    T* const out = r.at + first * line / static_cast<std::int64_t>(sizeof(T));
    for (int k = 0; k < all_->size(); ++k) parts_[k] = k == me ? out : received(r, k);
    detail::weighted_sum(out, parts_.data(), factors_.data(), all_->size(),
                         count * line / static_cast<std::int64_t>(sizeof(T)));
    if (r.is_small) return;
    T* whole = r.at;
    if (update_ != nullptr) {
      whole = received(r);
      if (count > 0) {
        T* const next = whole + (out - r.at);
        __builtin_memcpy(next, parameters_ + (out - gradients_), static_cast<std::size_t>(count * line));
        update_->update(i, next, out);
      }
    }
    all_->gather(r.transfer, processes::channel::wholes, whole, r.pieces.refer());
  }
  bool is_finished(range& r) { return r.is_small || all_->is_complete(r.transfer); }

  /// What exchanges use while they are under way.
  struct memory : processes::kept_memory {
    detail::sized_array<cache_line> headers, received, losses;
    division one_each;
    detail::sized_array<range> ranges;
    detail::sized_array<cache_line> collected;  ///< elements of collect()
    std::int64_t collected_lines = 0;
    division given, taken;
    processes::transfer collecting;
  };

  processes* all_;
  memory* memory_ = new memory;
  part_update<T>* update_ = nullptr;
  T *gradients_ = nullptr, *parameters_ = nullptr;
  std::int64_t step_ = 0;
  int count_ = 0, ready_ = 0, started_ = 0, summed_ = 0, finished_ = 0;
  bool knows_headers_ = true, wants_loss_ = false;
  std::uint64_t program_ = 0;
  std::int64_t samples_ = 0, samples_before_ = 0;
  processes::transfer headers_sent_, losses_sent_;
  detail::sized_array<T> factors_;
  detail::sized_array<T const*> parts_;
  detail::sized_array<range_times> times_;
  double begun_ = 0, backward_ended_ = 0, ended_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace espalier::on_device
#include "../../base/diagnostics_pop.hpp"
