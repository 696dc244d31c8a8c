import ErrorRouting
import Foundation
import Testing

@testable import error_bus_demo

@Suite struct OrderIntakeTests {
    @Test func `the application's own preset wins over the library's`() throws {
        // Asked of the command: in this module, which sees both, `ErrorHandler.default` would be ambiguous.
        let handler = try IntakeCommand(options: Options(arguments: [])).handler
        let modules = handler.explain(CancellationError()).entries.map(\.rule.source.module)
        #expect(modules.first == "error_bus_demo")
        #expect(modules.contains("ErrorRouting"))
    }

    @Test func `every broken order comes to the end that its rule gives it`() async throws {
        let sample = try SampleInbox(kinds: [
            .good: 9, .truncated: 2, .wrongType: 2, .missingField: 1, .empty: 1, .folder: 1, .danglingLink: 2,
            .noLines: 3, .zeroQuantity: 2, .overLimit: 4,
        ])
        defer { sample.remove() }
        let inbox = try Inbox(path: sample.folder.path)
        let payments = PaymentClient(endpoint: PaymentClient.closedEndpoint)
        defer { payments.close() }
        let ledger = Ledger()
        let handler = ErrorHandler.orderIntake(ledger: ledger)
        let progress = ProgressDisplay(total: inbox.entries.count, ledger: ledger)
        let intake = OrderIntake(inbox: inbox, payments: payments, ledger: ledger, progress: progress)

        let (bus, counting) = await withErrorBus(handler: handler) { bus in
            let reports = bus.reports(bufferingNewest: .max)
            let counting = Task { await RuleTally(counting: reports) }
            await intake.run(errors: bus)
            return (bus, counting)
        }

        #expect(Ledger.Entry.allCases.map { ledger[$0] } == [9, 0, 9, 0, 4, 3, 2, 6, 1])
        #expect(bus.statistics.isBalanced)
        #expect(bus.statistics.posted == 27)
        #expect(bus.statistics.ignored == 2)
        #expect(bus.statistics.pending == 0)
        let table = RuleTable(handler, await counting.value)
        #expect(table.rows.filter { $0.rule == "always" }.map(\.matched) == [27])
        #expect(table.rows.filter { $0.rule != "always" }.map(\.matched).reduce(0, +) == 27)
        let quarantine = Quarantine.folder(for: inbox.folder)
        #expect(try FileManager.default.contentsOfDirectory(atPath: quarantine.path).count == 6)
    }

    @Test func `quarantine never overwrites a file`() async throws {
        let sample = try SampleInbox(kinds: [:])
        defer { sample.remove() }
        let file = sample.folder.appending(path: "order.json")
        for content in ["first", "second", "third"] {
            try Data(content.utf8).write(to: file)
            let destination = try await Quarantine.take(file)
            #expect(try String(contentsOf: destination, encoding: .utf8) == content)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: Quarantine.folder(for: sample.folder).path)
        #expect(names.sorted() == ["order-2.json", "order-3.json", "order.json"])
    }

    @Test func `an order whose total is more than fits is over the limit`() {
        let line = Order.Line(sku: "tea", quantity: .max, unitCents: .max)
        let order = Order(id: "A", customer: "customer", lines: [line, line])
        #expect(throws: OrderError.overLimit(cents: .max)) { try order.validate() }
    }
}
