import BoundedDescriptions
import Foundation

/// Finds the errors under an error, with a bounded amount of work whatever their structure.
///
/// Only the fields of values are looked into, which no other thread can change. Actors and objects are not: their state
/// may be changing, or guarded by a lock. (A mirror cannot recognize a dead `unowned` field of a struct, and reading it
/// traps, as in `print(error)`. A type that conforms to ``UnderlyingErrors`` is never reflected.)
struct UnderlyingErrorWalk {
    /// The maximum number of visited errors, the outermost included.
    static let errorLimit = 64
    /// The maximum number of children looked at: fields, payloads, elements, and errors that an error names.
    static let childLimit = 1_024
    /// The maximum nesting of containers.
    static let depthLimit = 16

    private(set) var links: [ErrorChain.Link]
    /// The errors as `NSError`; nil for those that were not bridged.
    private(set) var bridged: [NSError?]
    private(set) var childrenLookedAt = 0
    /// The places of the visited objects: only objects can form a cycle.
    private var places: [ObjectIdentifier: Int] = [:]

    /// The fields of the outermost error, if they are known.
    private let fields: ReflectedFields?

    init(_ root: any Error, bridged: NSError?, fields: ReflectedFields? = nil) {
        links = []
        self.fields = fields
        self.bridged = []
        add(ErrorBox.unboxed(root), bridged)
    }

    /// Visits all errors, breadth first.
    ///
    /// An error's `underlyingErrors` may itself ask the library for them: beyond a limit of nested questions, an error
    /// counts as having none.
    mutating func finish() {
        _ = ErrorText.ask {
            var next = 0
            while next < links.count {
                for error in directlyUnder(next) { note(error, under: next) }
                next += 1
            }
        }
    }

    /// The errors directly under the outermost one.
    var direct: [any Error] {
        mutating get { ErrorText.ask { directlyUnder(ErrorChain.root).map { ErrorBox.unboxed($0) } } ?? [] }
    }

    private mutating func note(_ error: any Error, under place: Int) {
        let error = ErrorBox.unboxed(error)
        let known = Self.identity(of: error).flatMap { places[$0] }
        if let known {
            links[place].under.append(known)
        } else if links.count < Self.errorLimit {
            links[place].under.append(links.count)
            add(error, nil)
        }
    }

    private mutating func add(_ error: any Error, _ bridged: NSError?) {
        if let identity = Self.identity(of: error) { places[identity] = links.count }
        links.append(ErrorChain.Link(error: error))
        self.bridged.append(bridged)
    }

    private static func identity(of error: any Error) -> ObjectIdentifier? {
        type(of: error) is AnyClass ? ObjectIdentifier(error as AnyObject) : nil
    }

    private mutating func directlyUnder(_ place: Int) -> [any Error] {
        let error = links[place].error
        if type(of: error) is any UnderlyingErrors.Type, let error = error as? any UnderlyingErrors {
            return errors(among: error.underlyingErrors)
        }
        // The user info of another error has no errors in it, and to make it costs more than to reflect the error.
        if bridged[place] != nil || ErrorText.hasDomainOfItsOwn(error) {
            guard let nsError = bridged[place] ?? NSErrorBridge.bridged(error) else { return [] }
            bridged[place] = nsError
            if let keyed = underlyingKeys(of: nsError) { return keyed }
        }
        // In a field of its own, a `URLError` stores the `NSError` that it is.
        if NSErrorBridge.isBridged(type(of: error)) || type(of: error) is AnyClass { return [] }
        guard place == ErrorChain.root, let fields else { return reflected(error) }
        return errors(in: fields.children.makeIterator(), isCase: fields.isCase)
    }

