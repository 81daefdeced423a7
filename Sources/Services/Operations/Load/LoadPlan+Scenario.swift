import JSON

extension LoadPlan {
    /// Takes the values of a scenario's file, and keeps the others: `scripts/load` has examples.
    /// - Throws: `ImportError` with the error.
    package mutating func take(scenario bytes: [UInt8]) throws {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw ImportError("the scenario is not valid JSON: \(error)")
        }
        guard let members = json.object else { throw ImportError("a scenario is a JSON object") }
        for (key, value) in members { try take(key, value) }
    }

    private mutating func take(_ key: String, _ value: JSONValue) throws {
        switch key {
        case "name": name = value.string ?? name
        case "description": break
        case "subscribers": subscribers = Int(try Self.number(key, value, 1...100_000))
        case "devices": devices = Int(try Self.number(key, value, 1...10_000))
        case "forAll": isForAll = value.bool ?? false
        case "churn": churn = try Self.number(key, value, 0...10_000)
        case "herd": herd = Int(try Self.number(key, value, 0...100_000))
        case "patienceSeconds": patience = .seconds(try Self.number(key, value, 0...3600))
        case "phases":
            phases = try (value.array ?? []).map(Self.phase)
            guard !phases.isEmpty else { throw ImportError("a scenario has at least one phase") }
        default: throw ImportError("a scenario has no '\(key)'")
        }
    }

    private static func phase(_ json: JSONValue) throws -> LoadPhase {
        guard let rate = json["rate"], let seconds = json["seconds"] else {
            throw ImportError("a phase has a rate and seconds")
        }
        return LoadPhase(
            rate: try number("rate", rate, 0.01...1_000_000),
            endRate: try json["toRate"].map { try number("toRate", $0, 0.01...1_000_000) },
            seconds: try number("seconds", seconds, 0.1...86_400), isWarmUp: json["warmUp"]?.bool ?? false)
    }

    private static func number(_ key: String, _ value: JSONValue, _ range: ClosedRange<Double>) throws -> Double {
        guard let number = value.double ?? value.integer.map({ Double($0) }), range.contains(number) else {
            throw ImportError("'\(key)' is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
