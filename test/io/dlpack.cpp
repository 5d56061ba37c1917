// SPDX-License-Identifier: BSL-1.0
// Tensors of other libraries, through DLPack's structs as dlpack.h has them.
#define BOOST_TEST_MODULE io_dlpack
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/io/dlpack.hpp>
#include <espalier/simulated_cuda.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace esp = espalier;
namespace io = espalier::io;
using esp::shape;

// The structs of dlpack.h, version 1.0.
extern "C" {
typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4 } DLDeviceType;
typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
}

namespace {

int deleted = 0;

/// A matrix of another library.
struct foreign {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  DLManagedTensor managed{
      {elements, {kDLCPU, 0}, 2, {2, 32, 1}, shape, strides, 0}, nullptr, [](DLManagedTensor*) { ++deleted; }};
};

/// What from_dlpack says about a tensor; empty: it is fine.
template <class T = float, class S = shape<2, 3>, class Device = esp::cpu, class Managed>
std::string error_of(Managed* x) {
  int const before = deleted;
  try {
    auto const found = io::from_dlpack<T, S, Device>(x);
    (void)found;
  } catch (io::dlpack_error const& error) {
    BOOST_TEST(deleted == before);
    return error.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(structs_are_those_of_the_header) {
  static_assert(sizeof(io::dlpack_managed_tensor) == sizeof(DLManagedTensor));
  static_assert(sizeof(io::dlpack_tensor) == sizeof(DLTensor));
  static_assert(offsetof(io::dlpack_tensor, dtype) == offsetof(DLTensor, dtype));
  static_assert(offsetof(io::dlpack_tensor, strides) == offsetof(DLTensor, strides));
  static_assert(offsetof(io::dlpack_managed_tensor, deleter) == offsetof(DLManagedTensor, deleter));
}

BOOST_AUTO_TEST_CASE(a_foreign_tensor_is_read_and_written_in_place) {
  foreign other;
  deleted = 0;
  {
    auto x = io::from_dlpack<float, shape<2, 3>>(&other.managed);
    BOOST_TEST(x.view().data() == other.elements);
    esp::tensor<float, shape<2>> const sums = evaluate(sum<1>(x.view()));
    BOOST_TEST(sums[0] == 6);
    BOOST_TEST(sums[1] == 15);
    x.view()(1, 2) = 7;
    auto moved = std::move(x);
    BOOST_TEST(moved.view().data() == other.elements);
    BOOST_TEST(deleted == 0);
  }
  BOOST_TEST(deleted == 1);
  BOOST_TEST(other.elements[5] == 7);
}

BOOST_AUTO_TEST_CASE(offsets_and_strides_of_single_elements) {
  foreign other;
  int64_t row[2] = {1, 3}, any[2] = {77, 1};
  other.managed.dl_tensor.shape = row;
  other.managed.dl_tensor.strides = any;
  other.managed.dl_tensor.byte_offset = 12;
  auto const x = io::from_dlpack<float const, shape<1, 3>>(&other.managed);
  BOOST_TEST(x.view().data()[0] == 4);
  other.managed.dl_tensor.strides = nullptr;
  BOOST_TEST((error_of<float, shape<1, 3>>(&other.managed) == ""));
}

BOOST_AUTO_TEST_CASE(errors_name_what_was_expected_and_what_came) {
  foreign other;
  auto& x = other.managed.dl_tensor;
  auto* const p = &other.managed;
  std::string const expected = "from_dlpack: expected contiguous float (2, 3) in the memory of the processor, got ";
  x.dtype.bits = 64;
  BOOST_TEST(error_of(p) == expected + "double (2, 3) in the memory of the processor");
  x.dtype = {5, 64, 2};
  BOOST_TEST(error_of(p) == expected + "type 5 of 64 bits and 2 lanes (2, 3) in the memory of the processor");
  x.dtype = {0, 64, 1};
  BOOST_TEST(error_of(p) == expected + "std::int64_t (2, 3) in the memory of the processor");
  x.dtype = {2, 32, 1};
  other.shape[1] = 4;
  BOOST_TEST(error_of(p) == expected + "float (2, 4) with strides (3, 1) in the memory of the processor");
  other.shape[1] = 3;
  x.ndim = 1;
  BOOST_TEST(error_of(p) == expected + "float (2) with strides (3) in the memory of the processor");
  x.ndim = 2;
  other.strides[0] = 1, other.strides[1] = 2;
  BOOST_TEST(error_of(p) == expected + "float (2, 3) with strides (1, 2) in the memory of the processor");
  other.strides[0] = 3, other.strides[1] = 1;
  x.device.device_type = kDLCUDA;
  BOOST_TEST(error_of(p) == expected + "float (2, 3) on a CUDA device");
  x.device.device_type = kDLOpenCL;
  BOOST_TEST(error_of(p) == expected + "float (2, 3) on device type 4");
  x.device.device_type = kDLCUDAHost;
  BOOST_TEST(error_of(p) == "");
  x.device.device_type = kDLCPU;
  x.byte_offset = 2;
  BOOST_TEST(error_of(p).find("from_dlpack: the address must be a multiple of 4 bytes; it is ") == 0u);
  x.byte_offset = 0;
  x.shape = nullptr;
  BOOST_TEST(error_of(p) == "from_dlpack: the tensor has no extents");
  x.shape = other.shape;
  x.data = nullptr;
  BOOST_TEST(error_of(p) == "from_dlpack: the tensor has no memory");
  BOOST_TEST(error_of<float>(static_cast<DLManagedTensor*>(nullptr)) == "from_dlpack: the tensor is a null pointer");
}

BOOST_AUTO_TEST_CASE(versions) {
  foreign other;
  DLManagedTensorVersioned with{{1, 2}, nullptr, nullptr, 0, other.managed.dl_tensor};
  BOOST_TEST(error_of(&with) == "");
  with.flags = 1;
  BOOST_TEST(error_of(&with) == "from_dlpack: the tensor may only be read; the element type must be const");
  BOOST_TEST(error_of<float const>(&with) == "");
  with.version.major = 2;
  BOOST_TEST(error_of<float const>(&with) == "from_dlpack: expected version 1 of DLPack, got 2");
}

BOOST_AUTO_TEST_CASE(tensors_and_views_for_others) {
  esp::tensor<float, shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}};
  DLManagedTensor* const lent = io::to_dlpack<DLManagedTensor>(x);
  BOOST_TEST(lent->dl_tensor.data == x.data());
  BOOST_TEST(lent->dl_tensor.ndim == 2);
  BOOST_TEST(lent->dl_tensor.shape[1] == 3);
  BOOST_TEST(lent->dl_tensor.strides[0] == 3);
  BOOST_TEST(lent->dl_tensor.strides[1] == 1);
  BOOST_TEST(lent->dl_tensor.device.device_type == kDLCPU);
  BOOST_TEST(int(lent->dl_tensor.dtype.code) == 2);
  BOOST_TEST(int(lent->dl_tensor.dtype.bits) == 32);
  lent->deleter(lent);
  BOOST_TEST(x.data()[0] == 1);

  auto* const given = io::to_dlpack<DLManagedTensorVersioned>(std::move(x));
  BOOST_TEST(given->version.major == 1u);
  BOOST_TEST(given->flags == 0u);
  auto const back = io::from_dlpack<float, shape<2, 3>>(given);  // frees the elements
  BOOST_TEST(back.view().data()[5] == 6);
}

template <class T>
void element(int code, int bits) {
  auto* const x = io::to_dlpack(esp::tensor<T, shape<3>>{});
  BOOST_TEST(int(x->dl_tensor.dtype.code) == code);
  BOOST_TEST(int(x->dl_tensor.dtype.bits) == bits);
  auto const back = io::from_dlpack<T, shape<3>>(x);
  BOOST_TEST(back.view().data() == x->dl_tensor.data);
}
BOOST_AUTO_TEST_CASE(element_types) {
  element<float>(2, 32);
  element<double>(2, 64);
  element<std::int32_t>(0, 32);
  element<bool>(6, 8);
}

BOOST_AUTO_TEST_CASE(a_scalar_has_no_axes) {
  auto* const x = io::to_dlpack(esp::tensor<double, shape<>>{2.5});
  BOOST_TEST(x->dl_tensor.ndim == 0);
  auto const back = io::from_dlpack<double, shape<>>(x);
  BOOST_TEST(back.view().data()[0] == 2.5);
}

BOOST_AUTO_TEST_CASE(memory_of_a_device) {
  esp::tensor<float, shape<4>> const host{1, 2, 3, 4};
  esp::tensor<float, shape<4>, esp::simulated_cuda> x(host);
  float* const at = x.data();
  auto* const given = io::to_dlpack(std::move(x));
  BOOST_TEST(given->dl_tensor.device.device_type == 2);
  std::string const text = error_of<float, shape<4>>(given);
  BOOST_TEST(
      text ==
      "from_dlpack: expected contiguous float (4) in the memory of the processor, got float (4) on a CUDA device");
  given->dl_tensor.device.device_id = 1;
  std::string const second = error_of<float, shape<4>, esp::simulated_cuda>(given);
  BOOST_TEST(second == "from_dlpack: expected contiguous float (4) on a CUDA device, got float (4) on CUDA device 1");
  given->dl_tensor.device.device_id = 0;
  {
    auto const back = io::from_dlpack<float, shape<4>, esp::simulated_cuda>(given);
    BOOST_TEST(back.view().data() == at);
    BOOST_TEST((evaluate(back.view() * 2.f).to_host() == esp::tensor<float, shape<4>>{2, 4, 6, 8}));
  }
}
