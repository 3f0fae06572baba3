package chromium

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The folder of the project, and where the pages and pictures of a report are.
const (
	projectDir = "../../.."
	reportDir  = projectDir + "/forensics/report"
)

//go:embed probe.js
var probe string

// wrong returns the faults that a function of the probe finds.
func (v *view) wrong(call string) []string {
	v.t.Helper()
	return evaluate[[]string](v, "(() => {"+probe+"\nreturn "+call+".slice(0, 12)})()")
}

// TestPictures looks at each golden picture as a screen shows it in both colour
// schemes, at several widths, and on paper: no label lies upon anything.
func TestPictures(t *testing.T) {
	v := browse(t)
	server := httptest.NewServer(http.FileServer(http.Dir(projectDir))) // with the stylesheet that they name
	t.Cleanup(server.Close)
	pictures, err := filepath.Glob(filepath.Join(reportDir, "testdata/pictures/*.svg"))
	must.That(t, err == nil && len(pictures) >= 10, "%d pictures, %v", len(pictures), err)
	grounds := map[string]bool{}
	for _, path := range pictures {
		name := strings.TrimSuffix(filepath.Base(path), ".svg")
		v.do(chromedp.Navigate(server.URL + "/forensics/report/testdata/pictures/" + name + ".svg"))
		for _, scheme := range []string{"light", "dark"} {
			v.scheme(scheme)
			grounds[scheme+evaluate[string](v, `getComputedStyle(document.documentElement).backgroundColor`)] = true
			v.photograph(name+"-"+scheme+".png", chromedp.Screenshot("svg"))
		}
		for _, width := range []int{896, 640, 340} {
			if width < 640 && strings.HasSuffix(name, "-longest") {
				continue // numbers of sixteen digits have no room on a phone
			}
			v.do(chromedp.Evaluate[chromedp.Void](
				fmt.Sprintf("document.querySelector('.picture').setAttribute('width', %d)", width)))
			if found := v.wrong("overlapping()"); len(found) > 0 {
				t.Errorf("%s, %d pixels wide:\n%s", name, width, strings.Join(found, "\n"))
			}
		}
	}
	check.Equal(t, len(grounds), 2, "the grounds of the two schemes: %v", grounds)
}

// TestReport looks at a report of names, paths and digests of every length: on
// screens of several widths and on paper nothing reaches over the side, and no
// word and no digest is torn. Its appendices are folded, and are read open as well.
func TestReport(t *testing.T) {
	v := browse(t)
	var pages = map[string]*report.Report{"plain": plainReport(t), "extreme": extremeReport(t)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		check.Do(t, report.HTML(w, pages[strings.TrimPrefix(r.URL.Path, "/")]))
	}))
	t.Cleanup(server.Close)
	for name := range pages {
		v.do(chromedp.Navigate(server.URL + "/" + name))
		for _, scheme := range []string{"light", "dark"} {
			v.media("screen", scheme)
			for _, width := range []int64{1600, 1280, 768, 390, 360, 320} {
				v.do(chromedp.EmulateViewport(width, 900))
				v.fits(fmt.Sprintf("%s, %d pixels wide", name, width))
				v.unfold(true)
				v.fits(fmt.Sprintf("%s unfolded, %d pixels wide", name, width))
				v.unfold(false)
				v.photograph(fmt.Sprintf("report-%s-%s-%d.png", name, scheme, width), chromedp.FullScreenshot(100))
			}
		}
		v.paper(name)
	}
}

// unfold opens all appendices, or closes them.
func (v *view) unfold(open bool) {
	v.t.Helper()
	v.do(chromedp.Evaluate[chromedp.Void](
		fmt.Sprintf("document.querySelectorAll('.appendix').forEach((one) => { one.open = %v; })", open)))
}

func (v *view) fits(where string) {
	v.t.Helper()
	for _, call := range []string{"outside()", "torn()", "overlapping()"} {
		if found := v.wrong(call); len(found) > 0 {
			v.t.Errorf("%s: %s\n%s", where, call, strings.Join(found, "\n"))
		}
	}
}

// The size of the text on A4 in pixels: 180 by 263 mm.
const (
	paperWidth  = 680
	paperHeight = 994
)

// mostSheets bounds the sheets of a report on a few findings: no one reads more of them.
const mostSheets = 6

var mediaBox = regexp.MustCompile(`/MediaBox \[([^\]]*)\]`)

