import Foundation

/// Finds the errors under an error.
enum UnderlyingErrorWalk {
    /// How many errors are visited at most, the outermost included.
    static let limit = 64

    /// How many elements of one array field are looked at: a payload of a million numbers is no trail of errors.
    private static let elementLimit = 1_024

    /// The errors under `root`, breadth first, without itself.
    static func errors(under root: any Error) -> [any Error] {
        var visited = [root]
        var seen = Set<ObjectIdentifier>()
        if let identity = identity(of: root) { seen.insert(identity) }
        var next = 0
        while next < visited.count {
            for error in directlyUnder(visited[next]) {
                guard visited.count < limit else { return Array(visited.dropFirst()) }
                // Only objects can form a cycle without end; values are bounded by the limit.
                if let identity = identity(of: error), !seen.insert(identity).inserted { continue }
                visited.append(error)
            }
            next += 1
        }
        return Array(visited.dropFirst())
    }

    private static func identity(of error: any Error) -> ObjectIdentifier? {
        type(of: error) is AnyClass ? ObjectIdentifier(error as AnyObject) : nil
    }

    private static func directlyUnder(_ error: any Error) -> [any Error] {
        if let error = error as? any UnderlyingErrors { return error.underlyingErrors }
        if let keyed = underlyingKeys(of: error as NSError) { return keyed }
        return reflected(error)
    }

    private static func underlyingKeys(of error: NSError) -> [any Error]? {
        let userInfo = error.userInfo
        // By its value: Foundation on Linux has no name for the second key.
        let one = userInfo[NSUnderlyingErrorKey]
        let many = userInfo["NSMultipleUnderlyingErrorsKey"]
        if one == nil && many == nil { return nil }
        return [one as? any Error].compactMap(\.self) + (many as? [any Error] ?? [])
    }

    private static func reflected(_ error: any Error) -> [any Error] {
        var found: [any Error] = []
        var mirror: Mirror? = Mirror(reflecting: error)
        while let level = mirror {
            for child in level.children {
                let payload = Mirror(reflecting: child.value)
                if level.displayStyle == .enum, payload.displayStyle == .tuple {
                    // A case with several associated values: they are its payloads, and the tuple is only their
                    // wrapper.
                    for value in payload.children { collect(value.value, inBetween: false, into: &found) }
                } else {
                    collect(child.value, inBetween: false, into: &found)
                }
            }
            mirror = level.superclassMirror
        }
        return found
    }

    /// Adds the errors in one field; `inBetween` says whether a struct or tuple has been passed already.
    private static func collect(_ value: Any, inBetween: Bool, into found: inout [any Error]) {
        guard found.count < limit else { return }
        if let error = value as? any Error {
            found.append(error)
            return
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            for child in mirror.children { collect(child.value, inBetween: inBetween, into: &found) }
        case .collection:
            for child in mirror.children.prefix(elementLimit) {
                collect(child.value, inBetween: inBetween, into: &found)
            }
        case .struct, .tuple:
            guard !inBetween else { return }
            for child in mirror.children { collect(child.value, inBetween: true, into: &found) }
        default:
            return
        }
    }
}
