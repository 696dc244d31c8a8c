import Foundation

/// A bar chart as SVG, with groups of bars that compare implementations of the same task.
struct BarChart: Sendable {
    /// One implementation, which is this package's or a replacement.
    struct Bar: Sendable {
        let label: String
        let subject: (String, Int)
        var isOurs = false
    }

    /// Implementations of the same task, beginning with this package's.
    struct Group: Sendable {
        let title: String
        let bars: [Bar]

        init(_ title: String, ours subject: (String, Int), others: [(label: String, subject: (String, Int))]) {
            self.title = title
            bars =
                [Bar(label: "this package", subject: subject, isOurs: true)]
                + others.map { Bar(label: $0.label, subject: $0.subject) }
        }
    }

    let title: String
    let groups: [Group]

    /// Returns the chart with a measurement's medians, omitting bars that weren't measured.
    func svg(_ measurement: Measurement) -> String {
        let groups = groups.map { group in
            (
                group.title,
                group.bars.compactMap { bar in
                    measurement.cost(bar.subject.0, bar.subject.1).map { (bar, $0.median) }
                }
            )
        }
        let most = groups.flatMap(\.1).map(\.1).max() ?? 1
        let (left, width, step) = (250.0, 400.0, 22.0)
        var (parts, y): ([String], Double) = ([], 44)
        for (title, bars) in groups where !bars.isEmpty {
            y += 24
            parts.append("<text x=\"20\" y=\"\(y)\" font-weight=\"bold\">\(title)</text>")
            y += 8
            for (bar, cost) in bars {
                let length = max((cost / most * width).rounded(), 1)
                let color = bar.isOurs ? "#2060c0" : "#9aa5b1"
                parts.append("<text x=\"\(left - 10)\" y=\"\(y + 14)\" text-anchor=\"end\">\(bar.label)</text>")
                parts.append(
                    "<rect x=\"\(left)\" y=\"\(y + 2)\" width=\"\(length)\" height=\"16\" fill=\"\(color)\"/>")
                let figure = cost.formatted(.number.precision(.fractionLength(0)))
                parts.append("<text x=\"\(left + length + 8)\" y=\"\(y + 14)\" fill=\"#555\">\(figure)</text>")
                y += step
            }
        }
        let opening = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 \(y + 16)\" font-family=\"sans-serif\" "
                + "font-size=\"13\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            "<text x=\"20\" y=\"26\" font-size=\"16\">\(title)</text>",
            "<text x=\"20\" y=\"44\" fill=\"#555\">nanoseconds: shorter is better</text>",
        ]
        return (opening + parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }
}
