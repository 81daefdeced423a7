import HTTPServer
import WebAPI

/// The settings of shares and rates: what one sender may take of the public port.
struct FrontDoorConfiguration: Sendable {
    var trustedProxies: [String] = []
    var connectionsPerAddress = 0
    var heldPerUser = 300
    var heldPerToken = 0
    var userRequests = 1000
    var userMebibytes = 128
    var userCost = 20_000
    var tokenRequests = 20_000
    var tokenMebibytes = 2048
    var tokenCost = 400_000
    var addressRequests = 5000
    var addressMebibytes = 512
    var addressCost = 100_000
    var refusedRequests = 100

    /// Shares of the server.
    func apply(to server: inout HTTPServerConfiguration) {
        server.trustedProxies = trustedProxies.compactMap { AddressRange($0) }
        server.connectionsPerAddressMaximum = connectionsPerAddress > 0 ? connectionsPerAddress : nil
    }

    /// Rates of requests.
    /// - Parameter connectionsMax: of which one API token may hold seven eighths, if no setting says otherwise.
    func rates(connectionsMax: Int) -> RateLimits {
        func rates(_ requests: Int, _ mebibytes: Int, _ cost: Int) -> RateLimits.Rates {
            RateLimits.Rates(requests: Double(requests), bytes: Double(mebibytes) * 1_048_576, cost: Double(cost))
        }
        var limits = RateLimits()
        limits.user = rates(userRequests, userMebibytes, userCost)
        limits.credential = rates(tokenRequests, tokenMebibytes, tokenCost)
        limits.address = rates(addressRequests, addressMebibytes, addressCost)
        limits.refusedPerSecond = Double(refusedRequests)
        limits.heldOfUser = heldPerUser
        limits.heldOfCredential = heldPerToken > 0 ? heldPerToken : max(1, connectionsMax / 8 * 7)
        return limits
    }
}
