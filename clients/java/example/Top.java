import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.File;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import opic.v1.ImportanceGrpc;
import opic.v1.ImportanceOuterClass.PageImportance;
import opic.v1.ImportanceOuterClass.TopResponse;
import opic.v1.ImportanceOuterClass.TopRequest;

/**
 * Prints the most important pages of a crawl. Any of its nodes can be asked.
 *
 * <p>opic-top [--tls-ca FILE --tls-cert FILE --tls-key FILE --name NODE] [--token TOKEN] HOST:PORT [COUNT]
 */
public final class Top {
  private Top() {}

  /** Mutual TLS: the node shows a certificate with its name, as cluster.json has it. */
  private static ManagedChannel connect(String address, Map<String, String> options) throws Exception {
    NettyChannelBuilder builder = NettyChannelBuilder.forTarget(address);
    if (!options.containsKey("--tls-ca")) return builder.usePlaintext().build();
    return builder
        .sslContext(
            GrpcSslContexts.forClient()
                .trustManager(new File(options.get("--tls-ca")))
                .keyManager(new File(options.get("--tls-cert")), new File(options.get("--tls-key")))
                .build())
        .overrideAuthority(options.get("--name"))
        .build();
  }

  /** Part after part, until `count` pages are printed or there are no more. */
  private static void print(ImportanceGrpc.ImportanceBlockingStub importance, int count) {
    TopRequest.Builder request = TopRequest.newBuilder();
    for (int rank = 1; rank <= count; ) {
      TopResponse reply =
          importance.withDeadlineAfter(60, TimeUnit.SECONDS).top(request.setCount(count - rank + 1).build());
      if (reply.getMissingNodesCount() > 0) {
        throw new IllegalStateException("nodes that did not answer: " + reply.getMissingNodesList());
      }
      for (PageImportance page : reply.getPagesList()) {
        System.out.printf(Locale.ROOT, "%d\t%.6f\t%s%n", rank++, page.getImportance(), page.getUrl());
      }
      if (reply.getNextPageToken().isEmpty()) break;
      request.setPageToken(reply.getNextPageToken());
    }
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, String> options = new HashMap<>();
    int next = 0;
    for (; next + 1 < arguments.length && arguments[next].startsWith("--"); next += 2) {
      options.put(arguments[next], arguments[next + 1]);
    }
    if (next >= arguments.length) {
      System.err.println("usage: opic-top [options] HOST:PORT [COUNT]; HOST:PORT is a node, COUNT is 10 by default");
      System.exit(2);
    }
    ManagedChannel channel = connect(arguments[next], options);
    try {
      ImportanceGrpc.ImportanceBlockingStub importance = ImportanceGrpc.newBlockingStub(channel);
      if (options.containsKey("--token")) {
        Metadata metadata = new Metadata();
        metadata.put(
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + options.get("--token"));
        importance = importance.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
      }
      print(importance, next + 1 < arguments.length ? Integer.parseInt(arguments[next + 1]) : 10);
    } catch (StatusRuntimeException refused) {
      System.err.println("opic-top: " + refused.getMessage());
      System.exit(1);
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }
}
