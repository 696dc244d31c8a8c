import ErrorRecovery
import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H1: each status and code has one meaning", .tags(.http1), .hangLimit)
struct MappingTests {}

extension MappingTests {
    @Test("every status has its kind")
    func status() {
        for status in 100...599 {
            let error = NetworkError(HTTPFailure(status: status))
            let expected: NetworkError.Kind =
                switch status {
                case 401: .unauthorized
                case 403: .forbidden
                case 404: .notFound
                case 408, 504, 522, 524: .timeout
                case 500...599: .server
                default: .http
                }
            expect(error.kind, equals: expected, "\(status)")
            expect(error.failure?.status, equals: status)
            let isTransient =
                [408, 425, 429, 500, 502, 503, 504].contains(status) || (520...530).contains(status)
            expect(error.retryDecision, equals: isTransient ? .retry() : .fail, "\(status)")
            expect(ErrorMatcher.transient.match(error) != nil, equals: isTransient, "\(status)")
            let service = NetworkError(.service, cause: GitHubError(code: 1), failure: HTTPFailure(status: status))
            let order = NetworkError(
                expected, failure: HTTPFailure(status: status), mayBeSentAgain: false)
            for error in [error, service, order] {
                let isOutage = status == 408 || status >= 500
                expect(ErrorMatcher.outage.match(error) != nil, equals: isOutage, "\(status)")
            }
            expect(ErrorMatcher.status(status).match(error) != nil, equals: true, "\(status)")
            expectNil(ErrorMatcher.status(600...999).match(error))
            expect([error.neverReachedServer, error.isCancellation], equals: [false, false], "\(status)")
        }
        for status in [Int.min, -1, 0, 99, 600, 1_000, 100_000, .max] {
            expect(NetworkError(HTTPFailure(status: status)).kind, equals: .invalidResponse, "\(status)")
        }
    }

    /// All codes with a name in Foundation.
    private static let codes: [NetworkError.Kind: [Int]] = [
        .timeout: [-1001],
        .unauthorized: [-1012],
        .connection: [-999, -1003, -1004, -1005, -1006, -1200, -1201, -1202, -1203, -1204, -1205, -1206, -1207],
        .networkUnavailable: [-1009, -1018, -1019, -1020],
        .invalidURL: [-1000, -1002],
        .invalidResponse: [-1007, -1010, -1011, -1014, -1015, -1016, -1017],
        .unknown: [
            -1, -995, -996, -997, -1008, -1013, -1021, -1022, -1100, -1101, -1102, -1103, -2000, -3000, -3001, -3002,
            -3003, -3004, -3005, -3006, -3007, 0, 1, 4711, Int(Int32.min),
        ],
    ]

    /// The codes of errors that would occur again in another attempt.
    private static let permanent: Set = [-999, -1201, -1202, -1203, -1204, -1205, -1206, -1207]

