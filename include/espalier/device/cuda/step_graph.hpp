// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>

#include "../../base/supported.hpp"

#include "../../base/diagnostics_push.hpp"
namespace espalier::on_cuda {

/// Replays sequences of launches that repeat with the same addresses, each as one launch of a graph. The first call
/// launches a sequence directly, which loads its kernels. The second call captures it; from then on its graph is
/// launched. It is captured again when the backend chooses otherwise (set_precision). If the backend cannot capture, or
/// you are capturing, a sequence is launched directly.
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
    if constexpr (requires { engine.backend().choices(); }) {
      int const choices = engine.backend().choices();
      if (s.state == 2 && s.choices != choices) s.state = 0;
      s.choices = choices;
    }
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
    int state = 0, choices = 0;
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

/// A backend for step_graphs that launches every sequence directly.
struct never_captures {
  static constexpr bool captures = false;
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
