import AsyncHTTPClient
import ErrorRoutingHummingbird
import ErrorRoutingTesting
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@Suite("A request's body is collected for another service", .failsOnUnexpectedErrors, .timeLimit(.minutes(2)))
struct RequestBodyTests {
    /// Resets each connection as soon as a request arrives.
    private final class Resetting: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
    }
}

extension RequestBodyTests {
    @Test func `a body for another service is collected, is nil if it is empty, and has a limit`() async throws {
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware() }
        router.post("bodies") { request, _ -> String in
            try await request.collectedBody(upTo: 4) == nil ? "none" : "some"
        }
        try await Application(router: router).test(.live) { client in
            for (body, status, text) in [
                (nil, 200, "none"), ("", 200, "none"), ("four", 200, "some"), ("fives", 413, ""),
            ] {
                let response = try await client.execute(
                    uri: "/bodies", method: .post, body: body.map { ByteBuffer(string: $0) })
                #expect(response.status.code == status && String(buffer: response.body) == text)
            }
        }
    }

    /// With `.stream(request.body)`, the process usually crashes during these requests.
    ///
    /// Half of the requests don't have a body.
    @Test func `a collected body doesn't crash the process if an upstream resets each connection`() async {
        await #expect(processExitsWith: .success) { try await Self.forward() }
    }

    private static func forward() async throws {
        let upstreams = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Resetting()) }
            }
        let server = try await upstreams.bind(host: "127.0.0.1", port: 0).get()
        let address = "http://127.0.0.1:\(server.localAddress?.port ?? 0)/"
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware() }
        router.post("forward") { request, _ in
            var outgoing = HTTPClientRequest(url: address)
            outgoing.method = .POST
            outgoing.body = try await request.collectedBody(upTo: 1 << 20)
            let response = try await upstream { try await HTTPClient.shared.execute(outgoing, timeout: .seconds(60)) }
            return Response(status: .init(code: Int(response.status.code)))
        }
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let recorded = try await withRecordedErrors { _ in
            try await Application(router: router, logger: quiet).test(.ahc(.http)) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<800 {
                        group.addTask {
                            let body = number.isMultiple(of: 2) ? nil : ByteBuffer(repeating: 1, count: 50_000)
                            let response = try await client.execute(uri: "/forward", method: .post, body: body)
                            #expect(response.status == .badGateway)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        #expect(recorded.reports.count == 800)
        try await server.close()
    }
}
