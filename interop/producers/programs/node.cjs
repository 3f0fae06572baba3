// Writes a journal as the loggers of Node.js do: node.cjs FORM IN OUT.
const fs = require("node:fs");
const util = require("node:util");

const [form, source, out] = process.argv.slice(2);
const lines = fs.readFileSync(source, "utf8").split("\n").slice(0, -1);
const events = lines.map((line) => JSON.parse(line));
const file = `${out}/app.log`;

function pino(options, each) {
  const pino = require("pino");
  const logger = pino(options, pino.destination({ dest: file, sync: true }));
  each(logger);
}

function winston(format, each) {
  const winston = require("winston");
  const stream = fs.createWriteStream(file);
  const logger = winston.createLogger({
    format: format(winston.format),
    transports: [new winston.transports.Stream({ stream, eol: "\n" })],
  });
  each(logger);
  logger.end();
}

function bunyan(each) {
  each(require("bunyan").createLogger({ name: "svc-edge", streams: [{ path: file }] }));
}

const whole = { depth: null, breakLength: Infinity };
const write = (text) => fs.writeFileSync(file, text);

const forms = {
  "pino-message": () => pino({}, (log) => lines.forEach((line) => log.info(line))),
  "pino-field": () => pino({}, (log) => events.forEach((event) => log.info({ event }, "audited"))),
  "pino-merged": () => pino({ base: null }, (log) => events.forEach((event) => log.info(event))),
  "winston-json": () => winston((f) => f.json(), (log) => lines.forEach((line) => log.info(line))),
  "winston-timestamp": () =>
    winston((f) => f.combine(f.timestamp(), f.json()), (log) =>
      events.forEach((event) => log.info("audited", { event }))),
  "winston-simple": () => winston((f) => f.simple(), (log) => lines.forEach((line) => log.info(line))),
  "winston-print": () =>
    winston((f) => f.printf((i) => `${i.level} [svc] ${i.message}`), (log) => lines.forEach((line) => log.warn(line))),
  "winston-logstash": () => winston((f) => f.logstash(), (log) => lines.forEach((line) => log.info(line))),
  "bunyan-message": () => bunyan((log) => lines.forEach((line) => log.info(line))),
  "bunyan-field": () => bunyan((log) => events.forEach((event) => log.info({ event }, "audited"))),
  "stringify": () => write(JSON.stringify({ events })),
  "stringify-indented": () => write(JSON.stringify(events, null, "\t")),
  "stringify-twice": () => write(lines.map((line) => JSON.stringify({ m: JSON.stringify({ line }) })).join("\n") + "\n"),
  "inspect-strings": () => write(util.inspect(lines, { ...whole, maxArrayLength: null, maxStringLength: null })),
  "inspect": () => write(events.map((event) => util.inspect(event) + "\n").join("")),
  "inspect-deep": () => write(events.map((event) => util.inspect(event, whole) + "\n").join("")),
};

forms[form]();
