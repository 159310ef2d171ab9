package readptx

import (
	_ "embed"
	"fmt"
)

// A texture is 16 bytes in global memory: the address of its texels, their number, and their format, which is 0 as long as the texture is
// bound to no memory. An object is the address of these bytes, and a variable .texref has them. Who runs a kernel writes them: package cuda
// does for a CUDA program.
//
// Bits 0 and 1 of the format are the logarithm of the bytes of a channel, bits 2 and 3 that of the channels. Bit 4 is set for signed
// integers, bit 5 for floats, bit 6 if reads of integers are normalised to [-1, 1], and bit 7 in every format.
const textureBytes = 16

// textureRows are the instructions of textures that are had: those of linear memory, which have an integer coordinate (PTX ISA, "Texture
// Instructions").
var textureRows = []row{
	{pattern: "tex.1d.v4.{u32,s32,f32}.s32", args: "d, [a, c]", build: buildTexture},
}

//go:embed texture.ptx
var textureCode string

// textureFunction is the name of the function that fetches a texel, under which no module has one.
const textureFunction = "tex.1d"

// builtIn reads the functions of textures, once for the module: the names of registers are kept by function.
func (m *Module) builtIn() *function {
	if f := m.functions[textureFunction]; f != nil {
		return f
	}
	of, err := Read("texture.ptx", []byte(textureCode))
	if err != nil {
		panic(fmt.Sprintf("the text that comes with weft cannot be read: %v", err))
	}
	for _, name := range of.order {
		f := of.functions[name]
		f.builtIn = true
		for i := range f.body {
			if c := f.body[i].call; c != nil {
				c.target = textureFunction + "." + c.target
			}
		}
		m.functions[textureFunction+"."+name] = f
	}
	m.functions[textureFunction] = of.functions["fetch"]
	return of.functions["fetch"]
}

// buildTexture builds the fetch of a texel in line.
func buildTexture(b *builder, s *inst) {
	at := s.args[1]
	if at.form != formAddress || at.name == "" || at.bits != 0 {
		b.fail("the texture is neither a register nor a variable")
	}
	if len(at.list) != 1 {
		b.fail("%s has the operands d, [a, c]: a texture and one coordinate", s.op+s.statement.mods)
	}
	coordinate := at.list[0]
	if coordinate.form == formVector && len(coordinate.list) == 1 {
		coordinate = coordinate.list[0]
	}
	b.builtInCall(s, textureFunction, b.parts(s.args[0], 4), []operand{{form: formReg, name: at.name}, coordinate})
}

// builtInCall builds a call of a function that comes with the reader. Its code has the line of the instruction.
func (b *builder) builtInCall(s *inst, name string, results, args []operand) {
	b.m.builtIn()
	one := *s.statement
	one.call = &call{target: name, results: results, args: args}
	b.inline(&inst{statement: &one, form: s.form}, b.m.functions[name])
}
