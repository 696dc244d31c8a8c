import ErrorRecording
import ErrorRouting
import Synchronization

/// Runs the code of each of the five places without and with the bus, and shows what happens to the errors.
enum FivePlaces {
    static func run(on screen: Screen, recordingTo recorder: ErrorRecorder) async {
        var alone: [Place.Loss] = []
        for place in Place.all { alone.append(await place.runAlone()) }

        let reports = Mutex<[ErrorReport]>([])
        await withErrorBus(handler: .default, asRoot: true) { bus in
            bus.observeUntilEnd { report in
                recorder.record(report)
                reports.withLock { $0.append(report) }
            }
            for place in Place.all { await place.run(with: bus) }
        }

        let names = ["place", "without the bus", "posted to the bus at", "rule that ran", "outcome"]
        screen.table(
            [names]
                + alone.map { loss in
                    let report = reports.withLock { $0.first { type(of: $0.error) == type(of: loss.error) } }
                    return [loss.place, loss.verdict] + (report?.cells ?? ["", "", "lost"])
                })
        screen.line("What the rules did: \(await Desk.shared.take().joined(separator: "; ")).")
    }
}

extension Place {
    /// An error that a place doesn't throw to its caller, and what happens to it.
    struct Loss: Sendable {
        let place: String
        let error: any Error
        /// `printed` if the process wrote the error to standard output or standard error; otherwise `lost`.
        let verdict: String
    }

    func runAlone() async -> Loss {
        Shop.thrown.removeAll()
        var caught = ""
        let output = await outputOfProcess {
            do { try await alone() } catch { caught = "\(error)" }  // error-audit: harmless, because it is compared
            await Shop.waitForErrors()
        }
        guard let error = Shop.thrown.all.first(where: { "\($0)" != caught }) else {
            return Loss(place: name, error: Shop.thrown.all[0], verdict: "thrown")
        }
        return Loss(place: name, error: error, verdict: output.contains("\(error)") ? "printed" : "lost")
    }

    func run(with bus: ErrorBus) async {
        Shop.thrown.removeAll()
        _ = await outputOfProcess {
            // error-audit: harmless, because the caller receives this error with or without the bus
            try? await withBus(bus)
            await Shop.waitForErrors()
        }
    }
}

extension ErrorReport {
    /// Where the error was posted, which rule ran, and the outcome.
    var cells: [String] {
        [
            source.short, outcome.rule.map { "\($0.matcher), \($0.source.short)" } ?? "none",
            outcome.disposition.rawValue,
        ]
    }
}

extension ErrorReport.Source {
    /// The file's name without its module, and the line.
    var short: String { "\(fileID.split(separator: "/").last ?? ""):\(line)" }
}
