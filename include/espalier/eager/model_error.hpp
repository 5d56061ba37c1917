// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

namespace espalier {

/// The models of a function do not belong together: one is passed twice and changed, or an updater is for another one.
/// Thrown before anything is computed or changed.
class model_error : public std::exception {
 public:
  /// Arguments are numbered from 0, as in grad<I>.
  struct passed_twice {
    int first, second;
  };
  struct wrong_updater {
    int updater, model;
  };
  [[gnu::cold, gnu::noinline]] explicit model_error(passed_twice of) noexcept {
    text_ << "arguments " << of.first << " and " << of.second
          << " of a function are the same model, and the function changes it; pass it once, or pass a clone";
  }
  [[gnu::cold, gnu::noinline]] explicit model_error(wrong_updater of) noexcept {
    text_ << "argument " << of.updater << " of a function is the updater of another model than argument " << of.model
          << ", which it updates; expected the model that the updater was made for";
  }
  /// updater.update(model, gradients) outside of functions.
  [[gnu::cold, gnu::noinline]] model_error() noexcept {
    text_
        << "updater.update(model, gradients): expected the model that the updater was made for, got another one of the "
           "same type";
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
