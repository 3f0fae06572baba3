package shapes

import (
	"fmt"
	"strings"
)

// keyValueShapes are what stores of keys, columns, times and graphs hand out.
func keyValueShapes() []Shape {
	const (
		rediscli = "Redis: CLI, https://redis.io/docs/latest/develop/tools/cli/"
		monitor  = "Redis: MONITOR, https://redis.io/docs/latest/commands/monitor/"
		resp     = "Redis: Serialization protocol specification, " +
			"https://redis.io/docs/latest/develop/reference/protocol-spec/"
		etcd      = "etcd: etcdctl, https://github.com/etcd-io/etcd/blob/main/etcdctl/README.md"
		consul    = "Consul: kv export, https://developer.hashicorp.com/consul/commands/kv/export"
		vault     = "Vault: kv get, https://developer.hashicorp.com/vault/docs/commands/kv/get"
		cqlsh     = "Cassandra: cqlsh, https://cassandra.apache.org/doc/latest/cassandra/managing/tools/cqlsh.html"
		line      = "InfluxDB: Line protocol, https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/"
		annotated = "InfluxDB: Annotated CSV, https://docs.influxdata.com/influxdb/v2/reference/syntax/annotated-csv/"
		esql      = "Elasticsearch: SQL REST API, response data formats, " +
			"https://www.elastic.co/docs/reference/query-languages/sql/sql-rest-format"
		cypher = "Neo4j: Cypher Shell, https://neo4j.com/docs/operations-manual/current/cypher-shell/"
		raw    = "redis-cli --raw XRANGE audit - +"
	)
	return []Shape{
		{
			Name: "redis/lrange", Document: rediscli, Export: raw, Keeps: Octets,
			Write: lined("redis.txt", func(r record) string { return fmt.Sprintf("%d) %s", r.n, sdsRepr(r.line)) }),
		},
		{
			Name: "redis/xrange", Document: rediscli, Export: raw, Keeps: Octets,
			Write: lined("redis.txt", func(r record) string {
				return fmt.Sprintf("%d) 1) \"%d-0\"\n   2) 1) \"body\"\n      2) %s", r.n, r.at.UnixMilli(), sdsRepr(r.line))
			}),
		},
		{
			Name: "redis/raw", Document: rediscli, Export: raw, Keeps: Octets,
			Write: lined("redis.txt", func(r record) string { return fmt.Sprintf("%d-0\nbody\n%s", r.at.UnixMilli(), r.line) }),
		},
		{
			Name: "redis/csv", Document: rediscli, Export: raw, Keeps: Octets,
			Write: page{name: "redis.csv", between: ",", foot: "\n"}.of(func(r record) string { return sdsRepr(r.line) }),
		},
		{
			Name: "redis/json", Document: rediscli, Export: "redis-cli --json LRANGE audit 0 -1", Keeps: Octets,
			Write: page{"redis.json", "[", ",", "]\n"}.of(func(r record) string { return compact.quote(r.line) }),
		},
		{
			Name: "redis/monitor", Document: monitor, Export: raw, Keeps: Octets,
			Write: page{name: "monitor.txt", head: "OK\n"}.of(func(r record) string {
				return fmt.Sprintf("%d.%06d [0 127.0.0.1:60866] \"RPUSH\" \"audit\" %s\n", r.at.Unix(), r.at.UnixMicro()%1e6,
					sdsRepr(r.line))
			}),
		},
		{
			Name: "redis/aof", Document: resp, Export: "copy appendonlydir/", Keeps: Octets,
			Write: page{name: "appendonlydir/appendonly.aof.1.incr.aof", head: respCommand("SELECT", "0")}.of(
				func(r record) string {
					return respCommand("XADD", "audit", fmt.Sprintf("%d-0", r.at.UnixMilli()), "body", r.line)
				}),
		},
		{
			Name: "etcd/json", Document: etcd, Export: "etcdctl get --prefix audit/ --write-out=json", Keeps: Octets,
			Write: page{
				"etcd.json", `{"header":{"cluster_id":14841639068965178418,"member_id":10276657743932975437,"revision":9,` +
					`"raft_term":2},"kvs":[`,
				",", `],"count":9}` + "\n",
			}.of(func(r record) string {
				return fmt.Sprintf(`{"key":"%s","create_revision":%d,"mod_revision":%d,"version":1,"value":"%s"}`,
					base64Text("audit/"+r.id()), r.n, r.n, base64Text(r.line))
			}),
		},
		{
			Name: "etcd/simple", Document: etcd, Export: "etcdctl get --prefix audit/ --write-out=json", Keeps: Octets,
			Write: lined("etcd.txt", func(r record) string { return "audit/" + r.id() + "\n" + r.line }),
		},
		{
			Name: "consul/kv-export", Document: consul, Export: "consul kv export audit/", Keeps: Octets,
			Write: page{"consul.json", "[\n", ",\n", "\n]\n"}.of(func(r record) string {
				return "\t{\n\t\t\"key\": \"audit/" + r.id() + "\",\n\t\t\"flags\": 0,\n\t\t\"value\": \"" + base64Text(r.line) +
					"\"\n\t}"
			}),
		},
		{
			Name: "vault/kv-get", Document: vault, Export: "vault kv get -format=json secret/audit", Keeps: Octets,
			Write: page{
				"vault.json", "{\n  \"request_id\": \"d3b7\",\n  \"lease_id\": \"\",\n  \"data\": {\n    \"data\": {\n", ",\n",
				"\n    },\n    \"metadata\": {\n      \"version\": 1\n    }\n  },\n  \"warnings\": null\n}\n",
			}.of(func(r record) string { return fmt.Sprintf("      \"line%03d\": %s", r.n, goSpelling.quote(r.line)) }),
		},
		{
			Name: "cassandra/copy", Document: cqlsh, Export: "COPY audit TO 'audit.csv' WITH HEADER = TRUE", Keeps: Octets,
			Write: lined("audit.csv", func(r record) string {
				return r.id() + "," + r.stamp() + `+0000,"` + cString(r.line) + `"`
			}),
		},
		{
			Name: "cassandra/select-json", Document: cqlsh, Export: "COPY audit TO 'audit.csv' WITH HEADER = TRUE",
			Keeps: Octets,
			Write: page{"audit.txt", "\n [json]\n" + strings.Repeat("-", 80) + "\n", "", "\n(9 rows)\n"}.of(
				func(r record) string {
					return ` {"id": ` + r.id() + `, "body": ` + strings.ReplaceAll(compact.quote(r.line), `\`, `\\`) + "}\n"
				}),
		},
		{
			Name: "influxdb/line-protocol", Document: line, Export: "influxd inspect export-lp --bucket-id …", Keeps: Octets,
			Write: lined("audit.lp", func(r record) string {
				return fmt.Sprintf(`audit,host=berlin body="%s",id=%di %d`, cString(r.line), r.n, r.at.UnixNano())
			}),
		},
		{
			Name: "influxdb/annotated-csv", Document: annotated, Export: "influx query --raw 'from(bucket: …)'",
			Keeps: Octets,
			Write: page{name: "audit.csv", head: "#group,false,false,false,false,true\n#datatype,string,long," +
				"dateTime:RFC3339,string,string\n" +
				"#default,_result,,,,\n,result,table,_time,_value,_field\n"}.of(func(r record) string {
				return ",,0," + r.iso() + "," + csvCell(r.line) + ",body\n"
			}),
		},
		{
			Name: "elasticsearch/sql-csv", Document: esql, Export: "POST /_sql?format=csv", Keeps: Octets, Batch: true,
			Write: table("audit.csv", ",", csvCell),
		},
		{
			Name: "elasticsearch/sql-tsv", Document: esql, Export: "POST /_sql?format=csv", Keeps: Octets, Batch: true,
			Write: table("audit.tsv", "\t", strings.NewReplacer("\t", `\t`, "\n", `\n`).Replace),
		},
		{
			Name: "elasticsearch/sql-txt", Document: esql, Export: "POST /_sql?format=csv", Keeps: Less,
			Loses: "The text form cuts columns after 30 characters.", Write: sqlText,
		},
		{
			Name: "neo4j/cypher-shell", Document: cypher, Export: "cypher-shell --format plain", Keeps: Octets,
			Write: page{name: "audit.txt", head: "id, body\n"}.of(func(r record) string {
				return r.id() + `, "` + cString(r.line) + "\"\n"
			}),
		},
		{
			Name: "neo4j/apoc-json", Keeps: Octets, Batch: true,
			Document: "Neo4j APOC: Export to JSON, https://neo4j.com/docs/apoc/current/export/json/",
			Export:   "CALL apoc.export.json.all('audit.json')",
			Write: lined("audit.json", func(r record) string {
				return `{"type":"node","id":"` + r.id() + `","labels":["Audit"],"properties":` + rowObject(compact)(r) + "}"
			}),
		},
	}
}

// sdsRepr is a string as redis-cli shows it on a terminal.
func sdsRepr(text string) string { return `"` + hexed(cString(text)) + `"` }

// respCommand is a command of the Redis protocol.
func respCommand(words ...string) string {
	out := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		out += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	return out
}

// sqlText cuts columns after 30 characters.
func sqlText(l Log) Files {
	const limit = 30
	return page{name: "audit.txt", head: "      id       |             body              \n" +
		"---------------+-------------------------------\n"}.of(func(r record) string {
		if text := []rune(r.line); len(text) > limit {
			r.line = string(text[:limit-1]) + "~"
		}
		return fmt.Sprintf("%-15d|%-31s\n", r.n, r.line)
	})(l)
}
