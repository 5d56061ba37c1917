// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../base/needs_header.hpp"
#include "../storage/tensor.hpp"
#include "../storage/view.hpp"
#include "array.hpp"

ESPALIER_HEADER_INCLUDED(dlpack);

/// Tensors of other libraries in the same process, without a copy: DLPack, which PyTorch, JAX, CuPy and NumPy speak.
/// source  https://dmlc.github.io/dlpack, versions 0.2 to 1.0
namespace espalier::io {

/// dlpack_error: a tensor is not the one that from_dlpack expects. The text has what was expected and what came.
class dlpack_error : public error {
 public:
  using error::error;
};

/// DLPack's structs, member for member: a pointer to one of them is a pointer to that of dlpack.h. The functions below
/// also take those of dlpack.h themselves, with a version (DLManagedTensorVersioned) or without.
struct dlpack_device {
  std::int32_t device_type;
  std::int32_t device_id;
};
struct dlpack_data_type {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct dlpack_tensor {
  void* data;
  dlpack_device device;
  std::int32_t ndim;
  dlpack_data_type dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct dlpack_managed_tensor {
  dlpack_tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(dlpack_managed_tensor* self);
};

namespace detail {

/// DLPack's numbers of devices: memory that a Device reads. Of several graphics processors it is the first one.
template <class Device>
constexpr bool reads_dlpack_device(int type, int number) {
  constexpr int processor = 1, cuda = 2, cuda_host = 3, cuda_managed = 13;
  if constexpr (espalier::detail::is_graphics<Device>) return (type == cuda && number == 0) || type == cuda_managed;
  else return type == processor || type == cuda_host || type == cuda_managed;
}
template <class Device>
inline constexpr int dlpack_device_type = espalier::detail::is_graphics<Device> ? 2 : 1;

/// DLPack's code of an element type: 0 signed, 1 unsigned, 2 real, 4 bfloat16, 6 truth values.
constexpr int dlpack_code_of(element_kind kind) {
  switch (kind) {
    case element_kind::boolean:
      return 6;
    case element_kind::b16:
      return 4;
    case element_kind::u8:
    case element_kind::u16:
    case element_kind::u32:
    case element_kind::u64:
      return 1;
    default:
      return is_real(kind) ? 2 : 0;
  }
}
template <class DataType>
constexpr bool is_dlpack_type(DataType const& type, element_kind kind) {
  return type.lanes == 1 && type.code == dlpack_code_of(kind) && type.bits == 8 * bytes_of(kind);
}
/// "float"; "type 5 of 64 bits" if C++ has no name for it.
template <class DataType>
std::string name_of_dlpack_type(DataType const& type) {
  for (int k = 0; k < element_kinds; ++k)
    if (auto const kind = static_cast<element_kind>(k); is_dlpack_type(type, kind)) return name_of(kind);
  return "type " + std::to_string(type.code) + " of " + std::to_string(type.bits) + " bits" +
         (type.lanes == 1 ? "" : " and " + std::to_string(type.lanes) + " lanes");
}
inline std::string name_of_dlpack_device(int type, int number) {
  switch (type) {
    case 1:
      return "in the memory of the processor";
    case 2:
      return number == 0 ? "on a CUDA device" : "on CUDA device " + std::to_string(number);
    default:
      return "on device type " + std::to_string(type);
  }
}
/// Whether strides, in elements, are those of a contiguous tensor. Axes of one element may have any.
template <class Tensor>
bool is_contiguous(Tensor const& x) {
  if (x.strides == nullptr) return true;
  std::int64_t expected = 1;
  for (int axis = x.ndim - 1; axis >= 0; expected *= x.shape[axis--])
    if (x.shape[axis] != 1 && x.strides[axis] != expected) return false;
  return true;
}
template <class Tensor>
std::string text_of_dlpack(Tensor const& x) {
  std::vector<std::int64_t> shape, strides;
  for (int axis = 0; axis < x.ndim; ++axis) {
    shape.push_back(x.shape[axis]);
    if (x.strides != nullptr) strides.push_back(x.strides[axis]);
  }
  return name_of_dlpack_type(x.dtype) + " " + text_of(shape) +
         (is_contiguous(x) ? "" : " with strides " + text_of(strides)) + " " +
         name_of_dlpack_device(static_cast<int>(x.device.device_type), x.device.device_id);
}

template <class Managed>
concept VersionedDlpack = requires(Managed const& x) {
  x.version.major;
  x.flags;
};
inline constexpr std::uint64_t dlpack_read_only = 1;

/// T, or float behind an error that T is no element.
template <class T>
using element_or_float = std::conditional_t<espalier::detail::is_element<std::remove_const_t<T>>, T, float>;

/// Throws unless x is a tensor that a view<T, S, Device> may refer to.
template <class T, class S, class Device, class Managed>
void check_dlpack(Managed const* x) {
  if (x == nullptr) throw_error<dlpack_error>("from_dlpack: the tensor is a null pointer");
  if constexpr (VersionedDlpack<Managed>) {
    if (x->version.major != 1)
      throw_error<dlpack_error>("from_dlpack: expected version 1 of DLPack, got %u", unsigned(x->version.major));
    if (!std::is_const_v<T> && (x->flags & dlpack_read_only) != 0)
      throw_error<dlpack_error>("from_dlpack: the tensor may only be read; the element type must be const");
  }
  auto const& got = x->dl_tensor;
  if (got.ndim > 0 && got.shape == nullptr) throw_error<dlpack_error>("from_dlpack: the tensor has no extents");
  constexpr element_kind kind = kind_of<std::remove_const_t<T>>;
  bool fits = got.ndim == S::rank && is_dlpack_type(got.dtype, kind) &&
              reads_dlpack_device<Device>(static_cast<int>(got.device.device_type), got.device.device_id);
  for (int axis = 0; fits && axis < S::rank; ++axis) fits = got.shape[axis] == S::value.at[axis];
  if (!fits || !is_contiguous(got)) {
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < S::rank; ++axis) shape.push_back(S::value.at[axis]);
    throw_error<dlpack_error>("from_dlpack: expected contiguous %s %s %s, got %s", name_of(kind),
                              text_of(shape).c_str(), name_of_dlpack_device(dlpack_device_type<Device>, 0).c_str(),
                              text_of_dlpack(got).c_str());
  }
  if (got.data == nullptr) throw_error<dlpack_error>("from_dlpack: the tensor has no memory");
  auto const address = reinterpret_cast<std::uintptr_t>(got.data) + got.byte_offset;
  constexpr std::size_t alignment = espalier::detail::is_graphics<Device> ? 16 : alignof(T);
  if (address % alignment != 0)
    throw_error<dlpack_error>("from_dlpack: the address must be a multiple of %d bytes; it is %p",
                              static_cast<int>(alignment), reinterpret_cast<void*>(address));
}

}  // namespace detail

/// A tensor of another library: owns the struct, whose deleter runs at the end. Movable, not copyable.
template <class T, Shape S, class Device, class Managed>
class foreign_tensor {
 public:
  /// See from_dlpack.
  explicit foreign_tensor(Managed* x) : managed_{(detail::check_dlpack<T, S, Device>(x), x)} {}
  foreign_tensor(foreign_tensor&& other) noexcept : managed_{other.managed_} { other.managed_ = nullptr; }
  foreign_tensor& operator=(foreign_tensor&& other) noexcept {
    Managed* const held = managed_;
    managed_ = other.managed_;
    other.managed_ = held;
    return *this;
  }
  ~foreign_tensor() {
    if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
  }

