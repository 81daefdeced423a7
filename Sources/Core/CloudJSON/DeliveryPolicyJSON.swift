package import CloudModel
package import JSON

/// Delivery policies as JSON (docs/policies.md): `deliveryPolicy` of a `notificationInfo`, and what a user chose for a
/// device.
package enum DeliveryPolicyJSON {
    /// Writes a policy.
    package static func policy(_ policy: DeliveryPolicy) -> JSONValue {
        var json: JSONObject = [:]
        switch policy.grouping {
        case .everyChange: json["grouping"] = "everyChange"
        case .latestPerRecord(let seconds):
            json["grouping"] = "latestPerRecord"
            json["windowSeconds"] = .integer(Int64(seconds))
        case .digest(let seconds, let count):
            json["grouping"] = "digest"
            json["windowSeconds"] = .integer(Int64(seconds))
            if let count { json["count"] = .integer(Int64(count)) }
        }
        if let quiet = policy.quietHours {
            json["quietHours"] = ["from": .string(time(quiet.from)), "to": .string(time(quiet.to))]
        }
        if let hourlyMax = policy.hourlyMax { json["hourlyMax"] = .integer(Int64(hourlyMax)) }
        if policy.shapesFeed { json["shapesFeed"] = true }
        return .object(json)
    }

    /// Reads a policy.
    package static func read(_ json: JSONPath) throws(CloudError) -> DeliveryPolicy {
        let json = try json.object()
        let policy = DeliveryPolicy(
            try grouping(json), quietHours: try json.member("quietHours", quietHours),
            hourlyMax: try number(json, "hourlyMax", 1...Limits.hourlyPushesMax),
            shapesFeed: try json["shapesFeed"]?.bool() ?? false)
        guard !policy.shapesFeed || policy.grouping != .everyChange else {
            throw .badRequest("\(json.path).shapesFeed needs a grouping: latestPerRecord or digest")
        }
        return policy
    }

    /// Writes what a user chose for a device.
    package static func policies(_ policies: DevicePolicies) -> JSONObject {
        var json: JSONObject = [:]
        json["clock"] = .array(
            policies.clock.offsets.map { ["from": .integer($0.from), "utcOffsetMinutes": .integer(Int64($0.minutes))] })
        if let general = policies.general { json["deliveryPolicy"] = policy(general) }
        json["subscriptions"] = .array(
            policies.chosen.map {
                [
                    "databaseScope": .string($0.database.description),
                    "subscriptionID": .string($0.subscription.rawValue),
                    "deliveryPolicy": policy($0.policy),
                ]
            })
        return json
    }

    /// Reads what a user chose for a device.
    package static func readPolicies(_ json: JSONPath) throws(CloudError) -> DevicePolicies {
        let json = try json.object()
        var policies = DevicePolicies(general: try json.member("deliveryPolicy", readPushes))
        for element in try json["clock"]?.elements(atMost: Limits.clockOffsetsMax) ?? [] {
            let offset = DeviceClock.Offset(
                from: try element.required("from").integer(),
                minutes: try required(element, "utcOffsetMinutes", -1440...1440))
            guard policies.clock.offsets.last.map({ $0.from < offset.from }) ?? true else {
                throw .badRequest("\(element.path).from is not after the one before it")
            }
            policies.clock.offsets.append(offset)
        }
        for element in try json["subscriptions"]?.elements(atMost: Limits.chosenPoliciesMax) ?? [] {
            let scope = try element.required("databaseScope")
            guard let database = DatabaseScope(try scope.string()) else {
                throw scope.wrong("public, private or shared")
            }
            let chosen = DevicePolicies.Chosen(
                database: database, subscription: try element.required("subscriptionID").identifier(),
                policy: try readPushes(try element.required("deliveryPolicy")))
            guard
                !policies.chosen.contains(where: { ($0.database, $0.subscription) == (database, chosen.subscription) })
            else { throw .badRequest("\(element.path) names a subscription that is named before") }
            policies.chosen.append(chosen)
        }
        return policies
    }

    /// A device chooses its pushes; the feed is the same for all devices.
    private static func readPushes(_ json: JSONPath) throws(CloudError) -> DeliveryPolicy {
        let policy = try read(json)
        guard !policy.shapesFeed else {
            throw .badRequest("\(json.path).shapesFeed is for a subscription: a device chooses its pushes")
        }
        return policy
    }

    private static func grouping(_ json: JSONPath) throws(CloudError) -> DeliveryPolicy.Grouping {
        let name = try json["grouping"]?.string() ?? "everyChange"
        let window = try number(json, "windowSeconds", 1...Limits.policyWindowSecondsMax)
        let count = try number(json, "count", 2...Limits.heldChangesMax)
        guard count == nil || name == "digest" else { throw .badRequest("\(json.path).count is for a digest") }
        switch name {
        case "everyChange":
            guard window == nil else {
                throw .badRequest("\(json.path).windowSeconds is for latestPerRecord and digest")
            }
            return .everyChange
        case "latestPerRecord":
            return .latestPerRecord(
                windowSeconds: try required(json, "windowSeconds", 1...Limits.policyWindowSecondsMax))
        case "digest":
            return .digest(
                windowSeconds: try required(json, "windowSeconds", 1...Limits.policyWindowSecondsMax), count: count)
        default:
            throw .badRequest(
                "\(json.path).grouping is '\(name)'; it may be everyChange, latestPerRecord or digest")
        }
    }

    private static func quietHours(_ json: JSONPath) throws(CloudError) -> QuietHours {
        let hours = QuietHours(from: try minute(try json.required("from")), to: try minute(try json.required("to")))
        guard hours.from != hours.to else {
            throw .badRequest("\(json.path) begins and ends at \(time(hours.from)): it would be empty or never end")
        }
        return hours
    }

    private static func required(
        _ json: JSONPath, _ key: String, _ range: ClosedRange<Int>
    ) throws(CloudError) -> Int {
        guard let number = try number(json, key, range) else { throw .badRequest("\(json.path) needs '\(key)'") }
        return number
    }

    private static func number(
        _ json: JSONPath, _ key: String, _ range: ClosedRange<Int>
    ) throws(CloudError) -> Int? {
        guard let member = json[key] else { return nil }
        let number = try member.integer()
        guard let whole = Int(exactly: number), range.contains(whole) else {
            throw .badRequest("\(member.path) is \(number); it may be \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    /// Reads a time of the day.
    private static func minute(_ json: JSONPath) throws(CloudError) -> Int {
        let parts = try json.string().utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(String(parts[0])!), let minute = Int(String(parts[1])!), hour < 24, minute < 60
        else { throw json.wrong("a time of the day, as 22:30") }
        return hour * 60 + minute
    }

    private static func time(_ minute: Int) -> String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(minute / 60)):\(digits(minute % 60))"
    }
}
