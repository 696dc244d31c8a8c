import Foundation

/// A bar chart of the ratios that have a wish: each bar is a share of its bound, with marks at bound and wish.
struct RatioChart {
    private struct Bar {
        let text: String
        /// The measured ratio and the wish, as shares of the bound; less is better.
        let measured: Double
        let wish: Double
        let figure: String
    }

    let title: String
    private let bars: [Bar]

    init(title: String, _ goals: [Goal], in measurement: Measurement) {
        self.title = title
        bars = goals.compactMap { goal in
            guard let wish = goal.wish, let ratio = measurement.ratio(goal.first, to: goal.second)?.median else {
                return nil
            }
            func share(_ value: Double) -> Double { goal.isFloor ? goal.bound / value : value / goal.bound }
            return Bar(
                text: goal.text, measured: share(ratio), wish: share(wish),
                figure: ratio.formatted(.number.precision(.significantDigits(3))) + " (\(goal.boundText))")
        }
    }

    /// The chart; nil if no ratio has a wish.
    var svg: String? {
        if bars.isEmpty { return nil }
        let (left, width, step) = (430.0, 300.0, 26.0)
        // Room for bars that go beyond the bound.
        let scale = width / max(1.2, bars.map(\.measured).max() ?? 1)
        let height = 70 + step * Double(bars.count)
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 \(height)\" font-family=\"sans-serif\" "
                + "font-size=\"13\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            "<text x=\"20\" y=\"26\" font-size=\"16\">\(title)</text>",
            "<text x=\"20\" y=\"44\" fill=\"#555\">shorter is better; a line at the bound, a dot at the wish</text>",
        ]
        for (index, bar) in bars.enumerated() {
            let y = 60 + step * Double(index)
            let color = bar.measured <= 1 ? "#2060c0" : "#c0392b"
            let length = (bar.measured * scale).rounded()
            parts.append("<text x=\"\(left - 10)\" y=\"\(y + 14)\" text-anchor=\"end\">\(bar.text)</text>")
            parts.append(
                "<rect x=\"\(left)\" y=\"\(y + 2)\" width=\"\(length)\" height=\"16\" fill=\"\(color)\"/>")
            let dot = left + (bar.wish * scale).rounded()
            parts.append("<circle cx=\"\(dot)\" cy=\"\(y + 10)\" r=\"4\" fill=\"#f0b000\"/>")
            let end = left + max(length, scale.rounded()) + 10
            parts.append("<text x=\"\(end)\" y=\"\(y + 14)\" fill=\"#555\">\(bar.figure)</text>")
        }
        let line = left + scale.rounded()
        parts.append("<line x1=\"\(line)\" y1=\"54\" x2=\"\(line)\" y2=\"\(height - 8)\" stroke=\"#333\"/>")
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }
}
