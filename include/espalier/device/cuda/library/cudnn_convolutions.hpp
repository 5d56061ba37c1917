// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cudnn.h>

#include <cstddef>
#include <type_traits>

#include "../../../storage/half.hpp"
#include "convolution_facts.hpp"
#include "cuda_call.hpp"
#include "table_by_number.hpp"

/// Convolutions and their gradients by cuDNN, on NHWC images. Only deterministic algorithms that fit into the workspace
/// are used; a convolution without one is not computed by cuDNN.
namespace espalier::on_cuda::detail {

template <class... Facts>
void check(cudnnStatus_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == CUDNN_STATUS_SUCCESS) [[likely]]
    return;
  throw_call_error(call, cudnnGetErrorString(status), nullptr, what, facts...);
}

/// Whether a call failed because cuDNN lacks what was asked for. From version 9 on, such errors have numbers of their
/// own, a thousand for each kind.
inline bool is_unsupported(cudnnStatus_t status) {
#if defined(CUDNN_STATUS_CATEGORY)
  return CUDNN_STATUS_CATEGORY(static_cast<int>(status)) ==
         CUDNN_STATUS_CATEGORY(static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED));
#else
  return status == CUDNN_STATUS_NOT_SUPPORTED;
#endif
}

/// The constant of cuDNN for an element type.
template <class T>
constexpr cudnnDataType_t cudnn_type = std::is_same_v<T, double>     ? CUDNN_DATA_DOUBLE
                                       : std::is_same_v<T, half>     ? CUDNN_DATA_HALF
                                       : std::is_same_v<T, bfloat16> ? CUDNN_DATA_BFLOAT16
                                                                     : CUDNN_DATA_FLOAT;

/// The algorithm type, heuristic and call of one direction: cuDNN has separate ones for each.
template <convolved What>
struct cudnn_direction;
template <>
struct cudnn_direction<convolved::result> {
  using found = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr char const *find_name = "cudnnGetConvolutionForwardAlgorithm_v7",
                              *run_name = "cudnnConvolutionForward";
  template <class D>
  static cudnnStatus_t find(cudnnHandle_t handle, D const& d, int most, int* count, found* all) {
    return cudnnGetConvolutionForwardAlgorithm_v7(handle, d.x, d.kernels, d.operation, d.y, most, count, all);
  }
  template <class D>
  static cudnnStatus_t run(cudnnHandle_t handle, D const& d, found const& f, void const* one, void const* zero,
                           void const* x, void const* w, void* y, void* space, std::size_t bytes) {
    return cudnnConvolutionForward(handle, one, d.x, x, d.kernels, w, d.operation, f.algo, space, bytes, zero, d.y, y);
  }
};
template <>
struct cudnn_direction<convolved::images> {
  using found = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr char const *find_name = "cudnnGetConvolutionBackwardDataAlgorithm_v7",
                              *run_name = "cudnnConvolutionBackwardData";
  template <class D>
  static cudnnStatus_t find(cudnnHandle_t handle, D const& d, int most, int* count, found* all) {
    return cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, d.kernels, d.y, d.operation, d.x, most, count, all);
  }
  template <class D>
  static cudnnStatus_t run(cudnnHandle_t handle, D const& d, found const& f, void const* one, void const* zero,
                           void const* dy, void const* w, void* dx, void* space, std::size_t bytes) {
    return cudnnConvolutionBackwardData(handle, one, d.kernels, w, d.y, dy, d.operation, f.algo, space, bytes, zero,
                                        d.x, dx);
  }
};
template <>
struct cudnn_direction<convolved::kernels> {
  using found = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr char const *find_name = "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
                              *run_name = "cudnnConvolutionBackwardFilter";
  template <class D>
  static cudnnStatus_t find(cudnnHandle_t handle, D const& d, int most, int* count, found* all) {
    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, d.x, d.y, d.operation, d.kernels, most, count, all);
  }
  template <class D>
  static cudnnStatus_t run(cudnnHandle_t handle, D const& d, found const& f, void const* one, void const* zero,
                           void const* x, void const* dy, void* dw, void* space, std::size_t bytes) {
    return cudnnConvolutionBackwardFilter(handle, one, d.x, x, d.y, dy, d.operation, f.algo, space, bytes, zero,
                                          d.kernels, dw);
  }
};

/// The cuDNN descriptors of a convolution. Creating them needs no device.
struct cudnn_description {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t kernels = nullptr;
  cudnnConvolutionDescriptor_t operation = nullptr;

