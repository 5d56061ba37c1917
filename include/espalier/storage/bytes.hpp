// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/sentence.hpp"
#include "memory.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Memory that the user gives: static storage, a stack, a pool. A model, trainer or predictor that is handed its bytes never allocates.
///   static esp::bytes<esp::model<Net>::bytes> room;
///   esp::model<Net> model{esp::seed{0}, room};
template <std::size_t Count>
struct bytes {
  alignas(tensor_alignment) unsigned char at[Count > 0 ? Count : 1];
};

namespace detail {

/// Named relation: the bytes that were given are enough.
template <std::size_t Given, std::size_t Needed>
struct enough_bytes {
  ESPALIER_READS("{} bytes given, {} needed")
  static constexpr bool agree = Given >= Needed;
};

/// Zeroed, aligned memory of its own, or somebody else's.
class block {
 public:
  explicit block(std::size_t size) : block{size, size} {}
  /// Zeroed up to a point: what is never used costs no memory behind it.
  block(std::size_t size, std::size_t zeroed) : at_(allocate_aligned(size)), owned_(true) { clear(zeroed); }
  template <std::size_t Count>
  block(bytes<Count>& given, std::size_t size) : at_(given.at), owned_(false) {
    clear(size);
  }
  /// The memory of another block, which has none then.
  struct handed_over {};
  block(handed_over, block& other) noexcept : at_(other.at_), owned_(other.owned_) { other.forget(); }
  block(block const&) = delete;
  block& operator=(block const&) = delete;
  ~block() {
    if (owned_) release_aligned(at_);
  }
  /// Gives a block without memory that of another one.
  void take(block& other) noexcept {
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
#pragma GCC diagnostic pop
