import Foundation

/// An endpoint of this machine that takes a connection and never answers, so that a request is sure to be under way.
struct SilentEndpoint: ~Copyable {
    let url: URL
    private let listener: Int32
    private var connections: [Int32] = []

    /// Listens at a port that is free.
    init() throws(POSIXError) {
        #if canImport(Glibc) || canImport(Musl)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        // Nobody waits for a connection for ever.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        let limitSize = socklen_t(MemoryLayout<timeval>.size)
        guard isListening, unsafe setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, limitSize) == 0 else {
            let failure = POSIXError.current
            close(listener)
            throw failure
        }
        self.listener = listener
        url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/payments")!
    }

    /// Drops the connections, so that transfers that still wait for an answer end.
    deinit {
        for connection in connections { close(connection) }
        close(listener)
    }

    /// Waits, and blocks its thread, until somebody has connected; the connection stays open as long as the endpoint.
    mutating func waitForConnection() throws(POSIXError) {
        while true {
            let connection = accept(listener, nil, nil)
            if connection >= 0 { return connections.append(connection) }
            // A signal came, whose handler returned.
            if errno != EINTR { throw .current }
        }
    }
}
