package casefile

import "github.com/svc-edge/svc-verify/internal/sqlite"

// logs is the dictionary of logs. It also knows up to where each of them has
// rows, so that an event of a growing log is known to be new without a look.
type logs struct {
	find, add, top *sqlite.Stmt
	known          map[logName]*logState
	next           int64
	last           logName // the log that was asked for last, most often the next one too
	lastState      *logState
}

type logName struct{ tenant, log string }

type logState struct {
	number int64
	last   uint64 // the highest sequence in a row of events
}

func newLogs(c *sqlite.Conn) (*logs, error) {
	last, err := c.Number("SELECT coalesce(max(log), 0) FROM logs")
	if err != nil {
		return nil, err
	}
	l := &logs{known: map[logName]*logState{}, next: last + 1}
	err = c.PrepareAll(map[**sqlite.Stmt]string{
		&l.find: "SELECT log FROM logs WHERE tenant_id = ? AND log_id = ?",
		&l.add:  "INSERT INTO logs VALUES (?, ?, ?)",
		&l.top:  "SELECT max(event) FROM events WHERE event BETWEEN ? AND ?",
	})
	return l, err
}

func (l *logs) state(tenant, log []byte) (*logState, error) {
	if l.lastState != nil && l.last.log == string(log) && l.last.tenant == string(tenant) {
		return l.lastState, nil
	}
	s, err := l.lookUp(tenant, log)
	l.last, l.lastState = logName{}, nil
	if err == nil {
		l.last, l.lastState = logName{string(tenant), string(log)}, s
	}
	return s, err
}

func (l *logs) lookUp(tenant, log []byte) (*logState, error) {
	if s, ok := l.known[logName{string(tenant), string(log)}]; ok {
		return s, nil
	}
	if len(l.known) >= namesKept {
		clear(l.known)
	}
	name := logName{string(tenant), string(log)}
	s := &logState{}
	l.find.Bind(name.tenant, name.log)
	found, err := l.find.Step()
	if found {
		s.number = l.find.Int(0)
	}
	l.find.Reset()
	switch {
	case err != nil:
		return nil, err
	case found:
		err = l.load(s)
	default:
		s.number = l.next
		l.next++
		l.add.Bind(s.number, name.tenant, name.log)
		err = l.add.Do()
	}
	l.known[name] = s
	return s, err
}

// load finds the last row of a log.
func (l *logs) load(s *logState) error {
	if s.number > maxLog {
		return nil
	}
	first := s.number << sequenceBits
	l.top.Bind(first, first|maxSequence)
	defer l.top.Reset()
	if _, err := l.top.Step(); err != nil {
		return err
	}
	s.last = uint64(l.top.Int(0)) & maxSequence
	return nil
}

func (l *logs) close() {
	if l != nil {
		sqlite.CloseAll(l.find, l.add, l.top)
	}
}

// containers is the dictionary of containers.
type containers struct {
	find, add, name *sqlite.Stmt
	known           map[containerName]int64
	next            int64
}

type containerName struct {
	source int64
	path   string
}

func newContainers(c *sqlite.Conn) (*containers, error) {
	last, err := c.Number("SELECT coalesce(max(container), 0) FROM containers")
	if err != nil {
		return nil, err
	}
	l := &containers{known: map[containerName]int64{}, next: last + 1}
	err = c.PrepareAll(map[**sqlite.Stmt]string{
		&l.find: "SELECT container FROM containers WHERE source = ? AND path = ?",
		&l.add:  "INSERT INTO containers VALUES (?, ?, ?, '', '')",
		&l.name: `UPDATE containers SET format = format || iif(format = '', '', ', ') || ?,
			why = why || iif(why = '', '', ', ') || ?
			WHERE container = ?`,
	})
	return l, err
}

// number returns the number of a container. A container of several formats
// lists them in the order in which they were found.
func (l *containers) number(source int64, c Container) (int64, error) {
	name := containerName{source, c.Path}
	number, ok := l.known[name]
	if !ok {
		if len(l.known) >= namesKept {
			clear(l.known)
		}
		var err error
		if number, err = l.look(name); err != nil {
			return 0, err
		}
		l.known[name] = number
	}
	if c.Format == "" {
		return number, nil
	}
	l.name.Bind(c.Format, c.Why, number)
	return number, l.name.Do()
}

func (l *containers) look(name containerName) (int64, error) {
	l.find.Bind(name.source, name.path)
	found, err := l.find.Step()
	number := l.next
	if found {
		number = l.find.Int(0)
	}
	l.find.Reset()
	if found || err != nil {
		return number, err
	}
	l.next++
	l.add.Bind(number, name.source, name.path)
	return number, l.add.Do()
}

func (l *containers) close() {
	if l != nil {
		sqlite.CloseAll(l.find, l.add, l.name)
	}
}
