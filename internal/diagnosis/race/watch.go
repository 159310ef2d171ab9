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
	watched := d.races.Watched()
	d.watching, d.visited = watched != nil && !d.races.Met(), nil
	if !d.watching {
		return
	}
	d.visited = map[place]*visits{}
	for _, job := range d.jobs {
		if job.grid == nil {
			continue
		}
		job.marks = make([]mark, len(job.grid.Prog.Code))
		for pc := range job.marks {
			in := &job.grid.Prog.Code[pc]
			if classOf(readBy(in)) == none {
				continue
			}
			first, second := watched.On(job.grid.At(in))
			if first {
				job.marks[pc] |= onFirst
			}
			if second {
				job.marks[pc] |= onSecond
			}
		}
	}
}

// visit records that a lane of the warp with a number accesses a word from a watched line. The lines meet if different threads have accessed a word
// from them.
func (b *Block) visit(id uint32, lane int, marks mark, addr uint64) {
	detector := b.d
	access := mover{b: b}
	off := 0
	if !detector.watching || !b.find(&access, addr, &off) {
		return
	}
	at := place{memory: access.s, off: off}
	// A place of shared memory is one of a block. Blocks follow each other in the same cells, and never meet.
	if access.s == &b.shared {
		at.block = b.first + 1
	}
	visited := detector.visited[at]
	if visited == nil {
		visited = &visits{}
		detector.visited[at] = visited
	}
	thread := uint64(id)<<5 + uint64(lane) + 1
	for i := range visited {
		line := &visited[i]
		switch {
		case marks>>i&1 == 0:
		case line.thread == 0:
			line.thread = thread
		case line.thread != thread:
			line.several = true
		}
	}
	// The two lines may be one: then two threads have to have come there.
	if line, other := visited[0], visited[1]; line.thread != 0 && other.thread != 0 && (line.thread != other.thread || line.several || other.several) {
		detector.races.Meet()
		detector.watching = false
	}
}
