#include "textflag.h"

// func line(at unsafe.Pointer)
TEXT ·line(SB), NOSPLIT, $0-8
	MOVQ at+0(FP), AX
	PREFETCHT0 (AX)
	RET

// func lines(at unsafe.Pointer, bytes uintptr)
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ bytes+8(FP), CX
	ADDQ AX, CX
next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	CMPQ AX, CX
	JCS  next
	RET
