package page_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browserNames are the names under which systems have Chromium.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// tab is a page in a browser, with what the browser complained about and asked the network for.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu        sync.Mutex
	complaint []string
	requests  []string
}

// open opens a file in a new browser. Without a browser the test fails in CI and is skipped
// elsewhere.
func open(t *testing.T, file string) *tab {
	t.Helper()
	browser := ""
	for _, name := range browserNames {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		const hint = "there is no browser to test the page in: install Chromium, such as by apt-get install chromium"
		if os.Getenv("CI") != "" {
			t.Fatal(hint)
		}
		t.Skip(hint)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 900))
	limited, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // not that of the test, which ends before the clean-up
	t.Cleanup(cancel)
	allocator, cancel := chromedp.NewExecAllocator(limited, options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits for the browser to end
		cancel()
	})
	b := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.heard))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	b.run(chromedp.Navigate("file://"+file), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	return b
}

// heard keeps what matters of the events of a browser.
func (b *tab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaint = append(b.complaint, fmt.Sprintf("%+v", e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		b.complaint = append(b.complaint, string(e.Type))
	case *log.EventEntryAdded:
		b.complaint = append(b.complaint, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "data:") {
			b.requests = append(b.requests, url)
		}
	}
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, options...))
	require.NoError(b.t, err)
	return value
}

// column returns the texts of a column of the table of runs, by its name.
func (b *tab) column(name string) []string {
	b.t.Helper()
	return eval[[]string](b, `(() => {
		const at = [...document.querySelectorAll("#table thead tr:first-child th")].findIndex((th) => th.querySelector("button").firstChild.textContent === "`+name+`");
		return [...document.querySelectorAll("#table tbody tr")].map((tr) => tr.children[at].textContent);
	})()`)
}

// quiet checks that nothing went wrong and that nothing but the page itself was asked for.
func (b *tab) quiet(file string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(b.t, b.complaint)
	require.Equal(b.t, []string{"file://" + file}, b.requests)
}

// screenshot returns the whole page as a picture. WEFT_SCREENSHOTS=FOLDER keeps it.
func (b *tab) screenshot(name string) []byte {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(b.t, err)
	if folder := os.Getenv("WEFT_SCREENSHOTS"); folder != "" {
		require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644))
	}
	return png
}

// scheme sets what the system prefers.
func (b *tab) scheme(name string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
	require.NoError(b.t, err)
	b.settle()
}

// print shows the page as it is printed.
func (b *tab) print() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.NoError(b.t, err)
	b.settle()
}

// settle waits until the page has drawn itself.
func (b *tab) settle() {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
}

// press clicks a button by its text.
func (b *tab) press(text string) {
	b.t.Helper()
	require.True(b.t, eval[bool](b, `(() => { [...document.querySelectorAll("button")].find((x) => x.textContent === "`+text+`").click(); return true; })()`))
}
