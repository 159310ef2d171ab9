package cuda

import (
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/config"
)

// properties are what a program can ask about a GPU, in the order of enum weft_property.
type properties struct {
	name                                             string
	memory, sharedBlock, sharedOptin, sharedSM       uint64
	registers, clock, major, minor, sms, memoryClock uint64
	bus, l2, threads, blocks, peers                  uint64
	copyLatency, copyRate, deviceLatency             float64 // seconds, bytes per second
}

// list returns the numbers in their order.
func (p *properties) list() []uint64 {
	return []uint64{p.memory, p.sharedBlock, p.sharedOptin, p.sharedSM, p.registers, p.clock, p.major, p.minor, p.sms, p.memoryClock, p.bus, p.l2, p.threads, p.blocks, p.peers}
}

// usualShared is the shared memory that a block may have without asking for more, on every GPU since 2010.
const usualShared = 48 << 10

// propertiesOf returns the properties of a device.
func propertiesOf(spec *devices.Spec, d device.Device) properties {
	if real, ok := d.(realGPU); ok {
		return propertiesOfReal(real.Info())
	}
	var cfg *config.GPU
	switch m := d.(type) {
	case devices.Simulated:
		cfg = m.Config()
	case interface{ Config() *config.GPU }:
		cfg = m.Config()
	}
	if cfg == nil { // the functional executor computes occupancy for a machine of compute capability 8.0
		return properties{
			name: "weft functional executor", memory: 64 << 30, sharedBlock: usualShared, sharedOptin: 163 << 10, sharedSM: 164 << 10,
			registers: 64 << 10, clock: 1_000_000, major: 8, sms: 8, memoryClock: 1_000_000, bus: 4096, l2: 32 << 20, threads: 2048, blocks: 32, peers: 1,
		}
	}
	sm := &cfg.SM
	p := properties{
		name: cfg.Title, memory: uint64(cfg.DRAM.Capacity) << 20, sharedBlock: uint64(min(usualShared, sm.SharedBlock)), sharedOptin: uint64(sm.SharedBlock),
		sharedSM: uint64(sm.SharedBytes), registers: uint64(sm.Registers), clock: uint64(cfg.Clock.SM * 1000), sms: uint64(sm.Count),
		l2: uint64(cfg.L2.Bytes), threads: uint64(sm.Threads), blocks: uint64(sm.Blocks), peers: 1,
		copyLatency: cfg.Copy.Latency * 1e-6, copyRate: cfg.Copy.Rate * 1e9, deviceLatency: cfg.Launch.Kernel * 1e-6,
	}
	if title, _, ok := strings.Cut(p.name, " ("); ok {
		p.name = title
	}
	// A data sheet's bandwidth is the product of bus and clock, with two transfers in a cycle.
	p.bus = uint64(cfg.DRAM.Channels) * 64
	p.memoryClock = uint64(cfg.DRAM.Bandwidth * 1e9 / float64(p.bus/8) / 2 / 1000)
	p.major, p.minor = 5, 0
	if sm.Divergence == "its" {
		p.major, p.minor = 9, 0
	}
	if c := cfg.Capability(); c > 0 {
		p.major, p.minor = uint64(c/10), uint64(c%10)
	}
	return p
}
