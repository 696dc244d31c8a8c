/// A plain value that decides which place in a window, such as a view or its sheet, shows the alert.
///
/// Places register while they are on screen, and the innermost place shows the errors. At most one place has an open
/// alert. The next alert opens only after that place has closed its alert or has disappeared. So an error is never
/// shown twice, and an alert is never opened while SwiftUI is still closing another alert.
struct Stage: Equatable {
    /// A place's number.
    ///
    /// A place inside another place has the higher number, because it was created later.
    typealias Place = UInt64

    private struct Alert: Equatable {
        let place: Place
        let error: PresentedError.ID
        /// Whether the place must close the alert and then confirm that it has.
        var isClosing = false
    }

    private(set) var places: Set<Place> = []
    /// The error to show as an alert; nil if there is none.
    private(set) var due: PresentedError.ID?
    /// How often an alert was opened or had to be closed.
    private(set) var turn = 0
    private var alert: Alert? { didSet { if alert != oldValue { turn += 1 } } }

    /// The place that shows the errors; nil if no place is on screen.
    var front: Place? { places.max() }

    /// Returns whether a place has an open alert.
    func isOpen(in place: Place) -> Bool { alert?.place == place && alert?.isClosing == false }

    mutating func appear(_ place: Place) {
        places.insert(place)
        settle()
    }

    mutating func disappear(_ place: Place) {
        places.remove(place)
        // The place's alert has disappeared too.
        if alert?.place == place { alert = nil }
        settle()
    }

    /// Sets the error to show as an alert.
    mutating func show(_ error: PresentedError.ID?) {
        due = error
        settle()
    }

    /// Records that a place's alert is closed.
    ///
    /// If the alert didn't have to be closed, it was closed without an answer from the user. Then the place must call
    /// this method again to confirm that the alert is closed. After that, the alert opens again in the place that is in
    /// front by then.
    mutating func close(_ place: Place) {
        guard let alert, alert.place == place else { return }
        if alert.isClosing { self.alert = nil } else { self.alert?.isClosing = true }
        settle()
    }

    /// Opens the due alert in the front place, or marks an open alert that must be closed first.
    private mutating func settle() {
        if let alert {
            if alert.place != front || alert.error != due { self.alert?.isClosing = true }
        } else if let front, let due {
            alert = Alert(place: front, error: due)
        }
    }
}
