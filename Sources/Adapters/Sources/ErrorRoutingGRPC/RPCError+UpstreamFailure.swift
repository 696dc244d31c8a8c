@_exported public import ErrorRoutingUpstream
public import GRPCCore

extension RPCError: UpstreamFailure {
    /// Whether the call was past its deadline.
    public var isUpstreamTimeout: Bool { code == .deadlineExceeded }
}
