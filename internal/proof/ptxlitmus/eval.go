package ptxlitmus

import "math"

// Of returns the result of the operation for the old value a and the operand b. Words
// wrap. PTX leaves division by zero open; here it gives what NVIDIA's machines give: all
// bits set, and the dividend as remainder.
func (op Binary) Of(a, b int32) int32 {
	ua, ub := uint32(a), uint32(b)
	switch op {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case Div:
		switch {
		case b == 0:
			return -1
		case a == math.MinInt32 && b == -1:
			return a
		}
		return a / b
	case Rem:
		switch b {
		case 0:
			return a
		case -1:
			return 0
		}
		return a % b
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Shl:
		return int32(ua << ub) // shifts of 32 and more give 0
	case Shr:
		return a >> ub
	case Min:
		return min(a, b)
	case Max:
		return max(a, b)
	case Inc:
		if ua >= ub {
			return 0
		}
		return a + 1
	case Dec:
		if ua == 0 || ua > ub {
			return b
		}
		return a - 1
	case Exch:
		return b
	}
	return a // Move
}
