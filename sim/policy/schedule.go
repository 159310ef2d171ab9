package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Schedule is an explicit schedule: what it names happens in its order, and everything else as on the machine without
// it. Docs/schedules.md describes its form as JSON.
type Schedule struct {
	// Dispatch is the order in which blocks are placed; those that it leaves out follow by their number. Clusters are
	// placed in the order of the first block of each. It applies to the launch with index Launch, like Steps and Loop.
	Dispatch []int `json:"dispatch,omitempty"`
	// Shuffle places the blocks of each launch in an order that is drawn from the machine's seed.
	Shuffle bool `json:"shuffle,omitempty"`
	// Steps are the memory steps of the launch, one after the other: each begins when everything else has come to
	// rest. Then Loop repeats for ever or, if it is empty, all warps go on as they like.
	Steps []Turn `json:"steps,omitempty"`
	Loop  []Turn `json:"loop,omitempty"`
	// Pauses make warps wait in an execution that is parallel otherwise. It excludes Steps and Loop.
	Pauses []Pause `json:"pauses,omitempty"`
	Launch int     `json:"launch,omitempty"`
	// Seed replaces the machine's, if it is not nil: of jitter, of random policies and of Shuffle.
	Seed *uint64 `json:"seed,omitempty"`
}

// Turn is a memory step of a warp.
type Turn struct {
	Block int `json:"block"`
	Warp  int `json:"warp,omitempty"`
	// Lanes take the step; empty for those lanes of the warp that come to their next step together.
	Lanes []int `json:"lanes,omitempty"`
	Times int   `json:"times,omitempty"` // that the turn repeats; 0 means 1
}

// Pause makes a warp wait before one of its memory steps until all others have ended or wait for it: until nothing else
// can happen, or all others repeat themselves. No pause lasts longer than LongestPause. Of several warps that wait, the one whose pause stands last in the list goes on first.
type Pause struct {
	Launch int `json:"launch,omitempty"` // launches of the device before
	Block  int `json:"block"`
	Warp   int `json:"warp,omitempty"`
	Step   int `json:"step"` // memory steps that the warp has taken before
}

// LongestPause is the number of cycles after which a pause ends in any case, since other warps may change memory for
// ever while they wait for the one that pauses.
const LongestPause = 2_000_000

// ParseSchedule reads a schedule from JSON.
func ParseSchedule(text []byte) (*Schedule, error) {
	s := &Schedule{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the JSON object is not complete")
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON object")
	}
	return s, s.check()
}

// check rejects what no launch could follow.
func (s *Schedule) check() error {
	serial := len(s.Steps)+len(s.Loop) > 0
	switch {
	case serial && len(s.Pauses) > 0:
		return errors.New("pauses are for warps that run at the same time; leave out either them or steps and loop")
	case s.Shuffle && len(s.Dispatch) > 0:
		return errors.New("shuffle draws the order that dispatch gives; leave one out")
	case s.Launch < 0:
		return fmt.Errorf("launch: %d is negative", s.Launch)
	}
	for i, b := range s.Dispatch {
		if b < 0 {
			return fmt.Errorf("dispatch: block %d is negative", b)
		}
		if slices.Contains(s.Dispatch[:i], b) {
			return fmt.Errorf("dispatch: block %d stands there twice", b)
		}
	}
	for name, list := range map[string][]Turn{"steps": s.Steps, "loop": s.Loop} {
		for i, t := range list {
			if err := t.check(); err != nil {
				return fmt.Errorf("%s[%d]: %w", name, i, err)
			}
		}
	}
	for i, p := range s.Pauses {
		if p.Launch < 0 || p.Block < 0 || p.Warp < 0 || p.Step < 0 {
			return fmt.Errorf("pauses[%d]: a number is negative", i)
		}
	}
	return nil
}

func (t *Turn) check() error {
	if t.Block < 0 || t.Warp < 0 || t.Times < 0 {
		return errors.New("a number is negative")
	}
	for _, l := range t.Lanes {
		if l < 0 || l > 31 {
			return fmt.Errorf("lane %d is not from 0 to 31", l)
		}
	}
	return nil
}

// AppendTurn appends a turn to a list; if the last one is of the same lanes, that one is repeated more often instead.
func AppendTurn(list []Turn, t Turn) []Turn {
	if n := len(list); n > 0 {
		if last := &list[n-1]; last.Block == t.Block && last.Warp == t.Warp && slices.Equal(last.Lanes, t.Lanes) {
			last.Times = max(last.Times, 1) + max(t.Times, 1)
			return list
		}
	}
	return append(list, t)
}

// lanes returns the mask of the turn's lanes; 0 for those that come together.
func (t *Turn) lanes() (mask uint32) {
	for _, l := range t.Lanes {
		mask |= 1 << l
	}
	return mask
}

// String describes the turn in messages.
func (t Turn) String() string {
	text := fmt.Sprintf("block %d, warp %d", t.Block, t.Warp)
	if len(t.Lanes) > 0 {
		text += fmt.Sprintf(", lanes %08x", t.lanes())
	}
	return text
}

// Begin returns the orders of a launch.
func (s *Schedule) Begin(l Launch) (BlockOrder, StepOrder, error) {
	if err := s.check(); err != nil {
		return nil, nil, fmt.Errorf("schedule: %w", err)
	}
	var blocks BlockOrder
	var steps StepOrder
	mine := l.Index == s.Launch
	switch {
	case s.Shuffle:
		order := l.clusters()
		r := draw{l.Seed + uint64(l.Index)<<32}
		r.shuffle(order)
		blocks = &blockList{order}
	case mine && len(s.Dispatch) > 0:
		for _, b := range s.Dispatch {
			if b >= l.Blocks {
				return nil, nil, fmt.Errorf("schedule: dispatch names block %d, but the grid has %d blocks", b, l.Blocks)
			}
		}
		blocks = &blockList{l.firsts(slices.Concat(s.Dispatch, l.clusters()))}
	}
	if mine && len(s.Steps)+len(s.Loop) > 0 {
		for _, t := range slices.Concat(s.Steps, s.Loop) {
			if t.Block >= l.Blocks || t.Warp >= l.Warps {
				return nil, nil, fmt.Errorf("schedule: there is no %s: the grid has %d blocks of %d warps", Turn{Block: t.Block, Warp: t.Warp}, l.Blocks, l.Warps)
			}
		}
		steps = newTurns(s)
	}
	if p := newPauses(s.Pauses, l.Index); p != nil {
		steps = p
	}
	return blocks, steps, nil
}

// size returns the number of blocks that are placed together.
func (l *Launch) size() int { return max(l.Cluster, 1) }

// clusters returns the first block of each cluster; all blocks, if there are no clusters.
func (l *Launch) clusters() (list []int) {
	for b := 0; b < l.Blocks; b += l.size() {
		list = append(list, b)
	}
	return list
}

// firsts returns the blocks of a list without those whose cluster has a block before them.
func (l *Launch) firsts(list []int) (out []int) {
	seen := map[int]bool{}
	for _, b := range list {
		if c := b / l.size(); !seen[c] {
			seen[c] = true
			out = append(out, b)
		}
	}
	return out
}

// blockList places blocks in a given order.
type blockList struct{ rest []int }

// Next returns the next one.
func (b *blockList) Next() int {
	next := b.rest[0]
	b.rest = b.rest[1:]
	return next
}

// Ended does nothing: the order is given.
func (b *blockList) Ended(int) {}
