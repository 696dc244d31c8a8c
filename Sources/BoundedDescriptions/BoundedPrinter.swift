/// Prints any value nearly as `print` does, with a bounded amount of work whatever the value.
///
/// The printer visits at most 1,024 children in all, to a depth of 16, and writes at most 16 KiB of UTF-8; `…` marks
/// what was left out. A type with a description of its own (`CustomStringConvertible` and the like) is asked once and
/// never reflected; `Array` and the like are never asked, since their descriptions print all elements. Class instances
/// and actors are not looked into, since their state may be changing or guarded by a lock. No address is printed, and
/// the elements of a set or dictionary are sorted, so that the text is the same in every run. If a set or dictionary
/// does not fit, its elements and all that follows are left out.
///
/// A dead `unowned` reference in a struct's field cannot be recognized: reading it traps, as it does in `print`.
package struct BoundedPrinter {
    /// The maximum number of visited children.
    static let childLimit = 1_024
    /// The maximum nesting of values within values.
    static let depthLimit = 16
    /// The maximum length of the text in bytes of UTF-8.
    static let byteLimit = 16 * 1024

    /// The number of visited children: elements, fields, payloads.
    var childCount = 0
    var out = BoundedText(limit: byteLimit)
    /// The kinds of the types met so far; an array has many values of one type.
    private var kinds: [ObjectIdentifier: TypeKind] = [:]

    /// The text printed so far.
    var text: String { out.text }

    /// Returns a value's text as `String(describing:)` does, but bounded.
    package static func text(of value: Any) -> String {
        var printer = BoundedPrinter()
        printer.print(value)
        return printer.text
    }

    /// Prints a value as `String(describing:)` does.
    mutating func print(_ value: Any) { write(value, isNested: false, depth: 0) }

    /// Prints a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isNested: Whether the value is part of another one: then strings are quoted, and cases have their type's
    ///     name.
    ///   - depth: The number of values that contain this one.
    mutating func write(_ value: Any, isNested: Bool, depth: Int) {
        guard !out.isCut else { return }
        switch kind(of: type(of: value)) {
        case .text: writeText(value, isNested: isNested)
        case .named: out.append(TypeName.full(type(of: value)))
        case .spoken: out.append(Self.words(of: value, isNested: isNested))
        case .spokenObject: out.append(Self.words(ofObject: value, isNested: isNested))
        case .optional(let type): writeOptional(type.content(of: value), depth: depth)
        case .hashable: writeHashable(value, isNested: isNested, depth: depth)
        case .range(let sign): writeRange(value, sign: sign, isNested: isNested, depth: depth)
        case .collection(let format): writeCollection(value, format, isNested: isNested, depth: depth)
        case .mirroredCollection(let format): writeMirrored(value, format, isNested: isNested, depth: depth)
        case .nsError: writeNSError(value, depth: depth)
        case .codingError: writeCodingError(value, depth: depth)
        case .reflected: writeReflected(value, isNested: isNested, depth: depth)
        }
    }

    /// Returns a type's kind, which is determined once for each type.
    mutating func kind(of type: Any.Type) -> TypeKind {
        let id = ObjectIdentifier(type)
        if let known = kinds[id] { return known }
        let kind = TypeKind(of: type)
        kinds[id] = kind
        return kind
    }

    // MARK: Children

    /// Visits children until a limit is reached.
    ///
    /// Goes by index, since an iterator would compute one more child to say whether there is one.
    ///
    /// - Returns: Whether children were left out because of the limits on depth and children.
    private mutating func visit<Children: Collection>(
        _ children: Children, depth: Int, _ write: (inout Self, Children.Element) -> Void
    ) -> Bool {
        var index = children.startIndex
        while index != children.endIndex, !out.isCut {
            guard depth < Self.depthLimit, childCount < Self.childLimit else { return true }
            childCount += 1
            write(&self, children[index])
            children.formIndex(after: &index)
        }
        return false
    }

    /// Prints children one after the other.
    mutating func writeEach<Children: Collection>(
        of children: Children, depth: Int, _ write: (inout Self, Children.Element) -> Void
    ) {
        if visit(children, depth: depth, write) { out.append(BoundedText.mark) }
    }

    /// Prints children with commas between them.
    ///
    /// - Parameters:
    ///   - children: The children.
    ///   - isSorted: Whether the printed children are sorted, because they come in no fixed order.
    ///   - depth: The depth of the value that contains the children.
    ///   - isShown: Whether a child is printed at all.
    ///   - write: Prints one child.
    mutating func writeList<Children: Collection>(
        of children: Children, isSorted: Bool = false, depth: Int,
        where isShown: (Children.Element) -> Bool = { _ in true },
        _ write: (inout Self, Children.Element) -> Void
    ) {
        let separator = ", "
        let start = out.count
        var starts: [Int] = []
        let isPart = visit(children, depth: depth) { printer, child in
            guard isShown(child) else { return }
            if !starts.isEmpty { printer.out.append(separator) }
            starts.append(printer.out.count)
            write(&printer, child)
        }
        if isSorted {
            // Which children come first differs from run to run, so that a part of them must not be shown.
            if isPart || out.isCut || childCount >= Self.childLimit {
                out.cut(at: start)
            } else {
                out.sort(partsAt: starts, separator: separator)
            }
        } else if isPart {
            if !starts.isEmpty { out.append(separator) }
            out.append(BoundedText.mark)
        }
    }

    /// Prints a value that is part of another one.
    mutating func writeChild(_ value: Any, depth: Int) { write(value, isNested: true, depth: depth + 1) }

    // MARK: Texts

    private mutating func writeText(_ value: Any, isNested: Bool) {
        // As a substring, which shares the string's storage, neither is copied.
        let text = value as? Substring ?? (value as? String)?[...] ?? ""
        if isNested { writeQuoted(text) } else { out.append(text) }
    }

    /// Prints a text as `debugPrint` does, up to as many scalars as the limit has bytes.
    private mutating func writeQuoted(_ text: Substring) {
        out.append(String(text.unicodeScalars.prefix(out.limit)).debugDescription)
    }
}

