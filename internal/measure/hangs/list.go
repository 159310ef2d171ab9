package hangs

import (
	"slices"

	"github.com/weft-gpu/weft/scheduler"
)

// Scenarios returns all scenarios.
func Scenarios() []*Scenario {
	return slices.Concat(barriers(), locks(), waits(), syncs())
}

// Find returns the scenario of that name, or nil.
func Find(name string) *Scenario {
	for _, s := range Scenarios() {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Names returns the names of all scenarios.
func Names() (names []string) {
	for _, s := range Scenarios() {
		names = append(names, s.Name)
	}
	return names
}

// gridParam is the type of the parameter Blocks, whose values are a Grid.
const gridParam scheduler.ParamType = "grid"

// The parameters that several scenarios have.

func blocksParam(value, doc string) scheduler.Param {
	return scheduler.Param{Name: Blocks, Type: gridParam, Unit: "block", Default: value, Doc: doc + "; a number, fit for as many as are resident, eq1 for what equation 1 of SIMD-X says, or such as fit+1 or 2*fit"}
}

func threadsParam(value string, multiple int) scheduler.Param {
	return scheduler.Param{Name: Threads, Type: scheduler.IntParam, Unit: "thread", Default: value, Min: float64(multiple), Max: 1024, Multiple: multiple, Doc: "threads per block"}
}

func registersParam(value string) scheduler.Param {
	return scheduler.Param{Name: Registers, Type: scheduler.IntParam, Unit: "register", Default: value, Min: 0, Max: 255,
		Doc: "registers per thread; 0: the kernel's own. A real GPU runs a kernel that keeps so many values alive, or its own number if that is more"}
}

func number(name, unit, value string, least, most float64, doc string) scheduler.Param {
	return scheduler.Param{Name: name, Type: scheduler.IntParam, Unit: unit, Default: value, Min: least, Max: most, Doc: doc}
}

func word(name, value, doc string, words ...string) scheduler.Param {
	return scheduler.Param{Name: name, Type: scheduler.WordParam, Default: value, Doc: doc, Words: words}
}

// cases returns sets of parameters.
func cases(sets ...map[string]string) []map[string]string { return sets }

// all reports whether all words have a value.
func all(words []uint32, value uint32) bool {
	return !slices.ContainsFunc(words, func(w uint32) bool { return w != value })
}
