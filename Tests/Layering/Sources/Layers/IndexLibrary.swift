import CIndexStore
import Foundation

/// The toolchain's own reader of what the compiler writes at `-index-store-path`.
///
/// It is loaded at run time and not linked: the format may differ between toolchains, so the library must belong to the
/// toolchain that wrote the index.
struct IndexLibrary {
    let openStore: indexstore_store_create_t
    let disposeStore: indexstore_dispose_t
    let forEachUnit: indexstore_units_apply_t

    let openUnit: indexstore_reader_create_t
    let disposeUnit: indexstore_dispose_t
    let mainFile: indexstore_get_string_t
    let workingFolder: indexstore_get_string_t
    let modificationTime: indexstore_get_time_t
    let forEachDependency: indexstore_objects_apply_t
    let dependencyKind: indexstore_get_kind_t
    let dependencyName: indexstore_get_string_t
    let dependencyFile: indexstore_get_string_t

    let openRecord: indexstore_reader_create_t
    let disposeRecord: indexstore_dispose_t
    let forEachOccurrence: indexstore_objects_apply_t
    let symbol: indexstore_get_object_t
    let roles: indexstore_get_roles_t
    let lineAndColumn: indexstore_get_line_col_t
    let symbolName: indexstore_get_string_t
    let symbolIdentifier: indexstore_get_string_t

    private let describe: indexstore_error_get_description_t
    private let disposeError: indexstore_error_dispose_t

    /// Loads the library, which stays loaded until the process ends.
    init(path: String) throws(Unreadable) {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw Unreadable("there is no \(path), by which the compiler's index is read")
        }
        func function<Function>(_ name: String) throws(Unreadable) -> Function {
            guard let address = dlsym(library, "indexstore_\(name)") else {
                throw Unreadable("\(path) has no function indexstore_\(name)")
            }
            return unsafeBitCast(address, to: Function.self)
        }
        openStore = try function("store_create")
        disposeStore = try function("store_dispose")
        forEachUnit = try function("store_units_apply_f")
        openUnit = try function("unit_reader_create")
        disposeUnit = try function("unit_reader_dispose")
        mainFile = try function("unit_reader_get_main_file")
        workingFolder = try function("unit_reader_get_working_dir")
        modificationTime = try function("unit_reader_get_modification_time")
        forEachDependency = try function("unit_reader_dependencies_apply_f")
        dependencyKind = try function("unit_dependency_get_kind")
        dependencyName = try function("unit_dependency_get_name")
        dependencyFile = try function("unit_dependency_get_filepath")
        openRecord = try function("record_reader_create")
        disposeRecord = try function("record_reader_dispose")
        forEachOccurrence = try function("record_reader_occurrences_apply_f")
        symbol = try function("occurrence_get_symbol")
        roles = try function("occurrence_get_roles")
        lineAndColumn = try function("occurrence_get_line_col")
        symbolName = try function("symbol_get_name")
        symbolIdentifier = try function("symbol_get_usr")
        describe = try function("error_get_description")
        disposeError = try function("error_dispose")
    }

    /// Opens a store, a unit or a record; throws the library's message if that fails.
    func open(
        _ what: String,
        _ create: (UnsafeMutablePointer<indexstore_error_t?>) -> indexstore_object_t?
    ) throws(Unreadable) -> indexstore_object_t {
        var error: indexstore_error_t?
        if let object = create(&error) { return object }
        defer { if error != nil { disposeError(error) } }
        let reason = error == nil ? nil : describe(error).map { String(cString: $0) }
        throw Unreadable("\(what) cannot be read: \(reason ?? "no reason given")")
    }
}

extension IndexLibrary {
    /// Returns the library of the `swiftc` in `PATH`, which has built the sources.
    static func ofToolchain() throws -> IndexLibrary {
        struct Information: Decodable {
            struct Paths: Decodable { let runtimeResourcePath: String }
            let paths: Paths
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc", "-print-target-info"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard let information = try? JSONDecoder().decode(Information.self, from: text) else {
            throw Unreadable("swiftc does not say where its toolchain is")
        }
        #if canImport(Darwin)
            let name = "libIndexStore.dylib"
        #else
            let name = "libIndexStore.so"
        #endif
        let resources = URL(filePath: information.paths.runtimeResourcePath)
        return try IndexLibrary(path: resources.deletingLastPathComponent().appending(path: name).path)
    }
}

/// The reason why there is nothing to judge: no index, or an index of other sources.
struct Unreadable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
