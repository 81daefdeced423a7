import CloudModel
import RecordService
import RecordStore
import Settings

extension Command {
    static let schemaExport = Command(
        name: "schema export", usage: "schema export --data DIR [--container NAME] [--environment NAME]",
        summary: "prints the schema in CloudKit's schema language",
        settings: [.common, .containers, .store, .target]
    ) { reading in
        let service = try Self.service(reading.configuration, try reading.configuration.target)
        Output.line(SchemaText.write(try await service.schema()))
        await service.store.close()
        return ExitCode.done
    }

    static let schemaPromote = Command(
        name: "schema promote", usage: "schema promote --data DIR [--container NAME] [--apply]",
        summary: "shows what development's schema has and production's lacks, and with --apply adds it",
        settings: [.common, .containers, .store, .target, .promoting]
    ) { reading in
        let configuration = reading.configuration
        let container = try configuration.target.container
        let development = try Self.service(
            configuration, ContainerEnvironment(container: container, environment: .development))
        let production = try Self.service(
            configuration, ContainerEnvironment(container: container, environment: .production))
        let difference = SchemaDifference(
            promoting: try await development.schema(), over: try await production.schema())
        for change in difference.changes { Output.line("\(change)") }
        for conflict in difference.conflicts { Output.error(conflict) }
        var code = ExitCode.done
        if !difference.conflicts.isEmpty {
            code = ExitCode.failed
        } else if difference.changes.isEmpty {
            Output.line("production knows everything that development does")
        } else if configuration.promoting.isApplied {
            try await production.apply(difference)
            Output.line("production knows it now")
        } else {
            Output.line("nothing was changed; --apply adds this to production")
            code = ExitCode.differences
        }
        await development.store.close()
        await production.store.close()
        return code
    }

    static let schemaGrant = Command(
        name: "schema grant",
        usage:
            "schema grant --data DIR --type TYPE --right READ|CREATE|WRITE --role _world|_icloud|_creator [--revoke]",
        summary: "lets a role of the public database do something with records of a type, or no longer",
        settings: [.common, .containers, .store, .target, .granting]
    ) { reading in
        let configuration = reading.configuration
        guard let right = TypePermissions.Right(name: configuration.granting.right) else {
            throw SettingsError("--right is READ, CREATE or WRITE, not '\(configuration.granting.right)'")
        }
        guard let role = TypePermissions.Role(name: configuration.granting.role) else {
            throw SettingsError("--role is _world, _icloud or _creator, not '\(configuration.granting.role)'")
        }
        let type: RecordType
        do throws(CloudError) {
            type = try RecordType(configuration.granting.type)
        } catch {
            throw SettingsError("--type: \(error.reason)")
        }
        let service = try Self.service(configuration, try configuration.target)
        try await service.setRight(right, of: role, on: type, to: !configuration.granting.isRevoked)
        let permissions = try await service.schema().types[type]?.permissions ?? .standard
        for line in SchemaText.grants(permissions) { Output.line("\(type): \(line)") }
        await service.store.close()
        return ExitCode.done
    }

    /// A service over the store of an environment, beside the process that owns it.
    private static func service(
        _ configuration: Configuration, _ scope: ContainerEnvironment
    ) throws -> RecordService {
        RecordService(
            layout: Backends.layout(configuration, scope),
            store: try Backends.store(configuration, scope, role: .visitor))
    }
}
