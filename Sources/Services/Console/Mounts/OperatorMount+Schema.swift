import CloudJSON
import CloudModel
import JSON
import RecordService
import WebAPI

extension OperatorMount {
    static let schema: [OperatorEndpoint] = [
        OperatorEndpoint("schema", .reads) { .object(SchemaReport.json(try await $0.records.schema())) },
        OperatorEndpoint("schema/difference", .reads) { call in
            .object(SchemaReport.json(try await call.difference()))
        },
        OperatorEndpoint("schema/modify", .changes) { try await $0.modifySchema() },
        OperatorEndpoint("schema/promote", .changes) { call in
            guard call.scope.scope.environment == .production else {
                throw CloudError.badRequest("a schema is promoted to production; schema/modify changes development's")
            }
            return try await call.apply(try await call.difference())
        },
        OperatorEndpoint("schema/reset", .changes) { try await $0.resetSchema() },
    ]
}

extension OperatorCall {
    /// The additions of the given text, or of development's schema or some parts of it, to the schema.
    fileprivate func difference() async throws -> SchemaDifference {
        let present = try await records.schema()
        if let text = body["text"] {
            return SchemaDifference(promoting: try SchemaText.read(try text.string(), over: present), over: present)
        }
        let container = scope.scope.container
        let developed = ContainerEnvironment(container: container, environment: .development)
        guard scope.scope.environment == .production, let source = system.scopes.first(where: { $0.scope == developed })
        else {
            throw CloudError.badRequest(
                "the body needs 'text' in CloudKit's schema language: development's schema is not served beside this one"
            )
        }
        var parts: [SchemaPartName] = []
        for name in try body["parts"]?.elements() ?? [] { parts.append(try SchemaPartName(try name.string())) }
        let wanted = try await source.records.schema().parts(parts, over: present)
        return SchemaDifference(promoting: wanted, over: present)
    }

    /// Adds what a text has, or gives and takes a right.
    fileprivate func modifySchema() async throws -> JSONValue {
        guard let grant = body["grant"] else {
            guard body["text"] != nil else { throw CloudError.badRequest("the body needs 'text' or 'grant'") }
            return try await apply(try await difference())
        }
        let names = (try grant.required("right").string(), try grant.required("role").string())
        guard let right = TypePermissions.Right(name: names.0) else {
            throw CloudError.badRequest("right is READ, CREATE or WRITE, not '\(names.0.prefix(80))'")
        }
        guard let role = TypePermissions.Role(name: names.1) else {
            throw CloudError.badRequest("role is _world, _icloud or _creator, not '\(names.1.prefix(80))'")
        }
        let type = try RecordType(try grant.required("recordType").string())
        try await records.setRight(right, of: role, on: type, to: try grant.required("isGranted").bool())
        let permissions = try await records.schema().types[type]?.permissions ?? .standard
        return [
            "recordType": .string(type.rawValue),
            "grants": .array(SchemaText.grants(permissions).map { .string($0) }),
        ]
    }

    /// Removes the types that no record has; the body has the container's name, as an operator typed it.
    fileprivate func resetSchema() async throws -> JSONValue {
        let container = scope.scope.container
        guard try body.required("confirm").string() == container.rawValue else {
            throw CloudError.badRequest("confirm is the name of the container whose schema is to be reset")
        }
        let production = system.scopes.first {
            $0.scope == ContainerEnvironment(container: container, environment: .production)
        }
        let wanted = try await production?.records.schema() ?? Schema()
        return .object(SchemaReport.json(try await records.resetSchema(to: wanted)))
    }

    /// Applies a difference that the operator has seen: its digest is the one of the body.
    /// - Throws: `CONFLICT` for another one, `BAD_REQUEST` for one that cannot be applied.
    fileprivate func apply(_ difference: SchemaDifference) async throws -> JSONValue {
        let digest = try body.required("digest").string()
        guard digest == SchemaReport.digest(difference) else {
            throw CloudError(.conflict, "the difference is another one than the one with this digest; look at it again")
        }
        guard difference.conflicts.isEmpty else {
            throw CloudError.badRequest(difference.conflicts.joined(separator: "; "))
        }
        if !difference.changes.isEmpty { try await records.apply(difference) }
        return .object(SchemaReport.json(difference))
    }
}
