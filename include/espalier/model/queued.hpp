// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

namespace espalier {

/// Requests a step that does not return its loss: trainer.step(images, targets, esp::queued{}).
struct queued {};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
