package toolkit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const head = ".version 7.0\n.target sm_70\n.address_size 64\n\n"

// TestLink joins two modules: what one declares is of the other, what both see alone gets names of its own, and what both have is there once.
func TestLink(t *testing.T) {
	caller := head + `
	// .globl	use
.extern .func  (.param .b32 func_retval0) half
(
	.param .b32 half_param_0
)
;
.extern .func vprintf (.param .b64 vprintf_param_0);
.extern .const .align 4 .b8 table[16];
.global .align 4 .u32 secret = 1;
.global .align 1 .b8 $str[5] = {37, 100, 125, 10, 0};
.weak .func  (.param .b32 func_retval0) square(.param .b32 square_param_0) { .loc 1 3 1 ret; }
.visible .entry use(.param .u64 use_param_0)
.maxntid 256, 1, 1
{
	.loc	2 7 0 // uses secret
	{ // callseq 0
	mov.u64 	%rd1, $str;
	ld.global.u32 	%secret, [secret];
	}
}
	.section	.debug_loc	{	}
	.file	1 "both.h"
	.file	2 "main.cu"
`
	callee := head + `
.visible .const .align 4 .b8 table[16] = {0, 0, 128, 63};
.global .align 4 .u32 secret = 7;
.weak .func  (.param .b32 func_retval0) square(.param .b32 square_param_0) { .loc 2 3 1 ret; }
.visible .func  (.param .b32 func_retval0) half(.param .b32 half_param_0)
{
	.loc	1 9 0
	ld.global.u32 	%r1, [secret];
	st.global.b8 	[secret+1], "secret";
	ret;
}
	.file	1 "part.cu"
	.file	2 "both.h"
`
	assert.Equal(t, linkedMark+head[:len(head)-1]+`
.global .align 4 .u32 secret__0 = 1;
.global .align 1 .b8 $str__0[5] = {37, 100, 125, 10, 0};
.visible .const .align 4 .b8 table[16] = {0, 0, 128, 63};
.global .align 4 .u32 secret__1 = 7;
	// .globl	use
.visible .func  (.param .b32 func_retval0) half
(
	.param .b32 half_param_0
)
;
.extern .func vprintf (.param .b64 vprintf_param_0);
.weak .func  (.param .b32 func_retval0) square(.param .b32 square_param_0) { .loc 1 3 1 ret; }
.visible .entry use(.param .u64 use_param_0)
.maxntid 256, 1, 1
{
	.loc	2 7 0 // uses secret
	{ // callseq 0
	mov.u64 	%rd1, $str__0;
	ld.global.u32 	%secret, [secret__0];
	}
}
.visible .func  (.param .b32 func_retval0) half(.param .b32 half_param_0)
{
	.loc	3 9 0
	ld.global.u32 	%r1, [secret__1];
	st.global.b8 	[secret__1+1], "secret";
	ret;
}
	.file	1 "both.h"
	.file	2 "main.cu"
	.file	3 "part.cu"
`, tidy(string(link([][]byte{[]byte(caller), []byte(callee)}))))

	// Modules that do not need each other stay as they are, also if one calls what a device has.
	assert.Nil(t, link([][]byte{[]byte(caller)}))
	assert.Nil(t, link([][]byte{[]byte(callee), []byte(head + ".extern .func vprintf (.param .b64 a);\n")}))
	assert.Nil(t, link(nil))
}

// tidy leaves out empty lines, but that behind the head.
func tidy(text string) string {
	front, rest, _ := strings.Cut(text, ".address_size 64\n")
	for strings.Contains(rest, "\n\n") {
		rest = strings.ReplaceAll(rest, "\n\n", "\n")
	}
	return front + ".address_size 64\n" + rest
}
