import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H5: a transfer ends exactly once", .tags(.http5), .hangLimit)
struct TransferMachineTests {}

extension TransferMachineTests {
    @Test("a response arrives in parts, and the last of its heads is used")
    func whole() throws {
        var machine = TransferMachine(bodyLimit: 10)
        expectNil(machine.receive(TransportResponse(status: 302, headers: ["Location": "x"])))
        expectNil(machine.receive(Data("moved".utf8)))
        expectNil(machine.receive(TransportResponse(status: 200, headers: ["A": "1"])))
        expectNil(machine.receive(Data("ab".utf8)))
        expectNil(machine.receive(Data("cd".utf8)))
        let response = try machine.complete(nil)?.get()
        expect(response?.status, equals: 200)
        expect(response?.headers, equals: ["A": "1"])
        expect(response?.body, equals: Data("abcd".utf8))
        #expect(!machine.isWanted)
        expectNil(machine.complete(nil))
    }

    @Test("at the limit a transfer ends immediately with the beginning of the body, and later events have no effect")
    func tooLarge() throws {
        var machine = TransferMachine(bodyLimit: 4)
        expectNil(machine.receive(TransportResponse(status: 503, headers: ["Retry-After": "7"])))
        expectNil(machine.receive(Data("ab".utf8)))
        expectNil(machine.receive(Data("cd".utf8)))
        #expect(machine.isWanted)
        let response = try #require(try machine.receive(Data("e".utf8))?.get())
        expect(response.status, equals: 503)
        expect(response.headers["retry-after"], equals: "7")
        expect(String(decoding: response.body, as: UTF8.self), equals: "abcd")
        #expect(response.isTruncated)
        #expect(!machine.isWanted)
        expectNil(machine.receive(TransportResponse(status: 200)))
        expectNil(machine.receive(Data(count: 1)))
        expectNil(machine.abandon(URLError(.timedOut)))
        expectNil(machine.complete(URLError(.cancelled)))
        var whole = TransferMachine(bodyLimit: 4)
        expectNil(whole.receive(TransportResponse(status: 200)))
        expectNil(whole.receive(Data(count: 4)))
        expect(try whole.complete(nil)?.get().isTruncated, equals: false)
    }

    @Test("a response's headers are converted once, and at the end only if no head has arrived")
    func convertedOnce() {
        var count = 0
        func head() -> TransportResponse {
            count += 1
            return TransportResponse(status: 200)
        }
        let late = Transfer(bodyLimit: 4)
        late.receiveAtEnd(head())
        expect(count, equals: 1)
        let early = Transfer(bodyLimit: 4)
        early.receive(head())
        early.receiveAtEnd(head())
        early.complete(nil)
        early.receiveAtEnd(head())
        expect(count, equals: 2)
    }

    @Test(
        "an invalid declared length ends it immediately; above the limit the head counts, however the rest ends")
    func declaredLength() throws {
        func end(_ length: String, status: Int = 200, coding: String? = nil) -> TransferMachine.End? {
            var machine = TransferMachine(bodyLimit: 4)
            var headers: HTTPHeaders = ["Content-Length": length]
            headers["Transfer-Encoding"] = coding
            return machine.receive(TransportResponse(status: status, headers: headers))
        }
        for length in ["0", "4", "4, 4", "4,4"] { expectNil(end(length)) }
        for length in ["5", "4611686018427387904"] {
            for error in [nil, URLError(.networkConnectionLost)] {
                var machine = TransferMachine(bodyLimit: 4)
                expectNil(machine.receive(TransportResponse(status: 503, headers: ["Content-Length": length])))
                expectNil(machine.receive(Data(count: 3)))
                let response = try #require(try machine.complete(error)?.get())
                expect([response.status, response.body.count], equals: [503, 3])
                #expect(response.isTruncated)
            }
            var machine = TransferMachine(bodyLimit: 4)
            expectNil(machine.receive(TransportResponse(status: 503, headers: ["Content-Length": length])))
            #expect(throws: URLError(.timedOut)) { try machine.abandon(URLError(.timedOut))?.get() }
        }
        for length in ["", "4, 3", "0x4", "+4", "-4", "4 4", "1180591620717411303424"] {
            #expect(throws: URLError(.cannotParseResponse)) { try end(length)?.get() }
        }
        // A response without a body, or with chunks, can declare any length.
        for status in [103, 204, 304] { expectNil(end("5", status: status)) }
        expectNil(end("5", coding: "chunked"))
    }

    @Test("a head at the end is used only if no head has arrived before")
    func headAtEnd() async throws {
        let late = Transfer(bodyLimit: 4)
        late.receiveAtEnd(TransportResponse(status: 301))
        late.complete(nil)
        late.receiveAtEnd(TransportResponse(status: 302))
        expect(try await late.response(within: .seconds(60)).status, equals: 301)
        let early = Transfer(bodyLimit: 4)
        early.receive(TransportResponse(status: 200))
        early.receive(Data(count: 1))
        early.receiveAtEnd(TransportResponse(status: 301))
        early.complete(nil)
        expect(try await early.response(within: .seconds(60)).body.count, equals: 1)
    }

    @Test("a connection that breaks in the body hides the status, unless the declared body exceeds the limit")
    func brokenOff() async throws {
        for status in [200, 301, 302, 307, 401, 429, 503] {
            for isLate in [false, true] {
                func response(length: Int) async throws -> TransportResponse {
                    let transfer = Transfer(bodyLimit: 4)
                    let head = TransportResponse(
                        status: status, headers: ["Content-Length": "\(length)", "Location": "/a"])
                    if isLate { transfer.receiveAtEnd(head) } else { transfer.receive(head) }
                    transfer.complete(URLError(.networkConnectionLost))
                    return try await transfer.response(within: .seconds(60))
                }
                let tooLong = try await response(length: 5)
                expect(tooLong.status, equals: status)
                expect(tooLong.headers["Location"], equals: "/a")
                #expect(tooLong.isTruncated)
                await #expect(throws: URLError(.networkConnectionLost)) { try await response(length: 4) }
            }
        }
    }

    @Test("a body or an end without a head is an error, and an error after the head discards the response")
    func errors() {
        for status in [nil, 100, 103] {
            var machine = TransferMachine(bodyLimit: 4)
            // An informational head isn't used.
            if let status { expectNil(machine.receive(TransportResponse(status: status))) }
            #expect(throws: URLError(.cannotParseResponse)) { try machine.receive(Data(count: 1))?.get() }
            expectNil(machine.complete(nil))
        }
        var machine = TransferMachine(bodyLimit: 4)
        #expect(throws: URLError(.badServerResponse)) { try machine.complete(nil)?.get() }
        machine = TransferMachine(bodyLimit: 4)
        expectNil(machine.receive(TransportResponse(status: 200)))
        #expect(throws: URLError(.networkConnectionLost)) {
            try machine.complete(URLError(.networkConnectionLost))?.get()
        }
        machine = TransferMachine(bodyLimit: 4)
        #expect(throws: CancellationError.self) { try machine.abandon(CancellationError())?.get() }
        expectNil(machine.complete(nil))
    }
}
