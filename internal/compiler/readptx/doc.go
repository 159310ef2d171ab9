// Package readptx reads PTX, NVIDIA's virtual instruction set, as clang, nvcc and
// people write it, and turns its kernels into the IR: the counterpart of package ptx,
// which prints it.
//
//	m, err := readptx.Read("prog.ptx", text)
//	k, err := m.Kernel("_Z3addPiS_i")
//	dev.Launch(ctx, device.Launch{Kernel: k.ForHost(), ..., Args: []any{buffer, []byte{...}, uint32(7)}})
//
// A module is parsed at once; a kernel is built, with all functions that it calls in
// line, when it is asked for. The table of instructions (the files table*.go) has a row
// for every form of an instruction: its modifiers in the order of the PTX ISA, and what
// builds it, or why it is refused. Registers of 8 and 16 bits are 32-bit values of the
// IR with zeros above.
package readptx
