package readptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// both sets %rd5 to the address of gl in even lanes, in which %p1 is set and %r7 is 0, and to that of sh in odd ones.
const both = "mov.u32 %r8, %laneid; and.b32 %r7, %r8, 1; setp.eq.u32 %p1, %r7, 0; mov.u64 %rd3, sh; mov.u64 %rd4, gl; selp.b64 %rd5, %rd4, %rd3, %p1; "

// cases are computed by hand from the PTX ISA.
var cases = []string{
	// Integer arithmetic.
	"add.u32 %r0, %r1, %r2 | r1=0xFFFFFFFF r2=2 | r0=1",
	"add.s64 %rd0, %rd1, -5 | rd1=3 | rd0=-2",
	"add.u16 %rs0, %rs1, %rs2 | rs1=0xFFFF rs2=3 | rs0=2",
	"add.sat.s32 %r0, %r1, %r2; add.sat.s32 %r3, %r4, %r5 | r1=0x7FFFFFFF r2=1 r4=0x80000000 r5=-1 | r0=0x7FFFFFFF r3=0x80000000",
	"add.u16x2 %r0, %r1, %r2 | r1=0x0001FFFF r2=0x00020001 | r0=0x00030000",
	"sub.s32 %r0, %r1, %r2 | r1=3 r2=5 | r0=-2",
	"sub.sat.s32 %r0, %r1, %r2 | r1=0x80000000 r2=1 | r0=0x80000000",
	"mul.lo.u32 %r0, %r1, %r2 | r1=0x10001 r2=0x10001 | r0=0x20001",
	"mul.lo.s16 %rs0, %rs1, %rs2 | rs1=0x100 rs2=0x101 | rs0=0x100",
	"mul.hi.u32 %r0, %r1, %r2; mul.hi.s32 %r3, %r1, %r2 | r1=0xFFFFFFFF r2=2 | r0=1 r3=-1",
	"mul.hi.u64 %rd0, %rd1, %rd2 | rd1=0x8000000000000000 rd2=6 | rd0=3",
	"mul.hi.u16 %rs0, %rs1, %rs2; mul.hi.s16 %rs3, %rs1, %rs2 | rs1=0xFFFF rs2=4 | rs0=3 rs3=-1",
	"mul.wide.u32 %rd0, %r1, %r2; mul.wide.s32 %rd1, %r1, %r2; mul.wide.s32 %rd2, %r1, 12; mul.wide.u32 %rd3, %r1, 12 | r1=-2 r2=3 | rd0=0x2FFFFFFFA rd1=-6 rd2=-24 rd3=0xBFFFFFFE8",
	"mul.wide.u16 %r0, %rs1, %rs2; mul.wide.s16 %r1, %rs1, %rs2 | rs1=0xFFFF rs2=2 | r0=0x1FFFE r1=-2",
	"mad.lo.s32 %r0, %r1, %r2, %r3 | r1=5 r2=-7 r3=1 | r0=-34",
	"mad.hi.u32 %r0, %r1, %r2, %r3 | r1=0x80000000 r2=4 r3=1 | r0=3",
	"mad.hi.u16 %rs0, %rs1, %rs2, %rs3 | rs1=0x8000 rs2=4 rs3=1 | rs0=3",
	"mad.hi.sat.s32 %r0, %r1, %r2, %r3 | r1=0x40000000 r2=0x40000000 r3=0x7FFFFFFF | r0=0x7FFFFFFF",
	"mad.wide.u32 %rd0, %r1, %r2, %rd3; mad.wide.s32 %rd1, %r1, 8, %rd3; mad.wide.u16 %r3, %rs1, %rs2, %r2 | r1=-1 r2=2 rd3=10 rs1=300 rs2=300 | rd0=0x200000008 rd1=2 r3=90002",
	"mul24.lo.u32 %r0, %r1, %r2; mul24.hi.s32 %r3, %r1, %r2 | r1=0x01FFFFFF r2=0x1000003 | r0=0x02FFFFFD r3=0xFFFFFFFF",
	"mad24.lo.s32 %r0, %r1, %r2, %r3; mad24.hi.sat.s32 %r4, %r5, %r5, %r6 | r1=100 r2=-3 r3=1 r5=0x7FFFFF r6=0x7FFFFFFF | r0=-299 r4=0x7FFFFFFF",
	"sad.u32 %r0, %r1, %r2, %r3; sad.s32 %r4, %r1, %r2, %r3 | r1=-1 r2=1 r3=10 | r0=8 r4=12",
	"div.s32 %r0, %r1, %r2; div.u32 %r3, %r1, %r2; div.s16 %rs0, %rs1, %rs2 | r1=-7 r2=2 rs1=-9 rs2=2 | r0=-3 r3=0x7FFFFFFC rs0=-4",
	"rem.s32 %r0, %r1, %r2; rem.u64 %rd0, %rd1, %rd2 | r1=-7 r2=4 rd1=1000000000007 rd2=10 | r0=-3 rd0=7",
	"abs.s32 %r0, %r1; abs.s16 %rs0, %rs1; abs.s64 %rd0, %rd1 | r1=-5 rs1=-6 rd1=-7 | r0=5 rs0=6 rd0=7",
	"neg.s32 %r0, %r1; neg.s64 %rd0, %rd1 | r1=5 rd1=-9 | r0=-5 rd0=9",
	"min.s32 %r0, %r1, %r2; min.u32 %r3, %r1, %r2; min.s16 %rs0, %rs1, %rs2 | r1=-1 r2=1 rs1=-3 rs2=2 | r0=-1 r3=1 rs0=-3",
	"max.s64 %rd0, %rd1, %rd2; max.u16 %rs0, %rs1, %rs2 | rd1=-1 rd2=1 rs1=0xFFFF rs2=3 | rd0=1 rs0=0xFFFF",
	"min.s16x2 %r0, %r1, %r2; max.u16x2 %r3, %r1, %r2 | r1=0xFFFF0005 r2=0x00010003 | r0=0xFFFF0003 r3=0xFFFF0005",
	"min.relu.s32 %r0, %r1, %r2; max.relu.s32 %r3, %r1, %r4 | r1=-4 r2=7 r4=-9 | r0=0 r3=0",
	"popc.b32 %r0, %r1; popc.b64 %r2, %rd1 | r1=0xF0F00001 rd1=0x8000000000000003 | r0=9 r2=3",
	"clz.b32 %r0, %r1; clz.b64 %r2, %rd1; clz.b32 %r3, %r4 | r1=0x00010000 rd1=1 r4=0 | r0=15 r2=63 r3=32",
	"bfind.u32 %r0, %r1; bfind.s32 %r2, %r3; bfind.shiftamt.u32 %r4, %r1; bfind.u32 %r5, %r6; bfind.shiftamt.u32 %r7, %r6; bfind.u64 %r8, %rd1 | r1=0x00010000 r3=-5 r6=0 rd1=0x100000000 | r0=16 r2=2 r4=15 r5=0xFFFFFFFF r7=0xFFFFFFFF r8=32",
	"fns.b32 %r0, %r1, 0, 2; fns.b32 %r2, %r1, 31, -1; fns.b32 %r3, %r1, 4, 0; fns.b32 %r4, %r1, 3, 0; fns.b32 %r5, %r1, 0, 9 | r1=0x80000012 | r0=4 r2=31 r3=4 r4=0xFFFFFFFF r5=0xFFFFFFFF",
	"brev.b32 %r0, %r1; brev.b64 %rd0, %rd1 | r1=0x00000005 rd1=1 | r0=0xA0000000 rd0=0x8000000000000000",
	"bfe.u32 %r0, %r1, 4, 8; bfe.s32 %r2, %r1, 4, 8; bfe.u32 %r3, %r1, 28, 12; bfe.s32 %r4, %r1, 0, 0; bfe.u64 %rd0, %rd1, 32, 8 | r1=0xA0000FF0 rd1=0x0000004200000000 | r0=0xFF r2=-1 r3=0xA r4=0 rd0=0x42",
	"bfi.b32 %r0, %r1, %r2, 8, 4; bfi.b32 %r3, %r1, %r2, 0, 0; bfi.b32 %r4, %r1, %r2, 0, 32; bfi.b64 %rd0, %rd1, %rd2, 60, 8 | r1=0xFFFFFFF5 r2=0x12345678 rd1=0xAB rd2=1 | r0=0x12345578 r3=0x12345678 r4=0xFFFFFFF5 rd0=0xB000000000000001",
	"szext.wrap.s32 %r0, %r1, 4; szext.clamp.u32 %r2, %r1, 40; szext.wrap.u32 %r3, %r1, 33 | r1=0xFB | r0=-5 r2=0xFB r3=1",
	"bmsk.clamp.b32 %r0, 4, 8; bmsk.wrap.b32 %r1, 33, 34; bmsk.clamp.b32 %r2, 4, 40 | | r0=0xFF0 r1=6 r2=0xFFFFFFF0",
	"dp4a.u32.u32 %r0, %r1, %r2, %r3; dp4a.s32.s32 %r4, %r1, %r2, %r3; dp4a.s32.u32 %r5, %r1, %r2, %r3 | r1=0xFF020304 r2=0x01010102 r3=1000 | r0=1268 r4=1012 r5=1012",
	"dp2a.lo.u32.u32 %r0, %r1, %r2, %r3; dp2a.hi.s32.s32 %r4, %r1, %r2, %r3 | r1=0xFFFF0003 r2=0xFE010203 r3=10 | r0=131089 r4=15",
	"add.cc.u32 %r0, %r1, %r2; addc.cc.u32 %r3, %r4, %r5; addc.u32 %r6, 0, 0 | r1=0xFFFFFFFF r2=1 r4=0xFFFFFFFF r5=0 | r0=0 r3=0 r6=1",
	"sub.cc.u32 %r0, %r1, %r2; subc.cc.u32 %r3, %r4, %r5; subc.u32 %r6, 0, 0 | r1=0 r2=1 r4=0 r5=0 | r0=-1 r3=-1 r6=-1",
	"mad.lo.cc.u32 %r0, %r1, %r2, %r3; madc.hi.u32 %r4, %r1, %r2, %r5 | r1=0xFFFFFFFF r2=0xFFFFFFFF r3=0xFFFFFFFF r5=7 | r0=0 r4=6",
	// Logic, shifts and moves.
	"and.b32 %r0, %r1, %r2; and.b64 %rd0, %rd1, %rd2; and.pred %p0, %p1, %p2; and.b16 %rs0, %rs1, 0xFF | r1=0xFF00 r2=0x0FF0 rd1=0xF rd2=6 p1=1 p2=0 rs1=0x1234 | r0=0x0F00 rd0=6 p0=0 rs0=0x34",
	"or.b32 %r0, %r1, %r2; or.pred %p0, %p1, !%p2 | r1=0xFF00 r2=0x0FF0 p1=0 p2=0 | r0=0xFFF0 p0=1",
	"xor.b32 %r0, %r1, %r2; xor.pred %p0, %p1, %p2 | r1=0xFF00 r2=0x0FF0 p1=1 p2=1 | r0=0xF0F0 p0=0",
	"not.b32 %r0, %r1; not.b16 %rs0, %rs1; not.pred %p0, %p1 | r1=0xFF00 rs1=0x00FF p1=0 | r0=0xFFFF00FF rs0=0xFF00 p0=1",
	"cnot.b32 %r0, %r1; cnot.b32 %r2, %r3 | r1=0 r3=9 | r0=1 r2=0",
	"lop3.b32 %r0, %r1, %r2, %r3, 0x96; lop3.b32 %r4, %r1, %r2, %r3, 0xE8; lop3.b32 %r5, %r1, %r2, %r3, 0xC0 | r1=0xF0F0F0F0 r2=0xCCCCCCCC r3=0xAAAAAAAA | r0=0x96969696 r4=0xE8E8E8E8 r5=0xC0C0C0C0",
	"lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p1 | r1=1 r2=1 r3=1 p1=0 | r0=1 p0=1",
	"shl.b32 %r0, %r1, 4; shl.b32 %r2, %r1, 32; shl.b64 %rd0, %rd1, 40; shl.b16 %rs0, %rs1, 4 | r1=0x12345678 rd1=1 rs1=0x1234 | r0=0x23456780 r2=0 rd0=0x10000000000 rs0=0x2340",
	"shr.u32 %r0, %r1, 4; shr.s32 %r2, %r1, 4; shr.s32 %r3, %r1, 99; shr.s16 %rs0, %rs1, 4; shr.b64 %rd0, %rd1, 60 | r1=0x80000000 rs1=0x8000 rd1=-1 | r0=0x08000000 r2=0xF8000000 r3=-1 rs0=0xF800 rd0=15",
	"shf.l.wrap.b32 %r0, %r1, %r2, 36; shf.r.clamp.b32 %r3, %r1, %r2, 40; shf.r.wrap.b32 %r4, %r1, %r2, 4; shf.l.clamp.b32 %r5, %r1, %r2, 33 | r1=0x12345678 r2=0xABCDEF01 | r0=0xBCDEF011 r3=0xABCDEF01 r4=0x11234567 r5=0x12345678",
	"prmt.b32 %r0, %r1, %r2, 0x7531; prmt.b32 %r3, %r1, %r2, 0x8C00; prmt.b32.rc16 %r4, %r1, %r2, 1; prmt.b32.f4e %r5, %r1, %r2, 1; prmt.b32.b4e %r6, %r1, %r2, 1; prmt.b32.rc8 %r7, %r1, %r2, 2; prmt.b32.ecl %r8, %r1, %r2, 2; prmt.b32.ecr %r9, %r1, %r2, 2 | r1=0x33221180 r2=0x776655F4 | r0=0x77553311 r3=0xFFFF8080 r4=0x33223322 r5=0xF4332211 r6=0x66778011 r7=0x22222222 r8=0x33222222 r9=0x22221180",
	"mov.u32 %r0, %r1; mov.f32 %f0, 0f3F800000; mov.b64 {%r2, %r3}, %rd1; mov.b64 %rd0, {%r1, %r2}; mov.pred %p0, %p1; mov.b32 %r4, {%rs1, %rs2}; mov.b32 {%rs3, %rs4}, %r1; mov.f64 %fd0, 0d4000000000000000; mov.b32 %r5, %f0 | r1=0x00070009 rd1=0x500000006 p1=1 rs1=1 rs2=2 | r0=0x70009 f0=1 r2=6 r3=5 rd0=0x600070009 p0=1 r4=0x20001 rs3=9 rs4=7 fd0=2 r5=0x3F800000",
	"selp.b32 %r0, %r1, %r2, %p1; selp.f64 %fd0, %fd1, 0d0000000000000000, %p2 | r1=1 r2=2 p1=0 p2=1 fd1=2.5 | r0=2 fd0=2.5",
	"slct.u32.s32 %r0, %r1, %r2, %r3; slct.ftz.f32.f32 %f0, %f1, %f2, %f3 | r1=1 r2=2 r3=-1 f1=1 f2=2 f3=-0.0 | r0=2 f0=1",
	// Floating point.
	"add.f32 %f0, %f1, %f2; add.rn.f32 %f3, %f1, %f2; add.f64 %fd0, %fd1, %fd2 | f1=1.5 f2=2.25 fd1=1 fd2=1e-300 | f0=3.75 f3=3.75 fd0=1",
	"add.rz.f32 %f0, %f1, %f2; add.rp.f32 %f3, %f1, %f2; add.rm.f32 %f4, %f1, %f2; add.rp.f64 %fd0, %fd1, %fd2 | f1=1 f2=0x30800000 fd1=1 fd2=1e-30 | f0=1 f3=0x3F800001 f4=1 fd0=0x3FF0000000000001",
	"add.sat.f32 %f0, %f1, %f2; add.ftz.f32 %f3, %f4, %f5; add.sat.f32 %f6, %f7, %f7 | f1=0.75 f2=0.5 f4=0x00000001 f5=0x80000000 f7=nan | f0=1 f3=0 f6=0",
	"sub.f32 %f0, %f1, %f2; sub.rm.f32 %f3, %f1, %f1; sub.f64 %fd0, %fd1, %fd2 | f1=1 f2=0.5 fd1=1 fd2=3 | f0=0.5 f3=-0.0 fd0=-2",
	"mul.f32 %f0, %f1, %f2; mul.rz.f32 %f3, %f4, %f4; mul.rp.f32 %f5, %f4, %f4; mul.f64 %fd0, %fd1, %fd2 | f1=3 f2=0.5 f4=0x3F800001 fd1=3 fd2=4 | f0=1.5 f3=0x3F800002 f5=0x3F800003 fd0=12",
	"fma.rn.f32 %f0, %f1, %f2, %f3; fma.rz.f32 %f4, %f5, %f5, %f6; fma.rn.f64 %fd0, %fd1, %fd1, %fd2; fma.rm.f64 %fd3, %fd1, %fd4, %fd2 | f1=2 f2=3 f3=1 f5=0x3F800001 f6=0 fd1=3 fd2=1 fd4=2 | f0=7 f4=0x3F800002 fd0=10 fd3=7",
	"mad.f32 %f0, %f1, %f2, %f3; mad.rn.f64 %fd0, %fd1, %fd1, %fd2 | f1=2 f2=3 f3=1 fd1=3 fd2=1 | f0=7 fd0=10",
	"div.rn.f32 %f0, %f1, %f2; div.rz.f32 %f3, %f1, %f2; div.rp.f32 %f4, %f1, %f2; div.rn.f64 %fd0, %fd1, %fd2; div.rm.f64 %fd3, %fd1, %fd4 | f1=1 f2=3 fd1=1 fd2=4 fd4=3 | f0=0x3EAAAAAB f3=0x3EAAAAAA f4=0x3EAAAAAB fd0=0.25 fd3=0x3FD5555555555555",
	"div.approx.f32 %f0, %f1, %f2; div.full.f32 %f3, %f1, %f2; div.full.ftz.f32 %f4, %f1, %f2 | f1=8 f2=4 | f0=2 f3=2 f4=2",
	"rcp.rn.f32 %f0, %f1; rcp.rz.f32 %f2, %f3; rcp.rn.f64 %fd0, %fd1; rcp.rp.f32 %f4, %f3 | f1=4 f3=3 fd1=8 | f0=0.25 f2=0x3EAAAAAA fd0=0.125 f4=0x3EAAAAAB",
	"sqrt.rn.f32 %f0, %f1; sqrt.rz.f32 %f2, %f3; sqrt.rp.f32 %f4, %f3; sqrt.rn.f64 %fd0, %fd1 | f1=9 f3=2 fd1=16 | f0=3 f2=0x3FB504F3 f4=0x3FB504F4 fd0=4",
	"rcp.approx.f32 %f0, %f1; rcp.approx.ftz.f32 %f2, %f3; rcp.approx.ftz.f64 %fd0, %fd1 | f1=2 f3=0x00000001 fd1=4 | f0=0.5 f2=inf fd0=0.25",
	"rsqrt.approx.f32 %f0, %f1; rsqrt.approx.ftz.f64 %fd0, %fd1; rsqrt.approx.f64 %fd2, %fd1 | f1=4 fd1=16 | f0=0.5 fd0=0.25 fd2=0.25",
	"sqrt.approx.f32 %f0, %f1 | f1=16 | f0=4",
	"sin.approx.f32 %f0, %f1; cos.approx.f32 %f2, %f1; tanh.approx.f32 %f3, %f1; lg2.approx.f32 %f4, %f5; ex2.approx.f32 %f6, %f7 | f1=0 f5=8 f7=3 | f0=0 f2=1 f3=0 f4=3 f6=8",
	"ex2.approx.ftz.f32 %f0, %f1; lg2.approx.ftz.f32 %f2, %f3 | f1=-140 f3=0x00000001 | f0=0 f2=-inf",
	"min.f32 %f0, %f1, %f2; min.NaN.f32 %f3, %f1, %f2; min.f64 %fd0, %fd1, %fd2; min.f32 %f4, %f5, %f6 | f1=nan f2=2 fd1=1 fd2=-1 f5=0 f6=-0.0 | f0=2 f3=nan fd0=-1 f4=-0.0",
	"max.f32 %f0, %f1, %f2; max.NaN.f32 %f3, %f1, %f2; max.f64 %fd0, %fd1, %fd2; max.f32 %f4, %f5, %f6 | f1=nan f2=2 fd1=1 fd2=-1 f5=-0.0 f6=0 | f0=2 f3=nan fd0=1 f4=0",
	"min.xorsign.abs.f32 %f0, %f1, %f2; max.xorsign.abs.f32 %f3, %f1, %f2 | f1=-3 f2=2 | f0=-2 f3=-3",
	"abs.f32 %f0, %f1; abs.f64 %fd0, %fd1; abs.ftz.f32 %f2, %f3 | f1=-3 fd1=-4 f3=0x80000001 | f0=3 fd0=4 f2=0",
	"neg.f32 %f0, %f1; neg.f64 %fd0, %fd1 | f1=3 fd1=0 | f0=-3 fd0=-0.0",
	"copysign.f32 %f0, %f1, %f2; copysign.f64 %fd0, %fd1, %fd2 | f1=-1 f2=5 fd1=1 fd2=-7 | f0=-5 fd0=7",
	"testp.notanumber.f32 %p0, %f1; testp.infinite.f32 %p1, %f2; testp.subnormal.f32 %p2, %f3; testp.normal.f64 %p3, %fd1; testp.finite.f32 %p4, %f2; testp.number.f32 %p5, %f1 | f1=nan f2=inf f3=0x00000001 fd1=1 | p0=1 p1=1 p2=1 p3=1 p4=0 p5=0",
	// 16 bits: 0x3C00 is 1, 0x4000 is 2, 0x3800 is 0.5; of bf16, 0x3F80 is 1 and 0x4000 is 2.
	"add.f16 %rs0, %rs1, %rs2; add.rn.f16x2 %r0, %r1, %r2; add.bf16 %rs3, %rs4, %rs5; add.sat.f16 %rs6, %rs2, %rs2 | rs1=0x3C00 rs2=0x4000 r1=0x3C003800 r2=0x3C003800 rs4=0x3F80 rs5=0x3F80 | rs0=0x4200 r0=0x40003C00 rs3=0x4000 rs6=0x3C00",
	"sub.f16 %rs0, %rs1, %rs2; sub.f16x2 %r0, %r1, %r2; sub.bf16x2 %r3, %r4, %r4 | rs1=0x3C00 rs2=0x4000 r1=0x3C003C00 r2=0x3C004000 r4=0x3F803F80 | rs0=0xBC00 r0=0x0000BC00 r3=0",
	"mul.f16 %rs0, %rs1, %rs2; mul.f16x2 %r0, %r1, %r1; mul.bf16 %rs3, %rs4, %rs4 | rs1=0x4000 rs2=0x4000 r1=0x40003800 rs4=0x4000 | rs0=0x4400 r0=0x44003400 rs3=0x4080",
	"fma.rn.f16 %rs0, %rs1, %rs1, %rs2; fma.rn.relu.f16 %rs3, %rs1, %rs4, %rs2; fma.rn.bf16 %rs5, %rs6, %rs6, %rs6 | rs1=0x4000 rs2=0x3C00 rs4=0xC000 rs6=0x3F80 | rs0=0x4500 rs3=0 rs5=0x4000",
	"min.f16 %rs0, %rs1, %rs2; min.bf16 %rs3, %rs4, %rs5; max.f16x2 %r0, %r1, %r2; max.bf16x2 %r3, %r4, %r5 | rs1=0x3C00 rs2=0x7FFF rs4=0x3F80 rs5=0x4000 r1=0x3C004000 r2=0x40003C00 r4=0x3F804000 r5=0x40003F80 | rs0=0x3C00 rs3=0x3F80 r0=0x40004000 r3=0x40004000",
	"min.xorsign.abs.f16 %rs0, %rs1, %rs2; max.NaN.xorsign.abs.f16x2 %r0, %r1, %r2 | rs1=0xC000 rs2=0x3C00 r1=0xC000C000 r2=0x3C003C00 | rs0=0xBC00 r0=0xC000C000",
	"neg.f16 %rs0, %rs1; neg.f16x2 %r0, %r1; abs.f16 %rs2, %rs3; abs.bf16x2 %r2, %r3; abs.ftz.f16 %rs4, %rs5 | rs1=0x3C00 r1=0x3C00BC00 rs3=0xBC00 r3=0xBF803F80 rs5=0x8001 | rs0=0xBC00 r0=0xBC003C00 rs2=0x3C00 r2=0x3F803F80 rs4=0",
	"ex2.approx.f16 %rs0, %rs1; tanh.approx.f16 %rs2, %rs3; ex2.approx.f16x2 %r0, %r1; tanh.approx.bf16 %rs4, %rs3 | rs1=0x4000 rs3=0 r1=0x3C000000 | rs0=0x4400 rs2=0 r0=0x40003C00 rs4=0",
	// Conversion.
	"cvt.s64.s32 %rd0, %r1; cvt.u64.u32 %rd1, %r1; cvt.u32.u64 %r0, %rd2; cvt.u16.u32 %rs0, %r1; cvt.s32.s8 %r2, %r3; cvt.u32.u8 %r4, %r3; cvt.s32.s16 %r5, %rs1; cvt.u32.u16 %r6, %rs1; cvt.s16.s8 %rs2, %rs3; cvt.s64.s8 %rd3, %r3; cvt.s8.s32 %r7, %r3 | r1=-2 rd2=0x700000008 r3=0x1FF rs1=0xFFFE rs3=0x80 | rd0=-2 rd1=0xFFFFFFFE r0=8 rs0=0xFFFE r2=-1 r4=0xFF r5=-2 r6=0xFFFE rs2=0xFF80 rd3=-1 r7=-1",
	"cvt.sat.u8.s32 %r0, %r1; cvt.sat.s8.s32 %r2, %r3; cvt.sat.u32.s32 %r4, %r1; cvt.sat.s32.s64 %r5, %rd1; cvt.sat.s16.u32 %rs0, %r6; cvt.sat.u16.u32 %rs1, %r6 | r1=-5 r3=300 rd1=0x7FFFFFFFFF r6=0xFFFFFFFF | r0=0 r2=127 r4=0 r5=0x7FFFFFFF rs0=0x7FFF rs1=0xFFFF",
	"cvt.rzi.s32.f32 %r0, %f1; cvt.rni.s32.f32 %r1, %f2; cvt.rmi.s32.f32 %r2, %f1; cvt.rpi.s32.f32 %r3, %f1; cvt.rzi.u32.f32 %r4, %f1; cvt.rzi.s32.f32 %r5, %f3; cvt.rzi.s64.f64 %rd0, %fd1; cvt.rzi.s64.f32 %rd1, %f3; cvt.rzi.s32.f64 %r6, %fd2; cvt.rni.u8.f32 %r7, %f4; cvt.rzi.s32.f32 %r8, %f5 | f1=-1.5 f2=2.5 f3=nan fd1=1e10 fd2=nan f4=300 f5=1e20 | r0=-1 r1=2 r2=-2 r3=-1 r4=0 r5=0 rd0=10000000000 rd1=0x8000000000000000 r6=0x80000000 r7=255 r8=0x7FFFFFFF",
	"cvt.rn.f32.s32 %f0, %r1; cvt.rz.f32.s32 %f1, %r2; cvt.rp.f32.u64 %f2, %rd1; cvt.rn.f64.u64 %fd0, %rd2; cvt.rn.f64.s32 %fd1, %r1; cvt.rn.f32.u16 %f3, %rs1; cvt.rn.f16.s32 %rs0, %r3; cvt.rn.f32.s8 %f4, %r4 | r1=-7 r2=0x01000001 rd1=0x8000000000000001 rd2=0xFFFFFFFFFFFFFFFF rs1=0xFFFF r3=3 r4=0xFF | f0=-7 f1=16777216 f2=0x5F000001 fd0=18446744073709551616 fd1=-7 f3=65535 rs0=0x4200 f4=-1",
	"cvt.f64.f32 %fd0, %f1; cvt.rn.f32.f64 %f0, %fd1; cvt.rz.f32.f64 %f2, %fd1; cvt.rp.f32.f64 %f3, %fd1; cvt.f32.f16 %f4, %rs1; cvt.rn.f16.f32 %rs0, %f5; cvt.rzi.f32.f32 %f6, %f7; cvt.rni.f32.f32 %f8, %f7; cvt.rmi.f64.f64 %fd2, %fd3; cvt.sat.f32.f32 %f9, %f5; cvt.f64.f16 %fd4, %rs1 | f1=1.5 fd1=0.1 rs1=0x3800 f5=65536 f7=-2.5 fd3=-2.5 | fd0=1.5 f0=0x3DCCCCCD f2=0x3DCCCCCC f3=0x3DCCCCCD f4=0.5 rs0=0x7C00 f6=-2 f8=-2 fd2=-3 f9=1 fd4=0.5",
	"cvt.ftz.f32.f32 %f0, %f1; cvt.rn.ftz.f32.f64 %f2, %fd1 | f1=0x00000001 fd1=1 | f0=0 f2=1",
	"cvt.rn.bf16.f32 %rs0, %f1; cvt.f32.bf16 %f0, %rs1; cvt.rn.relu.bf16.f32 %rs2, %f2; cvt.rz.bf16.f32 %rs3, %f3; cvt.rn.relu.f16.f32 %rs4, %f2 | f1=1 rs1=0x4000 f2=-3 f3=0x3F80FFFF | rs0=0x3F80 f0=2 rs2=0 rs3=0x3F80 rs4=0",
	"cvt.rn.f16x2.f32 %r0, %f1, %f2; cvt.rn.bf16x2.f32 %r1, %f1, %f2 | f1=1 f2=2 | r0=0x3C004000 r1=0x3F804000",
	"cvt.rna.tf32.f32 %r0, %f1 | f1=0x3F801000 | r0=0x3F802000",
	"cvt.pack.sat.s16.s32 %r0, %r1, %r2; cvt.pack.sat.u16.s32 %r3, %r1, %r2 | r1=100000 r2=-5 | r0=0x7FFFFFFB r3=0xFFFF0000",
	"mov.u64 %rd1, sh; cvta.shared.u64 %rd2, %rd1; isspacep.shared %p0, %rd2; isspacep.global %p1, %rd2; isspacep.local %p2, %rd2; isspacep.global %p3, %rd20; cvta.to.shared.u64 %rd3, %rd2; setp.eq.u64 %p4, %rd3, %rd1; isspacep.const %p5, %rd2 | | p0=1 p1=0 p2=0 p3=1 p4=1 p5=0",
	"cvta.to.shared::cta.u64 %rd1, %rd20; cvta.shared::cta.u64 %rd1, %rd20; cvta.to.shared::cluster.u64 %rd1, %rd1; cvta.shared::cluster.u64 %rd1, %rd1; cvta.param::entry.u64 %rd1, %rd20; setp.eq.u64 %p0, %rd1, %rd20 | | p0=1",
	// Comparison.
	"setp.lt.s32 %p0, %r1, %r2; setp.lt.u32 %p1, %r1, %r2; setp.lo.u32 %p2, %r1, %r2; setp.ge.and.s32 %p3, %r2, %r1, %p4; setp.eq.s32 %p5|%p6, %r1, %r2; setp.ne.s64 %p7, %rd1, %rd1; setp.gt.s16 %p8, %rs1, %rs2; setp.hs.u32 %p9, %r1, %r2 | r1=-1 r2=1 p4=1 rd1=5 rs1=1 rs2=-1 | p0=1 p1=0 p2=0 p3=1 p5=0 p6=1 p7=0 p8=1 p9=1",
	"setp.lt.f32 %p0, %f1, %f2; setp.ltu.f32 %p1, %f1, %f2; setp.ne.f32 %p2, %f1, %f2; setp.neu.f32 %p3, %f1, %f2; setp.equ.f32 %p4, %f1, %f2; setp.num.f32 %p5, %f1, %f2; setp.nan.f64 %p6, %fd1, %fd1; setp.geu.f64 %p7, %fd1, %fd2; setp.leu.f32 %p8, %f3, %f4; setp.gtu.f32 %p9, %f3, %f4 | f1=nan f2=1 fd1=nan fd2=1 f3=1 f4=2 | p0=0 p1=1 p2=0 p3=1 p4=1 p5=0 p6=1 p7=1 p8=1 p9=0",
	"setp.lt.or.ftz.f32 %p0|%p1, %f1, %f2, %p2 | f1=1 f2=2 p2=0 | p0=1 p1=0",
	"setp.lt.f16 %p0, %rs1, %rs2; setp.eq.f16x2 %p1|%p2, %r1, %r2; setp.gt.bf16 %p3, %rs3, %rs4 | rs1=0x3C00 rs2=0x4000 r1=0x3C004000 r2=0x40004000 rs3=0x4000 rs4=0x3F80 | p0=1 p1=1 p2=0 p3=1",
	"set.lt.u32.s32 %r0, %r1, %r2; set.gt.f32.s32 %f0, %r2, %r1; set.eq.and.s32.u32 %r3, %r1, %r1, %p1 | r1=-1 r2=1 p1=0 | r0=0xFFFFFFFF f0=1 r3=0",
	"set.lt.u32.f32 %r0, %f1, %f2; set.nan.f32.f64 %f0, %fd1, %fd1 | f1=1 f2=2 fd1=nan | r0=0xFFFFFFFF f0=1",
	"set.lt.f16.f16 %rs0, %rs1, %rs2; set.gt.u16.f16 %rs3, %rs1, %rs2; set.le.bf16.bf16 %rs4, %rs5, %rs5 | rs1=0x3C00 rs2=0x4000 rs5=0x3F80 | rs0=0x3C00 rs3=0 rs4=0x3F80",
	// Memory.
	"ld.global.u32 %r0, [%rd20]; ld.u8 %r1, [%rd20+63]; ld.global.s8 %r2, [%rd20+5]; ld.global.v4.u32 {%r3, _, %r4, %r5}, [%rd20+16]; ld.global.nc.L1::no_allocate.L2::128B.u64 %rd0, [%rd20+8]; ld.volatile.global.u16 %rs0, [%rd20+2]; ld.global.cs.v2.u8 {%rs1, %rs2}, [%rd20+2]; ld.global.f64 %fd0, [%rd20] | | r0=0x03020100 r1=63 r2=5 r3=0x13121110 r4=0x1B1A1918 r5=0x1F1E1D1C rd0=0x0F0E0D0C0B0A0908 rs0=0x0302 rs1=2 rs2=3 fd0=0x0706050403020100",
	"ld.relaxed.gpu.global.u32 %r0, [%rd20]; ld.acquire.sys.u32 %r1, [%rd20+4]; ld.mmio.relaxed.sys.global.u32 %r2, [%rd20] | | r0=0x03020100 r1=0x07060504 r2=0x03020100",
	"ldu.global.u32 %r0, [%rd20+4] | | r0=0x07060504",
	"ld.const.u32 %r0, [co+4]; mov.u64 %rd1, co; ld.u32 %r1, [%rd1] | | r0=12 r1=11",
	"ld.param.u32 %r0, [par+4]; ld.param.v2.u64 {%rd0, %rd1}, [par]; mov.b64 %rd2, par; ld.param.u8 %r1, [%rd2+9]; ld.param.s16 %r2, [par+14] | | r0=0x07060504 rd0=0x0706050403020100 rd1=0x0F0E0D0C0B0A0908 r1=9 r2=0x0F0E",
	"st.shared.u32 [sh], %r1; bar.warp.sync -1; ld.shared.u8 %r0, [sh+1]; mov.u32 %r2, sh; ld.shared.u32 %r3, [%r2]; add.u32 %r2, %r2, 2; ld.shared.u16 %rs0, [%r2] | r1=0x12345678 | r0=0x56 r3=0x12345678 rs0=0x1234",
	"st.local.v2.u32 [lo+8], {%r1, %r2}; mov.u64 %rd1, lo; cvta.local.u64 %rd2, %rd1; ld.u64 %rd0, [%rd2+8]; st.u8 [%rd2], 300; ld.local.u8 %r0, [lo] | r1=1 r2=2 | rd0=0x200000001 r0=44",
	"st.global.f32 [gl], %f1; ld.global.u32 %r0, [gl]; st.global.u64 [gl+8], %rd1; ld.global.v2.u32 {%r1, %r2}, [gl+8]; st.volatile.global.u8 [gl+16], %r3; ld.global.s8 %r4, [gl+16]; @%p1 st.global.u32 [gl], 9; @!%p1 st.global.u32 [gl+4], 7; ld.global.u32 %r5, [gl]; ld.global.u32 %r6, [gl+4] | f1=1 rd1=0x300000004 r3=0x1FF p1=0 | r0=0x3F800000 r1=4 r2=3 r4=-1 r5=0x3F800000 r6=7",
	"st.relaxed.gpu.global.u32 [gl], 5; st.release.sys.global.u32 [gl+4], 6; st.mmio.relaxed.sys.global.u32 [gl+8], 7; ld.global.v2.u32 {%r0, %r1}, [gl]; ld.global.u32 %r2, [gl+8] | | r0=5 r1=6 r2=7",
	"@%p1 ld.global.u32 %r0, [%rd20+4]; @!%p1 ld.global.u32 %r1, [%rd20] | p1=1 r0=1 r1=2 | r0=0x07060504 r1=2",
	"membar.gl; membar.cta; membar.sys; fence.sc.gpu; fence.acq_rel.cta; fence.acquire.gpu; fence.gpu | | ",
	"prefetch.global.L2 [%rd20]; prefetchu.L1 [%rd20]; applypriority.global.L2::evict_normal [%rd20], 128; discard.global.L2 [%rd20], 128; createpolicy.fractional.L2::evict_last.b64 %rd0; createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd20], 4, 8 | | rd0=0 rd1=0",
	// Atomics: every lane of the warp adds to its own word, or all to one.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {0, 100, 0xFF, 7}; bar.warp.sync -1; red.shared.add.u32 [sh], 2; atom.shared.max.u32 %r1, [sh+4], %r8; red.shared.and.b32 [sh+8], 0x3C; atom.shared.exch.b32 %r2, [sh+12], 9; bar.warp.sync -1; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [sh] | | r3=64 r4=100 r5=0x3C r6=9 @31 r1=100 r2=9",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {5, 5, 3, 0}; bar.warp.sync -1; red.shared.min.s32 [sh], -3; red.shared.inc.u32 [sh+4], 6; red.shared.or.b32 [sh+8], 8; atom.shared.cas.b32 %r0, [sh+12], 0, 4; bar.warp.sync -1; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [sh] | | r3=-3 r4=2 r5=11 r6=4 @31 r0=4",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v2.u64 [sh], {0, 0}; @%p8 st.shared.v2.u32 [sh+16], {1, 0}; bar.warp.sync -1; atom.shared.add.u64 %rd0, [sh], 1; red.shared.add.f64 [sh+8], 0d3FF0000000000000; atom.shared.dec.u32 %r0, [sh+16], 3; atom.shared.xor.b32 %r1, [sh+20], 1; bar.warp.sync -1; ld.shared.v2.u64 {%rd1, %rd2}, [sh]; ld.shared.v2.u32 {%r2, %r3}, [sh+16] | | rd1=32 rd2=0x4040000000000000 r2=1 r3=0",
	"atom.acq_rel.gpu.global.add.u32 %r0, [%rd20], 0; atom.relaxed.cta.global.min.u64 %rd0, [%rd20+8], 0xFFFFFFFFFFFFFFFF; atom.global.or.b64 %rd1, [%rd20+16], 0; atom.exch.release.sys.b64 %rd2, [%rd20+24], 0x1F1E1D1C1B1A1918; atom.acquire.global.cas.b64 %rd3, [%rd20+32], 0, 1; atom.add.f32 %f0, [%rd20+40], 0f00000000 | | r0=0x03020100 rd0=0x0F0E0D0C0B0A0908 rd1=0x1716151413121110 rd2=0x1F1E1D1C1B1A1918 rd3=0x2726252423222120 f0=0x2B2A2928",
	// On 16 bits: each lane adds 1 to one float of 16 bits, and the float beside it keeps its value; of two floats, each is a sum.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v2.u32 [sh], {0x3C004000, 0}; bar.warp.sync -1; red.relaxed.cta.shared.add.noftz.f16 [sh+2], %rs1; atom.shared.add.noftz.f16x2 %r0, [sh+4], %r1; bar.warp.sync -1; ld.shared.v2.u32 {%r3, %r4}, [sh] | rs1=0x3C00 r1=0x3C00C000 | r3=0x50204000 r4=0x5000D400 @31 r0=0x4FC0D3C0",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v2.u32 [gl], {0x00003F80, 0x3F803F80}; bar.warp.sync -1; atom.acq_rel.gpu.global.add.noftz.bf16 %rs0, [gl], %rs1; red.global.add.noftz.bf16x2 [gl+4], %r1; bar.warp.sync -1; ld.global.v2.u32 {%r3, %r4}, [gl] | rs1=0x3F80 r1=0x40003F80 | r3=0x4204 r4=0x42824204 @31 rs0=0x4200",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.u32 [gl], 0x00070005; bar.warp.sync -1; @%p8 atom.global.cas.b16 %rs0, [gl+2], 7, 9; @%p8 atom.cas.b16 %rs2, [gl], 7, 9; bar.warp.sync -1; ld.global.u32 %r3, [gl] | | r3=0x00090005 @0 rs0=7 rs2=5",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v4.u32 [gl], {0, 0x3F800000, 0x3C004000, 0}; bar.warp.sync -1; @%p8 atom.global.add.v2.f32 {%f0, %f1}, [gl], {%f2, %f2}; @%p8 atom.global.max.noftz.v2.f16 {%rs0, %rs1}, [gl+8], {%rs2, %rs2}; @%p8 atom.global.add.noftz.v2.f16x2 {%r5, _}, [gl+8], {%r6, %r6}; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl] | f2=2 rs2=0x4200 r6=0x3C003C00 | r0=0x40000000 r1=0x40400000 r2=0x44004400 r3=0x3C003C00 @0 f0=0 f1=1 rs0=0x4000 rs1=0x3C00 r5=0x42004200",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v2.u32 [gl], {0, 0x3F800000}; @%p8 st.global.v4.u32 [gl+16], {0x3F804000, 0, 0x3C003C00, 0xC000}; bar.warp.sync -1; @%p8 red.global.add.v2.f32 [gl], {%f2, %f2}; @%p8 red.global.min.noftz.v4.bf16 [gl+16], {%rs2, %rs2, %rs2, %rs2}; @%p8 red.global.max.noftz.v2.f16x2 [gl+24], {%r6, %r6}; bar.warp.sync -1; ld.global.v2.u32 {%r0, %r1}, [gl]; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [gl+16] | f2=2 rs2=0x3F80 r6=0x4000BC00 | r0=0x40000000 r1=0x40400000 r2=0x3F803F80 r3=0 r4=0x40003C00 r5=0x4000BC00",
	// Generic accesses of a warp to two objects: even lanes to global memory, odd ones to shared memory.
	both + "st.u32 [%rd5], %r9; bar.warp.sync -1; ld.u32 %r0, [%rd5]; ld.global.u32 %r1, [gl]; ld.shared.u32 %r2, [sh] | r9=77 | r0=77 r1=77 r2=77",
	both + "st.u32 [%rd5], %r7; bar.warp.sync -1; ld.u32 %r0, [%rd5]; ld.u8 %r2, [%rd5]; @%p1 ld.u32 %r1, [%rd5] | r1=9 | @0 r0=0 r1=0 r2=0 @1 r0=1 r1=9 r2=1 @30 r0=0 r1=0 @31 r0=1 r1=9",
	both + "st.u64 [%rd5], 0; bar.warp.sync -1; atom.add.u32 %r0, [%rd5], 1; red.add.f32 [%rd5+4], 0f3F800000; bar.warp.sync -1; ld.v2.u32 {%r1, %r2}, [%rd5] | | r1=16 r2=0x41800000 @30 r0=15 @31 r0=15 @2 r0=1 @3 r0=1",
	// Textures of linear memory.
	"tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [tx, {%r9}]; tex.1d.v4.s32.s32 {%r4, _, _, _}, [tx, {4}]; tex.1d.v4.u32.s32 {%r5, _, _, _}, [tx, {%r10}]; tex.1d.v4.f32.s32 {%f0, _, _, _}, [tx, %r9] | r9=1 r10=-1 r4=9 | r0=0x3C00FFFF r1=0 r2=0 r3=0 r4=0 r5=0 f0=0x3C00FFFF",
	"mov.u64 %rd1, tx+16; tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%rd1, {0}]; mov.u64 %rd2, tx+32; @%p1 tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {0}]; @!%p1 tex.1d.v4.s32.s32 {%r8, _, _, _}, [%rd2, {0}] | p1=1 r8=7 | r0=0x03020180 r1=0x3C00FFFF r2=0x80018000 r3=0x7FFF3F80 r4=-128 r5=1 r6=2 r7=3 r8=7",
	"mov.u64 %rd1, tx+48; tex.1d.v4.f32.s32 {%f0, _, _, _}, [%rd1, {1}]; tex.1d.v4.f32.s32 {%f1, %f9, _, _}, [%rd1, {5}]; mov.u64 %rd2, tx+64; tex.1d.v4.f32.s32 {%f2, %f3, _, _}, [%rd2, {2}]; tex.1d.v4.f32.s32 {%f4, %f5, _, _}, [%rd2, {3}] | | f0=0x3B808081 f1=1 f9=0 f2=-1 f3=-1 f4=0x3EFE01FC f5=1",
	"mov.u64 %rd1, tx+80; tex.1d.v4.f32.s32 {%f0, _, _, _}, [%rd1, {3}]; mov.u64 %rd2, tx+96; tex.1d.v4.f32.s32 {%f1, %f2, %f3, _}, [%rd2, {1}] | | f0=1 f1=0x80018000 f2=0x7FFF3F80 f3=0",
	// Warps.
	"mov.u32 %r8, %laneid; shfl.sync.up.b32 %r0|%p0, %r8, 1, 0, -1; shfl.sync.down.b32 %r1|%p1, %r8, 2, 31, -1; shfl.sync.bfly.b32 %r2|%p2, %r8, 1, 31, -1; shfl.sync.idx.b32 %r3, %r8, 5, 31, -1 | | @0 r0=0 p0=0 r1=2 p1=1 r2=1 p2=1 r3=5 @9 r0=8 p0=1 r1=11 r2=8 r3=5 @31 r0=30 r1=31 p1=0 r2=30",
	"mov.u32 %r8, %laneid; shfl.sync.down.b32 %r0|%p0, %r8, %r7, 0x181F, -1; shfl.sync.up.b32 %r1|%p1, %r8, 1, 0x1800, -1; shfl.sync.idx.b32 %r2, %r8, 2, 0x181F, -1; shfl.sync.bfly.b32 %r3, %r8, 9, 0x181F, -1 | r7=1 | @6 r0=7 p0=1 r1=5 p1=1 r2=2 @7 r0=7 p0=0 @8 r0=9 r1=8 p1=0 r2=10 r3=1",
	"mov.u32 %r8, %laneid; shfl.up.b32 %r0, %r8, 1, 0; vote.ballot.b32 %r1, %p1; vote.all.pred %p0, %p1 | p1=1 | r1=-1 p0=1 @5 r0=4",
	"mov.u32 %r8, %laneid; setp.lt.u32 %p1, %r8, 4; vote.sync.ballot.b32 %r0, %p1, -1; vote.ballot.sync.b32 %r1, %p1, -1; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1; vote.sync.uni.pred %p4, %p1, -1; vote.sync.uni.pred %p5, !%p6, -1 | p6=0 | r0=15 r1=15 p2=1 p3=0 p4=0 p5=1",
	"mov.u32 %r8, %laneid; and.b32 %r7, %r8, 1; match.any.sync.b32 %r0, %r7, -1; match.all.sync.b32 %r1|%p1, %r7, -1; match.all.sync.b64 %r2|%p2, %rd1, -1 | rd1=7 | r1=0 p1=0 r2=-1 p2=1 @0 r0=0x55555555 @1 r0=0xAAAAAAAA",
	"mov.u32 %r8, %laneid; redux.sync.add.u32 %r0, %r8, -1; redux.sync.max.s32 %r1, %r8, -1; redux.sync.or.b32 %r2, %r8, -1; redux.sync.min.u32 %r3, %r8, -1; redux.sync.xor.b32 %r4, %r8, -1; redux.sync.and.b32 %r5, %r8, -1 | | r0=496 r1=31 r2=31 r3=0 r4=0 r5=0",
	"activemask.b32 %r0; elect.sync %r1|%p1, -1; bar.warp.sync -1 | | r0=-1 r1=0 @0 p1=1 @4 p1=0",
	"bar.sync 0; barrier.sync 0; bar.cta.sync 0; barrier.cta.sync.aligned 1, 32; bar.sync 2; bar.red.popc.u32 %r0, 0, %p1; bar.red.or.pred %p2, 0, %p1; bar.red.and.pred %p3, 0, !%p1; barrier.red.popc.aligned.u32 %r1, 0, %p1; barrier.cta.red.and.pred %p4, 0, %p1 | p1=1 | r0=32 p2=1 p3=0 r1=32 p4=1",
	"bar.arrive 3, 64; bar.cta.sync 3, 64; barrier.cta.arrive 4, 64; barrier.sync 4, 64 | | ",
	// Barriers in shared memory: 32 arrivals complete the first phase, and bytes are missing in the second one.
	// A launch without clusters has clusters of one block.
	"mapa.shared::cluster.u32 %r1, sh, 0; mapa.u64 %rd1, %rd2, 0; mov.u64 %rd3, sh; mapa.shared::cluster.u64 %rd1, %rd3, 0; st.shared::cluster.u32 [%r1+4], 7; fence.mbarrier_init.release.cluster; " +
		"barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned; ld.shared.u32 %r0, [sh+4]; st.shared.u32 [sh+8], 9; bar.warp.sync -1; ld.shared::cluster.u32 %r2, [%rd1+8]; " +
		"getctarank.shared::cluster.u32 %r3, %r1; getctarank.shared::cluster.u32 %r4, sh; getctarank.shared::cluster.u64 %r5, %rd1; getctarank.u64 %r6, %rd3; mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; " +
		"st.shared.u32 [sh], 0; bar.warp.sync -1; @%p8 red.shared::cluster.add.u32 [%r1], 3; @%p8 atom.shared::cluster.add.u32 %r9, [%r1], 2; bar.warp.sync -1; ld.shared.u32 %r7, [sh] | | r0=7 r2=9 r3=0 r4=0 r5=0 r6=0 r7=5 @0 r9=3",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 mbarrier.init.shared.b64 [sh], 32; bar.warp.sync -1; mbarrier.test_wait.parity.shared.b64 %p1, [sh], 1; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p2, [sh], %r1; bar.warp.sync -1; " +
		"mbarrier.arrive.release.cta.shared::cta.b64 %rd0, [sh]; mbarrier.try_wait.shared.b64 %p3, [sh], %rd0; mbarrier.test_wait.shared.b64 %p4, [sh], %rd0; mbarrier.try_wait.parity.relaxed.cta.shared.b64 %p5, [sh], 0, 20; bar.warp.sync -1; " +
		"@%p8 mbarrier.arrive.shared.b64 _, [sh], 31; @%p8 mbarrier.expect_tx.relaxed.cta.shared.b64 [sh], 16; @%p8 mbarrier.arrive.expect_tx.shared.b64 %rd1, [sh], %r1; bar.warp.sync -1; mbarrier.try_wait.parity.shared.b64 %p6, [sh], 1; " +
		"bar.warp.sync -1; @%p8 mbarrier.inval.shared.b64 [sh] | r1=0 | p1=1 p2=0 p3=1 p4=1 p5=1 p6=0",
	// Of 40 arrivals 9 drop out in the first phase, and two in the second one, of which one brings bytes with it that never come: the phase of parity 1 is not complete.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 mbarrier.init.shared.b64 [sh], 40; bar.warp.sync -1; @%p8 mbarrier.arrive_drop.shared.b64 %rd0, [sh], 8; bar.warp.sync -1; @!%p8 mbarrier.arrive.noComplete.release.cta.shared::cta.b64 _, [sh], 1; " +
		"bar.warp.sync -1; mbarrier.test_wait.parity.shared.b64 %p1, [sh], 0; bar.warp.sync -1; @%p8 mbarrier.arrive_drop.release.cta.shared::cta.b64 _, [sh]; bar.warp.sync -1; mbarrier.test_wait.parity.shared.b64 %p2, [sh], 0; bar.warp.sync -1; " +
		"@%p8 mbarrier.arrive.shared.b64 _, [sh], 29; @%p8 mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [sh], 1; bar.warp.sync -1; mbarrier.test_wait.parity.shared.b64 %p3, [sh], 1; bar.warp.sync -1; " +
		"@%p8 mbarrier.arrive_drop.expect_tx.shared.b64 %rd1, [sh], 16; bar.warp.sync -1; mbarrier.test_wait.parity.shared.b64 %p4, [sh], 1 | | p1=0 p2=1 p3=0 p4=0",
	// Products of matrices. All elements of a register are alike, so that those of the result are sums of equal products.
	"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, _, %f7}, {%r1, %r2, %r2, %r1}, {%r3, %r1}, {%f4, %f5, %f6, %f7} | r1=0x3C003C00 r2=0x40004000 r3=0x44004400 f4=1 f5=2 f6=3 f7=4 | f0=33 f1=34 f2=67 f3=68 f4=49 f5=50 f6=3 f7=76",
	"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0, %r1}, {%r2, %r3}, {%r4}, {%r5, %r5}; mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r6, %r7}, {%r2, %r3, %r2, %r3}, {%r4, %r4}, {%r5, %r5} | r2=0x3C003C00 r3=0x40004000 r4=0x44003C00 r5=0x3C000000 | r0=0x4D404D00 r1=0x51205100 r6=0x51205100 r7=0x55105500",
	"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f4, %f5, %f6, %f7}, {%r1, %r2, %r2, %r1}, {%r3, %r3}, {%f0, %f1, %f2, %f3} | r1=0x3F803F80 r2=0x40004000 r3=0x40803F80 f4=0 f5=1 f6=0 f7=1 | f0=20 f1=21 f2=40 f3=41 f4=80 f5=81 f6=100 f7=101",
	"mov.u32 %r8, %laneid; and.b32 %r7, %r8, 3; cvt.rn.f32.u32 %f8, %r7; mov.b32 %r9, %f8; mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r9, %r1}, {%r9}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f4, %f5, %f6, %f7}, {%r9, %r1, %r1, %r1}, {%r9, %r1}, {%f4, %f4, %f4, %f4} | r1=0x3F801FFF f4=1 f5=1 f6=1 f7=1 | f0=15 f1=15 f2=7 f3=7 f4=19 f5=19 f6=11 f7=11",
	"mov.u32 %r8, %laneid; shr.u32 %r7, %r8, 2; cvt.rn.f64.u32 %fd0, %r7; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd0}, {%fd0}, {%fd3, %fd4} | fd3=1 fd4=2 | @0 fd1=1 fd2=2 @5 fd1=9 fd2=14 @31 fd1=169 fd2=198",
	"mov.u32 %r8, %laneid; shr.u32 %r7, %r8, 2; cvt.rn.f64.u32 %fd0, %r7; mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd0, %fd9}, {%fd0}, {%fd5, %fd6, %fd7, %fd8} | fd5=1 fd6=2 fd7=3 fd8=4 fd9=1 | @0 fd1=1 fd2=2 @5 fd1=9 fd2=14 fd3=11 fd4=16",
	"mov.u32 %r8, %laneid; shr.u32 %r7, %r8, 2; cvt.rn.f64.u32 %fd0, %r7; mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd0, %fd9, %fd0, %fd9}, {%fd0, %fd0}, {%fd5, %fd6, %fd7, %fd8} | fd5=1 fd6=2 fd7=3 fd8=4 fd9=1 | @5 fd1=17 fd2=26 fd3=19 fd4=28",
	"mov.u32 %r8, %laneid; shr.u32 %r7, %r8, 2; cvt.rn.f64.u32 %fd0, %r7; mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd0, %fd9, %fd0, %fd9, %fd0, %fd9, %fd0, %fd9}, {%fd0, %fd0, %fd0, %fd0}, {%fd5, %fd6, %fd7, %fd8} | fd5=1 fd6=2 fd7=3 fd8=4 fd9=1 | @5 fd1=33 fd2=50 fd3=35 fd4=52",
	// Each lane has its number twice in a word, and reads the row that it names.
	"mov.u32 %r8, %laneid; mul.lo.u32 %r7, %r8, 0x10001; and.b32 %r9, %r8, 7; shl.b32 %r5, %r9, 4; mov.u32 %r4, bx; add.u32 %r5, %r5, %r4; stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r7, %r7}; bar.warp.sync -1; ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r5] | | " +
		"@0 r0=0 r1=0x10001 r2=0x20002 r3=0x30003 @5 r0=0x140014 r3=0x170017",
	"mov.u32 %r8, %laneid; mul.lo.u32 %r7, %r8, 0x10001; and.b32 %r9, %r8, 7; mul.wide.u32 %rd0, %r9, 16; mov.u64 %rd1, bx; cvta.shared.u64 %rd1, %rd1; add.u64 %rd1, %rd1, %rd0; stmatrix.sync.aligned.m8n8.x1.trans.b16 [%rd1], {%r7}; bar.warp.sync -1; ld.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1] | | " +
		"@0 r0=0x40000 r1=0xC0008 r2=0x140010 r3=0x1C0018 @3 r0=0x50001 r1=0xD0009",
	"mov.u32 %r8, %laneid; and.b32 %r9, %r8, 7; shl.b32 %r5, %r9, 4; mov.u32 %r4, bx; add.u32 %r5, %r5, %r4; stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%r5], {%r8, %r8, %r8, %r8}; bar.warp.sync -1; ld.shared.u32 %r0, [%r5+4] | | @0 r0=1 @7 r0=29",
	// Ones and twos of e4m3 and e5m2, in which 2 is 0x40.
	"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r2}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f4, %f5, _, %f7}, {%r1, %r2, %r1, %r2}, {%r2, %r2}, {%f4, %f5, %f6, %f7} | r1=0x38383838 r2=0x40404040 f4=1 f5=2 f6=3 f7=4 | f0=33 f1=34 f2=67 f3=68 f4=65 f5=66 f7=132",
	"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16 {%r0, %r4}, {%r1, %r2}, {%r2}, {%r3, %r3}; mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16 {%r5, %r6}, {%r1, %r2, %r1, %r2}, {%r2, %r2}, {%r3, %r3} | r1=0x3C3C3C3C r2=0x40404040 r3=0x3C003C00 | r0=0x50205020 r4=0x54105410 r5=0x54105410 r6=0x58085808",
	"mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8, %r7, %r8}; mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%r9, %r10, _, _}, {%r4, %r5, %r4, %r5}, {%r6, %r6}, {%r7, %r8, %r7, %r8} | r4=0xFFFFFFFF r5=0x01010101 r6=0xFEFEFEFE r7=10 r8=0x80000001 | r0=-4054 r1=0x7FFFF021 r2=4074 r3=0x80000FE1 r9=-16310 r10=0x80000000",
	"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5}; mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {%r6, %r7, %r8, %r9}, {%r2, %r3}, {%r3}, {%r4, %r5, %r4, %r5}; mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r10, %r11, _, _}, {%r2, %r3, %r3, %r2}, {%r3, %r3}, {%r4, %r5, %r4, %r5} | r2=0xFF r3=0xF0F0 r4=100 r5=-1 | r0=116 r1=15 r6=132 r7=31 r8=100 r9=-1 r10=148 r11=47",
	"mov.u32 %r8, %laneid; mad.lo.u32 %r7, %r8, 0x20002, 0x10000; movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r7 | | @0 r0=0x00080000 @1 r0=0x00180010 @4 r0=0x00090001 @31 r0=0x003F0037",
	// Word i of four rows of 16 bytes is i; lane l passes row l%4, so that rows 4 to 7 of a matrix are rows 0 to 3 again.
	"mov.u32 %r8, %laneid; and.b32 %r9, %r8, 15; mov.u32 %r10, sh; mad.lo.u32 %r11, %r9, 4, %r10; st.shared.u32 [%r11], %r9; bar.warp.sync -1; and.b32 %r12, %r8, 3; mad.lo.u32 %r13, %r12, 16, %r10; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r13]; " +
		"ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r1, %r2}, [%r13]; mov.u64 %rd0, sh; cvta.shared.u64 %rd1, %rd0; mad.wide.u32 %rd2, %r12, 16, %rd1; ldmatrix.sync.aligned.m8n8.x4.b16 {%r3, _, _, %r6}, [%rd2] | | " +
		"@0 r0=0 r1=0x00040000 r2=0x00040000 r3=0 r6=0 @1 r0=1 r1=0x000C0008 r2=0x000C0008 r6=1 @4 r0=4 r1=0 @8 r1=0x00050001 @31 r0=15 r1=0 r3=15 r6=15",
	// Asynchronous copies: whole, the first three bytes, and none. An mbarrier waits for one arrival of copies, one of copies that it did
	// not expect, and one of a thread.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v4.u32 [gl], {0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C}; @%p8 st.global.v4.u32 [gl+16], {1, 2, 3, 0x1F1E1D1C}; @%p8 st.global.v4.u32 [gl+32], {0x23222120, 5, 6, 7}; " +
		"@%p8 cp.async.ca.shared.global [sh], [gl+4], 4; @%p8 cp.async.ca.shared::cta.global.L2::128B [sh+8], [gl+8], 8; " +
		"@%p8 cp.async.cg.shared.global.L2::cache_hint [sh+16], [gl+16], 16, %rd1; @%p8 cp.async.commit_group; @%p8 cp.async.ca.shared.global [sh+32], [gl+32], 8, %r1; @%p8 cp.async.ca.shared.global [sh+40], [gl+40], 8, %p5; " +
		"cp.async.commit_group; cp.async.wait_group 0; bar.warp.sync -1; ld.shared.u32 %r0, [sh]; ld.shared.u32 %r2, [sh+12]; ld.shared.u32 %r3, [sh+28]; ld.shared.v2.u32 {%r4, %r5}, [sh+32]; ld.shared.v2.u32 {%r6, %r7}, [sh+40]; " +
		"bar.warp.sync -1; @%p8 cp.async.ca.shared.global [sh+4], [gl], 4; @!%p8 bra END; cp.async.wait_all; END: bar.warp.sync -1; ld.shared.u32 %r9, [sh+4] " +
		"| r1=3 p5=1 | r0=0x07060504 r2=0x0F0E0D0C r3=0x1F1E1D1C r4=0x00222120 r5=0 r6=0 r7=0 r9=0x03020100",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 mbarrier.init.shared.b64 [sh], 2; @%p8 st.global.u32 [gl], 99; bar.warp.sync -1; @%p8 cp.async.ca.shared.global [sh+8], [gl], 4; @%p8 cp.async.mbarrier.arrive.noinc.shared.b64 [sh]; " +
		"@%p8 cp.async.mbarrier.arrive.shared::cta.b64 [sh]; cp.async.wait_all; bar.warp.sync -1; mbarrier.test_wait.parity.shared.b64 %p1, [sh], 0; bar.warp.sync -1; @%p8 mbarrier.arrive.shared.b64 _, [sh]; bar.warp.sync -1; " +
		"mbarrier.test_wait.parity.shared.b64 %p2, [sh], 0; ld.shared.u32 %r0, [sh+8] | | p1=0 p2=1 r0=99",
	// A copy in bulk of 32 bytes completes the phase that expects them.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 mbarrier.init.shared.b64 [sh+56], 1; @%p8 st.global.v4.u32 [gl], {1, 2, 3, 4}; @%p8 st.global.v4.u32 [gl+16], {5, 6, 7, 8}; bar.warp.sync -1; fence.proxy.async.global; cp.async.bulk.prefetch.L2.global [gl], 32; " +
		"@%p8 mbarrier.arrive.expect_tx.shared.b64 %rd1, [sh+56], 32; @%p8 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh+16], [gl], 32, [sh+56]; bar.warp.sync -1; " +
		"LOOP: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 0; @!%p1 bra LOOP; ld.shared.u32 %r0, [sh+16]; ld.shared.u32 %r1, [sh+44] | | r0=1 r1=8",
	// To several blocks of the cluster, which is the block alone, and from its shared memory to it.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; mov.u16 %rs1, 1; @%p8 mbarrier.init.shared.b64 [sh+56], 1; @%p8 st.global.v4.u32 [gl], {1, 2, 3, 4}; bar.warp.sync -1; " +
		"@%p8 mbarrier.arrive.expect_tx.shared.b64 %rd1, [sh+56], 16; @%p8 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [sh+16], [gl], 16, [sh+56], %rs1; bar.warp.sync -1; " +
		"LOOP: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 0; @!%p1 bra LOOP; ld.shared.u32 %r0, [sh+16]; " +
		"@%p8 mbarrier.arrive.expect_tx.shared.b64 %rd1, [sh+56], 16; @%p8 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [sh+32], [sh+16], 16, [sh+56]; bar.warp.sync -1; " +
		"BACK: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 1; @!%p1 bra BACK; ld.shared.u32 %r1, [sh+44] | | r0=1 r1=4",
	// Values that a lane sends to its own block: stored, and then updated.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 mbarrier.init.shared.b64 [sh+56], 1; bar.warp.sync -1; mov.u32 %r2, 77; mov.u32 %r3, 88; mov.u64 %rd2, 0x1122334455667788; @%p8 mbarrier.arrive.expect_tx.shared.b64 %rd1, [sh+56], 44; " +
		"@%p8 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [sh], %r2, [sh+56]; @%p8 st.async.mbarrier::complete_tx::bytes.v4.s32 [sh+16], {%r3, %r2, %r3, 5}, [sh+56]; @%p8 st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [sh+8], %rd2, [sh+56]; " +
		"@%p8 st.async.weak.mbarrier::complete_tx::bytes.v2.b64 [sh+32], {%rd2, 6}, [sh+56]; bar.warp.sync -1; " +
		"LOOP: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 0; @!%p1 bra LOOP; ld.shared.u32 %r0, [sh]; ld.shared.u32 %r1, [sh+8]; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [sh+16]; ld.shared.u32 %r9, [sh+36]; ld.shared.u32 %r10, [sh+40]; bar.warp.sync -1; " +
		"@%p8 mbarrier.arrive.expect_tx.shared.b64 %rd1, [sh+56], 8; @%p8 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [sh+8], {1.5, 2.5}, [sh+56]; bar.warp.sync -1; " +
		"BACK: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 1; @!%p1 bra BACK; ld.shared.u32 %r11, [sh+12] " +
		"| | r0=77 r1=0x55667788 r4=88 r5=77 r6=88 r7=5 r9=0x11223344 r10=6 r11=0x40200000",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 mbarrier.init.shared.b64 [sh+56], 1; @%p8 st.shared.v4.u32 [sh], {5, 0, 10, 20}; @%p8 st.shared.v4.u32 [sh+16], {100, 100, 0xF0, 0xF0}; @%p8 st.shared.v4.u32 [sh+32], {0xF0, 7, 0xFFFFFFFF, 1}; bar.warp.sync -1; " +
		"mov.u64 %rd2, 3; mov.u32 %r2, 0xFF; mov.u32 %r3, -1; @%p8 mbarrier.arrive.expect_tx.shared.b64 %rd1, [sh+56], 48; " +
		"@%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [sh], 5, [sh+56]; @%p8 red.async.relaxed.cluster.mbarrier::complete_tx::bytes.dec.u32 [sh+4], 9, [sh+56]; " +
		"@%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [sh+8], %r2, [sh+56]; @%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 [sh+12], %r3, [sh+56]; " +
		"@%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [sh+16], %r3, [sh+56]; @%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [sh+20], %r3, [sh+56]; " +
		"@%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [sh+24], 0x3C, [sh+56]; @%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [sh+28], 0x0F, [sh+56]; " +
		"@%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [sh+32], %r2, [sh+56]; @%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [sh+36], %r3, [sh+56]; " +
		"@%p8 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [sh+40], %rd2, [sh+56]; bar.warp.sync -1; " +
		"LOOP: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 0; @!%p1 bra LOOP; ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [sh]; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [sh+16]; ld.shared.v4.u32 {%r9, %r10, %r11, %r12}, [sh+32] " +
		"| | r0=0 r1=9 r2=265 r3=19 r4=-1 r5=0xFFFFFFFF r6=0x30 r7=0xFF r9=0x0F r10=7 r11=2 r12=2",
	// Boxes: of all words, of all but the first and one behind the tensor, and back.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; mov.u16 %rs1, 1; mov.u64 %rd1, tm; prefetch.tensormap [%rd1]; @%p8 mbarrier.init.shared.b64 [sh+56], 1; bar.warp.sync -1; cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {0}]; " +
		"@%p8 mbarrier.arrive.expect_tx.shared.b64 %rd2, [sh+56], 16; @%p8 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [bx], [%rd1, {0}], [sh+56]; bar.warp.sync -1; " +
		"LOOP: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 0; @!%p1 bra LOOP; ld.shared.u32 %r0, [bx]; ld.shared.u32 %r1, [bx+12]; " +
		"@%p8 mbarrier.arrive.expect_tx.shared.b64 %rd2, [sh+56], 16; @%p8 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [bx], [%rd1, {4}], [sh+56], %rs1, %rd3; bar.warp.sync -1; " +
		"BACK: mbarrier.try_wait.parity.shared.b64 %p1, [sh+56], 1; @!%p1 bra BACK; ld.shared.u32 %r2, [bx]; @%p8 st.shared.v4.u32 [bx], {5, 6, 7, 8}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {0}], [bx]; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.u32 %r3, [td+8] | | r0=0x03020180 r1=0x7FFF3F80 r2=0 r3=7",
	// Copies in bulk to global memory, and reductions: of 16 bytes on ones, two in each line.
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh+16], {1, 2, 3, 4}; @%p8 st.shared.v4.u32 [sh+32], {5, 6, 7, 8}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"fence.proxy.async; fence.proxy.async.global; @%p8 cp.async.bulk.global.shared::cta.bulk_group [gl], [sh+16], 32; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [gl+32], [sh+32], 16, %rd1; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; ld.global.u32 %r4, [gl+44] | | r0=1 r1=2 r2=3 r3=4 r4=8 r9=5 r10=6 r11=7 r12=8",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [gl+0], [sh], 16, %rd1; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=3 r1=0 r2=8 r3=1 r9=3 r10=0 r11=8 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=1 r1=-1 r2=1 r3=0 r9=2 r10=0xFFFFFFFF r11=7 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u32 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=1 r1=1 r2=1 r3=0 r9=2 r10=1 r11=7 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=2 r1=2 r2=2 r3=0 r9=0 r10=0 r11=0 r12=0",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=0 r1=1 r2=1 r3=0 r9=3 r10=0xFFFFFFFF r11=7 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=3 r1=0xFFFFFFFE r2=6 r3=1 r9=3 r10=0xFFFFFFFE r11=6 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b64 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=0 r1=1 r2=1 r3=0 r9=3 r10=0xFFFFFFFF r11=7 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=3 r1=0 r2=8 r3=1 r9=2 r10=0xFFFFFFFF r11=7 r12=0",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 fence.proxy.async.shared::cta; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u64 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [gl+16], [sh], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=1 r1=1 r2=7 r3=0 r9=2 r10=0xFFFFFFFF r11=1 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v4.u32 [gl], {1, 1, 1, 1}; @%p8 st.global.v4.u32 [gl+16], {1, 1, 1, 1}; @%p8 st.shared.v4.u32 [sh], {2, 0xFFFFFFFF, 7, 0}; @%p8 st.shared.v4.u32 [sh+16], {2, 0xFFFFFFFF, 7, 0}; @%p8 fence.proxy.async.shared::cluster; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [gl+16], [sh+16], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=1 r1=1 r2=1 r3=1 r9=3 r10=0 r11=8 r12=1",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v4.u32 [gl], {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000}; @%p8 st.global.v4.u32 [gl+16], {0, 0x3FF00000, 0, 0x3FF00000}; @%p8 st.shared.v4.u32 [sh], {0x3F800000, 0x40000000, 0xBF800000, 0}; @%p8 st.shared.v4.u32 [sh+16], {0, 0x40000000, 0, 0xBFF00000}; @%p8 fence.proxy.async.shared::cluster; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [gl+16], [sh+16], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=0x40000000 r1=0x40400000 r2=0 r3=0x3F800000 r9=0 r10=0x40080000 r11=0 r12=0",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v4.u32 [gl], {0x3C004000, 0x40003C00, 0, 0x3C003C00}; @%p8 st.global.v4.u32 [gl+16], {0x3F804000, 0x40003F80, 0, 0x3F803F80}; @%p8 st.shared.v4.u32 [sh], {0x3C003C00, 0x3C004000, 0x3C00C000, 0xBC000000}; @%p8 st.shared.v4.u32 [sh+16], {0x3F803F80, 0x3F804000, 0x3F80C000, 0xBF800000}; @%p8 fence.proxy.async.shared::cluster; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [gl+16], [sh+16], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=0x40004200 r1=0x42004200 r2=0x3C00C000 r3=0x00003C00 r9=0x40004040 r10=0x40404040 r11=0x3F80C000 r12=0x00003F80",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v4.u32 [gl], {0x3C004000, 0x40003C00, 0, 0x3C003C00}; @%p8 st.global.v4.u32 [gl+16], {0x3F804000, 0x40003F80, 0, 0x3F803F80}; @%p8 st.shared.v4.u32 [sh], {0x3C003C00, 0x3C004000, 0x3C00C000, 0xBC000000}; @%p8 st.shared.v4.u32 [sh+16], {0x3F803F80, 0x3F804000, 0x3F80C000, 0xBF800000}; @%p8 fence.proxy.async.shared::cluster; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 [gl+16], [sh+16], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=0x3C003C00 r1=0x3C003C00 r2=0x0000C000 r3=0xBC000000 r9=0x3F804000 r10=0x40004000 r11=0x3F800000 r12=0x3F803F80",
	"mov.u32 %r8, %laneid; setp.eq.u32 %p8, %r8, 0; @%p8 st.global.v4.u32 [gl], {0x3C004000, 0x40003C00, 0, 0x3C003C00}; @%p8 st.global.v4.u32 [gl+16], {0x3F804000, 0x40003F80, 0, 0x3F803F80}; @%p8 st.shared.v4.u32 [sh], {0x3C003C00, 0x3C004000, 0x3C00C000, 0xBC000000}; @%p8 st.shared.v4.u32 [sh+16], {0x3F803F80, 0x3F804000, 0x3F80C000, 0xBF800000}; @%p8 fence.proxy.async.shared::cluster; bar.warp.sync -1; " +
		"@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [gl+0], [sh], 16; @%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [gl+16], [sh+16], 16; @%p8 cp.async.bulk.commit_group; @%p8 cp.async.bulk.wait_group.read 0; @%p8 cp.async.bulk.wait_group 0; bar.warp.sync -1; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [gl+0]; ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [gl+16]; | | r0=0x3C004000 r1=0x40004000 r2=0x3C000000 r3=0x3C003C00 r9=0x3F803F80 r10=0x3F803F80 r11=0x0000C000 r12=0xBF800000",
	// Control flow, and predicates.
	"bra OVER; mov.u32 %r0, 1; OVER: add.u32 %r1, %r0, 1 | r0=5 | r0=5 r1=6",
	"setp.ne.u32 %p0, %r1, 0; @%p0 bra.uni YES; mov.u32 %r0, 1; bra END; YES: mov.u32 %r0, 2; END: mov.u32 %r2, %r0 | r1=7 | r0=2 r2=2",
	"mov.u32 %r0, 0; LOOP: add.u32 %r0, %r0, %r1; sub.u32 %r1, %r1, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra LOOP; nanosleep.u32 20; pmevent 1 | r1=10 | r0=55 r1=0",
	"ts: .branchtargets A, B, C; brx.idx %r1, ts; A: mov.u32 %r0, 10; bra END; B: mov.u32 %r0, 20; bra END; C: mov.u32 %r0, 30; END: mov.u32 %r2, 0 | r1=2 | r0=30",
	"@%p1 add.u32 %r0, %r0, 1; @!%p1 add.u32 %r0, %r0, 100; @%p1 trap; @%p1 exit; @%p1 ret; @%p1 brkpt; @%p1 div.u32 %r0, %r0, 0 | p1=0 r0=5 | r0=105",
	"griddepcontrol.wait | | ",
	"{ .reg .u32 %r1; mov.u32 %r1, 9; add.u32 %r0, %r1, 0; } | r1=4 | r0=9 r1=4",
	// Special registers.
	"mov.u32 %r0, %ntid.x; mov.u32 %r1, %laneid; mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %lanemask_ge; mov.u32 %r4, %warpid; mov.u32 %r5, %nwarpid; mov.u32 %r6, %ctaid.y; mov.u32 %r7, WARP_SZ; mov.u32 %r8, %lanemask_eq; mov.u32 %r9, %lanemask_gt; mov.u32 %r10, %lanemask_le; mov.u32 %r11, %nctaid.z; mov.u32 %r12, %cluster_nctarank; mov.u32 %r13, %clusterid.x | | r0=32 r4=0 r5=1 r6=0 r7=32 r11=1 r12=1 r13=0 @4 r1=4 r2=15 r3=0xFFFFFFF0 r8=16 r9=0xFFFFFFE0 r10=31",
	"mov.u64 %rd1, %clock64; mov.u32 %r1, %clock; mov.u64 %rd2, %globaltimer; mov.u32 %r2, %globaltimer_lo; mov.u64 %rd3, %clock64; setp.ge.u64 %p0, %rd3, %rd1; mov.u32 %r3, %dynamic_smem_size | | p0=1 r3=0",
}

// TestInstructions executes instructions.
func TestInstructions(t *testing.T) {
	for _, c := range cases {
		name, _, _ := strings.Cut(c, " |")
		t.Run(name[:min(len(name), 60)], func(t *testing.T) { execute(t, c) })
	}
}

// TestEveryInstruction checks that each row of the table that is not refused has a test with an answer.
func TestEveryInstruction(t *testing.T) {
	tested := map[string]bool{
		"call{.uni}":                            true, // TestCalls
		"setmaxnreg.{inc,dec}.sync.aligned.u32": true, // TestRegisters
	}
	for _, c := range cases {
		code := c[:strings.LastIndex(c[:strings.LastIndex(c, "|")], "|")]
		m, err := readptx.Read("test.ptx", []byte(program(t, code, nil, nil)))
		require.NoError(t, err)
		for _, p := range m.PatternsOf("k") {
			tested[p] = true
		}
	}
	for _, i := range readptx.Instructions() {
		if i.Refused == "" && !tested[i.Pattern] && i.Section != "Products of matrices by warpgroups" && i.Section != "Products of matrices by fragments" { // TestGroupMMA, TestWmma
			t.Errorf("%s has no test", i.Pattern)
		}
	}
}
