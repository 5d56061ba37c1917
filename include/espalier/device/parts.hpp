// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/sentence.hpp"
#include "../shape/shape.hpp"

/// Devices that share the work of a training step: each computes an equal part of the batch. Evaluation runs on the
/// first. An engine of one device has one part, and the functions below do nothing for it.
namespace espalier::on_device {

/// The number of parts of a batch: Engine::parts, or 1.
template <class Engine>
inline constexpr int parts_of = 1;
template <class Engine>
  requires requires { Engine::parts; }
inline constexpr int parts_of<Engine> = Engine::parts;

/// The part of a batch that one device computes, as a shape. A batch that has no equal parts is its own part;
/// parts_fit has reported that.
template <class Batch, int Parts>
struct part_of_batch {
  using type = Batch;
};
template <int Samples, int... Sample, int Parts>
  requires(Parts > 1 && Samples % Parts == 0)
struct part_of_batch<shape<Samples, Sample...>, Parts> {
  using type = shape<Samples / Parts, Sample...>;
};
template <class Batch, class Engine>
using part_on = typename part_of_batch<Batch, parts_of<Engine>>::type;

/// Stages elements whose k-th part is for device k. Returns the address that programs read them at.
template <class Exchange, class Elements>
void* stage_parts(Exchange& exchange, Elements x, std::size_t offset) {
  if constexpr (requires { exchange.stage_parts(x, offset); }) return exchange.stage_parts(x, offset);
  else return exchange.stage_in(x, offset);
}
/// Stages elements that only an evaluation reads.
template <class Exchange, class Elements>
void* stage_for_evaluation(Exchange& exchange, Elements x, std::size_t offset) {
  if constexpr (requires { exchange.stage_first(x, offset); }) return exchange.stage_first(x, offset);
  else return exchange.stage_in(x, offset);
}

/// The engine that evaluates: that of the first device.
template <class Engine>
struct evaluating {
  using type = Engine;
  static Engine const& of(Engine const& engine) { return engine; }
};
template <class Engine>
  requires requires { typename Engine::first_engine; }
struct evaluating<Engine> {
  using type = typename Engine::first_engine;
  static type of(Engine const& engine) { return engine.first(); }
};

/// Whether an engine is that of one of several processes that average their gradients.
template <class Engine, class T>
inline constexpr bool averages_with_others = requires {
  typename Engine::template training_exchange<T>;
};
/// Whether values of its programs may be those of all processes.
template <class Engine>
inline constexpr bool combines_processes = requires {
  requires Engine::combines_processes;
};
/// What a trainer keeps for the exchange with other processes.
struct no_other_processes {
  template <class Engine>
  explicit no_other_processes(Engine const&) {}
};
template <class Engine, class T>
struct training_exchange_of {
  using type = no_other_processes;
};
template <class Engine, class T>
  requires averages_with_others<Engine, T>
struct training_exchange_of<Engine, T> {
  using type = typename Engine::template training_exchange<T>;
};

/// Runs a training program, so that gradients and loss are those of the whole batch on every device and in every
/// process. First: the program of the trainer's first batch size. Buffers: elements of the model's buffers, of which
/// every device begins with those of the first.
template <class Program, class First, class T, std::int64_t Buffers, class Engine, class Exchange>
void run_training(Engine const& engine, void* const* base, [[maybe_unused]] Exchange& exchange) {
  if constexpr (averages_with_others<Engine, T>) engine.template run_training<Program, First, T>(base, exchange);
  else if constexpr (requires { Engine::parts; }) engine.template run_training<Program, T, Buffers>(base);
  else engine.template run<Program, T>(base);
}

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
