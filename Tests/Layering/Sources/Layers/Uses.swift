/// A use of a declaration in another file.
struct Use: Hashable {
    let symbol: String
    let place: Place
    let declaration: Place
}

/// The uses of declarations in other files.
///
/// Every occurrence that is not a declaration is a use; so is a method in another file by which a type conforms to a
/// protocol. Not recorded is what the source needs without naming it: an inferred type, or a conformance that a generic
/// function requires.
struct Uses {
    /// The uses, in order of the files and lines that contain them.
    let all: [Use]

    init(_ occurrences: [Occurrence]) {
        let declarations = Declarations(occurrences)
        var found: [Key: (use: Use, isImplicit: Bool)] = [:]
        for occurrence in occurrences where !occurrence.declares {
            guard let declaration = declarations[occurrence.identifier],
                declaration.file != occurrence.place.file
            else { continue }
            let use = Use(symbol: occurrence.name, place: occurrence.place, declaration: declaration)
            let isImplicit = occurrence.roles.contains(.implicit)
            // `x.count` uses the property and its getter, `Box()` the type and its initializer. Only one use is kept:
            // the one that the source names, or else the one that is declared first.
            let key = Key(place: use.place, declaringFile: declaration.file)
            if let other = found[key],
                (other.isImplicit ? 1 : 0, other.use.declaration.line) <= (isImplicit ? 1 : 0, declaration.line)
            {
                continue
            }
            found[key] = (use, isImplicit)
        }
        all = found.values.map(\.use).sorted { $0.place < $1.place }
    }

    private struct Key: Hashable {
        let place: Place
        let declaringFile: SourceFile
    }
}

/// The places where symbols are declared.
private struct Declarations {
    private var places: [String: (place: Place, isImplicit: Bool)] = [:]

    init(_ occurrences: [Occurrence]) {
        for occurrence in occurrences where occurrence.declares {
            let isImplicit = occurrence.roles.contains(.implicit)
            if let other = places[occurrence.identifier], !other.isImplicit || isImplicit { continue }
            places[occurrence.identifier] = (occurrence.place, isImplicit)
        }
    }

    subscript(identifier: String) -> Place? {
        if let known = places[identifier] { return known.place }
        // A declaration that the compiler synthesizes, such as a memberwise initializer, is not recorded. It belongs to
        // the type whose identifier is a prefix of its own: up to the letter for a struct, class, enum or protocol.
        guard identifier.hasPrefix("s:") else { return nil }
        let characters = identifier.utf8
        for end in characters.indices.reversed() where "VCOP".utf8.contains(characters[end]) {
            if let type = places[String(identifier[...end])] { return type.place }
        }
        return nil
    }
}

extension Occurrence {
    fileprivate var declares: Bool { !roles.isDisjoint(with: [.declaration, .definition]) }
}

extension Place: Comparable {
    static func < (first: Place, second: Place) -> Bool {
        (first.file.path, first.line, first.column) < (second.file.path, second.line, second.column)
    }
}
