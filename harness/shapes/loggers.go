package shapes

import (
	"fmt"
	"strconv"
)

const loggerExport = "a handler that writes the message alone"

func zapShapes() []Shape {
	return []Shape{
		loggerBatched(loggerForm("zap/json", "zap, https://pkg.go.dev/go.uber.org/zap/zapcore", func(r record) string {
			return compact.object("level", `"info"`, "ts", r.epoch(6), "caller", `"edge/main.go:42"`, "msg",
				compact.quote(r.line), batchKey, compact.quote(r.batch))
		})),
		loggerForm("zap/console", "zap, https://pkg.go.dev/go.uber.org/zap/zapcore", func(r record) string {
			return r.iso() +
				"\tINFO\tedge/main.go:42\t" + r.line + "\t{\"n\": 1}"
		}),
		{Name: "zerolog/raw", Document: "zerolog, Event.RawJSON, https://pkg.go.dev/github.com/rs/zerolog",
			Export: loggerExport, Keeps: Octets,
			Write: lined("app.log", func(r record) string {
				return `{"level":"info","event":` + r.line + `,"time":` + r.epoch(0)[:10] + `,"message":"synced"}`
			})},
		loggerForm("slog/json", "Go, package log/slog, https://pkg.go.dev/log/slog", func(r record) string {
			return goSpelling.object("time", goSpelling.quote(r.nano()), "level", `"INFO"`, "msg", goSpelling.quote(r.line))
		}),
		loggerForm("slog/text", "Go, package log/slog, https://pkg.go.dev/log/slog", func(r record) string {
			return "time=" + r.iso() + " level=INFO msg=" + strconv.Quote(r.line) + " n=1"
		}),
		loggerForm("logrus/text", "logrus, https://pkg.go.dev/github.com/sirupsen/logrus", func(r record) string {
			return `time="` + r.iso() + `" level=info msg=` + strconv.Quote(r.line)
		}),
		loggerForm("klog/structured", "klog, https://pkg.go.dev/k8s.io/klog/v2", func(r record) string {
			return r.at.Format("I0102 15:04:05.000000      1 main.go:42] ") + `"Synced" event=` + strconv.Quote(r.line)
		}),
		loggerForm("glog/header", "glog, https://pkg.go.dev/github.com/golang/glog",
			func(r record) string { return r.at.Format("I0102 15:04:05.000000   812 main.go:42] ") + r.line }),
	}
}

func log4j2Shapes() []Shape {
	return []Shape{
		loggerForm("log4j2/pattern", "Log4j 2, pattern layout, https:"+
			"//logging.apache.org/log4j/2.x/manual/pattern-layout.html",
			func(r record) string {
				return r.at.Format("2006-01-02 15:04:05,000") + " [main] INFO  edge.Journal - " + r.line
			}),
		loggerBatched(loggerForm("log4j2/json", "Log4j 2, JSON template layout, https:"+
			"//logging.apache.org/log4j/2.x/manual/json-template-layout.html", func(r record) string {
			return compact.object("instant",
				`{"epochSecond":`+fmt.Sprint(r.at.Unix())+`,"nanoOfSecond":`+fmt.Sprint(r.at.Nanosecond())+`}`, "level",
				`"INFO"`, "loggerName", `"edge"`, "message", compact.quote(r.line), "contextMap", compact.object(batchKey,
					compact.quote(r.batch)))
		})),
		loggerForm("logback/json", "logstash-logback-encoder, https://github.com/logfellow/logstash-logback-encoder",
			func(r record) string {
				return jackson.object("@timestamp", jackson.quote(r.zoned()), "@version", `"1"`, "message",
					jackson.quote(r.line), "logger_name", `"edge"`, "level_value", "20000")
			}),
		loggerForm("logback/pattern", "logback, layouts, https://logback.qos.ch/manual/layouts.html",
			func(r record) string { return r.at.Format("15:04:05.000") + " [main] INFO  edge -- " + r.line }),
		loggerForm("winston/json", "winston, https://github.com/winstonjs/winston", func(r record) string {
			return compact.object("level", `"info"`, "message", compact.quote(r.line), "timestamp", compact.quote(r.iso()))
		}),
		loggerForm("pino/json", "pino, https://getpino.io/", func(r record) string {
			return compact.object("level", "30", "time", r.millis(), "pid", "812", "hostname", `"berlin"`, "msg",
				compact.quote(r.line))
		}),
		loggerForm("bunyan/json", "bunyan, https://github.com/trentm/node-bunyan", func(r record) string {
			return compact.object("name", `"edge"`, "hostname", `"berlin"`, "pid", "812", "level", "30", "msg",
				compact.quote(r.line), "time", compact.quote(r.iso()), "v", "0")
		}),
	}
}

func pythonLoggingShapes() []Shape {
	return []Shape{
		loggerForm("python-logging/basic", "Python, logging, https://docs.python.org/3/library/logging.html",
			func(r record) string { return "INFO:edge.journal:" + r.line }),
		loggerForm("python-logging/args", "Python, logging, https://docs.python.org/3/library/logging.html",
			func(r record) string {
				return r.at.Format("2006-01-02 15:04:05,000") + " - edge - INFO - received {'line': " + pythonRepr(r.line) +
					", 'n': 1}"
			}),
		loggerForm("structlog/console", "structlog, https://www.structlog.org/", func(r record) string {
			return "\x1b[2m" + r.iso() + "\x1b[0m [\x1b[32m\x1b[1minfo     \x1b[0m] \x1b[1msynced\x1b[0m " +
				"\x1b[36mline\x1b[0m=\x1b[35m" + pythonRepr(r.line) + "\x1b[0m"
		}),
		loggerForm("serilog/compact", "Serilog, compact formatting, https://github.com/serilog/serilog-formatting-compact",
			func(r record) string {
				return compact.object("@t", compact.quote(r.nano()), "@mt", `"Received {Line}"`, "Line", compact.quote(r.line))
			}),
		loggerForm("rails/tagged", "Rails, ActiveSupport::TaggedLogging, https:"+
			"//api.rubyonrails.org/classes/ActiveSupport/TaggedLogging.html", func(r record) string {
			return "I, [" + r.at.Format("2006-01-02T15:04:05.000000") + " #812]  INFO -- : [6fd3a5b1] " + r.line
		}),
		loggerForm("monolog/line", "Monolog, LineFormatter, https://seldaek.github.io/monolog/",
			func(r record) string { return "[" + r.zoned() + "] edge.INFO: " + r.line + " [] []" }),
		loggerForm("monolog/context", "Monolog, LineFormatter, https://seldaek.github.io/monolog/", func(r record) string {
			return "[" + r.zoned() + "] edge.INFO: received " + php.object("line", php.quote(r.line)) + " []"
		}),
		loggerForm("tracing/compact", "tracing-subscriber, https:"+
			"//docs.rs/tracing-subscriber/latest/tracing_subscriber/fmt/format/", func(r record) string {
			return r.nano() + "  INFO edge: synced line=" + rustDebug(r.line) + " n=1"
		}),
	}
}

func loggerForm(name, document string, write func(r record) string) Shape {
	return Shape{Name: name, Document: document, Export: loggerExport, Keeps: Octets, Write: lined("app.log", write)}
}

func loggerBatched(s Shape) Shape {
	s.Batch = true
	return s
}
