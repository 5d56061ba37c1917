// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/supported.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Requests a step that does not return its loss: trainer.step(images, targets, esp::queued{}).
struct queued {};

}  // namespace espalier
#pragma GCC diagnostic pop
