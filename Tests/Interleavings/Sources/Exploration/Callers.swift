import Foundation

/// The source lines that led to each step, according to the toolchain's `llvm-symbolizer`.
///
/// They are empty if the tool is missing.
struct Callers {
    private var places: [UInt: [String]] = [:]
    private let calls: [[UInt]]

    init(of calls: [[UInt]]) {
        self.calls = calls
        let addresses = Array(Set(calls.joined()))
        let symbolizer = Process()
        let (input, output) = (Pipe(), Pipe())
        symbolizer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        symbolizer.arguments = [
            "llvm-symbolizer", "--obj=/proc/\(ProcessInfo.processInfo.processIdentifier)/exe", "--output-style=GNU",
            "--functions=none", "--no-demangle",
        ]
        (symbolizer.standardInput, symbolizer.standardOutput, symbolizer.standardError) = (input, output, Pipe())
        guard !addresses.isEmpty, (try? symbolizer.run()) != nil else { return }
        // Write one address at a time: the tool writes each result before it reads the next address, so a full pipe
        // would block both programs.
        for address in addresses {
            // Mark the end of the result with an address without code. Don't use address 0: a linker assigns it the
            // lines of functions that it left out.
            let question = "0x\(String(address, radix: 16))\n0x\(String(UInt.max, radix: 16))\n"
            guard (try? input.fileHandleForWriting.write(contentsOf: Data(question.utf8))) != nil else { break }
            places[address] = Self.answer(from: output.fileHandleForReading)
        }
        try? input.fileHandleForWriting.close()
        symbolizer.waitUntilExit()
    }

    /// Reads the result for one address, up to the end mark.
    private static func answer(from handle: FileHandle) -> [String] {
        var text = ""
        while !text.hasSuffix("??:0\n") {
            let data = handle.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").dropLast().map { line in
            line.split(separator: "/").suffix(2).joined(separator: "/")
        }
    }

    /// The lines that called a step, innermost first, without the lines in the explorer and the shim.
    subscript(step: Int) -> [String] {
        let lines = calls[step].flatMap { places[$0] ?? [] }
        return lines.filter { line in !Self.machinery.contains { line.hasPrefix($0) } && !line.hasSuffix(":0") }
    }

    private static let machinery = ["Exploration/", "Shim/", "Strands/", "??", "<"]
}
