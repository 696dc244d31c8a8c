import Foundation

/// A line chart with two logarithmic axes, as SVG.
struct Chart {
    let title: String
    /// The meaning of the horizontal axis.
    let axis: String
    /// The tick marks of the horizontal axis, which extends from the first to the last mark.
    let ticks: [Double]
    let lines: [Line]

    private let width = 720.0
    private let height = 420.0
    private let left = 70.0
    private let right = 190.0
    private let top = 50.0
    private let bottom = 50.0

    var svg: String {
        let values = lines.flatMap { $0.points.map(\.1) }
        // Round to whole decades.
        let lowest = pow(10, floor(log10(values.min() ?? 1)))
        let highest = pow(10, ceil(log10(values.max() ?? 10)))
        func x(_ number: Double) -> Double {
            round(left + share(of: number, from: ticks[0], to: ticks[ticks.count - 1]) * (width - left - right))
        }
        func y(_ cost: Double) -> Double {
            round(height - bottom - share(of: cost, from: lowest, to: highest) * (height - top - bottom))
        }
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" font-family=\"sans-serif\" "
                + "font-size=\"13\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            "<text x=\"\(left)\" y=\"26\" font-size=\"16\">\(title)</text>",
        ]
        for tick in ticks {
            parts.append(rule(x(tick), top, x(tick), height - bottom))
            parts.append(text(Int(tick).formatted(), x(tick), height - bottom + 20, "middle"))
        }
        parts.append(text(axis, (left + width - right) / 2, height - 10, "middle"))
        var cost = lowest
        while cost <= highest {
            parts.append(rule(left, y(cost), width - right, y(cost)))
            parts.append(text(Int(cost).formatted(), left - 8, y(cost) + 4, "end"))
            cost *= 10
        }
        for line in lines {
            let points = line.points.map { "\(x($0.0)),\(y($0.1))" }.joined(separator: " ")
            parts.append(
                "<polyline points=\"\(points)\" fill=\"none\" stroke=\"\(line.color)\" stroke-width=\"2.5\"/>")
            for point in line.points {
                parts.append("<circle cx=\"\(x(point.0))\" cy=\"\(y(point.1))\" r=\"3.5\" fill=\"\(line.color)\"/>")
            }
        }
        let ends = lines.compactMap { line in line.points.last.map { Label(line: line, x: x($0.0), y: y($0.1)) } }
        for label in spread(ends) {
            parts.append(text(label.line.name, label.x + 10, label.y + 4, "start", fill: label.line.color))
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// A line's name, shown where the line ends.
    private struct Label {
        let line: Line
        let x: Double
        var y: Double
    }

    /// Moves overlapping labels apart, so that all labels are readable.
    private func spread(_ labels: [Label]) -> [Label] {
        let spacing = 17.0
        var placed: [Label] = []
        for var label in labels.sorted(by: { $0.y < $1.y }) {
            if let above = placed.last(where: { $0.x == label.x }) { label.y = max(label.y, above.y + spacing) }
            placed.append(label)
        }
        return placed
    }

    /// Returns the position of a number on a logarithmic axis, from 0 to 1.
    private func share(of number: Double, from first: Double, to last: Double) -> Double {
        (log10(number) - log10(first)) / (log10(last) - log10(first))
    }

    private func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"#ddd\"/>"
    }

    private func text(
        _ text: String, _ x: Double, _ y: Double, _ anchor: String, fill: String = "#555"
    ) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" fill=\"\(fill)\">\(text)</text>"
    }
}

extension Chart {
    /// One line with its name.
    struct Line {
        let name: String
        let color: String
        /// The points, each a number and its cost in nanoseconds.
        let points: [(Double, Double)]
    }
}

extension Chart.Line {
    /// Creates a line from the medians of a measured series, whose name is the line's name unless `subject` is given.
    init(_ name: String, of subject: String? = nil, color: String, over numbers: [Int], in measurement: Measurement) {
        self.init(
            name: name,
            color: color,
            points: numbers.compactMap { number in
                measurement.cost(subject ?? name, number).map { (Double(number), $0.median) }
            }
        )
    }
}
