// SPDX-License-Identifier: BSL-1.0
// Hides macros of other headers and of the program while it includes espalier: these names are used by the library, by
// Boost.Hana, xsimd or the standard library. diagnostics_push.hpp includes this file, so it has no `#pragma once`.
// Written by test/tools/hidden_macros.py.
#ifdef near
#pragma push_macro("near")
#undef near
#define ESPALIER_HIDES_near
#endif
#ifdef far
#pragma push_macro("far")
#undef far
#define ESPALIER_HIDES_far
#endif
#ifdef small
#pragma push_macro("small")
#undef small
#define ESPALIER_HIDES_small
#endif
#ifdef min
#pragma push_macro("min")
#undef min
#define ESPALIER_HIDES_min
#endif
#ifdef max
#pragma push_macro("max")
#undef max
#define ESPALIER_HIDES_max
#endif
#ifdef interface
#pragma push_macro("interface")
#undef interface
#define ESPALIER_HIDES_interface
#endif
#ifdef box
#pragma push_macro("box")
#undef box
#define ESPALIER_HIDES_box
#endif
#ifdef Size
#pragma push_macro("Size")
#undef Size
#define ESPALIER_HIDES_Size
#endif
#ifdef I
#pragma push_macro("I")
#undef I
#define ESPALIER_HIDES_I
#endif
#ifdef complex
#pragma push_macro("complex")
#undef complex
#define ESPALIER_HIDES_complex
#endif
#ifdef isnan
#pragma push_macro("isnan")
#undef isnan
#define ESPALIER_HIDES_isnan
#endif
#ifdef isinf
#pragma push_macro("isinf")
#undef isinf
#define ESPALIER_HIDES_isinf
#endif
#ifdef isfinite
#pragma push_macro("isfinite")
#undef isfinite
#define ESPALIER_HIDES_isfinite
#endif
#ifdef signbit
#pragma push_macro("signbit")
#undef signbit
#define ESPALIER_HIDES_signbit
#endif
#ifdef isdigit
#pragma push_macro("isdigit")
#undef isdigit
#define ESPALIER_HIDES_isdigit
#endif
#ifdef finite
#pragma push_macro("finite")
#undef finite
#define ESPALIER_HIDES_finite
#endif
#ifdef restrict
#pragma push_macro("restrict")
#undef restrict
#define ESPALIER_HIDES_restrict
#endif
#ifdef bool
#pragma push_macro("bool")
#undef bool
#define ESPALIER_HIDES_bool
#endif
#ifdef true
#pragma push_macro("true")
#undef true
#define ESPALIER_HIDES_true
#endif
#ifdef false
#pragma push_macro("false")
#undef false
#define ESPALIER_HIDES_false
#endif
#ifdef abs
#pragma push_macro("abs")
#undef abs
#define ESPALIER_HIDES_abs
#endif
#ifdef round
#pragma push_macro("round")
#undef round
#define ESPALIER_HIDES_round
#endif
#ifdef bit
#pragma push_macro("bit")
#undef bit
#define ESPALIER_HIDES_bit
#endif
#ifdef word
#pragma push_macro("word")
#undef word
#define ESPALIER_HIDES_word
#endif
#ifdef F
#pragma push_macro("F")
#undef F
#define ESPALIER_HIDES_F
#endif
#ifdef sq
#pragma push_macro("sq")
#undef sq
#define ESPALIER_HIDES_sq
#endif
#ifdef constrain
#pragma push_macro("constrain")
#undef constrain
#define ESPALIER_HIDES_constrain
#endif
#ifdef the
#pragma push_macro("the")
#undef the
#define ESPALIER_HIDES_the
#endif
#ifdef PI
#pragma push_macro("PI")
#undef PI
#define ESPALIER_HIDES_PI
#endif
#ifdef A0
#pragma push_macro("A0")
#undef A0
#define ESPALIER_HIDES_A0
#endif
#ifdef A1
#pragma push_macro("A1")
#undef A1
#define ESPALIER_HIDES_A1
#endif
#ifdef A2
#pragma push_macro("A2")
#undef A2
#define ESPALIER_HIDES_A2
#endif
#ifdef A3
#pragma push_macro("A3")
#undef A3
#define ESPALIER_HIDES_A3
#endif
#ifdef A4
#pragma push_macro("A4")
#undef A4
#define ESPALIER_HIDES_A4
#endif
#ifdef A5
#pragma push_macro("A5")
#undef A5
#define ESPALIER_HIDES_A5
#endif
#ifdef A6
#pragma push_macro("A6")
#undef A6
#define ESPALIER_HIDES_A6
#endif
#ifdef A7
#pragma push_macro("A7")
#undef A7
#define ESPALIER_HIDES_A7
#endif
#ifdef Always
#pragma push_macro("Always")
#undef Always
#define ESPALIER_HIDES_Always
#endif
#ifdef True
#pragma push_macro("True")
#undef True
#define ESPALIER_HIDES_True
#endif
#ifdef False
#pragma push_macro("False")
#undef False
#define ESPALIER_HIDES_False
#endif
#ifdef Bool
#pragma push_macro("Bool")
#undef Bool
#define ESPALIER_HIDES_Bool
#endif
#ifdef Status
#pragma push_macro("Status")
#undef Status
#define ESPALIER_HIDES_Status
#endif
#ifdef None
#pragma push_macro("None")
#undef None
#define ESPALIER_HIDES_None
#endif
#ifdef Success
#pragma push_macro("Success")
#undef Success
#define ESPALIER_HIDES_Success
#endif
#ifdef Complex
#pragma push_macro("Complex")
#undef Complex
#define ESPALIER_HIDES_Complex
#endif
#ifdef Data
#pragma push_macro("Data")
#undef Data
#define ESPALIER_HIDES_Data
#endif
#ifdef Fixed
#pragma push_macro("Fixed")
#undef Fixed
#define ESPALIER_HIDES_Fixed
#endif
#ifdef List
#pragma push_macro("List")
#undef List
#define ESPALIER_HIDES_List
#endif
#ifdef Mask
#pragma push_macro("Mask")
#undef Mask
#define ESPALIER_HIDES_Mask
#endif
#ifdef Stack
#pragma push_macro("Stack")
#undef Stack
#define ESPALIER_HIDES_Stack
#endif
#ifdef Window
#pragma push_macro("Window")
#undef Window
#define ESPALIER_HIDES_Window
#endif
#ifdef index
#pragma push_macro("index")
#undef index
#define ESPALIER_HIDES_index
#endif
#ifdef random
#pragma push_macro("random")
#undef random
#define ESPALIER_HIDES_random
#endif
#ifdef clear
#pragma push_macro("clear")
#undef clear
#define ESPALIER_HIDES_clear
#endif
#ifdef columns
#pragma push_macro("columns")
#undef columns
#define ESPALIER_HIDES_columns
#endif
#ifdef lines
#pragma push_macro("lines")
#undef lines
#define ESPALIER_HIDES_lines
#endif
#ifdef device_type
#pragma push_macro("device_type")
#undef device_type
#define ESPALIER_HIDES_device_type
#endif
#ifdef erase
#pragma push_macro("erase")
#undef erase
#define ESPALIER_HIDES_erase
#endif
#ifdef move
#pragma push_macro("move")
#undef move
#define ESPALIER_HIDES_move
#endif
#ifdef exception
#pragma push_macro("exception")
#undef exception
#define ESPALIER_HIDES_exception
#endif
#ifdef bp
#pragma push_macro("bp")
#undef bp
#define ESPALIER_HIDES_bp
#endif
#ifdef timeout
#pragma push_macro("timeout")
#undef timeout
#define ESPALIER_HIDES_timeout
#endif
#ifdef filter
#pragma push_macro("filter")
#undef filter
#define ESPALIER_HIDES_filter
#endif
#ifdef echo
#pragma push_macro("echo")
#undef echo
#define ESPALIER_HIDES_echo
#endif
#ifdef insert
#pragma push_macro("insert")
#undef insert
#define ESPALIER_HIDES_insert
#endif
#ifdef slots
#pragma push_macro("slots")
#undef slots
#define ESPALIER_HIDES_slots
#endif
#ifdef signals
#pragma push_macro("signals")
#undef signals
#define ESPALIER_HIDES_signals
#endif
#ifdef emit
#pragma push_macro("emit")
#undef emit
#define ESPALIER_HIDES_emit
#endif
#ifdef foreach
#pragma push_macro("foreach")
#undef foreach
#define ESPALIER_HIDES_foreach
#endif
#ifdef forever
#pragma push_macro("forever")
#undef forever
#define ESPALIER_HIDES_forever
#endif
#ifdef check
#pragma push_macro("check")
#undef check
#define ESPALIER_HIDES_check
#endif
#ifdef verify
#pragma push_macro("verify")
#undef verify
#define ESPALIER_HIDES_verify
#endif
#ifdef require
#pragma push_macro("require")
#undef require
#define ESPALIER_HIDES_require
#endif
#ifdef ensure
#pragma push_macro("ensure")
#undef ensure
#define ESPALIER_HIDES_ensure
#endif
#ifdef fail
#pragma push_macro("fail")
#undef fail
#define ESPALIER_HIDES_fail
#endif
#ifdef ok
#pragma push_macro("ok")
#undef ok
#define ESPALIER_HIDES_ok
#endif
#ifdef skip
#pragma push_macro("skip")
#undef skip
#define ESPALIER_HIDES_skip
#endif
#ifdef pass
#pragma push_macro("pass")
#undef pass
#define ESPALIER_HIDES_pass
#endif
#ifdef plan
#pragma push_macro("plan")
#undef plan
#define ESPALIER_HIDES_plan
#endif
#ifdef like
#pragma push_macro("like")
#undef like
#define ESPALIER_HIDES_like
#endif
#ifdef is
#pragma push_macro("is")
#undef is
#define ESPALIER_HIDES_is
#endif
#ifdef done
#pragma push_macro("done")
#undef done
#define ESPALIER_HIDES_done
#endif
#ifdef length
#pragma push_macro("length")
#undef length
#define ESPALIER_HIDES_length
#endif
#ifdef error
#pragma push_macro("error")
#undef error
#define ESPALIER_HIDES_error
#endif
#ifdef warning
#pragma push_macro("warning")
#undef warning
#define ESPALIER_HIDES_warning
#endif
#ifdef eval
#pragma push_macro("eval")
#undef eval
#define ESPALIER_HIDES_eval
#endif
#ifdef match
#pragma push_macro("match")
#undef match
#define ESPALIER_HIDES_match
#endif
#ifdef install
#pragma push_macro("install")
#undef install
#define ESPALIER_HIDES_install
#endif
#ifdef duplicate
#pragma push_macro("duplicate")
#undef duplicate
#define ESPALIER_HIDES_duplicate
#endif
#ifdef elt
#pragma push_macro("elt")
#undef elt
#define ESPALIER_HIDES_elt
#endif
#ifdef seed
#pragma push_macro("seed")
#undef seed
#define ESPALIER_HIDES_seed
#endif
#ifdef ref
#pragma push_macro("ref")
#undef ref
#define ESPALIER_HIDES_ref
#endif
#ifdef leave
#pragma push_macro("leave")
#undef leave
#define ESPALIER_HIDES_leave
#endif
#ifdef NAME
#pragma push_macro("NAME")
#undef NAME
#define ESPALIER_HIDES_NAME
#endif
#ifdef iszero
#pragma push_macro("iszero")
#undef iszero
#define ESPALIER_HIDES_iszero
#endif
#ifdef major
#pragma push_macro("major")
#undef major
#define ESPALIER_HIDES_major
#endif
#ifdef minor
#pragma push_macro("minor")
#undef minor
#define ESPALIER_HIDES_minor
#endif
#ifdef _
#pragma push_macro("_")
#undef _
#define ESPALIER_HIDES__
#endif
#ifdef accept
#pragma push_macro("accept")
#undef accept
#define ESPALIER_HIDES_accept
#endif
#ifdef access
#pragma push_macro("access")
#undef access
#define ESPALIER_HIDES_access
#endif
#ifdef select
#pragma push_macro("select")
#undef select
#define ESPALIER_HIDES_select
#endif
#ifdef send
#pragma push_macro("send")
#undef send
#define ESPALIER_HIDES_send
#endif
#ifdef all
#pragma push_macro("all")
#undef all
#define ESPALIER_HIDES_all
#endif
#ifdef se
#pragma push_macro("se")
#undef se
#define ESPALIER_HIDES_se
#endif
#ifdef sz
#pragma push_macro("sz")
#undef sz
#define ESPALIER_HIDES_sz
#endif
#ifdef id
#pragma push_macro("id")
#undef id
#define ESPALIER_HIDES_id
#endif
#ifdef self
#pragma push_macro("self")
#undef self
#define ESPALIER_HIDES_self
#endif
#ifdef likely
#pragma push_macro("likely")
#undef likely
#define ESPALIER_HIDES_likely
#endif
#ifdef unlikely
#pragma push_macro("unlikely")
#undef unlikely
#define ESPALIER_HIDES_unlikely
#endif
#ifdef unless
#pragma push_macro("unless")
#undef unless
#define ESPALIER_HIDES_unless
#endif
#ifdef in
#pragma push_macro("in")
#undef in
#define ESPALIER_HIDES_in
#endif
#ifdef out
#pragma push_macro("out")
#undef out
#define ESPALIER_HIDES_out
#endif
#ifdef var
#pragma push_macro("var")
#undef var
#define ESPALIER_HIDES_var
#endif
#ifdef let
#pragma push_macro("let")
#undef let
#define ESPALIER_HIDES_let
#endif
#ifdef fn
#pragma push_macro("fn")
#undef fn
#define ESPALIER_HIDES_fn
#endif
#ifdef loop
#pragma push_macro("loop")
#undef loop
#define ESPALIER_HIDES_loop
#endif
#ifdef repeat
#pragma push_macro("repeat")
#undef repeat
#define ESPALIER_HIDES_repeat
#endif
#ifdef when
#pragma push_macro("when")
#undef when
#define ESPALIER_HIDES_when
#endif
#ifdef string
#pragma push_macro("string")
#undef string
#define ESPALIER_HIDES_string
#endif
#ifdef byte
#pragma push_macro("byte")
#undef byte
#define ESPALIER_HIDES_byte
#endif
#ifdef real
#pragma push_macro("real")
#undef real
#define ESPALIER_HIDES_real
#endif
#ifdef u8
#pragma push_macro("u8")
#undef u8
#define ESPALIER_HIDES_u8
#endif
#ifdef u16
#pragma push_macro("u16")
#undef u16
#define ESPALIER_HIDES_u16
#endif
#ifdef u32
#pragma push_macro("u32")
#undef u32
#define ESPALIER_HIDES_u32
#endif
#ifdef u64
#pragma push_macro("u64")
#undef u64
#define ESPALIER_HIDES_u64
#endif
#ifdef i8
#pragma push_macro("i8")
#undef i8
#define ESPALIER_HIDES_i8
#endif
#ifdef i16
#pragma push_macro("i16")
#undef i16
#define ESPALIER_HIDES_i16
#endif
#ifdef i32
#pragma push_macro("i32")
#undef i32
#define ESPALIER_HIDES_i32
#endif
#ifdef i64
#pragma push_macro("i64")
#undef i64
#define ESPALIER_HIDES_i64
#endif
#ifdef f32
#pragma push_macro("f32")
#undef f32
#define ESPALIER_HIDES_f32
#endif
#ifdef f64
#pragma push_macro("f64")
#undef f64
#define ESPALIER_HIDES_f64
#endif
#ifdef Real
#pragma push_macro("Real")
#undef Real
#define ESPALIER_HIDES_Real
#endif
#ifdef Matrix
#pragma push_macro("Matrix")
#undef Matrix
#define ESPALIER_HIDES_Matrix
#endif
#ifdef Vector
#pragma push_macro("Vector")
#undef Vector
#define ESPALIER_HIDES_Vector
#endif
#ifdef Index
#pragma push_macro("Index")
#undef Index
#define ESPALIER_HIDES_Index
#endif
#ifdef Tensor
#pragma push_macro("Tensor")
#undef Tensor
#define ESPALIER_HIDES_Tensor
#endif
#ifdef Shape
#pragma push_macro("Shape")
#undef Shape
#define ESPALIER_HIDES_Shape
#endif
#ifdef Model
#pragma push_macro("Model")
#undef Model
#define ESPALIER_HIDES_Model
#endif
#ifdef Layer
#pragma push_macro("Layer")
#undef Layer
#define ESPALIER_HIDES_Layer
#endif
#ifdef Net
#pragma push_macro("Net")
#undef Net
#define ESPALIER_HIDES_Net
#endif
#ifdef Edge
#pragma push_macro("Edge")
#undef Edge
#define ESPALIER_HIDES_Edge
#endif
#ifdef size
#pragma push_macro("size")
#undef size
#define ESPALIER_HIDES_size
#endif
#ifdef count
#pragma push_macro("count")
#undef count
#define ESPALIER_HIDES_count
#endif
#ifdef first
#pragma push_macro("first")
#undef first
#define ESPALIER_HIDES_first
#endif
#ifdef second
#pragma push_macro("second")
#undef second
#define ESPALIER_HIDES_second
#endif
#ifdef begin
#pragma push_macro("begin")
#undef begin
#define ESPALIER_HIDES_begin
#endif
#ifdef end
#pragma push_macro("end")
#undef end
#define ESPALIER_HIDES_end
#endif
#ifdef rows
#pragma push_macro("rows")
#undef rows
#define ESPALIER_HIDES_rows
#endif
#ifdef cols
#pragma push_macro("cols")
#undef cols
#define ESPALIER_HIDES_cols
#endif
#ifdef dim
#pragma push_macro("dim")
#undef dim
#define ESPALIER_HIDES_dim
#endif
#ifdef width
#pragma push_macro("width")
#undef width
#define ESPALIER_HIDES_width
#endif
#ifdef height
#pragma push_macro("height")
#undef height
#define ESPALIER_HIDES_height
#endif
#ifdef depth
#pragma push_macro("depth")
#undef depth
#define ESPALIER_HIDES_depth
#endif
#ifdef input
#pragma push_macro("input")
#undef input
#define ESPALIER_HIDES_input
#endif
#ifdef output
#pragma push_macro("output")
#undef output
#define ESPALIER_HIDES_output
#endif
#ifdef value
#pragma push_macro("value")
#undef value
#define ESPALIER_HIDES_value
#endif
#ifdef state
#pragma push_macro("state")
#undef state
#define ESPALIER_HIDES_state
#endif
#ifdef mode
#pragma push_macro("mode")
#undef mode
#define ESPALIER_HIDES_mode
#endif
#ifdef event
#pragma push_macro("event")
#undef event
#define ESPALIER_HIDES_event
#endif
#ifdef map
#pragma push_macro("map")
#undef map
#define ESPALIER_HIDES_map
#endif
#ifdef apply
#pragma push_macro("apply")
#undef apply
#define ESPALIER_HIDES_apply
#endif
#ifdef call
#pragma push_macro("call")
#undef call
#define ESPALIER_HIDES_call
#endif
#ifdef run
#pragma push_macro("run")
#undef run
#define ESPALIER_HIDES_run
#endif
#ifdef step
#pragma push_macro("step")
#undef step
#define ESPALIER_HIDES_step
#endif
#ifdef loss
#pragma push_macro("loss")
#undef loss
#define ESPALIER_HIDES_loss
#endif
#ifdef copy
#pragma push_macro("copy")
#undef copy
#define ESPALIER_HIDES_copy
#endif
#ifdef swap
#pragma push_macro("swap")
#undef swap
#define ESPALIER_HIDES_swap
#endif
#ifdef clamp
#pragma push_macro("clamp")
#undef clamp
#define ESPALIER_HIDES_clamp
#endif
#ifdef sign
#pragma push_macro("sign")
#undef sign
#define ESPALIER_HIDES_sign
#endif
#ifdef square
#pragma push_macro("square")
#undef square
#define ESPALIER_HIDES_square
#endif
#ifdef sum
#pragma push_macro("sum")
#undef sum
#define ESPALIER_HIDES_sum
#endif
#ifdef mean
#pragma push_macro("mean")
#undef mean
#define ESPALIER_HIDES_mean
#endif
#ifdef dot
#pragma push_macro("dot")
#undef dot
#define ESPALIER_HIDES_dot
#endif
#ifdef norm
#pragma push_macro("norm")
#undef norm
#define ESPALIER_HIDES_norm
#endif
#ifdef data
#pragma push_macro("data")
#undef data
#define ESPALIER_HIDES_data
#endif
#ifdef channels
#pragma push_macro("channels")
#undef channels
#define ESPALIER_HIDES_channels
#endif
#ifdef hypot
#pragma push_macro("hypot")
#undef hypot
#define ESPALIER_HIDES_hypot
#endif
#ifdef log10
#pragma push_macro("log10")
#undef log10
#define ESPALIER_HIDES_log10
#endif
#ifdef IMPL
#pragma push_macro("IMPL")
#undef IMPL
#define ESPALIER_HIDES_IMPL
#endif
#ifdef T0
#pragma push_macro("T0")
#undef T0
#define ESPALIER_HIDES_T0
#endif
#ifdef T1
#pragma push_macro("T1")
#undef T1
#define ESPALIER_HIDES_T1
#endif
#ifdef T2
#pragma push_macro("T2")
#undef T2
#define ESPALIER_HIDES_T2
#endif
#ifdef U0
#pragma push_macro("U0")
#undef U0
#define ESPALIER_HIDES_U0
#endif
#ifdef U1
#pragma push_macro("U1")
#undef U1
#define ESPALIER_HIDES_U1
#endif
#ifdef V0
#pragma push_macro("V0")
#undef V0
#define ESPALIER_HIDES_V0
#endif
#ifdef V1
#pragma push_macro("V1")
#undef V1
#define ESPALIER_HIDES_V1
#endif
#ifdef V2
#pragma push_macro("V2")
#undef V2
#define ESPALIER_HIDES_V2
#endif
#ifdef V3
#pragma push_macro("V3")
#undef V3
#define ESPALIER_HIDES_V3
#endif
#ifdef I0
#pragma push_macro("I0")
#undef I0
#define ESPALIER_HIDES_I0
#endif
#ifdef I1
#pragma push_macro("I1")
#undef I1
#define ESPALIER_HIDES_I1
#endif
#ifdef S1
#pragma push_macro("S1")
#undef S1
#define ESPALIER_HIDES_S1
#endif
#ifdef S2
#pragma push_macro("S2")
#undef S2
#define ESPALIER_HIDES_S2
#endif
#ifdef F2
#pragma push_macro("F2")
#undef F2
#define ESPALIER_HIDES_F2
#endif
#ifdef BB
#pragma push_macro("BB")
#undef BB
#define ESPALIER_HIDES_BB
#endif
#ifdef IC
#pragma push_macro("IC")
#undef IC
#define ESPALIER_HIDES_IC
#endif
#ifdef ET
#pragma push_macro("ET")
#undef ET
#define ESPALIER_HIDES_ET
#endif
#ifdef IT
#pragma push_macro("IT")
#undef IT
#define ESPALIER_HIDES_IT
#endif
#ifdef TO
#pragma push_macro("TO")
#undef TO
#define ESPALIER_HIDES_TO
#endif
#ifdef X1
#pragma push_macro("X1")
#undef X1
#define ESPALIER_HIDES_X1
#endif
#ifdef X2
#pragma push_macro("X2")
#undef X2
#define ESPALIER_HIDES_X2
#endif
#ifdef X3
#pragma push_macro("X3")
#undef X3
#define ESPALIER_HIDES_X3
#endif
#ifdef X4
#pragma push_macro("X4")
#undef X4
#define ESPALIER_HIDES_X4
#endif
#ifdef X5
#pragma push_macro("X5")
#undef X5
#define ESPALIER_HIDES_X5
#endif
#ifdef X6
#pragma push_macro("X6")
#undef X6
#define ESPALIER_HIDES_X6
#endif
#ifdef X7
#pragma push_macro("X7")
#undef X7
#define ESPALIER_HIDES_X7
#endif
#ifdef X8
#pragma push_macro("X8")
#undef X8
#define ESPALIER_HIDES_X8
#endif
#ifdef X9
#pragma push_macro("X9")
#undef X9
#define ESPALIER_HIDES_X9
#endif
#ifdef A
#pragma push_macro("A")
#undef A
#define ESPALIER_HIDES_A
#endif
#ifdef B
#pragma push_macro("B")
#undef B
#define ESPALIER_HIDES_B
#endif
#ifdef C
#pragma push_macro("C")
#undef C
#define ESPALIER_HIDES_C
#endif
#ifdef D
#pragma push_macro("D")
#undef D
#define ESPALIER_HIDES_D
#endif
#ifdef E
#pragma push_macro("E")
#undef E
#define ESPALIER_HIDES_E
#endif
#ifdef G
#pragma push_macro("G")
#undef G
#define ESPALIER_HIDES_G
#endif
#ifdef H
#pragma push_macro("H")
#undef H
#define ESPALIER_HIDES_H
#endif
#ifdef J
#pragma push_macro("J")
#undef J
#define ESPALIER_HIDES_J
#endif
#ifdef K
#pragma push_macro("K")
#undef K
#define ESPALIER_HIDES_K
#endif
#ifdef L
#pragma push_macro("L")
#undef L
#define ESPALIER_HIDES_L
#endif
#ifdef M
#pragma push_macro("M")
#undef M
#define ESPALIER_HIDES_M
#endif
#ifdef N
#pragma push_macro("N")
#undef N
#define ESPALIER_HIDES_N
#endif
#ifdef O
#pragma push_macro("O")
#undef O
#define ESPALIER_HIDES_O
#endif
#ifdef P
#pragma push_macro("P")
#undef P
#define ESPALIER_HIDES_P
#endif
#ifdef Q
#pragma push_macro("Q")
#undef Q
#define ESPALIER_HIDES_Q
#endif
#ifdef R
#pragma push_macro("R")
#undef R
#define ESPALIER_HIDES_R
#endif
#ifdef S
#pragma push_macro("S")
#undef S
#define ESPALIER_HIDES_S
#endif
#ifdef T
#pragma push_macro("T")
#undef T
#define ESPALIER_HIDES_T
#endif
#ifdef U
#pragma push_macro("U")
#undef U
#define ESPALIER_HIDES_U
#endif
#ifdef V
#pragma push_macro("V")
#undef V
#define ESPALIER_HIDES_V
#endif
#ifdef W
#pragma push_macro("W")
#undef W
#define ESPALIER_HIDES_W
#endif
#ifdef X
#pragma push_macro("X")
#undef X
#define ESPALIER_HIDES_X
#endif
#ifdef Y
#pragma push_macro("Y")
#undef Y
#define ESPALIER_HIDES_Y
#endif
#ifdef Z
#pragma push_macro("Z")
#undef Z
#define ESPALIER_HIDES_Z
#endif
