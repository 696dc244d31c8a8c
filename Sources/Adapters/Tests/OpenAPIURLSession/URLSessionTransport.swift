/// The type that swift-openapi-urlsession declares under this name.
public struct URLSessionTransport: Sendable {}
