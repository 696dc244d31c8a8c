/// A line that needs what another file declares.
struct Use: Hashable {
    let symbol: String
    let place: Place
    let declaration: Place
}

/// Which file uses what of which other.
///
/// All that an occurrence does not declare, it uses: also the method by which a type conforms to a protocol, and which
/// another file has. What the source needs without naming it is not recorded: the type of a value that is inferred, a
/// conformance that a generic function asks for.
struct Uses {
    /// In order of the files and lines that use.
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
            // `x.count` is the property and its getter, `Box()` the type and its initializer: of these, what the source
            // spells is named, and what is declared first.
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

/// Where each symbol is declared.
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
        // What the compiler synthesizes, a memberwise initializer say, is not recorded as declared. It belongs to its
        // type, with whose identifier its own begins: up to the letter for a struct, class, enum or protocol.
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
