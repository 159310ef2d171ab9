package progressbar

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// locked is a writer for use by two goroutines.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgressShows(t *testing.T) {
	var out locked
	p := &Bar{what: "reading x", start: time.Now(), stop: make(chan struct{}), width: func() int { return 100 }}
	p.show(&out, 0)
	p.Update(30, 100, "")
	assert.Eventually(t, func() bool { return strings.Contains(out.String(), "30%") }, 5*time.Minute, time.Millisecond)
	p.Update(0, 0, "iteration 3") // the end is no longer known
	assert.Eventually(t, func() bool { return strings.Contains(out.String(), "iteration 3") }, 5*time.Minute, time.Millisecond)
	p.Finish()
	assert.True(t, strings.HasSuffix(out.String(), "\r"), "the line is cleared: %q", out.String())
	end := out.String()
	p.Update(1, 2, "late")
	p.Finish()
	assert.Equal(t, end, out.String(), "nothing is drawn after the end")
}

func TestShorten(t *testing.T) {
	assert.Equal(t, "12345", shorten("12345", 5))
	assert.Equal(t, "12...", shorten("123456", 5))
}

func TestProgressPatience(t *testing.T) {
	var out locked
	p := &Bar{what: "quick", start: time.Now(), stop: make(chan struct{}), width: func() int { return 100 }}
	p.show(&out, time.Hour)
	p.Update(1, 2, "")
	p.Finish()
	assert.Empty(t, out.String(), "what is quick shows no bar")
}

func TestProgressNoTerminal(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, "reading x")
	p.Update(1, 2, "half")
	p.Finish()
	assert.Empty(t, out.String())
	var none *Bar
	none.Update(1, 2, "")
	none.Finish()
}

// evil is text from outside that tries to control the terminal.
const evil = "x\x1b[2J\x07\u202e\u009b31m\r\nweft: all is well\nx"

// TestProgressEscapes checks that the bar, which consists of control
// characters, contains none from outside, and without ANSI codes only the
// carriage return.
func TestProgressEscapes(t *testing.T) {
	var out locked
	p := &Bar{what: "reading " + evil, start: time.Now(), stop: make(chan struct{}), width: func() int { return 400 }}
	p.show(&out, 0)
	p.Update(30, 100, evil)
	assert.Eventually(t, func() bool { return strings.Contains(out.String(), "30%") }, 10*time.Second, time.Millisecond)
	p.Finish()
	assert.NotContains(t, out.String(), "\x1b")
	assert.Contains(t, out.String(), `reading x\u001b[2J`)
	for _, r := range strings.ReplaceAll(out.String(), "\r", "") {
		assert.True(t, unicode.IsPrint(r), "%U in the bar", r)
	}
}

// TestNoBar checks dumb terminals and users who want no ANSI codes.
func TestNoBar(t *testing.T) {
	for _, c := range []struct {
		term, noColor string
		shown, ansi   bool
	}{
		{"xterm-256color", "", true, true},
		{"xterm-256color", "1", true, false},
		{"dumb", "", false, false},
		{"", "", false, false},
		{"dumb", "1", false, false},
	} {
		shown, ansi := barOn(c.term, c.noColor)
		assert.Equal(t, c.shown, shown, "%+v", c)
		assert.Equal(t, c.ansi, ansi, "%+v", c)
	}
}

// TestLayout checks that a line uses the terminal's width and is no longer than it.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		columns   int
		known     bool
		bar, text int
	}{
		{200, true, 30, 140}, {120, true, 30, 60}, {80, true, 16, 34}, {40, true, 5, 20}, {200, false, 30, 196}, {10, false, 30, 20},
	} {
		bar, text := layout(c.columns, c.known)
		assert.Equal(t, []int{c.bar, c.text}, []int{bar, text}, "%+v", c)
	}
	assert.Equal(t, 200, columnsOf(200, "90"), "the terminal knows")
	assert.Equal(t, 90, columnsOf(0, "90"))
	assert.Equal(t, 80, columnsOf(0, ""))
	assert.Equal(t, 80, columnsOf(0, "wide"))

	var out locked
	long := strings.Repeat("x", 300)
	p := &Bar{what: "sweep", start: time.Now(), stop: make(chan struct{}), width: func() int { return 200 }}
	p.show(&out, 0)
	p.Update(30, 100, long)
	assert.Eventually(t, func() bool { return strings.Contains(out.String(), "30%") }, 5*time.Minute, time.Millisecond)
	p.Finish()
	assert.Contains(t, out.String(), strings.Repeat("x", 120))
	for line := range strings.SplitSeq(out.String(), "\r") {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, " ")), 200)
	}
}

// TestLines: a pipe gets a line at each interval, and none after the end.
func TestLines(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	p := Every(w, "sweep a\x1bb", time.Millisecond, time.Millisecond)
	p.Update(3, 9, "1 failed, about 2s left")
	lines := bufio.NewScanner(r)
	for n := 0; n < 3; n++ {
		require.True(t, lines.Scan())
		if n > 0 { // the first may be from before the update
			assert.Regexp(t, `^sweep a.*b, \d+s: 3 of 9, 1 failed, about 2s left$`, lines.Text())
			assert.NotContains(t, lines.Text(), "\x1b")
		}
	}
	p.Update(0, 0, "iteration 7")
	for lines.Scan() && !strings.HasSuffix(lines.Text(), "s: iteration 7") {
	}
	p.Finish()
	require.NoError(t, w.Close())
	for lines.Scan() {
	}

	r, w, err = os.Pipe()
	require.NoError(t, err)
	never := Every(w, "x", 0, 0)
	never.Update(1, 2, "")
	never.Finish()
	require.NoError(t, w.Close())
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Empty(t, text)
}
