extension Chart {
    /// One line, and its name.
    struct Line {
        let name: String
        let color: String
        /// Numbers and nanoseconds.
        let points: [(Double, Double)]
    }
}

extension Chart.Line {
    /// The medians of a measured series.
    ///
    /// - Parameters:
    ///   - name: What the chart calls it.
    ///   - subject: What the measurement calls it, where that is something else.
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
