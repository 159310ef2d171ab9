package readptx

// Instruction is a row of the table of instructions.
type Instruction struct {
	Section string // of the PTX ISA
	Pattern string // "add{.sat}.s32": .sat may stand there; in .{a,b} one of the words
	Args    string // the operands
	Refused string // why it is not supported, and what to do instead; "" if it is
}

// Instructions returns the table of instructions.
func Instructions() (list []Instruction) {
	for _, t := range tables {
		for _, r := range t.rows {
			list = append(list, Instruction{t.section, r.pattern, r.args, r.refuse})
		}
	}
	return list
}

// tables are the rows by section of the PTX ISA.
var tables = []struct {
	section string
	rows    []row
}{
	{"Integer arithmetic", integerRows},
	{"Logic, shifts and moves", logicRows},
	{"Floating point, 32 and 64 bits", floatRows},
	{"Floating point, 16 bits", halfRows},
	{"Conversion", convertRows},
	{"Comparison", compareRows},
	{"Memory", memoryRows},
	{"Atomics", atomicRows},
	{"Textures", textureRows},
	{"Warps and barriers", warpRows},
	{"Barriers in shared memory", mbarrierRows},
	{"Clusters", clusterRows},
	{"Products of matrices", matrixRows},
	{"Products of matrices by fragments", wmmaRows},
	{"Products of matrices by warpgroups", sumsRows},
	{"Asynchronous copies", copyRows},
	{"Copies in bulk", bulkRows},
	{"Copies of boxes of tensors", tensorRows},
	{"Control flow", controlRows},
	{"Not supported", refusedRows},
}
