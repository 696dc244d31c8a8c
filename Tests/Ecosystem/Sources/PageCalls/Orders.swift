import GRPCCore

// Declarations that the program on the page assumes.

struct OrderMissing: Error {}

/// Replaces the implementation of a generated service.
struct Orders: RegistrableRPCService {
    func registerMethods(with router: inout RPCRouter<some ServerTransport>) {}
}
