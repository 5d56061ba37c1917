// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "../../../storage/half.hpp"
#include "cuda_call.hpp"
#include "event_clock.hpp"
#include "table_by_number.hpp"

/// Matrix products by cuBLASLt. It is column-major and tensors are row-major, so it computes the transpose,
/// y^T = op(b)^T op(a)^T, from the same memory. Its bias runs along the rows of y^T, which are the columns of y.
namespace espalier::on_cuda {

/// The precision of float products. exact: float; tf32: 10 bits of mantissa, on tensor cores.
enum class float_products { exact, tf32 };

/// How the algorithm of a product is chosen. heuristic: by cuBLASLt's estimate, so that a program computes the same
/// bits at every start. measured: the fastest of several on this device, measured at the first run of each product;
/// another start of the program may choose another one, which rounds differently.
enum class product_algorithms { heuristic, measured };

namespace detail {

/// The constants of cuBLASLt for an element type: of stored elements, of the accumulation, and of alpha and beta.
template <class T>
struct cublas_type;
template <>
struct cublas_type<float> {
  static constexpr cudaDataType_t stored = CUDA_R_32F, scaled = CUDA_R_32F;
  static constexpr cublasComputeType_t computed = CUBLAS_COMPUTE_32F;
};
template <>
struct cublas_type<double> {
  static constexpr cudaDataType_t stored = CUDA_R_64F, scaled = CUDA_R_64F;
  static constexpr cublasComputeType_t computed = CUBLAS_COMPUTE_64F;
};
template <>
struct cublas_type<half> {
  static constexpr cudaDataType_t stored = CUDA_R_16F, scaled = CUDA_R_32F;
  static constexpr cublasComputeType_t computed = CUBLAS_COMPUTE_32F;
};
template <>
struct cublas_type<bfloat16> {
  static constexpr cudaDataType_t stored = CUDA_R_16BF, scaled = CUDA_R_32F;
  static constexpr cublasComputeType_t computed = CUBLAS_COMPUTE_32F;
};

/// The sizes of a batch of matrix products y = op(a) op(b): y (rows, columns), op(a) (rows, inner), op(b) (inner,
/// columns). One call computes `run` consecutive products, whose operands have equal strides.
struct product_facts {
  int rows, columns, inner;
  bool transpose_a, transpose_b;
  int run;
  std::int64_t a_stride, b_stride;
  cudaDataType_t stored, scaled;
  cublasComputeType_t computed;
  int element_bytes;
};

/// The number of consecutive products of a batch that one call can compute: both operands must have equal strides.
template <class Product>
constexpr std::int64_t equal_strides() {
  constexpr std::int64_t count = Product::count;
  if constexpr (count > 1) {
    std::int64_t const a = Product::a_offset(1), b = Product::b_offset(1);
    std::int64_t run = 2;
    while (run < count && Product::a_offset(run) == run * a && Product::b_offset(run) == run * b) ++run;
    if (run == count) return count;
    // Later runs can only have the same strides if their length divides the batch.
    while (count % run != 0) --run;
    for (std::int64_t first = run; first < count; first += run)
      for (std::int64_t i = 1; i < run; ++i)
        if (Product::a_offset(first + i) - Product::a_offset(first) != i * a ||
            Product::b_offset(first + i) - Product::b_offset(first) != i * b)
          return 1;
    return run;
  } else {
    return 1;
  }
}

template <class T, class Product>
product_facts facts_of() {
  int const run = static_cast<int>(equal_strides<Product>());
  return {Product::rows,
          Product::columns,
          Product::inner,
          Product::transpose_a,
          Product::transpose_b,
          run,
          run > 1 ? Product::a_offset(1) : 0,
          run > 1 ? Product::b_offset(1) : 0,
          cublas_type<T>::stored,
          cublas_type<T>::scaled,
          cublas_type<T>::computed,
          static_cast<int>(sizeof(T))};
}

/// The fastest of `count` algorithms: the position of the smallest time that is not negative, which stands for an
/// algorithm that failed; 0 if there is none.
constexpr int fastest_of(float const* times, int count) {
  int fastest = -1;
  for (int i = 0; i < count; ++i)
    if (times[i] >= 0 && (fastest < 0 || times[i] < times[fastest])) fastest = i;
  return fastest < 0 ? 0 : fastest;
}

/// A product with the algorithms that the heuristic of cuBLASLt offers for it, and the one that was chosen: the first
/// one, or the fastest one after measure().
class chosen_product {
 public:
  static constexpr int most_algorithms = 8;
  enum variant : unsigned { plain = 0, with_bias = 1, with_relu = 2, aligned = 4, variants = 8 };

