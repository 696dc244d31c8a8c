import ErrorRouting

// Errors of a shop.

enum OrderError: Error, CustomStringConvertible {
    case outOfStock(item: String)
    case unpaid

    var description: String {
        switch self {
        case .outOfStock(let item): "there is no \(item) left"
        case .unpaid: "the order isn't paid"
        }
    }
}

struct CheckoutFailed: Error, CustomStringConvertible, UnderlyingErrorsProviding {
    let underlyingErrors: [any Error]

    var description: String { "the checkout failed" }
}

/// An error that carries the location where it was thrown.
struct Placed: Error, ErrorDetailsProviding {
    var errorDetails: ErrorDetails {
        ErrorDetails(kind: "declined", message: "declined", source: .init(fileID: "Shop/Payments.swift", line: 12))
    }
}
