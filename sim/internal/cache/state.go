package cache

// Sink receives the state of a cache, word by word.
type Sink interface {
	Word(x uint64)
	Bytes(b []byte)
}

// Encode adds everything that determines what the cache does from now on, except the state of its Policy: the lines
// with their bytes, and the order in which those of a set were used.
func (c *L1) Encode(s Sink) {
	s.Word(c.hand)
	for set := range c.sets {
		four := c.lines[set*c.quads : (set+1)*c.quads]
		for q := range four {
			if four[q].epoch != c.Epoch {
				continue
			}
			for w, num := range four[q].tag {
				if num == 0 {
					continue
				}
				way := uint64(4*q + w)
				s.Word((set*c.quads*4+way)<<8 | uint64(four[q].valid[w]))
				s.Word(num)
				s.Word(c.younger(four, four[q].use[w]))
				data := &c.Data[set*c.quads*4+way]
				for sec := range uint64(lineBytes / sectorBytes) {
					if four[q].valid[w]>>sec&1 != 0 {
						s.Bytes(data[sec*sectorBytes : (sec+1)*sectorBytes])
					}
				}
			}
		}
	}
	s.Word(^uint64(0))
}

// younger returns how many lines of a set were used later than at use.
func (c *L1) younger(set []quad, use uint32) (n uint64) {
	for q := range set {
		if set[q].epoch != c.Epoch {
			continue
		}
		for w, num := range set[q].tag {
			if num != 0 && int32(set[q].use[w]-use) > 0 {
				n++
			}
		}
	}
	return n
}

// Encode adds everything that determines what the cache does from cycle now on: the lines, and the order in which those
// of a set were used.
func (l *L2) Encode(s Sink, now uint64) {
	for first := uint64(0); first < uint64(len(l.tags)); first += l.ways {
		tags, lines := l.tags[first:first+l.ways], l.lines[first:first+l.ways]
		for w, t := range tags {
			if t == 0 {
				continue
			}
			ln := &lines[w]
			younger := uint64(0)
			for o, t := range tags {
				if t != 0 && int32(lines[o].use-ln.use) > 0 {
					younger++
				}
			}
			s.Word((first+uint64(w))<<16 | uint64(ln.Valid)<<8 | uint64(ln.Dirty))
			s.Word(ln.num)
			s.Word(younger<<48 | ln.Ready - min(ln.Ready, now))
			for sec := range sectorsPerLine {
				if ln.Dirty&^ln.Valid>>sec&1 != 0 {
					s.Word(uint64(l.written[ln.at][sec]))
				}
			}
		}
	}
	s.Word(^uint64(0))
}

// Lines returns the number of lines that the cache can hold.
func (l *L2) Lines() int { return len(l.lines) }
