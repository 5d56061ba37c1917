// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "cublas_products.hpp"
#if defined(ESPALIER_CUDNN)
#include "cudnn_convolutions.hpp"
#endif
#include "device_block.hpp"
#include "device_function.hpp"
#include "kernel.hpp"
#include "kernel_name.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

class cuda_machine;

/// A sequence of launches that was captured: one launch from then on.
/// moves  hand it over
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
  /// Queues the sequence on a machine's stream. errors: cuda_error
  inline void launch(cuda_machine& on) const;

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Page-locked memory of the host, a ring of it: what is copied to the device waits there, and the host goes on.
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
  /// Copies up to slot_bytes at a time. Waits only where the copy of `slots` calls ago is not done.
  void send(void* to, void const* from, std::size_t bytes, cudaStream_t stream) {
    if (at_ == nullptr) take();
    for (std::size_t first = 0; first < bytes; first += slot_bytes)
      send_some(static_cast<unsigned char*>(to) + first, static_cast<unsigned char const*>(from) + first, bytes - first < slot_bytes ? bytes - first : slot_bytes, stream);
  }

 private:
  void send_some(void* to, void const* from, std::size_t bytes, cudaStream_t stream) {
    cudaEvent_t const done = done_[next_];
    unsigned char* const slot = at_ + static_cast<std::size_t>(next_) * slot_bytes;
    detail::check(cudaEventSynchronize(done), "cudaEventSynchronize", "a copy to the device");
    __builtin_memcpy(slot, from, bytes);
    detail::check(cudaMemcpyAsync(to, slot, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync", "%zu bytes to the device", bytes);
    detail::check(cudaEventRecord(done, stream), "cudaEventRecord");
    next_ = (next_ + 1) % slots;
  }
  void take() {
    for (cudaEvent_t& event : done_)
      if (event == nullptr) detail::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    void* at = nullptr;
    detail::check(cudaHostAlloc(&at, capacity, cudaHostAllocDefault), "cudaHostAlloc", "%zu bytes", capacity);
    at_ = static_cast<unsigned char*>(at);
  }
  unsigned char* at_ = nullptr;
  cudaEvent_t done_[static_cast<std::size_t>(slots)]{};
  int next_ = 0;
};

/// A graphics processor of NVIDIA's, through one of its streams: everything queued on a machine happens in order. One thread uses a machine at a time,
/// while the device that was current when it was made is current.
/// memory   a pool of its own, which keeps what is given back; 4 MiB of staging and 32 MiB of cuBLASLt's workspace where they are first needed
/// errors   cuda_error with the call, CUDA's name for the error and what the call was for; a kernel that fails is heard of at a later call
class cuda_machine {
 public:
  static constexpr bool captures = true;
  using captured_graph = on_cuda::captured_graph;
  /// Whether product() can add a bias and apply ReLU as it stores.
  template <class T>
  static constexpr bool can_bias_relu = !std::is_same_v<T, double>;
  static constexpr std::size_t product_workspace = std::size_t{32} << 20;

  /// A machine on a stream of its own, which does not wait for the default stream.
  /// errors  cuda_error "no CUDA device"
  cuda_machine() : owned_(true) {
    find_device();
    guard unfinished{this};
    detail::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    make_pool();
    unfinished.machine = nullptr;
  }
  /// A machine on the user's stream, which must outlive it. What other streams have to do with it is the user's to order.
  explicit cuda_machine(cudaStream_t stream) : stream_(stream), owned_(false) {
    find_device();
    guard unfinished{this};
    make_pool();
    unfinished.machine = nullptr;
  }
  cuda_machine(cuda_machine const&) = delete;
  cuda_machine& operator=(cuda_machine const&) = delete;
  ~cuda_machine() { release_all(); }

  cudaStream_t stream() const { return stream_; }
  int device() const { return device_; }
  /// Whether kernels may use clusters of blocks: compute capability 9.0 and more.
  bool clusters() const { return clusters_; }

  /// Queues a kernel.
  template <class Kernel>
  void launch(typename Kernel::table const& t) {
    static_assert(launchable<Kernel>, "launch<Kernel>(table): a kernel has 32 to 1,024 threads, whole warps, and whole clusters of 1, 2, 4 or 8 blocks");
    if constexpr (Kernel::cluster > 1)
      if (!clusters_) detail::refuse<cuda_error>("cuda_machine::launch: %s: clusters of blocks need compute capability 9.0", name_of<Kernel>().text);
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = Kernel::cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(Kernel::blocks));
    how.blockDim = dim3(static_cast<unsigned>(Kernel::threads));
    how.stream = stream_;
    how.attrs = &cluster;
    how.numAttrs = Kernel::cluster > 1 ? 1 : 0;
    void* arguments[] = {const_cast<typename Kernel::table*>(&t)};
    cudaError_t const status = cudaLaunchKernelExC(&how, device_function<Kernel>::address(), arguments);
    if (status != cudaSuccess) detail::check(status, "cudaLaunchKernelExC", "%s", name_of<Kernel>().text);
    last_kernel_ = &name_of<Kernel>;
  }

  /// Zeroed memory, 256-byte aligned. errors: cuda_error; while a graph is captured there is none to be had
  void* allocate(std::size_t bytes) {
    void* const at = allocate_unfilled(bytes);
    cudaError_t const status = cudaMemsetAsync(at, 0, bytes, stream_);
    if (status != cudaSuccess) release(at);
    check(status, "cudaMemsetAsync", bytes);
    return at;
  }
  /// The same, but not zeroed.
  void* allocate_unfilled(std::size_t bytes) {
    refuse_while_capturing("allocate");
    void* at = nullptr;
    check(cudaMallocFromPoolAsync(&at, bytes > 0 ? bytes : 1, pool_, stream_), "cudaMallocFromPoolAsync", bytes);
    return at;
  }
  /// Gives memory back once everything queued before has used it.
  void release(void* at) noexcept {
    // The runtime may be gone by now: tensors of static storage outlive it.
    if (cudaFreeAsync(at, stream_) != cudaSuccess) (void)cudaGetLastError();
  }
  /// Page-locked memory of the host.
  void* allocate_pinned(std::size_t bytes) {
    void* at = nullptr;
    detail::check(cudaHostAlloc(&at, bytes, cudaHostAllocDefault), "cudaHostAlloc", "%zu bytes", bytes);
    return at;
  }
  void release_pinned(void* at) noexcept {
    if (cudaFreeHost(at) != cudaSuccess) (void)cudaGetLastError();
  }

  /// Copies from the host, which may write over `from` at once. Up to 4 MiB are queued and the host goes on; more it waits for.
  void to_device(void* to, void const* from, std::size_t bytes) {
    refuse_while_capturing("to_device");
    if (bytes <= small_.slot_bytes) {
      small_.send(to, from, bytes, stream_);
    } else if (bytes <= large_.capacity) {
      large_.send(to, from, bytes, stream_);
    } else {
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync to the device", bytes);
      synchronize();
    }
  }
  /// Copies to the host; returns when it is there.
  void to_host(void* to, void const* from, std::size_t bytes) {
    refuse_while_capturing("to_host");
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync to the host", bytes);
    synchronize();
  }
  /// Queues a copy on the device.
  void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync on the device", bytes);
  }
  void fill_zero(void* at, std::size_t bytes) {
    if (bytes > 0) check(cudaMemsetAsync(at, 0, bytes, stream_), "cudaMemsetAsync", bytes);
  }

  /// Queues a batch of matrix products; with a bias (one number for each column of y) and ReLU where can_bias_relu<T>.
  template <class T, class Product>
  void product(T const* a, T const* b, T* y, T const* bias = nullptr, bool relu = false) {
    using chosen = detail::chosen_product;
    static detail::product_facts const facts = detail::facts_of<T, Product>();
    constexpr std::int64_t size = std::int64_t{Product::rows} * Product::columns;
    bool const aligned = is_aligned(a) && is_aligned(b) && is_aligned(y) && is_aligned(bias) && (Product::count == 1 || every_matrix_aligned<T, Product>());
    unsigned const how = (bias != nullptr ? chosen::with_bias : 0u) | (relu ? chosen::with_relu : 0u) | (aligned ? chosen::aligned : 0u);
    chosen*& found = products_.at(detail::number_of<detail::chosen_product, T, Product>(), how);
    if (found == nullptr) found = new chosen(products_.handle(), with_precision(facts), how, product_workspace);
    if (!workspace_) workspace_ = {*this, product_workspace};
    for (std::int64_t i = 0; i < Product::count; i += facts.run)
      found->run(products_.handle(), a + Product::a_offset(i), b + Product::b_offset(i), y + i * size, bias, workspace_.at<unsigned char>(0), product_workspace, stream_);
  }
