import Foundation

/// Parses the field `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date in one of three forms.
///
/// The RFC allows only whole seconds, but some servers send `2.0`.
enum RetryAfter {
    /// The longest hint, a year, to which longer hints are shortened.
    static let longest = Duration.seconds(365 * 86_400)

    /// Returns how long to wait, from zero to ``longest``; nil if no value is a number of seconds or a date.
    ///
    /// A date is measured from the response's own `Date` field or, if there is none, from now.
    static func duration(in headers: HTTPHeaders) -> Duration? {
        let now = Int64(Date().timeIntervalSince1970)
        // Pass two pieces: a date can contain a comma, so splitting at commas can divide it.
        func date(_ value: String) -> Int64? { HTTPDate.seconds(value.trimmingCharacters(in: .whitespaces), now: now) }
        return headers.firstValid("Retry-After", pieces: 2) { value in
            let text = value.trimmingCharacters(in: .whitespaces)
            if let seconds = duration(ofSeconds: text) { return seconds }
            guard let time = date(value) else { return nil }
            let begin = headers.firstValid("Date", pieces: 2, date) ?? now
            return min(max(.seconds(time - begin), .zero), longest)
        }
    }

    /// Returns the duration for digits, with or without a fraction, rounded up to the millisecond; nil for other
    /// strings.
    private static func duration(ofSeconds text: String) -> Duration? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy(\.isDigits) else { return nil }
        // A number that doesn't fit into `Int64` is longer than a year.
        guard let seconds = Int64(parts[0]), seconds < longest.components.seconds else { return longest }
        let fraction = parts.count == 2 ? parts[1] : ""
        let milliseconds = Int64((fraction + "000").prefix(3)) ?? 0
        let isExact = fraction.dropFirst(3).allSatisfy { $0 == "0" }
        return .seconds(seconds) + .milliseconds(milliseconds + (isExact ? 0 : 1))
    }
}

extension StringProtocol {
    /// Whether the string consists of ASCII digits and isn't empty.
    fileprivate var isDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}

/// Parses HTTP dates (RFC 9110, section 5.6.7), which are all in GMT.
///
/// A `DateFormatter` accepts more than these three forms and takes a thousand times as long.
enum HTTPDate {
    /// Returns the seconds since 1970 for a date in one of the three forms; nil if the string isn't such a date.
    ///
    /// The forms are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, and `Sun Nov 6 08:49:37 1994`.
    /// `now`, the current time, determines the century of a two-digit year.
    static func seconds(_ text: String, now: Int64) -> Int64? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "-" || $0 == "," }).map(String.init)
        if text.contains(","), words.count == 6, words[5] == "GMT" {
            let isShort = words[3].utf8.count == 2
            guard isDay(words[0], short: !isShort), text.contains("-") == isShort else { return nil }
            guard isShort || words[3].utf8.count == 4, let number = digits(words[3]) else { return nil }
            return seconds(words[1], words[2], isShort ? wholeYear(number, now: now) : number, words[4])
        }
        if words.count == 5, !text.contains(","), !text.contains("-"), isDay(words[0], short: true) {
            guard words[4].utf8.count == 4, let year = digits(words[4]) else { return nil }
            return seconds(words[2], words[1], year, words[3])
        }
        return nil
    }

    private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func isDay(_ word: String, short: Bool) -> Bool {
        days.contains { short ? $0.prefix(3) == word : $0 == word }
    }

    private static func digits(_ word: String) -> Int? { word.isDigits ? Int(word) : nil }

    /// Returns the year for two digits: in this century or, if that is more than 50 years from now, in the previous
    /// century.
    private static func wholeYear(_ year: Int, now: Int64) -> Int {
        let current = Int(now / 31_556_952) + 1970
        let candidate = current / 100 * 100 + year
        return candidate > current + 50 ? candidate - 100 : candidate
    }

    private static func seconds(_ day: String, _ month: String, _ year: Int, _ time: String) -> Int64? {
        guard let month = months.firstIndex(of: month).map({ $0 + 1 }) else { return nil }
        let first = daysSince1970(year, month)
        let length = daysSince1970(year, month + 1) - first
        guard (1...2).contains(day.utf8.count), let day = digits(day), day >= 1, day <= length else { return nil }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        let numbers = clock.compactMap(digits)
        // Second 60 is a leap second.
        guard numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { return nil }
        let time = (numbers[0] * 60 + numbers[1]) * 60 + numbers[2]
        return Int64((first + day - 1) * 86_400 + time)
    }

    /// Returns the days from 1970 to the first day of a month, with Howard Hinnant's `days_from_civil`.
    ///
    /// The calendar is the proleptic Gregorian calendar. Month 13 is January of the next year.
    private static func daysSince1970(_ year: Int, _ month: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
