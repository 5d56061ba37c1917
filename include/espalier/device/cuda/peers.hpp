// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <concepts>
#include <cstdint>

#include "../distributed/processes.hpp"

namespace espalier::on_cuda {

/// How the graphics processor of one process exchanges elements with those of the other processes
/// (library/nccl_peers.hpp, simulator/simulated_peers.hpp). All processes make the same calls in the same order.
///   P{main, on, all}                    queued on the backend `on`, behind work of the backend `main`; meets the others
///   p.set_step(step)                    what errors name
///   p.scatter(from, slots, each, size)  `size` elements are divided into parts of `each`; the last ones may have fewer.
///                                       Part k goes to process k. Slot k receives the part of this process that process
///                                       k has; the slot of this process stays. A slot has `each` elements, whole lines
///   p.gather(slots, each, to, size)     every process sends its own slot to all; then `size` elements of the slots, one
///                                       after the other, are copied to `to`
///   p.wait()                            until all exchanges so far are done
///   p.has_failed()                      nothing can be exchanged any more
/// errors  distributed_error: an exchange fails, or the others do not take part in it within their time limit
template <class P, class Backend>
concept Peers = requires(P p, Backend& backend, processes& all, float* at, std::int64_t count) {
  P{backend, backend, all};
  p.set_step(count);
  p.scatter(static_cast<float const*>(at), at, count, count);
  p.gather(at, count, at, count);
  p.wait();
  { p.has_failed() } -> std::same_as<bool>;
};

namespace detail {
/// The elements of part k.
constexpr std::int64_t part_of(std::int64_t size, std::int64_t each, int k) {
  std::int64_t const rest = size - each * k;
  return rest <= 0 ? 0 : rest < each ? rest : each;
}
}  // namespace detail

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
