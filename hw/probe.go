package hw

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Probe returns a kernel that uses about the given number of registers per thread and exactly the given static shared
// memory per block in bytes, to ask the driver how many of its blocks fit on an SM. It loads that many words, waits at
// a barrier and stores them.
func Probe(registers, shared int) (*device.Kernel, Binary) {
	name := fmt.Sprintf("probe.Registers%dShared%d", registers, shared)
	live := max(registers-8, 1) // addresses and the ABI use the rest
	var s strings.Builder
	s.WriteString(".version 7.1\n.target sm_70\n.address_size 64\n")
	if shared > 0 {
		fmt.Fprintf(&s, ".shared .align 4 .b8 room[%d];\n", shared)
	}
	fmt.Fprintf(&s, ".visible .entry probe(.param .u64 p0)\n{\n\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%rd1;\n\tld.param.u64 %%rd1, [p0];\n", live+1)
	for i := range live {
		fmt.Fprintf(&s, "\tld.volatile.global.u32 %%r%d, [%%rd1+%d];\n", i, 4*i)
	}
	if shared > 0 {
		s.WriteString("\tst.volatile.shared.u32 [room], %r0;\n")
	}
	s.WriteString("\tbar.sync 0;\n")
	for i := range live {
		fmt.Fprintf(&s, "\tst.volatile.global.u32 [%%rd1+%d], %%r%d;\n", 4*i, i)
	}
	s.WriteString("\tret;\n}\n")
	k := &ir.Kernel{Name: name, Program: &ir.Program{Name: name, SharedBytes: shared}}
	return k.ForHost(), Binary{Code: []byte(s.String()), Entry: "probe"}
}
