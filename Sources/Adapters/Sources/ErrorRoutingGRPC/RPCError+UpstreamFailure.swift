#if GRPC
    @_exported public import ErrorRoutingUpstream
    public import GRPCCore

    extension RPCError: UpstreamFailure {
        /// Whether the call's deadline passed.
        public var isUpstreamTimeout: Bool { code == .deadlineExceeded }
    }
#endif
