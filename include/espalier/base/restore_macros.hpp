// SPDX-License-Identifier: BSL-1.0
// Restores what hide_macros.hpp hides. Written by test/tools/hidden_macros.py.
#ifdef ESPALIER_HIDES_near
#pragma pop_macro("near")
#undef ESPALIER_HIDES_near
#endif
#ifdef ESPALIER_HIDES_far
#pragma pop_macro("far")
#undef ESPALIER_HIDES_far
#endif
#ifdef ESPALIER_HIDES_small
#pragma pop_macro("small")
#undef ESPALIER_HIDES_small
#endif
#ifdef ESPALIER_HIDES_min
#pragma pop_macro("min")
#undef ESPALIER_HIDES_min
#endif
#ifdef ESPALIER_HIDES_max
#pragma pop_macro("max")
#undef ESPALIER_HIDES_max
#endif
#ifdef ESPALIER_HIDES_interface
#pragma pop_macro("interface")
#undef ESPALIER_HIDES_interface
#endif
#ifdef ESPALIER_HIDES_box
#pragma pop_macro("box")
#undef ESPALIER_HIDES_box
#endif
#ifdef ESPALIER_HIDES_Size
#pragma pop_macro("Size")
#undef ESPALIER_HIDES_Size
#endif
#ifdef ESPALIER_HIDES_I
#pragma pop_macro("I")
#undef ESPALIER_HIDES_I
#endif
#ifdef ESPALIER_HIDES_complex
#pragma pop_macro("complex")
#undef ESPALIER_HIDES_complex
#endif
#ifdef ESPALIER_HIDES_isnan
#pragma pop_macro("isnan")
#undef ESPALIER_HIDES_isnan
#endif
#ifdef ESPALIER_HIDES_isinf
#pragma pop_macro("isinf")
#undef ESPALIER_HIDES_isinf
#endif
#ifdef ESPALIER_HIDES_isfinite
#pragma pop_macro("isfinite")
#undef ESPALIER_HIDES_isfinite
#endif
#ifdef ESPALIER_HIDES_signbit
#pragma pop_macro("signbit")
#undef ESPALIER_HIDES_signbit
#endif
#ifdef ESPALIER_HIDES_isdigit
#pragma pop_macro("isdigit")
#undef ESPALIER_HIDES_isdigit
#endif
#ifdef ESPALIER_HIDES_finite
#pragma pop_macro("finite")
#undef ESPALIER_HIDES_finite
#endif
#ifdef ESPALIER_HIDES_restrict
#pragma pop_macro("restrict")
#undef ESPALIER_HIDES_restrict
#endif
#ifdef ESPALIER_HIDES_bool
#pragma pop_macro("bool")
#undef ESPALIER_HIDES_bool
#endif
#ifdef ESPALIER_HIDES_true
#pragma pop_macro("true")
#undef ESPALIER_HIDES_true
#endif
#ifdef ESPALIER_HIDES_false
#pragma pop_macro("false")
#undef ESPALIER_HIDES_false
#endif
#ifdef ESPALIER_HIDES_abs
#pragma pop_macro("abs")
#undef ESPALIER_HIDES_abs
#endif
#ifdef ESPALIER_HIDES_round
#pragma pop_macro("round")
#undef ESPALIER_HIDES_round
#endif
#ifdef ESPALIER_HIDES_bit
#pragma pop_macro("bit")
#undef ESPALIER_HIDES_bit
#endif
#ifdef ESPALIER_HIDES_word
#pragma pop_macro("word")
#undef ESPALIER_HIDES_word
#endif
#ifdef ESPALIER_HIDES_F
#pragma pop_macro("F")
#undef ESPALIER_HIDES_F
#endif
#ifdef ESPALIER_HIDES_sq
#pragma pop_macro("sq")
#undef ESPALIER_HIDES_sq
#endif
#ifdef ESPALIER_HIDES_constrain
#pragma pop_macro("constrain")
#undef ESPALIER_HIDES_constrain
#endif
#ifdef ESPALIER_HIDES_the
#pragma pop_macro("the")
#undef ESPALIER_HIDES_the
#endif
#ifdef ESPALIER_HIDES_PI
#pragma pop_macro("PI")
#undef ESPALIER_HIDES_PI
#endif
#ifdef ESPALIER_HIDES_A0
#pragma pop_macro("A0")
#undef ESPALIER_HIDES_A0
#endif
#ifdef ESPALIER_HIDES_A1
#pragma pop_macro("A1")
#undef ESPALIER_HIDES_A1
#endif
#ifdef ESPALIER_HIDES_A2
#pragma pop_macro("A2")
#undef ESPALIER_HIDES_A2
#endif
#ifdef ESPALIER_HIDES_A3
#pragma pop_macro("A3")
#undef ESPALIER_HIDES_A3
#endif
#ifdef ESPALIER_HIDES_A4
#pragma pop_macro("A4")
#undef ESPALIER_HIDES_A4
#endif
#ifdef ESPALIER_HIDES_A5
#pragma pop_macro("A5")
#undef ESPALIER_HIDES_A5
#endif
#ifdef ESPALIER_HIDES_A6
#pragma pop_macro("A6")
#undef ESPALIER_HIDES_A6
#endif
#ifdef ESPALIER_HIDES_A7
#pragma pop_macro("A7")
#undef ESPALIER_HIDES_A7
#endif
#ifdef ESPALIER_HIDES_Always
#pragma pop_macro("Always")
#undef ESPALIER_HIDES_Always
#endif
#ifdef ESPALIER_HIDES_True
#pragma pop_macro("True")
#undef ESPALIER_HIDES_True
#endif
#ifdef ESPALIER_HIDES_False
#pragma pop_macro("False")
#undef ESPALIER_HIDES_False
#endif
#ifdef ESPALIER_HIDES_Bool
#pragma pop_macro("Bool")
#undef ESPALIER_HIDES_Bool
#endif
#ifdef ESPALIER_HIDES_Status
#pragma pop_macro("Status")
#undef ESPALIER_HIDES_Status
#endif
#ifdef ESPALIER_HIDES_None
#pragma pop_macro("None")
#undef ESPALIER_HIDES_None
#endif
#ifdef ESPALIER_HIDES_Success
#pragma pop_macro("Success")
#undef ESPALIER_HIDES_Success
#endif
#ifdef ESPALIER_HIDES_Complex
#pragma pop_macro("Complex")
#undef ESPALIER_HIDES_Complex
#endif
#ifdef ESPALIER_HIDES_Data
#pragma pop_macro("Data")
#undef ESPALIER_HIDES_Data
#endif
#ifdef ESPALIER_HIDES_Fixed
#pragma pop_macro("Fixed")
#undef ESPALIER_HIDES_Fixed
#endif
#ifdef ESPALIER_HIDES_List
#pragma pop_macro("List")
#undef ESPALIER_HIDES_List
#endif
#ifdef ESPALIER_HIDES_Mask
#pragma pop_macro("Mask")
#undef ESPALIER_HIDES_Mask
#endif
#ifdef ESPALIER_HIDES_Stack
#pragma pop_macro("Stack")
#undef ESPALIER_HIDES_Stack
#endif
#ifdef ESPALIER_HIDES_Window
#pragma pop_macro("Window")
#undef ESPALIER_HIDES_Window
#endif
#ifdef ESPALIER_HIDES_index
#pragma pop_macro("index")
#undef ESPALIER_HIDES_index
#endif
#ifdef ESPALIER_HIDES_random
#pragma pop_macro("random")
#undef ESPALIER_HIDES_random
#endif
#ifdef ESPALIER_HIDES_clear
#pragma pop_macro("clear")
#undef ESPALIER_HIDES_clear
#endif
#ifdef ESPALIER_HIDES_columns
#pragma pop_macro("columns")
#undef ESPALIER_HIDES_columns
#endif
#ifdef ESPALIER_HIDES_lines
#pragma pop_macro("lines")
#undef ESPALIER_HIDES_lines
#endif
#ifdef ESPALIER_HIDES_device_type
#pragma pop_macro("device_type")
#undef ESPALIER_HIDES_device_type
#endif
#ifdef ESPALIER_HIDES_erase
#pragma pop_macro("erase")
#undef ESPALIER_HIDES_erase
#endif
#ifdef ESPALIER_HIDES_move
#pragma pop_macro("move")
#undef ESPALIER_HIDES_move
#endif
#ifdef ESPALIER_HIDES_exception
#pragma pop_macro("exception")
#undef ESPALIER_HIDES_exception
#endif
#ifdef ESPALIER_HIDES_bp
#pragma pop_macro("bp")
#undef ESPALIER_HIDES_bp
#endif
#ifdef ESPALIER_HIDES_timeout
#pragma pop_macro("timeout")
#undef ESPALIER_HIDES_timeout
#endif
#ifdef ESPALIER_HIDES_filter
#pragma pop_macro("filter")
#undef ESPALIER_HIDES_filter
#endif
#ifdef ESPALIER_HIDES_echo
#pragma pop_macro("echo")
#undef ESPALIER_HIDES_echo
#endif
#ifdef ESPALIER_HIDES_insert
#pragma pop_macro("insert")
#undef ESPALIER_HIDES_insert
#endif
#ifdef ESPALIER_HIDES_slots
#pragma pop_macro("slots")
#undef ESPALIER_HIDES_slots
#endif
#ifdef ESPALIER_HIDES_signals
#pragma pop_macro("signals")
#undef ESPALIER_HIDES_signals
#endif
#ifdef ESPALIER_HIDES_emit
#pragma pop_macro("emit")
#undef ESPALIER_HIDES_emit
#endif
#ifdef ESPALIER_HIDES_foreach
#pragma pop_macro("foreach")
#undef ESPALIER_HIDES_foreach
#endif
#ifdef ESPALIER_HIDES_forever
#pragma pop_macro("forever")
#undef ESPALIER_HIDES_forever
#endif
#ifdef ESPALIER_HIDES_check
#pragma pop_macro("check")
#undef ESPALIER_HIDES_check
#endif
#ifdef ESPALIER_HIDES_verify
#pragma pop_macro("verify")
#undef ESPALIER_HIDES_verify
#endif
#ifdef ESPALIER_HIDES_require
#pragma pop_macro("require")
#undef ESPALIER_HIDES_require
#endif
#ifdef ESPALIER_HIDES_ensure
#pragma pop_macro("ensure")
#undef ESPALIER_HIDES_ensure
#endif
#ifdef ESPALIER_HIDES_fail
#pragma pop_macro("fail")
#undef ESPALIER_HIDES_fail
#endif
#ifdef ESPALIER_HIDES_ok
#pragma pop_macro("ok")
#undef ESPALIER_HIDES_ok
#endif
#ifdef ESPALIER_HIDES_skip
#pragma pop_macro("skip")
#undef ESPALIER_HIDES_skip
#endif
#ifdef ESPALIER_HIDES_pass
#pragma pop_macro("pass")
#undef ESPALIER_HIDES_pass
#endif
#ifdef ESPALIER_HIDES_plan
#pragma pop_macro("plan")
#undef ESPALIER_HIDES_plan
#endif
#ifdef ESPALIER_HIDES_like
#pragma pop_macro("like")
#undef ESPALIER_HIDES_like
#endif
#ifdef ESPALIER_HIDES_is
#pragma pop_macro("is")
#undef ESPALIER_HIDES_is
#endif
#ifdef ESPALIER_HIDES_done
#pragma pop_macro("done")
#undef ESPALIER_HIDES_done
#endif
#ifdef ESPALIER_HIDES_length
#pragma pop_macro("length")
#undef ESPALIER_HIDES_length
#endif
#ifdef ESPALIER_HIDES_error
#pragma pop_macro("error")
#undef ESPALIER_HIDES_error
#endif
#ifdef ESPALIER_HIDES_warning
#pragma pop_macro("warning")
#undef ESPALIER_HIDES_warning
#endif
#ifdef ESPALIER_HIDES_eval
#pragma pop_macro("eval")
#undef ESPALIER_HIDES_eval
#endif
#ifdef ESPALIER_HIDES_match
#pragma pop_macro("match")
#undef ESPALIER_HIDES_match
#endif
#ifdef ESPALIER_HIDES_install
#pragma pop_macro("install")
#undef ESPALIER_HIDES_install
#endif
#ifdef ESPALIER_HIDES_duplicate
#pragma pop_macro("duplicate")
#undef ESPALIER_HIDES_duplicate
#endif
#ifdef ESPALIER_HIDES_elt
#pragma pop_macro("elt")
#undef ESPALIER_HIDES_elt
#endif
#ifdef ESPALIER_HIDES_seed
#pragma pop_macro("seed")
#undef ESPALIER_HIDES_seed
#endif
#ifdef ESPALIER_HIDES_ref
#pragma pop_macro("ref")
#undef ESPALIER_HIDES_ref
#endif
#ifdef ESPALIER_HIDES_leave
#pragma pop_macro("leave")
#undef ESPALIER_HIDES_leave
#endif
#ifdef ESPALIER_HIDES_NAME
#pragma pop_macro("NAME")
#undef ESPALIER_HIDES_NAME
#endif
#ifdef ESPALIER_HIDES_iszero
#pragma pop_macro("iszero")
#undef ESPALIER_HIDES_iszero
#endif
#ifdef ESPALIER_HIDES_major
#pragma pop_macro("major")
#undef ESPALIER_HIDES_major
#endif
#ifdef ESPALIER_HIDES_minor
#pragma pop_macro("minor")
#undef ESPALIER_HIDES_minor
#endif
#ifdef ESPALIER_HIDES__
#pragma pop_macro("_")
#undef ESPALIER_HIDES__
#endif
#ifdef ESPALIER_HIDES_accept
#pragma pop_macro("accept")
#undef ESPALIER_HIDES_accept
#endif
#ifdef ESPALIER_HIDES_access
#pragma pop_macro("access")
#undef ESPALIER_HIDES_access
#endif
#ifdef ESPALIER_HIDES_select
#pragma pop_macro("select")
#undef ESPALIER_HIDES_select
#endif
#ifdef ESPALIER_HIDES_send
#pragma pop_macro("send")
#undef ESPALIER_HIDES_send
#endif
#ifdef ESPALIER_HIDES_all
#pragma pop_macro("all")
#undef ESPALIER_HIDES_all
#endif
#ifdef ESPALIER_HIDES_se
#pragma pop_macro("se")
#undef ESPALIER_HIDES_se
#endif
#ifdef ESPALIER_HIDES_sz
#pragma pop_macro("sz")
#undef ESPALIER_HIDES_sz
#endif
#ifdef ESPALIER_HIDES_id
#pragma pop_macro("id")
#undef ESPALIER_HIDES_id
#endif
#ifdef ESPALIER_HIDES_self
#pragma pop_macro("self")
#undef ESPALIER_HIDES_self
#endif
#ifdef ESPALIER_HIDES_likely
#pragma pop_macro("likely")
#undef ESPALIER_HIDES_likely
#endif
#ifdef ESPALIER_HIDES_unlikely
#pragma pop_macro("unlikely")
#undef ESPALIER_HIDES_unlikely
#endif
#ifdef ESPALIER_HIDES_unless
#pragma pop_macro("unless")
#undef ESPALIER_HIDES_unless
#endif
#ifdef ESPALIER_HIDES_in
#pragma pop_macro("in")
#undef ESPALIER_HIDES_in
#endif
#ifdef ESPALIER_HIDES_out
#pragma pop_macro("out")
#undef ESPALIER_HIDES_out
#endif
#ifdef ESPALIER_HIDES_var
#pragma pop_macro("var")
#undef ESPALIER_HIDES_var
#endif
#ifdef ESPALIER_HIDES_let
#pragma pop_macro("let")
#undef ESPALIER_HIDES_let
#endif
#ifdef ESPALIER_HIDES_fn
#pragma pop_macro("fn")
#undef ESPALIER_HIDES_fn
#endif
#ifdef ESPALIER_HIDES_loop
#pragma pop_macro("loop")
#undef ESPALIER_HIDES_loop
#endif
#ifdef ESPALIER_HIDES_repeat
#pragma pop_macro("repeat")
#undef ESPALIER_HIDES_repeat
#endif
#ifdef ESPALIER_HIDES_when
#pragma pop_macro("when")
#undef ESPALIER_HIDES_when
#endif
#ifdef ESPALIER_HIDES_string
#pragma pop_macro("string")
#undef ESPALIER_HIDES_string
#endif
#ifdef ESPALIER_HIDES_byte
#pragma pop_macro("byte")
#undef ESPALIER_HIDES_byte
#endif
#ifdef ESPALIER_HIDES_real
#pragma pop_macro("real")
#undef ESPALIER_HIDES_real
#endif
#ifdef ESPALIER_HIDES_u8
#pragma pop_macro("u8")
#undef ESPALIER_HIDES_u8
#endif
#ifdef ESPALIER_HIDES_u16
#pragma pop_macro("u16")
#undef ESPALIER_HIDES_u16
#endif
#ifdef ESPALIER_HIDES_u32
#pragma pop_macro("u32")
#undef ESPALIER_HIDES_u32
#endif
#ifdef ESPALIER_HIDES_u64
#pragma pop_macro("u64")
#undef ESPALIER_HIDES_u64
#endif
#ifdef ESPALIER_HIDES_i8
#pragma pop_macro("i8")
#undef ESPALIER_HIDES_i8
#endif
#ifdef ESPALIER_HIDES_i16
#pragma pop_macro("i16")
#undef ESPALIER_HIDES_i16
#endif
#ifdef ESPALIER_HIDES_i32
#pragma pop_macro("i32")
#undef ESPALIER_HIDES_i32
#endif
#ifdef ESPALIER_HIDES_i64
#pragma pop_macro("i64")
#undef ESPALIER_HIDES_i64
#endif
#ifdef ESPALIER_HIDES_f32
#pragma pop_macro("f32")
#undef ESPALIER_HIDES_f32
#endif
#ifdef ESPALIER_HIDES_f64
#pragma pop_macro("f64")
#undef ESPALIER_HIDES_f64
#endif
#ifdef ESPALIER_HIDES_Real
#pragma pop_macro("Real")
#undef ESPALIER_HIDES_Real
#endif
#ifdef ESPALIER_HIDES_Matrix
#pragma pop_macro("Matrix")
#undef ESPALIER_HIDES_Matrix
#endif
#ifdef ESPALIER_HIDES_Vector
#pragma pop_macro("Vector")
#undef ESPALIER_HIDES_Vector
#endif
#ifdef ESPALIER_HIDES_Index
#pragma pop_macro("Index")
#undef ESPALIER_HIDES_Index
#endif
#ifdef ESPALIER_HIDES_Tensor
#pragma pop_macro("Tensor")
#undef ESPALIER_HIDES_Tensor
#endif
#ifdef ESPALIER_HIDES_Shape
#pragma pop_macro("Shape")
#undef ESPALIER_HIDES_Shape
#endif
#ifdef ESPALIER_HIDES_Model
#pragma pop_macro("Model")
#undef ESPALIER_HIDES_Model
#endif
#ifdef ESPALIER_HIDES_Layer
#pragma pop_macro("Layer")
#undef ESPALIER_HIDES_Layer
#endif
#ifdef ESPALIER_HIDES_Net
#pragma pop_macro("Net")
#undef ESPALIER_HIDES_Net
#endif
#ifdef ESPALIER_HIDES_Edge
#pragma pop_macro("Edge")
#undef ESPALIER_HIDES_Edge
#endif
#ifdef ESPALIER_HIDES_size
#pragma pop_macro("size")
#undef ESPALIER_HIDES_size
#endif
#ifdef ESPALIER_HIDES_count
#pragma pop_macro("count")
#undef ESPALIER_HIDES_count
#endif
#ifdef ESPALIER_HIDES_first
#pragma pop_macro("first")
#undef ESPALIER_HIDES_first
#endif
#ifdef ESPALIER_HIDES_second
#pragma pop_macro("second")
#undef ESPALIER_HIDES_second
#endif
#ifdef ESPALIER_HIDES_begin
#pragma pop_macro("begin")
#undef ESPALIER_HIDES_begin
#endif
#ifdef ESPALIER_HIDES_end
#pragma pop_macro("end")
#undef ESPALIER_HIDES_end
#endif
#ifdef ESPALIER_HIDES_rows
#pragma pop_macro("rows")
#undef ESPALIER_HIDES_rows
#endif
#ifdef ESPALIER_HIDES_cols
#pragma pop_macro("cols")
#undef ESPALIER_HIDES_cols
#endif
#ifdef ESPALIER_HIDES_dim
#pragma pop_macro("dim")
#undef ESPALIER_HIDES_dim
#endif
#ifdef ESPALIER_HIDES_width
#pragma pop_macro("width")
#undef ESPALIER_HIDES_width
#endif
#ifdef ESPALIER_HIDES_height
#pragma pop_macro("height")
#undef ESPALIER_HIDES_height
#endif
#ifdef ESPALIER_HIDES_depth
#pragma pop_macro("depth")
#undef ESPALIER_HIDES_depth
#endif
#ifdef ESPALIER_HIDES_input
#pragma pop_macro("input")
#undef ESPALIER_HIDES_input
#endif
#ifdef ESPALIER_HIDES_output
#pragma pop_macro("output")
#undef ESPALIER_HIDES_output
#endif
#ifdef ESPALIER_HIDES_value
#pragma pop_macro("value")
#undef ESPALIER_HIDES_value
#endif
#ifdef ESPALIER_HIDES_state
#pragma pop_macro("state")
#undef ESPALIER_HIDES_state
#endif
#ifdef ESPALIER_HIDES_mode
#pragma pop_macro("mode")
#undef ESPALIER_HIDES_mode
#endif
#ifdef ESPALIER_HIDES_event
#pragma pop_macro("event")
#undef ESPALIER_HIDES_event
#endif
#ifdef ESPALIER_HIDES_map
#pragma pop_macro("map")
#undef ESPALIER_HIDES_map
#endif
#ifdef ESPALIER_HIDES_apply
#pragma pop_macro("apply")
#undef ESPALIER_HIDES_apply
#endif
#ifdef ESPALIER_HIDES_call
#pragma pop_macro("call")
#undef ESPALIER_HIDES_call
#endif
#ifdef ESPALIER_HIDES_run
#pragma pop_macro("run")
#undef ESPALIER_HIDES_run
#endif
#ifdef ESPALIER_HIDES_step
#pragma pop_macro("step")
#undef ESPALIER_HIDES_step
#endif
#ifdef ESPALIER_HIDES_loss
#pragma pop_macro("loss")
#undef ESPALIER_HIDES_loss
#endif
#ifdef ESPALIER_HIDES_copy
#pragma pop_macro("copy")
#undef ESPALIER_HIDES_copy
#endif
#ifdef ESPALIER_HIDES_swap
#pragma pop_macro("swap")
#undef ESPALIER_HIDES_swap
#endif
#ifdef ESPALIER_HIDES_clamp
#pragma pop_macro("clamp")
#undef ESPALIER_HIDES_clamp
#endif
#ifdef ESPALIER_HIDES_sign
#pragma pop_macro("sign")
#undef ESPALIER_HIDES_sign
#endif
#ifdef ESPALIER_HIDES_square
#pragma pop_macro("square")
#undef ESPALIER_HIDES_square
#endif
#ifdef ESPALIER_HIDES_sum
#pragma pop_macro("sum")
#undef ESPALIER_HIDES_sum
#endif
#ifdef ESPALIER_HIDES_mean
#pragma pop_macro("mean")
#undef ESPALIER_HIDES_mean
#endif
#ifdef ESPALIER_HIDES_dot
#pragma pop_macro("dot")
#undef ESPALIER_HIDES_dot
#endif
#ifdef ESPALIER_HIDES_norm
#pragma pop_macro("norm")
#undef ESPALIER_HIDES_norm
#endif
#ifdef ESPALIER_HIDES_data
#pragma pop_macro("data")
#undef ESPALIER_HIDES_data
#endif
#ifdef ESPALIER_HIDES_channels
#pragma pop_macro("channels")
#undef ESPALIER_HIDES_channels
#endif
#ifdef ESPALIER_HIDES_hypot
#pragma pop_macro("hypot")
#undef ESPALIER_HIDES_hypot
#endif
#ifdef ESPALIER_HIDES_log10
#pragma pop_macro("log10")
#undef ESPALIER_HIDES_log10
#endif
#ifdef ESPALIER_HIDES_IMPL
#pragma pop_macro("IMPL")
#undef ESPALIER_HIDES_IMPL
#endif
#ifdef ESPALIER_HIDES_T0
#pragma pop_macro("T0")
#undef ESPALIER_HIDES_T0
#endif
#ifdef ESPALIER_HIDES_T1
#pragma pop_macro("T1")
#undef ESPALIER_HIDES_T1
#endif
#ifdef ESPALIER_HIDES_T2
#pragma pop_macro("T2")
#undef ESPALIER_HIDES_T2
#endif
#ifdef ESPALIER_HIDES_U0
#pragma pop_macro("U0")
#undef ESPALIER_HIDES_U0
#endif
#ifdef ESPALIER_HIDES_U1
#pragma pop_macro("U1")
#undef ESPALIER_HIDES_U1
#endif
#ifdef ESPALIER_HIDES_V0
#pragma pop_macro("V0")
#undef ESPALIER_HIDES_V0
#endif
#ifdef ESPALIER_HIDES_V1
#pragma pop_macro("V1")
#undef ESPALIER_HIDES_V1
#endif
#ifdef ESPALIER_HIDES_V2
#pragma pop_macro("V2")
#undef ESPALIER_HIDES_V2
#endif
#ifdef ESPALIER_HIDES_V3
#pragma pop_macro("V3")
#undef ESPALIER_HIDES_V3
#endif
#ifdef ESPALIER_HIDES_I0
#pragma pop_macro("I0")
#undef ESPALIER_HIDES_I0
#endif
#ifdef ESPALIER_HIDES_I1
#pragma pop_macro("I1")
#undef ESPALIER_HIDES_I1
#endif
#ifdef ESPALIER_HIDES_S1
#pragma pop_macro("S1")
#undef ESPALIER_HIDES_S1
#endif
#ifdef ESPALIER_HIDES_S2
#pragma pop_macro("S2")
#undef ESPALIER_HIDES_S2
#endif
#ifdef ESPALIER_HIDES_F2
#pragma pop_macro("F2")
#undef ESPALIER_HIDES_F2
#endif
#ifdef ESPALIER_HIDES_BB
#pragma pop_macro("BB")
#undef ESPALIER_HIDES_BB
#endif
#ifdef ESPALIER_HIDES_IC
#pragma pop_macro("IC")
#undef ESPALIER_HIDES_IC
#endif
#ifdef ESPALIER_HIDES_ET
#pragma pop_macro("ET")
#undef ESPALIER_HIDES_ET
#endif
#ifdef ESPALIER_HIDES_IT
#pragma pop_macro("IT")
#undef ESPALIER_HIDES_IT
#endif
#ifdef ESPALIER_HIDES_TO
#pragma pop_macro("TO")
#undef ESPALIER_HIDES_TO
#endif
#ifdef ESPALIER_HIDES_X1
#pragma pop_macro("X1")
#undef ESPALIER_HIDES_X1
#endif
#ifdef ESPALIER_HIDES_X2
#pragma pop_macro("X2")
#undef ESPALIER_HIDES_X2
#endif
#ifdef ESPALIER_HIDES_X3
#pragma pop_macro("X3")
#undef ESPALIER_HIDES_X3
#endif
#ifdef ESPALIER_HIDES_X4
#pragma pop_macro("X4")
#undef ESPALIER_HIDES_X4
#endif
#ifdef ESPALIER_HIDES_X5
#pragma pop_macro("X5")
#undef ESPALIER_HIDES_X5
#endif
#ifdef ESPALIER_HIDES_X6
#pragma pop_macro("X6")
#undef ESPALIER_HIDES_X6
#endif
#ifdef ESPALIER_HIDES_X7
#pragma pop_macro("X7")
#undef ESPALIER_HIDES_X7
#endif
#ifdef ESPALIER_HIDES_X8
#pragma pop_macro("X8")
#undef ESPALIER_HIDES_X8
#endif
#ifdef ESPALIER_HIDES_X9
#pragma pop_macro("X9")
#undef ESPALIER_HIDES_X9
#endif
#ifdef ESPALIER_HIDES_A
#pragma pop_macro("A")
#undef ESPALIER_HIDES_A
#endif
#ifdef ESPALIER_HIDES_B
#pragma pop_macro("B")
#undef ESPALIER_HIDES_B
#endif
#ifdef ESPALIER_HIDES_C
#pragma pop_macro("C")
#undef ESPALIER_HIDES_C
#endif
#ifdef ESPALIER_HIDES_D
#pragma pop_macro("D")
#undef ESPALIER_HIDES_D
#endif
#ifdef ESPALIER_HIDES_E
#pragma pop_macro("E")
#undef ESPALIER_HIDES_E
#endif
#ifdef ESPALIER_HIDES_G
#pragma pop_macro("G")
#undef ESPALIER_HIDES_G
#endif
#ifdef ESPALIER_HIDES_H
#pragma pop_macro("H")
#undef ESPALIER_HIDES_H
#endif
#ifdef ESPALIER_HIDES_J
#pragma pop_macro("J")
#undef ESPALIER_HIDES_J
#endif
#ifdef ESPALIER_HIDES_K
#pragma pop_macro("K")
#undef ESPALIER_HIDES_K
#endif
#ifdef ESPALIER_HIDES_L
#pragma pop_macro("L")
#undef ESPALIER_HIDES_L
#endif
#ifdef ESPALIER_HIDES_M
#pragma pop_macro("M")
#undef ESPALIER_HIDES_M
#endif
#ifdef ESPALIER_HIDES_N
#pragma pop_macro("N")
#undef ESPALIER_HIDES_N
#endif
#ifdef ESPALIER_HIDES_O
#pragma pop_macro("O")
#undef ESPALIER_HIDES_O
#endif
#ifdef ESPALIER_HIDES_P
#pragma pop_macro("P")
#undef ESPALIER_HIDES_P
#endif
#ifdef ESPALIER_HIDES_Q
#pragma pop_macro("Q")
#undef ESPALIER_HIDES_Q
#endif
#ifdef ESPALIER_HIDES_R
#pragma pop_macro("R")
#undef ESPALIER_HIDES_R
#endif
#ifdef ESPALIER_HIDES_S
#pragma pop_macro("S")
#undef ESPALIER_HIDES_S
#endif
#ifdef ESPALIER_HIDES_T
#pragma pop_macro("T")
#undef ESPALIER_HIDES_T
#endif
#ifdef ESPALIER_HIDES_U
#pragma pop_macro("U")
#undef ESPALIER_HIDES_U
#endif
#ifdef ESPALIER_HIDES_V
#pragma pop_macro("V")
#undef ESPALIER_HIDES_V
#endif
#ifdef ESPALIER_HIDES_W
#pragma pop_macro("W")
#undef ESPALIER_HIDES_W
#endif
#ifdef ESPALIER_HIDES_X
#pragma pop_macro("X")
#undef ESPALIER_HIDES_X
#endif
#ifdef ESPALIER_HIDES_Y
#pragma pop_macro("Y")
#undef ESPALIER_HIDES_Y
#endif
#ifdef ESPALIER_HIDES_Z
#pragma pop_macro("Z")
#undef ESPALIER_HIDES_Z
#endif
