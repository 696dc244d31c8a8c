import BoundedDescriptions
import Foundation

/// An error that names the errors wrapped in it.
///
/// For a conforming error, ``ErrorMatcher/anywhere(_:)`` visits only these errors; it reads no `NSError` keys and
/// doesn't reflect the error.
public protocol UnderlyingErrorsProviding: Error {
    /// The errors directly wrapped in this one, most important first.
    var underlyingErrors: [any Error] { get }
}

/// Returns the errors directly wrapped in an error, as ``ErrorMatcher/anywhere(_:)`` finds them.
///
/// - Parameter error: The error.
/// - Returns: The errors from ``UnderlyingErrorsProviding`` if the error conforms; if it doesn't, the errors for the `NSError`
///   keys, if any; otherwise the errors in its fields and payloads. Empty for an error that reads its own underlying
///   errors without end.
/// - Complexity: O(number of fields and elements), at most 1,024.
public func underlyingErrors(of error: any Error) -> [any Error] {
    let errors = PerThread.inUserCode {
        var walk = UnderlyingErrorWalk(UnboxedError(error))
        return walk.direct
    }
    return errors ?? []
}

/// Finds the errors wrapped in an error with a bounded amount of work, regardless of their structure.
///
/// It inspects only the fields of values, which no other thread can change. It doesn't inspect actors and objects:
/// their state might be changing or guarded by a lock. (A mirror can't recognize a dead `unowned` field of a struct,
/// and reading it traps, as in `print(error)`. A type that conforms to ``UnderlyingErrorsProviding`` is never reflected.)
///
/// It calls user code, which its caller enters (``PerThread/enterUserCode()``).
struct UnderlyingErrorWalk {
    /// The maximum number of visited errors, the outermost included.
    static let errorLimit = 64
    /// The maximum number of inspected children: fields, payloads, elements, and errors that an error names.
    static let childLimit = 1_024
    /// The maximum nesting of containers.
    static let depthLimit = 16

    private(set) var links: [ErrorChain.Link]
    /// The errors as `NSError`; nil for errors that weren't bridged.
    private(set) var bridged: [NSError?]
    private(set) var childrenLookedAt = 0
    /// The positions of the visited objects; only objects can form a cycle.
    private var positions: [ObjectIdentifier: Int] = [:]

    /// The fields of the outermost error, if they are known.
    private let fields: ReflectedFields?

    init(_ root: UnboxedError, bridged: NSError? = nil, fields: ReflectedFields? = nil) {
        links = []
        self.fields = fields
        self.bridged = []
        add(root, bridged)
    }

    /// Visits all errors, breadth first.
    mutating func finish() {
        var next = 0
        while next < links.count {
            for error in directlyUnder(next) { record(error, under: next) }
            next += 1
        }
    }

    /// The errors directly wrapped in the outermost one.
    var direct: [any Error] {
        mutating get { directlyUnder(ErrorChain.root).map { UnboxedError($0).error } }
    }

    private mutating func record(_ error: any Error, under position: Int) {
        let error = UnboxedError(error)
        let known = Self.identity(of: error.error).flatMap { positions[$0] }
        if let known {
            links[position].under.append(known)
        } else if links.count < Self.errorLimit {
            links[position].under.append(links.count)
            add(error, nil)
        }
    }

    private mutating func add(_ error: UnboxedError, _ bridged: NSError?) {
        if let identity = Self.identity(of: error.error) { positions[identity] = links.count }
        links.append(ErrorChain.Link(error: error))
        self.bridged.append(bridged)
    }

    private static func identity(of error: any Error) -> ObjectIdentifier? {
        type(of: error) is AnyClass ? ObjectIdentifier(error as AnyObject) : nil
    }

