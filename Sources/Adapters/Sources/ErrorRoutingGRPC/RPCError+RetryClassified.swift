#if GRPC
    public import ErrorRecovery
    public import GRPCCore

    extension RPCError: @retroactive RetryClassified {
        /// `.fail` if the same call would fail again, such as `invalidArgument`; otherwise `.retry`.
        ///
        /// The codes `unavailable`, `resourceExhausted`, `aborted`, `deadlineExceeded`, `internalError`, and `unknown`
        /// can be temporary.
        public var retryDecision: RetryDecision {
            switch code {
            case .unavailable, .resourceExhausted, .aborted, .deadlineExceeded, .internalError, .unknown: .retry()
            default: .fail
            }
        }
    }
#endif
