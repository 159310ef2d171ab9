package async

import "github.com/weft-gpu/weft/internal/core/simt"

// What a copy does to memory, for executors in which that is one moment.

// Land completes a copy of a lane to an address, and reports whether memory changed.
func (c *Copy) Land(lane int, to uint64) (changed bool) {
	if c.Box != nil {
		return c.landBox(lane, to)
	}
	if c.In.Op.SendsValue() {
		data, off, _ := c.W.Resolve(lane, to)
		return simt.WriteBulk(c.In, data, off, c.Value[:c.Reads[lane]], nil)
	}
	data, off, _ := c.W.Resolve(lane, c.From[lane])
	n := int(c.Reads[lane])
	if n == 0 {
		data, off = nil, 0
	}
	if c.Bulk {
		return c.W.LandBytes(to, data[off:off+n])
	}
	return c.W.LandCopy(c.In, to, data[off:off+n])
}

// landBox is Land for a box.
func (c *Copy) landBox(lane int, to uint64) (changed bool) {
	data, off, _ := c.W.Resolve(lane, c.From[lane])
	var zeros [16]byte
	for run := range c.Box.Runs {
		if run.Inside {
			from := off + int(run.From)
			changed = c.W.LandBytes(to+run.To, data[from:from+int(run.Bytes)]) || changed
			continue
		}
		for at := uint64(0); at < run.Bytes; at += uint64(len(zeros)) {
			changed = c.W.LandBytes(to+run.To+at, zeros[:min(run.Bytes-at, uint64(len(zeros)))]) || changed
		}
	}
	return changed
}

// Read lets a store read its source, of which it keeps the bytes.
func (s *Store) Read() {
	data, off, _ := s.W.Resolve(s.Lane, s.From)
	s.Held = append(make([]byte, 0, s.Bytes), data[off:off+int(s.Bytes)]...)
}

// Write writes what a store has read, and reports whether memory changed. It calls wrote, if that is not nil, for each element.
func (s *Store) Write(wrote func(addr, old, now uint64)) (changed bool) {
	if s.Box != nil {
		return s.writeBox(wrote)
	}
	var each func(at int, old, now uint64)
	if wrote != nil {
		each = func(at int, old, now uint64) { wrote(s.To+uint64(at), old, now) }
	}
	data, off, _ := s.W.Resolve(s.Lane, s.To)
	return simt.WriteBulk(s.In, data, off, s.Held, each)
}

// writeBox is Write for a box.
func (s *Store) writeBox(wrote func(addr, old, now uint64)) (changed bool) {
	data, off, _ := s.W.Resolve(s.Lane, s.To)
	kind := s.In.Mem.Kind
	for run := range s.Box.Runs {
		if !run.Inside {
			continue
		}
		for at := uint64(0); at < run.Bytes; at += uint64(kind.Bytes()) {
			to := off + int(run.From+at)
			old, now := simt.Load(data, to, kind), simt.Load(s.Held, int(run.To+at), kind)
			simt.Store(data, to, kind, now)
			changed = changed || old != now
			if wrote != nil {
				wrote(s.To+run.From+at, old, now)
			}
		}
	}
	return changed
}