  /// The elements, in the other library's memory, as long as this object exists.
  [[nodiscard]] espalier::view<T, S, Device> view() const {
    auto const& x = managed_->dl_tensor;
    return espalier::view<T, S, Device>(reinterpret_cast<T*>(static_cast<unsigned char*>(x.data) + x.byte_offset));
  }

 private:
  Managed* managed_;
};

/// from_dlpack<T, shape<N...>>(x): a tensor of another library, which is not copied. x.view() is an argument of models,
/// compiled functions and evaluate.
/// shape    that of x: a contiguous tensor. T: const where it is only read
/// device   from_dlpack<T, S, cuda>(x) for memory of graphics processor 0, at a multiple of 16 bytes. Work that the
///          other library has queued must be complete, or be queued on the default backend's stream
/// memory   none. The deleter of x runs when the result is destroyed; if from_dlpack throws, x is still the caller's
/// errors   another element type, shape, device or version, strides of a tensor that is not contiguous, memory that may
///          only be read and an address that is no multiple of the element's size throw dlpack_error
template <class T, Shape S, class Device = cpu, class Managed>
[[nodiscard]] foreign_tensor<detail::element_or_float<T>, S, Device, Managed> from_dlpack(Managed* x) {
  static_assert(
      espalier::detail::is_element<std::remove_const_t<T>>,
      "from_dlpack<T, S>(x): T is float, double, half, bfloat16, std::int32_t or bool (const or not); PyTorch's "
      "labels are std::int64_t: pass labels.to(torch.int32)");
  return foreign_tensor<detail::element_or_float<T>, S, Device, Managed>(x);
}

namespace detail {

/// What a tensor for another library owns: its elements (a tensor, or a view that lends them), extents and strides.
template <class Managed, class Elements, class S>
struct exported {
  Managed managed{};
  Elements elements;
  std::int64_t shape[static_cast<std::size_t>(S::rank) + 1], strides[static_cast<std::size_t>(S::rank) + 1];

