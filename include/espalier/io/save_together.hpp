// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "checkpoint.hpp"

/// Files of a sharded optimizer (optim::sharded): all processes collect its states on process 0, array by array, and
/// process 0 writes them.
namespace espalier::io::detail {

/// The data of an array that is in memory.
struct data_in_memory {
  unsigned char const* operator()(named_array const& a) const { return a.data; }
};

/// The data of the arrays of a snapshot. Those of states are there until the next call; they are requested in their
/// order.
template <class TrainedBy>
class collected_data {
 public:
  collected_data(std::vector<named_array> const& arrays, TrainedBy& training)
      : next_{arrays.data()}, end_{arrays.data() + arrays.size()}, training_{training} {}
  unsigned char const* operator()(named_array const& a) {
    if (a.state_at < 0) return a.data;
    next_ = &a + 1;
    return reinterpret_cast<unsigned char const*>(training_.collect_states(a.state_at, a.size()));
  }
  /// Collects what was not requested.
  void rest() {
    while (next_ != end_) (*this)(*next_++);
  }

 private:
  named_array const *next_, *end_;
  TrainedBy& training_;
};

/// Calls write(data_of) on process 0; data_of(array) is the data of an array. All processes call it.
/// memory  the longest tensor on process 0, its part on the others; kept
/// errors  that of write on process 0, and a distributed_error on the others
template <class TrainedBy, class Write>
void save_together(std::vector<named_array> const& arrays, TrainedBy& training, Write const& write) {
  collected_data<TrainedBy> data{arrays, training};
  training.write_on_process_0([&] { write(data); }, [&] { data.rest(); });
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"
