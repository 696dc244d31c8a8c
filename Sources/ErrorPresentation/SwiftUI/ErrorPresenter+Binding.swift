#if canImport(SwiftUI)
    public import SwiftUI

    extension ErrorPresenter {
        /// Returns a binding to the shown error of a style, for a custom view.
        ///
        /// Setting the binding to nil closes the error for which it was created and shows the next error. If that error
        /// is no longer shown, setting nil has no effect, because SwiftUI might set the binding when the next error is
        /// already shown. The closed error can still be retried with ``retry(_:)``, because SwiftUI closes an alert
        /// before its button's task begins. Setting any other value has no effect.
        ///
        /// - Parameter style: The style. For `.hidden`, the binding's value is always nil.
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
