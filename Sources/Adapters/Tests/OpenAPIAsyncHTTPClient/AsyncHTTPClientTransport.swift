/// The type that swift-openapi-async-http-client declares under this name.
public struct AsyncHTTPClientTransport: Sendable {}
