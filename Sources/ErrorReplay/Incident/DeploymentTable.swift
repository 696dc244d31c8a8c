/// The deployments of recorded errors: pairs of a service and a release, each stored once.
///
/// Their number is bounded: deployments beyond the limit are counted together.
struct DeploymentTable: Sendable {
    struct Deployment: Sendable, Hashable {
        let service: String
        /// Nil if the records don't contain a release.
        let release: String?
    }

    /// The number of the deployment that represents all deployments beyond the limit.
    static let others = 0
    private static let (limit, length) = (32, 100)

    private(set) var deployments = [Deployment(service: "…", release: "…")]
    /// The time of each deployment's first error, in milliseconds since 1970; nil if no line contained a time.
    private(set) var firstTimes: [Int?] = [nil]
    private var numbers: [Deployment: Int] = [:]

    /// Returns the number of a deployment.
    mutating func number(service: String, release: String?) -> Int {
        let deployment = Deployment(
            service: PageText.shown(service, Self.length), release: release.map { PageText.shown($0, Self.length) })
        if let number = numbers[deployment] { return number }
        guard deployments.count <= Self.limit else { return Self.others }
        numbers[deployment] = deployments.count
        deployments.append(deployment)
        firstTimes.append(nil)
        return deployments.count - 1
    }

    mutating func saw(_ deployment: Int, at time: Int) {
        if let first = firstTimes[deployment], first <= time { return }
        firstTimes[deployment] = time
    }

    /// The deployments with the newest release of each service that has errors in several releases.
    ///
    /// The newest release is the release whose first error is the latest. A deployment without a release is never the
    /// newest, but its errors show that a kind is older than a release.
    var newest: Set<Int> {
        var newest: Set<Int> = []
        let own = deployments.indices.dropFirst()
        for service in Set(own.map { deployments[$0].service }) {
            let numbers = own.filter { deployments[$0].service == service }
            let named = numbers.filter { deployments[$0].release != nil && firstTimes[$0] != nil }
            // If times are equal, use the greater number, so that the result depends only on the lines.
            let last = named.max { (firstTimes[$0] ?? 0, $0) < (firstTimes[$1] ?? 0, $1) }
            if numbers.count > 1, let last { newest.insert(last) }
        }
        return newest
    }
}
