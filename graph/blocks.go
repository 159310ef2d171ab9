package graph

import (
	"bytes"
	"sync"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// block is some lines of a text, and what a goroutine found in them.
type block struct {
	part
	text  []byte // whole lines
	line  int    // lines before
	first uint64 // METIS: vertices before

	weights  weightSource
	stated   snapHeader
	seen     uint64 // edges
	extra    uint64 // edges with columns that are ignored
	known    bool   // edge list: whether weights.have is known
	comments []int  // METIS: their lines
	err      error  // the first one, in this block
	parsed   chan struct{}
}

// lineParser adds what a line says to a block. It returns an error by l.fail.
type lineParser func(l *lines, line []byte, to *block) error

// parse parses the lines of a block, after seen edges.
func (b *block) parse(name string, f lineParser, seen uint64) {
	b.part.empty()
	b.weights.bad, b.seen, b.extra, b.comments, b.err = 0, seen, 0, b.comments[:0], nil
	l := &lines{name: name, buf: b.text, end: len(b.text), eof: true, line: b.line, limit: len(b.text)}
	for b.err == nil {
		line, ok := l.next()
		if !ok {
			return
		}
		b.err = f(l, line, b)
	}
}

// parsing is how a format is read by blocks.
type parsing struct {
	parse lineParser
	// most is the number of edges that the header states.
	most uint64
	// vertices is set if each line that is no comment is a vertex.
	vertices bool
}

// inFlight limits the bytes of text that are read and not parsed, unless a single line is longer.
const inFlight = 64 << 20

// readBlocks parses the rest of a text on all cores and adds it to the builder. This goroutine
// reads and decompresses the text, divides it at ends of lines, and takes the results in the order
// of the text; thus the first error is that of one goroutine. start is what precedes the rest. done
// is called for each block.
func (b *builder) readBlocks(l *lines, how parsing, start *block, done func(*block)) error {
	seen, first := start.seen, start.first
	take := func(x *block) error {
		if x.seen > how.most-min(seen, how.most) { // one line is too many; find it, or an error before
			x.parse(l.name, how.parse, seen)
			x.seen -= seen
		}
		if x.err != nil {
			return x.err
		}
		seen += x.seen
		done(x)
		return b.take(x)
	}
	var free, queue []*block
	next := func() (*block, bool) {
		text, ok := l.block()
		if !ok {
			return nil, false
		}
		x := &block{parsed: make(chan struct{}, 1)}
		if n := len(free); n > 0 {
			x, free = free[n-1], free[:n-1]
		}
		x.text, x.line, x.first, x.weights, x.known, x.keepLoops = text, l.line, first, b.weights, true, b.keepLoops
		ends := bytes.Count(text, []byte("\n"))
		if text[len(text)-1] != '\n' {
			ends++
		}
		l.line += ends
		if how.vertices {
			first += uint64(ends - comments(text))
		}
		return x, true
	}
	workers := cores()
	work := make(chan *block, 2*workers)
	var all sync.WaitGroup
	defer all.Wait()
	defer close(work)
	flying := 0
	for started := 0; ; {
		for len(queue) > 0 && (len(queue) == cap(work) || flying > inFlight) {
			x := queue[0]
			queue = queue[1:]
			<-x.parsed
			if err := take(x); err != nil {
				return err
			}
			flying -= len(x.text)
			l.recycle(x.text)
			free = append(free, x)
		}
		x, ok := next()
		if !ok {
			break
		}
		if workers == 1 || started == 0 && l.eof { // or the only block
			x.parse(l.name, how.parse, 0)
			if err := take(x); err != nil {
				return err
			}
			l.recycle(x.text)
			free = append(free, x)
			continue
		}
		if started < workers {
			started++
			all.Go(func() {
				for x := range work {
					x.parse(l.name, how.parse, 0)
					x.parsed <- struct{}{}
				}
			})
		}
		flying += len(x.text)
		queue = append(queue, x)
		work <- x
	}
	for _, x := range queue {
		<-x.parsed
		if err := take(x); err != nil {
			return err
		}
	}
	start.seen, start.first = seen, first
	return nil
}

// comments returns the number of lines that begin with a percent sign.
func comments(text []byte) (n int) {
	if bytes.IndexByte(text, '%') < 0 {
		return 0
	}
	for line := range bytes.Lines(text) {
		if i := skip(line, 0); i < len(line) && line[i] == '%' {
			n++
		}
	}
	return n
}

// insert adds an edge; w is ignored if the file has no weights.
func (b *block) insert(u, v, w uint32) {
	if b.weights.have {
		b.addWeighted(u, v, w)
	} else {
		b.add(u, v)
	}
}

// take adds what was found in a block.
func (b *builder) take(x *block) error {
	if x.weights.bad > 0 {
		if b.weights.bad == 0 {
			b.weights.line, b.weights.first = x.weights.line, x.weights.first
		}
		b.weights.bad += x.weights.bad
	}
	b.parts = append(b.parts, b.slab.keep(&x.part))
	b.held += uint64(len(x.edge))
	return b.checkMemory()
}

// expect returns an error if memory does not suffice for the edges that a header states, but for no
// more than text bytes can contain, since the header may be wrong.
func (b *builder) expect(edges uint64, text int64) error {
	const shortest = 4 // bytes per line: two ids of one digit, a space, a line feed
	edges = min(edges, uint64(max(text, 0))/shortest+16)
	return b.need(edges, edges)
}

// checkMemory returns an error if memory does not suffice for a quarter more edges, and to sort them.
// It asks the system only now and then.
func (b *builder) checkMemory() error {
	if b.held < b.checked {
		return nil
	}
	more := b.held/4 + 1<<16
	b.checked = b.held + more/2
	return b.need(more, b.held+more)
}

// need returns an error if memory does not suffice for a number of edges more, and to sort all.
func (b *builder) need(more, all uint64) error {
	bytes := memory.Sum(memory.Bytes[uint64](more), sortBytes(0, int(min(all, 1<<48)), b.weights.have))
	if b.weights.have {
		bytes = memory.Sum(bytes, memory.Bytes[uint32](more))
	}
	return memory.Need(bytes, "a graph of %d edges or more", all)
}
