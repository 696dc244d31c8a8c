import AsyncHTTPClient
import ErrorRoutingAsyncHTTPClient
import NIOSSL

private func bank() throws -> AsyncHTTPClientTransport {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile("/etc/bank/authority.pem"))  // no other is trusted
    tls.certificateChain = try NIOSSLCertificate.fromPEMFile("/etc/bank/client.pem").map { .certificate($0) }
    tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: "/etc/bank/client.key", format: .pem))

    var configuration = AsyncHTTPClientTransport.configuration()
    configuration.tlsConfiguration = tls
    let transport = AsyncHTTPClientTransport(HTTPClient(configuration: configuration))
    return transport
}
