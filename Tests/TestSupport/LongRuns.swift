import Foundation

/// Whether tests that try things at random, or all there are, do so at full length: with `ERROR_BUS_LONG=1`.
package let isLong = ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] == "1"
