import Foundation

/// Lines over the number of rules, both axes logarithmic, as SVG.
struct Chart {
    struct Line {
        let name: String
        let color: String
        /// Rules and nanoseconds.
        let points: [(Double, Double)]
    }

    let lines: [Line]

    private let width = 720.0
    private let height = 420.0
    private let left = 70.0
    private let right = 190.0
    private let top = 50.0
    private let bottom = 50.0

    var svg: String {
        let values = lines.flatMap { $0.points.map(\.1) }
        let lowest = pow(10, floor(log10(values.min() ?? 1)))
        let highest = pow(10, ceil(log10(values.max() ?? 10)))
        func x(_ rules: Double) -> Double { left + log10(rules) / 3 * (width - left - right) }
        func y(_ cost: Double) -> Double {
            let share = (log10(cost) - log10(lowest)) / (log10(highest) - log10(lowest))
            return height - bottom - share * (height - top - bottom)
        }
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" font-family=\"sans-serif\" "
                + "font-size=\"13\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            "<text x=\"\(left)\" y=\"26\" font-size=\"16\">Nanoseconds to handle one error, over the number of rules</text>",
        ]
        for exponent in 0...3 {
            let rules = pow(10.0, Double(exponent))
            parts.append(rule(x(rules), top, x(rules), height - bottom))
            parts.append(text(Int(rules).formatted(), x(rules), height - bottom + 20, "middle"))
        }
        parts.append(text("rules", (left + width - right) / 2, height - 10, "middle"))
        var cost = lowest
        while cost <= highest {
            parts.append(rule(left, y(cost), width - right, y(cost)))
            parts.append(text(Int(cost).formatted(), left - 8, y(cost) + 4, "end"))
            cost *= 10
        }
        for line in lines {
            let points = line.points.map { "\(round(x($0.0))),\(round(y($0.1)))" }.joined(separator: " ")
            parts.append(
                "<polyline points=\"\(points)\" fill=\"none\" stroke=\"\(line.color)\" stroke-width=\"2.5\"/>")
            for point in line.points {
                parts.append("<circle cx=\"\(x(point.0))\" cy=\"\(y(point.1))\" r=\"3.5\" fill=\"\(line.color)\"/>")
            }
            if let last = line.points.last {
                parts.append(
                    "<text x=\"\(x(last.0) + 10)\" y=\"\(y(last.1) + 4)\" fill=\"\(line.color)\">\(line.name)</text>")
            }
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"#ddd\"/>"
    }

    private func text(_ text: String, _ x: Double, _ y: Double, _ anchor: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" fill=\"#555\">\(text)</text>"
    }
}
