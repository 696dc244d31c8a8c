/// What swift-openapi-urlsession declares under this name.
public struct URLSessionTransport: Sendable {}
