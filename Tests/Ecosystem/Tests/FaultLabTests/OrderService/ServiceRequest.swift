/// Something that the service can be asked for, and what it is to answer.
struct ServiceRequest: Sendable {
    var method = "GET"
    let path: String
    var body: String?
    let status: Int

    static let health = ServiceRequest(path: "/health", status: 200)
    static let metrics = ServiceRequest(path: "/metrics", status: 200)
    static let order = ServiceRequest(
        method: "POST", path: "/orders", body: #"{"item":"tea","quantity":2}"#, status: 201)
    /// An order while somebody else has the database.
    static let orderWhileLocked = ServiceRequest(method: "POST", path: "/orders", body: order.body, status: 503)
    static let label = ServiceRequest(path: "/labels/7", status: 500)
    static let quote = quote("json", 200)

    /// A quote of the supplier who does what a path of the fault server does.
    static func quote(_ path: String, _ status: Int) -> ServiceRequest {
        ServiceRequest(path: "/quotes/\(path)", status: status)
    }

    /// What fails whatever is locked.
    static let failures = [
        ServiceRequest(method: "POST", path: "/orders", body: #"{"item":"","quantity":2}"#, status: 422),
        ServiceRequest(method: "POST", path: "/orders", body: #"{"item":"tea","quantity":0}"#, status: 422),
        ServiceRequest(method: "POST", path: "/orders", body: #"{"item":"#, status: 400),
        ServiceRequest(path: "/orders/999999999", status: 404), ServiceRequest(path: "/nowhere", status: 404),
        quote("hang?within=300", 504), quote("drop/before", 502), quote("drop/reset", 502), quote("truncated", 502),
        quote("garbage", 502), quote("malformed-json", 502), quote("status/429", 503), quote("status/503", 502), label,
    ]

    /// What succeeds whatever is locked, once there is an order.
    static let successes = [health, quote, ServiceRequest(path: "/orders/1", status: 200)]
}
