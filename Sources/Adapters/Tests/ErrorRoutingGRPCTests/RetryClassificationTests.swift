import ErrorRecovery
import ErrorRoutingGRPC
import GRPCCore
import Testing

@Suite("R0: an error of a call says whether it is final")
struct RetryClassificationTests {
    @Test("codes that a repetition can't change are final, and the others are retried")
    func codes() async {
        let final: Set<RPCError.Code> = [
            .cancelled, .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition,
            .outOfRange,
            .unimplemented, .dataLoss, .unauthenticated,
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
}
