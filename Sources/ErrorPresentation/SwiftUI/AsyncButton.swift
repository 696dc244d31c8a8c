#if canImport(SwiftUI)
    public import ErrorRouting
    public import Foundation
    public import SwiftUI

    /// A button that runs an operation with the window's ``ErrorPresenter``.
    ///
    /// ```swift
    /// AsyncButton("Save", failureTitle: "The cart could not be saved") { try await cart.save() }
    /// ```
    ///
    /// While the operation is running, the button is disabled and shows a progress view. A failure is posted and is
    /// shown with its title and an offer to retry, as `ErrorPresenter.run` does. If the button isn't inside
    /// `presentsErrors`, as in a preview, a failure is only posted.
    public struct AsyncButton: View {
        private let title: LocalizedStringKey
        private let role: ButtonRole?
        private let run: @MainActor (ErrorPresenter?) async -> Void
        @Environment(ErrorPresenter.self) private var presenter: ErrorPresenter?
        @State private var isRunning = false

        /// Creates a button.
        ///
        /// - Parameters:
        ///   - title: The button's title, from the app's string tables.
        ///   - failureTitle: The title of a failure, such as "The cart could not be saved", from the app's string
        ///     tables.
        ///   - role: The button's role, such as `.destructive`.
        ///   - errors: Where to post a failure.
        ///   - fileID: The source file in the report of a failure.
        ///   - line: The source line in the report of a failure.
        ///   - action: The operation to run. It is retained while its failure is waiting or shown.
        public init(
            _ title: LocalizedStringKey, failureTitle: LocalizedStringResource, role: ButtonRole? = nil,
            errors: any ErrorPosting = .ambient, fileID: String = #fileID, line: UInt = #line,
            _ action: @escaping @MainActor () async throws -> Void
        ) {
            (self.title, self.role) = (title, role)
            run = { presenter in
                if let presenter {
                    await presenter.run(failureTitle: failureTitle, errors: errors, fileID: fileID, line: line, action)
                } else {
                    await errors.catching(fileID: fileID, line: line, action)
                }
            }
        }

        /// The button.
        public var body: some View {
            Button(title, role: role) {
                isRunning = true
                Task {
                    await run(presenter)
                    isRunning = false
                }
            }
            .disabled(isRunning)
            .overlay { if isRunning { ProgressView() } }
        }
    }
#endif
