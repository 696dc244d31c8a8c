import Foundation

/// Finds the errors under an error, within one budget, whatever their shape.
///
/// Nothing that has an identity is looked into: an actor's or an object's state may be changing, or guarded by a lock.
/// What is looked into are the fields of values, which nobody else can reach. (A dead `unowned` field of a struct is
/// not to be seen by a mirror, and traps; so does `print(error)`. A type that conforms to ``UnderlyingErrors`` is never
/// reflected.)
struct UnderlyingErrorWalk {
    /// How many errors are visited at most, the outermost included.
    static let errorLimit = 64
    /// How many children are looked at: fields, payloads, elements, and errors that an error names.
    static let childLimit = 1_024
    /// How deep containers are looked into.
    static let depthLimit = 16

    private(set) var links: [ErrorChain.Link]
    /// What each is as an `NSError`, as far as it was asked here.
    private(set) var bridged: [NSError?]
    private(set) var childrenLookedAt = 0
    /// Where each object stands: only objects can form a cycle without end, values are bounded by the limit.
    private var places: [ObjectIdentifier: Int] = [:]

    init(_ root: any Error, bridged: NSError?) {
        links = []
        self.bridged = []
        add(ErrorBox.unboxed(root), bridged)
    }

    /// Visits all errors, breadth first.
    ///
    /// What an error says is under it may ask the library the same: after some such questions within one another an
    /// error has nothing under it.
    mutating func finish() {
        _ = ErrorText.ask {
            var next = 0
            while next < links.count {
                for error in directlyUnder(next) { note(error, under: next) }
                next += 1
            }
        }
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
        if let error = error as? any UnderlyingErrors { return errors(among: error.underlyingErrors) }
        guard let nsError = bridged[place] ?? NSErrorBridge.bridged(error) else { return [] }
        bridged[place] = nsError
        if let keyed = underlyingKeys(of: nsError) { return keyed }
        return type(of: error) is AnyClass ? [] : reflected(error)
    }

    private mutating func underlyingKeys(of error: NSError) -> [any Error]? {
        let userInfo = error.userInfo
        // By its value: Foundation on Linux has no name for the second key.
        let one = userInfo[NSUnderlyingErrorKey]
        let many = userInfo["NSMultipleUnderlyingErrorsKey"]
        if one == nil && many == nil { return nil }
        var found = [one].compactMap { $0 as? any Error }
        if let many = many as? any Sequence { found += errors(among: many) }
        return found
    }

    /// Those of some elements that are errors.
    private mutating func errors(among elements: some Sequence) -> [any Error] {
        var found: [any Error] = []
        for element in elements {
            guard takeChild() else { break }
            if let error = element as? any Error { found.append(error) }
        }
        return found
    }

    // MARK: Reflection

    private mutating func reflected(_ error: any Error) -> [any Error] {
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum, let payload = mirror.children.first?.value,
            !(type(of: payload) is AnyClass)
        else { return errors(in: mirror.children, inBetween: false, depth: 1) }
        let payloads = Mirror(reflecting: payload)
        // A case with several associated values: they are its payloads, and the tuple is only their wrapper.
        let children = payloads.displayStyle == .tuple ? payloads.children : mirror.children
        return errors(in: children, inBetween: false, depth: 1)
    }

    /// The errors in some fields, in the fields' order; `inBetween` says whether a struct or tuple has been passed
    /// already.
    private mutating func errors(in fields: Mirror.Children, inBetween: Bool, depth: Int) -> [any Error] {
        var found: [[any Error]] = []
        var containers: [(field: Int, value: Any)] = []
        for (_, value) in fields {
            guard takeChild() else { break }
            if let error = value as? any Error {
                found.append([error])
            } else if Self.mayHoldErrors(type(of: value)) {
                containers.append((found.count, value))
                found.append([])
            }
        }
        // After the fields themselves, so that an error beside a large container is found before that uses up all.
        for (field, value) in containers where depth < Self.depthLimit {
            found[field] = errors(inContainer: value, inBetween: inBetween, depth: depth + 1)
        }
        return Array(found.joined())
    }

    private mutating func errors(inContainer value: Any, inBetween: Bool, depth: Int) -> [any Error] {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection:
            return errors(in: mirror.children, inBetween: inBetween, depth: depth)
        case .struct where !inBetween, .tuple where !inBetween:
            return errors(in: mirror.children, inBetween: true, depth: depth)
        default:
            return []
        }
    }

    private mutating func takeChild() -> Bool {
        guard childrenLookedAt < Self.childLimit else { return false }
        childrenLookedAt += 1
        return true
    }

    /// Whether values of a type are worth a look: not objects, addresses, numbers and texts, alone or in arrays.
    private static func mayHoldErrors(_ type: Any.Type) -> Bool {
        // By far the most frequent, and to ask for a conformance costs more than all of this.
        if type == Int.self || type == String.self || type == Bool.self || type == Double.self { return false }
        var type = type
        while let array = type as? any ArrayType.Type { type = array.elementType }
        // What is behind an address may be gone.
        if TypeName.isAddress(type) { return false }
        return !(type is AnyClass || type is any Numeric.Type || type is any StringProtocol.Type)
    }
}

/// An array, whatever its elements.
private protocol ArrayType {
    static var elementType: Any.Type { get }
}

extension Array: ArrayType {
    fileprivate static var elementType: Any.Type { Element.self }
}
