package observe

import (
	"cmp"
	"slices"
)

// Words tracks the words of device memory for which atomics wait, in every run. It is a table of sets, so that an
// operation looks at eight keys which lie side by side: a word that is not there replaces the one of its set with the
// least weight, which it inherits (the space-saving algorithm; see table, which is exact for more words, and slower). The
// weight is the waiting time, so that a word with more than an eighth of that of its set is there, and words for which
// nothing waits replace each other. Equal histories give equal tables.
type Words struct {
	sets  []wordSet
	words []Word   // ways of each set
	lists []batch  // what waits, as linked lists
	free  int32    // the first of those that hold nothing; -1 for none
	used  []uint64 // one bit per word: it has had a list since Begin

	longest, sinceBegin uint32
}

// Word is a tracked word.
type Word struct {
	Buffer string
	Index  int    // of the element
	Byte   int    // in the element
	Ops    uint64 // of lanes, since the word is tracked
	// Waited is the sum of the times for which these operations waited for their unit, in ticks, and Missed a bound on
	// the time for which those before waited.
	Waited, Missed uint64
	// Queue is the largest number of operations that had arrived and were not done at the same time.
	Queue uint32

	pending     uint32 // operations in its list
	first, last int32  // of its list; first is -1 if nothing waits
}

// batch is the operations of a packet on a word.
type batch struct {
	done uint64 // tick
	n    uint32
	next int32
}

const (
	ways    = 8
	setBits = 6
	wsets   = 1 << setBits
)

// wordSet has the keys of a set, which are never 0, and the weight of each word: its waiting time, and a tick for each
// operation.
type wordSet struct{ keys, weights [ways]uint64 }

// NewWords returns an empty table.
func NewWords() *Words {
	return &Words{sets: make([]wordSet, wsets), words: make([]Word, ways*wsets), used: make([]uint64, ways*wsets/64), free: -1}
}

// Begin is told that launches begin, on an idle machine if nothing waits.
func (w *Words) Begin(idle bool) {
	if w == nil {
		return
	}
	if w.sinceBegin = 0; !idle {
		return
	}
	for k, bits := range w.used {
		for i := k * 64; bits != 0; i, bits = i+1, bits>>1 {
			if bits&1 != 0 {
				w.drop(&w.words[i])
			}
		}
		w.used[k] = 0
	}
}

// Longest returns the longest queue at any word: of all launches, and since Begin.
func (w *Words) Longest() (ever, sinceBegin uint32) {
	if w == nil {
		return 0, 0
	}
	return w.longest, w.sinceBegin
}

// Place is where a word is: a byte of a buffer, which has a number of at least 1.
type Place struct{ Buffer, Byte int }

// Operate records the operations of lanes on a word. They arrive at tick now, a unit works on them from tick start, for step ticks
// each. It returns their waiting time, and the word, which has no Buffer if it is new.
func (w *Words) Operate(at Place, lanes int, now, start, step uint64) (waited uint64, word *Word) {
	ops := uint64(lanes)
	waited = ops*(start-min(start, now)) + step*(ops*(ops-1)/2)
	index := w.find(uint64(at.Buffer)<<40|uint64(at.Byte), waited+ops)
	word = &w.words[index]
	word.Ops += ops
	word.Waited += waited
	w.arrive(index, word, uint32(lanes), now, start+ops*step)
	return waited, word
}

// find returns the number of a word, and adds to its weight.
func (w *Words) find(key, weight uint64) int32 {
	at := int(key >> 2 * 0x9e3779b97f4a7c15 >> (64 - setBits))
	set := &w.sets[at]
	for way, other := range &set.keys {
		if other == key {
			set.weights[way] += weight
			return int32(at*ways + way)
		}
	}
	// The word with the least weight makes way. Its weight is the most that the new one can have had before unseen.
	least, lightest := 0, set.weights[0]
	for way := 1; way < ways; way++ {
		if set.weights[way] < lightest {
			least, lightest = way, set.weights[way]
		}
	}
	index := int32(at*ways + least)
	word := &w.words[index]
	if set.keys[least] != 0 {
		w.drop(word)
	}
	*word = Word{Missed: lightest, first: -1}
	set.keys[least] = key
	set.weights[least] += weight
	return index
}

// arrive puts the operations of lanes that are done at tick done into the list of a word, without those that are done by now.
func (w *Words) arrive(index int32, word *Word, lanes uint32, now, done uint64) {
	// Batches are in the order in which they arrived, and a unit serves them in this order: the first that is not done ends
	// the search.
	for word.first >= 0 {
		entry := &w.lists[word.first]
		if entry.done > now {
			break
		}
		next := entry.next
		word.pending -= entry.n
		entry.next, w.free = w.free, word.first
		word.first = next
	}
	word.pending += lanes
	if word.pending > word.Queue {
		word.Queue = word.pending
		w.longest, w.sinceBegin = max(w.longest, word.pending), max(w.sinceBegin, word.pending)
	} else {
		w.sinceBegin = max(w.sinceBegin, word.pending)
	}
	if w.free < 0 {
		w.room(now)
	}
	entry := w.free
	w.free = w.lists[entry].next
	w.lists[entry] = batch{done, lanes, -1}
	if word.first < 0 {
		word.first = entry
	} else {
		w.lists[word.last].next = entry
	}
	word.last = entry
	w.used[index/64] |= 1 << (index % 64)
}

// drop empties the list of a word.
func (w *Words) drop(word *Word) {
	if word.first >= 0 {
		w.lists[word.last].next, w.free = w.free, word.first
	}
	word.first, word.pending = -1, 0
}

// room makes room for more batches: those of words that have nothing left to wait for, else new ones, which a machine
// needs only until it has as many as it has warps.
func (w *Words) room(now uint64) {
	for i := range w.words {
		if word := &w.words[i]; w.used[i/64]>>(i%64)&1 != 0 && word.first >= 0 && w.lists[word.last].done <= now {
			w.drop(word)
		}
	}
	if w.free >= 0 {
		return
	}
	have := len(w.lists)
	w.lists = append(w.lists, make([]batch, max(have, 256))...)
	for i := have; i < len(w.lists); i++ {
		w.lists[i].next = int32(i) + 1
	}
	w.lists[len(w.lists)-1].next, w.free = -1, int32(have)
}

// Most returns the words at which operations waited, the one with the most waiting time first, and no more than a limit.
func (w *Words) Most(limit int) []Word {
	if w == nil {
		return nil
	}
	var list []Word
	for i := range w.words {
		if w.words[i].Waited > 0 {
			list = append(list, w.words[i])
		}
	}
	slices.SortFunc(list, func(a, b Word) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(b.Ops, a.Ops), cmp.Compare(a.Buffer, b.Buffer),
			cmp.Compare(a.Index, b.Index), cmp.Compare(a.Byte, b.Byte))
	})
	return list[:min(limit, len(list))]
}
