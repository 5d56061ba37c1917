// SPDX-License-Identifier: BSL-1.0
#pragma once

/// How often this program has asked the heap for memory. Linking the counter replaces the global operator new; it
/// stands in a file of its own because a compiler that sees malloc behind new and free behind delete warns of what it
/// inlined halfway.
namespace espalier_test {
long allocations();
/// How many bytes this thread has asked for at aligned addresses, as tensors have them.
long aligned_bytes();
}  // namespace espalier_test