  chosen_product(cublasLtHandle_t handle, product_facts const& f, unsigned flags, std::size_t workspace)
      : facts_(f), flags_(flags) {
    choose(handle, workspace);
  }
  chosen_product(chosen_product const&) = delete;
  chosen_product& operator=(chosen_product const&) = delete;
  ~chosen_product() { release(); }

  /// The matrices and the memory of a call. a, b, y: the first of `run` matrices each.
  struct call {
    cublasLtHandle_t handle;
    void const *a, *b;
    void* y;
    void const* bias;
    void* workspace;
    std::size_t workspace_bytes;
    cudaStream_t stream;
  };
  void run(call const& c) {
    if (flags_ & with_bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, c.bias);
    check_status(multiply(c, algorithms_[chosen_]), "cublasLtMatmul");
  }
  bool is_measured() const { return measured_; }
  /// Runs every algorithm and keeps the fastest one. y is written. Waits for the stream.
  void measure(call const& c) {
    if (flags_ & with_bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, c.bias);
    float times[most_algorithms];
    event_clock clock{c.stream};
    for (int i = 0; i < algorithm_count_; ++i) {
      times[i] = -1;
      if (multiply(c, algorithms_[i]) != CUBLAS_STATUS_SUCCESS) continue;
      constexpr int rounds = 5;
      double seconds[rounds];
      clock.restart();
      clock.mark();
      for (int k = 0; k < rounds; ++k) {
        check_status(multiply(c, algorithms_[i]), "cublasLtMatmul");
        clock.mark();
      }
      clock.read(seconds, rounds);
      double least = seconds[0];
      for (double const s : seconds) least = s < least ? s : least;
      times[i] = static_cast<float>(least);
    }
    chosen_ = fastest_of(times, algorithm_count_);
    measured_ = true;
  }

