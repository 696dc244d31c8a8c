import Contenders
import Dispatch
import Foundation

// Runs one contender a given number of times and prints the nanoseconds per run. The script check-instructions.sh
// counts its instructions with valgrind.

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("instructions: \(message)\n".utf8))
    exit(64)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let rules = Int(arguments[2]), let count = Int(arguments[3]) else {
    fail("usage: instructions NAME RULES COUNT, as in: instructions \"match by type\" 64 1000")
}
let contenders = Contender.few + Contender.scopes + Contender.recording + Contender.counted
func isWanted(_ contender: Contender) -> Bool { contender.name == arguments[1] && contender.rules == rules }
guard let contender = contenders.first(where: isWanted) ?? Contender.many.first(where: isWanted) else {
    fail("there is no \"\(arguments[1])\" with \(rules) rules")
}
// Block the main thread: an asynchronous `main` would end the thread, which crashes valgrind.
let done = DispatchSemaphore(value: 0)
Task.detached {
    let duration = await ContinuousClock().measure { await contender.run(count) }
    let nanoseconds = duration / .nanoseconds(1) / Double(count)
    print(nanoseconds.formatted(.number.precision(.fractionLength(2)).grouping(.never)))
    done.signal()
}
done.wait()
