import ErrorRouting
import Logging

extension ErrorBus.Configuration {
    /// Adds the task-local logger's metadata to reports.
    static let taskLogger = Self(metadataProvider: { _ in
        let metadata = Logger.current.handler.metadata
        return metadata.mapValues { "\($0)" }
    })
}
