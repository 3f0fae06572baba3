package cliapp

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Kind is the kind of value that a flag accepts.
type Kind int

// The kinds of flags.
const (
	// Text is any text that is not empty, or one of the Choices.
	Text Kind = iota
	// List is a Text that may be given more than once. A comma has no meaning.
	List
	// Number is a decimal number of 0 or more: digits without sign, prefix or
	// leading zero, which other notations would read as another number.
	Number
	// Duration is a duration of 0 or more in the notation of Go, such as 1m30s,
	// which may begin with days of 24 hours, such as 90d or 1d12h.
	Duration
	// Seconds is a Duration in whole seconds.
	Seconds
	// Time is a moment, written as [ParseTime] reads it. The placeholder of each such flag is
	// TIME. The choice "now", if there is one, means the time of the clock.
	Time
	// Moment is a Time that only selects events to show. One without a zone is in UTC.
	Moment
	// Switch accepts no value; it is on if it is given.
	Switch
)

// Flag declares a flag. It holds no value: every run makes its own.
type Flag struct {
	// Name is the name without dashes.
	Name string
	// Kind is the kind of value.
	Kind Kind
	// Value is the placeholder for the value in the help, such as FILE. Choices
	// stand for themselves if it is empty.
	Value string
	// Usage describes the flag, without a final period.
	Usage string
	// Default is the value if the flag is not given, written as on the command line; empty if
	// there is no default.
	Default string
	// Least and Most bound a Number, a Duration or Seconds. They are written as
	// on the command line, and empty for no bound.
	Least, Most string
	// Choices are the only values allowed, if there are any.
	Choices []string
	// Required makes it a usage error to leave the flag out.
	Required bool
}

// takesValue reports whether a value follows the flag.
func (f Flag) takesValue() bool { return f.Kind != Switch }

// isTime reports whether the value is a time.
func (f Flag) isTime() bool { return f.Kind == Time || f.Kind == Moment }

// valuePlaceholder is the value of the flag as the help shows it.
func (f Flag) valuePlaceholder() string {
	if f.Value == "" {
		return strings.Join(f.Choices, "|")
	}
	if f.isTime() {
		return strings.Join(append([]string{f.Value}, f.Choices...), "|")
	}
	return f.Value
}

// value holds the value of one flag in one run. It is both the flag.Value that
// is set and the cli.Flag that puts it in place.
type value struct {
	decl     Flag
	given    bool
	texts    []string
	number   int
	duration time.Duration
	time     time.Time
	inUTC    bool // the time was given without a zone
}

// newValue returns the value of a flag that has not been given.
func newValue(f Flag) (*value, error) {
	v := &value{decl: f}
	if f.Default == "" {
		return v, nil
	}
	if err := v.Set(f.Default); err != nil {
		return nil, fmt.Errorf("default of flag %s: %w", f.Name, err)
	}
	v.given = false
	return v, nil
}

// Set accepts a value from the command line. A default is overwritten; a second value is
// refused, as the reader of a command line would not know which one counts.
func (v *value) Set(s string) error {
	if v.given && v.decl.Kind != List {
		return errors.New("the flag was given twice")
	}
	if !v.given {
		v.texts = nil
	}
	v.given = true
	v.texts = append(v.texts, s)
	return v.parseValue(s)
}

func (v *value) parseValue(s string) (err error) {
	switch v.decl.Kind {
	case Number:
		v.number, err = parseWithin(v.decl, s, parseNumber)
	case Duration:
		v.duration, err = parseWithin(v.decl, s, parseDuration)
	case Seconds:
		v.duration, err = parseWithin(v.decl, s, parseSeconds)
	case Time:
		if v.time = time.Now().UTC().Truncate(time.Millisecond); !slices.Contains(v.decl.Choices, s) {
			v.time, err = ParseTime(s)
		}
	case Moment:
		v.time, v.inUTC, err = parseMoment(s)
	case Text, List:
		if len(v.decl.Choices) > 0 && !slices.Contains(v.decl.Choices, s) {
			err = fmt.Errorf("expected one of %s%s", strings.Join(v.decl.Choices, ", "), DidYouMean(s, v.decl.Choices))
		} else if s == "" {
			err = errors.New("the value is empty")
		}
	}
	return err
}

// parseWithin parses a value and holds it to the bounds of its flag.
func parseWithin[N cmp.Ordered](decl Flag, s string, parse func(string) (N, error)) (N, error) {
	n, err := parse(s)
	if err != nil {
		return n, err
	}
	least, low := parse(decl.Least)
	most, high := parse(decl.Most)
	switch {
	case (low != nil || n >= least) && (high != nil || n <= most):
		return n, nil
	case high != nil:
		return n, fmt.Errorf("expected at least %s", decl.Least)
	case low != nil:
		return n, fmt.Errorf("expected at most %s", decl.Most)
	}
	return n, fmt.Errorf("expected %s to %s", decl.Least, decl.Most)
}

func parseDuration(s string) (time.Duration, error) {
	wrong := errors.New("expected a duration such as 30s, 1m30s or 90d")
	days, rest, hasDays := strings.Cut(s, "d")
	if !hasDays {
		days, rest = "0", s
	}
	n, err := parseNumber(days)
	if err != nil || n > maxDays {
		return 0, wrong
	}
	whole := time.Duration(n) * day
	if hasDays && rest == "" {
		return whole, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || d > math.MaxInt64-whole || hasDays && rest[0] == '+' {
		return 0, wrong
	}
	return whole + d, nil
}

const (
	day     = 24 * time.Hour
	maxDays = int(math.MaxInt64 / day)
)

func parseSeconds(s string) (time.Duration, error) {
	d, err := parseDuration(s)
	if err == nil && d%time.Second != 0 {
		err = errors.New("expected whole seconds, such as 30s, 1m30s or 90d")
	}
	return d, err
}

func parseNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if errors.Is(err, strconv.ErrRange) {
		return 0, errors.New("the number is too large")
	}
	if err != nil || strconv.Itoa(n) != s || n < 0 {
		return 0, errors.New("expected a decimal number such as 0 or 42")
	}
	return n, nil
}

// String describes the value for a message; flag.Value asks for it.
func (v *value) String() string {
	if v == nil {
		return ""
	}
	return safetext.Line(strings.Join(v.texts, " "))
}

// IsBoolFlag reports to package flag whether no value follows.
func (v *value) IsBoolFlag() bool { return !v.decl.takesValue() }

// Apply puts the flag into the set; with Names and IsSet it is the cli.Flag.
func (v *value) Apply(set *flag.FlagSet) error {
	set.Var(v, v.decl.Name, v.decl.Usage)
	return nil
}

// Names returns the only name of the flag.
func (v *value) Names() []string { return []string{v.decl.Name} }

// IsSet reports whether the flag was given.
func (v *value) IsSet() bool { return v.given }
