import ErrorRecovery
import Foundation
import HTTPErrors
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@testable import error_bus_demo

@Suite struct OrderIntakeTests {}

extension OrderIntakeTests {
    @Test func `the application's own preset wins over the library's`() throws {
        // Asked of the command: in this module, which sees both, `ErrorHandler.default` would be ambiguous.
        let handler = try IntakeCommand(options: Options(arguments: [])).handler
        let modules = handler.explain(CancellationError()).entries.map(\.rule.source.module)
        expect(modules.first, equals: "error_bus_demo")
        #expect(modules.contains("ErrorRouting"))
    }

    @Test func `every broken order comes to the end that its rule gives it`() async throws {
        let sample = try SampleInbox(kinds: [
            .good: 9, .truncated: 2, .wrongType: 2, .missingField: 1, .empty: 1, .folder: 1, .danglingLink: 2,
            .noLines: 3, .zeroQuantity: 2, .overLimit: 4,
        ])
        defer { sample.remove() }
        let inbox = try Inbox(FilePath(sample.folder.path))
        let client = PaymentClient(endpoint: PaymentClient.closedEndpoint)
        let payments = RecoveringPayments(client, policy: RetryPolicy(maxAttempts: 1))
        let ledger = Ledger()
        let handler = ErrorHandler.orderIntake(ledger: ledger)
        let progress = ProgressDisplay(total: inbox.entries.count, ledger: ledger)
        let intake = OrderIntake(inbox: inbox, payments: payments, ledger: ledger, progress: progress)

        let (bus, scopes, counting) = await withErrorBus(handler: handler) { bus in
            let reports = bus.reports(bufferingNewest: .max)
            let counting = Task { await RuleTally(counting: reports) }
            let scopes = IntakeScopes(of: bus, ledger: ledger)
            await intake.run(in: scopes)
            return (bus, scopes, counting)
        }

        expect(Ledger.Entry.allCases.map { ledger[$0] }, equals: [9, 0, 9, 0, 4, 3, 2, 6, 1])
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.posted, equals: 27)
        expect(bus.statistics.ignored, equals: 2)
        expect(bus.statistics.pending, equals: 0)
        let table = RuleTable(handler, scopes.all, await counting.value)
        expect(table.columns, equals: ["intake", "payments"])
        expect(table.rows.filter { $0.rule == "always" }.map(\.matched), equals: [[18, 9]])
        let others = table.rows.filter { $0.rule != "always" }
        expect(others.compactMap { $0.matched[0] }.reduce(0, +), equals: 18)
        expect(others.compactMap { $0.matched[1] }.reduce(0, +), equals: 9)
        expect(table.description.split(separator: "\n").first?.hasPrefix("   #  intake  payments  rule"), equals: true)
        let quarantine = Quarantine.folder(for: inbox.folder)
        expect(try FileManager.default.contentsOfDirectory(atPath: quarantine.text).count, equals: 6)
    }

    @Test func `each part has rules of its own, so that the same error comes to another end in another part`()
        async throws
    {
        let ledger = Ledger()
        let handler = ErrorHandler.orderIntake(ledger: ledger)
        let scopes = IntakeScopes(of: ErrorBus(handler: handler), ledger: ledger)
        let table = RuleTable(handler, scopes.all, await RuleTally(counting: AsyncStream { $0.finish() }))
        let own = table.rows.filter { $0.scope != "the bus" }
        expect(own.map(\.scope), equals: ["intake"] + Array(repeating: "payments", count: 3))
        expect(own.map { $0.matched[0] != nil }, equals: [true, false, false, false])
        expect(own.map { $0.matched[1] != nil }, equals: [false, true, true, true])
        expect(own.first?.rule, equals: "type(DecodingError)")
        let others = table.rows.filter { $0.scope == "the bus" }
        #expect(Set(own.map(\.rule)).isDisjoint(with: others.map(\.rule)))
        expect(others.count, equals: handler.explain(CancellationError()).entries.count)

        let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(Order.self, from: Data()) }
        let decoding = try #require(error)
        expect(scopes.intake.explain(decoding).entries.first { $0.verdict == .matched }?.scope, equals: ["intake"])
        expect(scopes.payments.explain(decoding).entries.first { $0.verdict == .matched }?.stage, equals: .onNoMatch)
        let unreachable = NetworkError(URLError(.cannotConnectToHost))
        expect(scopes.intake.explain(unreachable).rule?.matcher, equals: "transient")
        expect(
            scopes.payments.explain(unreachable).rule?.matcher,
            equals: "network(.connection, .timeout, .networkUnavailable)")
    }

    @Test func `quarantine never overwrites a file`() async throws {
        let sample = try SampleInbox(kinds: [:])
        defer { sample.remove() }
        let file = sample.folder.appending(path: "order.json")
        for content in ["first", "second", "third"] {
            try Data(content.utf8).write(to: file)
            let destination = try await Quarantine.move(FilePath(file.path))
            expect(try String(contentsOfFile: destination.text, encoding: .utf8), equals: content)
        }
        let quarantine = Quarantine.folder(for: FilePath(sample.folder.path)).text
        let names = try FileManager.default.contentsOfDirectory(atPath: quarantine)
        expect(names.sorted(), equals: ["order-2.json", "order-3.json", "order.json"])
    }

    @Test func `an order whose total is more than fits is over the limit`() {
        let line = Order.Line(sku: "tea", quantity: .max, unitCents: .max)
        let order = Order(id: "A", customer: "customer", lines: [line, line])
        #expect(throws: OrderError.overLimit(cents: .max)) { try order.validate() }
    }
}
