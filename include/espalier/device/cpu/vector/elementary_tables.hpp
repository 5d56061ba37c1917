// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// float functions for registers of 16 numbers, made of AVX-512 instructions. Tables lie in registers and take one
/// instruction to look up. The hardware splits and combines exponents and significands, and estimates 1/x instead of a
/// division.

#include "range_reduction.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__)

ESPALIER_PRECISE_BEGIN
namespace espalier::on_cpu::detail {

/// Tables of the functions. They are data, so translation units for different instruction sets share them.
struct float_tables {
  /// 2^(k/32)
  alignas(64) static constexpr float power[32] = {
      1.0f,         1.021897149f, 1.044273782f, 1.067140401f, 1.090507733f, 1.114386743f, 1.138788635f, 1.163724859f,
      1.189207115f, 1.21524736f,  1.241857812f, 1.269050957f, 1.296839555f, 1.325236643f, 1.354255547f, 1.383909882f,
      1.414213562f, 1.445180807f, 1.476826146f, 1.509164428f, 1.542210825f, 1.575980845f, 1.610490332f, 1.645755478f,
      1.681792831f, 1.718619298f, 1.75625216f,  1.794709075f, 1.834008086f, 1.874167634f, 1.915206561f, 1.957144124f};
  /// What rounding removed from these powers, as a fraction of them.
  alignas(64) static constexpr float power_rest[32] = {
      0.0f,           -4.7084577e-8f, 4.6285471e-8f,  -5.5604226e-8f, -1.1992157e-8f, -4.8776064e-8f, 4.7297824e-8f,
      -3.4814426e-8f, 3.1934181e-8f,  -2.6886665e-8f, 3.6210573e-8f,  1.1184211e-9f,  -3.0990721e-8f, -2.638301e-8f,
      -7.4752132e-9f, -4.2456356e-8f, 1.7114271e-8f,  2.3001967e-8f,  -3.0476834e-8f, -1.6538537e-8f, 5.2333342e-9f,
      -3.5920647e-8f, 6.1075916e-9f,  -3.1140544e-8f, -1.4719605e-8f, -2.8218101e-8f, -5.2587951e-9f, -6.3603872e-9f,
      -6.1282598e-9f, -2.4880408e-8f, 5.1406092e-9f,  -8.6972666e-9f};
  /// 16/k and -log of it, k = 12 ... 24 modulo 16. 16/k is shifted a little, so that its logarithm is nearly a float.
  alignas(64) static constexpr float reciprocal[16] = {1.0f,          0.9411764741f, 0.8888888955f, 0.8421052694f,
                                                       0.8000000119f, 0.7618870139f, 0.7272727489f, 0.6956344843f,
                                                       0.6666666865f, 1.0f,          1.0f,          1.0f,
                                                       1.333333373f,  1.230769157f,  1.142892957f,  1.066666722f};
  alignas(64) static constexpr float logarithm[16] = {0.0f,          0.06062461808f, 0.1177830249f,  0.1718502492f,
                                                      0.2231435329f, 0.27195701f,    0.3184536994f,  0.3629309237f,
                                                      0.4054650664f, 0.0f,           0.0f,           0.0f,
                                                      -0.287682116f, -0.2076393068f, -0.1335627288f, -0.06453857571f};
  /// erf(k/8 + y) for |y| <= 1/16: the coefficients of y^0 ... y^4. For k = 0, that of y^0 is exactly 0.
  alignas(64) static constexpr float error[5][32] = {
      {0.0f,          0.1403162048f, 0.2763263902f, 0.4041169094f, 0.5204998778f, 0.6232408822f, 0.7111556337f,
       0.7840750611f, 0.8427007929f, 0.8883882317f, 0.9229001283f, 0.9481700728f, 0.9661051465f, 0.9784437332f,
       0.9866716712f, 0.9919900577f, 0.995322265f,  0.9973459706f, 0.9985372834f, 0.9992170618f, 0.999593048f,
       0.9997946243f, 0.9998993781f, 0.9999521452f, 0.9999779095f, 0.9999901033f, 0.9999956972f, 0.9999981847f,
       0.9999992569f, 0.9999997049f, 0.9999998863f, 0.9999999575f},
      {1.128379154f,     1.110884773f,    1.060013748f,    0.9803525928f,   0.8787825439f,    0.7634996662f,
       0.6429313226f,    0.5247453654f,   0.415107827f,    0.3182742507f,   0.2365213473f,    0.1703599197f,
       0.1189303602f,    0.08047226935f,  0.05277496448f,  0.03354577388f,  0.02066692302f,   0.01234076107f,
       0.007142268218f,  0.004006438008f, 0.002178255048f, 0.001147854998f, 0.0005862640913f, 0.0002902201011f,
       0.0001392481956f, 6.475592586e-5f, 2.918752512e-5f, 1.275095748e-5f, 5.39903386e-6f,   2.215730759e-6f,
       8.813442121e-7f,  3.397830516e-7f},
      {6.869882246e-6f,   -0.1388605508f,    -0.2650033393f,   -0.3676320649f,   -0.4393910511f,   -0.4771870129f,
       -0.4821981738f,    -0.4591518651f,    -0.4151075193f,   -0.3580582773f,   -0.2956515045f,   -0.2342447944f,
       -0.1783955259f,    -0.1307674896f,    -0.09235628563f,  -0.0628984479f,   -0.04133397294f,  -0.02622423515f,
       -0.01607020397f,   -0.009515370086f,  -0.005445697238f, -0.003013161493f, -0.001612254525f, -0.0008344008738f,
       -0.0004177556334f, -0.0002023687257f, -9.486307399e-5f, -4.303642579e-5f, -1.889762221e-5f, -8.032522074e-6f,
       -3.305278558e-6f,  -1.316768577e-6f},
      {-0.3766761491f,  -0.3582151262f,   -0.3087802114f,   -0.2346542505f,  -0.1464279025f,  -0.05580543064f,
       0.02652917163f,  0.0925957537f,    0.1380316394f,    0.1621530841f,   0.1673054881f,   0.1577882367f,
       0.1386793245f,   0.1148300774f,    0.09018951473f,   0.06749696823f,  0.04828681295f,  0.03309838261f,
       0.02177658033f,  0.01377134341f,   0.008379969742f,  0.004911034414f, 0.002773857118f, 0.00151091163f,
       0.000794071688f, 0.0004028420622f, 0.0001973451691f, 9.338457943e-5f, 4.269757918e-5f, 1.886766864e-5f,
       8.059628942e-6f, 3.328725223e-6f},
      {0.01408344097f,   0.06859654543f,    0.1267831307f,     0.1663389406f,     0.1828355508f,    0.176258102f,
       0.1505557998f,    0.1123459033f,     0.0692070129f,     0.02804904563f,    -0.006055502728f, -0.03039248262f,
       -0.04450453746f,  -0.04964848951f,   -0.04805843107f,   -0.04223980939f,   -0.03444270275f,  -0.02636969565f,
       -0.019097546f,    -0.01314840769f,   -0.008636034604f,  -0.005425264009f,  -0.003266207773f, -0.001887329426f,
       -0.001048004176f, -0.0005597846412f, -0.0002878576555f, -0.0001426039557f, -6.809807518e-5f, -3.136198897e-5f,
       -1.39355574e-5f,  -5.97667114e-6f}};
  /// tanh(37 k / 128 + y) for |y| <= 37/256: the coefficients of y^0 ... y^5.
  alignas(64) static constexpr float tangent[6][32] = {
      {0.0f,          0.2812716905f, 0.5213012959f, 0.6999423548f, 0.8198140172f, 0.8947620958f, 0.9395708265f,
       0.9656465819f, 0.9805830468f, 0.9890614506f, 0.9938492602f, 0.9965450827f, 0.998060496f,  0.9989115734f,
       0.9993893021f, 0.9996573836f, 0.9998077952f, 0.9998921783f, 0.9999395161f, 0.9999660711f, 0.9999809675f,
       0.9999893237f, 0.9999940111f, 0.9999966405f, 0.9999981155f, 0.9999989429f, 0.999999407f,  0.9999996674f,
       0.9999998134f, 0.9999998953f, 0.9999999413f, 0.9999999671f},
      {0.9999999976f,    0.9208865711f,   0.7282450705f,   0.5100807121f,    0.3279049847f,    0.1994007951f,
       0.1172066626f,    0.06752667855f,  0.03845688785f,  0.02175744656f,   0.01226364783f,   0.006897898073f,
       0.003875246208f,  0.002175668385f, 0.001221022781f, 0.0006851153902f, 0.0003843727207f, 0.0002156317514f,
       0.0001209641763f, 6.785655512e-5f, 3.806464468e-5f, 2.135250892e-5f,  1.19777281e-5f,   6.718914194e-6f,
       3.768974838e-6f,  2.114205022e-6f, 1.185962083e-6f, 6.652646085e-7f,  3.731796784e-7f,  2.093348446e-7f,
       1.174262108e-7f,  6.587013609e-8f},
      {8.093426603e-7f,   -0.2590021793f,   -0.3796267936f,   -0.3570301124f,    -0.268825479f,    -0.1784184143f,
       -0.1101245074f,    -0.06520684563f,  -0.03770998538f,  -0.02151929111f,   -0.01218810826f,  -0.006873998982f,
       -0.003867690316f,  -0.002173277341f, -0.001220264005f, -0.0006848732459f, -0.000384294664f, -0.0002156061513f,
       -0.0001209555395f, -6.785351152e-5f, -3.806350418e-5f, -2.135204751e-5f,  -1.19775254e-5f,  -6.718818151e-6f,
       -3.76892652e-6f,   -2.114179666e-6f, -1.18594841e-6f,  -6.652571118e-7f,  -3.731755276e-7f, -2.093325333e-7f,
       -1.174249197e-7f,  -6.586941356e-8f},
      {-0.3333762643f,  -0.2341723f,     -0.04487316043f,  0.07986784954f,  0.1110824593f,    0.09317425916f,
       0.0644008778f,   0.04045807618f,  0.02415900076f,   0.01403155337f,  0.008025344113f,  0.004551000764f,
       0.002568469297f, 0.001445705724f, 0.0008125206224f, 0.000456272116f, 0.0002560995517f, 0.0001437073347f,
       8.062777534e-5f, 4.523288734e-5f, 2.537486208e-5f,  1.423448334e-5f, 7.984971192e-6f,  4.479209997e-6f,
       2.512623912e-6f, 1.409458939e-6f, 7.906362769e-7f,  4.435072178e-7f, 2.48785147e-7f,   1.395558652e-7f,
       7.828375983e-8f, 4.391321391e-8f},
      {0.0007514552279f, 0.1499688555f,     0.1488633661f,     0.06349220325f,    -0.0008999189387f, -0.02362269391f,
       -0.02373120545f,  -0.01734028243f,   -0.0111437247f,    -0.006725437826f,  -0.003927183477f,  -0.002252540873f,
       -0.001279336847f, -0.0007226375826f, -0.0004069399969f, -0.0002287698492f, -0.000128484875f,  -7.212279545e-5f,
       -4.047274378e-5f, -2.270803686e-5f,  -1.273959159e-5f,  -7.146746991e-6f,  -4.009113961e-6f,  -2.248957015e-6f,
       -1.261565624e-6f, -7.076789214e-7f,  -3.969733896e-7f,  -2.226823594e-7f,  -1.249136304e-7f,  -7.007024265e-8f,
       -3.930585844e-8f, -2.204859291e-8f},
      {0.12881615f,      0.05805996954f,   -0.04523851084f,  -0.05906199469f, -0.02864870433f, -0.005382594267f,
       0.003435938929f,  0.004733431107f,  0.003704552821f,  0.002441038755f, 0.001489668751f, 0.0008746294568f,
       0.0005030973335f, 0.0002861734858f, 0.0001617817213f, 9.114671372e-5f, 5.125328947e-5f, 2.878973767e-5f,
       1.616193538e-5f,  9.069913243e-6f,  5.088984195e-6f,  2.855046588e-6f, 1.601657194e-6f, 8.984863995e-7f,
       5.040171934e-7f,  2.827317982e-7f,  1.585993533e-7f,  8.896654805e-8f, 4.990582813e-8f, 2.799466943e-8f,
       1.570359798e-8f,  8.808923772e-9f}};
};

/// e^x = 2^(n/32) e^r. A table of 32 powers leaves |r| <= ln 2 / 64, where a parabola is enough. The scaling
/// instruction rounds and overflows correctly, and takes the integer part of n/32 itself. r is bounded for infinities
/// and for arguments beyond them anyway. If x is NaN, r is a number, but n is NaN. Exact: within 0.6 units in the last
/// place instead of 2.2, for two instructions more.
template <bool Exact, class P>
ESPALIER_INLINE P exp_by_table(P x) {
  using constant = elementary_constants<float>;
  P const round = 0x1.8p18f;  // adding it leaves 32 x / ln 2 in the low bits
  P const shifted = fma(x, P(constant::log2_e), round);
  P const n = ESPALIER_AS_WRITTEN(shifted.lanes()) - round.lanes();
  P const r = within(fma(n, P(-constant::ln2_low), fma(n, P(-constant::ln2_high), x)).lanes(), P(1.0f).lanes());
  P const power =
      table_lookup(P::load(float_tables::power).lanes(), P::load(float_tables::power + 16).lanes(), bits_of(shifted));
  if constexpr (Exact) {
    P const rest = table_lookup(P::load(float_tables::power_rest).lanes(),
                                P::load(float_tables::power_rest + 16).lanes(), bits_of(shifted));
    P const series = fma(fma(r, P(0.16666518272f), P(0.500004056961f)), r, P(1.0f));
    return scale(fma(power, fma(r, series, rest), power).lanes(), n.lanes());
  } else {
    return scale(fma(power, r * fma(r, P(0.500004897218f), P(1.00001958892f)), power).lanes(), n.lanes());
  }
}

/// x = 2^k c (1 + r), where c is the multiple of 1/16 that is nearest to the significand, between 3/4 and 3/2. Near 1,
/// only r remains.
template <class P>
ESPALIER_INLINE P log_by_table(P x) {
  P const m = significand(x.lanes());
  P const k = exponent(x.lanes()) - exponent(m.lanes());
  auto const which = bits_of(m + P(0x1.8p19f));
  P const r = fma(m, P(table_lookup(P::load(float_tables::reciprocal).lanes(), which)), P(-1.0f));
  P const base = fma(k, P(0.69314718f), P(table_lookup(P::load(float_tables::logarithm).lanes(), which)));
  P const tail = fma(r, fma(r, P(-0.250231097913f), P(0.333495754977f)), P(-0.499999933679f));
  return base + fma(r * r, tail, r);
}

/// a / b for 1 <= b <= 2^100, rounded almost as a division rounds: an estimate, plus what remains of a after it.
template <class P>
ESPALIER_INLINE P quotient(P a, P b) {
  P const estimate = reciprocal_estimate(b.lanes());
  P const first = a * estimate;
  return fma(fma(-first, b, a), estimate, first);
}

/// Evaluates the polynomial of interval `which` at y. Row i of the table has the coefficients of y^i for all intervals.
template <unsigned long Power = 0, class P, class Bits, unsigned long N>
ESPALIER_INLINE P polynomial_by_table(P y, Bits which, float const (&table)[N][32]) {
  P const coefficient = table_lookup(P::load(table[Power]).lanes(), P::load(table[Power] + 16).lanes(), which);
  if constexpr (Power + 1 == N) {
    return coefficient;
  } else {
    return fma(polynomial_by_table<Power + 1>(y, which, table), y, coefficient);
  }
}

template <class P>
ESPALIER_INLINE P erf_by_table(P x) {
  P const round = 0x1.8p20f;  // adding it leaves 8 |x| in the low bits
  P const magnitude = smaller(P(0x1.f7fffep1f), abs(x));
  P const shifted = magnitude + round;
  // The difference is computed as written, too: magnitude + round has been computed already.
  P const middle = ESPALIER_AS_WRITTEN(ESPALIER_AS_WRITTEN(shifted.lanes()) - round.lanes());
  return with_sign_of(polynomial_by_table(magnitude - middle, bits_of(shifted), float_tables::error), x);
}

template <class P>
ESPALIER_INLINE P tanh_by_table(P x) {
  P const round = 0x1.8p23f;
  P const magnitude = smaller(P(9.1f), abs(x));
  P const shifted = fma(magnitude, P(128.0f / 37.0f), round);
  P const k = ESPALIER_AS_WRITTEN(shifted.lanes()) - round.lanes();
  return with_sign_of(
      polynomial_by_table(fma(k, P(-37.0f / 128.0f), magnitude), bits_of(shifted), float_tables::tangent), x);
}

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END

#endif
#include "../../../base/diagnostics_pop.hpp"
