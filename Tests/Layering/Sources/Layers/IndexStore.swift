import CIndexStore
import Foundation

/// One mention of a symbol in a source file, as the compiler recorded it.
struct Occurrence {
    let place: Place
    /// The symbol's name at its declaration: `post(_:)`.
    let name: String
    /// The unique identifier of the symbol's declaration.
    let identifier: String
    let roles: SymbolRoles
}

/// The roles of the index store that are used here.
struct SymbolRoles: OptionSet {
    let rawValue: UInt64

    static let declaration = SymbolRoles(rawValue: 1 << 0)
    static let definition = SymbolRoles(rawValue: 1 << 1)
    /// The compiler has added the symbol; the source does not contain it.
    static let implicit = SymbolRoles(rawValue: 1 << 8)
}

/// The store that the compiler has written at `-index-store-path`: a unit for each output file, which names the records
/// of its sources' declarations and uses.
struct IndexStore {
    private struct Unit {
        let time: Date
        let records: [String]
    }

    private let path: String
    private let library: IndexLibrary

    init(path: String, library: IndexLibrary) {
        self.path = path
        self.library = library
    }

    /// Returns the declarations and uses in the sources, in no order.
    ///
    /// A store keeps the units of sources that have since been moved or deleted; these units are skipped. The function
    /// throws if a source's unit is missing, or is older than the source and so out of date.
    func occurrences(in sources: SourceTree) throws(Unreadable) -> [Occurrence] {
        // The library would make a store that does not exist.
        guard FileManager.default.fileExists(atPath: path) else { throw Unreadable("there is no index at \(path)") }
        let store = try library.open("the index at \(path)") { library.openStore(path, $0) }
        defer { library.disposeStore(store) }
        var newest: [SourceFile: Unit] = [:]
        for name in unitNames(in: store) {
            guard let (file, unit) = try self.unit(name, in: store, of: sources) else { continue }
            if let other = newest[file], other.time >= unit.time { continue }
            newest[file] = unit
        }
        var occurrences: [Occurrence] = []
        for file in sources.files {
            guard let unit = newest[file] else { throw Unreadable("the index does not have \(file.path)") }
            guard unit.time >= file.modified else {
                throw Unreadable("\(file.path) has changed since it was indexed")
            }
            for record in Set(unit.records) {
                try read(record, in: store) { occurrences.append(occurrence($0, in: file)) }
            }
        }
        return occurrences
    }

    private func unitNames(in store: indexstore_object_t) -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { names in
            _ = library.forEachUnit(store, 0, names) { names, name in
                names?.assumingMemoryBound(to: [String].self).pointee.append(String(name))
                return true
            }
        }
        return names
    }

    /// Returns a unit with its main file; nil if that file is not one of the sources.
    private func unit(
        _ name: String, in store: indexstore_object_t, of sources: SourceTree
    ) throws(Unreadable) -> (SourceFile, Unit)? {
        let unit = try library.open("unit \(name)") { library.openUnit(store, name, $0) }
        defer { library.disposeUnit(unit) }
        let folder = String(library.workingFolder(unit))
        guard let file = sources.file(at: String(library.mainFile(unit)), from: folder) else { return nil }
        var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
        library.modificationTime(unit, &seconds, &nanoseconds)
        var records: [String] = []
        forEach(library.forEachDependency, of: unit) { dependency in
            let isRecord = library.dependencyKind(dependency) == 2
            let path = String(library.dependencyFile(dependency))
            // A unit names the records of imported modules too.
            guard isRecord, sources.file(at: path, from: folder) == file else { return }
            records.append(String(library.dependencyName(dependency)))
        }
        let time = Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
        return (file, Unit(time: time, records: records))
    }

    private func read(
        _ record: String, in store: indexstore_object_t, _ receive: (indexstore_object_t) -> Void
    ) throws(Unreadable) {
        let reader = try library.open("record \(record)") { library.openRecord(store, record, $0) }
        defer { library.disposeRecord(reader) }
        forEach(library.forEachOccurrence, of: reader, receive)
    }

    private func occurrence(_ occurrence: indexstore_object_t, in file: SourceFile) -> Occurrence {
        var (line, column): (UInt32, UInt32) = (0, 0)
        library.lineAndColumn(occurrence, &line, &column)
        let symbol = library.symbol(occurrence)
        return Occurrence(
            place: Place(file: file, line: Int(line), column: Int(column)),
            name: String(library.symbolName(symbol)),
            identifier: String(library.symbolIdentifier(symbol)),
            roles: SymbolRoles(rawValue: library.roles(occurrence))
        )
    }

    /// Calls a C function that needs a function pointer with a closure, which is passed as the context.
    private func forEach(
        _ apply: indexstore_objects_apply_t, of object: indexstore_object_t, _ receive: (indexstore_object_t) -> Void
    ) {
        withoutActuallyEscaping(receive) { receive in
            var receive = receive
            withUnsafeMutablePointer(to: &receive) { receive in
                _ = apply(object, receive) { receive, object in
                    if let object {
                        receive?.assumingMemoryBound(to: ((indexstore_object_t) -> Void).self).pointee(object)
                    }
                    return true
                }
            }
        }
    }
}

extension String {
    fileprivate init(_ text: indexstore_string_ref_t) {
        let bytes = UnsafeRawBufferPointer(start: text.data, count: text.length)
        self.init(decoding: bytes, as: UTF8.self)
    }
}