// paper prints the page.
func (v *view) paper(name string) {
	v.t.Helper()
	v.media("print", "light")
	v.do(chromedp.EmulateViewport(paperWidth, 900))
	v.fits(name + ", on paper")
	v.photograph("report-"+name+"-paper.png", chromedp.FullScreenshot(100))
	for height := paperHeight - 400; height <= paperHeight; height += 25 {
		if found := v.wrong(fmt.Sprintf("cut(%d, %d)", paperWidth, height)); len(found) > 0 {
			v.t.Errorf("%s, on sheets of %d pixels:\n%s", name, height, strings.Join(found, "\n"))
		}
	}
	prefer := true
	pdf := call(v, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &prefer, PrintBackground: &prefer}).Data
	v.keep("report-"+name+".pdf", pdf)
	sizes := mediaBox.FindAllStringSubmatch(string(pdf), -1)
	check.That(v.t, len(sizes) >= 2, "%s: %d pages", name, len(sizes))
	if name == "plain" { // of three findings and more
		check.That(v.t, len(sizes) <= mostSheets, "%s: %d pages", name, len(sizes))
	}
	for _, size := range sizes {
		check.That(v.t, strings.HasPrefix(size[1], "0 0 594.") || strings.HasPrefix(size[1], "0 0 595."),
			"%s: a page of %s points", name, size[1])
	}
}

// plainReport is the golden report.
func plainReport(t *testing.T) *report.Report {
	t.Helper()
	doc := must.Get(os.ReadFile(filepath.Join(reportDir, "testdata/report.json")))(t)
	var r report.Report
	must.Do(t, json.Unmarshal(doc, &r))
	return &r
}

// exploredReport is the golden report with its explorer.
func exploredReport(t *testing.T) *report.Report {
	t.Helper()
	r := plainReport(t)
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(filepath.Join(reportDir, "testdata/explorer.json")))(t), &r.Explorer))
	return r
}

// extremeReport is the golden report with long names wherever the evidence has
// one, and large numbers.
func extremeReport(t *testing.T) *report.Report {
	t.Helper()
	r := plainReport(t)
	folder := "/srv/evidence/2026-03-02T09-04-02Z/collector-frankfurt-am-main-3/" +
		strings.Repeat("partition-0123456789/", 8)
	unbroken := strings.Repeat("x", 255)
	digest := strings.Repeat("0123456789abcdef", 4)
	for i := range r.Sources {
		s := &r.Sources[i]
		s.Paths = []string{folder + s.Paths[0], "/" + unbroken}
		s.Format, s.Events, s.First, s.Redelivered, s.Skipped = "otlp-json", 123_456_789,
			123_456_789, 123_456_789, 123_456_789
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Message += " " + digest + " and " + folder + unbroken
		f.Expected, f.Found = digest+digest, "hash "+digest+", by "+unbroken
		for k := range f.Evidence {
			f.Evidence[k].Source, f.Evidence[k].Container, f.Evidence[k].Offset = folder+"part.json.gz", unbroken, 1<<52
		}
	}
	for i := range r.Logs {
		l := &r.Logs[i]
		l.LogID, l.TenantID = l.LogID+strings.Repeat("-of-the-longest-name", 6), unbroken
		l.Events, l.Missing, l.UnanchoredTail = 1<<31, 1<<31, 1<<31
		for k := range l.Forks {
			for n := range l.Forks[k].Branches {
				l.Forks[k].Branches[n].Sources = []string{folder + "a", folder + "b", unbroken}
			}
		}
	}
	r.LeftOut = []verdict.LeftOut{{What: verdict.Later, Text: "Sources that came into the case since:",
		Items: []string{folder + unbroken, digest}}}
	r.Decides = &r.Findings[0]
	for i, state := range []crosscheck.Standing{crosscheck.StoreFaithful, crosscheck.NotComparable,
		crosscheck.StoreIncomplete} {
		r.Stores = append(r.Stores, crosscheck.Store{Name: []string{folder, "otel-collector-1", unbroken}[i],
			Rule: crosscheck.Dated, Parts: 1 << 20, State: state,
			Events: 12_345_678, Shared: 12_345_678, Lossy: 12_345_678, Altered: 12_345_678, Differs: 12_345_678,
			Lacking: 12_345_678})
	}
	r.Title = "Incident " + unbroken
	return r
}
