package schemas_test

// archiveRecord and archiveCheck are what archive check writes, without their schemas.
const (
	archiveRecord = `,"path":"a","class":"altered","from":"","read":true,"read_at":"2026-03-02T09:00:00.000Z","size":1,"sha256":"` + oneDigest +
		`","kind":"bundle","verdict":"rejected","code":"object.altered","pointer":"","reason":"a","was_size":1,"was_sha256":"` + oneDigest +
		`","was_verdict":"verified","bit_rot":true,"accepted":false,"changes":[],"tenant_id":"","transaction_id":"","status":"","checkpoint_sequence":0,"proofs":[` + archiveProof + `],"more_proofs":0,"logs":[` + archiveLogSaid + `],"more_logs":0,"unknown_keys":["k"],"may_be_good":true`
	archiveBag = `,"verdict":"rejected","not_examined":["a"],"bagit_version":"1.0","algorithms":["sha512"],"payload":{"files":1,"octets":1,"intact":0},"tag_files":4,"info":[{"label":"a","value":""}],"evidence":{"verdict":"rejected","trust_sha256":"` + oneDigest +
		`","verified":0,"rejected":1,"inconclusive":0,"other":0` + archiveSaid + `,"not_verified":[{"name":"data/a","kind":"bundle","verdict":"rejected","code":"a.b","pointer":"","reason":"a"}],"more_not_verified":0},"findings":[{"code":"object.altered","path":"data/a","line":3,"expected":"","found":"","message":"a"}],"more_findings":0`
	archiveExport = `,"verdict":"rejected","not_examined":["a"],"bag":"","archive":"","run":1,"run_sha256":"` + oneDigest +
		`","foreign_ledger":false,"payload":{"files":0,"octets":0}` + archiveSaid + `,"findings":[{"code":"object.altered","path":"a","expected":"","found":"","message":"a"}],"more_findings":0`
	archiveCheck = `,"verdict":"rejected","not_examined":["a"],"began_at":"2026-03-02T09:00:00.000Z","ledger":{"standing":"own","objects":1,"runs":0,"newest":""},"trust_sha256":"` +
		oneDigest + `","policy_sha256":"` + oneDigest + `","rules":"1","seed":"","sample_parts":0` + archiveSaid + `,"counts":{"objects":1,"octets":1,"classes":{"added":0,"altered":1,"grown":0,"intact":0,"missing":0,"moved":0,"not-read":0,"replaced":0,"stale":0,"unreadable":0,"verdict-changed":0},"verified":0,"rejected":1,"inconclusive":0,"no_verdict":0,"bundles":1,"cases":0,"logs":0,"others":0,"unknown":0,"accepted":0,"tolerated":0,"lost":0,"replaced_by_other":0,"other_context":0,"read":1,"read_octets":1,"reused":0},"findings":[{"code":"archive.gone","path":"","expected":"","found":"","message":"a"}],"objects":[{"schema":"svc-verify/archive-record/v1"` +
		archiveRecord + `}],"more_objects":0,"faults":[{"fault":"a","objects":1}],"more_faults":0,"run":{"number":1,"digest":"` + oneDigest +
		`","previous":"","root":"` + oneDigest + `","changed":1}`
)

// archiveSaid is what objects say.
const (
	archiveProof = `{"name":"","tenant_id":"t","transaction_id":"x","certificate_serial":"1a","status":"issued","certificate_names":["dns:a"],"not_before":"` + oneTime + `","not_after":"` + oneTime +
		`","as_of":"` + oneTime + `","freshness":"a","checkpoint_sequence":1,"superseded":false}`
	archiveLogSaid = `{"tenant_id":"t","log_id":"l","complete_by_others":{"sequence":0,"says":"a"},"complete_by_own":{"sequence":1,"says":"b"},"tail_by_others":1,"unanchored_tail":0}`
	archiveSaid    = `,"unknown_keys":{"code":"keys.unknown","keys":[{"name":"k","rests_on_it":[{"what":"object","n":1,"of":1}]}],"may_be_good":true,"sentence":"a"},"statuses":{"issued":1,"revoked":0,"superseded":0},"proofs":[{"path":"a","proof":` + archiveProof +
		`}],"more_proofs":0,"logs":[{"path":"a","log":` + archiveLogSaid + `}],"more_logs":0`
)

