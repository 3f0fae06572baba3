// Command play plays a scene of the harness and writes its evidence below a folder,
// as svc-harness scene does. It does not link the running service, so it is built fast.
//
//	go run ./harness/play SCENE FOLDER
package main

import (
	"log"
	"os"

	"github.com/svc-edge/svc-verify/harness"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("play: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: play SCENE FOLDER")
	}
	if _, err := harness.WriteScene(os.Args[1], 1, harness.Options{}, os.Args[2]); err != nil {
		log.Fatal(err)
	}
}
