package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
)

//go:embed assets
var assets embed.FS

// scripts are the scripts of a page, in the order in which they run.
var scripts = []string{"data.js", "table.js", "looks.js", "plot.js", "charts.js", "plots.js", "time.js", "hang.js", "roofline.js", "source.js", "sections.js", "main.js"}

// Write writes a page.
func Write(w io.Writer, p *Page) error {
	data, err := json.Marshal(p) // escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return err
	}
	var own strings.Builder
	own.WriteString("\"use strict\";\n(() => {\n")
	for _, name := range scripts {
		own.Write(asset(name))
	}
	own.WriteString("})();\n")
	library := asset("echarts/echarts.min.js")
	style := string(asset("report.css"))
	packed, err := pack(library)
	if err != nil {
		return err
	}
	var licences strings.Builder
	for _, name := range []string{"NOTICE", "LICENSE", "LICENSE-zrender", "LICENSE-d3"} {
		fmt.Fprintf(&licences, "%s\n\n", strings.TrimSpace(string(asset("echarts/"+name))))
	}
	// The hashes are of the scripts as they run; the library runs after the page unpacks it.
	policy := fmt.Sprintf("default-src 'none'; script-src '%s' '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
		hash([]byte(own.String())), hash(library), hash([]byte(style)))
	_, err = strings.NewReplacer(
		"{{policy}}", html.EscapeString(policy),
		"{{title}}", html.EscapeString(p.Title),
		"{{style}}", style,
		"{{licences}}", html.EscapeString(strings.TrimSpace(licences.String())),
		"{{data}}", string(data),
		"{{library}}", packed,
		"{{script}}", own.String(),
	).WriteString(w, string(asset("page.html")))
	return err
}

// asset returns a file of assets/.
func asset(name string) []byte {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

// hash returns the source expression of a script or a style for a Content-Security-Policy.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pack returns a script compressed by gzip, in base64: a third of the size.
func pack(text []byte) (string, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := z.Write(text); err != nil {
		return "", err
	}
	err = z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}
