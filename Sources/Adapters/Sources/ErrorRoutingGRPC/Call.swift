import ErrorRouting
import ErrorRoutingTracing
import GRPCCore
import Synchronization

/// One call, whose errors are reported once.
final class Call: Sendable {
    private let answers: ErrorMap<RPCError>
    private let scope: ErrorScope
    private let trace: RequestTrace
    private let timeout: String?
    private let isCancelled = Atomic(false)

    init(answers: ErrorMap<RPCError>, scope: ErrorScope, trace: RequestTrace, timeout: String?) {
        self.answers = answers
        self.scope = scope
        self.trace = trace
        self.timeout = timeout
    }

    /// Binds the scope and the trace again, for the messages, which are written after the interceptor has returned.
    func bound<Value>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await trace.bound { try await scope.bound { @concurrent () async throws in try await body() } }
    }

    /// Runs a part of the call in a task that is cancelled when the call is, which is reported then, and not when the
    /// part has ended: it may not ask.
    func run<Value: Sendable>(_ part: @Sendable () async throws -> Value) async throws -> Value {
        try await withoutActuallyEscaping(part) { part in
            let task = Task { try await part() }
            return try await withTaskCancellationHandler {
                try await withRPCCancellationHandler {
                    try await task.value
                } onCancelRPC: {
                    self.tellCancelled()
                    // Not here, where gRPC may hold a lock that a handler of the part's own needs.
                    Task { task.cancel() }
                }
            } onCancel: {
                self.tellCancelled()
                task.cancel()
            }
        }
    }

    private func tellCancelled() {
        if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
        let error = CallCancelled(timeout: timeout)
        trace.bound { scope.post(error, as: .notice) }
        trace.record(error)
        trace.fail()
    }

    /// Reports an error, unless the call was cancelled, and returns what its caller is told.
    func answer(to error: any Error) -> RPCError {
        let own = error as? RPCError ?? (error as? any RPCErrorConvertible).map { RPCError($0) }
        let rule = answers.match(error)?.value
        if isCancelled.load(ordering: .acquiring) {
            return rule ?? own ?? RPCError(code: .cancelled, message: "The call was cancelled")
        }
        let answer = rule ?? own ?? answers[error]
        let isOfServer = Self.codesOfServer.contains(answer.code)
        if rule != nil || own == nil || isOfServer {
            trace.bound { scope.post(error) }
            trace.record(error)
            if isOfServer { trace.fail() }
        }
        return answer
    }

    private static let codesOfServer: Set<RPCError.Code> = [
        .unknown, .deadlineExceeded, .unimplemented, .internalError, .unavailable, .dataLoss,
    ]
}
