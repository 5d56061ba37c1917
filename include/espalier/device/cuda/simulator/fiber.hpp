// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/supported.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#if defined(ESPALIER_BOOST_CONTEXT)
#include <boost/context/detail/fcontext.hpp>
#else
#include <ucontext.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define ESPALIER_FIBERS_UNDER_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__)
#define ESPALIER_FIBERS_UNDER_THREAD_SANITIZER
#endif

// Declared here because some installations have the compiler but not the sanitizers' headers.
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack_save, void const* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack_save, void const** bottom_old, std::size_t* size_old);
void __asan_unpoison_memory_region(void const volatile* address, std::size_t size);
}
#endif
#if defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
#endif

/// Fibers, the threads of the simulated device: each has its own stack, and they switch explicitly on one thread of the
/// operating system. The C library switches them, in about 400 ns, because it sets the signal mask twice. With
/// ESPALIER_BOOST_CONTEXT Boost.Context does it in a few nanoseconds; the program is then linked with boost_context.
namespace espalier::on_cuda::detail {

/// A suspended execution: where it continues, and the data that sanitizers need about it.
struct execution {
#if defined(ESPALIER_BOOST_CONTEXT)
  boost::context::detail::fcontext_t suspended = nullptr;
#else
  ucontext_t suspended;
#endif
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
  void* fake_stack = nullptr;
  void const* bottom = nullptr;
  std::size_t size = 0;
#endif
#if defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
  void* tsan_fiber = nullptr;
#endif
};

/// An execution with its own stack. The object is stored above that stack.
struct fiber : execution {
  fiber* next = nullptr;   // in the list of idle fibers
  fiber* older = nullptr;  // in the list of all fibers
  unsigned char* stack = nullptr;
};

/// A pool of reusable fibers. Each begins with entry(argument) and must never return from there.
/// memory   `stack_bytes` for each; a page is used when it is first touched
class fiber_pool {
 public:
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER) || defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
  static constexpr std::size_t stack_bytes = 262144;
#else
  static constexpr std::size_t stack_bytes = 65536;
#endif

  fiber_pool(void (*entry)(void*), void* argument) : entry_(entry), entry_argument_(argument) {
#if defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
    outside_.tsan_fiber = __tsan_get_current_fiber();
#endif
  }
  fiber_pool(fiber_pool const&) = delete;
  fiber_pool& operator=(fiber_pool const&) = delete;
  ~fiber_pool() {
    while (all_ != nullptr) {
      fiber* const f = all_;
      all_ = f->older;
      unsigned char* const memory = f->stack;
#if defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
      __tsan_destroy_fiber(f->tsan_fiber);
#endif
      unpoison(f);
      f->~fiber();
      ::operator delete(memory);
    }
  }

  /// Returns a fiber that is at its beginning, or where it parked itself.
  fiber* acquire() {
    if (idle_ == nullptr) add();
    fiber* const f = idle_;
    idle_ = f->next;
    return f;
  }
  /// Returns a fiber to the pool; it must stop soon. False if its stack was too small: then memory below it has been
  /// overwritten.
  bool park(fiber* f) {
    f->next = idle_;
    idle_ = f;
    std::uint64_t words[marked / 8];
    std::memcpy(words, f->stack, marked);
    bool whole = true;
    for (std::uint64_t word : words) whole = whole && word == mark * 0x0101010101010101u;
    return whole;
  }
  /// Resets all fibers to their beginning, without destroying the objects on their stacks.
  void abandon() {
    idle_ = nullptr;
    for (fiber* f = all_; f != nullptr; f = f->older) {
      prepare(f);
      f->next = idle_;
      idle_ = f;
    }
  }

  /// The execution that continues when all fibers have stopped.
  execution& outside() { return outside_; }

  /// Suspends the current execution, which must be `from`, and continues with `to`.
  void switch_to(execution& from, execution& to) {
    left_ = &from;
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#if defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
    if (&from == &outside_) from.tsan_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
#if defined(ESPALIER_BOOST_CONTEXT)
    auto const back = boost::context::detail::jump_fcontext(to.suspended, this);
    left_->suspended = back.fctx;
#else
    swapcontext(&from.suspended, &to.suspended);
#endif
    arrived(from);
  }

 private:
  static constexpr unsigned char mark = 0xa5;
  static constexpr std::size_t marked = 64;

  void arrived([[maybe_unused]] execution& current) {
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(current.fake_stack, &left_->bottom, &left_->size);
#endif
  }

  [[noreturn]] void begin() {
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(nullptr, &left_->bottom, &left_->size);
#endif
    entry_(entry_argument_);
    __builtin_trap();
  }
#if defined(ESPALIER_BOOST_CONTEXT)
  static void begin_after(boost::context::detail::transfer_t left) {
    auto& pool = *static_cast<fiber_pool*>(left.data);
    pool.left_->suspended = left.fctx;
    pool.begin();
  }
#else
  /// makecontext passes integers: the halves of the pool's address.
  static void begin_halves(unsigned low, unsigned high) {
    reinterpret_cast<fiber_pool*>(static_cast<std::uintptr_t>(high) << 16 << 16 | low)->begin();
  }
#endif

  static void unpoison([[maybe_unused]] fiber* f) {
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(f->stack, stack_bytes);
#endif
  }

  void add() {
    // A little more than a power of two: otherwise the same offset of every stack would map to the same cache set.
    auto* const memory = static_cast<unsigned char*>(::operator new(stack_bytes + 320 + sizeof(fiber)));
    auto* const f = ::new (static_cast<void*>(memory + stack_bytes)) fiber;
    f->stack = memory;
    f->older = all_;
    all_ = f;
    prepare(f);
    f->next = idle_;
    idle_ = f;
  }

  void prepare(fiber* f) {
    unpoison(f);
    std::memset(f->stack, mark, marked);
#if defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
    if (f->tsan_fiber != nullptr) __tsan_destroy_fiber(f->tsan_fiber);
    f->tsan_fiber = __tsan_create_fiber(0);
#endif
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    f->fake_stack = nullptr;
    f->bottom = f->stack;
    f->size = stack_bytes;
#endif
#if defined(ESPALIER_BOOST_CONTEXT)
    f->suspended = boost::context::detail::make_fcontext(f->stack + stack_bytes, stack_bytes, &begin_after);
#else
    getcontext(&f->suspended);
    f->suspended.uc_stack.ss_sp = f->stack;
    f->suspended.uc_stack.ss_size = stack_bytes;
    f->suspended.uc_link = nullptr;
    auto const at = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&f->suspended, reinterpret_cast<void (*)()>(&begin_halves), 2, static_cast<unsigned>(at),
                static_cast<unsigned>(at >> 16 >> 16));
#endif
  }

  void (*entry_)(void*);
  void* entry_argument_;
  fiber* idle_ = nullptr;
  fiber* all_ = nullptr;
  execution outside_;
  execution* left_ = nullptr;
};

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
