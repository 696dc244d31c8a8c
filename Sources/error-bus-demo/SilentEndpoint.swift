import Foundation

/// An endpoint of this machine that takes a connection and never replies, so that a request is sure to be under way.
struct SilentEndpoint: ~Copyable {
    let url: URL
    private let listener: LoopbackListener
    private var connections: [Int32] = []

    /// Listens at a port that is free.
    init() throws(POSIXError) {
        listener = try LoopbackListener()
        url = URL(string: "http://127.0.0.1:\(listener.port)/payments")!
    }

    /// Drops the connections, so that transfers that still wait for an answer end.
    deinit {
        for connection in connections { close(connection) }
    }

    /// Waits, and blocks its thread, until somebody has connected; the connection stays open as long as the endpoint.
    mutating func waitForConnection() throws(POSIXError) {
        connections.append(try listener.nextConnection())
    }
}
