import Foundation

/// Compares this package with replacements that users might write, and prints a table for each part.
@main
enum Compare {
    private static let parts: [any Part] = [DispatchPart(), BusPart(), RecoveryPart()]

    private static let usage = """
        usage: swift run -c release compare [PART ...] [--short] [--results FOLDER]

          PART               what to compare: dispatch, the dispatch of one error; bus, from a post to its action, with
                             several callers; recovery, retries and circuits for operations that succeed, and the
                             effect of jitter on many clients (default: all)
          --short            runs a few rounds, and only checks with wide bounds that the cost of a dispatch doesn't
                             grow with the rules, that the bus is faster than AsyncStream, that it supports eight
                             callers, and that scopes cost next to nothing
          --results FOLDER   the folder for PART.svg and PART.md (default: Benchmarks/Results)
        """

    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        var isShort = false
        var folder: URL?
        var names: Set<String> = []
        while let argument = arguments.popFirst() {
            switch argument {
            case "--short":
                isShort = true
            case "--results":
                guard let path = arguments.popFirst() else { fail("--results needs a folder") }
                folder = URL(filePath: path)
            case "--help":
                print(usage)
                exit(0)
            case let name where parts.contains { $0.name == name }:
                names.insert(name)
            default:
                fail("unknown \(argument.hasPrefix("-") ? "option" : "part") \(argument)")
            }
        }
        let chosen = names.isEmpty ? parts : parts.filter { names.contains($0.name) }
        #if DEBUG
            fail("figures of a debug build say nothing; run it with -c release")
        #else
            exit(await isShort ? check(chosen) : measure(chosen, into: folder))
        #endif
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("compare: \(message)\n\(usage)\n".utf8))
        exit(64)
    }

    // Run `check` and `measure` off the main actor, so that actor hops aren't measured.
    @concurrent
    private static func check(_ parts: [any Part]) async -> Int32 {
        var failures = 0
        do {
            for part in parts where try await !part.check() { failures += 1 }
        } catch {
            fail("the bounds could not be read: \(error)")
        }
        return failures == 0 ? 0 : 1
    }

    /// Measures parts and writes the results to a folder; if it is nil, to `Results`.
    @concurrent
    private static func measure(_ parts: [any Part], into folder: URL?) async -> Int32 {
        for part in parts {
            do {
                let results = try await part.measure()
                print(results.table)
                for line in results.bounds { print(line) }
                try results.write(into: folder ?? Results.defaultFolder)
            } catch {
                FileHandle.standardError.write(
                    Data("compare: the bounds could not be read, or the results not written: \(error)\n".utf8))
                return 73
            }
        }
        return 0
    }
}
