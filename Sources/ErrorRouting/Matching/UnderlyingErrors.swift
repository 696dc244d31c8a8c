import BoundedDescriptions
import Foundation

/// An error that provides the errors wrapped in it.
///
/// For a conforming error, ``ErrorMatcher/anywhere(_:)`` visits only these errors. It doesn't read `NSError` keys and
/// doesn't reflect the error.
public protocol UnderlyingErrorsProviding: Error {
    /// The errors directly wrapped in this error, most important first.
    var underlyingErrors: [any Error] { get }
}

/// Returns the errors directly wrapped in an error, as ``ErrorMatcher/anywhere(_:)`` finds them.
///
/// - Parameter error: The outer error.
/// - Returns: The first of these that exists: the errors from ``UnderlyingErrorsProviding``, the errors for the
///   `NSError` keys, the errors in fields and payloads. The result is empty if user code is nested too deeply, for
///   example because an error reads its own underlying errors.
/// - Complexity: O(number of fields and elements), at most 1,024.
public func underlyingErrors(of error: any Error) -> [any Error] {
    let errors = PerThread.inUserCode {
        var walk = UnderlyingErrorWalk(UnboxedError(error))
        return walk.directlyUnder(UnderlyingErrorWalk.root).map { UnboxedError($0).error }
    }
    return errors ?? []
}

/// Finds the errors wrapped in an error with a bounded amount of work, regardless of their structure.
///
/// The walk inspects only the fields of values, which other threads can't change. It doesn't inspect actors and
/// objects, because their state might be changing or guarded by a lock. A mirror can't recognize an `unowned` field of
/// a struct whose object no longer exists, and reading that field traps, as in `print(error)`. A type that conforms to
/// ``UnderlyingErrorsProviding`` is never reflected.
///
/// The walk calls user code, so its caller must first call ``PerThread/enterUserCode()``. All matchers that are called
/// for an error share one walk. So the error is walked only once, and each error in it is bridged only once.
struct UnderlyingErrorWalk: Sendable {
    /// A visited error.
    struct Link: Sendable {
        let error: UnboxedError
        /// The error if it is an object, because only objects can form a cycle; otherwise nil.
        let identity: ObjectIdentifier?
        /// The error as an `NSError`; nil until it is bridged.
        var bridged: NSError?
        /// The positions of the errors directly wrapped in this error, in order.
        var under: [Int] = []

        init(_ error: UnboxedError, bridged: NSError? = nil) {
            (self.error, self.bridged) = (error, bridged)
            identity = type(of: error.error) is AnyClass ? ObjectIdentifier(error.error as AnyObject) : nil
        }
    }

    /// The position of the outermost error.
    static let root = 0
    /// The maximum number of visited errors, including the outermost.
    static let errorLimit = 64
    /// The maximum number of inspected children: fields, payloads, elements, and errors that an error provides.
    static let childLimit = 1_024
    /// The maximum nesting of containers.
    static let depthLimit = 16

    private(set) var links: [Link] = []
    private(set) var visitedChildren = 0

    /// Creates a walk that has visited only the outermost error, which might already have been bridged.
    init(_ root: UnboxedError, bridged: NSError? = nil) { links = [Link(root, bridged: bridged)] }

    /// Creates a walk that has visited all errors, breadth first; the fields of the outermost error might be known.
    init(finishing root: UnboxedError, bridged: NSError? = nil, fields: ReflectedFields? = nil) {
        self.init(root, bridged: bridged)
        var next = 0
        while next < links.count {
            for error in directlyUnder(next, next == Self.root ? fields : nil) { record(error, under: next) }
            next += 1
        }
    }

