import Foundation

/// A socket of this machine at which connections can be accepted, on a port that was free.
struct LoopbackListener: ~Copyable {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameter backlog: How many connections may wait to be accepted.
    init(backlog: Int32 = 1) throws(POSIXError) {
        #if canImport(Glibc) || canImport(Musl)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, size) == 0 && listen(descriptor, backlog) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        // Nobody waits for a connection for ever.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        let limitSize = socklen_t(MemoryLayout<timeval>.size)
        guard isListening, unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, limitSize) == 0 else {
            let failure = POSIXError.current
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// Waits, and blocks its thread, until somebody has connected, for 5 seconds at most.
    ///
    /// - Returns: The connection, which is the caller's to close.
    func nextConnection() throws(POSIXError) -> Int32 {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 { return connection }
            // A signal came, whose handler returned.
            if errno != EINTR { throw .current }
        }
    }
}

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
