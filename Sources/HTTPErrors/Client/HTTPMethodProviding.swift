/// What an ``APIRequest`` declares as its method.
///
/// You don't conform to it yourself. It makes a request whose `method` is a string an error of the compiler; otherwise
/// the string would be another property, and the request a GET.
public protocol HTTPMethodProviding {
    /// The declared method's type: ``HTTPMethod``.
    associatedtype DeclaredMethod: HTTPMethodValue = HTTPMethod

    /// The method.
    var method: DeclaredMethod { get }
}

/// A type that can be a request's method: ``HTTPMethod`` alone.
public protocol HTTPMethodValue {}

extension HTTPMethod: HTTPMethodValue {}

/// Unavailable: declare the property's type, `var method: HTTPMethod { .put }`.
@available(*, unavailable, message: "declare the type of the method: var method: HTTPMethod { .put }")
extension String: HTTPMethodValue {}
