package progress

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/usage"
)

// MaxThreads is the largest number of threads that can be checked: a set of
// threads is one word.
const MaxThreads = 64

// Set is a set of threads: bit t stands for thread t.
type Set uint64

// All returns the set of the threads 0 to n-1.
func All(n int) Set { return Set(1)<<n - 1 }

// Has reports whether thread t is in the set.
func (s Set) Has(t int) bool { return s>>t&1 != 0 }

// Threads returns the members in ascending order.
func (s Set) Threads() []int {
	list := make([]int, 0, bits.OnesCount64(uint64(s)))
	for ; s != 0; s &= s - 1 {
		list = append(list, bits.TrailingZeros64(uint64(s)))
	}
	return list
}

// A Model is a progress model: which threads the scheduler must treat fairly,
// and how. The models and their names are those of Sorensen et al., "Specifying
// and Testing GPU Workgroup Progress Models", OOPSLA 2021, section 4.
type Model struct {
	Name string
	// Strong says what fairness means. Under weak fairness a thread of the fair
	// set that can take a step again and again takes infinitely many. Under
	// strong fairness every step of the fair set that is possible infinitely
	// often, from the same state of the program, is taken infinitely often.
	Strong bool
	// What describes the threads that are scheduled fairly, in words.
	What string
	fair func(started, unfinished Set) Set
}

// Fair returns the fair set: the threads that the scheduler must treat fairly,
// given those that have taken a step and those that have not ended. Threads
// outside it may run or not.
func (m *Model) Fair(started, unfinished Set) Set { return m.fair(started, unfinished) }

// Models lists the models, in the order of the published tables.
var Models = []*Model{
	{"obe", false, "those that have taken a step", occupancyBound},
	{"hsa", false, "the lowest-numbered that has not ended", lowest},
	{"hsa_obe", false, "those that have taken a step, and the lowest-numbered that has not ended", lowestAndOccupancyBound},
	{"lobe", false, "those that have taken a step, and all with a lower number", linear},
	{"obe_strong", true, "those that have taken a step", occupancyBound},
	{"hsa_strong", true, "the lowest-numbered that has not ended", lowest},
	{"hsa_obe_strong", true, "those that have taken a step, and the lowest-numbered that has not ended", lowestAndOccupancyBound},
	{"lobe_strong", true, "those that have taken a step, and all with a lower number", linear},
	{"weak_fair", false, "all", everyone},
	{"strong_fair", true, "all", everyone},
}

func occupancyBound(started, unfinished Set) Set { return started & unfinished }

func lowest(_, unfinished Set) Set { return unfinished & -unfinished }

func lowestAndOccupancyBound(started, unfinished Set) Set {
	return occupancyBound(started, unfinished) | lowest(started, unfinished)
}

func linear(started, unfinished Set) Set {
	return All(bits.Len64(uint64(started))) & unfinished
}

func everyone(_, unfinished Set) Set { return unfinished }

// ModelNames returns the names of Models.
func ModelNames() []string {
	names := make([]string, len(Models))
	for i, m := range Models {
		names[i] = m.Name
	}
	return names
}

// Lookup returns the model of that name, or a usage error that lists the names.
func Lookup(name string) (*Model, error) {
	for _, m := range Models {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, usage.Unknown("progress model", name, ModelNames(), "")
}
