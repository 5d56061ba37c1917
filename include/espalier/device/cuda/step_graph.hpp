// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <utility>

#include "../../storage/memory.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// Memory of the host that a machine copies from and to, zeroed: pinned where the machine has such memory, so that a copy is one transfer.
template <class Machine>
class staging_block {
 public:
  staging_block(Machine& machine, std::size_t bytes) : machine_{&machine}, at_{static_cast<unsigned char*>(take(machine, bytes))} {
    __builtin_memset(at_, 0, bytes);
  }
  staging_block(staging_block&& other) noexcept : machine_{other.machine_}, at_{other.at_} { other.at_ = nullptr; }
  staging_block& operator=(staging_block&&) = delete;
  ~staging_block() {
    if (at_ == nullptr) return;
    if constexpr (pinned) machine_->release_pinned(at_);
    else espalier::detail::release_aligned(at_);
  }
  unsigned char* at(std::size_t offset) const { return at_ + offset; }

 private:
  static constexpr bool pinned = requires(Machine& machine) { machine.allocate_pinned(std::size_t{}); };
  static void* take(Machine& machine, std::size_t bytes) {
    if constexpr (pinned) return machine.allocate_pinned(bytes > 0 ? bytes : 1);
    else return espalier::detail::allocate_aligned(bytes);
  }
  Machine* machine_;
  unsigned char* at_;
};

/// Launches that repeat with the same addresses. On a machine that can capture, a sequence is launched as it is the first time, which loads its kernels,
/// captured the second time, and from then on is one launch of its graph. In a capture of the user's it is launched as it is.
template <class Machine, int Count>
class step_graphs {
 public:
  template <class Engine, class F>
  void run(Engine const& engine, int, F const& launches) {
    (void)engine;
    launches();
  }
};
template <class Machine, int Count>
  requires(Machine::captures)
class step_graphs<Machine, Count> {
 public:
  /// which: of the sequences, each of which is the same launches at every call.
  template <class Engine, class F>
  void run(Engine const& engine, int which, F const& launches) {
    sequence& s = sequences_[which];
    if (engine.machine().capturing()) return launches();
    if (s.seen == 0) {
      launches();
      s.seen = 1;
      return;
    }
    if (s.seen == 1) {
      s.graph = capture(engine.machine(), launches);
      s.seen = 2;
    }
    s.graph.launch(engine.machine());
  }

 private:
  struct sequence {
    typename Machine::captured_graph graph{};
    int seen = 0;
  };
  /// Ends a capture that an exception leaves.
  struct guard {
    Machine* machine;
    ~guard() {
      if (machine != nullptr) machine->abandon_capture();
    }
  };
  template <class F>
  static auto capture(Machine& machine, F const& launches) {
    machine.begin_capture();
    guard open{&machine};
    launches();
    open.machine = nullptr;
    return machine.end_capture();
  }
  sequence sequences_[static_cast<std::size_t>(Count)]{};
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
