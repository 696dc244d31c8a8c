import Foundation

/// Formats times as strings of equal length that sort in time order: `2026-05-31T16:05:09.125000Z`.
///
/// Foundation's formats show only milliseconds, and formatting takes as long as writing the rest of a line.
enum Timestamp {
    /// Formats microseconds since 1970; the result is correct within the years 1 to 9999.
    static func text(ofMicroseconds microseconds: Int64) -> String {
        let (day, time) = microseconds.quotientAndRemainder(roundingDownBy: 86_400_000_000)
        let (year, month, dayOfMonth) = civil(day: day)
        let (seconds, fraction) = time.quotientAndRemainder(dividingBy: 1_000_000)
        let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        var text: [UInt8] = []
        text.reserveCapacity(27)
        add(year, 4, "-", to: &text)
        add(month, 2, "-", to: &text)
        add(dayOfMonth, 2, "T", to: &text)
        add(hour, 2, ":", to: &text)
        add(minute, 2, ":", to: &text)
        add(second, 2, ".", to: &text)
        add(fraction, 6, "Z", to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The current time in microseconds since 1970.
    static var now: Int64 {
        // Don't use a `Date`, because creating one takes as long as adding a report to the queue.
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// Returns the date of a day since 1970 in the Gregorian calendar.
    ///
    /// Years are counted from March, so that the leap day is the last day of a year.
    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(roundingDownBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
        return (year, month < 10 ? month + 3 : month - 9, dayOfMonth)
    }

    /// Appends a number with `count` digits, and then the character `end`.
    private static func add(_ number: Int64, _ count: Int, _ end: Unicode.Scalar, to text: inout [UInt8]) {
        var divisor = (1..<count).reduce(Int64(1)) { product, _ in product * 10 }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
        text.append(UInt8(ascii: end))
    }
}

extension Int64 {
    fileprivate func quotientAndRemainder(roundingDownBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
