package answer

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var variable = regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{3,6});`)

// schemes are the colours of the page by their names, for the light screen, the
// dark one and paper.
func schemes(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for name, media := range map[string]string{"light": "", "dark": "@media (prefers-color-scheme: dark)",
		"print": "@media print"} {
		_, rest, found := strings.Cut(sheet, media)
		_, block, rooted := strings.Cut(rest, ":root {")
		block, _, closed := strings.Cut(block, "}")
		must.That(t, found && rooted && closed, "no colours for %s", name)
		all[name] = map[string]string{}
		for _, m := range variable.FindAllStringSubmatch(block, -1) {
			all[name][m[1]] = m[2]
		}
	}
	return all
}

// TestContrast: the colours have the contrast that WCAG 2 requires: 4.5 to 1 for text, and 3
// to 1 for the parts of a picture.
func TestContrast(t *testing.T) {
	for scheme, colours := range schemes(t) {
		for _, ground := range []string{"paper", "card"} {
			for _, name := range []string{"ink", "soft", "bad", "warn", "good"} {
				c := contrast(t, colours[name], colours[ground])
				check.That(t, c >= 4.5, "%s: text in %s on %s has a contrast of %.2f", scheme, name, ground, c)
			}
			c := contrast(t, colours["there"], colours[ground])
			check.That(t, c >= 3, "%s: there on %s has a contrast of %.2f", scheme, ground, c)
		}
	}
}

// TestSchemesAreWhole: each scheme gives each colour, and no rule has a colour
// that no scheme could change.
func TestSchemesAreWhole(t *testing.T) {
	all := schemes(t)
	for scheme, colours := range all {
		check.That(t, len(colours) > 0 && len(colours) == len(all["light"]),
			"%s has %d colours of %d", scheme, len(colours), len(all["light"]))
	}
	rules := variable.ReplaceAllString(sheet, "")
	colour := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgba?\(|hsl\(|: *(black|white|red)\b`)
	found := colour.FindString(rules)
	check.That(t, found == "", "the style sheet has %s outside of its schemes", found)
	for _, use := range regexp.MustCompile(`var\(--([a-z]+)\)`).FindAllStringSubmatch(rules, -1) {
		check.That(t, all["light"][use[1]] != "", "no scheme gives %s", use[1])
	}
}

// contrast is the ratio of the luminances of two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance is the relative luminance of a colour, as WCAG 2 defines it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	hex := strings.TrimPrefix(colour, "#")
	if len(hex) == 3 {
		hex = fmt.Sprintf("%c%c%c%c%c%c", hex[0], hex[0], hex[1], hex[1], hex[2], hex[2])
	}
	sum := 0.
	for i, weight := range []float64{.2126, .7152, .0722} {
		v := must.Get(strconv.ParseUint(hex[2*i:2*i+2], 16, 8))(t)
		c := float64(v) / 255
		if c <= .04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+.055)/1.055, 2.4)
		}
	}
	return sum
}
