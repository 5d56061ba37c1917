// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstring>

#include "../../distributed/from_first_process.hpp"
#include "../../distributed/gradient_exchange.hpp"
#include "../error.hpp"
#include "../peers.hpp"
#include "simulated_backend.hpp"

namespace espalier::on_cuda {

/// Exchanges of a simulated device with those of other processes (Peers). The processes carry the elements, so that
/// the devices may belong to threads or to programs that mpirun has started. A call returns when its exchange is done,
/// but work on another backend that uses the elements without waiting for this one is an error.
/// errors  cuda_error: elements that are not memory of the device; an exchange that does not wait for the work of the
///         main backend; processes that do not share one id. distributed_error
/// memory  copies of the elements during a call
class simulated_peers {
 public:
  simulated_peers(simulated_backend& main, simulated_backend& on, processes& all) : main_{&main}, on_{&on}, all_{&all} {
    auto id = reinterpret_cast<std::uintptr_t>(this);
    on_device::from_first_process(all, id);
  }
  simulated_peers(simulated_peers const&) = delete;
  simulated_peers& operator=(simulated_peers const&) = delete;

  void set_step(std::int64_t step) { step_ = step; }
  bool has_failed() const { return has_failed_; }
  /// Counts for tests: exchanges so far, and bytes that this process has sent in them.
  std::int64_t exchanges() const { return exchanges_; }
  std::int64_t sent_bytes() const { return sent_bytes_; }

  template <class T>
  void scatter(T const* from, T* slots, std::int64_t each, std::int64_t size) {
    int const n = all_->size(), me = all_->rank();
    check_memory("scatter", from, bytes_of<T>(size));
    check_memory("scatter", slots, bytes_of<T>(each * n));
    check_lines("scatter", bytes_of<T>(each));
    processes::keeping<message> const m{*all_, new message{n, bytes_of<T>(each)}};
    std::size_t const own = bytes_of<T>(detail::part_of(size, each, me));
    for (int k = 0; k < n; ++k) {
      if (k == me) continue;
      std::size_t const other = bytes_of<T>(detail::part_of(size, each, k));
      std::memcpy(m->from.data() + m->place(k), from + each * k, other);
      m->sent[k] = lines_of(other);
      m->received[k] = lines_of(own);
      sent_bytes_ += static_cast<std::int64_t>(other);
    }
    run(*m, [&] {
      all_->scatter(m->transfer, processes::channel::parts, m->from.data(), {m->sent.data(), m->firsts.data()},
                    m->to.data(), {m->received.data(), m->firsts.data()});
    });
    for (int k = 0; k < n; ++k)
      if (k != me) std::memcpy(slots + each * k, m->to.data() + m->place(k), own);
    detail::simulated_memory.exchange(slots, bytes_of<T>(each * n), on_->stream().next());
  }
  template <class T>
  void gather(T* slots, std::int64_t each, T* to, std::int64_t size) {
    int const n = all_->size(), me = all_->rank();
    check_memory("gather", slots, bytes_of<T>(each * n));
    check_memory("gather", to, bytes_of<T>(size));
    check_lines("gather", bytes_of<T>(each));
    processes::keeping<message> const m{*all_, new message{n, bytes_of<T>(each)}};
    std::memcpy(m->to.data() + m->place(me), slots + each * me, bytes_of<T>(each));
    for (int k = 0; k < n; ++k) m->received[k] = lines_of(bytes_of<T>(each));
    sent_bytes_ += static_cast<std::int64_t>(bytes_of<T>(each)) * (n - 1);
    run(*m, [&] {
      all_->gather(m->transfer, processes::channel::wholes, m->to.data(), {m->received.data(), m->firsts.data()});
    });
    std::memcpy(slots, m->to.data(), bytes_of<T>(each * n));
    std::memcpy(to, slots, bytes_of<T>(size));
    detail::simulated_memory.exchange(slots, bytes_of<T>(each * n), on_->stream().next());
    detail::simulated_memory.exchange(to, bytes_of<T>(size), on_->stream().latest());
  }
  /// Nothing is left to wait for.
  void wait() {}

 private:
  static constexpr std::size_t line = processes::line;
  static int lines_of(std::size_t bytes) { return static_cast<int>((bytes + line - 1) / line); }
  template <class T>
  static std::size_t bytes_of(std::int64_t elements) {
    return static_cast<std::size_t>(elements) * sizeof(T);
  }
  /// What an exchange uses while it is under way.
  struct message : processes::kept_memory {
    message(int n, std::size_t each)
        : sent(n),
          received(n),
          firsts(n),
          from(static_cast<std::int64_t>(each) * n),
          to(static_cast<std::int64_t>(each) * n) {
      for (int k = 0; k < n; ++k) firsts[k] = k * lines_of(each);
    }
    std::size_t place(int k) const { return static_cast<std::size_t>(firsts[k]) * line; }
    on_device::detail::sized_array<int> sent, received, firsts;
    on_device::detail::sized_array<unsigned char> from, to;
    processes::transfer transfer;
  };
  template <class Start>
  void run(message& m, Start const& start) {
    has_failed_ = true;  // until it has not
    start();
    all_->wait(m.transfer, step_);
    has_failed_ = false;
    ++exchanges_;
  }
  static void check_lines(char const* call, std::size_t each) {
    if (each % line != 0)
      detail::throw_error<cuda_error>("simulated_peers::%s: slots of %zu bytes, which are not lines of %zu bytes", call,
                                      each, line);
  }
  void check_memory(char const* call, void const* at, std::size_t bytes) {
    if (bytes == 0) return;
    auto const range = detail::simulated_memory.used_by(at, bytes, on_->stream());
    if (!range.found || range.device != on_->device() || bytes > range.bytes - range.first)
      detail::throw_error<cuda_error>(
          "simulated_peers::%s: %zu bytes at %p, which is not as much memory of device %d of process %d", call, bytes,
          at, on_->device(), all_->rank());
    if (!on_->stream().knows(main_->stream().latest()))
      detail::throw_error<cuda_error>(
          "simulated_peers::%s: the exchange does not wait for the work of process %d, which may still write the "
          "elements; call wait_for(main) first",
          call, all_->rank());
  }

  simulated_backend *main_, *on_;
  processes* all_;
  std::int64_t step_ = 0, exchanges_ = 0, sent_bytes_ = 0;
  bool has_failed_ = false;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
