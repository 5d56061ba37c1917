// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../distributed/processes.hpp"
#include "error.hpp"
#include "library/default_backend.hpp"
#include "peers.hpp"

namespace espalier::on_cuda {

/// What the graphics processor of a process consists of; the header of a device specializes it.
///   peers              how it exchanges elements with those of other processes
///   main_backend(all)  the backend of the models of this process; has_own_backend: a new one
///   next_to(main)      a new backend of the same device
template <class Device>
struct process_members;

namespace detail {
/// The number of the graphics processor that a process uses, on a computer where it sees `count`. Launchers that show
/// each process one of its own need no choice.
/// errors  cuda_error: there is no such one
inline int device_of(processes const& all, int count) {
  int const number = count == 1 && !all.has_chosen_device() ? 0 : all.device();
  if (number >= count)
    throw_error<cuda_error>(
        "process %d of %d: graphics processor %d was expected on this computer, where the process sees %d; start fewer "
        "processes here, or choose with processes.set_device(number)",
        all.rank(), all.size(), number, count);
  return number;
}
}  // namespace detail

/// The graphics processor of a process that trains together with others. All models of these processes share it.
/// memory  two backends, and what the exchanges need from the first trainer on; until the end of `processes`
template <class Device>
class process_device : public processes::kept_memory {
  using members = process_members<Device>;

 public:
  using backend_type = backend_of<Device>;
  using peers_type = typename members::peers;
  static_assert(Peers<peers_type, backend_type>);

  /// errors  cuda_error: there is no such device, or tensors are on another one already
  static process_device& of(processes& all) {
    if (processes::kept_memory* const found = all.find_kept(&mark)) return static_cast<process_device&>(*found);
    auto* const made = new process_device{all};
    all.keep(made);
    return *made;
  }
  ~process_device() override {
    delete peers_;
    delete beside_;
    if constexpr (members::has_own_backend) delete main_;
  }

  backend_type& main() const { return *main_; }
  /// The backend of the exchanges, whose work takes place beside that of the main one.
  backend_type& beside() const { return *beside_; }
  peers_type& peers() const { return *peers_; }
  /// Meets the devices of the other processes. All call it; the first call waits for all.
  void meet(processes& all) {
    if (peers_ == nullptr) peers_ = new peers_type{*main_, *beside_, all};
  }

 private:
  static constexpr char mark = 0;
  struct guard {
    process_device* unfinished;
    ~guard() {
      if constexpr (members::has_own_backend)
        if (unfinished != nullptr) delete unfinished->main_;
    }
  };
  explicit process_device(processes& all) : processes::kept_memory{&mark}, main_{&members::main_backend(all)} {
    guard unfinished{this};
    beside_ = members::next_to(*main_);
    unfinished.unfinished = nullptr;
  }

  backend_type *main_, *beside_ = nullptr;
  peers_type* peers_ = nullptr;
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
