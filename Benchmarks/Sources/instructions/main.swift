import Contenders
import Dispatch
import Foundation

/// Does one thing as often as it is told, and prints how many nanoseconds one time took; check-instructions.sh has
/// valgrind count the instructions.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("instructions: \(message)\n".utf8))
    exit(64)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let rules = Int(arguments[2]), let count = Int(arguments[3]) else {
    fail("usage: instructions NAME RULES COUNT, as in: instructions \"match by type\" 64 1000")
}
let contenders = Contender.all + Contender.scopes + Contender.counted
guard let contender = contenders.first(where: { $0.name == arguments[1] && $0.rules == rules }) else {
    fail("there is no \"\(arguments[1])\" with \(rules) rules")
}
// The main thread waits, and does not end as an asynchronous `main` lets it: valgrind does not survive that.
let done = DispatchSemaphore(value: 0)
Task.detached {
    let duration = await ContinuousClock().measure { await contender.run(count) }
    let nanoseconds = duration / .nanoseconds(1) / Double(count)
    print(nanoseconds.formatted(.number.precision(.fractionLength(2)).grouping(.never)))
    done.signal()
}
done.wait()
