package devices

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/results"
)

// Meta returns where measurements on an open device come from; command is the command line that measures.
func Meta(d device.Device, command string) results.Meta {
	m := results.Meta{GPU: d.Name(), Date: time.Now().UTC().Format(time.RFC3339), Commit: buildinfo.This().Commit, Command: command}
	gpu, ok := d.(interface{ Info() hw.Info })
	if !ok {
		return m
	}
	info := gpu.Info()
	m.GPU, m.CUDA, m.SMs, m.EventUS = info.Name, info.DriverVersion, info.SMs, info.EventOverhead*1e6
	m.ClockMHz, m.MemoryMHz = info.ClockKHz/1000, info.MemoryClockKHz/1000
	m.Properties = &results.Properties{Capability: fmt.Sprintf("%d.%d", info.Major, info.Minor), Threads: info.ThreadsPerSM, Blocks: info.BlocksPerSM,
		Registers: info.RegistersPerSM, SharedBytes: info.SharedPerSM, SharedBlock: info.SharedPerBlock, SharedReserve: info.ReservedShared,
		L2Bytes: info.L2Bytes, BusBits: info.MemoryBusBits, Memory: info.Memory}
	m.Driver = smi(info.Index, "driver_version")
	m.Clocks = smi(info.Index, "clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem")
	if g, ok := device.AsGroup(d); ok && g.GPUs() > 1 {
		m.GPU, m.Peers = fmt.Sprintf("%d x %s", g.GPUs(), m.GPU), peers(g)
	}
	return m
}

// smi queries nvidia-smi; it returns "" if there is none.
func smi(gpu int, query string) string {
	b, err := exec.Command("nvidia-smi", fmt.Sprintf("--id=%d", gpu), "--query-gpu="+query, "--format=csv,noheader").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// peers says how the GPUs of a group reach each other. If not all do so in the same way, it lists the pairs.
func peers(g device.Group) string {
	var pairs, words []string
	for i := range g.GPUs() {
		for j := range g.GPUs() {
			if i == j {
				continue
			}
			words = append(words, waysOf(g.Peer(i, j)))
			pairs = append(pairs, fmt.Sprintf("%d to %d: %s", i, j, words[len(words)-1]))
		}
	}
	if len(slices.Compact(slices.Clone(words))) == 1 {
		return words[0]
	}
	return strings.Join(pairs, "; ")
}

// waysOf describes how a GPU reaches the memory of another one.
func waysOf(p device.Peer) string {
	if !p.Copy {
		return "through the memory of the host"
	}
	words := []string{"copies"}
	if p.Access {
		words = append(words, "remote accesses")
	}
	if p.Atomics {
		words = append(words, "remote atomics")
	}
	text := strings.Join(words, ", ")
	if p.Link != "" {
		text = p.Link + ": " + text
	}
	return text
}
