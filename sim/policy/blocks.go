package policy

// anySM selects a random SM that has room, each with the same probability, by a seeded generator.
type anySM struct{ draw }

// Place draws one of the SMs that have room.
func (r *anySM) Place(sms int, room func(sm int) int) int {
	n := 0
	for i := range sms {
		if room(i) > 0 {
			n++
		}
	}
	skip := r.below(n)
	for i := range sms {
		if room(i) > 0 {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	return -1 // not reached: at least one SM has room
}
