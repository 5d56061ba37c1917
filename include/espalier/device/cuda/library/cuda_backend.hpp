// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <new>

#include "cublas_products.hpp"
#include "cuda_copy_stream.hpp"
#include "event_clock.hpp"
#if defined(ESPALIER_CUDNN)
#include "cudnn_convolutions.hpp"
#endif
#include "one_setting.hpp"
#include "../tensor/device_block.hpp"
#include "../tensor/memory_source.hpp"
#include "device_function.hpp"
#include "../kernel/kernel.hpp"
#include "../kernel/kernel_name.hpp"

namespace espalier::on_cuda {

class cuda_backend;

/// A captured sequence of launches (a CUDA graph), which one launch repeats.
/// moves  transfer the graph
class captured_graph {
 public:
  captured_graph() = default;
  explicit captured_graph(cudaGraphExec_t graph) : graph_(graph) {}
  captured_graph(captured_graph&& other) noexcept : graph_(other.graph_) { other.graph_ = nullptr; }
  captured_graph& operator=(captured_graph&& other) noexcept {
    cudaGraphExec_t const mine = graph_;
    graph_ = other.graph_;
    other.graph_ = mine;
    return *this;
  }
  ~captured_graph() {
    if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
  }
  explicit operator bool() const { return graph_ != nullptr; }
  cudaGraphExec_t get() const { return graph_; }
  /// Queues the sequence on a backend's stream. errors: cuda_error
  inline void launch(cuda_backend& on) const;

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// A ring of page-locked host memory, so that the host can continue while copies to the device are queued.
template <int Slots, std::size_t SlotBytes>
class staging_ring {
 public:
  static constexpr int slots = Slots;
  static constexpr std::size_t slot_bytes = SlotBytes, capacity = static_cast<std::size_t>(Slots) * SlotBytes;

  staging_ring() = default;
  staging_ring(staging_ring const&) = delete;
  staging_ring& operator=(staging_ring const&) = delete;
  ~staging_ring() {
    for (cudaEvent_t event : done_)
      if (event != nullptr) (void)cudaEventDestroy(event);
    if (at_ != nullptr) (void)cudaFreeHost(at_);
  }
  /// Copies at most slot_bytes at a time. Waits only if the copy from the same slot, `slots` copies ago, is not done.
  void send(void* to, void const* from, std::size_t bytes, cudaStream_t stream) {
    if (at_ == nullptr) allocate();
    for (std::size_t first = 0; first < bytes; first += slot_bytes)
      send_some(static_cast<unsigned char*>(to) + first, static_cast<unsigned char const*>(from) + first,
                bytes - first < slot_bytes ? bytes - first : slot_bytes, stream);
  }

 private:
  void send_some(void* to, void const* from, std::size_t bytes, cudaStream_t stream) {
    cudaEvent_t const done = done_[next_];
    unsigned char* const slot = at_ + static_cast<std::size_t>(next_) * slot_bytes;
    detail::check(cudaEventSynchronize(done), "cudaEventSynchronize", "a copy to the device");
    __builtin_memcpy(slot, from, bytes);
    detail::check(cudaMemcpyAsync(to, slot, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync",
                  "%zu bytes to the device", bytes);
    detail::check(cudaEventRecord(done, stream), "cudaEventRecord");
    next_ = (next_ + 1) % slots;
  }
  void allocate() {
    for (cudaEvent_t& event : done_)
      if (event == nullptr)
        detail::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    void* at = nullptr;
    detail::check(cudaHostAlloc(&at, capacity, cudaHostAllocDefault), "cudaHostAlloc", "%zu bytes", capacity);
    at_ = static_cast<unsigned char*>(at);
  }
  unsigned char* at_ = nullptr;
  cudaEvent_t done_[static_cast<std::size_t>(slots)]{};
  int next_ = 0;
};

/// Runs kernels and library calls on an NVIDIA graphics processor, in order, on one stream. Only one thread at a time
/// may use a backend. The device that was current at its construction must be current.
/// memory   its own pool, which keeps released memory; 4 MiB of staging and 32 MiB of cuBLASLt workspace at first use
/// errors   cuda_error with the call, CUDA's name for the error and the purpose of the call; a later call reports a
///          kernel that failed
class cuda_backend {
 public:
  static constexpr bool captures = true;
  using captured_graph = on_cuda::captured_graph;
  using clock = event_clock;
  using memory_source_type = memory_source<cudaStream_t>;
  using copy_stream = cuda_copy_stream;
  /// Whether product() can add a bias and apply ReLU as it stores.
  template <class T>
  static constexpr bool can_bias_relu = !std::is_same_v<T, double>;
  static constexpr std::size_t product_workspace = std::size_t{32} << 20;

