import HTTPClient
import JSON

extension APIContract {
    /// In what an exchange disagrees with the document; empty when it agrees.
    ///
    /// Requests are held against it where they succeeded altogether: the service may refuse more than the document,
    /// never accept more.
    ///
    /// Where the document has GET there is HEAD, which has no body.
    package func disagreements(_ exchange: Exchange) -> [String] {
        var exchange = exchange
        if exchange.method == "HEAD" {
            exchange.method = "GET"
            exchange.body = nil
        }
        let there = operations(at: exchange.segments)
        let found = there.first { $0.method == exchange.method }
        let violations =
            found.map { disagreements(exchange, $0) } ?? disagreements(exchange, methods: Set(there.map(\.method)))
        return violations.map { "\(exchange.name): \($0)" }
    }

    /// Of a request for which the document has no operation.
    private func disagreements(_ exchange: Exchange, methods: Set<String>) -> [String] {
        if exchange.method == "OPTIONS", !methods.isEmpty, [204, 403].contains(exchange.status) {
            return exchange.status == 204 ? [] : disagreements(exchange, answer: Self.component("AccessDenied"))
        }
        // What the transport refuses, it refuses everywhere.
        let names = [
            400: "BadRequest", 404: "NotFound", 405: "MethodNotAllowed", 408: "RequestTimedOut", 413: "QuotaExceeded",
            431: "HeadersTooLarge", 503: "TryAgainLater",
        ]
        guard let name = names[exchange.status], exchange.status != 405 || !methods.isEmpty
        else { return ["the document has no such operation"] }
        var violations = disagreements(exchange, answer: Self.component(name))
        if exchange.status == 405 {
            let allowed = Set((exchange.headers["Allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
            let methods = methods.contains("GET") ? methods.union(["HEAD"]) : methods
            if allowed != methods {
                violations.append("Allow says \(allowed.sorted()), the document \(methods.sorted())")
            }
        }
        return violations
    }

    private static func component(_ answer: String) -> JSONValue {
        ["$ref": .string("#/components/responses/\(answer)")]
    }

    private func disagreements(_ exchange: Exchange, _ operation: Operation) -> [String] {
        guard let answer = operation.json["responses"]?["\(exchange.status)"] else {
            return ["the document has no answer with this status"]
        }
        return disagreements(exchange, answer: answer)
            + ((200..<300).contains(exchange.status) ? disagreements(exchange, request: operation) : [])
    }

    // MARK: Answers

    private func disagreements(_ exchange: Exchange, answer: JSONValue) -> [String] {
        let answer = resolved(answer)
        var violations: [String] = []
        for (name, header) in answer["headers"]?.object ?? [:] {
            let header = resolved(header)
            if let value = exchange.headers[name] {
                violations += schema.violations(
                    of: .string(value), by: header["schema"] ?? true, at: "the header \(name)")
            } else if header["required"] == true {
                violations.append("the header \(name) is missing")
            }
        }
        // An answer without contents, as 304.
        guard answer["content"] != nil else { return violations }
        let given = exchange.headers["Content-Type"]?.split(separator: ";").first.map(String.init) ?? "none"
        guard let content = answer["content"]?[given]?["schema"] else {
            return violations + ["the document has no Content-Type \(given) here"]
        }
        guard given == "application/json", let body = exchange.body else { return violations }
        guard let json = try? JSONValue(parsing: body) else { return violations + ["the answer is no JSON"] }
        return violations + schema.violations(of: json, by: content, at: "the answer")
    }

    // MARK: Requests

    private func disagreements(_ exchange: Exchange, request operation: Operation) -> [String] {
        var violations: [String] = []
        for parameter in operation.parameters.map(resolved) {
            violations += disagreements(exchange, parameter, operation)
        }
        // An item that failed may have been what the document forbids.
        let answer = exchange.body.flatMap { try? JSONValue(parsing: $0) } ?? .null
        guard let content = operation.json["requestBody"]?["content"]?["application/json"]?["schema"],
            !Self.hasFailure(answer)
        else { return violations }
        if exchange.requestBody ?? [] == [], operation.json["requestBody"]?["required"] == false { return violations }
        guard let json = try? JSONValue(parsing: exchange.requestBody ?? []) else {
            return violations + ["a request that is no JSON was answered"]
        }
        return violations + schema.violations(of: Self.withoutNulls(json), by: content, at: "the request")
    }

    private func disagreements(_ exchange: Exchange, _ parameter: JSONValue, _ operation: Operation) -> [String] {
        let name = parameter["name"]?.string ?? ""
        let value: String?
        switch parameter["in"]?.string {
        case "path":
            let pattern = operation.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            value = zip(pattern, exchange.segments).first { $0.0 == "{\(name)}" }?.1
        case "query": value = exchange.query.first { $0.name == name }?.value
        default: return []
        }
        guard let value, !value.isEmpty else {
            return parameter["required"] == true ? ["the parameter \(name) is missing, and was not missed"] : []
        }
        return schema.violations(of: .string(value), by: parameter["schema"] ?? true, at: "the parameter \(name)")
    }

    private static func hasFailure(_ json: JSONValue) -> Bool {
        if let object = json.object {
            return object["serverErrorCode"] != nil || object.contains { hasFailure($0.value) }
        }
        return json.array?.contains(where: hasFailure) ?? false
    }

    /// A member that is null counts as absent, but where the document says otherwise.
    private static func withoutNulls(_ json: JSONValue) -> JSONValue {
        if let array = json.array { return .array(array.map(withoutNulls)) }
        guard let object = json.object else { return json }
        var kept: JSONObject = [:]
        for (key, value) in object where !value.isNull || ["value", "parent"].contains(key) {
            kept[key] = withoutNulls(value)
        }
        return .object(kept)
    }
}
