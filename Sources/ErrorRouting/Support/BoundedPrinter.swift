/// Prints any value about as `print` does, and does no more work than it is allowed, whatever the value.
///
/// It looks at no more than 1,024 children in all, goes no deeper than 16, and makes no more than 16 KiB of UTF-8;
/// where it leaves something out stands `…`. A type that speaks for itself (`CustomStringConvertible` and the like) is
/// asked once, and never reflected; `Array` and the like are never asked, since they would say all of it. Class
/// instances and actors are never looked into: their state may be changing, or guarded by a lock. No address is
/// printed, and what is in a set or dictionary is sorted, so that the text is the same in every run; one that cannot be
/// printed whole is left out, and all that follows.
///
/// A reference that is `unowned` and dead cannot be told from others: reading it for a struct's field traps, as
/// `print` does.
struct BoundedPrinter {
    /// How many children are looked at.
    static let childLimit = 1_024
    /// How many values within values are gone into.
    static let depthLimit = 16
    /// How many bytes of UTF-8 are made.
    static let byteLimit = 16 * 1024

    /// How many children it has looked at: elements, fields, payloads.
    var childCount = 0
    var out = BoundedText(limit: byteLimit)
    /// What is known of the types met; an array has many values of one.
    private var kinds: [ObjectIdentifier: TypeKind] = [:]

    /// Makes a printer.
    ///
    /// - Parameter childCount: How many children count as looked at already.
    init(childCount: Int = 0) {
        self.childCount = childCount
    }

    /// What was printed.
    var text: String { out.text }

    /// A value as `String(describing:)` has it.
    static func text(of value: Any) -> String {
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
    ///   - isNested: Whether it is in another one: then strings are quoted, and cases have their type's name.
    ///   - depth: How many values it is in.
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

    /// What is known of a type.
    mutating func kind(of type: Any.Type) -> TypeKind {
        let id = ObjectIdentifier(type)
        if let known = kinds[id] { return known }
        let kind = TypeKind(of: type)
        kinds[id] = kind
        return kind
    }

    // MARK: Children

    /// Goes through children as long as it may.
    ///
    /// By index: an iterator would have to make one more child to tell whether there is one.
    ///
    /// - Returns: Whether some were left out.
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
    ///   - isSorted: Whether they have no order of their own.
    ///   - depth: How many values they are in.
    ///   - isShown: Whether a child is printed at all.
    ///   - write: Prints one.
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
            // Which children are the first differs from run to run: if not all are there, none is.
            if isPart || out.isCut || childCount >= Self.childLimit {
                out.end(at: start)
            } else {
                out.sort(partsAt: starts, separator: separator)
            }
        } else if isPart {
            if !starts.isEmpty { out.append(separator) }
            out.append(BoundedText.mark)
        }
    }

    /// Prints what is in another value.
    mutating func writeChild(_ value: Any, depth: Int) { write(value, isNested: true, depth: depth + 1) }

    // MARK: Texts

    private mutating func writeText(_ value: Any, isNested: Bool) {
        // A substring shares the storage, so that neither is copied.
        let text = value as? Substring ?? (value as? String)?[...] ?? ""
        if isNested { writeQuoted(text) } else { out.append(text) }
    }

    /// As `debugPrint` has it, for no more scalars than there is room for.
    private mutating func writeQuoted(_ text: Substring) {
        out.append(String(text.unicodeScalars.prefix(out.limit)).debugDescription)
    }
}
