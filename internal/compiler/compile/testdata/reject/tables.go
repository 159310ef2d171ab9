package reject

import "github.com/weft-gpu/weft/gpu"

var (
	table    = [4]uint32{1, 2, 3, 4}
	list     = []uint32{1, 2, 3}
	empty    [4]uint32
	computed = [2]uint32{1, one()}
	copied   = table
	texts    = [2]string{"a", "b"}
	huge     = [1 << 20]uint32{1}
	filled   = [4]uint32{1}
	passed   = [4]uint32{1}
	cell     = touch(&passed)
	scalar   = uint32(7)
)

func one() uint32 { return 1 }

func touch(p *[4]uint32) uint32 { p[1] = 2; return 0 }

func init() { fill() }

func fill() { filled[1] = 5 }

func Kinds(t gpu.Thread, a []uint32) {
	i := t.Global()
	a[0] = table[i] // fine
	a[1] = list[i]
	a[2] = empty[i]
	a[3] = computed[i]
	a[4] = copied[i]
	a[5] = uint32(len(texts[i]))
	a[6] = huge[i]
	a[7] = filled[i]
	a[8] = passed[i]
	a[9] = scalar
}

func Writes(t gpu.Thread, a []uint32) {
	table[a[0]] = 1
	gpu.AtomicAdd(&table[a[1]], 1)
	gpu.Store(&table[2], 1)
	set(table[1:], 3)
	p := &a[0]
	if a[3] == 0 {
		p = &table[0]
	}
	*p = 4
	gpu.Store4(table[:], 0, [4]uint32{})
}

func set(s []uint32, v uint32) { s[0] = v }
