// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <utility>

#include "../../storage/memory.hpp"

#include "../../base/diagnostics_push.hpp"
namespace espalier::on_cuda {

/// Zeroed host memory for copies from and to the device: pinned if the backend supports it, so that a copy is one
/// transfer.
template <class Backend>
class staging_block {
 public:
  staging_block(Backend& backend, std::size_t bytes)
      : backend_{&backend}, at_{static_cast<unsigned char*>(allocate(backend, bytes))} {
    __builtin_memset(at_, 0, bytes);
  }
  staging_block(staging_block&& other) noexcept : backend_{other.backend_}, at_{other.at_} { other.at_ = nullptr; }
  staging_block& operator=(staging_block&&) = delete;
  ~staging_block() {
    if (at_ == nullptr) return;
    if constexpr (pinned) backend_->release_pinned(at_);
    else espalier::detail::release_aligned(at_);
  }
  unsigned char* at(std::size_t offset) const { return at_ + offset; }

 private:
  static constexpr bool pinned = requires(Backend & backend) { backend.allocate_pinned(std::size_t{}); };
  static void* allocate(Backend& backend, std::size_t bytes) {
    if constexpr (pinned) return backend.allocate_pinned(bytes > 0 ? bytes : 1);
    else return espalier::detail::allocate_aligned(bytes);
  }
  Backend* backend_;
  unsigned char* at_;
};

/// Replays sequences of launches that repeat with the same addresses, each as one launch of a graph. The first call
/// launches a sequence directly, which loads its kernels. The second call captures it; from then on its graph is
/// launched. If the backend cannot capture, or you are capturing, a sequence is launched directly.
template <class Backend, int Count>
class step_graphs {
 public:
  template <class Engine, class F>
  void run(Engine const& engine, int, F const& launches) {
    (void)engine;
    launches();
  }
};
template <class Backend, int Count>
  requires(Backend::captures)
class step_graphs<Backend, Count> {
 public:
  /// which: the number of the sequence, whose launches must be the same at every call.
  template <class Engine, class F>
  void run(Engine const& engine, int which, F const& launches) {
    sequence& s = sequences_[which];
    if (engine.backend().capturing()) return launches();
    if (s.state == 0) {
      launches();
      s.state = 1;
      return;
    }
    if (s.state == 1) {
      s.graph = capture(engine.backend(), launches);
      s.state = 2;
    }
    s.graph.launch(engine.backend());
  }

 private:
  struct sequence {
    typename Backend::captured_graph graph{};
    int state = 0;
  };
  /// Abandons the capture if an exception leaves it.
  struct guard {
    Backend* backend;
    ~guard() {
      if (backend != nullptr) backend->abandon_capture();
    }
  };
  template <class F>
  static auto capture(Backend& backend, F const& launches) {
    backend.begin_capture();
    guard open{&backend};
    launches();
    open.backend = nullptr;
    return backend.end_capture();
  }
  sequence sequences_[static_cast<std::size_t>(Count)]{};
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
