import AsyncHTTPClient
import ErrorRoutingAsyncHTTPClient
import NIOSSL

private func bank() throws -> AsyncHTTPClientHTTPTransport {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile("/etc/bank/authority.pem"))  // no other is trusted
    tls.certificateChain = try NIOSSLCertificate.fromPEMFile("/etc/bank/client.pem").map { .certificate($0) }
    tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: "/etc/bank/client.key", format: .pem))

    var configuration = AsyncHTTPClientHTTPTransport.configuration()
    configuration.tlsConfiguration = tls
    let transport = AsyncHTTPClientHTTPTransport(HTTPClient(configuration: configuration))
    return transport
}