  /// Creates a backend on its own stream, which does not wait for the default stream.
  /// errors  cuda_error "no CUDA device"
  cuda_backend() : owned_(true) {
    find_device();
    guard unfinished{this};
    detail::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    make_pool();
    unfinished.backend = nullptr;
  }
  /// Creates a backend on your stream, which must outlive it. You order it with your other streams.
  explicit cuda_backend(cudaStream_t stream) : stream_(stream), owned_(false) {
    find_device();
    guard unfinished{this};
    make_pool();
    unfinished.backend = nullptr;
  }
  cuda_backend(cuda_backend const&) = delete;
  cuda_backend& operator=(cuda_backend const&) = delete;
  ~cuda_backend() { release_all(); }

  cudaStream_t stream() const { return stream_; }
  int device() const { return device_; }
  /// Whether a kernel may use clusters of blocks: the device has them (compute capability 9.0 and above), and the
  /// kernel's code was compiled for such devices. Code of compute_80 runs on newer devices, too, but its clusters do
  /// not.
  template <class Kernel>
  bool runs_clusters() const {
    return clusters_ && is_compiled_for_clusters<Kernel>();
  }

  /// Queues a kernel.
  template <class Kernel>
  void launch(typename Kernel::table const& t) {
    static_assert(
        launchable<Kernel>,
        "launch<Kernel>(table): Kernel::threads must be a multiple of 32, at most 1,024, and Kernel::blocks a multiple of Kernel::cluster, which is 1, 2, 4 or 8");
    if constexpr (Kernel::cluster > 1)
      if (!runs_clusters<Kernel>())
        detail::throw_error<cuda_error>(
            "cuda_backend::launch: %s: clusters of blocks require a device of compute capability 9.0 and code for it (nvcc -arch=sm_90)",
            name_of<Kernel>().text);
    cudaLaunchAttribute attributes[2]{};
    unsigned used = 0;
    if (Kernel::cluster > 1) {
      attributes[used].id = cudaLaunchAttributeClusterDimension;
      attributes[used].val.clusterDim.x = Kernel::cluster;
      attributes[used].val.clusterDim.y = attributes[used].val.clusterDim.z = 1;
      ++used;
    }
    if (overlapping_ && waits_for_data<Kernel>()) {
      attributes[used].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[used].val.programmaticStreamSerializationAllowed = 1;
      ++used;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(Kernel::blocks));
    config.blockDim = dim3(static_cast<unsigned>(Kernel::threads));
    config.stream = stream_;
    config.attrs = attributes;
    config.numAttrs = used;
    void* arguments[] = {const_cast<typename Kernel::table*>(&t)};
    cudaError_t const status = cudaLaunchKernelExC(&config, device_function<Kernel>::address(), arguments);
    if (status != cudaSuccess)
      detail::check(status, "cudaLaunchKernelExC", "%s%s", name_of<Kernel>().text,
                    status == cudaErrorInvalidResourceHandle
                        ? "; kernels can be launched from main() on, not while global objects are initialized"
                        : "");
    last_kernel_ = &name_of<Kernel>;
  }

