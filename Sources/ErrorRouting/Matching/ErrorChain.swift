import Foundation

/// An error and all its underlying errors, with the links between them.
///
/// All matchers called for an error share its chain, so that the chain is walked only once and each error in it is
/// bridged only once.
final class ErrorChain: Sendable {
    /// One error of a chain.
    struct Link: Sendable {
        let error: UnboxedError
        /// The positions of the errors directly wrapped in this one, in order.
        var under: [Int] = []
    }

    /// The position of the outermost error.
    static let root = 0

    private let links: [Link]
    /// The errors as `NSError`; nil for errors not bridged yet.
    private let bridged: Locked<[NSError?]>

    /// Walks the errors wrapped in an error.
    ///
    /// - Parameters:
    ///   - error: The outermost error.
    ///   - bridged: The outermost error as an `NSError`, if it has been bridged already.
    init(under error: UnboxedError, bridged: NSError? = nil) {
        var walk = UnderlyingErrorWalk(error, bridged: bridged)
        walk.finish()
        links = walk.links
        self.bridged = Locked(walk.bridged)
    }

    func error(at position: Int) -> UnboxedError { links[position].error }

    /// Returns an error as `as NSError` does.
    func nsError(at position: Int) -> NSError {
        if let known = bridged.withLock({ $0[position] }) { return known }
        // Bridge it outside the lock: bridging runs user code.
        let bridged = error(at: position).error as NSError
        self.bridged.withLock { $0[position] = bridged }
        return bridged
    }

    /// Returns the positions of the errors wrapped in one error, breadth first, without its own position.
    func positions(under position: Int) -> [Int] {
        // The walk found the errors breadth first from the root.
        if position == Self.root { return Array(links.indices.dropFirst()) }
        var (found, isFound) = ([position], Array(repeating: false, count: links.count))
        isFound[position] = true
        var next = 0
        while next < found.count {
            for position in links[found[next]].under where !isFound[position] {
                isFound[position] = true
                found.append(position)
            }
            next += 1
        }
        return Array(found.dropFirst())
    }
}
