// Package shapes writes the lines of a log in the forms in which stores, shippers,
// runtimes and people hand them out.
//
// Each form follows the documentation of its product, which it names. The package
// shares nothing with the readers.
package shapes

import (
	"slices"
	"strings"
	"time"
)

// Keeps says what a product keeps of a line.
type Keeps int

// What a product keeps, the most first.
const (
	Octets Keeps = iota + 1 // every octet, behind whatever escapes
	Values                  // the values of the JSON, in another spelling or order
	Less                    // less than that; Loses says what is lost
)

// Shape is one form in which one product hands out lines of a log.
type Shape struct {
	// Name is the product and the form: "docker/json-file".
	Name string

	// Document is the product's document that describes the form: its title and,
	// if it has one, its address.
	Document string

	// Export is the command, or the way, that hands out this form and loses least.
	Export string

	Keeps Keeps

	// Loses is what the product loses, cuts or reorders, in one sentence; "" if
	// nothing.
	Loses string

	// Lost says of a line whether the product loses it, where it keeps Less; nil if
	// it loses something of every line.
	Lost func(line []byte) bool

	// Cuts says that the product puts long lines into several records, or cuts them
	// off.
	Cuts bool

	// Batch says that a batch id comes through.
	Batch bool

	// Whole says that nothing can be read of a file that was cut.
	Whole bool

	// Write writes a log.
	Write func(Log) Files
}

// Log is what a shape is made of.
type Log struct {
	Lines [][]byte  // canonical events without line feeds, SPEC 4.2
	Batch string    // the id of the batch that they came in; "" if there is none
	Time  time.Time // when the first was collected; each further one is a millisecond later
}

// At is when a line was collected.
func (l Log) At(i int) time.Time { return l.Time.Add(time.Duration(i) * time.Millisecond) }

// Files are contents by name. Names have "/" between folders.
type Files map[string][]byte

// Product is the first part of a shape's name.
func (s Shape) Product() string {
	product, _, _ := strings.Cut(s.Name, "/")
	return product
}

// All returns every shape, by name.
func All() []Shape {
	var all []Shape
	for _, group := range groups {
		all = append(all, group()...)
	}
	slices.SortFunc(all, func(a, b Shape) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// groups are the shapes of each file of this package.
var groups = []func() []Shape{
	archiveShapes, axiomShapes, azureContainersShapes, azureMonitorShapes, betterstackShapes,
	clickhouseShapes, cloudwatchMoreShapes, cloudwatchShapes, codeShapes, configShapes,
	containerdShapes, coreutilsShapes, criblShapes, crictlShapes, curlShapes, datadogShapes,
	dockerShapes, documentShapes, elasticsearchShapes, envoyShapes, filebeatShapes, fluentBitShapes,
	fluentdShapes, gcpLoggingShapes, gitShapes, githubActionsShapes, grafanaShapes, grepShapes,
	harShapes, honeycombShapes, iconvShapes, journalShapes, journalctlShapes, jqShapes, kafkaShapes,
	keyValueShapes, kibanaShapes, lessShapes, log4j2Shapes, lokiShapes, macosUnifiedShapes,
	mailShapes, mysqlShapes, nestedShapes, nginxShapes, nomadShapes, operationsShapes, peopleShapes,
	postgresqlDumps, postgresqlPrints, powershellShapes, pythonLoggingShapes, pythonShapes,
	queueShapes, relationalShapes, rsyslogMoreShapes, rsyslogShapes, rustShapes, s3SelectShapes,
	sentryShapes, sheetShapes, shellShapes, splunkShapes, sqliteShapes, straceShapes, sumologicShapes,
	tsharkShapes, vectorShapes, warehouseShapes, windowsShapes, yqShapes, zapShapes,
}

// file makes the files of a shape that is one file.
func file(name string, content []byte) Files { return Files{name: content} }

// lines writes what write makes of each line, one after the other.
func (l Log) lines(write func(i int, line string) string) []byte {
	var out strings.Builder
	for i, line := range l.Lines {
		out.WriteString(write(i, string(line)))
	}
	return []byte(out.String())
}