  /// Allocates zeroed memory, 256-byte aligned. errors: cuda_error, also while a graph is captured
  void* allocate(std::size_t bytes) {
    void* const at = allocate_unfilled(bytes);
    cudaError_t const status = cudaMemsetAsync(at, 0, bytes, stream_);
    if (status != cudaSuccess) release(at, bytes);
    check(status, "cudaMemsetAsync", bytes);
    return at;
  }
  /// Allocates memory that is not zeroed. errors: as of allocate
  void* allocate_unfilled(std::size_t bytes) {
    check_not_capturing("allocate");
    while (released_later_ != nullptr) {
      released const before = *released_later_;
      delete released_later_;
      released_later_ = before.next;
      release(before.at, before.bytes);
    }
    return memory_.allocate("cuda_backend", bytes, stream_, [&] {
      void* at = nullptr;
      check(cudaMallocFromPoolAsync(&at, bytes > 0 ? bytes : 1, pool_, stream_), "cudaMallocFromPoolAsync", bytes);
      return at;
    });
  }
  /// Releases memory of `bytes` bytes after everything queued before has used it.
  void release(void* at, std::size_t bytes) noexcept {
    if (at == nullptr) return;
    // A capture, also one that you began on your stream, cannot hold memory from outside of it: that waits for its end.
    if (capturing()) {
      if (auto* const later = new (std::nothrow) released{at, bytes, released_later_}) released_later_ = later;
      return;
    }
    memory_.release(at, bytes, stream_, [&] {
      // The CUDA runtime may be unloaded already: tensors of static storage outlive it.
      if (cudaFreeAsync(at, stream_) != cudaSuccess) (void)cudaGetLastError();
    });
  }
  /// Sets a limit, what the pool keeps, or your own allocator.
  /// errors  cuda_error, and nothing is changed: another allocator while memory is held, a limit below what is held
  void set_memory(memory_source_type const& source) {
    memory_.set_source("cuda_backend", source);
    std::uint64_t keep = source.keep;
    detail::check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  }
  /// The bytes that tensors, models and programs hold.
  std::size_t allocated_bytes() const { return memory_.held(); }
  /// Gives released memory back to the device, except `keep` bytes. Waits for the backend.
  void trim(std::size_t keep = 0) {
    check_not_capturing("trim");
    synchronize();
    detail::check(cudaMemPoolTrimTo(pool_, keep), "cudaMemPoolTrimTo", "%zu bytes", keep);
  }
  /// Lets another device of this process read and write the memory that this backend allocates.
  /// Without a link between them, nothing changes. errors: cuda_error
  void allow_access_from(int device) {
    int possible = 0;
    detail::check(cudaDeviceCanAccessPeer(&possible, device, device_), "cudaDeviceCanAccessPeer",
                  "device %d to device %d", device, device_);
    if (possible == 0) return;
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = device;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    detail::check(cudaMemPoolSetAccess(pool_, &access, 1), "cudaMemPoolSetAccess", "device %d to device %d", device,
                  device_);
  }
  /// Allocates page-locked memory of the host.
  void* allocate_pinned(std::size_t bytes) {
    void* at = nullptr;
    detail::check(cudaHostAlloc(&at, bytes, cudaHostAllocDefault), "cudaHostAlloc", "%zu bytes", bytes);
    return at;
  }
  void release_pinned(void* at) noexcept {
    if (cudaFreeHost(at) != cudaSuccess) (void)cudaGetLastError();
  }

  /// Copies from the host through page-locked memory; you may overwrite `from` afterwards. Up to 4 MiB are queued; of a
  /// larger copy, the last 4.
  void to_device(void* to, void const* from, std::size_t bytes) {
    check_not_capturing("to_device");
    if (bytes <= small_.slot_bytes) small_.send(to, from, bytes, stream_);
    else large_.send(to, from, bytes, stream_);
  }
  /// Copies to the host and waits until the copy is done.
  void to_host(void* to, void const* from, std::size_t bytes) {
    check_not_capturing("to_host");
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync to the host", bytes);
    synchronize();
  }
  /// Queues a copy on the device.
  void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes > 0)
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync on the device",
            bytes);
  }
  void fill_zero(void* at, std::size_t bytes) {
    if (bytes > 0) check(cudaMemsetAsync(at, 0, bytes, stream_), "cudaMemsetAsync", bytes);
  }

