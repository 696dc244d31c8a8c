import Testing

@testable import ErrorAudit

@Suite("Shapes")
struct ShapesTests {
    /// Returns the kinds in some code, in their order; a harmless one in parentheses.
    private static func kinds(_ code: String) -> String {
        let findings = Audit().findings(in: code, path: "A.swift")
        return findings.map { $0.harmless == nil ? $0.kind.rawValue : "(\($0.kind.rawValue))" }.joined(separator: " ")
    }

    private static func check(_ shapes: [(kinds: String, code: String)]) {
        for shape in shapes { #expect(kinds(shape.code) == shape.kinds, "\(shape.code)") }
    }
}

extension ShapesTests {
    @Test func `are harmless only because of the called function`() {
        Self.check([
            ("(optional-try)", "func f() { try? handle.close(); go() }"),
            ("(optional-try)", "func f() { try? group.syncShutdownGracefully(); go() }"),
            ("(optional-try)", "func f() async { try? await Task.sleep(for: .seconds(1)); go() }"),
            ("(optional-try)", "func f() { try? FileManager.default.removeItem(at: temporaryFile); go() }"),
            ("optional-try", "func f() { try? FileManager.default.removeItem(at: document); go() }"),
            ("optional-try", "func f() async { try? await api.cancelOrder(id); go() }"),
            ("optional-try", "func f() async { try? await api.closeAccount(id); go() }"),
            ("optional-try", "func f() -> Bool { (try? validateReceipt()) != nil }"),
            ("optional-try", "func stop() { try? store.flush(); go() }"),
            ("optional-try", "func f() { defer { try? store.save() }; go() }"),
            ("optional-try", "func f() {\n// It never fails, so that is fine.\ntry? store.save(); go() }"),
            ("empty-catch", "func f() { do { try save() } catch {\n// It never fails, so that is fine.\n} }"),
            ("forced-try", "let queue = try! DatabaseQueue(path: \"x\")"),
            ("(forced-try)", "let pattern = try! NSRegularExpression(pattern: \"[0-9]+\")"),
            ("(optional-try)", "let name = try? data.decode(\"name\") as String"),
            ("(optional-try)", "let name = try? row.decodeIfPresent(\"name\")"),
            ("optional-try", "let order = try? JSONDecoder().decode(Order.self, from: data)"),
        ])
    }

    @Test func `are the same in other spellings`() {
        let tasks = [
            "Task", "Task.init", "Task.detached", "Swift.Task", "_Concurrency.Task", "Task<Void, any Error>",
            "Task<Void, Error>.detached", "Swift.Task.detached", "Task.immediate", "Task(priority: .high)",
        ]
        for task in tasks {
            #expect(Self.kinds("func f() { \(task) { try await save() } }") == "task", "\(task)")
            #expect(Self.kinds("func f() async throws { try await \(task) { try await save() }.value }") == "")
        }
        Self.check([
            ("task", "func save() async throws {}; func f() { Task(operation: save) }"),
            ("", "func save() async {}; func f() { Task(operation: save) }"),
            ("children", "func f() async { await withThrowingTaskGroup { g in g.addImmediateTask { try save() } } }"),
        ])
    }

    @Test func `of results are found in each branch, and inside other cases`() {
        func choice(_ cases: String) -> String {
            "func f() { send { result in switch result { case .success(let a): use(a)\n\(cases) } } }"
        }
        Self.check([
            ("dropped-result", choice("case .failure(let e as A): show(e)\ncase .failure: break")),
            ("dropped-result", choice("case .failure(.offline): showOffline()\ncase .failure(_): break")),
            ("dropped-result", choice("case .failure(let e) where e.isA: show(e)\ncase .failure: break")),
            ("", choice("case .failure(.offline): break\ncase .failure(let e): show(e)")),
            ("dropped-result", "func f() { switch event { case .response(.failure): break\ndefault: go() } }"),
            ("dropped-result", "func f() { send { r in if case .response(.success(let a)) = r { use(a) } } }"),
            ("cause-lost", choice("case .failure: logger.error(\"failed\")")),
            ("", "func f() -> Bool { guard case .success = result else { return false }; return true }"),
            ("", "var value: Int? { guard case .success(let v) = self else { return nil }; return v }"),
        ])
    }

