import Foundation

/// Whether random and exhaustive tests run at full length: with `ERROR_BUS_LONG=1`.
package let isLong = ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] == "1"