    private mutating func underlyingKeys(of error: NSError) -> [any Error]? {
        let userInfo = error.userInfo
        // As a literal, since Foundation on Linux has no constant for the second key.
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

    private mutating func reflected(_ error: any Error) -> [any Error] {
        let mirror = Mirror(reflecting: error)
        return errors(in: mirror.children.makeIterator(), isCase: mirror.displayStyle == .enum)
    }

    /// Returns the errors in the fields of an error, or in the payload of its case.
    private mutating func errors(in fields: some IteratorProtocol<Mirror.Child>, isCase: Bool) -> [any Error] {
        var fields = fields
        guard isCase, let payload = fields.next()?.value else { return errors(in: fields, inBetween: false, depth: 1) }
        if Self.isPlainTuple(type(of: payload)) { return [] }
        // Several associated values are in a tuple, which does not count as a tuple in between.
        if let payloads = Mirror.ofTuple(payload)?.children {
            return errors(in: payloads.makeIterator(), inBetween: false, depth: 1)
        }
        return errors(in: fields, after: payload, inBetween: false, depth: 1)
    }

    /// Returns the errors in some fields, in the fields' order; `inBetween` says whether the fields are already those
    /// of a struct or tuple in between.
    private mutating func errors(
        in fields: some IteratorProtocol<Mirror.Child>, after first: Any? = nil, inBetween: Bool, depth: Int
    ) -> [any Error] {
        var found: [[any Error]] = []
        var containers: [(field: Int, value: Any)] = []
        var fields = fields
        var next = first ?? fields.next()?.value
        while let value = next, countChild() {
            next = fields.next()?.value
            if Self.isPlain(type(of: value)) { continue }
            if let error = value as? any Error {
                found.append([error])
            } else if Self.mayHoldErrors(type(of: value)) {
                containers.append((found.count, value))
                found.append([])
            }
        }
        // After all fields, so that an error beside a large container is found before the container uses up the limit.
        for (field, value) in containers where depth < Self.depthLimit {
            found[field] = errors(inContainer: value, inBetween: inBetween, depth: depth + 1)
        }
        return Array(found.joined())
    }

    private mutating func errors(inContainer value: Any, inBetween: Bool, depth: Int) -> [any Error] {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection:
            return errors(in: mirror.children.makeIterator(), inBetween: inBetween, depth: depth)
        case .struct where !inBetween, .tuple where !inBetween:
            return errors(in: mirror.children.makeIterator(), inBetween: true, depth: depth)
        default:
            return []
        }
    }

    /// Counts a child; returns false if the limit is reached.
    private mutating func countChild() -> Bool {
        guard childrenLookedAt < Self.childLimit else { return false }
        childrenLookedAt += 1
        return true
    }

    /// Whether a type is one of the most frequent ones, which are no errors; a check for a conformance costs more.
    private static func isPlain(_ type: Any.Type) -> Bool {
        type == Int.self || type == String.self || type == Bool.self || type == Double.self
    }

    /// Whether a type is known for a tuple of such types by its name: `(code: Swift.Int, reason: Swift.String)`.
    ///
    /// Most cases with a payload have one; to reflect it costs four times as much.
    private static func isPlainTuple(_ type: Any.Type) -> Bool {
        let name = TypeName.reflected(type).utf8
        // A type in an extension of another module's type begins so too: `(extension in Shop):Swift.String.Lazy<…>`.
        guard name.first == UInt8(ascii: "("), name.last == UInt8(ascii: ")") else { return false }
        return Array(name).dropLast().split(separator: UInt8(ascii: ",")).allSatisfy { element in
            plainEndings.contains { element.suffix($0.count).elementsEqual($0) }
        }
    }

    private static let plainEndings = [" Swift.Int", " Swift.String", " Swift.Bool", " Swift.Double"]
        .map { Array($0.utf8) }

    /// Whether values of a type may contain errors: not objects, addresses, numbers and texts, alone or in arrays.
    private static func mayHoldErrors(_ type: Any.Type) -> Bool {
        var type = type
        while let array = type as? any ArrayType.Type { type = array.elementType }
        // The memory at an address may be deallocated.
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
