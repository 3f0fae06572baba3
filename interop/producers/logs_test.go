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
	forms: []form{
		{name: "default", run: tailed(``, `template="RSYSLOG_FileFormat"`)},
		{name: "traditional", run: tailed(``, `template="RSYSLOG_TraditionalFileFormat"`)},
		{name: "rfc-5424", run: tailed(``, `template="RSYSLOG_SyslogProtocol23Format"`)},
		{name: "forward", run: tailed(``, `template="RSYSLOG_ForwardFormat"`)},
		{name: "debug", run: tailed(``, `template="RSYSLOG_DebugFormat"`)},
		{name: "mysql", run: tailed(sqlTemplate("sql"), `template="t"`)},
		{name: "postgresql", run: tailed(sqlTemplate("stdsql"), `template="t"`)},
		{name: "json", run: tailed(`template(name="t" type="list" option.jsonf="on") {
			property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
			property(outname="host" name="hostname" format="jsonf")
			property(outname="message" name="msg" format="jsonf")
		}`, `template="t"`)},
		{name: "json-properties", run: tailed(`template(name="t" type="string" string="%jsonmesg%\n")`, `template="t"`)},
		{name: "csv",
			run: tailed(`template(name="t" type="string" string="%timereported:::date-rfc3339,csv%,%msg:::csv%\n")`,
				`template="t"`)},
		{name: "parsed", run: tailed(`module(load="mmjsonparse")
			template(name="t" type="string" string="%$!all-json%\n")
			action(type="mmjsonparse" cookie="")`, `template="t"`), keeps: values},
		{name: "gzip", run: tailed(``, `template="RSYSLOG_FileFormat" zipLevel="6" veryRobustZip="on"`), cut: inside},
		{name: "socket", run: received(`logger -t svc-edge --size 8192`, `template="RSYSLOG_FileFormat"`)},
		{name: "socket-rfc-5424",
			run: received(`logger -t svc-edge --size 8192 --rfc5424`, `template="RSYSLOG_SyslogProtocol23Format"`)},
		{name: "small-messages", run: `LIMIT=2k; ` + tailed(``, `template="RSYSLOG_FileFormat"`), keeps: less, lost: 1,
			loses: "rsyslog splits a message above maxMessageSize, which is 8 KiB unless it is set"},
	},
}

// sqlTemplate is the statements that rsyslog sends to a database, with its quoting.
func sqlTemplate(quoting string) string {
	return `template(name="t" type="list" option.` + quoting + `="on") {
	constant(value="insert into SystemEvents (ReceivedAt, Message) values ('\''")
	property(name="timereported" dateFormat="mysql")
	constant(value="'\'', '\''")
	property(name="msg")
	constant(value="'\'');\n")
}`
}

// tailed has rsyslog follow the journal.
func tailed(templates, action string) string {
	return `grep -v '^$' $IN > followed
` + daemon(`module(load="imfile" mode="polling" PollingInterval="1")
input(type="imfile" File="'$PWD/followed'" Tag="svc-edge:")
`+templates, action) + awaited
}

// received has rsyslog listen on a socket, and logger send the journal's lines.
func received(logger, action string) string {
	return daemon(`module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="'$PWD/log'")`, action) + `
for i in $(seq 100); do test -S log && break; sleep 0.05; done
` + logger + ` -d -u log -f $IN
` + awaited
}

// daemon starts rsyslog.
func daemon(settings, action string) string {
	return `echo 'global(workDirectory="'$PWD'" maxMessageSize="'${LIMIT:-8k}'")
` + settings + `
action(type="omfile" file="'$OUT/messages'" asyncWriting="off" flushOnTXEnd="on" ` + action + `)' > rsyslog.conf
rsyslogd -n -f $PWD/rsyslog.conf -i $PWD/pid > said 2>&1 &
`
}

// awaited waits until the last event was written, and stops rsyslog.
const awaited = `
last=$(tail -n 1 $IN | sed 's/.*"signature":"\([^"]*\)".*/\1/')
for i in $(seq 200); do zgrep -sq -- $last $OUT/messages && break; sleep 0.05; done
kill %1; wait %1 || true
zgrep -q -- $last $OUT/messages || { cat said; exit 1; }
`

// logrotate rotates a journal that grows.
var logrotate = group{
	name:     "logrotate",
	programs: []string{"logrotate --version"},
	forms: []form{
		{name: "renamed", run: rotated(`nocompress`)},
		{name: "copied", run: rotated(`copytruncate`)},
		{name: "compressed", run: rotated("compress"), cut: inside},
		{name: "delayed", run: rotated("compress\ndelaycompress\ncopytruncate")},
		{name: "dated", run: rotated("dateext\ndateformat -%Y%m%d-%s\ncompress"), cut: inside},
		{name: "xz", run: rotated("compress\ncompresscmd /usr/bin/xz\ncompressext .xz"), cut: inside},
		{name: "numbered", run: rotated("extension .ndjson\nstart 0")},
	},
}

// rotated rotates twice, as a journal grows by thirds.
func rotated(settings string) string {
	return `mkdir -m 755 logs
echo "$PWD/logs/journal.ndjson {
rotate 9
create
` + settings + `
}" > conf; chmod 644 conf
head -n 7 $IN > logs/journal.ndjson; logrotate -f -s state conf
sed -n 8,16p $IN >> logs/journal.ndjson; sleep 1; logrotate -f -s state conf
tail -n +17 $IN >> logs/journal.ndjson
cp -r logs $OUT
`
}

func init() { groups = append(groups, journald, rsyslog, logrotate) }
