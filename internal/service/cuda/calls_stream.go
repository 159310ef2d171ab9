package cuda

// stream returns the stream of a handle, or the reply for one that there is not.
func (s *session) stream(handle uint64) (*stream, *reply) {
	if st := s.queue.stream(handle); st != nil {
		return st, nil
	}
	return nil, &reply{code: invalidHandle}
}

// synchronized does what a piece of work waits for, and the work; nil stands for everything.
func (s *session) synchronized(w *work) *reply {
	if err := s.queue.until(s.ctx, w, s); err != nil {
		s.fail(err)
	}
	return s.left()
}

// all does everything.
func (s *session) all() { s.synchronized(nil) }

// fail notes the error of a launch.
func (s *session) fail(err error) {
	if s.sticky == success {
		s.sticky = codeOf(err)
	}
	if s.failure == nil {
		s.failure = err
	}
	s.program.fail(err)
	s.queue.pending = nil
}

// maxPending is the number of launches after which the program does not get ahead further.
const maxPending = 256

// put puts work into a stream. With wait, the program waits for it.
func (s *session) put(st *stream, w *work, wait bool) *reply {
	s.queue.put(st, w)
	if wait {
		return s.synchronized(w)
	}
	if len(s.queue.pending) > maxPending {
		return s.synchronized(nil)
	}
	return &reply{}
}

func (s *session) doSynchronize(q *request) *reply {
	switch q.A[0] {
	case 1:
		st, bad := s.stream(q.A[1])
		if bad != nil {
			return bad
		}
		if st.id == legacyStream {
			return s.synchronized(nil)
		}
		if st.last == nil {
			return &reply{}
		}
		return s.synchronized(st.last)
	case 2:
		e := s.queue.events[q.A[1]]
		if e == nil {
			return &reply{code: invalidHandle}
		}
		if e.at == nil {
			return &reply{}
		}
		return s.synchronized(e.at)
	}
	return s.synchronized(nil)
}

// nonBlocking is the flag of a stream that does not wait for the legacy default stream.
const nonBlocking = 1

func (s *session) doStream(q *request) *reply {
	id := s.queue.next
	s.queue.next++
	s.queue.streams[id] = &stream{id: id, blocking: q.A[0]&nonBlocking == 0}
	return &reply{v: [4]uint64{id}}
}

func (s *session) doStreamEnd(q *request) *reply {
	st := s.queue.streams[q.A[0]]
	if st == nil || q.A[0] < firstHandle {
		return &reply{code: invalidHandle}
	}
	// Its work is still done.
	p := &reply{}
	if s.sticky == success && st.last != nil {
		p = s.synchronized(st.last)
	}
	delete(s.queue.streams, q.A[0])
	return p
}

func (s *session) doStreamWait(q *request) *reply {
	st, bad := s.stream(q.A[0])
	e := s.queue.events[q.A[1]]
	if bad != nil || e == nil {
		return &reply{code: invalidHandle}
	}
	if e.at == nil {
		return &reply{}
	}
	return s.put(st, &work{do: func(float64) (float64, error) { return 0, nil }, after: []*work{e.at}}, false)
}

// withoutTiming is the flag of an event that has no time.
const withoutTiming = 2

func (s *session) doEvent(q *request) *reply {
	id := s.queue.next
	s.queue.next++
	s.queue.events[id] = &event{timing: q.A[0]&withoutTiming == 0}
	return &reply{v: [4]uint64{id}}
}

func (s *session) doEventEnd(q *request) *reply {
	if s.queue.events[q.A[0]] == nil {
		return &reply{code: invalidHandle}
	}
	delete(s.queue.events, q.A[0])
	return &reply{}
}

func (s *session) doEventRecord(q *request) *reply {
	e := s.queue.events[q.A[0]]
	st, bad := s.stream(q.A[1])
	if bad != nil || e == nil {
		return &reply{code: invalidHandle}
	}
	s.queue.record(st, e)
	return &reply{}
}

func (s *session) doEventTime(q *request) *reply {
	start, end := s.queue.events[q.A[0]], s.queue.events[q.A[1]]
	if start == nil || end == nil || start.at == nil || end.at == nil || !start.timing || !end.timing {
		return &reply{code: invalidHandle}
	}
	// CUDA would say that an event is not done yet; here it is done at once.
	for _, e := range []*event{start, end} {
		if p := s.synchronized(e.at); p.code != success || p.leave {
			return p
		}
	}
	return &reply{v: [4]uint64{uint64(int64((end.at.end - start.at.end) * 1e12))}}
}