  /// Queues a batch of matrix products; with a bias (one number for each column of y) and ReLU if can_bias_relu<T>.
  template <class T, class Product>
  void product(T const* a, T const* b, T* y, T const* bias = nullptr, bool relu = false) {
    using chosen = detail::chosen_product;
    static detail::product_facts const facts = detail::facts_of<T, Product>();
    constexpr std::int64_t size = std::int64_t{Product::rows} * Product::columns;
    bool const aligned = is_aligned(a) && is_aligned(b) && is_aligned(y) && is_aligned(bias) &&
                         (Product::count == 1 || every_matrix_aligned<T, Product>());
    unsigned const flags =
        (bias != nullptr ? chosen::with_bias : 0u) | (relu ? chosen::with_relu : 0u) | (aligned ? chosen::aligned : 0u);
    chosen*& found = products_.at(detail::number_of<detail::chosen_product, T, Product>(), flags);
    if (found == nullptr) found = new chosen(products_.handle(), with_precision(facts), flags, product_workspace);
    if (!workspace_) workspace_ = {*this, product_workspace};
    for (std::int64_t i = 0; i < Product::count; i += facts.run) {
      chosen::call const call{products_.handle(),
                              a + Product::a_offset(i),
                              b + Product::b_offset(i),
                              y + i * size,
                              bias,
                              workspace_.at<unsigned char>(0),
                              product_workspace,
                              stream_};
      if (algorithms_ == product_algorithms::measured && !found->is_measured() && !capturing()) found->measure(call);
      found->run(call);
    }
  }
#if defined(ESPALIER_CUDNN)
  /// Whether cuDNN has a deterministic algorithm for a convolution or one of its gradients
  /// (device/cuda/library/convolution.hpp) that fits into the products' workspace.
  template <class T, class Convolution>
  bool convolves() {
    return chosen_for<T, Convolution>().possible();
  }
  /// Queues a convolution of one group of images.
  template <class T, class Convolution>
  void convolve(T const* a, T const* b, T* y) {
    if (!workspace_) workspace_ = {*this, product_workspace};
    chosen_for<T, Convolution>().run(std::integral_constant<convolved, Convolution::value.what>{},
                                     convolutions_.handle(stream_), a, b, y, workspace_.at<unsigned char>(0),
                                     product_workspace);
  }
#endif
  /// Sets the precision of all later float products, also in convolutions.
  void set_precision(float_products precision) {
    if (precision == precision_) return;
    forget_choices();
    precision_ = precision;
    ++choices_;
  }
  /// Sets how the algorithms of all later products are chosen. measured: the first run of each product outside of a
  /// capture takes some runs of up to eight algorithms, and waits for them.
  void set_algorithms(product_algorithms algorithms) {
    if (algorithms == algorithms_) return;
    forget_choices();
    algorithms_ = algorithms;
    ++choices_;
  }
  product_algorithms algorithms() const { return algorithms_; }
  /// Lets the start of a kernel overlap the end of the one before it (programmatic dependent launch; compute capability
  /// 9.0 and above). A kernel still reads only what is complete. Default: off.
  void set_overlapping_launches(bool overlapping) {
    if (overlapping == overlapping_) return;
    overlapping_ = overlapping;
    ++choices_;
  }
  bool overlapping_launches() const { return overlapping_; }
  /// A number that changes when what later calls queue changes: graphs captured before are captured again.
  int choices() const { return choices_; }
  float_products precision() const { return precision_; }

  /// Waits for everything queued. errors: the cuda_error of any failure in it
  void synchronize() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", 0); }
  /// Makes later work on this backend wait for everything that is queued on `other` now.
  void wait_for(cuda_backend& other) { wait(other.stream_, stream_); }
  /// Makes later work on this backend wait for everything that is queued on a stream of yours now.
  void wait_for(cudaStream_t stream) { wait(stream, stream_); }
  /// Makes later work on a stream of yours wait for everything that is queued on this backend now.
  void continue_on(cudaStream_t stream) { wait(stream_, stream); }

  /// Starts to record launches, products and copies on the device into a graph instead of running them.
  void begin_capture() {
    detail::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    capturing_ = true;
  }
  captured_graph end_capture() {
    capturing_ = false;
    cudaGraph_t graph = nullptr;
    detail::check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t runnable = nullptr;
    cudaError_t const status = cudaGraphInstantiate(&runnable, graph, 0);
    (void)cudaGraphDestroy(graph);
    detail::check(status, "cudaGraphInstantiate");
    return captured_graph{runnable};
  }
  /// Ends a capture after an error and discards it.
  void abandon_capture() noexcept {
    cudaGraph_t graph = nullptr;
    capturing_ = false;
    if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) (void)cudaGetLastError();
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
  /// Whether a graph is captured on the stream, by begin_capture() or by you.
  bool capturing() const {
    if (capturing_) return true;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream_, &status) != cudaSuccess) (void)cudaGetLastError();
    return status != cudaStreamCaptureStatusNone;
  }

 private:
  friend class on_cuda::captured_graph;

#if defined(ESPALIER_CUDNN)
  template <class T, class Convolution>
  detail::chosen_convolution& chosen_for() {
    using chosen = detail::chosen_convolution;
    chosen*& found = convolutions_.at(detail::number_of<chosen, T, Convolution>());
    if (found == nullptr)
      found = new chosen(std::integral_constant<convolved, Convolution::value.what>{}, convolutions_.handle(stream_),
                         Convolution::value, detail::cudnn_type<T>,
                         precision_ == float_products::tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH, product_workspace);
    return *found;
  }
