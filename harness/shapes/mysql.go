package shapes

import (
	"fmt"
	"strings"
)

const (
	mysqlPage     = "MySQL: mysql Client Options, https://dev.mysql.com/doc/refman/8.4/en/mysql-command-options.html"
	mysqldumpPage = "MySQL: mysqldump, https://dev.mysql.com/doc/refman/8.4/en/mysqldump.html"
	outfilePage   = "MySQL: SELECT … INTO, https://dev.mysql.com/doc/refman/8.4/en/select-into.html"
	binlogPage    = "MySQL: mysqlbinlog Row Event Display, " +
		"https://dev.mysql.com/doc/refman/8.4/en/mysqlbinlog-row-events.html"
	mysqlJSON  = "MySQL: The JSON Data Type, https://dev.mysql.com/doc/refman/8.4/en/json.html"
	phpMyAdmin = "phpMyAdmin: Import and export, https://docs.phpmyadmin.net/en/latest/import_export.html"

	dumpTable = "mysqldump --hex-blob edge audit"
)

// mysqlShapes are what MySQL, MariaDB and their tools write.
func mysqlShapes() []Shape {
	return []Shape{
		{
			Name: "mysql/mysqldump", Document: mysqldumpPage, Export: dumpTable, Keeps: Octets,
			Write: page{"audit.sql", mysqlHead + "INSERT INTO `audit` VALUES ", ",", mysqlFoot}.of(func(r record) string {
				return fmt.Sprintf("(%d,'%s','%s')", r.n, r.stamp(), mysqlString(r.line))
			}),
		},
		{
			Name: "mysql/mysqldump-rows", Document: mysqldumpPage, Export: dumpTable, Keeps: Octets,
			Write: page{"audit.sql", mysqlHead, "", strings.TrimPrefix(mysqlFoot, ";\n")}.of(func(r record) string {
				return fmt.Sprintf("INSERT INTO `audit` (`id`, `received_at`, `body`) VALUES (%d,'%s','%s');\n",
					r.n, r.stamp(), mysqlString(r.line))
			}),
		},
		{
			Name: "mysql/mysqldump-hex", Document: mysqldumpPage, Export: dumpTable, Keeps: Octets,
			Write: page{"audit.sql", mysqlHead + "INSERT INTO `audit` VALUES ", ",", mysqlFoot}.of(func(r record) string {
				return fmt.Sprintf("(%d,'%s',0x%s)", r.n, r.stamp(), strings.ToUpper(hexText(r.line)))
			}),
		},
		{
			Name: "mysql/mysqldump-xml", Document: mysqldumpPage, Export: "mysqldump --xml edge audit", Keeps: Octets,
			Write: page{
				"audit.xml", `<?xml version="1.0"?>` + "\n" +
					`<mysqldump xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n" +
					`<database name="edge">` + "\n\t" + `<table_data name="audit">` + "\n", "",
				"\t</table_data>\n</database>\n</mysqldump>\n",
			}.of(mysqlRow),
		},
		{
			Name: "mysql/batch", Document: mysqlPage, Export: "mysql -B -e 'SELECT * FROM audit'", Keeps: Octets,
			Batch: true,
			Write: table("audit.tsv", "\t", strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\x00", `\0`).Replace),
		},
		{
			Name: "mysql/batch-raw", Document: mysqlPage, Export: "mysql -B -r -e 'SELECT * FROM audit'", Keeps: Octets,
			Write: page{name: "audit.tsv", head: "id\treceived_at\tbody\n"}.of(func(r record) string {
				return r.id() + "\t" + r.stamp() + "\t" + r.line + "\n"
			}),
		},
		{
			Name: "mysql/vertical", Document: mysqlPage, Export: "mysql -B -r -e 'SELECT * FROM audit'", Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				stars := strings.Repeat("*", 27)
				return fmt.Sprintf("%s %d. row %s\n         id: %d\nreceived_at: %s\n       body: %s", stars, r.n, stars, r.n,
					r.stamp(), r.line)
			}),
		},
		{
			Name: "mysql/table", Document: mysqlPage, Export: "mysql -B -r -e 'SELECT * FROM audit'", Keeps: Octets,
			Write: mysqlTable,
		},
		{
			Name: "mysql/xml", Document: mysqlPage, Export: "mysql --xml -e 'SELECT * FROM audit'", Keeps: Octets,
			Write: page{
				"audit.xml", `<?xml version="1.0"?>` + "\n\n<resultset statement=\"SELECT * FROM audit\n\"" +
					` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n", "\n", "</resultset>\n",
			}.of(mysqlRow),
		},
		{
			Name: "mysql/html", Document: mysqlPage, Export: "mysql -B -r -e 'SELECT * FROM audit'", Keeps: Octets,
			Write: page{"audit.html", "<TABLE BORDER=1><TR><TH>id</TH><TH>body</TH></TR>", "", "</TABLE>"}.of(
				func(r record) string {
					return "<TR><TD>" + r.id() + "</TD><TD>" + xmlAttribute(r.line) + "</TD></TR>"
				}),
		},
		{
			Name: "mysql/outfile", Document: outfilePage, Export: "SELECT * INTO OUTFILE 'audit.txt' FROM audit",
			Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return r.id() + "\t" + r.stamp() + "\t" + strings.ReplaceAll(r.line, `\`, `\\`)
			}),
		},
		{
			Name: "mysql/outfile-csv", Document: outfilePage, Keeps: Octets,
			Export: `SELECT * INTO OUTFILE 'audit.csv' FIELDS TERMINATED BY ',' ENCLOSED BY '"' FROM audit`,
			Write: lined("audit.csv", func(r record) string {
				return `"` + r.id() + `","` + r.stamp() + `","` + cString(r.line) + `"`
			}),
		},
		{
			Name: "mysql/json-column", Document: mysqlJSON, Export: "store the line as LONGTEXT, not as JSON", Keeps: Values,
			Loses: "A JSON column orders members by length and drops repeated names.",
			Write: page{"audit.sql", mysqlHead + "INSERT INTO `audit` VALUES ", ",", mysqlFoot}.of(func(r record) string {
				return fmt.Sprintf("(%d,'%s','%s')", r.n, r.stamp(), mysqlString(byLength.respell(r.line)))
			}),
		},
		{
			Name: "mysql/mysqlbinlog-rows", Document: binlogPage,
			Export: "mysqlbinlog --base64-output=DECODE-ROWS -v binlog.000001", Keeps: Octets,
			Write: lined("binlog.sql", func(r record) string {
				text := strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(r.line)
				return fmt.Sprintf("# at %d\n### INSERT INTO `edge`.`audit`\n### SET\n###   @1=%d\n###   @2=%d\n###   @3='%s'",
					r.n*400, r.n, r.at.Unix(), text)
			}),
		},
		{
			Name: "mysql/mysqlsh-ndjson", Keeps: Octets, Batch: true,
			Document: "MySQL Shell: Output Formats, " +
				"https://dev.mysql.com/doc/mysql-shell/8.4/en/mysql-shell-output-formats.html",
			Export: "mysqlsh --sql --result-format=ndjson -e 'SELECT * FROM audit'",
			Write: lined("audit.json", func(r record) string {
				return compact.object("id", r.id(), "received_at", compact.quote(r.stamp()),
					batchName, compact.quote(r.batch), "body", compact.quote(r.line))
			}),
		},
		{
			Name: "phpmyadmin/json", Document: phpMyAdmin, Export: "Export, format JSON", Keeps: Octets, Batch: true,
			Write: page{
				"audit.json", `[` + "\n" + `{"type":"header","version":"5.2.1","comment":"Export to JSON plugin for ` +
					`PHPMyAdmin"},` + "\n" +
					`{"type":"database","name":"edge"},` + "\n" + `{"type":"table","name":"audit","database":"edge","data":` + "\n[\n",
				",\n", "\n]\n}\n]\n",
			}.of(func(r record) string {
				return php.object("id", php.quote(r.id()), "received_at", php.quote(r.stamp()),
					batchName, php.quote(r.batch), "body", php.quote(r.line))
			}),
		},
	}
}

func mysqlRow(r record) string {
	return "\t<row>\n\t\t<field name=\"id\">" + r.id() + "</field>\n\t\t<field name=\"body\">" + xmlAttribute(r.line) +
		"</field>\n\t</row>\n"
}

func mysqlTable(l Log) Files {
	widest := len("body")
	for _, line := range l.Lines {
		widest = max(widest, width(string(line)))
	}
	rule := "+----+-" + strings.Repeat("-", widest) + "-+\n"
	return page{"audit.txt", rule + "| id | " + pad("body", widest) + " |\n" + rule, "", rule}.of(func(r record) string {
		return fmt.Sprintf("| %2d | %s |\n", r.n, pad(r.line, widest))
	})(l)
}

const mysqlHead = `-- MySQL dump 10.13  Distrib 8.4.0, for Linux (x86_64)
--
-- Host: localhost    Database: edge
-- ------------------------------------------------------
/*!40101 SET NAMES utf8mb4 */;

DROP TABLE IF EXISTS ` + "`audit`" + `;
CREATE TABLE ` + "`audit`" + ` (
  ` + "`id`" + ` bigint NOT NULL,
  ` + "`received_at`" + ` datetime(3) DEFAULT NULL,
  ` + "`body`" + ` longtext
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

LOCK TABLES ` + "`audit`" + ` WRITE;
`

const mysqlFoot = ";\nUNLOCK TABLES;\n\n-- Dump completed on 2026-03-02  9:00:00\n"
