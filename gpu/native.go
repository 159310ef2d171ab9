package gpu

// Helpers of the API files.

func bit(p bool) uint64 {
	if p {
		return 1
	}
	return 0
}
