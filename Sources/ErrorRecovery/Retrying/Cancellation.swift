/// Whether an error says that somebody gave up, rather than that something went wrong.
func isCancellation(_ error: any Error) -> Bool {
    // The dynamic type: unlike a cast it looks through any number of boxes.
    type(of: error) == CancellationError.self
}