#endif
  /// Whether a kernel's code is for devices of compute capability 9.0 and above.
  template <class Kernel>
  static bool is_compiled_for_clusters() {
    static bool const compiled = [] {
      cudaFuncAttributes facts{};
      detail::check(cudaFuncGetAttributes(&facts, device_function<Kernel>::address()), "cudaFuncGetAttributes", "%s",
                    name_of<Kernel>().text);
      return facts.ptxVersion >= 90;
    }();
    return compiled;
  }
  /// Whether a kernel waits for the data of the one before it if it starts before that has ended (cuda_context.cuh):
  /// code for older devices does not.
  template <class Kernel>
  bool waits_for_data() const {
    return clusters_ && is_compiled_for_clusters<Kernel>();
  }
  void forget_choices() noexcept {
    products_.forget();
#if defined(ESPALIER_CUDNN)
    convolutions_.forget();
#endif
  }
  static bool is_aligned(void const* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; }
  template <class T, class Product>
  static constexpr bool every_matrix_aligned() {
    constexpr std::int64_t n = 16 / static_cast<std::int64_t>(sizeof(T)), rows = Product::rows,
                           columns = Product::columns, inner = Product::inner;
    return rows * columns % n == 0 && rows * inner % n == 0 && inner * columns % n == 0;
  }
  detail::product_facts with_precision(detail::product_facts f) const {
    if (f.stored == CUDA_R_32F && precision_ == float_products::tf32) f.computed = CUBLAS_COMPUTE_32F_FAST_TF32;
    return f;
  }
  /// Throws if a call failed. The error names the last kernel too, because its failure may be what the call reports.
  void check(cudaError_t status, char const* call, std::size_t bytes) const {
    if (status == cudaSuccess) [[likely]]
      return;
    detail::check(status, call, "%zu bytes; the last kernel launched before it: %s", bytes,
                  last_kernel_ != nullptr ? last_kernel_().text : "none");
  }
  static void wait(cudaStream_t first, cudaStream_t then) {
    if (first == then) return;
    cudaEvent_t event = nullptr;
    detail::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    cudaError_t const recorded = cudaEventRecord(event, first);
    cudaError_t const waited = recorded == cudaSuccess ? cudaStreamWaitEvent(then, event, 0) : recorded;
    (void)cudaEventDestroy(event);  // takes effect after the event has happened
    detail::check(waited, "cudaStreamWaitEvent");
  }
  void check_not_capturing(char const* what) const {
    if (capturing())
      detail::throw_error<cuda_error>(
          "cuda_backend::%s: not possible while a graph is captured on this stream; call it before the capture begins",
          what);
  }
  void find_device() {
    int count = 0;
    cudaError_t const status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
      (void)cudaGetLastError();
      detail::throw_error<cuda_error>("no CUDA device: cudaGetDeviceCount: %s (%s)", cudaGetErrorName(status),
                                      cudaGetErrorString(status));
    }
    detail::check(cudaGetDevice(&device_), "cudaGetDevice");
    int major = 0;
    detail::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device_), "cudaDeviceGetAttribute");
    clusters_ = major >= 9;
  }
  void make_pool() {
    cudaMemPoolProps what{};
    what.allocType = cudaMemAllocationTypePinned;
    what.location.type = cudaMemLocationTypeDevice;
    what.location.id = device_;
    detail::check(cudaMemPoolCreate(&pool_, &what), "cudaMemPoolCreate", "device %d", device_);
    std::uint64_t keep = ~std::uint64_t{0};
    detail::check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  }
  struct guard {
    cuda_backend* backend;
    ~guard() {
      if (backend != nullptr) backend->release_all();
    }
  };
  void release_all() noexcept {
    workspace_ = {};
    while (released_later_ != nullptr) {  // the pool takes its memory with it
      released const before = *released_later_;
      delete released_later_;
      released_later_ = before.next;
      if (memory_.source().release != nullptr) memory_.release(before.at, before.bytes, stream_, [] {});
    }
    if (pool_ != nullptr) (void)cudaMemPoolDestroy(pool_);
    if (owned_ && stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  int device_ = 0;
  bool owned_, clusters_ = false, capturing_ = false, overlapping_ = false;
  float_products precision_ = float_products::exact;
  product_algorithms algorithms_ = product_algorithms::heuristic;
  int choices_ = 0;
  /// Memory that was released during a capture, in a list.
  struct released {
    void* at;
    std::size_t bytes;
    released* next;
  };
  released* released_later_ = nullptr;
  detail::memory_account<cudaStream_t> memory_;
  kernel_name (*last_kernel_)() = nullptr;
  staging_ring<256, 1024> small_;  // scalars of eager expressions: 256 evaluations may be queued
  staging_ring<4, (std::size_t{1} << 20)> large_;
  detail::product_table products_;
#if defined(ESPALIER_CUDNN)
  detail::convolution_table convolutions_;
#endif
  device_block<cuda_backend> workspace_;
};

inline void captured_graph::launch(cuda_backend& on) const {
  on.check(cudaGraphLaunch(graph_, on.stream()), "cudaGraphLaunch", 0);
}

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
