// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\), value_and_grad, vjp: a struct of tensors has at most 16 members
// expect: struct_is_small<17, ?16>
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using number = esp::tensor<double, esp::shape<>>;

template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K, class L,
          class M, class N, class O, class P
#ifdef SHOULD_FAIL
          ,
          class Q
#endif
          >
struct many {
  A a;
  B b;
  C c;
  D d;
  E e;
  F f;
  G g;
  H h;
  I i;
  J j;
  K k;
  L l;
  M m;
  N n;
  O o;
  P p;
#ifdef SHOULD_FAIL
  Q q;
#endif
};

auto f(number const& x) {
#ifdef SHOULD_FAIL
  many const s{x, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
#else
  many const s{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#endif
  return esp::grad([](auto m) { return m.a * m.p; })(s);
}
