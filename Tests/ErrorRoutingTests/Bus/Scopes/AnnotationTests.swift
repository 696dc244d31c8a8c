import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Promise 22: a scope can be annotated with values that are known later", .tags(.promise22), .hangLimit)
struct AnnotationTests {}

extension AnnotationTests {
    @Test("later posts in the scope and below it have the annotation, from any task; earlier posts don't")
    func laterPosts() async {
        let recorded = await withRecordedErrors { bus in
            await withErrorScope("outer") { scope in
                let inner = scope.scope("inner")
                postError(Numbered(0))
                let (begin, end) = (Gate(), Gate())
                let task = Task.detached {
                    await begin.wait()
                    inner.post(Numbered(1))
                    end.open()
                }
                ErrorScope.current?.annotate("order", with: "17")
                begin.open()
                await end.wait()
                await task.value
                postError(Numbered(2))
                scope.annotate("order", with: "18")
                await inner.deliver(Numbered(3))
            }
            bus.post(Numbered(4))
        }
        expect(recorded.reports.map { $0.metadata["order"] }, equals: [nil, "17", "17", "18", nil])
    }

    @Test("the innermost metadata wins: post, provider, inner annotation, inner scope, outer annotation, outer scope")
    func precedence() async {
        let configuration = ErrorBus.Configuration(metadataProvider: { _ in ["provider": "provider"] })
        let keys = ["post", "provider", "inner annotation", "inner", "outer annotation", "outer"]
        func metadata(_ count: Int, _ value: String) -> [String: String] {
            Dictionary(uniqueKeysWithValues: keys.suffix(count).map { ($0, value) } + [("all", value)])
        }
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            let everything = Dictionary(uniqueKeysWithValues: keys.map { ($0, "outer") })
            let outer = bus.scope("outer", metadata: everything)
            for key in keys.dropLast() { outer.annotate(key, with: "outer annotation") }
            let middle = Dictionary(uniqueKeysWithValues: keys.dropLast(2).map { ($0, "inner") })
            let inner = outer.scope("inner", metadata: middle)
            for key in keys.dropLast(3) { inner.annotate(key, with: "inner annotation") }
            inner.post(Numbered(1), metadata: ["post": "post"])
        }
        expect(recorded.reports.first?.metadata, equals: Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) }))
    }

    @Test("a scope that was created without a bus shares annotations with its copies below a bus, in both directions")
    func rooted() async {
        let scope = await Task.detached { await withErrorScope("early") { $0 } }.value
        scope.annotate("a", with: "1")
        let recorded = await withRecordedErrors { _ in
            scope.bound {
                ErrorScope.current?.annotate("b", with: "2")
                postError(Numbered(1))
                scope.post(Numbered(2))
            }
        }
        expect(recorded.reports.map(\.metadata), equals: [["a": "1", "b": "2"], ["a": "1", "b": "2"]])
    }

    @Test("a throwing scope's annotation isn't visible outside; current is the scope of this task and bus")
    func current() async {
        let recorded = await withRecordedErrors { bus in
            expectNil(ErrorScope.current)
            try? await withErrorScope("route") { route in
                #expect(ErrorScope.current === route)
                route.annotate("order", with: "17")
                await withErrorBus(handler: ErrorHandler()) { _ in expectNil(ErrorScope.current) }
                throw Numbered(1)
            }
            bus.post(Numbered(1))
        }
        expect(recorded.reports.map(\.metadata), equals: [[:]])
    }

    @Test("many tasks that annotate and post at the same time lose no annotation")
    func contention() async {
        let recorded = await withRecordedErrors { bus in
            let scope = bus.scope("scope")
            await withTaskGroup { group in
                for task in 0..<8 {
                    group.addTask { @concurrent in
                        for number in 0..<50 {
                            scope.annotate("\(task).\(number)", with: "1")
                            scope.post(Numbered(number))
                        }
                    }
                }
            }
            scope.post(Numbered(1_000))
        }
        expect(recorded.reports.last?.metadata.count, equals: 400)
    }
}
