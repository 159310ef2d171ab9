//go:build !kernel

package micro

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// sharedWarps is the number of warps of the rows that fill an SM's data stage.
const sharedWarps = 32

// place is the word that a lane accesses.
type place func(lane int) int

// The patterns of the rows: d lanes on one element, or w elements of one bank with the other lanes apart; width is
// that of an element in words.
func lanesOnOne(d, width int) place { return func(l int) int { return l / d * width } }

func rowsOfOneBank(w, width int) place {
	return func(l int) int {
		if l < w {
			return l * 32
		}
		return l * width % 32
	}
}

// inStride is the pattern of a column: lane l is s words after lane l-1.
func inStride(s int) place { return func(l int) int { return l * s } }

// fullSharedRows measures the cycles of an access of a warp when 32 warps keep the data stage of an SM busy.
func fullSharedRows() []Row {
	var rows []Row
	add := func(access uint32, name string, at place) {
		rows = append(rows, Row{"shared memory", name + ", 32 warps", "cycle", false, func(r *Runner) (float64, error) {
			words, err := alloc(r, "at", device.U32, 32, func(i int) uint32 { return uint32(at(i)) })
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 32*sharedWarps)
			if err != nil {
				return 0, err
			}
			const steps = 128
			return r.clockedAs("SharedAccess", map[string]any{"access": access}, 1, 32*sharedWarps, steps*sharedWarps, func(c device.Buffer) []any { return []any{words, steps, c, end} })
		}})
	}
	for _, s := range []int{1, 2, 8, 32, 33} {
		add(SharedLoad, fmt.Sprintf("load of 4 bytes, %d words apart", s), inStride(s))
	}
	for _, s := range []int{2, 4, 32} {
		add(SharedLoad8, fmt.Sprintf("load of 8 bytes, %d words apart", s), inStride(s))
	}
	for _, s := range []int{4, 8, 32} {
		add(SharedLoad16, fmt.Sprintf("load of 16 bytes, %d words apart", s), inStride(s))
	}
	add(SharedLoad16, "load of 16 bytes, 8 rows by lane % 8", func(l int) int { return l%8*32 + l/8*4 })
	add(SharedLoad16, "load of 16 bytes, pairs of lanes on one element", lanesOnOne(2, 4))
	add(SharedLoad16, "load of 16 bytes, all lanes on one element", lanesOnOne(32, 4))
	for _, k := range []struct {
		access uint32
		name   string
		width  int
		most   int
	}{
		{SharedAddOne, "atomic add of 1 without result", 1, 32},
		{SharedAdd, "atomic add of a number without result", 1, 32},
		{SharedAddResult, "atomic add with result", 1, 32},
		{SharedMin, "atomic minimum without result", 1, 32},
		{SharedCAS, "compare and swap", 1, 32},
		{SharedExch8, "exchange of 8 bytes", 2, 32},
		{SharedCAS8, "compare and swap of 8 bytes", 2, 32},
		{SharedAdd8, "atomic add of 8 bytes", 2, 8},
		{SharedAddFloat, "atomic add of float32", 1, 8},
	} {
		for _, d := range []int{1, 4, 32} {
			d = min(d, k.most)
			add(k.access, fmt.Sprintf("%s, %d lanes an address", k.name, d), lanesOnOne(d, k.width))
		}
		for _, w := range []int{4, 32} {
			w = min(w, k.most)
			add(k.access, fmt.Sprintf("%s, %d words of one bank", k.name, w), rowsOfOneBank(w, k.width))
		}
	}
	return rows
}

// stageRows measures how accesses to L1, to shared memory and shuffles share the data stage of an SM.
func stageRows() []Row {
	var rows []Row
	for _, k := range []struct {
		name  string
		other uint32
		rows  int
	}{
		{"16-byte load of L1", StageL1, 0},
		{"16-byte load of shared memory", StageNothing, 1},
		{"16-byte loads of L1 and of shared memory", StageL1, 1},
		{"16-byte load of L1 and two of shared memory", StageL1, 2},
		{"shuffle and 16-byte load of shared memory", StageShuffle, 1},
	} {
		rows = append(rows, Row{"data stage", k.name + ", 32 warps", "cycle", false, func(r *Runner) (float64, error) {
			global, err := alloc(r, "global", device.U32, 128, func(i int) uint32 { return uint32(i &^ 3) })
			if err != nil {
				return 0, err
			}
			end, err := r.words("end", 32*sharedWarps)
			if err != nil {
				return 0, err
			}
			const steps = 128
			return r.clockedAs("DataStage", map[string]any{"other": k.other, "rows": uint32(k.rows)}, 1, 32*sharedWarps, steps*sharedWarps, func(c device.Buffer) []any { return []any{global, steps, c, end} })
		}})
	}
	for _, k := range []struct {
		name string
		at   func(i int) uint32
	}{
		{"random bytes", func(i int) uint32 { return hash(uint32(i)) }},
		{"three bytes in four equal", func(i int) uint32 {
			return hash(uint32(i))&0xff<<(hash(uint32(i)+1)&3*8) | 0x41414141&^(0xff<<(hash(uint32(i)+1)&3*8))
		}},
		{"all bytes equal", func(i int) uint32 { return 0x41414141 }},
		{"bytes of one bank", func(i int) uint32 { return hash(uint32(i)) & 0xe0e0e0e0 }},
	} {
		rows = append(rows, Row{"data stage", "histogram of " + k.name + ", per 32 bytes", "cycle", false, func(r *Runner) (float64, error) {
			const words = 16 << 10
			in, err := alloc(r, "in", device.U32, words, k.at)
			if err != nil {
				return 0, err
			}
			bins, err := r.words("bins", 32*sharedWarps)
			if err != nil {
				return 0, err
			}
			return r.clocked("Histogram", 1, 1024, words*4/32, false, func(c device.Buffer) []any { return []any{in, c, bins} })
		}})
	}
	return rows
}

// packetRows measures the packets that one SM sends to the L2 and receives, by the cycles of an atomic of a warp.
func packetRows() []Row {
	var rows []Row
	for _, k := range []struct {
		name   string
		access uint32
	}{
		{"add without result", PacketAdd}, {"add with result", PacketAddResult}, {"compare and swap", PacketCAS}, {"exchange", PacketExch},
	} {
		for _, bytes := range []int{4, 8} {
			for _, degree := range []int{1, 2, 32} {
				kernel, kind := "AtomicPackets", device.U32
				if bytes == 8 {
					kernel, kind = "AtomicPackets8", device.U64
				}
				name := fmt.Sprintf("one SM, %s of %d bytes, %d lanes an address", k.name, bytes, degree)
				rows = append(rows, Row{"global atomics", name, "cycle", false, func(r *Runner) (float64, error) {
					const steps, stride = 32, 128
					var cells device.Buffer
					var err error
					if kind == device.U64 {
						cells, err = alloc[uint64](r, "cells", kind, sharedWarps*4*stride, nil)
					} else {
						cells, err = r.words("cells", sharedWarps*4*stride)
					}
					if err != nil {
						return 0, err
					}
					end, err := r.words("end", 32*sharedWarps)
					if err != nil {
						return 0, err
					}
					return r.clockedAs(kernel, map[string]any{"access": k.access}, 1, 32*sharedWarps, steps*sharedWarps, func(c device.Buffer) []any { return []any{degree, cells, steps, stride, c, end} })
				}})
			}
		}
	}
	return rows
}
