// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <cassert>
#include <type_traits>

/// References to a model, held by trainers, predictors and gradient functions. They follow a model that is moved, and
/// become empty when it is destroyed. Using an empty one fails an assertion in builds without NDEBUG. The cost is a few
/// instructions when a holder or a model is constructed or destroyed, and none in between.
namespace espalier::detail {

/// A spin lock held for a few instructions. Processors without atomic instructions have one thread.
class short_lock {
 public:
  void lock() {
    if constexpr (__GCC_ATOMIC_CHAR_LOCK_FREE == 2)
      while (__atomic_exchange_n(&locked_, static_cast<unsigned char>(1), __ATOMIC_ACQUIRE) != 0) {}
  }
  void unlock() {
    if constexpr (__GCC_ATOMIC_CHAR_LOCK_FREE == 2)
      __atomic_store_n(&locked_, static_cast<unsigned char>(0), __ATOMIC_RELEASE);
  }

 private:
  unsigned char locked_ = 0;
};

class references;

/// A link of a model's list of references.
class reference_link {
 public:
  reference_link(void* model, references& of) : model_{model} { join(&of); }
  reference_link(reference_link const& other) : model_{other.model_} { join(other.of_); }
  reference_link& operator=(reference_link const&) = delete;
  ~reference_link() { leave(); }

 protected:
  void* model_;

 private:
  friend class references;
  inline void join(references* of);
  inline void leave();

  references* of_ = nullptr;
  reference_link *before_ = nullptr, *behind_ = nullptr;
};

/// A model's list of the references to it.
class references {
 public:
  references() = default;
  references(references const&) = delete;
  references& operator=(references const&) = delete;
  ~references() { redirect(nullptr, nullptr); }

  /// Redirects all references to another model (nullptr: to none).
  void redirect(references* to, void* model) {
    lock_.lock();
    reference_link* const first = first_;
    first_ = nullptr;
    lock_.unlock();
    reference_link* last = nullptr;
    for (reference_link* each = first; each != nullptr; each = each->behind_) {
      each->of_ = to;
      each->model_ = model;
      last = each;
    }
    if (to == nullptr || last == nullptr) return;
    to->lock_.lock();
    last->behind_ = to->first_;
    if (to->first_ != nullptr) to->first_->before_ = last;
    to->first_ = first;
    to->lock_.unlock();
  }

 private:
  friend class reference_link;
  reference_link* first_ = nullptr;
  short_lock lock_;
};

inline void reference_link::join(references* of) {
  of_ = of;
  before_ = nullptr;
  behind_ = nullptr;
  if (of == nullptr) return;
  of->lock_.lock();
  behind_ = of->first_;
  if (behind_ != nullptr) behind_->before_ = this;
  of->first_ = this;
  of->lock_.unlock();
}
inline void reference_link::leave() {
  if (of_ == nullptr) return;
  of_->lock_.lock();
  if (before_ != nullptr) before_->behind_ = behind_;
  else of_->first_ = behind_;
  if (behind_ != nullptr) behind_->before_ = before_;
  of_->lock_.unlock();
}

/// A reference to a model (const or not) that follows it when it is moved. A model that several threads read must not
/// be moved at that time.
template <class Model>
class reference : reference_link {
 public:
  explicit reference(Model& to) : reference_link{const_cast<void*>(static_cast<void const*>(&to)), to.referring()} {}

  Model& operator*() const {
    assert(model_ != nullptr &&
           "the model of this trainer, predictor or gradient function was destroyed; it must outlive them");
    return *static_cast<Model*>(model_);
  }
  Model* operator->() const { return &**this; }
};

/// The same for models without such a list, such as read_only_model.
template <class Model>
  requires(!requires(Model & model) { model.referring(); })
class reference<Model> {
 public:
  explicit reference(Model& to) : model_{&to} {}
  Model& operator*() const { return *model_; }
  Model* operator->() const { return model_; }

 private:
  Model* model_;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
