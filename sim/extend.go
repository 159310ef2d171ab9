package sim

import (
	"fmt"

	"github.com/weft-gpu/weft/sim/policy"
)

// extend creates the policies that the machine's parameters name.
func (m *machine) extend() error {
	cfg := m.cfg
	dispatch, err := policy.BlockDispatchMaker(cfg.Launch.Order)
	if err != nil {
		return err
	}
	if dispatch != nil {
		if m.dispatcher.policy = dispatch(m.seed); m.dispatcher.policy == nil {
			return noPolicy("launch.order", cfg.Launch.Order)
		}
	}
	if m.l2.hash, err = m.addressHash("l2.hash", cfg.L2.Hash); err != nil {
		return err
	}
	if m.l2.mem.Hash, err = m.addressHash("dram.hash", cfg.DRAM.Hash); err != nil {
		return err
	}
	replace, err := policy.ReplacementMaker(cfg.L1.Replacement)
	if err != nil {
		return err
	}
	// Each L1 has a policy of its own, with a seed of its own: a policy may keep state.
	for i := range m.sms {
		if replace != nil {
			replacement := replace(m.seed + uint64(i))
			if replacement == nil {
				return noPolicy("l1.replacement", cfg.L1.Replacement)
			}
			m.sms[i].l1.Policy = &checkedReplacement{replacement, m, 0}
			m.policies = append(m.policies, namedPolicy{"l1.replacement", cfg.L1.Replacement, replacement})
		}
	}
	unit, err := policy.AtomicUnitMaker(cfg.Atomic.Unit)
	if err != nil {
		return err
	}
	for i := range m.l2.slices {
		if unit != nil {
			custom := unit(&cfg.Atomic)
			if custom == nil {
				return noPolicy("atomic.unit", cfg.Atomic.Unit)
			}
			m.l2.slices[i].atomic.custom = &checkedUnit{custom, m}
			m.policies = append(m.policies, namedPolicy{"atomic.unit", cfg.Atomic.Unit, custom})
		}
	}
	return nil
}

// namedPolicy is a policy of the machine with the parameter that selected it.
type namedPolicy struct {
	param, name string
	of          any
}

// addressHash creates the address hash that a parameter names; nil selects the built-in one of the L2 and DRAM.
func (m *machine) addressHash(param, name string) (policy.AddressHash, error) {
	make, err := policy.AddressHashMaker(name)
	if make == nil {
		return nil, err
	}
	h := make(m.seed)
	if h == nil {
		return nil, noPolicy(param, name)
	}
	m.policies = append(m.policies, namedPolicy{param, name, h})
	return &checkedHash{h, m, param, name}, nil
}

// failPick ends the launch because a warp scheduler selected a slot that is not ready.
func (s *subcore) failPick(slot int, ready uint64) {
	s.sm.fail(fmt.Errorf("issue.scheduler=%s: Pick returned slot %d, which is not in ready (%#x)", s.sm.cfg.Issue.Scheduler, slot, ready))
}

// noPolicy returns the error for a registered function that created no policy.
func noPolicy(param, name string) error {
	return fmt.Errorf("%s=%s: the function that was registered under this name returned nil, not a policy", param, name)
}

// checkedReplacement ends the launch if a replacement selects a way that does not exist. The cache could continue with
// another one, but then nobody would notice that the policy is wrong.
type checkedReplacement struct {
	policy.Replacement
	m    *machine
	ways int
}

func (c *checkedReplacement) Reset(sets, ways int) {
	c.ways = ways
	c.Replacement.Reset(sets, ways)
}

func (c *checkedReplacement) Victim(set int) int {
	way := c.Replacement.Victim(set)
	if way < 0 || way >= c.ways {
		c.m.fail(fmt.Errorf("l1.replacement=%s: Victim returned way %d; a set has ways 0 to %d", c.m.cfg.L1.Replacement, way, c.ways-1))
		return 0
	}
	return way
}

// checkedHash ends the launch if a hash selects a slice or channel that does not exist.
type checkedHash struct {
	policy.AddressHash
	m           *machine
	param, name string
}

func (c *checkedHash) Slot(chunk uint64, n int) int {
	slot := c.AddressHash.Slot(chunk, n)
	if slot < 0 || slot >= n {
		c.m.fail(fmt.Errorf("%s=%s: Slot returned %d; it must be from 0 to %d", c.param, c.name, slot, n-1))
		return 0
	}
	return slot
}

// checkedUnit ends the launch if the results of an atomic are known before its operands.
type checkedUnit struct {
	policy.AtomicUnit
	m *machine
}

func (c *checkedUnit) Perform(r policy.AtomicRequest) uint64 {
	done := c.AtomicUnit.Perform(r)
	if done < r.Cycle {
		c.m.fail(fmt.Errorf("atomic.unit=%s: Perform returned cycle %d, which is before r.Cycle, %d", c.m.cfg.Atomic.Unit, done, r.Cycle))
		return r.Cycle
	}
	return done
}
