package producers

// node is the loggers of Node.js.
var node = group{
	name:     "node",
	programs: []string{"node --version", logger("pino"), logger("winston"), logger("bunyan")},
	forms: append(ofNode(octets, "pino-message", "winston-json", "winston-simple", "winston-print", "winston-logstash",
		"bunyan-message", "stringify-twice", "inspect-strings"),
		append(ofNode(values, "pino-field", "pino-merged", "winston-timestamp", "bunyan-field",
			"stringify", "stringify-indented"),
			form{name: "inspect", run: `node $PROGRAMS/node.cjs inspect $IN $OUT`, keeps: broken, cut: never,
				loses: "console.log breaks strings over lines and is no JSON: JSON.stringify"})...),
}

// logger says the version of a package of npm.
func logger(name string) string {
	return `node -e "console.log('` + name + `', require('` + name + `/package.json').version)"`
}

// ofNode are the forms of the script that keep the same.
func ofNode(k keeps, names ...string) (forms []form) {
	for _, name := range names {
		forms = append(forms, form{name: name, run: `node $PROGRAMS/node.cjs ` + name + ` $IN $OUT`, keeps: k})
	}
	return forms
}

func init() { groups = append(groups, node) }
