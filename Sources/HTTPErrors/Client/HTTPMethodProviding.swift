/// The part of ``APIRequest`` that declares its method.
///
/// You don't conform to this protocol yourself. It makes the compiler reject a request whose `method` is a string.
/// Otherwise, the string would be a separate property and the request would be a GET.
public protocol HTTPMethodProviding {
    /// The declared method's type: ``HTTPMethod``.
    associatedtype DeclaredMethod: HTTPMethodValue = HTTPMethod

    /// The request's method.
    var method: DeclaredMethod { get }
}

/// A type that can be a request's method; only ``HTTPMethod`` conforms.
public protocol HTTPMethodValue {}

extension HTTPMethod: HTTPMethodValue {}

/// Unavailable: declare the property's type, as in `var method: HTTPMethod { .put }`.
@available(*, unavailable, message: "declare the type of the method: var method: HTTPMethod { .put }")
extension String: HTTPMethodValue {}
