package ir

// Kernel is a compiled entry point.
type Kernel struct {
	Name    string // "micro.Copy"
	Params  []Param
	Func    *Func    // optimised SSA
	Program *Program // what executes
}

// Param is one parameter of the Go function; gpu.Thread is not counted.
type Param struct {
	Name   string
	Type   string // Go type as written in the source
	Leaves []int  // indices into Func.Leaves, in order
	Bound  bool   // bound to a compile-time constant: not an argument of the launch
}
