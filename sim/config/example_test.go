package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-gpu/weft/sim/config"
)

// Load a preset, override parameters, check that they are consistent, and identify the result by its hash.
func Example() {
	g, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	preset := g.Hash()
	for _, p := range [][2]string{{"sm.count", "8"}, {"l2.bytes", "1 MiB"}, {"dram.bandwidth", "0.1 TB/s"}} {
		if err := g.Set(p[0], p[1]); err != nil {
			panic(err)
		}
	}
	fmt.Println(g.SM.Count, g.L2.Bytes, g.DRAM.Bandwidth, g.Validate())
	fmt.Println("same machine:", g.Hash() == preset)
	// Output:
	// 8 1048576 100 <nil>
	// same machine: false
}

// A machine is a preset, or a file that lists the differences from another machine.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "machine")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "wide.yaml")
	text := "base: h200\nvalues:\n  sm.count: 66\n  dram.bandwidth: 9.6 TB/s\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		panic(err)
	}
	for _, name := range []string{"h200", file} {
		g, err := config.Load(name)
		if err != nil {
			panic(err)
		}
		fmt.Println(g.Title, g.SM.Count, g.DRAM.Bandwidth)
	}
	// Output:
	// NVIDIA H200 (Hopper, 2024) 132 4800
	// based on NVIDIA H200 (Hopper, 2024) 66 9600
}

// Set accepts the same values as --set: a number, with or without a unit.
func ExampleGPU_Set() {
	g, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Set("clock.sm", "1.5 GHz"), g.Clock.SM)
	fmt.Println(g.Set("clock.sm", "1.5 ns"))
	// Output:
	// <nil> 1500
	// parameter clock.sm: "1.5 ns" is not a value in MHz from 1 to 100000 (clock of the SMs with their L1 and shared memory; times with the unit cycle are in cycles of this clock); a unit is one of MHz, kHz, GHz
}

// Validate names the parameters that are inconsistent, with their values.
func ExampleGPU_Validate() {
	g, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	g.SM.Threads = 2048
	fmt.Println(g.Validate())
	// Output:
	// machine tiny: sm.threads (2048) is more than 32 for each of sm.warps (32)
}

// Nearest finds the parameter that a mistyped name means.
func ExampleNearest() {
	for _, p := range config.Nearest("l2.latncy", 2) {
		fmt.Printf("%s [%s %s]: %s\n", p.Path, p.Range(), p.Unit, p.Doc)
	}
	// Output:
	// l2.latency [1 to 2000 L2 cycle]: latency of a hit within the slice
	// l1.latency [1 to 2000 cycle]: latency of a hit, from issue to use
}
