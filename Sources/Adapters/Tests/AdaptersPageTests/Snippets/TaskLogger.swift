import ErrorRouting
import Logging

extension ErrorBus.Configuration {
    /// Reports get the metadata of the task-local logger.
    static let taskLogger = Self(metadataProvider: { _ in
        let metadata = Logger.current.handler.metadata
        return metadata.mapValues { "\($0)" }
    })
}