  explicit exported(Elements&& x) : elements(static_cast<Elements&&>(x)) {
    using T = typename Elements::value_type;
    auto& to = managed.dl_tensor;
    to.data = const_cast<T*>(elements.data());
    to.device.device_type =
        static_cast<decltype(to.device.device_type)>(dlpack_device_type<typename Elements::device_type>);
    to.device.device_id = 0;
    to.ndim = S::rank;
    to.dtype.code = static_cast<std::uint8_t>(dlpack_code_of(kind_of<T>));
    to.dtype.bits = static_cast<std::uint8_t>(8 * bytes_of(kind_of<T>));
    to.dtype.lanes = 1;
    to.shape = shape;
    to.strides = strides;
    to.byte_offset = 0;
    for (int axis = 0; axis < S::rank; ++axis) {
      shape[axis] = S::value.at[axis];
      strides[axis] = S::value.product(axis + 1, S::rank);
    }
    if constexpr (VersionedDlpack<Managed>) {
      managed.version.major = 1;
      managed.version.minor = 0;
      managed.flags = 0;
    }
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { delete static_cast<exported*>(self->manager_ctx); };
  }
};

}  // namespace detail

#define ESPALIER_EXPORT_OF_CONST "to_dlpack(x): the elements of x are const, and other libraries may write them"
/// to_dlpack(std::move(x)): a tensor for another library, which takes its elements over without a copy and calls the
/// deleter of the result when it needs them no more. to_dlpack(x), of a tensor or view, lends the elements: they must
/// exist until then. to_dlpack<DLManagedTensor>(x) and to_dlpack<DLManagedTensorVersioned>(x) return the structs of
/// dlpack.h.
/// memory   one allocation
/// device   that of x, number 0. Runs that write x are queued on the default backend's stream
/// errors   const elements do not compile: other libraries may write them
template <class Managed = dlpack_managed_tensor, class T, class S, class Device>
[[nodiscard]] Managed* to_dlpack(tensor<T, S, Device>&& x) {
  using owner = detail::exported<Managed, tensor<T, S, Device>, S>;
  return &(new owner(static_cast<tensor<T, S, Device>&&>(x)))->managed;
}
template <class Managed = dlpack_managed_tensor, class T, class S, class Device>
[[nodiscard]] Managed* to_dlpack(view<T, S, Device> x) {
  static_assert(!std::is_const_v<T>, ESPALIER_EXPORT_OF_CONST);
  using lender = detail::exported<Managed, view<T, S, Device>, S>;
  return &(new lender(static_cast<view<T, S, Device>&&>(x)))->managed;
}
template <class Managed = dlpack_managed_tensor, class T, class S, class Device>
[[nodiscard]] Managed* to_dlpack(tensor<T, S, Device>& x) {
  return to_dlpack<Managed>(view<T, S, Device>(x));
}
template <class Managed = dlpack_managed_tensor, class T, class S, class Device>
Managed* to_dlpack(tensor<T, S, Device> const&) {
  static_assert(std::is_const_v<T>, ESPALIER_EXPORT_OF_CONST);
  return nullptr;
}
#undef ESPALIER_EXPORT_OF_CONST

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
