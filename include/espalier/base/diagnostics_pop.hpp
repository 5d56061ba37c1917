// SPDX-License-Identifier: BSL-1.0
// Ends what diagnostics_push.hpp begins.
#pragma GCC diagnostic pop
