// SPDX-License-Identifier: BSL-1.0
#pragma once
/// A step of plain gradient descent on a table of embeddings: labels, gradient of the rows, table -> loss, rows.
namespace bench {
inline constexpr int words = 32000, features = 288, samples = 256;
/// Steps take turns with so many sets of indices, because a training never finds its rows in a cache.
inline constexpr int index_sets = 64;
inline constexpr float embedding_rate = 0.1f;
}  // namespace bench
