#if GRPC
    import ErrorRouting
    import ErrorRoutingTracing
    import ErrorRoutingUpstream
    import GRPCCore
    import Synchronization

    /// A call that reports each of its errors once.
    final class Call: Sendable {
        private let answers: ErrorMap<RPCError>
        private let scope: ErrorScope
        private let trace: RequestTrace
        private let source: ErrorReport.Source
        private let timeout: String?
        private let cancellation: ServerContext.RPCCancellationHandle
        private let hasEnded = Atomic(false)

        init(
            answers: ErrorMap<RPCError>,
            scope: ErrorScope,
            method: MethodDescriptor,
            module: String,
            timeout: String?,
            cancellation: ServerContext.RPCCancellationHandle
        ) {
            self.answers = answers
            self.scope = scope
            self.trace = .current
            // Use the method as the source, because a line of this file would be the same for every method.
            self.source = ErrorReport.Source(fileID: "\(module)/\(method.fullyQualifiedMethod)", line: 0)
            self.timeout = timeout
            self.cancellation = cancellation
        }

        // End the call here in case gRPC can't write the response's metadata: gRPC then releases the messages unread,
        // so only the deinitializer can end the call.
        deinit { end(with: nil) }

        /// Binds the scope and the trace again, because messages are written after the interceptor has returned.
        func bound<Value>(_ body: @Sendable () async throws -> Value) async throws -> Value {
            try await trace.bound { try await scope.bound { @concurrent () async throws in try await body() } }
        }

        /// Runs a part of the call in a task that is cancelled with the call.
        func run<Value: Sendable>(_ part: @Sendable () async throws -> Value) async throws -> Value {
            try await withoutActuallyEscaping(part) { part in
                let task = Task { try await part() }
                return try await withTaskCancellationHandler {
                    try await withRPCCancellationHandler {
                        try await task.value
                    } onCancelRPC: {
                        // Cancel in a new task: gRPC might hold a lock here that a cancellation handler in this part of
                        // the call needs.
                        Task { task.cancel() }
                    }
                } onCancel: {
                    task.cancel()
                }
            }
        }

        /// Ends the call, and returns whether it was cancelled.
        ///
        /// A cancellation is reported together with the error that the call threw.
        @discardableResult
        func end(with error: (any Error)?) -> Bool {
            if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return false }
            guard cancellation.isCancelled || Task.isCancelled else { return false }
            report(
                CallCancelled(timeout: timeout, underlyingErrors: error.map { [$0] } ?? []), as: .notice, isFailed: true
            )
            return true
        }

        /// Ends the call with an error, reports the error if necessary, and returns the answer for the caller.
        ///
        /// `isReturned` is true if the handler returned the error as its response. A thrown `RPCError` might be another
        /// service's answer, whose code and message aren't meant for this service's caller.
        func answer(to error: any Error, isReturned: Bool = false) -> RPCError {
            let own =
                isReturned || !(error is RPCError) ? (error as? any RPCErrorConvertible).map { RPCError($0) } : nil
            let rule = answers.match(error)?.value
            if end(with: error) { return rule ?? own ?? RPCError(code: .cancelled, message: "The call was cancelled") }
            let answer = rule ?? own ?? answers[error]
            let isOfServer = Self.codesOfServer.contains(answer.code)
            if rule != nil || own == nil || isOfServer { report(error, as: .failure, isFailed: isOfServer) }
            return answer
        }

        private func report(_ error: any Error, as role: ErrorReport.Role, isFailed: Bool) {
            let source = (error as? UpstreamError)?.source ?? source
            trace.bound { scope.post(error, as: role, metadata: [:], source: source) }
            trace.record(error, isFailed: isFailed)
        }

        private static let codesOfServer: Set<RPCError.Code> = [
            .unknown, .deadlineExceeded, .unimplemented, .internalError, .unavailable, .dataLoss,
        ]
    }
#endif
