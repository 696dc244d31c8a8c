#if GRPC
    import ErrorRecovery
    import ErrorRouting
    import ErrorRoutingGRPC
    import ErrorRoutingUpstream
    import GRPCCore
    import Testing

    @Suite("R0: a call's error shows whether it is final")
    struct RetryClassificationTests {
        @Test("codes that a repetition can't change are final, and the others are retried")
        func codes() async {
            let final: Set<RPCError.Code> = [
                .cancelled, .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition,
                .outOfRange, .unimplemented, .dataLoss, .unauthenticated,
            ]
            let temporary: Set<RPCError.Code> = [
                .unavailable, .resourceExhausted, .aborted, .deadlineExceeded, .internalError, .unknown,
            ]
            for code in final.union(temporary) {
                var attempts = 0
                await #expect(throws: RPCError.self) {
                    try await retry(RetryPolicy(maxAttempts: 2, backoff: .constant(.zero))) { _ in
                        attempts += 1
                        throw RPCError(code: code, message: "")
                    }
                }
                #expect(attempts == (final.contains(code) ? 1 : 2), "\(code)")
            }
        }

        @Test("an upstream error has the decision of the client error that it wraps, or is retried if that has none")
        func upstreams() {
            struct Unclassified: Error {}
            let source = ErrorReport.Source(fileID: #fileID, line: #line)
            let errors: [(any Error, RetryDecision)] = [
                (RPCError(code: .invalidArgument, message: ""), .fail),
                (RPCError(code: .unavailable, message: ""), .retry()), (Unclassified(), .retry()),
            ]
            for (error, decision) in errors {
                for make in [UpstreamError.timeout, UpstreamError.connection, UpstreamError.body] {
                    #expect(make(error, source).retryDecision == decision, "\(error)")
                }
            }
        }
    }
#endif
