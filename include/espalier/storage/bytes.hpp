// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/sentence.hpp"
#include "memory.hpp"

namespace espalier {

/// Memory of yours for a model, trainer or predictor, which then never allocates: static storage, a stack or a pool.
///   static esp::bytes<esp::model<Net>::bytes> room;
///   esp::model<Net> model{esp::seed{0}, room};
template <std::size_t Count>
struct bytes {
  alignas(tensor_alignment) unsigned char at[Count > 0 ? Count : 1];
};

namespace detail {

/// Named relation: the user's memory has enough bytes.
template <std::size_t Actual, std::size_t Needed>
struct enough_bytes {
  ESPALIER_READS("got {} bytes, needed {}")
  static constexpr bool agree = Actual >= Needed;
};

#define ESPALIER_FEWER_BYTES(root) "the bytes are fewer than " root "::bytes"

/// Zeroed, aligned memory: allocated and owned, or memory of the user.
class block {
 public:
  explicit block(std::size_t size) : block{size, size} {}
  /// Zeroes only the first `zeroed` bytes: memory behind them that is never used costs nothing.
  block(std::size_t size, std::size_t zeroed) : at_(allocate_aligned(size)), owned_(true) { clear(zeroed); }
  template <std::size_t Count>
  block(bytes<Count>& storage, std::size_t size) : at_(storage.at), owned_(false) {
    clear(size);
  }
  /// Tag of the constructor that moves the memory out of another block, which has none afterwards.
  struct handed_over {};
  block(handed_over, block& other) noexcept : at_(other.at_), owned_(other.owned_) { other.forget(); }
  block(block const&) = delete;
  block& operator=(block const&) = delete;
  ~block() {
    if (owned_) release_aligned(at_);
  }
  /// Moves the memory of another block into this one, which has none before.
  void adopt(block& other) noexcept {
    at_ = other.at_;
    owned_ = other.owned_;
    other.forget();
  }
  explicit operator bool() const { return at_ != nullptr; }
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<unsigned char*>(at_) + offset);
  }

 private:
  void forget() noexcept {
    at_ = nullptr;
    owned_ = false;
  }
  void clear(std::size_t size) { __builtin_memset(at_, 0, size); }
  void* at_;
  bool owned_;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
