package ir

// Special is a read-only value that the machine gives a thread.
type Special uint8

// The special values.
const (
	TID    Special = iota // thread index in the block
	CTAID                 // block index in the grid
	NTID                  // threads a block
	NCTAID                // blocks in the grid
	LaneID                // lane in the warp
	SMID                  // SM the block runs on
	Clock64
	GlobalTimer // nanoseconds
	NumSpecials
)

// SpecialInfo describes one special value.
type SpecialInfo struct {
	Name    string
	Func    string // the method of gpu.Thread that reads it
	Kind    Kind   // U32 or U64
	Changes bool   // while the kernel runs: OpReadSpecial reads it, OpSpecial the others
}

// Specials is the table of all special values.
var Specials = [NumSpecials]SpecialInfo{
	TID:         {Name: "tid", Func: "Thread.Idx", Kind: U32},
	CTAID:       {Name: "ctaid", Func: "Thread.Block", Kind: U32},
	NTID:        {Name: "ntid", Func: "Thread.BlockDim", Kind: U32},
	NCTAID:      {Name: "nctaid", Func: "Thread.GridDim", Kind: U32},
	LaneID:      {Name: "laneid", Func: "Thread.Lane", Kind: U32},
	SMID:        {Name: "smid", Func: "Thread.SM", Kind: U32},
	Clock64:     {Name: "clock64", Func: "Thread.Clock", Kind: U64, Changes: true},
	GlobalTimer: {Name: "globaltimer", Func: "Thread.GlobalTimer", Kind: U64, Changes: true},
}

// String is the name in the text form.
func (s Special) String() string { return Specials[s].Name }
