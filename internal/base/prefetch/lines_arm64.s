#include "textflag.h"

// func line(at unsafe.Pointer)
TEXT ·line(SB), NOSPLIT, $0-8
	MOVD at+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET

// func lines(at unsafe.Pointer, bytes uintptr)
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVD at+0(FP), R0
	MOVD bytes+8(FP), R1
	ADD  R0, R1, R1
next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	CMP  R1, R0
	BLO  next
	RET