    private mutating func directlyUnder(_ position: Int) -> [any Error] {
        let error = links[position].error.error
        if type(of: error) is any UnderlyingErrorsProviding.Type, let error = error as? any UnderlyingErrorsProviding {
            return errors(among: error.underlyingErrors)
        }
        // Don't read the user info of other errors: it has no errors in it, and creating it costs more than reflecting
        // the error.
        if bridged[position] != nil || ErrorText.hasDomainOfItsOwn(error) {
            let nsError = bridged[position] ?? error as NSError
            bridged[position] = nsError
            if let keyed = underlyingKeys(of: nsError) { return keyed }
        }
        // Don't reflect these errors: a `URLError` has a field with the `NSError` that it is.
        if NSErrorBridge.isBridged(type(of: error)) || type(of: error) is AnyClass { return [] }
        if position == ErrorChain.root, let fields { return errors(in: fields.children, isCase: fields.isCase) }
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

    /// Returns the elements that are errors.
    private mutating func errors(among elements: some Sequence) -> [any Error] {
        var found: [any Error] = []
        for element in elements {
            guard countChild() else { break }
            if let error = element as? any Error { found.append(error) }
        }
        return found
    }

    // MARK: Reflection

    /// Returns the errors in the fields of an error, or in the payload of its case.
    private mutating func errors(in fields: some Sequence<Mirror.Child>, isCase: Bool) -> [any Error] {
        let values = fields.lazy.map(\.value)
        if !isCase { return errors(in: values) }
        // Read the payload once.
        var rest = values.makeIterator()
        guard let payload = rest.next(), !Self.isPlainTuple(type(of: payload)) else { return [] }
        // Several associated values are in a tuple, which doesn't count as an intermediate tuple.
        if let payloads = Mirror.ofTuple(payload)?.children { return errors(in: payloads.lazy.map(\.value)) }
        return errors(in: sequence(first: payload) { _ in rest.next() })
    }

    /// Returns the errors in some values, in the values' order.
    ///
    /// - Parameters:
    ///   - values: Fields, payloads, or elements.
    ///   - inBetween: Whether they are the fields of an intermediate struct or tuple.
    ///   - depth: The nesting of the containers around them.
    private mutating func errors(in values: some Sequence<Any>, inBetween: Bool = false, depth: Int = 1) -> [any Error]
    {
        var found: [[any Error]] = []
        var containers: [(position: Int, value: Any)] = []
        for value in values {
            guard countChild() else { break }
            if Self.isPlain(type(of: value)) { continue }
            if let error = value as? any Error {
                found.append([error])
            } else if Self.mayHoldErrors(type(of: value)) {
                containers.append((found.count, value))
                found.append([])
            }
        }
        // Visit containers after all fields: this finds an error next to a large container before the container uses up
        // the limit.
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

    /// Counts a child; returns false if the limit is reached.
    private mutating func countChild() -> Bool {
        guard childrenLookedAt < Self.childLimit else { return false }
        childrenLookedAt += 1
        return true
    }

    /// Whether a type is one of the most frequent ones, which aren't errors; a check for a conformance costs more.
    private static func isPlain(_ type: Any.Type) -> Bool {
        type == Int.self || type == String.self || type == Bool.self || type == Double.self
    }

    /// Whether a type is recognizable by its name as a tuple of such types: `(code: Swift.Int, reason: Swift.String)`.
    ///
    /// Most cases with a payload have such a tuple; reflecting it costs four times as much.
    private static func isPlainTuple(_ type: Any.Type) -> Bool {
        let name = TypeName.reflected(type).utf8
        // A type in an extension of another module's type begins the same way:
        // `(extension in Shop):Swift.String.Lazy<…>`.
        guard name.first == UInt8(ascii: "("), name.last == UInt8(ascii: ")") else { return false }
        return Array(name).dropLast().split(separator: UInt8(ascii: ",")).allSatisfy { element in
            plainEndings.contains { element.suffix($0.count).elementsEqual($0) }
        }
    }

    private static let plainEndings = [" Swift.Int", " Swift.String", " Swift.Bool", " Swift.Double"]
        .map { Array($0.utf8) }

    /// Whether values of a type might contain errors; false for objects, addresses, numbers, and strings, alone or in
    /// arrays.
    private static func mayHoldErrors(_ type: Any.Type) -> Bool {
        var type = type
        while let array = type as? any ArrayType.Type { type = array.elementType }
        // The memory at an address might be deallocated.
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
