// Command svc-harness is the embedded deployment of the service. It plays
// scripted, seeded histories and writes the evidence that they leave.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/cliapp"
)

func main() {
	os.Exit(harnessProgram().Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

//go:embed commands.txt
var commands string

// actions are the functions that answer the commands of commands.txt.
var actions = map[string]cliapp.Action{
	"up": runDeployment, "issue": issueCertificate, "call": callCloud, "rotate": rotateKey,
	"part": untilStopped(runPart), "node check": checkNode, "node run": untilStopped(runNode),
	"scene": playScene, "scenes": listScenes, "tampers": listTampers, "messy": writeMessy,
}

// harnessProgram is the command line that commands.txt declares. A fault in it is a mistake that
// every run shows.
func harnessProgram() *cliapp.Program {
	p, err := cliapp.Parse(commands, actions)
	if err != nil {
		panic("commands.txt: " + err.Error())
	}
	p.Version = "1.0.0"
	return p
}

// untilStopped is the action of a command that runs until a signal ends it.
func untilStopped(run func(context.Context, *cliapp.Context) (int, error)) func(*cliapp.Context) (int, error) {
	return func(c *cliapp.Context) (int, error) {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return run(ctx, c)
	}
}

// jsonLog logs to standard error, a JSON object a line.
func jsonLog(c *cliapp.Context) *slog.Logger { return slog.New(slog.NewJSONHandler(c.Stderr, nil)) }

func playScene(c *cliapp.Context) (int, error) {
	scene, ok := lookupScene(c.Args[0])
	if !ok {
		return 0, cliapp.Usagef("no scene %q; svc-harness scenes lists them", c.Args[0])
	}
	if c.Given("events") && (scene.Name != "large" && scene.Name != fleet.Scene || c.Number("events") == 0) {
		return 0, cliapp.Usagef("--events sets the length of the large scene or the fleet, 1 or more")
	}
	if c.Given("tamper") && !scene.Fleet {
		return 0, cliapp.Usagef("--tamper is for the scenes of a fleet; svc-harness scenes lists them")
	}
	if scene.Fleet {
		return playFleet(c, scene.Name)
	}
	options := harness.Options{Events: c.Number("events")}
	played, err := harness.WriteScene(scene.Name, uint64(c.Number("seed")), options, c.Text("out"))
	if err != nil {
		return 0, err
	}
	return finishScene(c, played)
}

// playFleet writes the evidence of a fleet, tampered with on request.
func playFleet(c *cliapp.Context, scene string) (int, error) {
	script, ok := tamper.Lookup(c.Text("tamper"))
	if c.Given("tamper") && !ok {
		return 0, cliapp.Usagef("no script %q; svc-harness tampers lists them", c.Text("tamper"))
	}
	evidence, err := fleet.Build(scene, uint64(c.Number("seed")), c.Number("events"))
	if err != nil {
		return 0, err
	}
	if ok {
		var damage tamper.Damage
		if evidence, damage, err = script.Apply(evidence); err != nil {
			return 0, err
		}
		fmt.Fprintf(c.Stderr, "svc-harness: %s: %s\n", script.Name, damage)
	}
	if err := evidence.Write(c.Text("out")); err != nil {
		return 0, err
	}
	return finishScene(c, evidence.Scene)
}

// finishScene writes the owners' keys, if they are wanted, and names the folder of the scene.
func finishScene(c *cliapp.Context, scene *harness.Scene) (int, error) {
	if c.Given("owners") {
		if err := scene.WriteOwners(c.Text("owners")); err != nil {
			return 0, err
		}
	}
	fmt.Fprintf(c.Stderr, "svc-harness: scene %s with seed %d is in %s\n", c.Args[0], c.Number("seed"), c.Text("out"))
	return 0, nil
}

func lookupScene(name string) (harness.Description, bool) {
	for _, scene := range harness.Scenes() {
		if scene.Name == name {
			return scene, true
		}
	}
	return harness.Description{}, false
}

func listScenes(c *cliapp.Context) (int, error) {
	for _, scene := range harness.Scenes() {
		fmt.Fprintf(c.Stdout, "%-18s %s\n", scene.Name, scene.Summary)
	}
	return 0, nil
}

func listTampers(c *cliapp.Context) (int, error) {
	for _, script := range tamper.Scripts() {
		fmt.Fprintf(c.Stdout, "%-30s %s\n", script.Name, script.Summary)
	}
	return 0, nil
}
