package progressbar

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/weft-gpu/weft/internal/base/printable"
)

// patience is how long work may take before its bar is shown.
const patience = 2 * time.Second

// Interval is the usual time between two lines where there is no terminal.
const Interval = 30 * time.Second

// Bar shows the progress of one piece of work: on a terminal as a bar, on another file as lines, and on what is no file not at
// all. The zero value is not usable; see New.
type Bar struct {
	w     io.Writer  // nil if nothing is shown
	width func() int // columns of the terminal
	what  string
	ansi  bool // the terminal supports ANSI codes
	start time.Time
	stop  chan struct{}
	done  sync.WaitGroup

	mu          sync.Mutex
	text        string
	at, of      int64
	bar         *progressbar.ProgressBar
	determinate bool
	wide        int // columns of the bar
}

// New starts a bar for a piece of work called what. The bar appears on w after
// patience; Finish removes it. On a terminal with TERM=dumb there are lines instead,
// and if the user wants no colours the bar uses no ANSI codes.
func New(w io.Writer, what string) *Bar { return Every(w, what, Interval, Interval) }

// Every is New with the time after which the first line is written where there is no terminal, and that between lines; no lines
// if it is 0.
func Every(w io.Writer, what string, first, interval time.Duration) *Bar {
	p := &Bar{what: what, start: time.Now(), stop: make(chan struct{})}
	shown, ansi := barOn(os.Getenv("TERM"), os.Getenv("NO_COLOR"))
	p.ansi = ansi
	if e, ok := w.(*printable.Writer); ok {
		w = e.Unwrap() // the bar consists of control characters
	}
	if f, ok := w.(*os.File); ok && shown && term.IsTerminal(int(f.Fd())) {
		p.width = func() int {
			columns, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				columns = 0
			}
			return columnsOf(columns, os.Getenv("COLUMNS"))
		}
		p.show(w, patience)
	} else if ok && interval > 0 {
		p.lines(w, first, interval)
	}
	return p
}

// lines writes a line after first, and then at each interval, until Finish is called.
func (p *Bar) lines(w io.Writer, first, interval time.Duration) {
	p.w = w
	p.done.Go(func() {
		for wait := first; ; wait = interval {
			select {
			case <-p.stop:
				return
			case <-time.After(wait):
				p.mu.Lock()
				fmt.Fprintln(w, printable.Line(p.line()))
				p.mu.Unlock()
			}
		}
	})
}

// line is the progress in words: "sweep bfs, 1m30s: 12 of 96, about 10m left". The caller holds mu.
func (p *Bar) line() string {
	text := fmt.Sprintf("%s, %s", p.what, time.Since(p.start).Round(time.Second))
	sep := ": "
	if p.of > 0 {
		text += fmt.Sprintf(": %d of %d", p.at, p.of)
		sep = ", "
	}
	if p.text != "" {
		text += sep + p.text
	}
	return text
}

// columnsOf returns the width of a terminal that says it is so wide; 0 if it does not say, as one on a serial
// line or of a test, and then $COLUMNS counts.
func columnsOf(said int, variable string) int {
	if said > 0 {
		return said
	}
	if n, err := strconv.Atoi(variable); err == nil && n > 0 {
		return n
	}
	return 80
}

// layout returns the widths of the bar itself and of the text before it on a terminal. The bar is short where the text
// would have no room.
func layout(columns int, known bool) (bar, text int) {
	const around, widest = 4, 30 // around: spinner and spaces
	if !known {
		return widest, max(columns-around, 20) // a spinner shows no bar, but needs a width
	}
	const numbers = 26 // percentage and times: " 100% |", "|  [1h20m30s:1h20m30s]"
	bar = min(max((columns-around-numbers)/3, 5), widest)
	return bar, max(columns-around-numbers-bar, 20)
}

// barOn returns from $TERM and $NO_COLOR whether a terminal can show a bar, and
// whether with ANSI codes.
func barOn(termName, noColor string) (shown, ansi bool) {
	shown = termName != "" && termName != "dumb"
	return shown, shown && noColor == ""
}

// show draws on w, after a delay, until Finish is called.
func (p *Bar) show(w io.Writer, delay time.Duration) {
	p.w = w
	p.done.Go(func() {
		select {
		case <-p.stop:
			return
		case <-time.After(delay):
		}
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			p.draw()
			select {
			case <-p.stop:
				return
			case <-tick.C:
			}
		}
	})
}

// Update sets the progress: at out of a total of (0: unknown), and a
// description. It is cheap enough to be called often and safe for concurrent
// use.
func (p *Bar) Update(at, of int64, text string) {
	if p == nil || p.w == nil {
		return
	}
	p.mu.Lock()
	p.at, p.of, p.text = at, of, text
	p.mu.Unlock()
}

// draw renders the current state.
func (p *Bar) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.of > 0
	wide, room := layout(p.width(), known)
	if p.bar == nil || known != p.determinate || wide != p.wide {
		p.clear()
		total := int64(-1)
		if known {
			total = p.of
		}
		p.determinate, p.wide = known, wide
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetWidth(wide),
			progressbar.OptionSpinnerType(14),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(known),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionUseANSICodes(p.ansi),
			progressbar.OptionSetSpinnerChangeInterval(0)) // draw renders it
	}
	text := fmt.Sprintf("%s, %s", p.what, time.Since(p.start).Round(time.Second))
	if p.text != "" {
		text += ": " + p.text
	}
	p.bar.Describe(shorten(printable.Line(text), room))
	if known {
		_ = p.bar.Set64(min(p.at, p.of-1)) // at the maximum the bar would end itself
	} else {
		_ = p.bar.Add(1)
	}
}

// shorten cuts a text to n columns, so that it stays on one line.
func shorten(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n-3]) + "..."
}

// clear removes the bar from the terminal. The caller holds mu.
func (p *Bar) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

// Finish removes the bar; nothing is drawn after it returns.
func (p *Bar) Finish() {
	if p == nil || p.w == nil {
		return
	}
	close(p.stop)
	p.done.Wait()
	p.mu.Lock()
	p.clear()
	p.mu.Unlock()
	p.w = nil
}
