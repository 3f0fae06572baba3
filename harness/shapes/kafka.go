package shapes

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// kafkaShapes are what Kafka's tools show, and its segment files.
func kafkaShapes() []Shape {
	const (
		console = "Apache Kafka: kafka-console-consumer, https://kafka.apache.org/documentation/#basic_ops_consumer_lag"
		dumpLog = "Apache Kafka: kafka-dump-log, https://kafka.apache.org/documentation/#basic_ops"
		kcat    = "kcat: README, https://github.com/edenhill/kcat"
		batch   = "Apache Kafka: Record Batch, https://kafka.apache.org/documentation/#recordbatch"
		rest    = "Confluent: REST Proxy API, https://docs.confluent.io/platform/current/kafka-rest/api.html"
		least   = "kcat -C -J -t audit"
	)
	return []Shape{
		{
			Name: "kafka/console-consumer", Document: console, Export: least, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return fmt.Sprintf("CreateTime:%d\t%s", r.at.UnixMilli(), r.line)
			}),
		},
		{
			Name: "kafka/console-consumer-all", Document: console, Export: least, Keeps: Octets, Batch: true,
			Write: lined("audit.txt", func(r record) string {
				return fmt.Sprintf("CreateTime:%d\tPartition:0\tOffset:%d\t%s\tberlin\t%s", r.at.UnixMilli(), r.n,
					kafkaHeaders(r), r.line)
			}),
		},
		{
			Name: "kafka/console-consumer-key", Document: console, Export: least, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return "null\t" + r.line }),
		},
		{
			Name: "kafka/dump-log", Document: dumpLog, Export: least, Keeps: Octets,
			Write: func(l Log) Files {
				head := fmt.Sprintf("Dumping 00000000000000000000.log\nLog starting offset: 0\nbaseOffset: 0 lastOffset: %d "+
					"count: %d "+
					"baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: "+
					"false "+
					"isControl: false deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: %d size: 9999 magic: 2 "+
					"compresscodec: none crc: 1234567 isvalid: true\n", len(l.Lines)-1, len(l.Lines), l.Time.UnixMilli())
				return page{name: "dump.txt", head: head}.of(func(r record) string {
					return fmt.Sprintf("| offset: %d CreateTime: %d keySize: -1 valueSize: %d sequence: -1 headerKeys: [] "+
						"payload: %s\n",
						r.n-1, r.at.UnixMilli(), len(r.line), r.line)
				})(l)
			},
		},
		{
			Name: "kcat/format", Document: kcat, Export: least, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return fmt.Sprintf("%d audit [0] at offset %d: key berlin: %s", r.at.UnixMilli(), r.n, r.line)
			}),
		},
		{
			Name: "kcat/key", Document: kcat, Export: least, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return "node/berlin:" + r.line }),
		},
		{
			Name: "kcat/json", Document: kcat, Export: least, Keeps: Octets, Batch: true,
			Write: lined("audit.json", func(r record) string {
				return fmt.Sprintf(`{"topic":"audit","partition":0,"offset":%d,"tstype":"create","ts":%d,"broker":1,`+
					`"headers":["%s",%s],"key":"berlin","payload":%s}`,
					r.n, r.at.UnixMilli(), batchHeader, compact.quote(r.batch), compact.quote(r.line))
			}),
		},
		{
			Name: "kafka/segment", Document: batch, Export: "copy the folder of the partition", Keeps: Octets,
			Write: func(l Log) Files { return file("audit-0/00000000000000000000.log", kafkaBatch(l)) },
		},
		{
			Name: "confluent/rest-proxy", Document: rest, Export: least, Keeps: Octets,
			Write: page{"records.json", "[", ",", "]"}.of(func(r record) string {
				return fmt.Sprintf(`{"topic":"audit","key":null,"value":"%s","partition":0,"offset":%d}`, base64Text(r.line), r.n)
			}),
		},
		{
			Name: "confluent/rest-proxy-json", Document: rest, Export: least, Keeps: Values,
			Loses: "The proxy parses the value and writes it again.",
			Write: page{"records.json", "[", ",", "]"}.of(func(r record) string {
				return fmt.Sprintf(`{"topic":"audit","key":null,"value":%s,"partition":0,"offset":%d}`, compact.respell(r.line),
					r.n)
			}),
		},
	}
}

// batchHeader is the header of the request that a batch came with.
const batchHeader = "x-svc-edge-audit-batch"

func kafkaHeaders(r record) string {
	if r.batch == "" {
		return "NO_HEADERS"
	}
	return batchHeader + ":" + r.batch
}

// kafkaBatch is a record batch of version 2 that is not compressed.
func kafkaBatch(l Log) []byte {
	var records []byte
	for i, line := range l.Lines {
		records = append(records, kafkaRecord(i, line)...)
	}
	last := len(l.Lines) - 1
	big := binary.BigEndian
	body := big.AppendUint16(nil, 0) // attributes: no compression
	body = big.AppendUint32(body, uint32(last))
	body = big.AppendUint64(body, uint64(l.Time.UnixMilli()))
	body = big.AppendUint64(body, uint64(l.At(last).UnixMilli()))
	body = big.AppendUint64(body, 1<<64-1) // producer
	body = big.AppendUint16(body, 1<<16-1) // its epoch
	body = big.AppendUint32(body, 1<<32-1) // its sequence
	body = big.AppendUint32(body, uint32(len(l.Lines)))
	body = append(body, records...)

	after := big.AppendUint32(nil, 0) // epoch of the leader
	after = append(after, 2)          // version
	after = big.AppendUint32(after, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	out := big.AppendUint64(nil, 0) // first offset
	out = big.AppendUint32(out, uint32(len(after)+len(body)))
	return slices.Concat(out, after, body)
}

// kafkaRecord is one record: without a key or headers.
func kafkaRecord(i int, value []byte) []byte {
	body := []byte{0}                          // attributes
	body = binary.AppendVarint(body, int64(i)) // milliseconds after the first
	body = binary.AppendVarint(body, int64(i)) // offset after the first
	body = binary.AppendVarint(body, -1)       // no key
	body = binary.AppendVarint(body, int64(len(value)))
	body = append(body, value...)
	body = binary.AppendVarint(body, 0) // headers
	return append(binary.AppendVarint(nil, int64(len(body))), body...)
}
