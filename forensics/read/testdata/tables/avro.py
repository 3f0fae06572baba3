import fastavro, json, io, sys, os, hashlib
schema={"type":"record","name":"Log","namespace":"x.y","fields":[
 {"name":"Timestamp","type":{"type":"long","logicalType":"timestamp-micros"}},
 {"name":"Body","type":["null","string"]},
 {"name":"raw","type":"bytes"},
 {"name":"LogAttributes","type":{"type":"map","values":"string"}},
 {"name":"tags","type":{"type":"array","items":["int","null",{"type":"enum","name":"E","symbols":["A","B"]}]}},
 {"name":"inner","type":{"type":"record","name":"In","fields":[{"name":"d","type":"double"},{"name":"f","type":"float"},{"name":"b","type":"boolean"},{"name":"fx","type":{"type":"fixed","name":"Fx","size":3}}]}},
 {"name":"next","type":["null","In"]},
]}
def rows(n):
    for i in range(n):
        yield {"Timestamp":1772442000123456+i*1000,"Body":"body %d \"ü\" \\"%i+"x"*i,"raw":bytes([0xff,i]),"LogAttributes":{"x-svc-edge-audit-batch":hashlib.sha256(b'%d'%(i//4)).hexdigest()},
         "tags":[i,None,"B"],"inner":{"d":0.5,"f":0.25,"b":True,"fx":b"abc"},"next":None}
for codec in ["null","deflate","snappy","zstandard","bzip2"]:
    try:
        with open(f"{sys.argv[1]}/{codec}.avro","wb") as f:
            fastavro.writer(f,schema,rows(20),codec=codec,sync_interval=900,sync_marker=hashlib.md5(b"sync").digest())
    except Exception as e: print(codec,e)
