#if canImport(SwiftUI)
    public import SwiftUI

    extension ErrorPresenter {
        /// Returns a binding to the shown error of a style, for a view of your own.
        ///
        /// Setting it to nil dismisses the error for which the binding was created, and shows the next one; SwiftUI
        /// might set it when the next error is already shown. The dismissed error can still be retried with
        /// ``retry(_:)``, because SwiftUI closes an alert before the task of its button begins. Other values are
        /// ignored.
        ///
        /// - Parameter style: The style; for `.hidden` the value is always nil.
        /// - Returns: The binding.
        public func binding(for style: PresentationStyle) -> Binding<PresentedError?> {
            let seen = shown(as: style)?.id
            return Binding { @MainActor [self] in
                shown(as: style)
            } set: { @MainActor [self] value in
                if value == nil, let error = shown(as: style), error.id == seen { self.close(error) }
            }
        }
    }
#endif
