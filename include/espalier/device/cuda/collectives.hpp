// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../../base/supported.hpp"

namespace espalier::on_cuda {

/// How the devices of one process exchange elements (library/nccl_collectives.hpp,
/// simulator/simulated_collectives.hpp). Each device has a stream of its own for that, so its backend may continue.
///   C{backends, devices}        backends: a pointer to the backend of each device
///   c.after(k)                  later exchanges of device k wait for what is queued on its backend
///   c.begin(); ... c.end()      the calls between take place together; each device makes the same calls, in one order
///   c.average(k, at, count)     in place: the elements become the mean of those of all devices, with the same bits on
///                               each; 16-bit elements are averaged by the library's rule
///   c.broadcast(k, at, count)   in place: the elements become those of device 0
///   c.before(k)                 later work of the backend of device k waits for its exchanges so far
/// errors  cuda_error that names the call
template <class C, class Backend>
concept Collectives = requires(C c, Backend* const* backends, int k, float* at, std::int64_t count) {
  C{backends, k};
  c.after(k);
  c.begin();
  c.average(k, at, count);
  c.broadcast(k, at, count);
  c.end();
  c.before(k);
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
