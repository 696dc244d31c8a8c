import ErrorRouting

private struct Pager {
    func page(about error: any Error) async throws {}
}

private func rules(_ pager: Pager) -> ErrorHandler {
    let rules = ErrorHandler()
        .onNoMatch { error in
            if error is TaskCutOff { return .next }
            postingTask { try await pager.page(about: error) }
            return .stop
        }
    return rules
}
