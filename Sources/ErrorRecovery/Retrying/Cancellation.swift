import ErrorRouting

/// Whether an error says that work was cancelled, and is no failure of what was tried.
func isCancellation(_ error: any Error) -> Bool { cancellation.match(error) != nil }

private let cancellation = ErrorMatcher.cancellation
