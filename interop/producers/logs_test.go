package producers

// journald is the tools of systemd's journal.
var journald = group{
	name:     "journald",
	programs: []string{"/usr/lib/systemd/systemd-journal-remote --version", "journalctl --version"},
	forms:    formsOf("journald"),
}

// rsyslog reads a file or a socket, and writes files by its templates.
var rsyslog = group{
	name:     "rsyslog",
	programs: []string{"rsyslogd -v"},
	forms:    formsOf("rsyslog"),
}

// logrotate rotates a journal that grows.
var logrotate = group{
	name:     "logrotate",
	programs: []string{"logrotate --version"},
	forms:    formsOf("logrotate"),
}

func init() { groups = append(groups, journald, rsyslog, logrotate) }
