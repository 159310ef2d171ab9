package waitfor_test

import (
	"embed"
	"testing"

	"github.com/weft-gpu/weft/device"
)

//go:embed testdata/registers/*.go
var registers embed.FS

// TestRegisters launches kernels that wait for registers for ever, and their twins that end.
func TestRegisters(t *testing.T) {
	findsPlanted(t, registers, "registers", []string{"func", "tiny", "h200"}, device.Launch{Grid: 1, Block: 256}, 256, []plantedHang{
		{"NobodyGives", device.CauseRegisters, []string{
			"block 0, warps 4 to 7 (128 threads) registers/registers.go:15:18 in NobodyGives waits at t.TakeRegisters for 56 more registers a thread, of which 0 are free in the block",
			"warps want 56 more registers a thread; the kernel begins with 96 for each of the 8 warps of a block, and 0 were given back and not taken again",
			"let a warpgroup of the block give back as many registers as others take, by t.GiveRegisters before it waits for them or ends, or take fewer",
		}},
		// Of four warps that give 48 each, three find what they want: 3 * 56 of 4 * 48.
		{"GivesTooFew", device.CauseRegisters, []string{"(32 threads)", "waits at t.TakeRegisters for 56 more registers a thread, of which 24 are free in the block"}},
		{"GivesBehindWait", device.CauseRegisters, []string{"registers/registers.go:51:18 in GivesBehindWait waits at t.TakeRegisters for 56 more registers a thread", "each of these waits for the next: [0] -> [1] -> [0]"}},
	})
}
