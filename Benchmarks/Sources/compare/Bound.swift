import Foundation

/// A bound on a cost, or on the ratio of two costs, as listed in `Results/bounds.txt`.
///
/// Bounds are for developers of this package. The tables and charts show the measured figures next to the figures of
/// hand-written replacements.
struct Bound: Sendable {
    let part: String
    let first: (String, Int)
    /// The divisor of the first cost; nil for a bound in nanoseconds.
    let second: (String, Int)?
    /// Whether a higher figure is better.
    let isFloor: Bool
    let limit: Double
    /// The wider limit of the short mode, for a noisy machine; nil if the short mode doesn't check the bound.
    let shortLimit: Double?

    /// Reads a line with the columns part, name, number, name, number, `<=` or `>=`, limit, and limit of the short
    /// mode.
    init?(_ line: Substring) {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard cells.count == 8, let number = Int(cells[2]), let limit = Double(cells[6]),
            ["<=", ">="].contains(cells[5])
        else { return nil }
        part = cells[0]
        first = (cells[1], number)
        second = Int(cells[4]).map { (cells[3], $0) }
        isFloor = cells[5] == ">="
        self.limit = limit
        shortLimit = Double(cells[7])
    }

    /// Returns the bounds of a part.
    ///
    /// It crashes if a line is invalid, so that a mistake can't disable a bound.
    static func all(of part: String) throws -> [Bound] {
        let text = try String(contentsOf: Results.defaultFolder.appending(path: "bounds.txt"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return lines.map { line in
            guard let bound = Bound(line) else { fatalError("bounds.txt: \(line)") }
            return bound
        }.filter { $0.part == part }
    }

    /// Returns whether a measurement is within the bound, and a sentence about the result.
    ///
    /// The result is nil if the bound's costs weren't measured or if the short mode doesn't check the bound.
    func check(_ measurement: Measurement, isShort: Bool) -> (isMet: Bool, text: String)? {
        guard let limit = isShort ? shortLimit : limit else { return nil }
        let figure = second.map { measurement.ratio(first, to: $0) } ?? measurement.cost(first.0, first.1)
        guard let median = figure?.median else { return nil }
        let isMet = isFloor ? median >= limit : median <= limit
        func name(_ subject: (String, Int)) -> String { "\(subject.0), \(subject.1.formatted())" }
        let what = second.map { "\(name(first)) over \(name($0))" } ?? "\(name(first)), in nanoseconds"
        let shown = median.formatted(.number.precision(.significantDigits(3)))
        let rule = "\(isFloor ? "at least" : "at most") \(limit.formatted())"
        return (isMet, "\(isMet ? "ok    " : "MISSED") \(what): \(shown), \(rule)")
    }
}
