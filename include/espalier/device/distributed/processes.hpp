// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>

#include "../../base/error_text.hpp"
#include "../../base/raise.hpp"

namespace espalier {

/// Thrown on every process that finds that the training cannot go on together: a process ended, did not answer within
/// the time limit, rejected its batch, or runs another program.
class distributed_error : public std::exception {
 public:
  explicit distributed_error(detail::error_text const& text) noexcept : text_{text} {}
  [[nodiscard]] char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

/// The processes that train a model together, each with the same program. esp::mpi is one; tests have others.
/// order   of one channel, all processes start the same exchanges in the same order; channels are independent
/// errors  distributed_error that names the process, from any of the functions
class processes {
 public:
  /// The unit of exchanges: what tensors are aligned to.
  static constexpr std::size_t line = 64;
  /// The exchanges of training, each with its own order.
  enum class channel { headers, parts, wholes, others };
  static constexpr int channels = 4;
  /// Seconds that a process waits before it lets others use its processor: what does not come within these will not
  /// come soon.
  static constexpr double patience = 5e-5;

  /// Process k has the `count[k]` lines from line `first[k]` on. Refers to arrays that outlive the exchange.
  struct pieces {
    int const* count;
    int const* first;
  };
  /// An exchange that was started.
  class transfer {
   public:
    bool pending = false;
    alignas(void*) unsigned char request[2 * sizeof(void*)]{};
  };

  /// Memory of an exchange that was cut off, and may still use it; or what a device keeps as long as these processes.
  struct kept_memory {
    kept_memory* next = nullptr;
    void const* mark = nullptr;  ///< of what find_kept() finds
    kept_memory() = default;
    explicit kept_memory(void const* own) : mark{own} {}
    kept_memory(kept_memory const&) = delete;
    kept_memory& operator=(kept_memory const&) = delete;
    virtual ~kept_memory() = default;
  };
  /// Releases memory only at the end of this object.
  void keep(kept_memory* memory) noexcept {
    memory->next = kept_;
    kept_ = memory;
  }
  /// What is kept with that mark, or null.
  [[nodiscard]] kept_memory* find_kept(void const* mark) const noexcept {
    kept_memory* found = kept_;
    while (found != nullptr && found->mark != mark) found = found->next;
    return found;
  }
  /// Owns memory of an exchange of one transfer, `transfer`, and keeps it if the exchange was cut off.
  template <class Memory>
  class keeping {
   public:
    keeping(processes& all, Memory* memory) : all_{&all}, memory_{memory} {}
    keeping(keeping const&) = delete;
    keeping& operator=(keeping const&) = delete;
    ~keeping() {
      if (memory_->transfer.pending) all_->keep(memory_);
      else delete memory_;
    }
    Memory* operator->() const { return memory_; }
    Memory& operator*() const { return *memory_; }

   private:
    processes* all_;
    Memory* memory_;
  };

  processes() = default;
  processes(processes const&) = delete;
  processes& operator=(processes const&) = delete;
  virtual ~processes() {
    while (kept_ != nullptr) {
      kept_memory* const next = kept_->next;
      delete kept_;
      kept_ = next;
    }
  }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// After so many seconds without an answer from another process, an exchange is an error. A process may need as long
  /// between two steps, for example for a checkpoint.
  [[nodiscard]] double time_limit() const noexcept { return time_limit_; }
  void set_time_limit(double seconds) noexcept { time_limit_ = seconds; }
  /// The number of the graphics processor that this process uses with distributed<cuda>: if you choose none, the number
  /// of processes before it on its computer. Choose before the first model of these processes.
  [[nodiscard]] int device() const noexcept { return device_ >= 0 ? device_ : local_rank_; }
  [[nodiscard]] bool has_chosen_device() const noexcept { return device_ >= 0; }
  void set_device(int number) noexcept { device_ = number; }

  /// Sends piece k of `from` to process k, and receives from process k what becomes piece k of `to`. The pieces of this
  /// process itself are empty.
  virtual void scatter(transfer&, channel, void const* from, pieces sent, void* to, pieces received) = 0;
  /// Each process sends its own piece of `at` to all others, so that all have all pieces.
  virtual void gather(transfer&, channel, void* at, pieces all) = 0;
  /// Whether an exchange is complete, or none was started. Makes progress on all exchanges, and never waits.
  virtual bool is_complete(transfer&) = 0;
  /// Called again and again while this process waits for others, `waited` seconds so far, in a step (0: before the
  /// first one).
  /// errors  distributed_error: the time is up, or a process is known to have ended
  virtual void check(double waited, std::int64_t step) {
    if (waited < time_limit_) return;
    detail::error_text text;
    detail::raise(distributed_error{
        text << "process " << rank_ << " of " << size_ << ": another process has not answered for the time limit of "
             << static_cast<std::int64_t>(time_limit_ * 1000) << " ms at step " << step << " (set_time_limit)"});
  }
  /// Seconds of a clock that only advances.
  virtual double now() = 0;
  /// Lets other threads of this computer use the processor, if they wait for it.
  virtual void yield() {}

  /// Waits until an exchange is complete.
  void wait(transfer& t, std::int64_t step) {
    wait_until([&] { return is_complete(t); }, step);
  }
  /// Waits for something else that depends on the other processes.
  template <class F>
  void wait_until(F const& is_there, std::int64_t step) {
    if (is_there()) return;
    double const begun = now();
    double checked = begun;
    while (!is_there()) {
      double const at = now();
      if (at > begun + patience) yield();
      if (at < checked + 0.01) continue;
      checked = at;
      check(at - begun, step);
    }
  }

 protected:
  int rank_ = 0, size_ = 1;
  int local_rank_ = 0;  ///< among the processes of the same computer
  double time_limit_ = 60;

 private:
  kept_memory* kept_ = nullptr;
  int device_ = -1;
};

}  // namespace espalier
#include "../../base/diagnostics_pop.hpp"
