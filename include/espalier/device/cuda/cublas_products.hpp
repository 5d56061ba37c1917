// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "../../storage/half.hpp"
#include "cuda_call.hpp"
#include "table_by_number.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Matrix products by cuBLASLt. It counts along columns where we count along rows, so it is asked for the transpose: y^T = op(b)^T op(a)^T, whose
/// matrices are ours as they lie in memory. Its bias runs along the rows of what it computes, which are our columns.
namespace espalier::on_cuda {

/// How products of floats multiply. exact: as float; tf32: with 10 bits of mantissa, on tensor cores.
enum class float_products { exact, tf32 };

namespace detail {

/// What cuBLASLt is told of an element type: as stored, as accumulated, as scaled.
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

/// A matrix product as numbers: `count` of y (rows x columns) = op(a) op(b), of which `run` in a row follow each other in equal strides.
struct product_facts {
  int rows, columns, inner;
  bool transpose_a, transpose_b;
  int run;
  std::int64_t a_stride, b_stride;
  cudaDataType_t stored, scaled;
  cublasComputeType_t computed;
  int element_bytes;
};

/// How many matrices of a batch one call can take: as long as both operands move in equal strides.
template <class Product>
constexpr std::int64_t equal_strides() {
  constexpr std::int64_t count = Product::count;
  if constexpr (count > 1) {
    std::int64_t const a = Product::a_offset(1), b = Product::b_offset(1);
    std::int64_t run = 2;
    while (run < count && Product::a_offset(run) == run * a && Product::b_offset(run) == run * b) ++run;
    if (run == count) return count;
    // The next stretch moves as this one does only if its length divides the batch.
    while (count % run != 0) --run;
    for (std::int64_t first = run; first < count; first += run)
      for (std::int64_t i = 1; i < run; ++i)
        if (Product::a_offset(first + i) - Product::a_offset(first) != i * a || Product::b_offset(first + i) - Product::b_offset(first) != i * b) return 1;
    return run;
  } else {
    return 1;
  }
}

template <class T, class Product>
product_facts facts_of() {
  int const run = static_cast<int>(equal_strides<Product>());
  return {Product::rows, Product::columns, Product::inner, Product::transpose_a, Product::transpose_b, run, run > 1 ? Product::a_offset(1) : 0,
          run > 1 ? Product::b_offset(1) : 0, cublas_type<T>::stored, cublas_type<T>::scaled, cublas_type<T>::computed, static_cast<int>(sizeof(T))};
}

/// A product that cuBLASLt has chosen an algorithm for.
class chosen_product {
 public:
  enum variant : unsigned { plain = 0, with_bias = 1, with_relu = 2, aligned = 4, variants = 8 };

  chosen_product(cublasLtHandle_t handle, product_facts const& f, unsigned how, std::size_t workspace) : facts_(f), how_(how) { choose(handle, workspace); }
  chosen_product(chosen_product const&) = delete;
  chosen_product& operator=(chosen_product const&) = delete;
  ~chosen_product() { release(); }

  /// a, b, y: of the first of `run` matrices.
  void run(cublasLtHandle_t handle, void const* a, void const* b, void* y, void const* bias, void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
    if (how_ & with_bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    float const one = 1, zero = 0;
    double const long_one = 1, long_zero = 0;
    bool const is_double = facts_.scaled == CUDA_R_64F;
    void const* const alpha = is_double ? static_cast<void const*>(&long_one) : &one;
    void const* const beta = is_double ? static_cast<void const*>(&long_zero) : &zero;
    say(cublasLtMatmul(handle, description_, alpha, b, left_, a, right_, beta, y, result_, y, result_, &algorithm_, workspace, workspace_bytes, stream), "cublasLtMatmul");
  }

 private:
  void choose(cublasLtHandle_t handle, std::size_t workspace) {
    cleaner all_or_nothing{this};
    say(cublasLtMatmulDescCreate(&description_, facts_.computed, facts_.scaled), "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, facts_.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, facts_.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    bool const biased = how_ & with_bias, relu = how_ & with_relu;
    if (biased || relu) set(CUBLASLT_MATMUL_DESC_EPILOGUE, biased ? relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_RELU);
    std::uint32_t const alignment = how_ & aligned ? 16u : static_cast<std::uint32_t>(facts_.element_bytes);
    // The choice follows the pointer only to its alignment.
    if (biased) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<void const*>(static_cast<std::uintptr_t>(alignment)));
    lay_out(left_, facts_.transpose_b ? facts_.inner : facts_.columns, facts_.transpose_b ? facts_.columns : facts_.inner, facts_.b_stride);
    lay_out(right_, facts_.transpose_a ? facts_.rows : facts_.inner, facts_.transpose_a ? facts_.inner : facts_.rows, facts_.a_stride);
    lay_out(result_, facts_.columns, facts_.rows, std::int64_t{facts_.rows} * facts_.columns);
    say(cublasLtMatmulPreferenceCreate(&preference_), "cublasLtMatmulPreferenceCreate");
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(workspace));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment);
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    say(cublasLtMatmulAlgoGetHeuristic(handle, description_, left_, right_, result_, result_, preference_, 1, &found, &count), "cublasLtMatmulAlgoGetHeuristic");
    say(count > 0 ? found.state : CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmulAlgoGetHeuristic");
    algorithm_ = found.algo;
    all_or_nothing.owner = nullptr;
  }
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t what, Value const& value) {
    say(cublasLtMatmulDescSetAttribute(description_, what, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }
  template <class Value>
  void prefer(cublasLtMatmulPreferenceAttributes_t what, Value const& value) {
    say(cublasLtMatmulPreferenceSetAttribute(preference_, what, &value, sizeof value), "cublasLtMatmulPreferenceSetAttribute");
  }
  void lay_out(cublasLtMatrixLayout_t& layout, int rows, int columns, std::int64_t stride) {
    say(cublasLtMatrixLayoutCreate(&layout, facts_.stored, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), rows), "cublasLtMatrixLayoutCreate");
    if (facts_.run == 1) return;
    std::int32_t const run = facts_.run;
    say(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &run, sizeof run), "cublasLtMatrixLayoutSetAttribute");
    say(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride), "cublasLtMatrixLayoutSetAttribute");
  }
  void say(cublasStatus_t status, char const* call) const {
    check(status, call, "a product of %d x %d and %d x %d, %d in a batch, elements of %d bytes%s%s", facts_.rows, facts_.inner, facts_.inner, facts_.columns, facts_.run,
          facts_.element_bytes, how_ & with_bias ? ", with a bias" : "", how_ & with_relu ? ", with ReLU" : "");
  }
  /// A constructor that throws has no destructor.
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
  unsigned how_;
  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

/// The products that a machine has met, by their numbers and variants.
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
  chosen_product*& at(int number, unsigned how) { return table_by_number::at(number * static_cast<int>(chosen_product::variants) + static_cast<int>(how)); }

 private:
  cublasLtHandle_t handle_ = nullptr;
};

}  // namespace detail
}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
