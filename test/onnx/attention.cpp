// SPDX-License-Identifier: BSL-1.0
// Attention, which operator set 23 has an operation for, and products that are almost one.
#include "exported.hpp"

using test::by;

namespace {

/// Queries and keys are a context's, and a mask may be given.
template <esp::attention Options, int Heads, int KeyHeads, int Values = 4>
struct Attend {
  nn::Linear<8, Heads * 4> q;
  nn::Linear<8, KeyHeads * 4> k;
  nn::Linear<8, KeyHeads * Values> v;
  ESPALIER_MODULE(Attend, q, k, v)
  template <int H>
  static constexpr auto heads(auto const& x) {
    constexpr esp::extents s = esp::shape_of<decltype(x)>::value;
    return esp::permute<0, 2, 1, 3>(esp::reshape<s.at[0], s.at[1], H, s.at[2] / H>(x));
  }
  constexpr auto forward(auto x, auto context, auto... mask) const {
    return esp::scaled_dot_product_attention<Options>(heads<Heads>(q(x)), heads<KeyHeads>(k(context)),
                                                      heads<KeyHeads>(v(context)), mask...);
  }
};
/// A mask that hides all keys of some queries: keys are allowed where the sum of two numbers is above a bound.
template <esp::attention Options>
struct Hidden {
  Attend<Options, 2, 2> attend;
  ESPALIER_MODULE(Hidden, attend)
  constexpr auto forward(auto x, auto a) const {
    auto const allowed = a > 0.3;
    if constexpr (Options.mask == esp::attention_mask::added)
      return attend(x, x, esp::where(allowed, a, -esp::math::infinity<double>));
    else return attend(x, x, allowed);
  }
};
/// The weights are a result, too, or change before they are used: no operation.
template <int Change>
struct Almost {
  ESPALIER_MODULE(Almost)
  constexpr auto forward(auto q, auto k) const {
    auto const w = esp::attention_weights(q, k);
    if constexpr (Change == 0) return matmul(w, k);
    else if constexpr (Change == 1) return std::tuple{matmul(w, k), w};
    else if constexpr (Change == 2) return matmul(w * 2, k);
    else return matmul(esp::softmax<-1>(matmul(q, esp::transpose(k)) * 0.5), k);
  }
};

template <int... N>
using B = esp::shape<N...>;
inline constexpr esp::attention plain{}, causal{.causal = true}, scaled{.scale = 0.3},
    added{.mask = esp::attention_mask::added}, causal_added{.causal = true, .mask = esp::attention_mask::added};
template <class Net, class... Shapes>
void put(char const* name, char const* nodes = "23:Attention 1\n23:Exp 0\n") {
  test::put_several<Net, esp::shapes<Shapes...>, esp::shapes<Shapes...>, float, by::interpreter>(name, nodes);
}

}  // namespace

ESPALIER_EXPORTED_MAIN(
    put<Attend<plain, 2, 2>, B<2, 5, 8>, B<2, 6, 8>>("plain");
    put<Attend<causal, 2, 2, 3>, B<2, 5, 8>, B<2, 7, 8>>("causal");
    put<Attend<causal, 4, 2>, B<2, 6, 8>, B<2, 4, 8>>("causal_groups");
    put<Attend<scaled, 4, 2>, B<2, 1, 8>, B<2, 6, 8>>("one_query");
    put<Attend<plain, 4, 2>, B<2, 5, 8>, B<2, 6, 8>, B<5, 6>>("mask");
    put<Attend<plain, 2, 2>, B<2, 5, 8>, B<2, 6, 8>, B<2, 1, 1, 6>>("mask_of_keys");
    put<Attend<added, 2, 2>, B<2, 5, 8>, B<2, 6, 8>, B<2, 5, 1>>("added_of_heads");
    put<Attend<causal_added, 2, 2>, B<2, 5, 8>, B<2, 6, 8>, B<2, 2, 5, 6>>("added_causal");
    put<Hidden<plain>, B<2, 5, 8>, B<2, 1, 5, 5>>("hidden");
    put<Hidden<causal_added>, B<2, 5, 8>, B<5, 5>>("hidden_causal");
    put<Almost<0>, B<2, 3, 5, 4>, B<2, 3, 6, 4>>("almost_0");
    put<Almost<0>, B<3, 5, 4>, B<3, 6, 4>>("three_axes", "23:Attention 0\n");
    put<Almost<1>, B<2, 3, 5, 4>, B<2, 3, 6, 4>>("almost_1", "23:Attention 0\n");
    put<Almost<2>, B<2, 3, 5, 4>, B<2, 3, 6, 4>>("almost_2", "23:Attention 0\n");
    put<Almost<3>, B<2, 3, 5, 4>, B<2, 3, 6, 4>>("almost_3", "23:Attention 0\n");
    test::put_several<Attend<plain, 2, 2>, esp::shapes<B<2, 5, 8>, B<2, 6, 8>, B<2, 1, 1, 6>>,
                      esp::shapes<esp::io::any_batch<5, 8>, esp::io::any_batch<6, 8>, esp::io::any_batch<1, 1, 6>>,
                      float, by::interpreter>("mask_open", "23:Attention 1\n23:Exp 0\n");
    test::put_several<Attend<causal, 2, 1>, esp::shapes<B<2, 7, 8>, B<2, 7, 8>>,
                      esp::shapes<esp::io::any_batch<7, 8>, esp::io::any_batch<7, 8>>, float, by::interpreter>(
        "causal_open", "23:Attention 1\n23:Exp 0\n");
    test::put_several<Attend<plain, 2, 2>, esp::shapes<B<2, 5, 8>, B<2, 6, 8>>, esp::shapes<B<2, 5, 8>, B<2, 6, 8>>,
                      double, by::interpreter>("attend_double", "23:Attention 0\n");)
