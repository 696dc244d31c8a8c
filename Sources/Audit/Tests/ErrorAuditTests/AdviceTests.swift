import Foundation
import Testing

@testable import ErrorAudit

@Suite("Advice")
struct AdviceTests {
    private static let support = """
        import ErrorRouting
        struct Failed: Error { var isFinal = false }
        enum Stop: Error { case now(Int) }
        func save() throws {}
        func load() async throws -> Int { 1 }
        func send(_ done: (Int?, (any Error)?) -> Void) {}
        func fetch(onError: (any Error) -> Void) {}
        func upload(completion: (Failed?) -> Void) {}
        struct Future {
            func whenComplete(_ done: (Result<Int, any Error>) -> Void) {}
            func whenFailure(_ done: (any Error) -> Void) {}
            func whenSuccess(_ done: (Int) -> Void) {}
            func recover(_ done: (any Error) -> Int) -> Int { 1 }
            func request(_ done: (Result<Int, any Error>) -> Void) {}
        }
        func use(_ value: Int) {}
        struct Logger { func error(_ text: String) {} }
        let logger = Logger()
        let future = Future()
        func run(errors: ErrorBus, continuation: CheckedContinuation<Int?, Never>) async throws {

        """

    /// Code with a loss between the marks `«` and `»`, which the advice replaces.
    private static let shapes = [
        "«Task { try await load() }»", "«Task.detached { try await load() }»", "«try? save()»",
        "let a = «try? await load()»; print(a as Any)", "do { try save() } «catch {}»",
        "do { try save() } «catch _ {}»", "do { try save() } «catch is Failed {}» catch { throw error }",
        "do { try save() } «catch let failure { print(failure) }»",
        "do { try save() } «catch let failure as Failed {}» catch { throw error }",
        "do { try save() } «catch let failure as Failed where failure.isFinal {}»",
        "do { try save() } «catch Stop.now(let code) { print(code) }»",
        "do { continuation.resume(returning: try await load()) } "
            + "«catch { print(error); continuation.resume(returning: nil) }»",
        "func f() -> Int { do { try save(); return 1 } «catch { print(error); return 0 }» }; use(f())",
        "do { try save() } «catch let failure { print(failure); throw failure }»",
        "future.request { result in switch result { case .success(let value): use(value)\n«case .failure: break» } }",
        "future.request { result in «if case .success(let value) = result { use(value) }» }",
        "send «{ value, error in use(value ?? 0) }»",
        "send { value, error in «if let error { return }»; use(value ?? 0) }",
        "fetch(onError: «{ _ in }»)", "upload(completion: «{ _ in }»)", "future.whenComplete «{ _ in }»",
        "use(future«.recover { _ in 0 }»)", "future«.whenFailure { _ in }»", "«future.whenSuccess { use($0) }»",
        "«async let a = load()»", "«async let _ = load()»",
        "await withThrowingTaskGroup(of: Int.self) { group in group.addTask { try await load() }; «» }",
        "try await withThrowingTaskGroup(of: Int.self) { group in group.addTask { try await load() }; «» }",
        "«use(try! await load())»",
        "do { try save() } «catch { logger.error(\"not saved\") }»",
        "struct Hooks { var onFailed: (any Error) -> Void = «{ _ in }» }; _ = Hooks()",
    ]

    /// Returns the finding in a shape, and the shape with the advice in its place.
    private static func advised(_ shape: String, plain: Bool = false) throws -> String {
        var configuration = Configuration()
        configuration.plain = plain
        let code = "func run() async throws { \(shape.filter { !"«»".contains($0) }) }"
        let findings = Audit(configuration).findings(in: code, path: "A.swift")
        let finding = try #require(findings.first, "\(shape)")
        let parts = shape.split(omittingEmptySubsequences: false) { "«»".contains($0) }
        return parts[0] + finding.instead.replacing("{ … }", with: "{ return }") + parts[2]
    }
}

extension AdviceTests {
    @Test func `compiles in the place of the code that it is given for`() async throws {
        let functions = try Self.shapes.enumerated().map { index, shape in
            let advised = try Self.advised(shape)
            #expect(!advised.contains("…"), "\(shape)")
            return Self.support.components(separatedBy: "\n").last { $0.hasPrefix("func run") }!
                .replacing("func run", with: "func run\(index)") + "\n\(advised)\n}\n"
        }
        let head = Self.support.components(separatedBy: "\n").filter { !$0.hasPrefix("func run") }
            .joined(separator: "\n")
        let scratch = try Scratch(["Advice.swift": head + functions.joined(separator: "\n")])
        let modules = URL(filePath: try Program.built("Modules/ErrorRouting.swiftmodule")).deletingLastPathComponent()
        let cache = modules.deletingLastPathComponent().appending(path: "ModuleCache")
        let command = [
            "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-cache-path", cache.path, "-I",
            modules.path, "Advice.swift",
        ]
        let output = try await Program(command, in: scratch.path).output
        #expect(output.components(separatedBy: "\n").filter { $0.contains("error: ") } == [])
    }

    @Test func `keeps what the block does besides printing`() throws {
        let resumes = Self.shapes.filter { $0.contains("continuation.resume(returning: nil)") }
        for shape in resumes {
            for plain in [false, true] {
                #expect(try Self.advised(shape, plain: plain).contains("; continuation.resume(returning: nil) }"))
            }
        }
        #expect(!resumes.isEmpty)
    }
}
