package kubernetes

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	feature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	controller "k8s.io/kubernetes/pkg/controller/job"

	"github.com/svc-edge/svc-verify/scale/interop/fleet"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	// Failed pods are made again at once, rather than after ten seconds and more.
	controller.SyncJobBatchPeriod, controller.DefaultJobPodFailureBackOff = 10*time.Millisecond, 10*time.Millisecond
	// An API in memory gives no versions to its objects.
	if err := feature.DefaultMutableFeatureGate.Set("StaleControllerConsistencyJob=false"); err != nil {
		panic(err)
	}
	fleet.Main(m)
}

// cluster is the Job controller of Kubernetes before an API in memory.
type cluster struct {
	*kubelet
	client *fake.Clientset
}

// start starts a cluster whose volumes are empty folders, but for the evidence.
func start(t *testing.T, evidence, trust string) *cluster {
	t.Helper()
	c := &cluster{kubelet: newKubelet(t, evidence, trust), client: fake.NewSimpleClientset()}
	c.client.PrependReactor("create", "pods", c.named)
	ctx, stop := context.WithCancel(context.Background())
	shared := informers.NewSharedInformerFactory(c.client, 0)
	manager, err := controller.NewController(ctx, c.client, shared.Core().V1().Pods(),
		shared.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	shared.Start(ctx.Done())
	shared.WaitForCacheSync(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { manager.Run(ctx, 1) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		shared.Shutdown()
	})
	return c
}

// named gives a pod the name and the id that the API server would give it, and
// stores it.
func (c *cluster) named(action clienttesting.Action) (handled bool, _ runtime.Object, _ error) {
	pod := action.(clienttesting.CreateAction).GetObject().(*core.Pod).DeepCopy()
	c.mutex.Lock()
	c.pods++
	pod.Name, pod.UID = fmt.Sprintf("%s%d", pod.GenerateName, c.pods), types.UID(strconv.Itoa(c.pods))
	c.mutex.Unlock()
	pod.Namespace, pod.CreationTimestamp, pod.ResourceVersion = namespace, meta.Now(), "1"
	return true, pod, c.client.Tracker().Create(action.GetResource(), pod, namespace)
}

// run creates a Job, runs its pods until it ended, and returns it with the output of its
// containers, by index and attempt.
func (c *cluster) run(t *testing.T, j *batch.Job) (ended *batch.Job, logs []log) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	j.Namespace = namespace
	watch, err := c.client.CoreV1().Pods(namespace).Watch(ctx, meta.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	if _, err := c.client.BatchV1().Jobs(namespace).Create(ctx, j, meta.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	defer running.Wait()
	for done := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			t.Fatalf("%s does not end: %+v\n%s", j.Name, ended, logs)
		case event := <-watch.ResultChan():
			if pod, ok := event.Object.(*core.Pod); ok && event.Type == "ADDED" && pod.Labels[batch.JobNameLabel] == j.Name {
				running.Go(func() { c.report(ctx, pod, &logs) })
			}
		case <-done.C:
			ended, err = c.client.BatchV1().Jobs(namespace).Get(ctx, j.Name, meta.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if condition(ended, batch.JobComplete) != nil || condition(ended, batch.JobFailed) != nil {
				running.Wait()
				return ended, logs
			}
		}
	}
}

// report runs a pod and records in its status how it ended.
func (c *cluster) report(ctx context.Context, pod *core.Pod, logs *[]log) {
	pod = pod.DeepCopy()
	l := c.runPod(pod)
	pod.ResourceVersion = "2" // the controller looks at changes only
	c.mutex.Lock()
	*logs = append(*logs, l)
	c.mutex.Unlock()
	if _, err := c.client.CoreV1().Pods(namespace).UpdateStatus(ctx, pod, meta.UpdateOptions{}); err != nil {
		c.t.Error(err)
	}
}

// condition returns the condition of a Job that is true, or nil.
func condition(j *batch.Job, of batch.JobConditionType) *batch.JobCondition {
	for i, c := range j.Status.Conditions {
		if c.Type == of && c.Status == core.ConditionTrue {
			return &j.Status.Conditions[i]
		}
	}
	return nil
}
