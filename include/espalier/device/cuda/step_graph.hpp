// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstddef>

#include "../../base/supported.hpp"

namespace espalier::on_cuda {

/// Replays sequences of launches that repeat with the same addresses, each as one launch of a graph. The first call
/// launches a sequence directly, which loads its kernels. The second call captures it; from then on its graph is
/// launched. It is captured again when the backend chooses otherwise (set_precision). If the backend cannot capture, or
/// you are capturing, a sequence is launched directly.
/// Arguments that are read in place have a few addresses each (the slots of a prefetcher): such a sequence has a graph
/// for each pair of addresses, up to 16. Beyond, the oldest is captured again.
template <class Backend, int Count>
class step_graphs {
 public:
  template <class Engine, class F, class... Addresses>
  void run(Engine const& engine, int, F const& launches, Addresses...) {
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
    run(engine, sequences_[which], launches);
  }
  /// x, y: the addresses of the arguments that are read in place; null for the others.
  template <class Engine, class F>
  void run(Engine const& engine, int which, F const& launches, void const* x, void const* y) {
    if (x == nullptr && y == nullptr) return run(engine, sequences_[which], launches);
    several& known = in_place_[which];
    int i = 0;
    while (i < known.count && !(known.at[i].x == x && known.at[i].y == y)) ++i;
    if (i == known.count) {
      if (known.count < most_addresses) {
        ++known.count;
      } else {
        i = known.oldest;
        known.oldest = (known.oldest + 1) % most_addresses;
      }
      known.at[i] = {{}, x, y};
    }
    run(engine, known.at[i], launches);
  }

 private:
  struct sequence {
    typename Backend::captured_graph graph{};
    int state = 0, choices = 0;
  };
  static constexpr int most_addresses = 16;
  struct sequence_at : sequence {
    void const *x = nullptr, *y = nullptr;
  };
  struct several {
    sequence_at at[static_cast<std::size_t>(most_addresses)]{};
    int count = 0, oldest = 0;
  };
  template <class Engine, class F>
  void run(Engine const& engine, sequence& s, F const& launches) {
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
  several in_place_[static_cast<std::size_t>(Count)]{};
};

/// A backend for step_graphs that launches every sequence directly.
struct never_captures {
  static constexpr bool captures = false;
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