 private:
  cublasStatus_t multiply(call const& c, cublasLtMatmulAlgo_t const& algorithm) const {
    float const one = 1, zero = 0;
    double const long_one = 1, long_zero = 0;
    bool const is_double = facts_.scaled == CUDA_R_64F;
    void const* const alpha = is_double ? static_cast<void const*>(&long_one) : &one;
    void const* const beta = is_double ? static_cast<void const*>(&long_zero) : &zero;
    return cublasLtMatmul(c.handle, description_, alpha, c.b, left_, c.a, right_, beta, c.y, result_, c.y, result_,
                          &algorithm, c.workspace, c.workspace_bytes, c.stream);
  }
  void choose(cublasLtHandle_t handle, std::size_t workspace) {
    cleaner all_or_nothing{this};
    check_status(cublasLtMatmulDescCreate(&description_, facts_.computed, facts_.scaled), "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, facts_.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, facts_.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    bool const biased = flags_ & with_bias, relu = flags_ & with_relu;
    if (biased || relu)
      set(CUBLASLT_MATMUL_DESC_EPILOGUE,
          biased ? relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_RELU);
    std::uint32_t const alignment = flags_ & aligned ? 16u : static_cast<std::uint32_t>(facts_.element_bytes);
    // The heuristic uses only the alignment of the bias pointer.
    if (biased)
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<void const*>(static_cast<std::uintptr_t>(alignment)));
    lay_out(left_, facts_.transpose_b ? facts_.inner : facts_.columns,
            facts_.transpose_b ? facts_.columns : facts_.inner, facts_.b_stride);
    lay_out(right_, facts_.transpose_a ? facts_.rows : facts_.inner, facts_.transpose_a ? facts_.inner : facts_.rows,
            facts_.a_stride);
    lay_out(result_, facts_.columns, facts_.rows, std::int64_t{facts_.rows} * facts_.columns);
    check_status(cublasLtMatmulPreferenceCreate(&preference_), "cublasLtMatmulPreferenceCreate");
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(workspace));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment);
    // Parts of a long sum are added in the type that it is computed in: never in 16 bits, in which it would be stored.
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    cublasLtMatmulHeuristicResult_t found[most_algorithms]{};
    int count = 0;
    check_status(cublasLtMatmulAlgoGetHeuristic(handle, description_, left_, right_, result_, result_, preference_,
                                                most_algorithms, found, &count),
                 "cublasLtMatmulAlgoGetHeuristic");
    check_status(count > 0 ? found[0].state : CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmulAlgoGetHeuristic");
    for (int i = 0; i < count; ++i)
      if (found[i].state == CUBLAS_STATUS_SUCCESS) algorithms_[algorithm_count_++] = found[i].algo;
    all_or_nothing.owner = nullptr;
  }
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t what, Value const& value) {
    check_status(cublasLtMatmulDescSetAttribute(description_, what, &value, sizeof value),
                 "cublasLtMatmulDescSetAttribute");
  }
  template <class Value>
  void prefer(cublasLtMatmulPreferenceAttributes_t what, Value const& value) {
    check_status(cublasLtMatmulPreferenceSetAttribute(preference_, what, &value, sizeof value),
                 "cublasLtMatmulPreferenceSetAttribute");
  }
  void lay_out(cublasLtMatrixLayout_t& layout, int rows, int columns, std::int64_t stride) {
    check_status(cublasLtMatrixLayoutCreate(&layout, facts_.stored, static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(columns), rows),
                 "cublasLtMatrixLayoutCreate");
    if (facts_.run == 1) return;
    std::int32_t const run = facts_.run;
    check_status(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &run, sizeof run),
                 "cublasLtMatrixLayoutSetAttribute");
    check_status(
        cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
        "cublasLtMatrixLayoutSetAttribute");
  }
  void check_status(cublasStatus_t status, char const* call) const {
    check(status, call, "a product of %d x %d and %d x %d, %d in a batch, elements of %d bytes%s%s", facts_.rows,
          facts_.inner, facts_.inner, facts_.columns, facts_.run, facts_.element_bytes,
          flags_ & with_bias ? ", with a bias" : "", flags_ & with_relu ? ", with ReLU" : "");
  }
  /// Releases the descriptors if the constructor throws: the destructor does not run then.
  struct cleaner {
    chosen_product* owner;
    ~cleaner() {
      if (owner != nullptr) owner->release();
    }
  };
  void release() noexcept {
    if (preference_ != nullptr) cublasLtMatmulPreferenceDestroy(preference_);
    for (cublasLtMatrixLayout_t layout : {left_, right_, result_})
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    if (description_ != nullptr) cublasLtMatmulDescDestroy(description_);
  }

  product_facts facts_;
  unsigned flags_;
  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  cublasLtMatmulAlgo_t algorithms_[most_algorithms]{};
  int algorithm_count_ = 0, chosen_ = 0;
  bool measured_ = false;
};

/// The products that a backend has prepared, by number and variant.
class product_table : public table_by_number<chosen_product> {
 public:
  product_table() = default;
  ~product_table() {
    forget();
    if (handle_ != nullptr) cublasLtDestroy(handle_);
  }
  cublasLtHandle_t handle() {
    if (handle_ == nullptr) check(cublasLtCreate(&handle_), "cublasLtCreate");
    return handle_;
  }
  chosen_product*& at(int number, unsigned flags) {
    return table_by_number::at(number * static_cast<int>(chosen_product::variants) + static_cast<int>(flags));
  }

 private:
  cublasLtHandle_t handle_ = nullptr;
};

}  // namespace detail
}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