    /// Returns the result of `error as NSError` for a visited error, which is bridged at most once.
    mutating func nsError(at position: Int) -> NSError {
        let bridged = links[position].bridged ?? links[position].error.error as NSError
        links[position].bridged = bridged
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

    private mutating func record(_ error: any Error, under position: Int) {
        let link = Link(UnboxedError(error))
        let known = link.identity.flatMap { identity in links.firstIndex { $0.identity == identity } }
        guard known != nil || links.count < Self.errorLimit else { return }
        links[position].under.append(known ?? links.count)
        if known == nil { links.append(link) }
    }

    /// Returns the errors directly wrapped in the error at a position.
    fileprivate mutating func directlyUnder(_ position: Int, _ fields: ReflectedFields? = nil) -> [any Error] {
        let error = links[position].error.error
        if type(of: error) is any UnderlyingErrorsProviding.Type, let error = error as? any UnderlyingErrorsProviding {
            return errors(among: error.underlyingErrors)
        }
        // Don't read the user info of other errors: it doesn't contain errors, and creating it costs more than
        // reflecting the error.
        if links[position].bridged != nil || ErrorText.hasDomainOfItsOwn(error),
            let keyed = underlyingKeys(of: nsError(at: position))
        {
            return keyed
        }
        // Don't reflect these errors: a `URLError`, for example, has a field with the `NSError` that represents it.
        if NSErrorBridge.isBridged(type(of: error)) || type(of: error) is AnyClass { return [] }
        if let fields { return errors(in: fields.children, isCase: fields.isCase) }
        let mirror = Mirror(reflecting: error)
        return errors(in: mirror.children, isCase: mirror.displayStyle == .enum)
    }

    private mutating func underlyingKeys(of error: NSError) -> [any Error]? {
        let userInfo = error.userInfo
        // Use a literal: Foundation on Linux has no constant for the second key.
        let one = userInfo[NSUnderlyingErrorKey]
        let many = userInfo["NSMultipleUnderlyingErrorsKey"]
        if one == nil && many == nil { return nil }
        var found = [one].compactMap { $0 as? any Error }
        if let many = many as? any Sequence { found += errors(among: many) }
        return found
    }

    /// Returns those elements that are errors.
    private mutating func errors(among elements: some Sequence) -> [any Error] {
        elements.prefix { _ in countChild() }.compactMap { $0 as? any Error }
    }

    // MARK: Reflection

    /// Returns the errors in the fields of an error, or in the payload of its enum case.
    private mutating func errors(in fields: some Sequence<Mirror.Child>, isCase: Bool) -> [any Error] {
        let values = fields.lazy.map(\.value)
        if !isCase { return errors(in: values) }
        // Read the payload only once.
        var rest = values.makeIterator()
        guard let payload = rest.next() else { return [] }
        // Inspect the tuple of several associated values: it doesn't count as an intermediate tuple.
        if let payloads = Mirror.ofTuple(payload)?.children { return errors(in: payloads.lazy.map(\.value)) }
        return errors(in: sequence(first: payload) { _ in rest.next() })
    }

    /// Returns the errors in fields, payloads, or elements, in their order.
    ///
    /// The values might be fields of an intermediate struct or tuple. The depth is the nesting of the containers around
    /// them.
    private mutating func errors(in values: some Sequence<Any>, inBetween: Bool = false, depth: Int = 1) -> [any Error]
    {
        var found: [[any Error]] = []
        var containers: [(position: Int, value: Any)] = []
        for value in values {
            guard countChild() else { break }
            if Self.isPlain(type(of: value)) { continue }
            if let error = value as? any Error {
                found.append([error])
            } else if Self.mightContainErrors(type(of: value)) {
                containers.append((found.count, value))
                found.append([])
            }
        }
        // Visit containers after all fields: a large container might use up the limit before an error next to it is
        // found.
        for (position, value) in containers where depth < Self.depthLimit {
            found[position] = errors(inContainer: value, inBetween: inBetween, depth: depth + 1)
        }
        return Array(found.joined())
    }

    private mutating func errors(inContainer value: Any, inBetween: Bool, depth: Int) -> [any Error] {
        let mirror = Mirror(reflecting: value)
        let values = mirror.children.lazy.map(\.value)
        switch mirror.displayStyle {
        case .optional, .collection: return errors(in: values, inBetween: inBetween, depth: depth)
        case .struct where !inBetween, .tuple where !inBetween: return errors(in: values, inBetween: true, depth: depth)
        default: return []
        }
    }

    /// Counts a child; returns false if the limit was already reached.
    private mutating func countChild() -> Bool {
        guard visitedChildren < Self.childLimit else { return false }
        visitedChildren += 1
        return true
    }

    /// Whether a type is among the most frequent types that aren't errors; checking for a conformance costs more.
    private static func isPlain(_ type: Any.Type) -> Bool {
        type == Int.self || type == String.self || type == Bool.self || type == Double.self
    }

    /// Whether values of a type might contain errors.
    ///
    /// The result is false for objects, addresses, numbers, and strings, including arrays of them.
    private static func mightContainErrors(_ type: Any.Type) -> Bool {
        var type = type
        while let array = type as? any ArrayType.Type { type = array.elementType }
        // Don't read addresses: the memory there might be deallocated.
        if TypeName.isAddress(type) { return false }
        return !(type is AnyClass || type is any Numeric.Type || type is any StringProtocol.Type)
    }
}

/// `Array` with any element type.
private protocol ArrayType {
    static var elementType: Any.Type { get }
}

extension Array: ArrayType {
    fileprivate static var elementType: Any.Type { Element.self }
}
