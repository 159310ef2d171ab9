package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-gpu/weft/sim/config"
)

// A machine is a preset, or a file that says what differs from another machine.
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

// Set takes what --set takes: a value, with or without a unit.
func ExampleGPU_Set() {
	g, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Set("clock.sm", "1.5 GHz"), g.Clock.SM)
	fmt.Println(g.Set("clock.sm", "1.5 ns"))
	// Output:
	// <nil> 1500
	// parameter clock.sm: "1.5 ns" is not a value in MHz from 1 to 100000 (clock of the multiprocessors with their L1 and shared memory; what is given in cycles is in cycles of it)
}