  /// type: of the elements; float_math: the math type of float products
  cudnn_description(convolution_facts const& f, cudnnDataType_t type, cudnnMathType_t float_math) {
    cleaner all_or_nothing{this};
    check(cudnnCreateTensorDescriptor(&x), "cudnnCreateTensorDescriptor");
    check(cudnnCreateTensorDescriptor(&y), "cudnnCreateTensorDescriptor");
    check(cudnnCreateFilterDescriptor(&kernels), "cudnnCreateFilterDescriptor");
    check(cudnnCreateConvolutionDescriptor(&operation), "cudnnCreateConvolutionDescriptor");
    check(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NHWC, type, f.images, f.channels, f.x_rows, f.x_columns),
          "cudnnSetTensor4dDescriptor", "%d images of %d x %d x %d", f.images, f.x_rows, f.x_columns, f.channels);
    check(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NHWC, type, f.images, f.outputs, f.y_rows, f.y_columns),
          "cudnnSetTensor4dDescriptor", "%d images of %d x %d x %d", f.images, f.y_rows, f.y_columns, f.outputs);
    check(cudnnSetFilter4dDescriptor(kernels, type, CUDNN_TENSOR_NHWC, f.outputs, f.channels, f.kernel_rows,
                                     f.kernel_columns),
          "cudnnSetFilter4dDescriptor", "%d kernels of %d x %d x %d", f.outputs, f.kernel_rows, f.kernel_columns,
          f.channels);
    bool const is_double = type == CUDNN_DATA_DOUBLE, is_float = type == CUDNN_DATA_FLOAT;
    check(cudnnSetConvolution2dDescriptor(operation, f.padding[0], f.padding[1], f.stride[0], f.stride[1],
                                          f.dilation[0], f.dilation[1], CUDNN_CROSS_CORRELATION,
                                          is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT),
          "cudnnSetConvolution2dDescriptor", "padding %d and %d, stride %d and %d, dilation %d and %d", f.padding[0],
          f.padding[1], f.stride[0], f.stride[1], f.dilation[0], f.dilation[1]);
    check(cudnnSetConvolutionMathType(operation, is_float    ? float_math
                                                 : is_double ? CUDNN_DEFAULT_MATH
                                                             : CUDNN_TENSOR_OP_MATH),
          "cudnnSetConvolutionMathType");
    all_or_nothing.owner = nullptr;
  }
  cudnn_description(cudnn_description const&) = delete;
  cudnn_description& operator=(cudnn_description const&) = delete;
  ~cudnn_description() { release(); }

 private:
  /// Releases the descriptors if the constructor throws: the destructor does not run then.
  struct cleaner {
    cudnn_description* owner;
    ~cleaner() {
      if (owner != nullptr) owner->release();
    }
  };
  void release() noexcept {
    for (cudnnTensorDescriptor_t tensor : {x, y})
      if (tensor != nullptr) (void)cudnnDestroyTensorDescriptor(tensor);
    if (kernels != nullptr) (void)cudnnDestroyFilterDescriptor(kernels);
    if (operation != nullptr) (void)cudnnDestroyConvolutionDescriptor(operation);
  }
};

/// A convolution with the algorithm that cuDNN chose for it, if it has one.
class chosen_convolution {
 public:
  template <convolved What>
  chosen_convolution(std::integral_constant<convolved, What>, cudnnHandle_t handle, convolution_facts const& f,
                     cudnnDataType_t type, cudnnMathType_t float_math, std::size_t workspace)
      : facts_(f), described_(f, type, float_math), is_double_(type == CUDNN_DATA_DOUBLE) {
    using direction = cudnn_direction<What>;
    typename direction::found all[16]{};
    int count = 0;
    cudnnStatus_t const found = direction::find(handle, described_, 16, &count, all);
    if (is_unsupported(found)) return;  // it is a product then
    check_status(found, direction::find_name);
    for (int i = 0; i < count && !possible_; ++i) {
      if (all[i].status != CUDNN_STATUS_SUCCESS || all[i].determinism != CUDNN_DETERMINISTIC ||
          all[i].memory > workspace)
        continue;
      algorithm_.of(std::integral_constant<convolved, What>{}) = all[i];
      possible_ = true;
    }
    // Floats keep the requested math type: that of the algorithm may allow less precise products.
    if (possible_ && type != CUDNN_DATA_FLOAT)
      check_status(cudnnSetConvolutionMathType(described_.operation,
                                               algorithm_.of(std::integral_constant<convolved, What>{}).mathType),
                   "cudnnSetConvolutionMathType");
  }
  bool possible() const { return possible_; }

  template <convolved What>
  void run(std::integral_constant<convolved, What> what, cudnnHandle_t handle, void const* a, void const* b, void* y,
           void* workspace, std::size_t workspace_bytes) {
    float const one = 1, zero = 0;
    double const long_one = 1, long_zero = 0;
    using direction = cudnn_direction<What>;
    check_status(
        direction::run(handle, described_, algorithm_.of(what), is_double_ ? static_cast<void const*>(&long_one) : &one,
                       is_double_ ? static_cast<void const*>(&long_zero) : &zero, a, b, y, workspace, workspace_bytes),
        direction::run_name);
  }

 private:
  union any_algorithm {
    cudnnConvolutionFwdAlgoPerf_t result;
    cudnnConvolutionBwdDataAlgoPerf_t images;
    cudnnConvolutionBwdFilterAlgoPerf_t kernels;
    auto& of(std::integral_constant<convolved, convolved::result>) { return result; }
    auto& of(std::integral_constant<convolved, convolved::images>) { return images; }
    auto& of(std::integral_constant<convolved, convolved::kernels>) { return kernels; }
  };
  void check_status(cudnnStatus_t status, char const* call) const {
    check(status, call, "a convolution of %d images of %d x %d x %d with %d kernels of %d x %d to %d x %d",
          facts_.images, facts_.x_rows, facts_.x_columns, facts_.channels, facts_.outputs, facts_.kernel_rows,
          facts_.kernel_columns, facts_.y_rows, facts_.y_columns);
  }
  convolution_facts facts_;
  cudnn_description described_;
  any_algorithm algorithm_{};
  bool is_double_, possible_ = false;
};

/// The convolutions that a backend has prepared, by number.
class convolution_table : public table_by_number<chosen_convolution> {
 public:
  convolution_table() = default;
  ~convolution_table() {
    forget();
    if (handle_ != nullptr) (void)cudnnDestroy(handle_);
  }
  cudnnHandle_t handle(cudaStream_t stream) {
    if (handle_ == nullptr) {
      check(cudnnCreate(&handle_), "cudnnCreate");
      check(cudnnSetStream(handle_, stream), "cudnnSetStream");
    }
    return handle_;
  }

 private:
  cudnnHandle_t handle_ = nullptr;
};

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
