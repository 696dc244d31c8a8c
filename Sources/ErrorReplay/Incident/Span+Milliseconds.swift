extension Span<UInt8> {
    /// Returns the milliseconds since 1970 for a time such as `2026-05-31T16:05:09.125000Z`; nil for other strings.
    func milliseconds(_ range: Range<Int>) -> Int? {
        let text = extracting(range)
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"), text[text.count - 1] == UInt8(ascii: "Z"),
            let year = text.number(0, 4), let month = text.number(5, 2), let day = text.number(8, 2),
            let hour = text.number(11, 2), let minute = text.number(14, 2), let second = text.number(17, 2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let fraction = text.count >= 24 ? text.number(20, 3) ?? 0 : 0
        // Count years from March, so that the leap day is the last day of a year.
        let years = month > 2 ? year : year - 1
        let days =
            365 * years + Buckets.bucket(of: years, width: 4) - Buckets.bucket(of: years, width: 100)
            + Buckets.bucket(of: years, width: 400) + (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 719_469
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + fraction
    }

    private func number(_ begin: Int, _ count: Int) -> Int? {
        var number = 0
        for index in begin..<begin + count {
            guard self[index] >= UInt8(ascii: "0"), self[index] <= UInt8(ascii: "9") else { return nil }
            number = 10 * number + Int(self[index] - UInt8(ascii: "0"))
        }
        return number
    }
}
