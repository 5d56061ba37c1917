// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/supported.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#if !defined(ESPALIER_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define ESPALIER_UCONTEXT
#endif
#if defined(ESPALIER_UCONTEXT)
#include <ucontext.h>
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
/// operating system.
namespace espalier::on_cuda::detail {

/// A suspended execution: its stack pointer, and the data that sanitizers need about it.
struct execution {
#if defined(ESPALIER_UCONTEXT)
  ucontext_t registers;
#else
  void* stack_pointer = nullptr;
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

#if !defined(ESPALIER_UCONTEXT)
/// Switches stacks: saves the callee-saved state, stores the stack pointer at `from` and continues at stack pointer
/// `to`; a new stack begins with entry(argument). It takes about 3 ns; swapcontext takes 400 ns, for two system calls
/// that set the signal mask. The function is not inlined for two reasons. All fibers stop at one address, which the
/// branch predictor learns. The compiler assumes that every caller-saved register changes; g++ would analyse the body,
/// hence noipa.
#if defined(__clang__)
[[gnu::noinline]] inline void
#else
[[gnu::noipa]] inline void
#endif
switch_stack(void* argument, void** from, void* to) {
#if defined(__x86_64__)
  __asm__ volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // skips the red zone, where a leaf function may keep data below its stack
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rsi)\n\t"
      "movq %%rdx, %%rsp\n\t"
      "popq %%rcx\n\t"
      "popq %%rbp\n\t"
      "jmp *%%rcx\n\t"
      "1:\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "+D"(argument), "+S"(from), "+d"(to)
      :
      : "rax", "rbx", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
#else
  register void* x0 __asm__("x0") = argument;
  register void** x1 __asm__("x1") = from;
  register void* x2 __asm__("x2") = to;
  __asm__ volatile(
      "adr x16, 1f\n\t"
      "stp x29, x16, [sp, #-16]!\n\t"
      "mov x17, sp\n\t"
      "str x17, [x1]\n\t"
      "mov sp, x2\n\t"
      "ldp x29, x16, [sp], #16\n\t"
      "br x16\n"
      "1:\n\t"
      "hint #36"  // bti j: a permitted target of indirect branches, on processors that check them
      : "+r"(x0), "+r"(x1), "+r"(x2)
      :
      : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20",
        "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
        "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "memory", "cc");
#endif
}
#endif

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
#if defined(ESPALIER_UCONTEXT)
    swapcontext(&from.registers, &to.registers);
#else
    switch_stack(this, &from.stack_pointer, to.stack_pointer);
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

  static void begin(void* at) {
    auto& pool = *static_cast<fiber_pool*>(at);
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(nullptr, &pool.left_->bottom, &pool.left_->size);
#endif
    pool.entry_(pool.entry_argument_);
    __builtin_trap();
  }
#if defined(ESPALIER_UCONTEXT)
  static void begin_halves(unsigned low, unsigned high) {
    begin(reinterpret_cast<void*>(static_cast<std::uintptr_t>(high) << 16 << 16 | low));
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
#if defined(ESPALIER_UCONTEXT)
    getcontext(&f->registers);
    f->registers.uc_stack.ss_sp = f->stack;
    f->registers.uc_stack.ss_size = stack_bytes;
    f->registers.uc_link = nullptr;
    auto const at = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&f->registers, reinterpret_cast<void (*)()>(&begin_halves), 2, static_cast<unsigned>(at),
                static_cast<unsigned>(at >> 16 >> 16));
#else
    // The values that switch_stack pops: frame pointer and address to continue at; and a null return address below an
    // aligned stack pointer.
    auto** const top = reinterpret_cast<void**>(f->stack + (stack_bytes - 64));
    top[0] = top[1] = top[2] = nullptr;
#if defined(__x86_64__)
    // At the first instruction of a function, the address of its return address is 8 modulo 16.
    void** const at = top - 1;
    at[-2] = reinterpret_cast<void*>(&begin);
    at[-1] = nullptr;
    at[0] = nullptr;
    f->stack_pointer = at - 2;
#else
    top[-2] = nullptr;
    top[-1] = reinterpret_cast<void*>(&begin);
    f->stack_pointer = top - 2;
#endif
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
#pragma GCC diagnostic pop