    @Test func `of callbacks and publishers are found by their last argument, unless they can't fail`() {
        Self.check([
            ("dropped-result", "func f() { session.dataTask(with: url) { _, _, _ in done() } }"),
            ("dropped-result", "func f() { store.request { _, _ in } }"),
            ("", "func f() { list.forEach { _, _ in done() } }"),
            ("dropped-result", "func f() { load().sink(receiveCompletion: { _ in }, receiveValue: { use($0) }) }"),
            ("", "func f() { $text.sink(receiveCompletion: { _ in }, receiveValue: { use($0) }) }"),
            (
                "",
                """
                let changes = PassthroughSubject<Int, Never>()
                func f() { changes.map { $0 }.sink(receiveCompletion: { _ in }, receiveValue: { use($0) }) }
                """
            ),
            (
                "",
                "func f() { NotificationCenter.default.publisher(for: n).sink(receiveCompletion: { _ in }) { a = $0 } }"
            ),
        ])
    }

    @Test func `of logs without their error are a kind of their own`() {
        Self.check([
            ("cause-lost", "func f() { do { try save() } catch { logger.error(\"not saved\") } }"),
            ("", "func f() { do { try save() } catch { logger.error(\"not saved: \\(error)\") } }"),
            ("", "func f() throws { do { try save() } catch { logger.error(\"not saved\"); throw Failed() } }"),
            ("", "func f() { do { try save() } catch let e { logger.error(\"not saved\"); show(e) } }"),
            ("", "func f() { do { try save() } catch is A { logger.error(\"not saved\") } catch { show(error) } }"),
        ])
    }

    @Test func `of routers and job queues without anything that reports are found once`() {
        func hummingbird(_ code: String) -> String { "import Hummingbird\nfunc f() { \(code) }" }
        func jobs(_ code: String) -> String { "import Jobs\nfunc f() { \(code) }" }
        Self.check([
            ("no-hook", hummingbird("let r = Router(); r.get(\"/\") { _, _ in try load() }; Application(router: r)")),
            (
                "no-hook",
                hummingbird("let r = Router(context: C.self); r.add(middleware: LogRequestsMiddleware(.info))")
            ),
            ("no-hook", hummingbird("let r = Router(); r.get { _, _ in throw HTTPError(.notFound) }")),
            ("no-hook", hummingbird("Application(responder: R())")),
            ("no-hook", "import HummingbirdRouter\nlet r = RouterBuilder(context: C.self) { Get { 1 } }"),
            ("", hummingbird("let r = Router().addMiddleware { ErrorReportingMiddleware() }")),
            ("", hummingbird("let r = Router(); r.add(middleware: ErrorMiddleware())")),
            ("", hummingbird("let r = Router(); r.middlewares.add(MyErrors())")),
            ("", hummingbird("let r = Router(); addMiddleware(to: r)")),
            ("", "import Hummingbird\nlet r = RouterBuilder(context: C.self) { ErrorMiddleware(); Get { 1 } }"),
            ("", "func f() { let r = Router() }"),
            ("no-hook", jobs("let queue = JobQueue(.memory, logger: logger)")),
            ("no-hook", jobs("let queue = JobQueue(.memory, logger: logger) { MetricsJobMiddleware() }")),
            ("no-hook", jobs("let service = JobService(.memory, logger: logger)")),
            ("no-hook", jobs("JobQueue(.memory, logger: logger); router.addMiddleware { ErrorMiddleware() }")),
            ("", jobs("let queue = JobQueue(.memory, logger: logger) { JobReports() }")),
            ("no-hook", "struct A { var onFailed: (any Error) -> Void = { _ in } }"),
            ("no-hook", "func f(completion: (Int, Error?) -> Void = { _, _ in }) {}"),
            ("no-hook", "struct A { var onFailed = { _ in } }"),
            ("", "struct A { var onFailed: (any Error) -> Void = { postError($0) } }"),
            ("", "struct A { var onTap: (Int) -> Void = { _ in } }"),
        ])
    }

    @Test func `are ordered by what is lost: payments and writes, then sends, then reads`() {
        let calls = ["try? load()", "try? chargePayment()", "try? post()", "try? save()"]
        let code = "func f() { \(calls.joined(separator: "; ")); go() }"
        let order = Audit().findings(in: code, path: "A.swift").ranked().map(\.identity.call)
        #expect(order == ["chargePayment", "save", "post", "load"])
    }

    @Test func `between marks are left out`() {
        Self.check([
            (
                "optional-try",
                "func f() {\n// error-audit: off, because a demo\ntry? a(); go()\n// error-audit: on\ntry? b(); go() }"
            ),
            ("no-reason", "func f() {\n// error-audit: off\ntry? a(); go() }"),
            ("", "let text = 1 // error-audit: off, because a demo\nfunc f() { try? a(); go() }"),
            ("optional-try", "let text = \"// error-audit: off, because a demo\"\nfunc f() { try? a(); go() }"),
        ])
    }
}
