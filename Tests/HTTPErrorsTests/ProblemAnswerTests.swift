import Foundation
import HTTPErrors
import Testing

@Suite("A problem as an answer")
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