#if defined(ESPALIER_CUDNN)
  /// Whether cuDNN has an algorithm for a convolution or one of its slopes (device/cuda/convolution.hpp) that gives the same bits every time and needs
  /// no more workspace than products have.
  template <class T, class Convolution>
  bool convolves() {
    return chosen_for<T, Convolution>().possible();
  }
  /// Queues it, of one group of images.
  template <class T, class Convolution>
  void convolve(T const* a, T const* b, T* y) {
    if (!workspace_) workspace_ = {*this, product_workspace};
    chosen_for<T, Convolution>().run(std::integral_constant<convolved, Convolution::value.what>{}, convolutions_.handle(stream_), a, b, y, workspace_.at<unsigned char>(0), product_workspace);
  }
#endif
  /// How products of floats multiply from now on, those of convolutions too.
  void set_precision(float_products how) {
    if (how != precision_) forget_choices();
    precision_ = how;
  }
  float_products precision() const { return precision_; }

  /// Waits for everything queued. errors: what any of it did wrong
  void synchronize() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", 0); }
  /// What is queued here from now on waits for what is queued there up to now.
  void wait_for(cuda_machine& other) {
    cudaEvent_t event = nullptr;
    detail::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    cudaError_t const recorded = cudaEventRecord(event, other.stream_);
    cudaError_t const waited = recorded == cudaSuccess ? cudaStreamWaitEvent(stream_, event, 0) : recorded;
    (void)cudaEventDestroy(event);  // only once it has happened
    detail::check(waited, "cudaStreamWaitEvent");
  }

  /// What is queued from now on is recorded, not run: launches, products and copies on the device.
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
  /// Ends a capture that something has gone wrong in.
  void abandon_capture() noexcept {
    cudaGraph_t graph = nullptr;
    capturing_ = false;
    if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) (void)cudaGetLastError();
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
  bool capturing() const { return capturing_; }

 private:
  friend class on_cuda::captured_graph;