// The answers from a ledger, without their schemas.
const (
	oneTime         = "2026-03-02T09:00:00.000Z"
	archiveLedger   = `,"ledger":{"standing":"own","runs":1,"newest_run_sha256":"` + oneDigest + `","interrupted_at":"","expected":{"sha256":"` + oneDigest + `","run":1},"findings":[{"code":"ledger.foreign","path":"","expected":"","found":"","message":"a"}]}`
	archiveAccepts  = `{"accepted":{"at":"` + oneTime + `","by":"a","reason":"b"},"class":"accepted","path":"a","before":{"size":1,"sha256":"` + oneDigest + `","wrong":"missing"}}`
	archiveAccepted = `,"verdict":"verified"` + archiveLedger + `,"change":` + archiveAccepts
	archiveChanges  = `{"classes":{"accepted":1},"listed":[` + archiveAccepts + `],"more":0}`
	custodyJournal  = `,"about":{"kind":"event","name":"node/n:1"},"entries":[{"protocol":"svc.custody.v1",` +
		`"number":1,"time":"` + oneTime + `","command":"note","version":"1","note":{"subject":{"kind":"event",` +
		`"name":"node/n:1"},"tags":["a"],"explained":true}}],"head":{"number":1,"sha256":"` + oneDigest + `"},` +
		`"faults":[{"entry":1,"what":"malformed","text":"a"}]`
	oneWalk = `{"number":1,"verdict":"verified","trust_sha256":"` + oneDigest + `"}`
	oneHead = `{"tenant_id":"","log_id":"node/n","last_sequence":1,"missing":0,"complete_by_others":1,` +
		`"complete_by_own":1}`
	noneChanged = `{"new":[],"gone":[],"changed":[]}`
	caseChanges = `,"since":` + oneWalk + `,"walk":` + oneWalk + `,"same_trust":true,"findings":` + noneChanged +
		`,"incidents":{"new":["fork-9c2e"],"gone":[],"changed":[]},"sources":` + noneChanged +
		`,"heads":{"new":[],"gone":[],"changed":[{"before":` + oneHead + `,"after":` + oneHead + `}]}`
	archiveRecorded = `{"protocol":"svc.archive-run.v1","number":1,"began":"` + oneTime + `","ended":"` + oneTime + `","tool":"a","trust_sha256":"` + oneDigest + `","policy":{"minimum_approvals":2},"rules":"1","whole":true,"continued":false,"exit":0,"counts":{},"objects":1,"octets":1,"root":"` + oneDigest + `","changed":1,"changes":"` + oneDigest + `"}`
	archiveLog      = `,"verdict":"verified"` + archiveLedger + `,"runs":[{"sha256":"` + oneDigest + `","record":` + archiveRecorded + `,"changes":` + archiveChanges + `}],"pending":` + archiveChanges
	archiveRunName  = `{"number":1,"sha256":"` + oneDigest + `","ended_at":"` + oneTime + `"}`
	archiveDiff     = `,"verdict":"verified"` + archiveLedger + `,"from":` + archiveRunName + `,"to":` + archiveRunName + `,"objects":[{"path":"a","from":"b","first_run":` + archiveRunName + `,"class":"moved","before":{"size":1,"sha256":"` + oneDigest + `","verdict":"verified","code":"","wrong":""},"later":[{"run":2,"class":"missing"}],"returned":false}],"more_objects":0`
	archiveAmount   = `{"objects":1,"octets":1}`
	archiveStatus   = `,"verdict":"unreadable"` + archiveLedger + `,"at":"` + oneTime + `","max_age_seconds":1,"objects":` + archiveAmount + `,"read":` + archiveAmount + `,"stale":` + archiveAmount + `,"absent":` + archiveAmount + `,"oldest":{"path":"a","read_at":"` + oneTime + `"},"newest_run":{"number":1,"sha256":"` + oneDigest + `","ended_at":"` + oneTime + `","exit":0,"whole":true},"verified":0,"rejected":0,"inconclusive":0,"no_evidence":0,"never_read":0,"accepted":0,"other_contexts":0` + archiveSaid + `,"wrong":[{"path":"a","wrong":"altered","sha256":"` + oneDigest + `","verdict":"","code":"","reason":"","read_at":"","run":0}],"more_wrong":0`
)

// archiveChain is what archive seal --token prints, without its schema.
const archiveChain = `,"verdict":"rejected","not_examined":[{"code":"a","sentence":"b"}],"at":"2026-03-02T09:00:00.000Z","steps":[{"number":1,"kind":"stamp","hash":"sha-512","time":"","accuracy_micros":0,"authority":"","signer":"","policy":"","serial":"","judged_at":"","ends":"","rests_on":[],"standing":"rejected"}],"pending":false,"findings":[{"code":"a.b","path":"","expected":"b","found":"","step":1}],"notices":[],"limitations":[]`

// trustDiff is what trust diff prints, without its schema.
const trustDiff = `,"old":` + trustSizes + `,"new":` + trustSizes + `,"same":false,"keys":[{"change":"added","after":{"role":"audit","key_id":"a","sha256":"` +
	oneDigest + `"}}],"nodes":[],"registries":[],"minimum_approvals":1,"coalitions":[{"name":"in-secret","new_sets":"0","gone_sets":"0","effect":"same"}],"sentences":["a"],"replay":` + trustReplay

// evidencePlan is a plan, without its schema.
const evidencePlan = `,"batch_attributes":["a"],"input_format":"bodies","shares":2,"sources":[{"format":"bodies","names":[{"absolute":"/x","given":"x"}],"ranges":[{"consumed":0,"from":0,"sha256":"` + oneDigest + `","share":1,"to":9}],"remark":"a","sha256":"` + oneDigest + `","size":9,"volumes":2}],"unread":[{"code":"a.b","detail":"c","path":"d"}]`

