import Foundation
import Testing

@testable import HTTPErrors

@Suite("Headers, problems and messages are plain values")
struct MessageTests {
    @Test("the names of header fields are the same in upper and lower case, and keep their first spelling")
    func headers() {
        var headers: HTTPHeaders = ["Content-Type": "a", "content-type": "b", "X": "c"]
        #expect(headers["CONTENT-TYPE"] == "a, b")
        headers["content-type"] = "d"
        #expect(headers.fields.map(\.name) == ["Content-Type", "X"] && headers["Content-Type"] == "d")
        #expect(headers == ["x": "c", "CONTENT-type": "d"])
        #expect(headers != ["x": "c"] && headers != ["x": "c", "y": "d"])
        headers["x"] = nil
        headers["none"] = nil
        #expect(headers.fields.map(\.value) == ["d"])
        headers.append("e", for: "New")
        #expect(headers["new"] == "e")
    }

    @Test("a problem is read as RFC 9457 has it: members of another kind are ignored, others are kept")
    func problems() throws {
        let text =
            #"{"type": 1, "title": "t", "status": "x", "detail": null, "accounts": ["a", {"b": [true, null, 1.5]}]}"#
        let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(text.utf8))
        #expect(problem.type == "about:blank" && problem.title == "t" && problem.status == nil && problem.detail == nil)
        let inner = JSONValue.object(["b": .array([.bool(true), .null, .number(1.5)])])
        #expect(problem.extensions == ["accounts": .array([.string("a"), inner])])
        let again = try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(problem))
        #expect(again == problem)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ProblemDetails.self, from: Data("[]".utf8)) }
    }

    @Test("a failure keeps no more of a body than its limit, and finds a problem in it")
    func failures() {
        let long = HTTPFailure(status: 500, body: Data(repeating: 7, count: HTTPFailure.bodyLimit + 1))
        #expect(long.body.count == HTTPFailure.bodyLimit && long.body.startIndex == 0)
        let body = Data(#"{"title": "t"}"#.utf8)
        #expect(
            HTTPFailure(status: 400, headers: ["content-type": "Application/Problem+JSON"], body: body).problem?.title
                == "t")
        #expect(HTTPFailure(status: 400, headers: ["content-type": "application/json"], body: body).problem == nil)
        #expect(HTTPFailure(status: 400, headers: ["content-type": "application/problem+json"]).problem == nil)
    }

    @Test("a request is idempotent by RFC 9110 or by its key")
    func idempotent() throws {
        let url = try #require(URL(string: "https://example.org"))
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
            #expect(HTTPMessage(method: method, url: url).isIdempotent)
        }
        for method in ["POST", "PATCH", "CONNECT", "get", "QUERY"] {
            #expect(!HTTPMessage(method: method, url: url).isIdempotent)
            #expect(HTTPMessage(method: method, url: url, headers: ["idempotency-key": "1"]).isIdempotent)
        }
    }

    @Test("an Accept field says which content types are asked for")
    func accept() {
        #expect(MediaType("application/json; charset=utf-8").isAccepted(by: "application/json"))
        #expect(MediaType("Application/VND.x+JSON").isAccepted(by: "application/json"))
        #expect(MediaType("text/html").isAccepted(by: "application/json, text/*;q=0.5"))
        #expect(MediaType("text/html").isAccepted(by: "*/*"))
        #expect(!MediaType("text/html").isAccepted(by: "application/json"))
        #expect(!MediaType("").isAccepted(by: "application/json"))
    }
}

