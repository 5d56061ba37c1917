// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "../../../base/supported.hpp"

/// The order of work on the streams of the simulated device, as vector clocks.
namespace espalier::on_cuda::detail {

/// Numbers of streams and of their work: each call gives another number, the later the larger.
inline std::int64_t next_simulated_time() {
  static std::int64_t last = 0;
  return __atomic_add_fetch(&last, std::int64_t{1}, __ATOMIC_SEQ_CST);
}

/// One piece of work: the stream that it is on, and its time.
struct simulated_work {
  std::int64_t stream = 0, time = 0;
};

/// For each stream, the last work that is done before what comes next (a vector clock). Beyond 32 streams it forgets
/// the one whose work is oldest: then correct orders may be reported as wrong.
class stream_clock {
 public:
  bool knows(simulated_work const& work) const {
    if (work.time == 0) return true;
    for (int i = 0; i < count_; ++i)
      if (last_[i].stream == work.stream) return work.time <= last_[i].time;
    return false;
  }
  void learn(simulated_work const& work) {
    if (work.time == 0) return;
    int oldest = 0;
    for (int i = 0; i < count_; ++i) {
      if (last_[i].stream == work.stream) {
        if (last_[i].time < work.time) last_[i].time = work.time;
        return;
      }
      if (last_[i].time < last_[oldest].time) oldest = i;
    }
    last_[count_ < most ? count_++ : oldest] = work;
  }
  void learn(stream_clock const& other) {
    for (int i = 0; i < other.count_; ++i) learn(other.last_[i]);
  }

 private:
  static constexpr int most = 32;
  simulated_work last_[static_cast<std::size_t>(most)]{};
  int count_ = 0;
};

/// A stream of the simulated device. Its own work is in order.
class simulated_stream {
 public:
  /// The next work of this stream.
  simulated_work next() {
    latest_ = {number_, next_simulated_time()};
    clock_.learn(latest_);
    return latest_;
  }
  /// The work that next() returned last.
  simulated_work latest() const { return latest_; }
  bool knows(simulated_work const& work) const { return clock_.knows(work); }
  /// An event behind all work so far.
  stream_clock event() const { return clock_; }
  void wait_for(stream_clock const& event) { clock_.learn(event); }

 private:
  std::int64_t number_ = next_simulated_time();
  stream_clock clock_;
  simulated_work latest_;
};

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
