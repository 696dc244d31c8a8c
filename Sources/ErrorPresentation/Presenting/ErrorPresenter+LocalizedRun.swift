#if canImport(Darwin)
    public import ErrorRouting
    public import Foundation

    extension ErrorPresenter {
        /// Runs an operation that the person started, with a title from the app's tables of strings; see
        /// ``run(_:errors:fileID:line:_:)``.
        ///
        /// - Parameters:
        ///   - title: The name of the action, as the title of its failure; looked up when the operation is started.
        ///   - errors: Where a failure is posted.
        ///   - fileID: The file that the posted failure names as its source.
        ///   - line: The line that the posted failure names as its source.
        ///   - operation: The operation. It is retained while its failure waits or is shown.
        /// - Returns: The operation's result; nil if it failed or was cancelled.
        @discardableResult
        public func run<T>(
            _ title: LocalizedStringResource,
            errors: any ErrorPosting = .ambient,
            fileID: String = #fileID,
            line: UInt = #line,
            _ operation: @escaping @MainActor () async throws -> T
        ) async -> T? {
            await attempt(String(localized: title), errors, .init(fileID: fileID, line: line), operation)
        }
    }
#endif
