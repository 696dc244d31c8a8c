import Foundation

/// An error and all its underlying errors, with the links between them.
///
/// All matchers that are called for an error share its chain. So the chain is walked only once, and each error in it is
/// bridged only once.
final class ErrorChain: Sendable {
    /// An error in a chain.
    struct Link: Sendable {
        let error: UnboxedError
        /// The error as an `NSError`; nil unless the walk bridged it.
        var bridged: NSError?
        /// The positions of the errors directly wrapped in this error, in order.
        var under: [Int] = []
    }

    /// The position of the outermost error.
    static let root = 0

    private let links: [Link]
    /// The errors as `NSError`; nil for errors not bridged yet.
    private let bridged: Locked<[NSError?]>

    /// Walks the errors wrapped in an error, which might already have been bridged.
    init(under error: UnboxedError, bridged: NSError? = nil) {
        var walk = UnderlyingErrorWalk(error, bridged: bridged)
        walk.finish()
        links = walk.links
        self.bridged = Locked(links.map(\.bridged))
    }

    func error(at position: Int) -> UnboxedError { links[position].error }

    /// Returns the result of `error as NSError` for an error, which is bridged at most once.
    func nsError(at position: Int) -> NSError {
        if let known = bridged.withLock({ $0[position] }) { return known }
        // Bridge the error outside the lock: bridging runs user code.
        let bridged = error(at: position).error as NSError
        self.bridged.withLock { $0[position] = bridged }
        return bridged
    }

    /// Returns the positions of the errors wrapped in an error, breadth first, without the error's own position.
    func positions(under position: Int) -> [Int] {
        var (found, next) = ([position], 0)
        while next < found.count {
            for position in links[found[next]].under where !found.contains(position) { found.append(position) }
            next += 1
        }
        return Array(found.dropFirst())
    }
}
