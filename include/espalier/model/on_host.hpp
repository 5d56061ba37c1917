// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/bytes.hpp"

namespace espalier::detail {

/// Calls f(bytes) with a device's bytes in host memory: the bytes themselves, or a copy, which is copied back if
/// goes_back is true.
template <class Engine, class F>
void on_host(Engine const& engine, void* device_data, std::size_t bytes, [[maybe_unused]] bool goes_back, F&& f) {
  if constexpr (Engine::has_device_memory) {
    block const host_copy{bytes};
    engine.to_host(host_copy.template at<void>(0), device_data, bytes);
    f(host_copy.template at<unsigned char>(0));
    if (goes_back) engine.to_device(device_data, host_copy.template at<void>(0), bytes);
  } else {
    f(static_cast<unsigned char*>(device_data));
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
