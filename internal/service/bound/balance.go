package bound

import (
	"fmt"
	"math"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
)

// Balance says how evenly the blocks of a kernel occupy the SMs, from its first block to
// its last store.
type Balance struct {
	Class string `json:"class"` // Even, EmptySMs, Tail or Imbalance
	// Active is the fraction of that time in which an SM has a block, averaged over all SMs.
	Active float64 `json:"active"`
	SMs    float64 `json:"sms_with_blocks"` // averaged over the time of the launches
	Of     int     `json:"of_sms"`
	Blocks int     `json:"blocks"` // of the longest launch
	// Waves is the number of blocks of that launch divided by how many are resident at once; 0 if that is not known.
	Waves float64 `json:"waves,omitempty"`
	Text  string  `json:"text,omitempty"` // a sentence; "" if they are even
}

// The classes of a balance, which are also kinds of bounds. A kernel is Even if SMs have no block for less than a fifth
// of the time.
const (
	Even      = "even"
	EmptySMs  = "empty-sms" // SMs without any block
	Tail      = "tail"      // the last wave of blocks does not fill the machine
	Imbalance = "imbalance" // some SMs have more work than others
)

const evenFrom = 0.8 // Balance.Active

// balance computes the balance of a kernel.
func (k *collected) balance(cfg *config.GPU) *Balance {
	if k.cycles == 0 {
		return nil
	}
	sms := float64(cfg.SM.Count)
	b := &Balance{Class: Even, Of: cfg.SM.Count, Blocks: k.blocks,
		Active: min(1, k.sum.Of(counter.ActiveCycles)/k.cycles), SMs: min(sms, k.sum.Of(counter.UsedCycles)/k.cycles)}
	perSM := 0
	if k.Occupancy != nil {
		perSM = k.Occupancy.Blocks
	}
	if slots := perSM * cfg.SM.Count; slots > 0 {
		b.Waves = float64(b.Blocks) / float64(slots)
	}
	if b.Active >= evenFrom || b.SMs == 0 {
		return b
	}
	empty := 1 - b.SMs/sms
	idle := 1 - b.Active*sms/b.SMs // of the SMs that have a block
	switch tail := tailOf(b.Blocks, perSM, cfg.SM.Count); {
	case empty >= idle:
		b.Class = EmptySMs
		b.Text = fmt.Sprintf("%s of %d SMs have no block", count(sms-b.SMs), b.Of)
		if k.Grid.Least == k.Grid.Most {
			b.Text += fmt.Sprintf(", as the grid has %s", blocks(b.Blocks))
		}
	case tail >= idle/2:
		b.Class = Tail
		last := b.Blocks % (perSM * b.Of)
		b.Text = fmt.Sprintf("%s are %.2f waves of %s; the last wave has %s for %d SMs", blocks(b.Blocks), b.Waves, format.Thousands(perSM*b.Of), blocks(last), b.Of)
	default:
		b.Class = Imbalance
		b.Text = fmt.Sprintf("SMs that get a block have one for %s of the time on average, the last of them until the end", Percent(b.Active*sms/b.SMs))
		if each := float64(b.Blocks) / sms; each > 1 && each < 8 && b.Waves <= 1 && each != math.Trunc(each) {
			b.Text += fmt.Sprintf("; some SMs have %d blocks, others %d", int(math.Ceil(each)), int(each))
		}
	}
	return b
}

// tailOf returns the fraction of a kernel's time for which SMs have no block if all blocks take the same time and run in
// waves: the last wave leaves SMs without one. It is 0 if there is one wave, or the last is full.
func tailOf(blocks, perSM, sms int) float64 {
	slots := perSM * sms
	if slots == 0 || blocks <= slots {
		return 0
	}
	full, rest := blocks/slots, blocks%slots
	if rest == 0 {
		return 0
	}
	return 1 - (float64(full)+min(1, float64(rest)/float64(sms)))/float64(full+1)
}

// count formats a mean number of SMs: "66", or "66.5".
func count(n float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") }

// blocks returns "1 block", "2 blocks".
func blocks(n int) string {
	if n == 1 {
		return "1 block"
	}
	return format.Thousands(n) + " blocks"
}
