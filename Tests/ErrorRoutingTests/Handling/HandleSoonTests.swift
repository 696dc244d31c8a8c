import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("handleSoon never declines", .hangLimit)
struct HandleSoonTests {
    @Test("where nothing is asynchronous the error is handled when it returns")
    func now() {
        let journal = Journal<Int>()
        let handler = ErrorHandler.noting(journal)
        for number in 1...3 {
            handler.handleSoon(Numbered(number))
            #expect(journal.entries.last == number)
        }
    }

    @Test("else soon, in a task, with the place of the call")
    func soon() async {
        let handled = Gate()
        let journal = Journal<ErrorReport.Source>()
        let handler = ErrorHandler().on(Numbered.self) { _, report in
            await Task.yield()
            journal.note(report.source)
            handled.open()
            return .stop
        }
        let line: UInt = #line + 1
        handler.handleSoon(Numbered(1))
        await handled.wait()
        #expect(journal.entries == [.init(fileID: #fileID, line: line)])
    }

    @Test("failures of actions go to the process's last resort")
    func failures() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            ErrorHandler().on(Numbered.self) { _ in throw Zoo.Offline() }.handleSoon(Numbered(1))
        }
        let lines = result.standardErrorLines.filter { $0.contains("ActionFailure") }
        #expect(lines.count == 1 && lines.first?.contains("Offline") == true)
    }
}
