import Foundation

/// An error and all the errors under it, found once: which is directly under which.
///
/// Shared by all that ask about one error, so that the chain is walked, and each error in it bridged, only once.
final class ErrorChain: Sendable {
    /// One error of a chain.
    struct Link: Sendable {
        let error: any Error
        /// The places of the errors directly under it, in their order.
        var under: [Int] = []
    }

    /// The place of the error that the others are under.
    static let root = 0

    private let links: [Link]
    /// What each is as an `NSError`, as far as anyone has asked.
    private let bridged: Locked<[NSError?]>

    /// Walks the errors under one.
    ///
    /// - Parameters:
    ///   - error: The outermost error.
    ///   - bridged: What it is as an `NSError`, if that is known.
    init(under error: any Error, bridged: NSError? = nil) {
        var walk = UnderlyingErrorWalk(error, bridged: bridged)
        walk.finish()
        links = walk.links
        self.bridged = Locked(walk.bridged)
    }

    func error(at place: Int) -> any Error { links[place].error }

    /// An error as `as NSError` gives it; nil if it must not be asked, since it is asking about itself.
    func nsError(at place: Int) -> NSError? {
        if let known = bridged.withLock({ $0[place] }) { return known }
        // Bridging asks the error, so not under the lock.
        let bridged = NSErrorBridge.bridged(error(at: place))
        self.bridged.withLock { $0[place] = bridged }
        return bridged
    }

    /// The errors under the outermost one, breadth first, without itself.
    var underlyingErrors: [any Error] { links.dropFirst().map(\.error) }

    /// The places of the errors under one of them, breadth first, without itself.
    func places(under place: Int) -> [Int] {
        // They were found breadth first from there.
        if place == Self.root { return Array(links.indices.dropFirst()) }
        var (found, isFound) = ([place], Array(repeating: false, count: links.count))
        isFound[place] = true
        var next = 0
        while next < found.count {
            for place in links[found[next]].under where !isFound[place] {
                isFound[place] = true
                found.append(place)
            }
            next += 1
        }
        return Array(found.dropFirst())
    }
}
