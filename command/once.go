package command

// onlyOnce refuses a list in which a flag names something twice: which of two
// values counts is not ours to guess, and doing a thing twice is no wish.
func onlyOnce(flag string, names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return usagef("", "--%s: %s is given twice", flag, name)
		}
		seen[name] = true
	}
	return nil
}
