package slurm

import (
	"fmt"
	"time"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// Options say how to run a plan on a cluster.
type Options struct {
	Folder string // that all nodes see; it is made, and removed when all is done
	Study  string // for the names of the jobs
	// Worker is the command line, without the program, that runs Work; the file of points follows.
	Worker []string
	Jobs   int // points that a task runs at the same time, which is the number of its processors

	Partition, Time, Memory string   // options of sbatch; "" leaves them to the cluster
	Extra                   []string // further options of sbatch: "--gres=gpu:1"

	Tasks     int // shares; 0 means DefaultTasks. There are no more than points
	ArraySize int // the largest array; 0 means what Slurm allows
	MaxTasks  int // that Slurm has at the same time; 0 means no limit
	Retries   int // attempts of a share that bring no result, after which it is given up
	Poll      time.Duration

	Again    bool // run points again that failed or were not decided
	Progress func(Progress)
}

// DefaultTasks is the number of shares if nobody says another.
const DefaultTasks = 100

// Progress is how far the cluster is.
type Progress struct {
	Done, Tasks      int           // runs
	Running, Waiting int           // tasks of arrays
	Left             time.Duration // estimate; 0 if there is none yet
	Note             string        // why nothing happens: "Priority", "Slurm does not answer: ..."
}

// Summary says what became of the runs.
type Summary struct {
	Missing  int // when the engine began, with what had been gathered until then
	Ran      int // gathered since
	ByStatus map[store.Status]int
	Retried  int // shares that were submitted again
	Wall     time.Duration
}

// LostError says which runs have no result after all attempts.
type LostError struct {
	Runs   int
	Shares int
	Fate   string // of the last attempt: "TIMEOUT", "FAILED, exit code 1"
	Log    string // its file
	Tail   string // the end of that file
}

func (e *LostError) Error() string {
	text := fmt.Sprintf("%d runs have no result: the tasks that should run them ended without one", e.Runs)
	if e.Fate != "" {
		text += ", the last with " + e.Fate
	}
	if e.Tail != "" {
		text += "; " + e.Log + " ends with\n" + e.Tail
	}
	return text
}
