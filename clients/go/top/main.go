// Prints the most important pages of a crawl. Any of its nodes can be asked.
//
//	opic-top [flags] HOST:PORT [count]
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io/ioutil"
	"log"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	opic "opic/v1"
)

var (
	ca          = flag.String("tls-ca", "", "PEM file of the cluster's certificate authority; none: plain text")
	certificate = flag.String("tls-cert", "", "PEM file of this program's certificate")
	key         = flag.String("tls-key", "", "PEM file of the key of that certificate")
	name        = flag.String("name", "", "name of the node, which must be in its certificate")
	token       = flag.String("token", "", "token that the node accepts")
)

// Debian's grpc expects messages of an older generator. A newer grpc does not need this codec.
type codec struct{}

func (codec) Marshal(message interface{}) ([]byte, error) { return proto.Marshal(message.(proto.Message)) }
func (codec) Unmarshal(data []byte, message interface{}) error {
	return proto.Unmarshal(data, message.(proto.Message))
}
func (codec) Name() string { return "proto" }

// Mutual TLS: the node shows a certificate with its name, as cluster.json has it.
func transport() (grpc.DialOption, error) {
	if *ca == "" {
		return grpc.WithInsecure(), nil
	}
	pem, err := ioutil.ReadFile(*ca)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: there is no certificate in it", *ca)
	}
	own, err := tls.LoadX509KeyPair(*certificate, *key)
	if err != nil {
		return nil, err
	}
	return grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
		RootCAs: authorities, Certificates: []tls.Certificate{own}, ServerName: *name})), nil
}

// Part after part, until `count` pages are printed or there are no more.
func printTop(ctx context.Context, importance opic.ImportanceClient, count uint32) error {
	request := &opic.TopRequest{}
	for rank := uint32(1); rank <= count; {
		request.Count = count - rank + 1
		reply, err := importance.Top(ctx, request)
		if err != nil {
			return err
		}
		if missing := reply.GetMissingNodes(); len(missing) > 0 {
			return fmt.Errorf("nodes that did not answer: %v", missing)
		}
		for _, page := range reply.GetPages() {
			fmt.Printf("%d\t%.6f\t%s\n", rank, page.GetImportance(), page.GetUrl())
			rank++
		}
		request.PageToken = reply.GetNextPageToken()
		if request.PageToken == "" {
			break
		}
	}
	return nil
}

func run() error {
	flag.Parse()
	count := uint64(10)
	if flag.NArg() == 0 || flag.NArg() > 2 {
		return fmt.Errorf("usage: opic-top [flags] HOST:PORT [count]; HOST:PORT is a node, count is 10 by default")
	}
	if flag.NArg() == 2 {
		var err error
		if count, err = strconv.ParseUint(flag.Arg(1), 10, 32); err != nil {
			return fmt.Errorf("count: %q is not a number of pages", flag.Arg(1))
		}
	}
	option, err := transport()
	if err != nil {
		return err
	}
	connection, err := grpc.Dial(flag.Arg(0), option, grpc.WithDefaultCallOptions(grpc.ForceCodec(codec{})))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if *token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+*token)
	}
	return printTop(ctx, opic.NewImportanceClient(connection), uint32(count))
}

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatalf("opic-top: %v", err)
	}
}
