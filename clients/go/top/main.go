// Prints the most important pages of a crawl, by any node of it.
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
	key         = flag.String("tls-key", "", "PEM file of its key")
	name        = flag.String("name", "", "name of the node, which its certificate must have")
	token       = flag.String("token", "", "token that the node takes")
)

// Debian's grpc would take the messages for those of an older generator. Not needed with a newer one.
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
		return nil, fmt.Errorf("%s: no certificate is in it", *ca)
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
		return fmt.Errorf("give HOST:PORT of a node and, if it is not 10, a number of pages")
	}
	if flag.NArg() == 2 {
		var err error
		if count, err = strconv.ParseUint(flag.Arg(1), 10, 32); err != nil {
			return err
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
