package sim

import (
	"github.com/weft-gpu/weft/sim/policy"
)

// extend creates the policies that the machine's parameters name.
func (m *machine) extend() error {
	c := m.cfg
	dispatch, err := policy.BlockDispatchMaker(c.Launch.Order)
	if err != nil {
		return err
	}
	if dispatch != nil {
		m.policy = dispatch(m.seed)
	}
	if m.l2.hash, err = m.addressHash(c.L2.Hash); err != nil {
		return err
	}
	if m.dram.Hash, err = m.addressHash(c.DRAM.Hash); err != nil {
		return err
	}
	replace, err := policy.ReplacementMaker(c.L1.Replacement)
	if err != nil {
		return err
	}
	for i := range m.sms {
		if replace != nil {
			m.sms[i].l1.Policy = replace(m.seed + uint64(i))
		}
	}
	unit, err := policy.AtomicUnitMaker(c.Atomic.Unit)
	if err != nil {
		return err
	}
	for i := range m.l2.slices {
		if unit != nil {
			m.l2.slices[i].atomic.custom = unit(&c.Atomic)
		}
	}
	return nil
}

// addressHash creates an address hash; nil selects the built-in one of the L2 and DRAM.
func (m *machine) addressHash(name string) (policy.AddressHash, error) {
	make, err := policy.AddressHashMaker(name)
	if make == nil {
		return nil, err
	}
	return make(m.seed), nil
}
