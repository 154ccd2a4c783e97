package s3_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/firn-io/firn/internal/testparts"
	"github.com/firn-io/firn/store/s3"
)

// script starts a server as a process of its own.
const script = "../../scripts/s3-server.sh"

// TestMain stops the server that a test has started.
func TestMain(m *testing.M) {
	code := m.Run()
	processServer.stop()
	os.Exit(code)
}

// processServer is the server that all tests of this package share.
var processServer process

// process is a server that lives as long as this process keeps its standard input open.
type process struct {
	once     sync.Once
	endpoint string
	err      error
	command  *exec.Cmd
	input    interface{ Close() error }
}

// start starts the server, or finds the one that FIRN_S3 names.
func (p *process) start() {
	p.endpoint = os.Getenv("FIRN_S3")
	if p.endpoint != "" {
		return
	}
	p.command = exec.Command(script, "hold")
	p.command.Stderr = os.Stderr
	input, err := p.command.StdinPipe()
	if err != nil {
		p.err = err
		return
	}
	p.input = input
	out, err := p.command.StdoutPipe()
	if err != nil {
		p.err = err
		return
	}
	if p.err = p.command.Start(); p.err != nil {
		return
	}
	for lines := bufio.NewScanner(out); lines.Scan() && p.endpoint == ""; {
		p.endpoint, _ = strings.CutPrefix(lines.Text(), "FIRN_S3=")
	}
	if p.endpoint == "" {
		p.err = fmt.Errorf("%s says no endpoint: %w", script, p.command.Wait())
	}
}

// stop ends the server.
func (p *process) stop() {
	if p.input != nil {
		p.input.Close()
		_ = p.command.Wait()
	}
}

// separate returns the endpoint of the server in a process of its own.
func separate(t *testing.T) string {
	t.Helper()
	processServer.once.Do(processServer.start)
	if processServer.err != nil {
		testparts.Missing(t, testparts.S3, "no S3 server: %v", processServer.err)
	}
	return processServer.endpoint
}

// inProcess starts a server in this process and returns its endpoint.
func inProcess(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	t.Cleanup(server.Close)
	return server.URL
}

// servers are the independent servers that tests go over.
var servers = map[string]func(t *testing.T) string{"in-process": inProcess, "separate": separate}

// environ sets the environment of the SDK: keys that the servers take, and nothing of the machine's.
func environ(t *testing.T) {
	t.Helper()
	none := t.TempDir() + "/none"
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "firn", "AWS_SECRET_ACCESS_KEY": "firn-secret", "AWS_SESSION_TOKEN": "",
		"AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_PROFILE": "",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "", "AWS_MAX_ATTEMPTS": "", "AWS_CA_BUNDLE": "",
	} {
		t.Setenv(name, value)
		if value == "" {
			os.Unsetenv(name)
		}
	}
}

// client returns the SDK's own client of a server.
func client(t *testing.T, endpoint string) *sdk.Client {
	t.Helper()
	environ(t)
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion("us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	return sdk.NewFromConfig(cfg, func(o *sdk.Options) {
		o.BaseEndpoint, o.UsePathStyle = &endpoint, true
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	})
}

var buckets atomic.Int64

// newBucket makes a bucket of a new name.
func newBucket(t *testing.T, endpoint string) string {
	t.Helper()
	name := fmt.Sprintf("firn-%d-%d", time.Now().UnixNano(), buckets.Add(1))
	if _, err := client(t, endpoint).CreateBucket(t.Context(), &sdk.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatal(err)
	}
	return name
}

// open opens a store at a server; it does not wait between attempts.
func open(t *testing.T, endpoint string, options s3.Options) *s3.Store {
	t.Helper()
	environ(t)
	options.Endpoint, options.MaxDelay = endpoint, time.Millisecond
	objects, err := s3.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// through returns options whose requests go over a wire.
func through(way *wire) s3.Options {
	return s3.Options{HTTPClient: &http.Client{Transport: way}}
}

// uploads returns how many multipart uploads are open in a bucket.
func uploads(t *testing.T, endpoint, bucket string) int {
	t.Helper()
	open, err := client(t, endpoint).ListMultipartUploads(t.Context(), &sdk.ListMultipartUploadsInput{Bucket: &bucket})
	if err != nil {
		t.Fatal(err)
	}
	return len(open.Uploads)
}
