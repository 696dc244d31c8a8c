import Strands

/// The steps of a replayed schedule.
package struct Trace {
    struct Step {
        let thread: Int
        let action: String
        let location: Location.Name
        let site: Site
        let values: [UInt64]
        /// The return addresses of the calls that led to the step, innermost first.
        let calls: [UInt]
    }

    let steps: [Step]

    package var isEmpty: Bool { steps.isEmpty }
}

extension Explorer {
    /// Records a step if a schedule is being replayed.
    @inline(__always)
    func note(_ action: StaticString, _ location: UnsafeMutablePointer<Location>, _ site: Site, _ values: UInt64...) {
        if trace != nil { unsafe addToTrace("\(action)", location, site, values) }
    }

    @inline(__always)
    func note(_ action: String, _ location: UnsafeMutablePointer<Location>, _ site: Site) {
        if trace != nil { unsafe addToTrace(action, location, site, []) }
    }

    @inline(never)
    private func addToTrace(
        _ action: String, _ location: UnsafeMutablePointer<Location>, _ site: Site, _ values: [UInt64]
    ) {
        let calls = unsafe [UInt](unsafeUninitializedCapacity: 32) { buffer, count in
            count = unsafe calls_of_executable(buffer.baseAddress, buffer.count)
        }
        let name = unsafe location.pointee.name
        trace?.append(.init(thread: current, action: action, location: name, site: site, values: values, calls: calls))
    }
}

extension Trace: CustomStringConvertible {
    package var description: String {
        let callers = Callers(of: steps.map(\.calls))
        return steps.indices.map { line(of: $0, callers[$0]) }.joined(separator: "\n")
    }

    private func line(of index: Int, _ callers: [String]) -> String {
        let step = steps[index]
        let values = step.values.map { $0 > 0xffff ? "0x" + String($0, radix: 16) : "\($0)" }.joined(separator: " by ")
        let what = "thread \(step.thread) \(step.action) \(step.location.description)"
        // Skip the first caller: the step's own line is exact, but the optimizer has merged the functions that call the
        // shim, so the line of the first caller might belong to any of these functions.
        let lines = ["\(step.site.file):\(step.site.line)"] + callers.dropFirst().prefix(3)
        return "\(index + 1)  \(what)\(values.isEmpty ? "" : ": ")\(values)  \(lines.joined(separator: " < "))"
    }
}
