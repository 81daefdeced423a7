package import JSON
package import Testing

/// Expects that a request and its answer agree with `docs/openapi.yaml`, and that clients which others wrote can read
/// the answer.
package func expectAgreement(_ exchange: Exchange, sourceLocation: SourceLocation = #_sourceLocation) {
    do {
        let unreadable = WireExpectation.violations(of: exchange)
        #expect(unreadable == [], "clients of others cannot read it", sourceLocation: sourceLocation)
        let disagreements = try APIContract.committed.get().disagreements(exchange)
        guard !disagreements.isEmpty else { return }
        let body = String(decoding: (exchange.body ?? []).prefix(600), as: UTF8.self)
        let request = String(decoding: (exchange.requestBody ?? []).prefix(600), as: UTF8.self)
        Issue.record(
            "docs/openapi.yaml has it otherwise: \(disagreements.prefix(5).joined(separator: "\n"))\n\(request)\n\(body)",
            sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

/// Expects that JSON agrees with a schema of `docs/openapi.yaml`.
package func expectAgreement(
    _ json: JSONValue, withSchema name: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    do {
        let reference: JSONValue = ["$ref": .string("#/components/schemas/\(name)")]
        let violations = try APIContract.committed.get().schema.violations(of: json, by: reference, at: name)
        #expect(violations == [], "docs/openapi.yaml has it otherwise", sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