// partDescription is what describe prints, without its schema.
const partDescription = `,"form":"svc-verify/part/v1","octets":1,"sha256":"` + oneDigest + `","mac":"none","rules":"1","reading":"a","trust_sha256":"` + oneDigest +
	`","plan_sha256":"` + oneDigest + `","totals":{"copies":1,"arrivals":1,"statements":0,"documents":1,"skips":1,"batches":0},"sources":[{"sha256":"` + oneDigest +
	`","size":9,"from":0,"to":9,"complete":true,"paths":["a"],"format":"journal","events":1,"documents":0,"skips":0}],"logs":[{"tenant_id":"t","log_id":"l","first_sequence":1,"last_sequence":1,"copies":1,"arrivals":1,"statements":0}],"documents":[{"name":"bundle","count":1}],"skips":[{"name":"a.b","count":1}],"unread":[{"path":"p","code":"a.b","detail":"c"}]`

// trustHistory is what trust history prints, without its schema.
const trustHistory = `,"verdict":"rejected","not_examined":["a"],"seal_trust_sha256":"` + oneDigest + `","entries":1,"newest_entry":"` + oneDigest + `","in_force":0,"recorded":[1],"versions":[{"number":1,"entry_sha256":"` + oneDigest + `","trust_sha256":"` + oneDigest + `","in_force_from":"2026-01-01T00:00:00.000Z","in_force_until":"","by":"a","signer":"b","reason":"c","kept":true}],"keys":[{"role":"audit","id":"a","sha256":"` + oneDigest + `","from":"2026-01-01T00:00:00.000Z","put_in":1,"put_in_by":"a","until":"","taken_out":0,"taken_out_by":""}],"findings":[{"code":"history.cut","path":"","expected":"a","found":"none"}],"limitations":["a"]`

// trustReplay is the member replay of it.
const trustReplay = `{"ledger":false,"all":false,"objects":1,"believed":0,"touched":1,"judged_before":1,"judged_after":1,"verified_before":1,"verified_after":0,"verdicts":[{"before":"verified","after":"rejected","objects":1}],"other":0,"stopped":false,"verdict":"rejected","lost":1,"gained":0,"changed":0,"changes":[{"effect":"lost","path":"a","kind":"bundle","sha256":"` + oneDigest + `","before":{"verdict":"verified"},"after":{"verdict":"rejected","code":"a"},"because":[]}],"more_changes":0,"codes":[{"effect":"lost","before_verdict":"verified","after_verdict":"rejected","after":"a","objects":1}],"missing":0,"altered":0,"unreadable":0,"not_judged":[],"more_not_judged":0,"not_examined":[]}`

// archiveSeal is what the archive commands print about a seal, without its schema.
const archiveSeal = `,"verdict":"rejected","not_examined":[{"code":"a","sentence":"b"}],"seal_trust_sha256":"` + oneDigest +
	`","seal":{"sha512":"` + twoDigests + `","signer":"office","sealed_at_claimed":"2026-11-22T12:00:00.000Z","hash":"sha-512","root":"` +
	twoDigests + `","objects":1,"octets":3,"run_sha256":"` + oneDigest + `","trust_sha512":["` + twoDigests +
	`"],"previous":"` + twoDigests + `"},"object":{"path":"a","size":3,"digest":"` + twoDigests +
	`"},"examined":{"signatures":2,"leaves":1,"objects":1,"octets":3,"runs":0},"findings":[{"code":"seal.root","in":"archive","path":"","expected":"a","found":"b"}],"more_findings":0,"limitations":[]`

const (
	twoDigests = oneDigest + oneDigest
	oneDigest  = "abababababababababababababababababababababababababababababababab"
	trustSizes = `{"sha256":"` + oneDigest + `","audit_keys":1,"protected_signer_keys":1,"node_keys":1,"nodes":1,"registries":1,"minimum_audit_witnesses":1}`
)

// affectedCertificates is what affected writes.
const affectedCertificates = `,"trust_sha256":"` + oneDigest + `","left_out":[],"not_read":["1 event of node/n"],` +
	`"export_proofs":[{"tenant_id":"t","transaction_id":"y"}],"incident":"fork-9c2e","summary":"a",` +
	`"after":{"sequence":140,"at":"` + oneTime + `","by":"node-report"},"ranges":[{"tenant_id":"t","log_id":"node/n",` +
	`"first_sequence":141,"last_sequence":283,"to_end":true}],` +
	`"counts":{"transactions":1,"without_quorum":1,"unknown":0},"certificates":[{"tenant_id":"t","transaction_id":"x",` +
	`"without_quorum":"yes","required_approvals":2,"other_approvals":1,"required_witnesses":2,"other_witnesses":1,` +
	`"certificate_serial":"1a","certificate_names":["dns:a"],"not_before":"` + oneTime + `","not_after":"` + oneTime +
	`","status":"issued","as_of":"` + oneTime + `"}]`
