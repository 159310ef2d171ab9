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
	Kind    Kind // U32 or U64
	Changes bool // while the kernel runs: OpReadSpecial reads it, OpSpecial the others
}

// Specials is the table of all special values.
var Specials = [NumSpecials]SpecialInfo{
	TID:         {Name: "tid", Kind: U32},
	CTAID:       {Name: "ctaid", Kind: U32},
	NTID:        {Name: "ntid", Kind: U32},
	NCTAID:      {Name: "nctaid", Kind: U32},
	LaneID:      {Name: "laneid", Kind: U32},
	SMID:        {Name: "smid", Kind: U32},
	Clock64:     {Name: "clock64", Kind: U64, Changes: true},
	GlobalTimer: {Name: "globaltimer", Kind: U64, Changes: true},
}

// String is the name in the text form.
func (s Special) String() string { return Specials[s].Name }
