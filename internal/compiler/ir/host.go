package ir

import "github.com/weft-gpu/weft/device"

// ForHost returns k in the form that host programs and devices use. Compiled is
// the inverse.
func (k *Kernel) ForHost() *device.Kernel {
	d := device.Kernel{Name: k.Name}
	if p := k.Program; p != nil {
		d.Registers, d.Shared, d.Local, d.Barriers = p.RegCount, p.SharedBytes, p.LocalBytes, p.NamedBarriers()
	}
	for _, block := range [][3]int{k.MaxBlock, k.OnlyBlock} {
		if n := block[0] * block[1] * block[2]; n > 0 {
			d.MaxThreads = n
		}
	}
	for i := range k.Params {
		d.Params = append(d.Params, k.paramForHost(&k.Params[i]))
	}
	return device.NewKernel(d, k)
}

// Compiled returns the compiled kernel of a host program's kernel; nil if it
// was not compiled.
func Compiled(k *device.Kernel) *Kernel {
	if k == nil {
		return nil
	}
	c, _ := k.Code().(*Kernel)
	return c
}

func (k *Kernel) paramForHost(p *Param) device.Param {
	out := device.Param{Name: p.Name, Type: p.Type, Bound: p.Bound, Bytes: p.Bytes, Align: p.Align}
	if p.Bytes > 0 {
		return out
	}
	for _, number := range p.Leaves {
		leaf := k.leaf(number)
		part := device.Part{Name: leaf.Name, Kind: device.Kind(leaf.Elem), Size: leaf.Size}
		switch leaf.Role {
		case Scalar:
			part.Kind = leaf.HostKind()
			part.Size = part.Kind.Bytes()
		case Base:
			part.Form = device.Slice
		case Pointer:
			part.Form = device.Pointer
		case Length: // length of the preceding slice
			continue
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// leaf returns a leaf, from the program if there is one: hand-written kernels
// have no SSA form.
func (k *Kernel) leaf(n int) *Leaf {
	if k.Program != nil {
		return &k.Program.Leaves[n]
	}
	return &k.Func.Leaves[n]
}

// ForHost returns v in the form that host programs and devices use.
func (v *Variable) ForHost() *device.Variable {
	return device.NewVariable(device.Variable{Name: v.Name, Bytes: v.Size, Constant: v.Const, Managed: v.Managed}, v)
}
