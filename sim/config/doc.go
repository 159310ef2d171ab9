// Package config describes simulated machines. A GPU is a struct of parameters, each with a unit, an allowed range and
// a meaning. Presets describe real GPUs and give a source for each number; a user's file lists the differences from a
// preset; and Set overrides parameters by name:
//
//	g, err := config.Load("h200")        // or a file: "./my-gpu.yaml"
//	err = g.Set("l2.latency", "300")     // the same as --set l2.latency=300
//	err = g.Set("dram.bandwidth", "9.6 TB/s")
//	err = g.Validate()                   // are the parameters consistent?
//	fmt.Println(g.Hash())                // identifies all values
//
// Parameters returns all parameters with meaning, range and source, and WriteYAML writes a whole machine as a file.
// The command "weft list parameters" prints them.
//
// Times belong to clock domains. A value with the unit "cycle" is in cycles of clock.sm, a value with the unit "L2
// cycle" is in cycles of clock.l2, and all other times and rates are in physical units (GB/s, ns, us), so that
// changing one clock does not change the rates of other domains. InSMCycles and DRAMTiming convert the values when a
// machine is built.
package config