/// [H5](../../Sources/HTTPErrors/HTTPErrors.docc/HTTPErrors.md#what-is-promised).
@Suite("H5: a transfer comes to one end")
struct TransferMachineTests {
    @Test("an answer comes in parts, the last head is the one that counts")
    func whole() throws {
        var machine = TransferMachine(bodyLimit: 10)
        machine.receive(HTTPAnswer(status: 302, headers: ["Location": "x"]))
        #expect(machine.receive(Data("moved".utf8)) == nil)
        machine.receive(HTTPAnswer(status: 200, headers: ["A": "1"]))
        #expect(machine.receive(Data("ab".utf8)) == nil && machine.receive(Data("cd".utf8)) == nil)
        let answer = try #require(try machine.complete(nil)?.get())
        #expect(answer.status == 200 && answer.headers == ["A": "1"] && answer.body == Data("abcd".utf8))
        #expect(!machine.isWanted && machine.complete(nil) == nil)
    }

    @Test("at the limit it ends at once; beyond it nothing is kept and nothing changes the end")
    func tooLarge() {
        var machine = TransferMachine(bodyLimit: 4)
        machine.receive(HTTPAnswer(status: 200))
        #expect(machine.receive(Data(count: 4)) == nil && machine.isWanted)
        #expect(throws: NetworkError.self) { try machine.receive(Data(count: 1))?.get() }
        #expect(!machine.isWanted)
        machine.receive(HTTPAnswer(status: 200))
        #expect(machine.receive(Data(count: 1)) == nil && machine.abandon(URLError(.timedOut)) == nil)
        #expect(machine.complete(URLError(.cancelled)) == nil)
    }

    @Test("a head that is known at the end counts where none came before, and an error takes it back")
    func headAtEnd() throws {
        var machine = TransferMachine(bodyLimit: 4)
        machine.receiveAtEnd(HTTPAnswer(status: 301))
        #expect(try machine.complete(nil)?.get().status == 301)
        machine.receiveAtEnd(HTTPAnswer(status: 301))
        #expect(!machine.isWanted && machine.complete(nil) == nil)
        machine = TransferMachine(bodyLimit: 4)
        machine.receive(HTTPAnswer(status: 200))
        #expect(machine.receive(Data(count: 1)) == nil)
        machine.receiveAtEnd(HTTPAnswer(status: 301))
        #expect(try machine.complete(nil)?.get().body.count == 1)
        machine = TransferMachine(bodyLimit: 4)
        machine.receiveAtEnd(HTTPAnswer(status: 200))
        #expect(throws: URLError(.timedOut)) { try machine.complete(URLError(.timedOut))?.get() }
    }

    @Test("without an answer its end is an error; an error after the head takes back what has come")
    func errors() {
        var machine = TransferMachine(bodyLimit: 4)
        #expect(machine.receive(Data(count: 1)) == nil)
        #expect(throws: URLError(.badServerResponse)) { try machine.complete(nil)?.get() }
        machine = TransferMachine(bodyLimit: 4)
        machine.receive(HTTPAnswer(status: 200))
        #expect(throws: URLError(.networkConnectionLost)) {
            try machine.complete(URLError(.networkConnectionLost))?.get()
        }
        machine = TransferMachine(bodyLimit: 4)
        #expect(throws: CancellationError.self) { try machine.abandon(CancellationError())?.get() }
        #expect(machine.complete(nil) == nil)
    }
}

@Suite("A problem is sent as an answer")
struct ProblemAnswerTests {
    @Test func `status, type and members are those of the problem, and it is read as the same again`() {
        let problem = ProblemDetails(
            type: "https://shop.example/problems/stock", title: "Out of stock", status: 409,
            extensions: ["left": .number(0)])
        let answer = HTTPAnswer(problem)
        #expect(answer.status == 409 && answer.headers["content-type"] == "application/problem+json")
        #expect(HTTPFailure(status: answer.status, headers: answer.headers, body: answer.body).problem == problem)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"left":0,"status":409,"title":"Out of stock","type":"https://shop.example/problems/stock"}"#)
    }

    @Test func `without a status it is a 500, and what is no JSON is left out`() {
        let answer = HTTPAnswer(ProblemDetails(title: "t", extensions: ["ratio": .number(.nan)]))
        #expect(answer.status == 500)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"title":"t","type":"about:blank"}"#)
    }
}
