import ErrorRecovery
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H3: Retry-After is read in seconds and in the three forms of a date", .tags(.http3), .hangLimit)
struct RetryAfterTests {}

extension RetryAfterTests {
    private static let begin = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test("seconds are read with their fraction, and a value that is neither seconds nor a date is nil")
    func seconds() {
        func retryAfter(_ value: String) -> Duration? {
            HTTPFailure(status: 503, headers: ["Retry-After": value]).retryAfter
        }
        for (value, seconds) in [
            ("0", 0), ("1", 1), ("120", 120), (" 7 ", 7), ("007", 7), ("31536000", 31_536_000),
            ("31536001", 31_536_000), ("99999999999999999999999", 31_536_000),
        ] { expect(retryAfter(value), equals: .seconds(seconds), "\(value)") }
        // A fraction is rounded up to the millisecond, because an attempt must not come too early.
        for (value, milliseconds) in [
            ("2.0", 2_000), ("0.503", 503), ("0.5", 500), ("1.05", 1_050), ("0.0000", 0), ("0.00000001", 1),
            ("0.9990", 999), ("0.9991", 1_000), (" 1.5 ", 1_500), ("007.25", 7_250),
            ("1." + String(repeating: "3", count: 1_000), 1_334), ("31535999.9999", 31_536_000_000),
            ("31536000.5", 31_536_000_000), ("99999999999999999999999.5", 31_536_000_000),
        ] { expect(retryAfter(value), equals: .milliseconds(milliseconds), "\(value)") }
        for value in [
            "", " ", "soon", "-1", "+1", "-1.5", ".", "1.", ".5", "1.5.0", "1. 5", "1.5s", "1.x", "1e3", "1.0e3",
            "inf", "nan", "１.５", "１２", "0x10", "1 2", "Sun, 06 Nov 1994 08:49:37", "GMT",
            "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1995 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun, 06 Nvo 1994 08:49:37 GMT",
            "Sun, 06 Nov -994 08:49:37 GMT",
        ] { expectNil(retryAfter(value), "\(value)") }
    }

    @Test("dates are measured from the response's own Date, or from now if that field is missing or invalid")
    func dates() {
        func retryAfter(_ value: String, _ date: String?) -> Duration? {
            var headers: HTTPHeaders = ["retry-after": value]
            headers["date"] = date
            return HTTPFailure(status: 429, headers: headers).retryAfter
        }
        for (value, seconds) in [
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60), ("Sun Nov 16 08:49:37 1994", 864_000),
            // Test a past date, a leap day, a leap second, and a date more than a year ahead.
            ("Sun, 06 Nov 1994 08:49:36 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:60 GMT", 23), ("Thu, 29 Feb 1996 00:00:00 GMT", 31_536_000),
        ] {
            expect(retryAfter(value, Self.begin), equals: .seconds(seconds), "\(value)")
            expect(retryAfter("  \(value) ", Self.begin), equals: .seconds(seconds), "\(value)")
        }
        for date in [nil, "today"] {
            expect(retryAfter("Fri, 31 Dec 9999 23:59:59 GMT", date), equals: .seconds(365 * 86_400))
        }
        expect(retryAfter(Self.begin, nil), equals: .zero)
    }

    @Test("a two-digit year is the nearest year that is at most 50 years ahead")
    func shortYears() {
        let now: Int64 = 1_800_000_000  // January 2027
        for year in [2027, 2077, 1978, 1999] {
            expect(
                HTTPDate.seconds("Sunday, 01-Jan-\(year % 100) 00:00:00 GMT", now: now),
                equals: HTTPDate.seconds("Fri, 01 Jan \(year) 00:00:00 GMT", now: now))
        }
    }

    /// Tests the first day and the last two days of each month, or all days with `ERROR_BUS_LONG=1`.
    @Test("every day from 1900 to 2200 has the number that counting days yields")
    func everyDay() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var day: Int64 = -25_567
        // Collect the failures: 110,000 expectations would take longer than all other tests.
        var wrong: [String] = []
        for year in 1900...2200 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (index, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for number in 1...length {
                    defer { day += 1 }
                    guard isLong || number == 1 || number >= length - 1 else { continue }
                    let text = "Sun, \(number < 10 ? "0" : "")\(number) \(months[index]) \(year) 00:00:00 GMT"
                    if HTTPDate.seconds(text, now: 0) != day * 86_400 { wrong.append(text) }
                }
            }
        }
        expect(wrong, equals: [])
    }
}
