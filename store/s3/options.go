package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
)

const (
	defaultPartBytes = 16 << 20
	// minPartBytes and maxPartBytes are the limits of S3 on the parts of a multipart upload.
	minPartBytes = 5 << 20
	maxPartBytes = 5 << 30
	// maxParts is the limit of S3 on the number of parts.
	maxParts = 10_000
	// endpointRegion is the region for the signature when a server other than Amazon's is named and no region:
	// such servers take it as their own.
	endpointRegion = "us-east-1"
)

// Addressing says where a request names its bucket.
type Addressing int

const (
	// AutoAddressing is PathStyle if an endpoint is set, else VirtualHostStyle.
	AutoAddressing Addressing = iota
	// PathStyle puts the bucket into the path, as most compatible servers need it.
	PathStyle
	// VirtualHostStyle puts the bucket into the name of the host, as Amazon wants it.
	VirtualHostStyle
)

// HTTPClient sends requests; [http.Client] is one. It must not follow redirects from one region to another, which
// would break the signature: a [http.Client] has CheckRedirect for that.
type HTTPClient interface {
	Do(request *http.Request) (*http.Response, error)
}

// Options configures a [Store]. The zero value takes everything from the SDK's environment and files.
type Options struct {
	// Region is the region of the buckets. By default the SDK's: AWS_REGION, or the profile's; with an endpoint
	// and without a region us-east-1.
	Region string
	// Endpoint is the URL of a compatible server. By default the SDK's: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
	// or the profile's; without one, Amazon's for the region.
	Endpoint string
	// Addressing says where requests name the bucket; by default that depends on the endpoint.
	Addressing Addressing
	// PartBytes is the size of the parts in which longer objects are uploaded, one after the other; shorter
	// ones go in one request. 0 means 16 MiB; at least 5 MiB. A negative size sends every object in one
	// request, which S3 takes up to 5 GiB.
	PartBytes int64
	// MaxAttempts is how often a request is sent in all. 0 means the SDK's: AWS_MAX_ATTEMPTS, or 3.
	MaxAttempts int
	// MaxDelay is the longest wait between two attempts. 0 means the SDK's, 20 seconds.
	MaxDelay time.Duration
	// SkipProbe trusts that every bucket honors conditional writes, see [Store.Probe].
	SkipProbe bool
	// HTTPClient sends the requests to S3; by default the SDK's client. AWS_CA_BUNDLE does not reach it.
	HTTPClient HTTPClient
}

// check refuses values that no server could take.
func (o Options) check() error {
	if o.PartBytes > 0 && (o.PartBytes < minPartBytes || o.PartBytes > maxPartBytes) {
		return fmt.Errorf("PartBytes is %d: S3 takes parts of %d to %d bytes", o.PartBytes, minPartBytes, maxPartBytes)
	}
	if o.MaxAttempts < 0 || o.MaxDelay < 0 {
		return fmt.Errorf("MaxAttempts %d and MaxDelay %v must not be negative", o.MaxAttempts, o.MaxDelay)
	}
	return nil
}

// Open returns a store of all buckets that the credentials reach. It reads the SDK's configuration, and sends
// nothing to the server yet.
func Open(ctx context.Context, options Options) (*Store, error) {
	if err := options.check(); err != nil {
		return nil, fmt.Errorf("s3: options: %w", err)
	}
	cfg, err := config.LoadDefaultConfig(ctx, options.load()...)
	if err != nil {
		return nil, fmt.Errorf("s3: reading the configuration of the AWS SDK: %w", err)
	}
	if cfg.Credentials != nil {
		cfg.Credentials = credentials{cfg.Credentials}
	}
	client := s3.NewFromConfig(cfg, options.client)
	made := client.Options()
	if made.Region == "" {
		return nil, errors.New("s3: no region: set AWS_REGION, or a region in the profile, or Options.Region")
	}
	partBytes := options.PartBytes
	if partBytes == 0 {
		partBytes = defaultPartBytes
	}
	return &Store{
		client: client, endpoint: aws.ToString(made.BaseEndpoint), region: made.Region,
		partBytes: partBytes, multipartAbove: partBytes,
		readAttempts: max(made.Retryer.MaxAttempts(), 1), skipProbe: options.SkipProbe,
		probing: make(chan struct{}, 1), buckets: make(map[string]bucket),
	}, nil
}

// load returns what the SDK's configuration is to take from the options. The SDK's own default checksums travel
// in trailers that many compatible servers do not read (OS5).
func (o Options) load() []func(*config.LoadOptions) error {
	load := []func(*config.LoadOptions) error{
		config.WithLogger(logging.Nop{}),
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
	}
	if o.Region != "" {
		load = append(load, config.WithRegion(o.Region))
	}
	if o.MaxAttempts > 0 {
		load = append(load, config.WithRetryMaxAttempts(o.MaxAttempts))
	}
	return load
}

// client configures the SDK's client.
func (o Options) client(made *s3.Options) {
	if o.Endpoint != "" {
		made.BaseEndpoint = aws.String(o.Endpoint)
	}
	custom := made.BaseEndpoint != nil
	if custom && made.Region == "" {
		made.Region = endpointRegion
	}
	made.UsePathStyle = o.Addressing == PathStyle || o.Addressing == AutoAddressing && custom
	if o.HTTPClient != nil {
		made.HTTPClient = o.HTTPClient
	}
	if o.MaxDelay > 0 {
		made.Retryer = retry.AddWithMaxBackoffDelay(made.Retryer, o.MaxDelay)
	}
}

// credentials marks the errors of a provider, so that they can be told from those of the server.
type credentials struct {
	aws.CredentialsProvider
}

// credentialsError says that there are no credentials that could be used.
type credentialsError struct{ error }

// Retrieve implements [aws.CredentialsProvider].
func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return found, credentialsError{err}
	}
	return found, nil
}
