package ir

// Kernel is a compiled entry point.
type Kernel struct {
	Name     string // "micro.Copy"
	Params   []Param
	Func     *Func    // optimised SSA
	Program  *Program // what executes
	MaxBlock [3]int   // the largest block of a launch; zeros: any
	// The rest is set for kernels read from PTX.
	Source    *Source
	OnlyBlock [3]int // the only block of a launch; zeros: any
	// OnlyCluster is the number of blocks in a cluster that every launch has (.reqnctapercluster); 0 if it may have any. OnlyClusterDim are
	// those along each dimension.
	OnlyCluster    int
	OnlyClusterDim [3]int
}

// Param is one parameter of the Go function; gpu.Thread is not counted.
type Param struct {
	Name   string
	Type   string // Go type as written in the source
	Leaves []int  // indices into Func.Leaves, in order
	Bound  bool   // bound to a compile-time constant: not an argument of the launch
	// Bytes is the size of the parameter if the launch passes its bytes; a leaf is then
	// the part of it at Leaf.Off. 0 for parameters of Go.
	Bytes int
	Align int
}