// MARK: Descriptions

extension BoundedPrinter {
    /// Returns a value's own description, uncut; nil if its type has none, or one that would print all elements.
    package static func words(of value: Any) -> String? {
        let type = type(of: value)
        switch TypeKind(of: type) {
        case .text, .spoken, .mirroredCollection: return words(of: value, isNested: false)
        case .spokenObject: return words(ofObject: value, isNested: false)
        case .named where type is AnyClass:
            // An error class may be a collection of errors with a description.
            return TypeKind.describesItself(type) ? words(ofObject: value, isNested: false) : nil
        default: return nil
        }
    }

    /// Returns a value's own description, calling the first conformance that `debugPrint` or `print` would call.
    static func words(of value: Any, isNested: Bool) -> String {
        if isNested, let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
        if !isNested, let value = value as? any TextOutputStreamable { return streamed(value) }
        if let value = value as? any CustomStringConvertible { return value.description }
        if let value = value as? any TextOutputStreamable { return streamed(value) }
        if let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
        return TypeName.full(type(of: value))
    }

    /// Returns an object's own description, or its type's name if the description contains the object's address.
    static func words(ofObject value: Any, isNested: Bool) -> String {
        let words = words(of: value, isNested: isNested)
        let address = String(UInt(bitPattern: ObjectIdentifier(value as AnyObject)), radix: 16)
        // Only the part that can be printed is searched.
        let shown = BoundedText.cut(words, to: byteLimit)
        return shown.lowercased().contains(address) ? TypeName.full(type(of: value)) : words
    }

    /// Returns what a value writes to a stream, cut at the length that can be printed.
    private static func streamed(_ value: any TextOutputStreamable) -> String {
        if let string = value as? String { return string }
        if let string = value as? Substring { return String(string) }
        var stream = BoundedText(limit: byteLimit)
        value.write(to: &stream)
        return stream.text
    }
}
