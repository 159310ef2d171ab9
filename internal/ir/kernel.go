package ir

// Kernel is a compiled entry point.
type Kernel struct {
	Name    string // "micro.Copy"
	Params  []Param
	Func    *Func    // optimised SSA
	Program *Program // what executes
}

// Param is one parameter of the Go function, after gpu.Thread.
type Param struct {
	Name   string
	Type   string // Go type as written
	Leaves []int  // indices into Func.Leaves, in order
	Bound  bool   // a compile-time constant: takes no argument at launch
}
