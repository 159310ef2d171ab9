package host

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/experiments/second/llvm"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

//go:embed harness/harness.c
var harness []byte

// harness compiles harness.c.
func (d *Device) harness() (err error) {
	if d.dir, err = os.MkdirTemp("", "weft-second"); err != nil {
		return err
	}
	source := filepath.Join(d.dir, "harness.c")
	if err := os.WriteFile(source, harness, 0o644); err != nil {
		return err
	}
	return d.clang(context.Background(), "-O1", "-Wall", "-Werror", "-c", source, "-o", filepath.Join(d.dir, "harness.o"))
}

// Close deletes what was built.
func (d *Device) Close() error { return os.RemoveAll(d.dir) }

func (d *Device) clang(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, d.opts.Clang, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", d.opts.Clang, err, out[:min(len(out), 2000)])
	}
	return nil
}

// program compiles a kernel, once.
func (d *Device) program(ctx context.Context, k *ir.Kernel) (string, error) {
	if path, ok := d.built[k.Func]; ok {
		return path, nil
	}
	text, err := llvm.Module(llvm.X86, k.Func)
	if err != nil {
		return "", err
	}
	if d.opts.Edit != nil {
		text = d.opts.Edit(text)
	}
	path := filepath.Join(d.dir, fmt.Sprintf("k%d", len(d.built)))
	if err := os.WriteFile(path+".ll", []byte(text), 0o644); err != nil {
		return "", err
	}
	// Products and sums stay apart, as in Go: -ffp-contract=off.
	err = d.clang(ctx, "-"+d.opts.Level, "-ffp-contract=off", "-Wno-override-module", path+".ll", filepath.Join(d.dir, "harness.o"), "-lm", "-o", path)
	if err != nil {
		return "", fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	d.built[k.Func] = path
	return path, nil
}

// An address in a kernel is hostBase plus the number of the allocation times hostStep plus the offset: below 2^47, where a
// process of Linux has nothing else, and with room behind each buffer.
const (
	hostBase   = 1 << 44
	hostShift  = 32
	idShift    = 40 // of Weft's addresses
	offsetMask = 1<<idShift - 1
	mostIDs    = 1 << 14
)

// stackBytes is the size of a thread's stack without its local variables.
const stackBytes = 64 << 10

// part is an allocation that a launch may access.
type part struct {
	at    uint64
	bytes []byte
}

// execute runs a built kernel in a process of its own.
func (d *Device) execute(ctx context.Context, program string, g *simt.Grid) error {
	leaves, parts, err := d.memory(g)
	if err != nil {
		return err
	}
	_, shared := llvm.SharedLayout(g.Kernel.Func)
	local := 0
	for _, v := range g.Kernel.Func.Local {
		local += v.Size + 16
	}
	var in, out, problem bytes.Buffer
	words := []uint64{}
	for _, n := range append(g.Shape.Grid[:], g.Shape.Block[:]...) {
		words = append(words, uint64(n))
	}
	words = append(words, uint64(shared), uint64(g.Launch.DynamicShared), uint64(stackBytes+local)&^4095, d.opts.Turns, uint64(len(leaves)))
	words = append(append(words, leaves...), uint64(len(parts)))
	if err := binary.Write(&in, binary.LittleEndian, words); err != nil {
		return err
	}
	for _, p := range parts {
		if err := binary.Write(&in, binary.LittleEndian, []uint64{p.at, uint64(len(p.bytes))}); err != nil {
			return err
		}
		in.Write(p.bytes)
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &problem
	if err := cmd.Run(); err != nil {
		return errors.New(strings.TrimSpace(fmt.Sprintf("%v: %s", err, problem.String())))
	}
	for _, p := range parts {
		if n := copy(p.bytes, out.Next(len(p.bytes))); n != len(p.bytes) {
			return fmt.Errorf("%d bytes of memory are missing", len(p.bytes)-n)
		}
	}
	return nil
}

// memory returns the values of the kernel's leaves with addresses of the process, and the allocations to which they point.
func (d *Device) memory(g *simt.Grid) (leaves []uint64, parts []part, err error) {
	seen := map[uint64]bool{}
	for i := range g.Prog.Leaves {
		leaf, bits := &g.Prog.Leaves[i], g.Leaves[i]
		if !leaf.Addr() || bits == 0 {
			leaves = append(leaves, bits)
			continue
		}
		id, offset := bits>>idShift, bits&offsetMask
		if id >= mostIDs || offset >= 1<<hostShift {
			return nil, nil, fmt.Errorf("%s has no place in the process", leaf.Name)
		}
		at := hostBase + id<<hostShift
		leaves = append(leaves, at+offset)
		if alloc, _ := d.mem.Lookup(bits); alloc != nil && !seen[id] {
			seen[id] = true
			parts = append(parts, part{at, alloc.Data})
		}
	}
	return leaves, parts, nil
}
