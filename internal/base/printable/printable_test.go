package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"roads.gr\tü€𝄞é":                "roads.gr\tü€𝄞é",
		"\x1b[31mred\x1b[0m":            `\u001b[31mred\u001b[0m`,
		"a\r\nb":                        `a\u000d\nb`,
		"\x07\x08\x7f\x00":              `\u0007\u0008\u007f\u0000`,
		"c1 \u009b31m":                  `c1 \u009b31m`,
		"bidi \u202e\u2066\u200f\u061c": `bidi \u202e\u2066\u200f\u061c`,
		"\u2028\u2029\ufeff\u200b":      `\u2028\u2029\ufeff\u200b`,
		"tag \U000E0041":                `tag \udb40\udc41`,
		"latin1 \xe9, cut \xe2\x82":     `latin1 \xe9, cut \xe2\x82`,
		"\x9b31m":                       `\x9b31m`,
	} {
		assert.Equal(t, want, Line(text), "%q", text)
	}
}

// TestWriter splits text at every position: writing the pieces gives the same
// as writing the whole.
func TestWriter(t *testing.T) {
	text := "é\n\x1b[1m\u202e\tabc\U000E0041\xff€𝄞\xe2\x82"
	want := "é\n" + `\u001b[1m\u202e` + "\tabc" + `\udb40\udc41\xff€𝄞\xe2\x82`
	for i := range len(text) + 1 {
		for j := i; j <= len(text); j++ {
			var b bytes.Buffer
			w := NewWriter(&b)
			for _, part := range []string{text[:i], text[i:j], text[j:]} {
				n, err := w.Write([]byte(part))
				require.NoError(t, err)
				require.Equal(t, len(part), n)
			}
			require.NoError(t, w.Flush())
			assert.Equal(t, want, b.String(), "%d %d", i, j)
		}
	}
}

// TestJSON checks that escaping does not change the meaning of JSON.
func TestJSON(t *testing.T) {
	var all []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all = append(all, r)
		}
	}
	text, err := json.Marshal(string(all))
	require.NoError(t, err)
	var b bytes.Buffer
	_, err = NewWriter(&b).Write(text)
	require.NoError(t, err)
	for _, r := range b.String() {
		if unsafe(r) {
			t.Fatalf("%U is not escaped", r)
		}
	}
	var got string
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	assert.True(t, got == string(all))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrors(t *testing.T) {
	w := NewWriter(full{})
	_, err := w.Write([]byte("a"))
	assert.EqualError(t, err, "full")
	_, err = w.Write([]byte("\x1b"))
	assert.EqualError(t, err, "full")
	assert.Equal(t, full{}, w.Unwrap())
}

func TestIndent(t *testing.T) {
	assert.Equal(t, "a\n\tanswer  verified\n\tb\n\t\n  c\n\t d\n", Indent("a\nanswer  verified\n\tb\n\n  c\n d\n"))
}

func FuzzWriter(f *testing.F) {
	f.Add([]byte("a\x1b\xe2\x82"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, at uint8) {
		var b bytes.Buffer
		w := NewWriter(&b)
		n := min(int(at), len(text))
		_, _ = w.Write(text[:n])
		_, _ = w.Write(text[n:])
		_ = w.Flush()
		whole := escape(nil, text, false, true)
		if b.String() != string(whole) {
			t.Fatalf("%q, want %q", b.String(), whole)
		}
		for _, r := range b.String() {
			if unsafe(r) || r == utf8.RuneError && !bytes.ContainsRune(text, r) {
				t.Fatalf("%q has %U", b.String(), r)
			}
		}
	})
}
