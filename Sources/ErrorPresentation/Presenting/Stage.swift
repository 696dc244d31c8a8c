/// Decides which place of a window shows the alert: a plain value.
///
/// Places register while they are on screen, and the innermost one shows the errors. At most one place has an open
/// alert. The next alert opens only after that place has closed its alert or has disappeared, so that an error is never
/// shown twice, and none is opened while SwiftUI is still closing another.
struct Stage: Equatable {
    /// A place's number: a place inside another one has the higher number, because it was created later.
    typealias Place = UInt64

    private enum Alert: Equatable {
        case none
        case open(Place, PresentedError.ID)
        /// The place must close its alert, and has to confirm that it did.
        case closing(Place)
    }

    private(set) var places: Set<Place> = []
    /// The error to show as an alert; nil if there is none.
    private(set) var due: PresentedError.ID?
    /// How often an alert was opened or had to be closed.
    private(set) var turn = 0
    private var alert = Alert.none { didSet { if alert != oldValue { turn += 1 } } }

    /// The place that shows the errors; nil if no place is on screen.
    var front: Place? { places.max() }

    /// Returns whether a place has an open alert.
    func isOpen(in place: Place) -> Bool {
        if case .open(place, _) = alert { true } else { false }
    }

    mutating func appear(_ place: Place) {
        places.insert(place)
        settle()
    }

    mutating func disappear(_ place: Place) {
        places.remove(place)
        switch alert {
        // Its alert went with it.
        case .open(place, _), .closing(place): alert = .none
        default: break
        }
        settle()
    }

    /// Sets the error to show as an alert.
    mutating func show(_ error: PresentedError.ID?) {
        due = error
        settle()
    }

    /// Records that a place's alert is closed.
    ///
    /// If it had not been told to close it, the user hasn't answered, and the alert opens again in the place that is in
    /// front by then.
    mutating func close(_ place: Place) {
        if isOpen(in: place) {
            alert = .closing(place)
        } else if alert == .closing(place) {
            alert = .none
            settle()
        }
    }

    private mutating func settle() {
        switch alert {
        case .open(let place, let error): if place != front || error != due { alert = .closing(place) }
        case .closing: break
        case .none: if let front, let due { alert = .open(front, due) }
        }
    }
}