#if defined(ESPALIER_CUDNN)
  template <class T, class Convolution>
  detail::chosen_convolution& chosen_for() {
    using chosen = detail::chosen_convolution;
    chosen*& found = convolutions_.at(detail::number_of<chosen, T, Convolution>());
    if (found == nullptr)
      found = new chosen(std::integral_constant<convolved, Convolution::value.what>{}, convolutions_.handle(stream_), Convolution::value, detail::cudnn_type<T>,
                         precision_ == float_products::tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH, product_workspace);
    return *found;
  }
#endif
  void forget_choices() noexcept {
    products_.forget();
#if defined(ESPALIER_CUDNN)
    convolutions_.forget();
#endif
  }
  static bool is_aligned(void const* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; }
  template <class T, class Product>
  static constexpr bool every_matrix_aligned() {
    constexpr std::int64_t n = 16 / static_cast<std::int64_t>(sizeof(T)), rows = Product::rows, columns = Product::columns, inner = Product::inner;
    return rows * columns % n == 0 && rows * inner % n == 0 && inner * columns % n == 0;
  }
  detail::product_facts with_precision(detail::product_facts f) const {
    if (f.stored == CUDA_R_32F && precision_ == float_products::tf32) f.computed = CUBLAS_COMPUTE_32F_FAST_TF32;
    return f;
  }
  /// A failure may be that of a kernel launched before.
  void check(cudaError_t status, char const* call, std::size_t bytes) const {
    if (status == cudaSuccess) [[likely]]
      return;
    detail::check(status, call, "%zu bytes; the last kernel launched before it: %s", bytes, last_kernel_ != nullptr ? last_kernel_().text : "none");
  }
  void refuse_while_capturing(char const* what) const {
    if (capturing_) detail::refuse<cuda_error>("cuda_machine::%s: not while a graph is captured; do it before", what);
  }
  void find_device() {
    int count = 0;
    cudaError_t const status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
      (void)cudaGetLastError();
      detail::refuse<cuda_error>("no CUDA device: cudaGetDeviceCount: %s (%s)", cudaGetErrorName(status), cudaGetErrorString(status));
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
    cuda_machine* machine;
    ~guard() {
      if (machine != nullptr) machine->release_all();
    }
  };
  void release_all() noexcept {
    workspace_ = {};
    if (pool_ != nullptr) (void)cudaMemPoolDestroy(pool_);
    if (owned_ && stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  int device_ = 0;
  bool owned_, clusters_ = false, capturing_ = false;
  float_products precision_ = float_products::exact;
  kernel_name (*last_kernel_)() = nullptr;
  staging_ring<256, 1024> small_;  // the numbers of expressions: as many calls may be queued
  staging_ring<4, (std::size_t{1} << 20)> large_;
  detail::product_table products_;
#if defined(ESPALIER_CUDNN)
  detail::convolution_table convolutions_;
#endif
  device_block<cuda_machine> workspace_;
};

inline void captured_graph::launch(cuda_machine& on) const { on.check(cudaGraphLaunch(graph_, on.stream()), "cudaGraphLaunch", 0); }

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