    @Test("a code for a cancellation by the program or the user has the kind cancelled only in a cancelled task")
    func cancellations() async {
        let codes = [URLError.Code.cancelled, .userCancelledAuthentication, .timedOut]
        let kinds = await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return codes.map { NetworkError.from(URLError($0)).kind }
        }.value
        expect(kinds, equals: [.cancelled, .cancelled, .timeout])
        expect(codes.map { NetworkError.from(URLError($0)).kind }, equals: [.connection, .unauthorized, .timeout])
    }

    @Test("every code has its kind, even in an NSError or a box, but few codes mean that the server wasn't reached")
    func codes() {
        let before = [-1003, -1004, -1006, -1200, -1201, -1202, -1203, -1204, -1205, -1206, -1207]
        for (kind, codes) in Self.codes {
            for code in codes {
                let error = NSError(domain: NSURLErrorDomain, code: code)
                let errors: [NetworkError] = [
                    .from(error), .from(URLError(_nsError: error)), NetworkError(URLError(_nsError: error)),
                ]
                expect(errors.map(\.kind), equals: [kind, kind, kind], "\(code)")
                let isCertain = before.contains(code) || [.networkUnavailable, .invalidURL].contains(kind)
                expect(errors[2].neverReachedServer, equals: isCertain, "\(code)")
                let isTransient = kind == .timeout || kind == .connection && !Self.permanent.contains(code)
                expect(
                    errors.map { ErrorMatcher.transient.match($0) != nil },
                    equals: .init(repeating: isTransient, count: 3), "\(code)")
                expect(errors[2].isCancellation, equals: false)
            }
        }
        #expect(NetworkError(.encoding, cause: URLError(.badURL)).neverReachedServer)
        #expect(!NetworkError(.noData).neverReachedServer)
        // A transport can override a code's meaning.
        let refused = NetworkError(.connection, cause: URLError(.networkConnectionLost), neverReachedServer: true)
        #expect(refused.neverReachedServer && ErrorMatcher.transient.match(refused) != nil)
        #expect(!NetworkError(.unknown, cause: URLError(.badURL)).neverReachedServer)
    }

    @Test("an outage is any failure of the server or connection, whatever the request, but not the client's own")
    func outages() {
        for error in NetworkError.samples(of: HTTPFailure(status: 418)) {
            let isOutage = [.timeout, .connection].contains(error.kind) && error.failure == nil
            expect(ErrorMatcher.outage.match(error) != nil, equals: isOutage, "\(error)")
        }
        let refused = NetworkError(URLError(.serverCertificateUntrusted))
        let order = NetworkError(.timeout, cause: URLError(.timedOut), mayBeSentAgain: false)
        let stream = NetworkError(.connection, cause: GitHubError(code: 1))
        for error in [NetworkError(.server), refused, order, stream] {
            #expect(ErrorMatcher.outage.match(error) != nil, "\(error)")
        }
        let shutDown = NetworkError(URLError(.cancelled))
        let unsent = NetworkError(.timeout, cause: NoTimeLeft())
        for error in [shutDown, unsent, NetworkError(.cancelled), NetworkError(HTTPFailure(status: 999))] {
            expectNil(ErrorMatcher.outage.match(error), "\(error)")
        }
        expect(ErrorMatcher.outage.description, equals: "outage")
    }

    @Test("every other error of a transport has a kind too")
    func others() {
        let errors: [any Error] = [
            CancellationError(), NetworkError(.noData), HTTPFailure(status: 503), GitHubError(code: 1),
            DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")),
            EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "")),
        ]
        expect(
            errors.map { NetworkError.from($0).kind },
            equals: [.cancelled, .noData, .server, .unknown, .decoding, .encoding])
    }

    @Test("a service's own error decides whether and when it is retried; without a decision, the status does")
    func serviceErrors() {
        let failure = HTTPFailure(status: 503, headers: ["Retry-After": "3"])
        expect(NetworkError(.service, cause: GitHubError(code: 1), failure: failure).retryDecision, equals: .retry())
        expect(NetworkError(.service, cause: GitHubError(code: 1), failure: failure).retryAfter, equals: .seconds(3))
        let busy = NetworkError(.service, cause: BusyError(), failure: failure)
        expect(busy.retryDecision, equals: .retry(cost: 2))
        expect(busy.retryAfter, equals: .seconds(9))
        #expect(NetworkError(.service, cause: BusyError()).service(as: BusyError.self) != nil)
        expectNil(busy.service(as: GitHubError.self))
        expectNil(NetworkError(.noData).service(as: GitHubError.self))
    }

    @Test("wrapped causes are found by their type at any depth", .onLinux("on Darwin a boxed URLError is an NSError"))
    func causes() {
        let problem = #"{"type": "https://example.org/out-of-credit", "balance": 30}"#
        let headers: HTTPHeaders = ["Content-Type": "application/problem+json; charset=utf-8"]
        let failure = HTTPFailure(status: 403, headers: headers, body: Data(problem.utf8))
        let error = NetworkError(.unknown, cause: NetworkError(.service, cause: GitHubError(code: 7), failure: failure))
        expect(ErrorMatcher.anywhere(.type(GitHubError.self)).match(error)?.code, equals: 7)
        expect(
            ErrorMatcher.anywhere(.type(ProblemDetails.self)).match(error)?.extensions, equals: ["balance": .number(30)]
        )
        expect(ErrorMatcher.anywhere(.type(HTTPFailure.self)).match(error)?.status, equals: 403)
        let timeout = NetworkError(URLError(.timedOut))
        #expect(ErrorMatcher.anywhere(.value(URLError(.timedOut))).match(timeout) != nil)
    }

    @Test("network(…) matches only its kinds, and reports are grouped by kind, as they are by an enum's case")
    func kinds() {
        for error in NetworkError.samples {
            for kind in NetworkError.Kind.allCases {
                expect((ErrorMatcher.network(kind).match(error) != nil), equals: (error.kind == kind))
            }
            expectNil(ErrorMatcher.network().match(error))
        }
        expect(Set(NetworkError.samples.map(\.kind)), equals: Set(NetworkError.Kind.allCases))
        expect(ErrorMatcher.network(.timeout, .server).description, equals: "network(.timeout, .server)")
        func fingerprint(_ error: NetworkError) -> String {
            ErrorReport(error: error, source: ErrorReport.Source(fileID: "Shop/Pay.swift", line: 1)).fingerprint
        }
        for error in NetworkError.samples {
            expect(fingerprint(error), equals: "HTTPErrors.NetworkError.\(error.kind.rawValue) Shop/Pay.swift")
        }
        expect(
            fingerprint(NetworkError(HTTPFailure(status: 500))),
            equals: fingerprint(NetworkError(HTTPFailure(status: 503))))
    }
}
