//go:build cgo && linux

package worker

import (
	"encoding/binary"
	"strings"

	"github.com/weft-gpu/weft/hw/internal/cuda"
)

// answers adds two of our kernels to each launch, in one graph: the first records the time before the launch, and the
// last writes the duration of the launch and its answer to host memory, which the host polls. Two events and a copy
// would take the host 10 microseconds more, which is longer than many launches.
type answers struct {
	timer  *cuda.Timer
	stamp  *cuda.Function // nil if launches are made in steps
	behind *cuda.Function
	since  uint64   // address of the first kernel's time
	at     uint64   // address of words for the GPU
	words  []uint64 // what the last kernel writes, with marks
	early  bool     // see cuda.Timer.NewChain
	// overhead is the time that the kernels measure in addition to the launch, in seconds.
	overhead float64
}

// stampKernel stores %globaltimer.
const stampKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry weft_stamp(.param .u64 p0)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p0];
	mov.u64 %rd2, %globaltimer;
	st.global.u64 [%rd1], %rd2;
	ret;
}
`

// answerKernel stores at p1 the time since the time stored at p5, in two words, followed by p2 words from p0, which it
// sets to zero if p4 is not 0. Each stored word has 64 bits, which are written atomically, with the mark p3 in the
// upper half, so that no fence is needed. The kernel runs as one warp. The words in capitals depend on the GPU; see
// answers.open.
const answerKernel = `.version VERSION
.target TARGET
.address_size 64
.visible .entry weft_answer(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3, .param .u32 p4, .param .u64 p5)
{
	.reg .pred %p<4>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<14>;
	WAIT
	mov.u64 %rd8, %globaltimer;
	ld.param.u64 %rd1, [p0];
	ld.param.u64 %rd2, [p1];
	ld.param.u32 %r1, [p2];
	ld.param.u32 %r2, [p3];
	ld.param.u32 %r3, [p4];
	ld.param.u64 %rd9, [p5];
	mov.u32 %r4, %tid.x;
	setp.ne.u32 %p2, %r3, 0;
	mov.u32 %r6, 0;
	setp.ne.u32 %p3, %r4, 0;
	@%p3 bra next;
	ld.global.u64 %rd10, [%rd9];
	sub.u64 %rd11, %rd8, %rd10;
	mov.b64 {%r7, %r8}, %rd11;
	mov.b64 %rd12, {%r7, %r2};
	mov.b64 %rd13, {%r8, %r2};
	st.relaxed.sys.global.u64 [%rd2], %rd12;
	st.relaxed.sys.global.u64 [%rd2+8], %rd13;
next:
	setp.ge.u32 %p1, %r4, %r1;
	@%p1 bra done;
	mul.wide.u32 %rd3, %r4, 4;
	add.u64 %rd4, %rd1, %rd3;
	mul.wide.u32 %rd5, %r4, 8;
	add.u64 %rd6, %rd2, %rd5;
	ld.global.u32 %r5, [%rd4];
	mov.b64 %rd7, {%r5, %r2};
	st.relaxed.sys.global.u64 [%rd6+16], %rd7;
	@%p2 st.global.u32 [%rd4], %r6;
	add.u32 %r4, %r4, 32;
	bra next;
done:
	ret;
}
`

// tickKernel stores the shortest of 32 observed steps of %globaltimer.
const tickKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry weft_tick(.param .u64 p0)
{
	.reg .pred %p<3>;
	.reg .b32 %r<2>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [p0];
	mov.u64 %rd5, 1000000000;
	mov.u32 %r1, 0;
	mov.u64 %rd2, %globaltimer;
again:
	mov.u64 %rd3, %globaltimer;
	setp.eq.u64 %p1, %rd3, %rd2;
	@%p1 bra again;
	sub.u64 %rd4, %rd3, %rd2;
	min.u64 %rd5, %rd5, %rd4;
	mov.u64 %rd2, %rd3;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p2, %r1, 32;
	@%p2 bra again;
	st.global.u64 [%rd1], %rd5;
	ret;
}
`

// coarse is the largest step of the GPU's clock, in nanoseconds, with which kernels can be timed.
const coarse = 100

// open creates the kernels if the GPU's clock is fine enough. at is the address by which the GPU accesses the shared
// host memory.
func (s *answers) open(w *gpu, at uint64, capability int) error {
	since, err := w.ctx.Alloc(8)
	if err != nil {
		return err
	}
	tick, err := w.one(tickKernel, "weft_tick")
	if err != nil {
		return err
	}
	if err := tick.Launch([3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, false, []uint64{since}); err != nil {
		return err
	}
	var b [8]byte
	if err := w.ctx.Read(since, b[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint64(b[:]) > coarse {
		return nil
	}
	// From compute capability 9.0 on, the last kernel can be prepared early.
	fill := strings.NewReplacer("VERSION", "7.0", "TARGET", "sm_70", "WAIT", "")
	early := capability >= 9
	if early {
		fill = strings.NewReplacer("VERSION", "7.8", "TARGET", "sm_90", "WAIT", "griddepcontrol.wait;")
	}
	behind, err := w.one(fill.Replace(answerKernel), "weft_answer")
	if err != nil {
		return err
	}
	stamp, err := w.one(stampKernel, "weft_stamp")
	if err == nil {
		*s = answers{timer: w.timer, stamp: stamp, behind: behind, since: since, at: at + markedAt, words: w.ch.marked(), early: early}
	}
	return err
}

// chain returns the graph for a function; nil if launches are made in steps.
func (s *answers) chain(f *cuda.Launch) *cuda.Chain {
	if s.stamp == nil {
		return nil
	}
	c, err := s.timer.NewChain(s.stamp, s.since, f, s.behind, s.early)
	if err != nil && s.early {
		s.early = false // a driver older than CUDA 12.3; the wait instruction costs nothing if there is nothing to wait for
		c, err = s.timer.NewChain(s.stamp, s.since, f, s.behind, false)
	}
	if err != nil {
		return nil // an even older driver
	}
	return c
}

// run makes a launch and copies its answer to to.
func (s *answers) run(w *gpu, c *cuda.Chain, l *cuda.Launch, a *LaunchCall, to []byte) (seconds float64, err error) {
	n := a.AnswerBytes / 4
	clear := uint64(0)
	if a.ClearAfter {
		clear, w.busy = 1, true
	}
	mark := a.Mark
	if mark == 0 { // one of our own launches; the parent uses other marks
		w.mark++
		mark = 1<<31 + w.mark
	}
	words := s.words[:answerHead+n]
	if err := c.Run(l, [...]uint64{a.Answer, s.at, uint64(n), uint64(mark), clear, s.since}, words, mark); err != nil {
		return 0, err
	}
	for i, v := range words[answerHead:] {
		binary.LittleEndian.PutUint32(to[4*i:], uint32(v))
	}
	ns := uint64(uint32(words[0])) | words[1]<<32
	return Without(float64(ns)/1e9, s.overhead), nil
}
