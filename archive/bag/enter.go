package bag

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// enter enters the lines of the manifests and of fetch.txt into the files.
func (c *checker) enter() {
	weakOnly := true
	slices.SortFunc(c.manifests, func(a, b *manifest) int { return strings.Compare(a.name, b.name) })
	for i, m := range c.manifests {
		for _, l := range m.lines {
			c.enterLine(m, i, l)
		}
		m.lines = nil
	}
	for i, a := range algorithms {
		if slices.ContainsFunc(c.manifests, func(m *manifest) bool { return !m.tags && m.algorithm == i }) {
			c.result.Algorithms = append(c.result.Algorithms, a.name)
			weakOnly = weakOnly && a.weak
		}
	}
	if weakOnly {
		c.result.NotExamined = append(c.result.NotExamined, "The digests are of MD5 or SHA-1 alone: they show damage, "+
			"and no change by someone who prepared it.")
	}
	for _, h := range c.fetch {
		c.enterHole(h)
	}
	if c.fetched {
		c.result.NotExamined = append(c.result.NotExamined, "Nothing that fetch.txt names was fetched.")
	}
}

// enterLine enters one line of a manifest.
func (c *checker) enterLine(m *manifest, i int, l listed) {
	name := unescaped(l.name, c.declared.version)
	if !m.tags || c.files[name] == nil { // md5sum and its like write an asterisk before the names of binary files
		name = strings.TrimPrefix(name, "*")
	}
	if why := nameFault(name); why != "" {
		c.say(Name, name, l.line, "line %d of %s: %s", l.line, m.name, why)
		return
	}
	if payload := strings.HasPrefix(name, payloadFolder); payload == m.tags {
		c.say(Malformed, m.name, l.line, "line %d lists %s, which does not belong there", l.line, safetext.Quote(name))
		return
	}
	if m.tags && strings.HasPrefix(name, "tagmanifest-") && isManifest(name) {
		c.say(Malformed, m.name, l.line, "line %d lists a tag manifest", l.line)
		return
	}
	f := c.file(name)
	if f == nil {
		return
	}
	if f.lists&(1<<i) != 0 {
		c.say(Malformed, name, l.line, "line %d of %s has it again", l.line, m.name)
		return
	}
	f.lists |= 1 << i
	f.digest[m.algorithm] = l.digest
}

// file returns the file of a name, which need not be there; nil beyond the limit.
func (c *checker) file(name string) *file {
	f := c.files[name]
	if f == nil && len(c.files) < 2*maxFiles {
		f = &file{}
		c.files[name] = f
	}
	if f == nil {
		c.unread = true
	}
	return f
}

// enterHole enters one line of fetch.txt.
func (c *checker) enterHole(h listed) {
	name := unescaped(h.name, c.declared.version)
	switch why := nameFault(name); {
	case why != "":
		c.say(Name, name, h.line, "line %d of %s: %s", h.line, fetchName, why)
	case !strings.HasPrefix(name, payloadFolder), c.files[name] == nil || c.files[name].lists == 0:
		c.say(Malformed, fetchName, h.line, "line %d: %s is in no payload manifest", h.line, safetext.Quote(name))
	case c.files[name].hole:
		c.say(Malformed, name, h.line, "line %d of %s has it again", h.line, fetchName)
	default:
		c.files[name].hole = true
	}
}
