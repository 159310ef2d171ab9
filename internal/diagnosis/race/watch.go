package race

// mark says on which lines of the race that is watched an instruction is.
type mark uint8

const (
	onFirst mark = 1 << iota
	onSecond
)

// place is a word that an instruction of a watched line has accessed; block is that of shared memory, else 0.
type place struct {
	memory *shadow
	block  uint32
	off    int
}

// visits are the threads that accessed a place from the two lines.
type visits [2]struct {
	thread  uint64 // the first of them, plus 1; 0 for none
	several bool
}

// watch finds the instructions of the lines of a race, if somebody wants to know whether they meet.
func (d *Detector) watch() {
	r := d.races.Watched()
	d.watching, d.visited = r != nil && !d.races.Met(), nil
	if !d.watching {
		return
	}
	d.visited = map[place]*visits{}
	for _, j := range d.jobs {
		if j.grid == nil {
			continue
		}
		j.marks = make([]mark, len(j.grid.Prog.Code))
		for pc := range j.marks {
			in := &j.grid.Prog.Code[pc]
			if classOf(in) == none {
				continue
			}
			first, second := r.On(j.grid.At(in))
			if first {
				j.marks[pc] |= onFirst
			}
			if second {
				j.marks[pc] |= onSecond
			}
		}
	}
}

// visit records that a lane accesses a word from a watched line. The lines meet if different threads have accessed a word
// from them.
func (b *Block) visit(index, lane int, m mark, addr uint64) {
	d := b.d
	a := mover{b: b}
	off := 0
	if !d.watching || !b.find(&a, addr, &off) {
		return
	}
	at := place{memory: a.s, off: off}
	if a.s == &b.shared {
		at.block = b.first + 1
	}
	v := d.visited[at]
	if v == nil {
		v = &visits{}
		d.visited[at] = v
	}
	thread := uint64(b.warps[index].id)<<5 + uint64(lane) + 1
	for i := range v {
		x := &v[i]
		switch {
		case m>>i&1 == 0:
		case x.thread == 0:
			x.thread = thread
		case x.thread != thread:
			x.several = true
		}
	}
	if x, y := v[0], v[1]; x.thread != 0 && y.thread != 0 && (x.thread != y.thread || x.several || y.several) {
		d.races.Meet()
		d.watching = false
	}
}
