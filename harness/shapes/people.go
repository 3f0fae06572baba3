package shapes

import (
	"fmt"
	"strings"
)

// peopleShapes are the event in chats, tickets, wikis and notebooks.
func peopleShapes() []Shape {
	const (
		slack = "Slack: Export, https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports"
		teams = "Microsoft Graph: chatMessage, https://learn.microsoft.com/en-us/graph/api/resources/chatmessage"
		jira  = "Jira: Text formatting notation, " +
			"https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all"
		jiraREST   = "Jira: REST API v3, issues, https://developer.atlassian.com/cloud/jira/platform/rest/v3/"
		confluence = "Confluence: Storage format, " +
			"https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html"
		github     = "GitHub: Creating and highlighting code blocks, https://docs.github.com/en/get-started/writing-on-github"
		githubREST = "GitHub: REST API, issue comments, https://docs.github.com/en/rest/issues/comments"
		notebook   = "Jupyter: The notebook file format, https://nbformat.readthedocs.io/en/latest/format_description.html"
		html       = "WHATWG: HTML, the pre element, https://html.spec.whatwg.org/multipage/grouping-content.html"
		attach     = "attach the log"
	)
	mrkdwn := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	slackJSON := spelling{ascii: true, slash: true, colon: ":", comma: ","}
	fence := func(prefix string) func(record) string {
		return func(r record) string { return prefix + "```json\n" + prefix + r.line + "\n" + prefix + "```\n\n" }
	}
	return []Shape{
		{
			Name: "slack/export", Document: slack, Export: attach, Keeps: Octets,
			Write: page{"audit/2026-03-02.json", "[\n", ",\n", "\n]"}.of(func(r record) string {
				return fmt.Sprintf("    {\n        \"type\": \"message\",\n        \"user\": \"U1\",\n        \"text\": %s,\n  "+
					"      \"ts\": \"%d.000100\"\n    }",
					slackJSON.quote("```"+mrkdwn(r.line)+"```"), r.at.Unix())
			}),
		},
		{
			Name: "teams/graph", Document: teams, Export: attach, Keeps: Octets,
			Write: page{"messages.json", `{"value":[`, ",", "]}"}.of(func(r record) string {
				return `{"id":"` + r.id() + `","createdDateTime":"` + r.iso() + `","body":{"contentType":"html","content":` +
					compact.quote("<pre><code>"+xmlAttribute(r.line)+"</code></pre>") + `}}`
			}),
		},
		{
			Name: "teams/html", Document: teams, Export: attach, Keeps: Octets,
			Loses: "Of two spaces the first becomes a no-break space.",
			Write: page{"chat.html", "<html><body><div>\n", "<br>\n", "\n</div></body></html>\n"}.of(func(r record) string {
				return "<span>09:00&nbsp;Edge:</span>&nbsp;" + strings.ReplaceAll(htmlText(r.line), "  ", "&nbsp; ")
			}),
		},
		{
			Name: "discord/export", Export: attach, Keeps: Octets,
			Document: "Discord: Message object, https://discord.com/developers/docs/resources/message",
			Write: page{"messages.json", "[", ",", "]"}.of(func(r record) string {
				return python.object("id", `"`+r.id()+`"`, "timestamp", `"`+r.iso()+`"`, "content", python.quote("```json\n"+
					r.line+"\n```"))
			}),
		},
		{
			Name: "jira/wiki", Document: jira, Export: attach, Keeps: Octets,
			Write: page{name: "issue.txt", head: "h2. What the log says\n\n"}.of(func(r record) string {
				return "{code:json}\n" + r.line + "\n{code}\n\n"
			}),
		},
		{
			Name: "jira/noformat", Document: jira, Export: attach, Keeps: Octets,
			Write: page{"issue.txt", "{noformat}\n", "\n", "\n{noformat}\n"}.of(func(r record) string { return r.line }),
		},
		{
			Name: "jira/rest", Document: jiraREST, Export: attach, Keeps: Octets,
			Write: page{"issues.json", `{"startAt":0,"maxResults":50,"total":9,"issues":[`, ",", "]}"}.of(func(r record) string {
				return `{"key":"SEC-` + r.id() + `","fields":{"summary":"log","description":` +
					compact.quote("The log says:\r\n{code:json}\r\n"+r.line+"\r\n{code}") + `}}`
			}),
		},
		{
			Name: "jira/document-format", Document: jiraREST, Export: attach, Keeps: Octets,
			Write: page{"issue.json", `{"fields":{"description":{"version":1,"type":"doc","content":[`, ",", "]}}}"}.of(
				func(r record) string {
					return `{"type":"codeBlock","attrs":{"language":"json"},"content":[{"type":"text","text":` +
						compact.quote(r.line) + `}]}`
				}),
		},
		{
			Name: "confluence/storage", Document: confluence, Export: attach, Keeps: Octets,
			Write: page{name: "page.xml", head: "<p>The log says:</p>"}.of(func(r record) string {
				return `<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="language">json</` +
					`ac:parameter>` +
					"<ac:plain-text-body><![CDATA[" + cdata(r.line) + "]]></ac:plain-text-body></ac:structured-macro>"
			}),
		},
		{
			Name: "confluence/rest", Export: attach, Keeps: Octets,
			Document: "Confluence: REST API, content, https://developer.atlassian.com/cloud/confluence/rest/v2/",
			Write: page{"page.json", `{"results":[`, ",", "]}"}.of(func(r record) string {
				text := "<ac:structured-macro ac:name=\"code\"><ac:plain-text-body><![CDATA[" + cdata(r.line) +
					"]]></ac:plain-text-body></ac:structured-macro>"
				return `{"id":"` + r.id() + `","type":"page","body":{"storage":{"value":` + compact.quote(text) +
					`,"representation":"storage"}}}`
			}),
		},
		{
			Name: "github/fence", Document: github, Export: attach, Keeps: Octets,
			Write: page{name: "issue.md", head: "## What the log says\n\n"}.of(fence("")),
		},
		{
			Name: "github/fence-in-list", Document: github, Export: attach, Keeps: Octets,
			Write: page{name: "issue.md", head: "1. What the log says\n\n"}.of(fence("   ")),
		},
		{
			Name: "github/fence-quoted", Document: github, Export: attach, Keeps: Octets,
			Write: page{name: "issue.md", head: "> What the log says\n>\n"}.of(fence("> ")),
		},
		{
			Name: "github/indented", Document: github, Export: attach, Keeps: Octets,
			Write: lined("issue.md", func(r record) string { return "    " + r.line }),
		},
		{
			Name: "github/code-span", Document: github, Export: attach, Keeps: Octets,
			Write: lined("issue.md", func(r record) string { return "* event " + r.id() + " is `` " + r.line + " ``" }),
		},
		{
			Name: "github/sql", Document: github, Export: attach, Keeps: Octets,
			Write: page{"issue.md", "```sql\n", "\n", "\n```\n"}.of(func(r record) string {
				return "INSERT INTO audit (id, body) VALUES (" + r.id() + ", " + quoteSQL(r.line) + ");"
			}),
		},
		{
			Name: "github/rest", Document: githubREST, Export: attach, Keeps: Octets,
			Write: page{"comments.json", "[", ",", "]"}.of(func(r record) string {
				return `{"id":` + r.id() + `,"created_at":"` + r.iso() + `","body":` + goSpelling.quote("```json\r\n"+r.line+
					"\r\n```") + `}`
			}),
		},
		{
			Name: "jupyter/output", Document: notebook, Export: attach, Keeps: Octets,
			Write: page{
				"audit.ipynb", "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"outputs\": [\n    {\n     \"name\": " +
					"\"stdout\",\n" +
					"     \"output_type\": \"stream\",\n     \"text\": [\n", ",\n",
				"\n     ]\n    }\n   ],\n   \"source\": []\n  }\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n " +
					"\"nbformat_minor\": 5\n}\n",
			}.of(func(r record) string { return "      " + compact.quote(r.line+"\n") }),
		},
		{
			Name: "html/pre", Document: html, Export: attach, Keeps: Octets,
			Write: page{"audit.html", "<!DOCTYPE html>\n<html><body><pre>\n", "\n", "\n</pre></body></html>\n"}.of(
				func(r record) string { return htmlText(r.line) }),
		},
		{
			Name:     "html/data-attribute",
			Document: "WHATWG: HTML, data-*, https://html.spec.whatwg.org/multipage/dom.html", Export: attach,
			Keeps: Octets,
			Write: page{"audit.html", "<ul>\n", "\n", "\n</ul>\n"}.of(func(r record) string {
				return `<li data-event="` + xmlAttribute(r.line) + `">event ` + r.id() + "</li>"
			}),
		},
	}
}
