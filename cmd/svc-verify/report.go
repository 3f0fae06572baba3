package main

import (
	"github.com/svc-edge/svc-verify/forensics/report"
)

func reportCase(c *invocation) (*reply, error) {
	trust, in := c.trustDigest(), c.openCase()
	result := c.lastWalk(in, trust)
	if c.err != nil {
		return nil, c.err
	}
	if result == nil {
		c.sayLine("the case was not walked under this trust file, or not at all: svc-verify walk")
		return &reply{code: exitInconclusive}, nil
	}
	r, err := report.Gather(c.ctx, in, result)
	if err != nil {
		return nil, err
	}
	r.Title, r.Tool = c.Text("title"), tool
	r.SetNames(c.askedOf())
	out := c.bufferedOut()
	for _, f := range report.Forms() {
		if f.Name != c.Text("output") {
			continue
		}
		remarks, err := f.Write(c.ctx, out, in, r)
		for _, remark := range remarks {
			c.sayLine("%s", remark)
		}
		if err != nil {
			return nil, err
		}
	}
	return &reply{}, out.Flush()
}
