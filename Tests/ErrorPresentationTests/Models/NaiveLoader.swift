@testable import ErrorPresentation

/// A loader that evaluates the history of every load.
struct NaiveLoader {
    enum Load {
        case running, cancelled, ignored
        /// The load that ended with a result while a newer load was running.
        case answered(Result<Int, Plain>)

        var isRunning: Bool { if case .running = self { true } else { false } }
    }

    var loads: [Load] = []
    var settled = LoadState<Int, Plain>.idle
    var latest: Int?
    var failureCount = 0

    var state: LoadState<Int, Plain> { loads.contains { $0.isRunning } ? .loading : settled }

    mutating func begin() -> UInt64 {
        loads.append(.running)
        return UInt64(loads.count)
    }

    mutating func end(_ number: UInt64, _ result: Result<Int, Plain>?) {
        let index = Int(number) - 1
        guard loads.indices.contains(index), loads[index].isRunning else { return }
        if let result {
            for older in 0..<index { loads[older] = .ignored }
            loads[index] = .answered(result)
        } else {
            loads[index] = .cancelled
        }
        guard !loads.contains(where: { $0.isRunning }) else {
            // The newest result is in effect immediately.
            if case .answered = loads[index], !loads[(index + 1)...].contains(where: { $0.isRunning }) { decide() }
            return
        }
        decide()
    }

    /// The newest result determines the state, if there is one.
    private mutating func decide() {
        let answers = loads.compactMap { load -> Result<Int, Plain>? in
            if case .answered(let end) = load { end } else { nil }
        }
        switch answers.last {
        case .success(let value)?:
            (settled, latest, failureCount) = (.loaded(value), value, 0)
        case .failure(let failure)?:
            settled = .failed(failure)
            failureCount += 1
        case nil:
            return
        }
        ignoreAll()
    }

    mutating func cancel() {
        for index in loads.indices { end(UInt64(index) + 1, nil) }
    }

    mutating func reset() {
        (settled, latest, failureCount) = (.idle, nil, 0)
        ignoreAll()
    }

    private mutating func ignoreAll() {
        for index in loads.indices { loads[index] = .ignored }
    }
}
