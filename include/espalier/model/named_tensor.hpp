// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cassert>

#include "../device/cpu/engine.hpp"
#include "name_error.hpp"

namespace espalier {

namespace detail {
/// A name that is looked up at run time: a null-terminated text or a std::string.
struct name_argument {
  name_argument(char const* text) : of{text} {}
  template <class Text>
    requires requires(Text const& text) { static_cast<char const*>(text.c_str()); }
  name_argument(Text const& text) : of{text.c_str()} {}
  char const* of;
};
/// A constraint that errors name: a tensor found by name is read and written through its span.
template <class... Argument>
struct named_as_tensor {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
}  // namespace detail
#define ESPALIER_NAMED_HAS_NO_SHAPE \
  "a parameter found by name has no shape as a type; read and write p.span()[i], or view<float, shape<8, 3>>(p.span()) for `auto p = model.parameter(name)`"

/// A parameter or buffer of a model, found by name. Its elements are a span. On a device with its own memory, the host
/// copies them as a whole; to_host and from_host do this for every device.
template <class T, class Elements = espalier::span<T>>
class named_tensor {
  using Number = std::remove_const_t<T>;

 public:
  named_tensor(char const* path, extents const& shape, Elements const& elements) : shape_{shape}, elements_{elements} {
    std::size_t i = 0;
    for (; path[i] != 0 && i + 1 < sizeof name_; ++i) name_[i] = path[i];
    name_[i] = 0;
  }
  char const* name() const { return name_; }
  extents const& shape() const { return shape_; }
  Elements span() const { return elements_; }
  /// False if find_parameter or find_buffer found no such name.
  explicit operator bool() const { return elements_.data() != nullptr; }

  /// Copies the elements to the host. `to` has as many elements (asserted).
  void to_host(espalier::span<Number> to) const {
    if constexpr (requires { elements_.to_host(to); }) {
      elements_.to_host(to);
    } else {
      assert(to.size() == elements_.size());
      for (std::int64_t i = 0; i < elements_.size(); ++i) to[i] = elements_[i];
    }
  }
  /// Copies elements of the host to the parameter or buffer. `from` has as many elements (asserted).
  void from_host(espalier::span<T const> from) const requires(!std::is_const_v<T>) {
    if constexpr (requires { elements_.from_host(from); }) {
      elements_.from_host(from);
    } else {
      assert(from.size() == elements_.size());
      for (std::int64_t i = 0; i < elements_.size(); ++i) elements_[i] = from[i];
    }
  }

  /// Does not compile: the shape of a tensor is part of its type, and that of a named_tensor is a run-time value.
  template <class X>
    requires detail::marked_tensor<X>
  operator X() const {
    static_assert(
        detail::named_as_tensor<X>::agree,
        ESPALIER_SENTENCE("tensor = model.parameter(name): " ESPALIER_NAMED_HAS_NO_SHAPE, detail::named_as_tensor<X>));
    return {};
  }
  template <class X>
    requires(!std::is_base_of_v<named_tensor, X>)
  named_tensor& operator=(X const&) {
    static_assert(
        detail::named_as_tensor<X>::agree,
        ESPALIER_SENTENCE("model.parameter(name) = x: " ESPALIER_NAMED_HAS_NO_SHAPE, detail::named_as_tensor<X>));
    return *this;
  }
  template <class... Index>
  Number operator()(Index const&...) const {
    static_assert(detail::named_as_tensor<Index...>::agree,
                  ESPALIER_SENTENCE("model.parameter(name)(i, ...): " ESPALIER_NAMED_HAS_NO_SHAPE,
                                    detail::named_as_tensor<Index...>));
    return {};
  }

 private:
  char name_[256];
  extents shape_;
  Elements elements_;
};

namespace detail {

/// The tensor of a path; it converts to false if there is none.
template <class Net, bool Parameters, class Engine, class T>
auto find_tensor(Engine const& engine, char const* name, T* base, bool trainable_only) {
  using Found = named_tensor<T, typename Engine::template elements<T>>;
  Found found{name, extents{}, engine.span_of(static_cast<T*>(nullptr), 0)};
  for_each_tensor<Net, Parameters>(base, trainable_only,
                                   [&](char const* path, extents const& shape, espalier::span<T> elements) {
                                     if (same_text(path, name))
                                       found = Found{path, shape, engine.span_of(elements.data(), elements.size())};
                                   });
  return found;
}

/// The tensor of a path; throws name_error if there is none.
template <class Net, bool Parameters, class Engine, class T>
auto get_tensor(Engine const& engine, char const* name, T* base, bool trainable_only) {
  auto found = find_tensor<Net, Parameters>(engine, name, base, trainable_only);
  if (!found && (!trainable_only || slot_of_name<Net, Parameters>(name) < 0)) raise_unknown_name<Net, Parameters>(name);
  if (!found) raise_frozen_name(name);
  return found;
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
